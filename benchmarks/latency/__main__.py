"""Measure latencies on pinned threads: ours, Java's and the bare machine's in turns.

Usage: ``python -m benchmarks.latency [--cpus 0,1] [--only ipc] [--starts 3] [--seconds 1]
[--rates 1000,10000] [--out build/latency]`` (``make latency``). Every start runs a closed loop, one
message at a time, then open loops at each rate. ``--out`` receives the distributions as
HdrHistogram files, percentile plots, ``SUITE.json``, and ``results.md`` of all measured suites.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram

from aeron_cluster.memory.system.affinity import available_cpus, check_cpus
from benchmarks.build import ROOT, build
from benchmarks.latency.histograms import Spread, histogram_of, merged, spreads, write_files
from benchmarks.latency.layout import MIN_CPUS
from benchmarks.machine import cautions, machine
from benchmarks.ratio.peers import Setting
from benchmarks.ratio.rig import rotate
from tests.interop.java_peer import JavaUnavailableError, compile_peers

# If less than this part of the rate was sent, the load was not the requested one.
REACHED = 0.98
UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))


@dataclass
class Measurement:
    """The results of all starts of one side under one load."""

    starts: list[HdrHistogram] = field(default_factory=list)
    reached: list[float] = field(default_factory=list)  # messages a second
    layout: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the values that a table needs."""
        return {
            "layout": self.layout,
            "reached": self.reached,
            "count": merged(self.starts).get_total_count(),
            "ns": spreads(self.starts),
        }


def measure(
    suite: Any,  # noqa: ANN401 - a Suite, which is imported after the build
    load: Any,  # noqa: ANN401 - a Load
    setting: Setting,
    cpus: Sequence[int],
    sides: Sequence[str],
) -> dict[tuple[int, str], Measurement]:
    """Start each side in turn; return the measurements by rate and side."""
    found: dict[tuple[int, str], Measurement] = {}
    for side in rotate(sides, setting.starts):
        with tempfile.TemporaryDirectory(prefix="aeron-cluster-latency-", dir="/dev/shm") as folder:
            measured, layout = suite.start(setting, side, cpus, load, Path(folder) / "times")
            for rate, (times, event) in measured.items():
                one = found.setdefault((rate, side), Measurement())
                one.layout = str(layout)
                one.starts.append(histogram_of(times))
                one.reached.append(one.starts[-1].get_total_count() / event["seconds"])
        print(f"{suite.title}, {side}: {layout}", flush=True)
    return found


def shown(spread: Spread) -> str:
    """Return a median and its range, each in a fitting unit."""
    units = [next(each for each in UNITS if value >= each[0] or each[0] == 1.0) for value in spread]
    median, least, most = (
        f"{value / scale:.4g} {unit}" for value, (scale, unit) in zip(spread, units, strict=True)
    )
    if len(set(units)) == 1:
        least, most = least.partition(" ")[0], most.partition(" ")[0]
    return f"{median} [{least}..{most}]"


def load_name(rate: int) -> str:
    """Return the name of a load."""
    return "one at a time" if rate == 0 else f"{rate:,}/s"


def table(results: dict[str, Any]) -> str:
    """Return the lines of a suite's results as Markdown."""
    lines = []
    for rate, sides in results["loads"].items():
        for side, one in sides.items():
            missed = [each for each in one["reached"] if each < REACHED * int(rate)]
            note = f" ({min(missed):,.0f}/s reached)" if missed else ""
            cells = [f"{results['title']}, {load_name(int(rate))}{note}", side]
            lines.append(f"| {' | '.join([*cells, *map(shown, one['ns'].values())])} |")
    return "\n".join(lines)


def report(folder: Path) -> str:
    """Return a report of all suites with results in the directory."""
    found = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    names = list(next(iter(next(iter(found[0]["loads"].values())).values()))["ns"])
    lines = ["# Latency"]
    machines: list[tuple[dict[str, str], list[str]]] = []
    for results in found:
        if (on := (results["machine"], results["cautions"])) not in machines:
            machines.append(on)
            lines += ["", f"Machine {len(machines)}:", ""]
            lines += [f"- {name}: {value}" for name, value in results["machine"].items()]
            lines += [f"- but: {each}" for each in results["cautions"]]
    lines += [""]
    for results in found:
        number = machines.index((results["machine"], results["cautions"])) + 1
        lines += [f"- {results['title']}, {results['starts']} starts a side, on machine {number}:"]
        layouts = {side: one["layout"] for side, one in results["loads"]["0"].items()}
        lines += [f"  - {side}: {layout}" for side, layout in layouts.items()]
    lines += ["", f"| load | side | {' | '.join(names)} |", f"| --- | --- |{' --- |' * len(names)}"]
    lines += map(table, found)
    return "\n".join(lines) + "\n"


def write(
    folder: Path,
    name: str,
    title: str,
    found: dict[tuple[int, str], Measurement],
    starts: int,
    described: dict[str, str],
) -> None:
    """Write the files of one suite."""
    from benchmarks.latency.plots import draw  # noqa: PLC0415 - takes a second to import

    folder.mkdir(parents=True, exist_ok=True)
    loads: dict[int, dict[str, Measurement]] = {}
    for (rate, side), one in found.items():
        loads.setdefault(rate, {})[side] = one
    for rate, sides in loads.items():
        load = "closed" if rate == 0 else f"{rate}"
        for side, one in sides.items():
            write_files(folder, f"{name}-{load}-{side}", one.starts)
        draw(
            folder / f"{name}-{load}.svg",
            f"{title}, {load_name(rate)}",
            {side: merged(one.starts) for side, one in sides.items()},
        )
    results = {
        "title": title,
        "starts": starts,
        "machine": described,
        "cautions": cautions(described),
        "loads": {
            rate: {side: one.as_json() for side, one in sides.items()}
            for rate, sides in loads.items()
        },
    }
    (folder / f"{name}.json").write_text(json.dumps(results, indent=1))
    (folder / "results.md").write_text(report(folder))


def sides_of(suite: Any, given: str | None) -> list[str]:  # noqa: ANN401 - a Suite
    """Return the sides of a suite, or the requested ones of them."""
    return [side for side in suite.sides if given is None or side in given.split(",")]


def numbers(text: str) -> tuple[int, ...]:
    """Read a list such as ``1000,10000``."""
    return tuple(int(each) for each in text.split(","))


def main(given: Sequence[str] | None = None) -> int:
    """Measure, write the files, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--cpus", type=numbers, help="processors for the spinning threads, the best first"
    )
    parser.add_argument("--only", action="append", help="suites: some of ipc, udp, one, three")
    parser.add_argument("--sides", help="some of ours, java and bare, such as ours,java")
    parser.add_argument("--starts", type=int, default=3, help="number of starts of each side")
    parser.add_argument("--seconds", type=float, default=1.0, help="duration of each rate, in s")
    parser.add_argument("--rates", type=numbers, help="messages a second, such as 1000,10000")
    parser.add_argument("--count", type=int, help="number of messages sent one at a time")
    parser.add_argument(
        "--port-base", type=int, default=Setting.port_base, help="first of thirty ports"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "latency")
    arguments = parser.parse_args(given)
    cpus = list(arguments.cpus or available_cpus())
    if len(cpus) < MIN_CPUS:
        print(f"expected {MIN_CPUS} processors or more, found {cpus}", file=sys.stderr)
        return 2
    check_cpus(cpus)
    described = machine()  # before this program loads the machine
    build()
    from benchmarks.latency.suites import (  # noqa: PLC0415 - compiled by the build
        JAVA,
        SUITES,
        Load,
    )

    if unknown := set(arguments.only or ()) - set(SUITES):
        parser.error(f"--only: expected some of {', '.join(SUITES)}, found {sorted(unknown)}")
    suites = {name: SUITES[name] for name in arguments.only or SUITES}
    wanted = {name: sides_of(suite, arguments.sides) for name, suite in suites.items()}
    class_path = ""
    if any(JAVA in sides for sides in wanted.values()):
        try:
            class_path = compile_peers(ROOT / "build" / "java")
        except JavaUnavailableError as error:
            print(f"without Java: {error}")
            wanted = {name: [one for one in sides if one != JAVA] for name, sides in wanted.items()}
    setting = Setting(class_path, arguments.starts, arguments.port_base)
    for name, suite in suites.items():
        load = Load(
            arguments.rates or suite.rates, arguments.seconds, arguments.count or suite.count
        )
        found = measure(suite, load, setting, cpus, wanted[name])
        write(arguments.out, name, suite.title, found, arguments.starts, described)
    print((arguments.out / "results.md").read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
