"""Faults that wait for their moment.

Power is lost after a vote or a snapshot, a leader while another member catches up.
Each of these moments lasts some milliseconds of a run, so that a time drawn by chance misses it.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.faults.events import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.members.member import Member

__all__ = [
    "KillAllAtClose",
    "KillInSnapshot",
    "LoseLeaderInCatchUp",
    "LosePowerAfterSnapshot",
    "LosePowerAfterVote",
]

_CHECK_INTERVAL_NS: Final = 2_000_000
_SHORT_CHECK_INTERVAL_NS: Final = 50_000
_SNAPSHOT_NS: Final = 300_000_000
# The states that these faults aim at; independent of the groups that the product makes of them.
_BALLOTS: Final = (ElectionState.CANDIDATE_BALLOT, ElectionState.FOLLOWER_BALLOT)
_CATCH_UPS: Final = (
    ElectionState.FOLLOWER_LOG_REPLICATION,
    ElectionState.FOLLOWER_REPLAY,
    ElectionState.FOLLOWER_CATCHUP_INIT,
    ElectionState.FOLLOWER_CATCHUP_AWAIT,
    ElectionState.FOLLOWER_CATCHUP,
)


@dataclass(frozen=True)
class AimedEvent(Event):
    """A fault at the moment when a member is seen in a state; a base class.

    Parameters
    ----------
    at_ns : int
    down_ns : int
        How long the member that it strikes is down.
    limit_ns : int
        How long the moment is waited for.
    """

    check_interval_ns: ClassVar[int] = _CHECK_INTERVAL_NS

    down_ns: int
    limit_ns: int

    def _await(
        self, trial: EventHost, is_there: Callable[[], Member | None], until_ns: int | None = None
    ) -> None:
        """Strike the member that is found, once one is."""
        until_ns = trial.cluster.now_ns + self.limit_ns if until_ns is None else until_ns
        found = is_there()
        if found is not None:
            self._inject(trial, found)
        elif trial.cluster.now_ns < until_ns:
            trial.later(self.check_interval_ns, partial(self._await, trial, is_there, until_ns))

    @abstractmethod
    def _inject(self, trial: EventHost, member: Member) -> None:
        """Begin the event."""


def _lose_power(trial: EventHost, member: Member, down_ns: int) -> None:
    member.lose_power()
    trial.start_later(member, down_ns)
    trial.on_power_lost()


def _leader(trial: EventHost) -> Member | None:
    return next((each for each in trial.cluster.members if each.is_leading), None)


def _in_state(member: Member, states: tuple[ElectionState, ...]) -> bool:
    counters = member.counters
    return counters is not None and counters.election_state.get() in states


@dataclass(frozen=True)
class LosePowerAfterVote(AimedEvent):
    """The leader is killed; of the others the first that has voted loses power."""

    template = (
        "kill the leader, start again {down_ns} later; the first of the others that votes within"
        " {limit_ns} is without power for {down_ns}"
    )

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        leader = _leader(trial)
        if leader is not None:
            leader.kill()
            trial.start_later(leader, self.down_ns)
            self._await(trial, partial(self._find, trial))

    @staticmethod
    def _find(trial: EventHost) -> Member | None:
        members = trial.cluster.members
        return next((each for each in members if _in_state(each, _BALLOTS)), None)

    def _inject(self, trial: EventHost, member: Member) -> None:
        _lose_power(trial, member, self.down_ns)


@dataclass(frozen=True)
class LosePowerAfterSnapshot(AimedEvent):
    """A snapshot is requested; the first member that has one more loses power."""

    template = (
        "snapshot; the first member that has it within {limit_ns} is without power for {down_ns}"
    )

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        counts = {each: self._count(each) for each in trial.cluster.members}
        trial.toggle(ControlToggle.SNAPSHOT)
        self._await(trial, partial(self._find, counts))

    @staticmethod
    def _count(member: Member) -> int:
        counters = member.counters
        return -1 if counters is None else counters.snapshot_count.get()

    @classmethod
    def _find(cls, counts: dict[Member, int]) -> Member | None:
        return next((each for each, known in counts.items() if cls._count(each) > known >= 0), None)

    def _inject(self, trial: EventHost, member: Member) -> None:
        _lose_power(trial, member, self.down_ns)


@dataclass(frozen=True)
class KillAllAtClose(LosePowerAfterSnapshot):
    """A snapshot is requested when a service closes a session; the leader has it: all are killed.

    The snapshot has the session, and why it closes, and no log may have its end yet.
    """

    check_interval_ns: ClassVar[int] = _SHORT_CHECK_INTERVAL_NS
    template = (
        "snapshot when a service closes a session; all are killed once the leader has it, and start"
        " {down_ns} later"
    )

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        for member in trial.cluster.members:
            member.on_service = partial(self._on_service, trial, member)

    def _on_service(self, trial: EventHost, member: Member, what: str) -> None:
        if what == "close request" and member.is_leading:
            trial.ignore_services()
            counts = {member: self._count(member)}
            trial.toggle(ControlToggle.SNAPSHOT)
            until_ns = trial.cluster.now_ns + _SNAPSHOT_NS
            trial.later(0, partial(self._await, trial, partial(self._find, counts), until_ns))

    def _inject(self, trial: EventHost, member: Member) -> None:  # noqa: ARG002
        for each in trial.cluster.members:
            each.kill()
            trial.start_later(each, self.down_ns)


@dataclass(frozen=True)
class KillInSnapshot(AimedEvent):
    """A snapshot is requested; the first member that takes it is killed at one of its next calls.

    Parameters
    ----------
    calls : int
        At which call to files from then on: what is recorded, and the entry that names it.
    """

    check_interval_ns: ClassVar[int] = _SHORT_CHECK_INTERVAL_NS
    template = (
        "snapshot; the first member that takes it within {limit_ns} is killed at its file call"
        " {calls} from there, start again {down_ns} later"
    )

    calls: int

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
        trial.set_down_time(member, self.down_ns)
        member.stop_after(self.calls)


@dataclass(frozen=True)
class LoseLeaderInCatchUp(AimedEvent):
    """A follower is killed and started again; while it catches up the leader is killed.

    Parameters
    ----------
    lag_ns : int
        How long the follower is down.
    """

    template = (
        "kill a follower, start again after {lag_ns}; kill the leader while it catches up, within"
        " {limit_ns}, start that again after {down_ns}"
    )

    lag_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        leader = _leader(trial)
        running = [each for each in trial.cluster.members if each.is_running]
        follower = next((each for each in running if not each.is_leading), None)
        if leader is not None and follower is not None:
            follower.kill()
            trial.start_later(follower, self.lag_ns)
            trial.later(self.lag_ns, partial(self._await, trial, partial(self._find, follower)))

    @staticmethod
    def _find(follower: Member) -> Member | None:
        return follower if _in_state(follower, _CATCH_UPS) else None

    def _inject(self, trial: EventHost, member: Member) -> None:
        leader = _leader(trial)
        if leader is not None and leader is not member:
            leader.kill()
            trial.start_later(leader, self.down_ns)
