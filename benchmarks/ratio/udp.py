"""Round trips over UDP on the loopback interface.

Two processes with one thread each, which spins and drives its embedded driver (INVOKER): Java's
best settings on two cores. A worse figure means more system calls or more work per datagram.
"""

from benchmarks.ratio.peers import Setting, Value, results
from benchmarks.ratio.rig import Figure, Goal, Rounds, alternate

ROUND_TRIP = Goal("UDP round trip p50, 32 B", "ns", 0.9)
LOAD: dict[str, Value] = {"transport": "udp", "threading": "INVOKER", "wait": "spin", "port": 24100}
PING: dict[str, Value] = {"count": 20_000, "warmup": 20_000, "runs": 3}


def measure(setting: Setting) -> list[Figure]:
    """Measure both sides in turns."""
    return alternate(
        (ROUND_TRIP,),
        lambda: rounds(setting, ours=True),
        lambda: rounds(setting, ours=False),
        setting.starts,
    )


def rounds(setting: Setting, *, ours: bool) -> Rounds:
    """Start one side once."""
    with setting.stage() as stage:
        pong = stage.start("PingPong", ours=ours, role="pong", **LOAD)
        pong.await_event("READY")
        ping = results(stage.start("PingPong", ours=ours, role="ping", size=32, **LOAD, **PING))
        return {ROUND_TRIP.name: [each["rttNs"]["p50"] for each in ping]}
