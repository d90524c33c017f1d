"""Faults and actions of a run: events with times, which can be read and replayed.

Each event begins a fault or action and, if that has a duration, also ends it, so any part of a plan
is a valid plan. An event's description is a template sentence with its field names.
"""

from __future__ import annotations

import errno
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.world.link_faults import LinkFaults

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.members.member import Member
    from aeron_cluster.simulator.members.member_process import MemberProcess
    from aeron_cluster.simulator.world.memory_files import MemoryFiles

__all__ = [
    "ALL_BACKUPS",
    "ALL_MEMBERS",
    "DISK_OPERATIONS",
    "BadNetwork",
    "ClockDrift",
    "ClockStep",
    "Clog",
    "DiskFails",
    "DiskFull",
    "EndSession",
    "Event",
    "Isolate",
    "Kill",
    "KillAtCall",
    "KillAtEvent",
    "KillAtTermEnd",
    "KillClient",
    "KillProcess",
    "KillProcessAtCall",
    "LosePower",
    "MemberEvent",
    "OneWay",
    "Operate",
    "Pause",
    "PauseProcess",
    "ProcessEvent",
    "Split",
    "end_disk_failures",
]

ALL_MEMBERS: Final = -1
ALL_BACKUPS: Final = -2

_MS: Final = 1_000_000
_S: Final = 1_000_000_000
_LOG_STREAM_ID: Final = 100
_MANY: Final = {ALL_MEMBERS: "all members", ALL_BACKUPS: "the cluster"}


@dataclass(frozen=True)
class Event(ABC):
    """A fault or an action at a time.

    Parameters
    ----------
    at_ns : int
        Virtual time since the load began, in ns.

    Attributes
    ----------
    is_from_start : bool
        Whether it begins with the cluster instead, before the load.
    """

    template: ClassVar[str]
    is_from_start: ClassVar[bool] = False

    at_ns: int

    def __str__(self) -> str:
        return f"{self.at_ns / _S:9.3f}  {self.text}"

    @property
    def text(self) -> str:
        """A description."""
        words = {each.name: _word(each.name, getattr(self, each.name)) for each in fields(self)}
        return self.template.format(**words)

    @abstractmethod
    def begin(self, trial: EventHost) -> None:
        """Begin the event."""


def _word(name: str, value: object) -> str:
    match value:
        case LinkFaults():
            return _describe(value)
        case int() if name == "member":
            return _MANY.get(value, f"member {value}")
        case int() if name == "step_ns":
            return f"{value / _S:+.3f} s"
        case int() if name.endswith("_ns"):
            return f"{value / _S:.3f} s"
        case int() if name.endswith("_ppm"):
            return f"{value:+d} ppm"
        case bool() if name == "is_network":
            return "network" if value else "file"
    return str(value)


def _describe(bad: LinkFaults) -> str:
    shares = [
        f"{name} {getattr(bad, name):.1%}"
        for name in ("loss", "duplicate", "corrupt", "truncate")
        if getattr(bad, name)
    ]
    delays = f"{bad.min_delay_ns / _MS:g} to {bad.max_delay_ns / _MS:g} ms on their way"
    return ", ".join([*shares, delays])


# ---- of members ----


@dataclass(frozen=True)
class MemberEvent(Event):
    """An event of a member, or of all (-1)."""

    member: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        for member in trial.some_members(self.member):
            self._happen(trial, member)

    @abstractmethod
    def _happen(self, trial: EventHost, member: Member) -> None:
        """Apply it to a member."""


@dataclass(frozen=True)
class Kill(MemberEvent):
    """All processes of a member are killed, and restarted later."""

    template = "kill {member}, start again after {down_ns}"

    down_ns: int

    def _happen(self, trial: EventHost, member: Member) -> None:
        member.kill()
        trial.start_later(member, self.down_ns)


@dataclass(frozen=True)
class KillAtCall(MemberEvent):
    """A member's processes are killed, each at one of its next file or network calls."""

    template = (
        "kill {member} at its {is_network} call {calls} from here, start again {down_ns} later"
    )

    calls: int
    is_network: bool
    down_ns: int

    def _happen(self, trial: EventHost, member: Member) -> None:
        if member.is_running:
            trial.set_down_time(member, self.down_ns)
            member.stop_after(self.calls, is_network=self.is_network)


@dataclass(frozen=True)
class LosePower(MemberEvent):
    """The machines of all members, or of one, lose power."""

    template = "{member} without power for {down_ns}"

    down_ns: int

    def _happen(self, trial: EventHost, member: Member) -> None:
        member.lose_power()
        trial.start_later(member, self.down_ns)
        trial.on_power_lost()


@dataclass(frozen=True)
class Pause(MemberEvent):
    """A member's processes are paused, as by SIGSTOP."""

    template = "pause {member} for {duration_ns}"

    duration_ns: int

    def _happen(self, trial: EventHost, member: Member) -> None:  # noqa: ARG002
        member.pause(self.duration_ns)


@dataclass(frozen=True)
class Isolate(MemberEvent):
    """A member is disconnected from all others."""

    template = "isolate {member} for {duration_ns}"

    duration_ns: int

    def _happen(self, trial: EventHost, member: Member) -> None:
        trial.cluster.isolate(member)
        trial.later(self.duration_ns, trial.cluster.world.wire.heal)


DISK_OPERATIONS: Final = ("open", "read_at", "write_at", "allocate", "sync", "rename", "map")
"""Which calls `DiskFails` lets fail."""


def end_disk_failures(files: MemoryFiles) -> None:
    """Cancel failures that are still to come: what an event itself does to a disk succeeds."""
    for operation in DISK_OPERATIONS:
        files.fail(operation, errno.EIO, count=0)


@dataclass(frozen=True)
class DiskFails(MemberEvent):
    """Some calls to a member's disk fail with EIO."""

    template = "disk of {member}: {count} {operation} fail after {after}"

    operation: str
    after: int
    count: int

    def _happen(self, trial: EventHost, member: Member) -> None:
        member.machine.note_disk_failure(trial.cluster.now_ns)
        member.machine.files.fail(self.operation, errno.EIO, after=self.after, count=self.count)


@dataclass(frozen=True)
class DiskFull(MemberEvent):
    """A member's disk is nearly full for a time."""

    template = "disk of {member}: {room} bytes of room for {duration_ns}"

    room: int
    duration_ns: int

    def _happen(self, trial: EventHost, member: Member) -> None:
        member.machine.note_disk_failure(trial.cluster.now_ns)
        files = member.machine.files
        files.capacity = files.used + self.room
        trial.later(self.duration_ns, trial.free_disks)


@dataclass(frozen=True)
class ClockStep(MemberEvent):
    """A member's wall clock is set."""

    template = "wall clock of {member} set by {step_ns}"

    step_ns: int

    def _happen(self, trial: EventHost, member: Member) -> None:  # noqa: ARG002
        member.machine.has_wrong_clock = True
        member.machine.clock.step_wall_clock(self.step_ns)


@dataclass(frozen=True)
class ClockDrift(MemberEvent):
    """A member's clocks run fast or slow from now on, in parts per million."""

    template = "clocks of {member} run {nano_ppm}, wall {epoch_ppm}"

    nano_ppm: int
    epoch_ppm: int

    def _happen(self, trial: EventHost, member: Member) -> None:  # noqa: ARG002
        member.machine.has_wrong_clock = True
        member.machine.clock.drift(nano_ppm=self.nano_ppm, epoch_ppm=self.epoch_ppm)


# ---- of leaders ----


@dataclass(frozen=True)
class KillAtEvent(Event):
    """The leader is killed a few sends after an event or a request of its service.

    Parameters
    ----------
    what : str
        The event, as passed to `Member.on_service`.
    calls : int
        The number of sends after it.
    down_ns : int
    """

    template = (
        "kill the leader {calls} sends after its service's next {what}, start again {down_ns} later"
    )

    what: str
    calls: int
    down_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        for member in trial.cluster.members:
            member.on_service = partial(self._on_service, trial, member)

    def _on_service(self, trial: EventHost, member: Member, what: str) -> None:
        if what == self.what and member.is_leading:
            trial.ignore_services()
            trial.set_down_time(member, self.down_ns)
            member.stop_after(self.calls, is_network=True)


@dataclass(frozen=True)
class KillAtTermEnd(Event):
    """The leader is killed when it sends the padding at the end of a term, or shortly after."""

    template = (
        "kill the leader {calls} sends from the end of the log's next term on, start again"
        " {down_ns} later"
    )

    calls: int
    down_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        for member in trial.cluster.members:
            if member.is_running:
                trial.set_down_time(member, self.down_ns)
                member.stop_at_padding(_LOG_STREAM_ID, self.calls)


# ---- of single processes ----


@dataclass(frozen=True)
class ProcessEvent(Event):
    """An event of one process of a member; of the only one if there is one.

    Parameters
    ----------
    at_ns : int
    member : int
        The member of the process; -1 for all members, -2 for all backups.
    process : str
        The name of the process.
    """

    member: int
    process: str

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        for process in trial.some_processes(self.member):
            if process.name in (self.process, "node") and process.is_running:
                self._inject(trial, process)

    @abstractmethod
    def _inject(self, trial: EventHost, process: MemberProcess) -> None:
        """Apply it to a process."""


@dataclass(frozen=True)
class KillProcess(ProcessEvent):
    """A single process is killed, and restarted later."""

    template = "kill {process} of {member}, start it again after {down_ns}"

    down_ns: int

    def _inject(self, trial: EventHost, process: MemberProcess) -> None:
        process.kill()
        trial.start_process_later(process, self.down_ns)


@dataclass(frozen=True)
class KillProcessAtCall(ProcessEvent):
    """A single process is killed at one of its next file or network calls."""

    template = (
        "kill {process} of {member} at its {is_network} call {calls} from here, start it again"
        " {down_ns} later"
    )

    calls: int
    is_network: bool
    down_ns: int

    def _inject(self, trial: EventHost, process: MemberProcess) -> None:
        trial.set_process_down_time(process, self.down_ns)
        process.stop_after(self.calls, is_network=self.is_network)


@dataclass(frozen=True)
class PauseProcess(ProcessEvent):
    """A single process is paused."""

    template = "pause {process} of {member} for {duration_ns}"

    duration_ns: int

    def _inject(self, trial: EventHost, process: MemberProcess) -> None:  # noqa: ARG002
        process.pause(self.duration_ns)


# ---- of the network ----


@dataclass(frozen=True)
class BadNetwork(Event):
    """All links have faults for a time."""

    template = "network: {faults}, for {duration_ns}"

    faults: LinkFaults
    duration_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        wire = trial.cluster.world.wire
        wire.set_faults(None, None, self.faults)
        trial.later(
            self.duration_ns, lambda: wire.set_faults(None, None, trial.cluster.link_faults)
        )


@dataclass(frozen=True)
class Split(Event):
    """Members are partitioned into two sides; clients are on the second; a bridge reaches both."""

    side: tuple[int, ...]
    bridge: int
    duration_ns: int

    @property
    def text(self) -> str:
        """A description."""
        bridge = "" if self.bridge < 0 else f", member {self.bridge} sees both sides"
        return f"split off members {self.side}{bridge}, for {self.duration_ns / _S:.3f} s"

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
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
    """Messages from one member to another are lost, but not in the other direction."""

    template = "nothing from member {source} arrives at member {target} for {duration_ns}"

    source: int
    target: int
    duration_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        members = trial.cluster.members
        wire = trial.cluster.world.wire
        ends = members[self.source].machine.network, members[self.target].machine.network
        wire.block(*ends)
        trial.later(self.duration_ns, lambda: wire.block(*ends, False))


@dataclass(frozen=True)
class Clog(Event):
    """Messages from one member to another are delayed, then all arrive together."""

    template = "what member {source} sends to member {target} is held up for {duration_ns}"

    source: int
    target: int
    duration_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        members = trial.cluster.members
        trial.cluster.world.wire.clog(
            members[self.source].machine.network,
            members[self.target].machine.network,
            self.duration_ns,
        )


# ---- of clients and operators ----


@dataclass(frozen=True)
class KillClient(Event):
    """A client's process is killed and restarted immediately."""

    template = "kill client {client} and start it again"

    client: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        clients = trial.cluster.clients
        clients[self.client % len(clients)].on_stopped(None)


@dataclass(frozen=True)
class EndSession(Event):
    """A client closes its session, and opens another."""

    template = "client {client} closes its session, and opens another"

    client: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        clients = trial.cluster.clients
        client = clients[self.client % len(clients)]
        # Surviving clients do so themselves.
        if not client.load.is_surviving:
            client.end_session()


@dataclass(frozen=True)
class Operate(Event):
    """An operator sends a request to the leader; after a suspension, also a later resume."""

    request: ControlToggle
    for_ns: int = 0

    @property
    def text(self) -> str:
        """A description."""
        lasting = f" for {self.for_ns / _S:.3f} s" if self.for_ns else ""
        return f"{self.request.name.lower()}{lasting}"

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        trial.toggle(self.request)
        if self.request is ControlToggle.SUSPEND:
            trial.later(self.for_ns, lambda: trial.toggle(ControlToggle.RESUME))
