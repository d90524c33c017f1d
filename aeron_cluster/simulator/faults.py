"""What goes wrong in a run, drawn from its seed: events with times, which can be read and replayed.

Each event begins something and, where it lasts, ends it by itself, so any part of a plan is a plan:
a failing one is shrunk by leaving events out.
"""

from __future__ import annotations

import errno
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.control_toggle import ControlToggle
from aeron_cluster.simulator.link_faults import LinkFaults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.memory.seams import Random
    from aeron_cluster.simulator.cluster import Member
    from aeron_cluster.simulator.trial import Trial

__all__ = [
    "CONSENSUS_FAMILIES",
    "FAMILIES",
    "BadNetwork",
    "ClockDrift",
    "ClockStep",
    "Clog",
    "DiskFails",
    "DiskFull",
    "Event",
    "FaultPlan",
    "Isolate",
    "Kill",
    "KillAtCall",
    "KillAtEvent",
    "KillAtTermEnd",
    "KillClient",
    "LosePower",
    "OneWay",
    "Operate",
    "Pause",
    "SnapshotFails",
    "Split",
]

_MS: Final = 1_000_000
_S: Final = 1_000_000_000
_ALL: Final = -1
_LOG_STREAM_ID: Final = 100
_EVENTS: Final = ("offer", "offer", "offer", "message", "timer", "schedule")


def _whom(member: int) -> str:
    return "all members" if member == _ALL else f"member {member}"


def _seconds(duration_ns: int) -> str:
    return f"{duration_ns / _S:.3f} s"


@dataclass(frozen=True)
class Event(ABC):
    """Something that goes wrong, or is done, at a time.

    Parameters
    ----------
    at_ns : int
        Virtual time since the load began, in ns.
    """

    at_ns: int

    def __str__(self) -> str:
        return f"{self.at_ns / _S:9.3f}  {self.text}"

    @property
    @abstractmethod
    def text(self) -> str:
        """What it is, in words."""

    @abstractmethod
    def begin(self, trial: Trial) -> None:
        """Do it."""


@dataclass(frozen=True)
class Kill(Event):
    """A process is killed, or those of all members (-1), and started again later."""

    member: int
    down_ns: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return f"kill {_whom(self.member)}, start again after {_seconds(self.down_ns)}"

    def begin(self, trial: Trial) -> None:
        """Do it."""
        for member in trial.some_members(self.member):
            member.kill()
            trial.start_later(member, self.down_ns)


@dataclass(frozen=True)
class KillAtCall(Event):
    """A process is killed at one of its next file or network calls."""

    member: int
    calls: int
    is_network: bool
    down_ns: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        kind = "network" if self.is_network else "file"
        return (
            f"kill {_whom(self.member)} at its {kind} call {self.calls} from here, start again"
            f" {_seconds(self.down_ns)} later"
        )

    def begin(self, trial: Trial) -> None:
        """Do it."""
        for member in trial.some_members(self.member):
            machine = member.machine
            if not member.is_running:
                continue
            trial.set_down_time(member, self.down_ns)
            if self.is_network:
                machine.network.wire.stop_after(machine.network, self.calls)
            else:
                machine.files.stop_after(self.calls)


@dataclass(frozen=True)
class KillAtEvent(Event):
    """The leader is killed a few sends after its service heard of, or asked for, something.

    Parameters
    ----------
    what : str
        As `Member.on_service` is told.
    calls : int
        From then on.
    down_ns : int
    """

    what: str
    calls: int
    down_ns: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return (
            f"kill the leader {self.calls} sends after its service's next {self.what}, start again"
            f" {_seconds(self.down_ns)} later"
        )

    def begin(self, trial: Trial) -> None:
        """Do it."""
        for member in trial.cluster.members:
            member.on_service = partial(self._on_service, trial, member)

    def _on_service(self, trial: Trial, member: Member, what: str) -> None:
        if what == self.what and member.is_leading:
            trial.ignore_services()
            trial.set_down_time(member, self.down_ns)
            network = member.machine.network
            network.wire.stop_after(network, self.calls)


@dataclass(frozen=True)
class KillAtTermEnd(Event):
    """The leader is killed when what it sends of the log ends with a term's padding, or soon."""

    calls: int
    down_ns: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return (
            f"kill the leader {self.calls} sends from the end of the log's next term on, start"
            f" again {_seconds(self.down_ns)} later"
        )

    def begin(self, trial: Trial) -> None:
        """Do it."""
        for member in trial.cluster.members:
            if member.is_running:
                trial.set_down_time(member, self.down_ns)
                network = member.machine.network
                network.wire.stop_at_padding(network, _LOG_STREAM_ID, self.calls)


@dataclass(frozen=True)
class LosePower(Event):
    """The machines of all members lose power at once, or that of one."""

    member: int
    down_ns: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return f"{_whom(self.member)} without power for {_seconds(self.down_ns)}"

    def begin(self, trial: Trial) -> None:
        """Do it."""
        for member in trial.some_members(self.member):
            member.lose_power()
            trial.start_later(member, self.down_ns)
        trial.on_power_lost()


@dataclass(frozen=True)
class Pause(Event):
    """A process gets no time, as by SIGSTOP."""

    member: int
    duration_ns: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return f"pause {_whom(self.member)} for {_seconds(self.duration_ns)}"

    def begin(self, trial: Trial) -> None:
        """Do it."""
        for member in trial.some_members(self.member):
            member.pause(self.duration_ns)


@dataclass(frozen=True)
class BadNetwork(Event):
    """All links are bad for a while."""

    faults: LinkFaults
    duration_ns: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        bad = self.faults
        shares = ", ".join(
            f"{name} {getattr(bad, name):.1%}"
            for name in ("loss", "duplicate", "corrupt", "truncate")
            if getattr(bad, name)
        )
        delays = f"{bad.min_delay_ns / _MS:g} to {bad.max_delay_ns / _MS:g} ms on their way"
        return (
            f"network: {', '.join(filter(None, (shares, delays)))}, for"
            f" {_seconds(self.duration_ns)}"
        )

    def begin(self, trial: Trial) -> None:
        """Do it."""
        wire = trial.cluster.world.wire
        wire.set_faults(None, None, self.faults)
        trial.later(
            self.duration_ns, lambda: wire.set_faults(None, None, trial.cluster.link_faults)
        )


@dataclass(frozen=True)
class Isolate(Event):
    """A member is cut off from everybody."""

    member: int
    duration_ns: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return f"isolate {_whom(self.member)} for {_seconds(self.duration_ns)}"

    def begin(self, trial: Trial) -> None:
        """Do it."""
        trial.cluster.isolate(*trial.some_members(self.member))
        trial.later(self.duration_ns, trial.cluster.world.wire.heal)


@dataclass(frozen=True)
class Split(Event):
    """Members fall into two sides, with the clients on the second; a bridge sees both."""

    side: tuple[int, ...]
    bridge: int
    duration_ns: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        bridge = "" if self.bridge < 0 else f", member {self.bridge} sees both sides"
        return f"split off members {self.side}{bridge}, for {_seconds(self.duration_ns)}"

    def begin(self, trial: Trial) -> None:
        """Do it."""
        cluster = trial.cluster
        first = [cluster.members[each].machine.network for each in self.side]
        second = [each for each in cluster.world.wire.hosts if each not in first]
        if self.bridge >= 0:
            bridge = cluster.members[self.bridge].machine.network
            first, second = [*first, bridge], [*second, bridge]
        cluster.world.wire.partition(first, second)
        trial.later(self.duration_ns, cluster.world.wire.heal)


@dataclass(frozen=True)
class OneWay(Event):
    """What one member sends does not arrive at another one; the other way it does."""

    source: int
    target: int
    duration_ns: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return (
            f"nothing from member {self.source} arrives at member {self.target} for"
            f" {_seconds(self.duration_ns)}"
        )

    def begin(self, trial: Trial) -> None:
        """Do it."""
        members = trial.cluster.members
        wire = trial.cluster.world.wire
        ends = members[self.source].machine.network, members[self.target].machine.network
        wire.block(*ends)
        trial.later(self.duration_ns, lambda: wire.block(*ends, False))


@dataclass(frozen=True)
class Clog(Event):
    """What one member sends to another one is held up, then arrives at once."""

    source: int
    target: int
    duration_ns: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return (
            f"what member {self.source} sends to member {self.target} is held up for"
            f" {_seconds(self.duration_ns)}"
        )

    def begin(self, trial: Trial) -> None:
        """Do it."""
        members = trial.cluster.members
        trial.cluster.world.wire.clog(
            members[self.source].machine.network,
            members[self.target].machine.network,
            self.duration_ns,
        )


@dataclass(frozen=True)
class DiskFails(Event):
    """Some calls to a member's disk fail with EIO."""

    member: int
    operation: str
    after: int
    count: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return (
            f"disk of {_whom(self.member)}: {self.count} {self.operation} fail after {self.after}"
        )

    def begin(self, trial: Trial) -> None:
        """Do it."""
        for member in trial.some_members(self.member):
            member.machine.files.fail(self.operation, errno.EIO, after=self.after, count=self.count)


@dataclass(frozen=True)
class DiskFull(Event):
    """A member's disk has little room left, for a while."""

    member: int
    room: int
    duration_ns: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return (
            f"disk of {_whom(self.member)}: {self.room} bytes of room for"
            f" {_seconds(self.duration_ns)}"
        )

    def begin(self, trial: Trial) -> None:
        """Do it."""
        for member in trial.some_members(self.member):
            files = member.machine.files
            files.capacity = files.used + self.room
        trial.later(self.duration_ns, trial.free_disks)


@dataclass(frozen=True)
class ClockStep(Event):
    """A member's wall clock is set."""

    member: int
    step_ns: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return f"wall clock of {_whom(self.member)} set by {self.step_ns / _S:+.3f} s"

    def begin(self, trial: Trial) -> None:
        """Do it."""
        for member in trial.some_members(self.member):
            member.machine.clock.step_wall_clock(self.step_ns)


@dataclass(frozen=True)
class ClockDrift(Event):
    """A member's clocks run fast or slow from now on, in parts of a million."""

    member: int
    nano_ppm: int
    epoch_ppm: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return (
            f"clocks of {_whom(self.member)} run {self.nano_ppm:+d} ppm, wall"
            f" {self.epoch_ppm:+d} ppm"
        )

    def begin(self, trial: Trial) -> None:
        """Do it."""
        for member in trial.some_members(self.member):
            member.machine.clock.drift(nano_ppm=self.nano_ppm, epoch_ppm=self.epoch_ppm)


@dataclass(frozen=True)
class KillClient(Event):
    """A client's process is killed and started again at once."""

    client: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return f"kill client {self.client} and start it again"

    def begin(self, trial: Trial) -> None:
        """Do it."""
        clients = trial.cluster.clients
        clients[self.client % len(clients)].on_stopped(None)


@dataclass(frozen=True)
class Operate(Event):
    """An operator asks the leader for something."""

    request: ControlToggle
    for_ns: int = 0

    @property
    def text(self) -> str:
        """What it is, in words."""
        lasting = f" for {_seconds(self.for_ns)}" if self.for_ns else ""
        return f"{self.request.name.lower()}{lasting}"

    def begin(self, trial: Trial) -> None:
        """Do it."""
        trial.toggle(self.request)
        if self.request is ControlToggle.SUSPEND:
            trial.later(self.for_ns, lambda: trial.toggle(ControlToggle.RESUME))


@dataclass(frozen=True)
class SnapshotFails(Event):
    """An operator asks the leader for a snapshot, which a member's service cannot take."""

    member: int

    @property
    def text(self) -> str:
        """What it is, in words."""
        return f"snapshot, for which a service of {_whom(self.member)} raises"

    def begin(self, trial: Trial) -> None:
        """Do it."""
        for member in trial.some_members(self.member):
            member.fails_snapshot = True
        trial.toggle(ControlToggle.SNAPSHOT)


FAMILIES: Final = ("network", "partition", "process", "pause", "disk", "clock", "client", "operate")
"""The kinds of faults; each is on in half of all seeds."""

CONSENSUS_FAMILIES: Final = ("process", "partition", "pause", "clock", "operate")
"""Those that elections and recovery are about."""

_SHARES: Final = {
    "network": 3,
    "partition": 3,
    "process": 4,
    "pause": 2,
    "disk": 2,
    "clock": 1,
    "client": 1,
    "operate": 3,
}


@dataclass(frozen=True)
class FaultPlan:
    """The events of a run, in the order of their times.

    Parameters
    ----------
    events : tuple of Event
    families : tuple of str
        Those of `FAMILIES` that it was drawn from.
    """

    events: tuple[Event, ...] = ()
    families: tuple[str, ...] = ()

    @classmethod
    def draw(
        cls,
        random: Random,
        *,
        members: int,
        duration_ns: int,
        sync_level: int = 0,
        families: Sequence[str] = FAMILIES,
        haste: int = 1,
    ) -> FaultPlan:
        """Draw one.

        Parameters
        ----------
        random : Random
        members : int
            How many there are.
        duration_ns : int
            In which all events begin.
        sync_level : int
            Above 0 a single machine may lose power, since nothing acknowledged may be lost then.
        families : sequence of str
            Of `FAMILIES`: each is on with one chance in two.
        haste : int
            Faults are as many as in a time so many times as long, and so many times as short.
        """
        drawn = [each for each in families if random.below(2)] or [families[0]]
        weighted = [each for each in drawn for _ in range(_SHARES[each])]
        maker = _Drawing(random, members, sync_level, haste)
        count = 1 + random.below(max(1, haste * duration_ns // (2 * _S)))
        events: list[Event] = []
        for _ in range(count):
            at_ns = random.below(duration_ns)
            events.append(maker.draw(weighted[random.below(len(weighted))], at_ns))
        events.sort(key=lambda each: each.at_ns)
        return cls(tuple(events), tuple(drawn))

    def __str__(self) -> str:
        lines = [str(each) for each in self.events] or ["         nothing goes wrong"]
        return "\n".join(lines)

    def only(self, events: Sequence[Event]) -> FaultPlan:
        """Return the plan with some of its events."""
        return replace(self, events=tuple(events))


class _Drawing:
    """Draws single events."""

    def __init__(self, random: Random, members: int, sync_level: int, haste: int) -> None:
        self._random = random
        self._members = members
        self._sync_level = sync_level
        self._haste = haste

    def draw(self, family: str, at_ns: int) -> Event:
        """Draw an event of a family."""
        draws = {
            "network": self._network,
            "partition": self._partition,
            "process": self._process,
            "pause": self._pause,
            "disk": self._disk,
            "clock": self._clock,
            "client": self._client,
            "operate": self._operate,
        }
        return draws[family](at_ns)

    def _member(self) -> int:
        return self._random.below(self._members)

    def _duration_ns(self, longest_s: int) -> int:
        # As often between 10 and 100 ms as between 1 and 10 s.
        exponent = self._random.uniform() * 3
        return min(int(10 * _MS * 10**exponent), longest_s * _S) // self._haste

    def _share(self, most: float) -> float:
        return round(self._random.uniform() * most, 4) if self._random.below(2) else 0.0

    def _network(self, at_ns: int) -> Event:
        if self._members > 1 and self._random.below(3) == 0:
            return Clog(at_ns, *self._pair(), self._duration_ns(5))
        least_ns = self._random.below(_MS)
        longest_ns = least_ns + (10 ** (1 + self._random.below(3))) * _MS // 10
        faults = LinkFaults(
            loss=self._share(0.3),
            duplicate=self._share(0.5),
            corrupt=self._share(0.01),
            truncate=self._share(0.01),
            min_delay_ns=least_ns,
            max_delay_ns=longest_ns,
        )
        return BadNetwork(at_ns, faults, self._duration_ns(10))

    def _pair(self) -> tuple[int, int]:
        source = self._member()
        return source, (source + 1 + self._random.below(self._members - 1)) % self._members

    def _partition(self, at_ns: int) -> Event:
        duration_ns = self._duration_ns(30)
        if self._members == 1 or self._random.below(2) == 0:
            return Isolate(at_ns, self._member(), duration_ns)
        if self._random.below(2) == 0:
            return OneWay(at_ns, *self._pair(), duration_ns)
        side = tuple(each for each in range(self._members) if self._random.below(2))
        bridge = self._member() if self._random.below(3) == 0 else -1
        return Split(at_ns, side, bridge, duration_ns)

    def _process(self, at_ns: int) -> Event:
        down_ns = self._duration_ns(20)
        match self._random.below(8):
            case 0:
                return Kill(at_ns, _ALL, down_ns)
            case 1:
                return Kill(at_ns, self._member(), down_ns)
            case 2 | 3:
                if self._random.below(4) == 0:
                    return KillAtTermEnd(at_ns, 1 + self._random.below(4), down_ns)
                what = _EVENTS[self._random.below(len(_EVENTS))]
                return KillAtEvent(at_ns, what, 1 + self._random.below(8), down_ns)
            case 4 if self._sync_level > 0:
                return LosePower(at_ns, self._member(), down_ns)
            case 5 if self._sync_level > 0:
                return LosePower(at_ns, _ALL, down_ns)
            case _:
                calls = 1 + self._random.below(10 ** (1 + self._random.below(4)))
                is_network = self._random.below(2) == 0
                return KillAtCall(at_ns, self._member(), calls, is_network, down_ns)

    def _pause(self, at_ns: int) -> Event:
        longest_s = 15 if self._random.below(4) == 0 else 2
        return Pause(at_ns, self._member(), self._duration_ns(longest_s))

    def _disk(self, at_ns: int) -> Event:
        if self._random.below(2):
            room = self._random.below(1 << 20)
            return DiskFull(at_ns, self._member(), room, self._duration_ns(10))
        operations = ("open", "read_at", "write_at", "allocate", "sync", "rename", "map")
        operation = operations[self._random.below(len(operations))]
        return DiskFails(
            at_ns,
            self._member(),
            operation,
            self._random.below(50),
            1 + self._random.below(3),
        )

    def _clock(self, at_ns: int) -> Event:
        if self._random.below(2):
            step_ns = (self._random.below(2) * 2 - 1) * self._random.below(3600) * _S
            return ClockStep(at_ns, self._member(), step_ns)
        return ClockDrift(
            at_ns,
            self._member(),
            self._random.below(20_001) - 10_000,
            self._random.below(20_001) - 10_000,
        )

    def _client(self, at_ns: int) -> Event:
        return KillClient(at_ns, self._random.below(8))

    def _operate(self, at_ns: int) -> Event:
        if self._random.below(4) == 0:
            return Operate(at_ns, ControlToggle.SUSPEND, self._duration_ns(3))
        if self._random.below(4) == 0:
            return SnapshotFails(at_ns, self._member())
        return Operate(at_ns, ControlToggle.SNAPSHOT)
