"""The measurements: one start of one side of each suite, on pinned threads.

The programs, their arguments and each side's best settings are those of `benchmarks.ratio`. In
addition each thread has a processor, and messages are also sent at given rates; their round trips
count from the intended time of sending.
"""

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.build import ROOT
from benchmarks.latency.layout import Groups, Layout, lay_out, pin
from benchmarks.native.build import build_service
from benchmarks.ratio import cluster_of_three
from benchmarks.ratio.peers import TIMEOUT, Setting, Stage, Value, results
from tests.interop.java_peer import Event, Peer

OURS, JAVA, BARE = "ours", "java", "bare"
SIZE = 32
OPEN_WINDOW = 65_536  # more than are ever unanswered, so that no message is delayed
CLOSED = 0

Measured = dict[int, tuple[Path, Event]]
"""By rate, the file of the round trips and the output of the program."""


@dataclass(frozen=True)
class Load:
    """The load of one start."""

    rates: tuple[int, ...]  # messages a second
    seconds: float  # the duration of each rate
    count: int  # the number of messages sent one at a time

    def arguments(self, times: Path) -> dict[str, Value]:
        """Return the arguments of the programs."""
        return {
            "rates": ",".join(map(str, (CLOSED, *self.rates))),
            "seconds": self.seconds,
            "count": self.count,
            "warmup": self.count,
            "runs": 1,
            "times": times,
        }

    def measured(self, peer: Peer, times: Path) -> Measured:
        """Wait for the end of a program; return its measurements."""
        found = {int(one["rate"]): one for one in results(peer)}
        if sorted(found) != sorted({CLOSED, *self.rates}):
            raise LookupError(f"{peer}: results for the rates {sorted(found)}\n{peer.report()}")
        return {rate: (Path(f"{times}-{rate}-0"), one) for rate, one in found.items()}


@dataclass(frozen=True)
class Suite:
    """One path of messages: how each side is started and loaded.

    A start takes the setting, the side, the processors, the load and the path of the round trips;
    it returns the round trips and the layout that it chose.
    """

    title: str
    sides: tuple[str, ...]
    rates: tuple[int, ...]
    count: int
    start: Callable[[Setting, str, Sequence[int], Load, Path], tuple[Measured, Layout]] = field(
        repr=False
    )


PING, PONG = {"ping": "ping$"}, {"pong": "pong$"}
# The system's name of the thread with all of a driver's agents: the first 15 bytes.
DRIVER = {OURS: "sender\\+conducto", JAVA: "/dev/shm/aeron-"}


def ipc(
    setting: Setting, side: str, cpus: Sequence[int], load: Load, times: Path
) -> tuple[Measured, Layout]:
    """Start two threads of one process, which exchange messages through its driver's memory."""
    optional = ("driver",) if side != BARE else ()
    layout = lay_out((("ping",), ("pong",)), cpus, optional)
    with setting.stage() as stage:
        given = {"size": SIZE, "wait": "spin", "transport": "ipc", **load.arguments(times)}
        if side == BARE:
            peer = stage.start("Bare", ours=True, **given)
        else:
            idle = "spin" if "driver" in layout.cpu_of else "backoff"
            peer = stage.start("PingPong", ours=side == OURS, idle=idle, **given)
        peer.await_event("READY", TIMEOUT)
        spinning = PING | PONG
        if "driver" in layout.cpu_of:
            spinning |= {"driver": DRIVER[side]}
        pin(peer.pid, layout, spinning)
        return load.measured(peer, times), layout


def udp(
    setting: Setting, side: str, cpus: Sequence[int], load: Load, times: Path
) -> tuple[Measured, Layout]:
    """Start two processes with one thread each, which drives its own driver; bare: two threads."""
    layout = lay_out((("ping",), ("pong",)), cpus)
    ends: dict[str, Value] = {
        "size": SIZE,
        "wait": "spin",
        "transport": "udp",
        "threading": "INVOKER",
        "port": setting.port_base,
    }
    with setting.stage() as stage:
        if side == BARE:
            peer = stage.start("Bare", ours=True, **ends, **load.arguments(times))
            peer.await_event("READY", TIMEOUT)
            pin(peer.pid, layout, PING | PONG)
        else:
            pong = stage.start("PingPong", ours=side == OURS, role="pong", **ends)
            pong.await_event("READY", TIMEOUT)
            pin(pong.pid, layout, PONG)
            given = ends | load.arguments(times)
            peer = stage.start("PingPong", ours=side == OURS, role="ping", **given)
            peer.await_event("READY", TIMEOUT)
            pin(peer.pid, layout, PING)
        return load.measured(peer, times), layout


# The threads of a member that do not sleep while messages arrive, with their system names.
MEMBER: Mapping[str, Mapping[str, str]] = {
    OURS: {"node": "cluster-node"},
    JAVA: {
        "driver": DRIVER[JAVA],
        "archive": "archive-conduct",
        "module": "consensus-modul",
        "service": "clustered-servi",
    },
}


def echo(
    members: int, setting: Setting, side: str, cpus: Sequence[int], load: Load, times: Path
) -> tuple[Measured, Layout]:
    """Start a cluster with a service that echoes, and a client with its own driver."""
    threads = {
        index: {f"{name}{index}": pattern for name, pattern in MEMBER[side].items()}
        for index in range(members)
    }
    groups: Groups = (("client",), *(tuple(each) for each in threads.values()))
    layout = lay_out(groups, cpus)
    library = None
    if side == OURS:
        library = f"{build_service('echo_service', ROOT / 'build' / 'native')}:echo_service"
    of_members = list(itertools.chain.from_iterable(threads.values()))
    idle = layout.idle_of(*of_members)
    with cluster_of_three.members(setting, library, members, idle=idle) as (stage, cluster):
        for index, member in cluster.running.items():
            pin(member.peer.pid, layout, threads[index])
        return load.measured(
            start_client(stage, side, layout, load, times, cluster.ingress_endpoints), times
        ), layout


def start_client(
    stage: Stage, side: str, layout: Layout, load: Load, times: Path, endpoints: str
) -> Peer:
    """Start a client whose thread drives its driver, and pin it."""
    given: dict[str, Value] = {
        "size": SIZE,
        "wait": layout.idle_of("client"),
        "timeoutMs": 60_000,
        "threading": "INVOKER",
        "window": 1,
        "openWindow": OPEN_WINDOW,
        "endpoints": endpoints,
        **load.arguments(times),
    }
    client = stage.start("ClusterClient", ours=side == OURS, **given)
    client.await_event("READY" if side == OURS else "connected", TIMEOUT)
    pin(client.pid, layout, {"client": "client$"})
    return client


SUITES = {
    "ipc": Suite("IPC", (OURS, JAVA, BARE), (10_000, 100_000), 200_000, ipc),
    "udp": Suite("UDP", (OURS, JAVA, BARE), (1_000, 10_000), 20_000, udp),
    "one": Suite(
        "echo of one member", (OURS, JAVA), (1_000, 5_000), 10_000, functools.partial(echo, 1)
    ),
    "three": Suite(
        "echo of three members", (OURS, JAVA), (500, 2_000), 4_000, functools.partial(echo, 3)
    ),
}
