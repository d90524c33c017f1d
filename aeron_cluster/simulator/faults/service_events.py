"""Services that misbehave, as events of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.faults.events import MemberEvent

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.members.member import Member

__all__ = [
    "CallbackRaises",
    "Diverge",
    "ServiceRaises",
    "SlowService",
    "SnapshotFails",
    "StallService",
]


@dataclass(frozen=True)
class SlowService(MemberEvent):
    """A member's services are slow for each message, for a time."""

    template = "services of {member} take {delay_ns} over each message, for {duration_ns}"

    delay_ns: int
    duration_ns: int

    def _happen(self, trial: EventHost, member: Member) -> None:
        member.service_faults.delay_ns = self.delay_ns
        trial.later(self.duration_ns, partial(setattr, member.service_faults, "delay_ns", 0))


@dataclass(frozen=True)
class StallService(MemberEvent):
    """A member's service blocks in a callback; other agents of its thread continue."""

    template = "a service of {member} takes {stall_ns} over its next message"

    stall_ns: int

    def _happen(self, trial: EventHost, member: Member) -> None:  # noqa: ARG002
        member.service_faults.stall_ns = self.stall_ns


@dataclass(frozen=True)
class ServiceRaises(MemberEvent):
    """A member's services raise after they have handled a message."""

    template = "services of {member} raise after their next {count} messages"

    count: int

    def _happen(self, trial: EventHost, member: Member) -> None:  # noqa: ARG002
        member.service_faults.raises = self.count


@dataclass(frozen=True)
class CallbackRaises(MemberEvent):
    """A member's services raise after another callback than those for messages and timers."""

    template = "services of {member} raise after their next {count} calls of {callback}"

    callback: str
    count: int

    def _happen(self, trial: EventHost, member: Member) -> None:  # noqa: ARG002
        member.service_faults.failing[self.callback] = self.count


@dataclass(frozen=True)
class Diverge(MemberEvent):
    """A member's service has an effect that those of the others do not have."""

    template = "a service of {member} does something else"

    def _happen(self, trial: EventHost, member: Member) -> None:  # noqa: ARG002
        member.service_faults.is_diverged = True


@dataclass(frozen=True)
class SnapshotFails(MemberEvent):
    """An operator requests a snapshot, for which a member's service fails."""

    template = "snapshot, for which a service of {member} raises"

    def _happen(self, trial: EventHost, member: Member) -> None:
        member.service_faults.fails_snapshot = True
        trial.toggle(ControlToggle.SNAPSHOT)
