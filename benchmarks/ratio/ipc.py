"""Messages within one machine's shared memory: round trips, and one-way throughput.

Both embed their driver (SHARED, backoff) and spin in two client threads, Java's best on two cores.
Round trips have two modes, depending on the placement of the virtual processors, and throughput
depends on which thread stays ahead, so the fastest start of each side counts. A worse figure means
that appending or polling became slower.
"""

from benchmarks.ratio.peers import Setting, Value, results
from benchmarks.ratio.rig import Figure, Goal, Rounds, alternate

ROUND_TRIP = Goal("IPC round trip p50, 32 B", "ns", 1.0, fastest_start=True)
OFFER = Goal("IPC exclusive offer, 32 B", "msg/s", 1.0, more_is_better=True, fastest_start=True)
CLAIM = Goal("IPC exclusive claim, 32 B", "msg/s", 1.0, more_is_better=True, fastest_start=True)
PING: dict[str, Value] = {"wait": "spin", "count": 300_000, "warmup": 300_000, "runs": 3}
LOAD: dict[str, Value] = {
    "wait": "yield",
    "pubWait": "yield",
    "warmupSeconds": 2,
    "seconds": 1,
    "runs": 3,
}


def measure(setting: Setting) -> list[Figure]:
    """Measure both sides in turns."""
    return alternate(
        (ROUND_TRIP, OFFER, CLAIM),
        lambda: rounds(setting, ours=True),
        lambda: rounds(setting, ours=False),
        setting.starts,
    )


def rounds(setting: Setting, *, ours: bool) -> Rounds:
    """Start one side once for each figure."""
    with setting.stage() as stage:
        ping = results(stage.start("PingPong", ours=ours, size=32, **PING))
        found = {ROUND_TRIP.name: [each["rttNs"]["p50"] for each in ping]}
    for goal, kind in ((OFFER, "exclusive"), (CLAIM, "exclusive-claim")):
        with setting.stage() as stage:
            runs = results(stage.start("Throughput", ours=ours, kind=kind, size=32, **LOAD))
            if any(each["outOfOrder"] for each in runs):
                raise AssertionError(f"{kind}: messages out of order")
            found[goal.name] = [each["msgsPerSec"] for each in runs]
    return found
