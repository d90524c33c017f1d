"""The restart of a node on its log, and a snapshot of 100 MiB.

The services of both sides combine the CRC-32 of each message into a checksum: Java's, ours in
Python with zlib's CRC, ours in C with eight bytes per step. The replay lasts as long as the
election's counter shows LEADER_REPLAY; a snapshot lasts from the toggle to ACTIVE. Every thread
yields; ours are two (driver and archive; module and service), and all files are under /dev/shm.
"""

from benchmarks.build import ROOT
from benchmarks.native.build import build_service
from benchmarks.ratio.cluster_echo import named
from benchmarks.ratio.cluster_of_three import members
from benchmarks.ratio.peers import TIMEOUT, Setting, Value, results
from benchmarks.ratio.rig import Figure, Goal, Rounds

MESSAGES = 2_000_000
FILL: dict[str, Value] = {
    "size": 32,
    "wait": "yield",
    "timeoutMs": 60_000,
    "window": 4096,
    "count": MESSAGES,
    "warmup": 0,
    "runs": 1,
}
LAYOUT = "ours-two-threads"
PAD_KIB = 100 * 1024
SNAPSHOTS = 2

REPLAY = "log replay on restart, 32 B, {}"
REPLAYS = {
    "Python": Goal(REPLAY, "msg/s", 0.8, more_is_better=True),
    "native": Goal(REPLAY, "msg/s", 1.5, more_is_better=True),
}
SNAPSHOT = Goal("snapshot of 100 MiB, Python", "ms", 1.0)


def measure(setting: Setting) -> list[Figure]:
    """Measure Java and both services of ours in turns."""
    library = build_service("checksum_service", ROOT / "build" / "native")
    services = {"Python": "", "native": f"{library}:checksum_service"}
    figures = {name: Figure(named(goal, name)) for name, goal in REPLAYS.items()}
    snapshot = Figure(SNAPSHOT)
    sides: list[str | None] = [None, *services]
    for start in range(setting.starts):
        turn = start % len(sides)
        for side in sides[turn:] + sides[:turn]:
            rounds = replayed(setting, None if side is None else services[side])[REPLAY]
            if side is not None:
                figures[side].ours.append(rounds)
            else:
                for figure in figures.values():
                    figure.java.append(rounds)
        for is_ours in (True, False) if start % 2 else (False, True):
            taken = snapshots(setting, "" if is_ours else None)
            (snapshot.ours if is_ours else snapshot.java).append(taken)
    return [*figures.values(), snapshot]


def replayed(setting: Setting, service: str | None) -> Rounds:
    """Fill a log, restart on it, and return the rate of the replay."""
    echo = "echo" if service is None else "checksum"
    with members(setting, service, 1, LAYOUT, service=echo) as (stage, cluster):
        given = {**FILL, "endpoints": cluster.ingress_endpoints}
        if service is None:
            results(stage.start("ClusterClient", ours=False, idle="yield", **given))
        else:
            results(stage.start("ClusterClient", ours=True, threading="INVOKER", **given))
        kind = cluster.running[0].kind
        cluster.stop(0)
        node = cluster.start_member(kind, 0)
        cluster.await_leader()
        states = [each for each in node.peer.events if each["event"] == "election"]
        started = [each["state"] for each in states].index("LEADER_REPLAY")
        # The next state is LEADER_INIT, unless it had ended before the first check.
        duration_ms = states[started + 1]["t"] - states[started]["t"]
        return {REPLAY: [MESSAGES / duration_ms * 1000]}


def snapshots(setting: Setting, service: str | None) -> list[float]:
    """Take snapshots of a large state; return the duration of each, in ms."""
    taken = []
    pad: dict[str, Value] = {"service": "echo", "snapshotPad": PAD_KIB}
    with members(setting, service, 1, LAYOUT, **pad) as (_, cluster):
        node = cluster.await_leader()
        for _ in range(SNAPSHOTS):
            since = node.toggle("snapshot")
            done = node.peer.await_event("snapshotDone", TIMEOUT, since)
            started = node.peer.await_event("toggle", TIMEOUT, since)
            taken.append(float(done["t"] - started["t"]))
    return taken
