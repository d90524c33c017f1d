"""A cluster of one member that echoes 32 bytes: round trip, throughput, memory and start.

Ingress and egress over UDP. Ours: the whole node on one thread (``aeron-cluster node``, yield),
with the service in Python and with the one in C; the client in a separate process with its own
driver, invoked by its thread. Java's best settings on two cores: SHARED and yield, the client on
the node's driver. Start and memory of both are measured with our client: the time from the start of
the process to the first echo at a waiting client; then the node's memory after 200,000 messages. A
worse figure means a longer pass: more work per message, or more system calls.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.build import ROOT
from benchmarks.native.build import build_service
from benchmarks.ratio.peers import TIMEOUT, Setting, Stage, Value, results
from benchmarks.ratio.rig import Figure, Goal, Rounds, rotate
from tests.interop.java_peer import Event, Peer

PORT_BASE = 24600
SIZE = 32
WINDOW = 512
CLIENT: dict[str, Value] = {
    "portBase": PORT_BASE,
    "size": SIZE,
    "wait": "yield",
    "timeoutMs": 60_000,
}
# The client for measuring start and memory of both.
METER: dict[str, Value] = {"threading": "INVOKER", "warmup": 1, "count": 200_000}
ONE_AT_A_TIME: dict[str, Value] = {"window": 1, "count": 20_000, "warmup": 20_000, "runs": 3}
MANY: dict[str, Value] = {"window": WINDOW, "count": 400_000, "warmup": 400_000, "runs": 3}

ROUND_TRIP = Goal("cluster echo p50, 32 B, {}", "ns", 0.4)
ANONYMOUS = Goal("node, anonymous memory, {}", "KiB", 0.5)
LENGTHS = Goal("node, files of its driver, {}", "KiB", 1.0)
PAGES = Goal("node, pages of those, {}", "KiB", 1.0)
START = Goal("node, start to first echo, {}", "ms", 0.5)
COMMON = (ROUND_TRIP, ANONYMOUS, LENGTHS, PAGES, START)
ECHOES = "cluster echoes, 512 at a time, {}"
THROUGHPUT = {
    "Python": Goal(ECHOES, "msg/s", 1.0, more_is_better=True),
    "native": Goal(ECHOES, "msg/s", 1.3, more_is_better=True),
}


def measure(setting: Setting) -> list[Figure]:
    """Measure Java and both services of ours in turns."""
    library = build_service("echo_service", ROOT / "build" / "native")
    services = {"Python": "benchmarks.ratio.echo:Echo", "native": f"{library}:echo_service"}
    figures = {
        name: {goal.name: Figure(named(goal, name)) for goal in (*COMMON, THROUGHPUT[name])}
        for name in services
    }
    sides: list[str | None] = [None, *services]
    for side in rotate(sides, setting.starts):
        service = None if side is None else services[side]
        rounds = measured(setting, service)
        for name, its in figures.items():
            for goal, values in rounds.items():
                if side is None:
                    its[goal].java.append(values)
                elif side == name:
                    its[goal].ours.append(values)
    return [figure for its in figures.values() for figure in its.values()]


def named(goal: Goal, name: str) -> Goal:
    """Return a goal with the name of a service in its title."""
    return Goal(
        goal.name.format(name), goal.unit, goal.ratio, goal.more_is_better, goal.fastest_start
    )


def measured(setting: Setting, service: str | None) -> Rounds:
    """Start a node once, Java's if no service is given; return all its figures."""
    with setting.stage() as stage:
        meter = stage.start("ClusterClient", ours=True, **CLIENT, **METER, window=WINDOW, runs=1)
        meter.await_event("READY", TIMEOUT)
        began = time.time() * 1000
        node, directory = start_node(stage, service)
        first = meter.await_event("firstEcho", TIMEOUT)["t"] - began
        results(meter)
        rounds: Rounds = {
            START.name: [first],
            ANONYMOUS.name: [anonymous_kib(node.pid)],
            LENGTHS.name: [kib(directory, lambda one: one.stat().st_size)],
            PAGES.name: [kib(directory, lambda one: one.stat().st_blocks * 512)],
        }

        def load(arguments: dict[str, Value]) -> list[Event]:
            given = {**CLIENT, **arguments}
            if service is None:
                return results(stage.start_java("ClusterClient", dir=directory, **given))
            return results(stage.start("ClusterClient", ours=True, threading="INVOKER", **given))

        rounds[ROUND_TRIP.name] = [each["rttNs"]["p50"] for each in load(ONE_AT_A_TIME)]
        rounds[ECHOES] = [each["msgsPerSec"] for each in load(MANY)]
        return rounds


def start_node(stage: Stage, service: str | None) -> tuple[Peer, Path]:
    """Start a node; return it and its driver's directory."""
    directory = stage.folder / "node"
    data = stage.folder / "data"
    if service is None:
        node = stage.start_java(
            "ClusterNode",
            dir=directory,
            base=data,
            portBase=PORT_BASE,
            threading="SHARED",
            idle="yield",
            service="plain",
            watchMs=1000,
        )
        return node, directory
    command = [sys.executable, "-m", "aeron_cluster.cli", "node", "--service", service]
    command += ["--dir", str(data), "--aeron-dir", str(directory), "--port-base", str(PORT_BASE)]
    return stage.start_command([*command, "--threads", "one", "--idle", "yield"]), directory


def anonymous_kib(pid: int) -> float:
    """Return the memory of a process that no file backs."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return float(line.split()[1])
    raise LookupError(f"process {pid} has no RssAnon")


def kib(directory: Path, of: Callable[[Path], int]) -> float:
    """Return a sum over the files below a directory."""
    return sum(of(path) for path in directory.rglob("*") if path.is_file()) / 1024
