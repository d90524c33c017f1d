"""The round trip of a node in a process in which another thread runs Python without a pause.

The second column is not Java: it is the same node alone in a process, while the same Python code
runs in a separate process, so that both sides have the same processors. The node is on one thread
and yields. With the native service a steady node never requests the GIL: a worse figure means that
it does. With the Python service each batch waits for the GIL, up to 5 ms; that figure has no goal.
"""

import sys
from pathlib import Path

from benchmarks.build import ROOT
from benchmarks.native.build import build_service
from benchmarks.ratio.cluster_echo import CLIENT, PORT_BASE
from benchmarks.ratio.peers import TIMEOUT, Setting, Value, results
from benchmarks.ratio.rig import Figure, Goal, Rounds, alternate

NATIVE = Goal("echo p50 beside busy Python, native", "ns", 1.2)
PYTHON = Goal("echo p50 beside busy Python, Python", "ns", float("inf"))
NO_SERVICE_WAITS: dict[str, Value] = {"window": 1, "warmup": 2_000, "count": 20_000, "runs": 3}
SERVICE_WAITS: dict[str, Value] = {"window": 1, "warmup": 100, "count": 500, "runs": 2}
BUSY = "number = 0\nwhile True: number = (number * 31 + 7) % 1_000_003"


def measure(setting: Setting) -> list[Figure]:
    """Measure the node in a busy process and alone, in turns."""
    library = build_service("echo_service", ROOT / "build" / "native")
    return alternate(
        (NATIVE, PYTHON),
        lambda: rounds(setting, library, embedded=True),
        lambda: rounds(setting, library, embedded=False),
        setting.starts,
    )


def rounds(setting: Setting, library: Path, *, embedded: bool) -> Rounds:
    """Start the node once with each service."""
    found: Rounds = {}
    for goal, service, load in (
        (NATIVE, "native", NO_SERVICE_WAITS),
        (PYTHON, "plain", SERVICE_WAITS),
    ):
        with setting.stage() as stage:
            arguments = {
                "dir": stage.folder / "node",
                "base": stage.folder / "data",
                "portBase": PORT_BASE,
                "idle": "yield",
                "service": service,
                "library": f"{library}:echo_service",
                "busy": str(embedded).lower(),
            }
            command_line = [f"{name}={value}" for name, value in arguments.items()]
            node = stage.start_command(
                [sys.executable, "-m", "tests.interop.our_node", *command_line]
            )
            node.await_event("READY", TIMEOUT)
            if not embedded:
                stage.start_command([sys.executable, "-c", BUSY])
            client = stage.start("ClusterClient", ours=True, threading="INVOKER", **CLIENT, **load)
            found[goal.name] = [each["rttNs"]["p50"] for each in results(client)]
    return found
