"""What durability costs: a cluster of one member and one of three, at each sync level.

``python -m benchmarks.durability [--folder FOLDER] [--starts N]``. Nodes with the echo service in
Python are started at each level in turns, with their data below the folder, which should be on the
disk in question, and their drivers under ``/dev/shm``; our client sends 32 B, one message at a time
and 512 outstanding. Beside them: ``fdatasync`` and ``fsync`` of one page on the same disk.

A level is that of the archive's files, its catalog's and the consensus module's.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.build import ROOT, build
from benchmarks.machine import machine
from benchmarks.ratio.peers import Setting, Stage, Value, results
from benchmarks.ratio.rig import rotate
from tests.interop.java_peer import Event

LEVELS = (0, 1, 2)
MEMBERS = (1, 3)
LAYOUTS = {1: ("one", "each"), 3: ("one",)}  # threads of a member, by the number of members
PORT_BASE = 24_800
SYNCS = 200
PAGE = bytes(4096)
CLIENT: dict[str, Value] = {
    "size": 32,
    "wait": "yield",
    "timeoutMs": 60_000,
    "threading": "INVOKER",
}
ONE_AT_A_TIME: dict[str, Value] = {"window": 1, "count": 1_000, "warmup": 200, "runs": 1}
MANY: dict[str, Value] = {"window": 512, "count": 50_000, "warmup": 20_000, "runs": 1}
OPTIONS = (
    "aeron.archive.file.sync.level",
    "aeron.archive.catalog.file.sync.level",
    "aeron.cluster.file.sync.level",
)


@contextmanager
def members(folder: Path, count: int, level: int, threads: str) -> Iterator[tuple[Stage, str]]:
    """Run a cluster; yield its stage and its ingress endpoints."""
    with (
        Setting("", 1).stage() as stage,
        tempfile.TemporaryDirectory(prefix="durability-", dir=folder) as data,
    ):
        for index in range(count):
            command = [sys.executable, "-m", "aeron_cluster.cli", "node"]
            command += ["--service", "benchmarks.ratio.echo:Echo", "--threads", threads]
            command += [
                "--dir",
                f"{data}/{index}",
                "--aeron-dir",
                str(stage.folder / f"node-{index}"),
            ]
            command += ["--hosts", ",".join(["localhost"] * count), "--member-id", str(index)]
            command += ["--port-base", str(PORT_BASE), "--idle", "yield"]
            for name in OPTIONS:
                command += ["-o", f"{name}={level}"]
            stage.start_command(command)
        yield (
            stage,
            ",".join(f"{index}=localhost:{PORT_BASE + 10 * index + 1}" for index in range(count)),
        )


def measured(folder: Path, count: int, level: int, threads: str) -> dict[str, float]:
    """Start a cluster once; return its figures: times in ns, and a rate."""
    with members(folder, count, level, threads) as (stage, endpoints):

        def load(arguments: dict[str, Value]) -> Event:
            given = {**CLIENT, **arguments, "endpoints": endpoints}
            (found,) = results(stage.start("ClusterClient", ours=True, **given))
            return found

        one = load(ONE_AT_A_TIME)["rttNs"]
        return {"p50": one["p50"], "p99": one["p99"], "rate": load(MANY)["msgsPerSec"]}


def syncs(folder: Path, sync: Callable[[int], None]) -> list[float]:
    """Append pages to a file, each synced; return the times, in ns."""
    times_ns = []
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        for _ in range(SYNCS):
            file.write(PAGE)
            began = time.perf_counter_ns()
            sync(file.fileno())
            times_ns.append(float(time.perf_counter_ns() - began))
    return times_ns


def spread(values: Sequence[float], scale: float, unit: str) -> str:
    """Return the median and the range."""
    middle, low, high = (
        f"{value / scale:,.1f}" for value in (statistics.median(values), min(values), max(values))
    )
    return f"{middle} {unit} [{low}..{high}]"


def main() -> None:
    """Measure all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build", help="on the disk to measure"
    )
    parser.add_argument("--starts", type=int, default=3, help="of each cluster")
    arguments = parser.parse_args()
    build()
    arguments.folder.mkdir(exist_ok=True)
    print(machine())
    for sync in (os.fdatasync, os.fsync):
        print(f"{sync.__name__} of a page: {spread(syncs(arguments.folder, sync), 1e3, 'us')}")
    print("| members | threads | level | p50 | p99 | 512 outstanding |")
    print("| --- | --- | --- | --- | --- | --- |")
    for count in MEMBERS:
        for threads in LAYOUTS[count]:
            found: dict[int, list[dict[str, float]]] = {level: [] for level in LEVELS}
            for level in rotate(LEVELS, arguments.starts):
                found[level].append(measured(arguments.folder, count, level, threads))
            for level, starts in found.items():
                cells = [
                    spread([each[name] for each in starts], scale, unit)
                    for name, scale, unit in (
                        ("p50", 1e3, "us"),
                        ("p99", 1e3, "us"),
                        ("rate", 1e3, "k/s"),
                    )
                ]
                print(f"| {count} | {threads} | {level} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
