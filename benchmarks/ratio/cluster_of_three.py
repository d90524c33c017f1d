"""A cluster of three members on one machine: round trip, throughput and failover.

Every thread yields on both sides. Java's members are SHARED, ours one thread each. The client is on
a separate driver of the same kind. For the failover it is Java's for both, so that only the cluster
differs: the figure is the time without an echo at a client after the kill of the leader, with the
same timeouts.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.build import ROOT
from benchmarks.native.build import build_service
from benchmarks.ratio.cluster_echo import named
from benchmarks.ratio.peers import TIMEOUT, Setting, Stage, Value, results
from benchmarks.ratio.rig import Figure, Goal, Rounds, rotate
from tests.interop.java_cluster import ClusterMembers
from tests.interop.java_peer import Event, Peer

SIZE = 32
CLIENT: dict[str, Value] = {"size": SIZE, "wait": "yield", "timeoutMs": 60_000}
ONE_AT_A_TIME: dict[str, Value] = {"window": 1, "count": 5_000, "warmup": 5_000, "runs": 3}
MANY: dict[str, Value] = {"window": 512, "count": 100_000, "warmup": 100_000, "runs": 3}
# One message every 2 ms, repeated until it is answered, by any leader.
STEADY: dict[str, Value] = {
    "size": SIZE,
    "wait": "backoff",
    "count": 60_000,
    "warmup": 0,
    "rate": 500,
    "window": 1,
    "resendMs": 200,
    "timeoutMs": 60_000,
    "newLeaderTimeoutMs": 60_000,
    "reconnect": True,
}
SETTLE_S = 3.0
A_GAP_MS = 500  # longer than any pause of the machine

HALF = Goal("three members, echo p50, 32 B, {}", "ns", 0.45)
TAIL = Goal("three members, echo p99, 32 B, {}", "ns", 0.7)
MANY_ECHOES = "three members, 512 at a time, {}"
THROUGHPUT = {
    "Python": Goal(MANY_ECHOES, "msg/s", 1.0, more_is_better=True),
    "native": Goal(MANY_ECHOES, "msg/s", 1.5, more_is_better=True),
}
INVOKED: dict[str, Value] = {"threading": "INVOKER"}
FAILOVER = Goal("three members, failover, {}", "ms", 1.05)


class Starter:
    """Starts Java programs in a stage, for `ClusterMembers`."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.started: list[Peer] = []

    def start(self, program: str, **arguments: Value) -> Peer:
        """Start one."""
        self.started.append(self._stage.start_java(program, **arguments))
        return self.started[-1]


@contextmanager
def members(
    setting: Setting,
    library: str | None,
    count: int = 3,
    layout: str = "ours-one-thread",
    **more: Value,
) -> Iterator[tuple[Stage, ClusterMembers]]:
    """Start a cluster and wait for its leader.

    Parameters
    ----------
    setting : Setting
    library : str or None
        None for Java's cluster; for ours the native service, ``file:symbol``, or empty.
    count : int
    layout : str
        The thread layout of our members.
    **more
        Arguments of every member, such as ``service``.
    """
    arguments: dict[str, Value] = {"idle": "yield", "service": "plain", **more}
    if library is None:
        arguments["threading"] = "SHARED"
    elif library:
        arguments |= {"service": "native", "library": library}
    with setting.stage() as stage:
        starter = Starter(stage)
        cluster = ClusterMembers(
            starter,  # type: ignore[arg-type]
            stage.folder,
            stage.folder,
            lambda _: setting.port_base,
            count,
            **arguments,
        )
        with cluster:
            cluster.start_all("java" if library is None else layout)
            cluster.await_leader()
            yield stage, cluster


def measure(setting: Setting) -> list[Figure]:
    """Measure Java's cluster and ours with both services, in turns."""
    library = build_service("echo_service", ROOT / "build" / "native")
    services = {"Python": "", "native": f"{library}:echo_service"}
    figures = {
        name: {
            goal.name: Figure(named(goal, name))
            for goal in (HALF, TAIL, THROUGHPUT[name], FAILOVER)
        }
        for name in services
    }
    sides: list[str | None] = [None, *services]
    for side in rotate(sides, setting.starts):
        rounds = measured(setting, None if side is None else services[side])
        for name, its in figures.items():
            for goal, values in rounds.items():
                if side is None:
                    its[goal].java.append(values)
                elif side == name:
                    its[goal].ours.append(values)
    return [figure for its in figures.values() for figure in its.values()]


def measured(setting: Setting, service: str | None) -> Rounds:
    """Start a cluster once; return all its figures."""
    with members(setting, service) as (stage, cluster):

        def load(arguments: dict[str, Value]) -> list[Event]:
            given = {**CLIENT, **arguments, "endpoints": cluster.ingress_endpoints}
            if service is None:
                return results(stage.start("ClusterClient", ours=False, idle="yield", **given))
            return results(stage.start("ClusterClient", ours=True, **given | INVOKED))

        one = [each["rttNs"] for each in load(ONE_AT_A_TIME)]
        return {
            HALF.name: [each["p50"] for each in one],
            TAIL.name: [each["p99"] for each in one],
            MANY_ECHOES: [each["msgsPerSec"] for each in load(MANY)],
            FAILOVER.name: [failover_ms(stage, cluster)],
        }


def failover_ms(stage: Stage, cluster: ClusterMembers) -> float:
    """Kill the leader under load; return the time without an echo at the client, in ms."""
    leader = cluster.await_leader()
    client = stage.start("ClusterClient", ours=False, endpoints=cluster.ingress_endpoints, **STEADY)
    client.await_event("connected", TIMEOUT)
    time.sleep(SETTLE_S)
    client.read()
    since = len(client.events)
    cluster.kill(leader.index)
    gap = client.await_event("gap", TIMEOUT, since, lambda event: event["ms"] > A_GAP_MS)
    client.kill()
    return float(gap["ms"])
