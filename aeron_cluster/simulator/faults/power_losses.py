"""Losses of power right after an append, and between the entries of one snapshot.

A member's machine, a majority's or all lose power at one of its calls: between a write and its
sync, between the sync and the report of the position, or after that. Only what was synced remains.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.faults.aimed_faults import AimedEvent

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.members.member import Member

__all__ = ["LosePowerAfterAppend", "LosePowerInSnapshot"]

_CHECK_INTERVAL_NS: Final = 50_000
_RECORDING: Final = 100  # the type of the counters of recordings
_SNAPSHOT_STREAMS: Final = ("106", "107")
_STREAM_OF_LABEL: Final = 3
_PART_INTERVAL_NS: Final = 10_000
_CALLS_NS: Final = 200_000_000  # in which the calls of a member that works are made


@dataclass(frozen=True)
class _LosePowerAtCall(AimedEvent):
    """A member's machine, and maybe others', lose power at one of its calls; a base class.

    Parameters
    ----------
    calls : int
        At which call from the moment on.
    is_network : bool
        Whether that is a send, otherwise a call to files.
    count : int
        How many members lose power, that one included.
    """

    check_interval_ns: ClassVar[int] = _CHECK_INTERVAL_NS

    calls: int
    is_network: bool
    count: int

    def _inject(self, trial: EventHost, member: Member) -> None:
        trial.set_down_time(member, self.down_ns)
        member.stop_after(self.calls, is_network=self.is_network)
        until_ns = trial.cluster.now_ns + _CALLS_NS
        self._await_end(trial, member, member.start_count, until_ns)

    def _await_end(self, trial: EventHost, member: Member, start_count: int, until_ns: int) -> None:
        if member.start_count != start_count:
            return
        if not member.is_running:
            self._lose_power(trial, member)
        elif trial.cluster.now_ns < until_ns:
            trial.later(
                self.check_interval_ns,
                partial(self._await_end, trial, member, start_count, until_ns),
            )

    def _lose_power(self, trial: EventHost, member: Member) -> None:
        members = trial.cluster.members
        others = [each for each in members if each is not member]
        for each in (member, *others[: self.count - 1]):
            each.lose_power()
            trial.start_later(each, self.down_ns)
        trial.on_power_lost()


@dataclass(frozen=True)
class LosePowerAfterAppend(_LosePowerAtCall):
    """Power is lost at a call of a member after it wrote to its disk: what it appended.

    Parameters
    ----------
    is_of_leader : bool
        Whether it is the leader, otherwise the first follower.
    """

    template = (
        "when a member (the leader: {is_of_leader}) has written within {limit_ns}, {count} members,"
        " it first, lose power at its call {calls} from there (a send: {is_network}), for {down_ns}"
    )

    is_of_leader: bool

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        member = next((each for each in trial.cluster.members if self._is_meant(each)), None)
        if member is not None:
            before = member.machine.files.trace
            self._await(trial, partial(self._find, member, before, member.start_count))

    def _is_meant(self, member: Member) -> bool:
        return member.running_module is not None and member.is_leading == self.is_of_leader

    @staticmethod
    def _find(member: Member, before: int, start_count: int) -> Member | None:
        # Each call to a disk changes its trace.
        has_written = member.machine.files.trace != before
        is_same = member.is_running and member.start_count == start_count
        return member if has_written and is_same else None


@dataclass(frozen=True)
class LosePowerInSnapshot(_LosePowerAtCall):
    """A snapshot is requested; power is lost at a call of a member while it is recorded.

    The first member that takes it is meant. A few dozen calls to files after the archive has begun
    to record a service's part the member writes the entries of the snapshot, one after the other.
    """

    template = (
        "snapshot; {count} members lose power at the call {calls} (a send: {is_network}) of the"
        " first one that records it within {limit_ns}, for {down_ns}"
    )

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        trial.toggle(ControlToggle.SNAPSHOT)
        self._await(trial, partial(self._find, trial))

    @staticmethod
    def _find(trial: EventHost) -> Member | None:
        for member in trial.cluster.members:
            module = member.running_module
            if module is not None and module.state is ConsensusModuleState.SNAPSHOT:
                return member
        return None

    def _inject(self, trial: EventHost, member: Member) -> None:
        self._await_part(trial, member, trial.cluster.now_ns + _CALLS_NS)

    def _await_part(self, trial: EventHost, member: Member, until_ns: int) -> None:
        if _records_a_part(member):
            super()._inject(trial, member)
        elif trial.cluster.now_ns < until_ns:
            trial.later(_PART_INTERVAL_NS, partial(self._await_part, trial, member, until_ns))


def _records_a_part(member: Member) -> bool:
    """Return whether the archive records a part of a snapshot."""
    # A label names the recording and the session before the stream.
    labels = (each.label.split() for each in member.driver_counters(_RECORDING))
    return any(each[_STREAM_OF_LABEL] in _SNAPSHOT_STREAMS for each in labels)
