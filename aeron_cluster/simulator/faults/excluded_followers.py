"""Followers that receive nothing from their leader, and want the vote of one that catches up.

Links fail in one direction: some followers receive nothing from the leader, and become candidates
once another member canvasses. That one has decided to follow the leader by then, and has
acknowledged entries that the candidates lack: it must not vote by the log with which it started.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.events import Event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan
    from aeron_cluster.simulator.members.member import Member

__all__ = ["ExcludeFollowers", "add_excluded_followers"]

_MS: Final = 1_000_000
_S: Final = 1000 * _MS
_CHECK_INTERVAL_NS: Final = 2 * _MS
_OF_EXCLUDED: Final = 0xE8C10DE
_ONE_IN: Final = 8
_MIN_MEMBERS: Final = 3
_LIMIT_NS: Final = 40 * _S


@dataclass(frozen=True)
class ExcludeFollowers(Event):
    """A follower is killed; the leader does not reach some others any more, and that one returns.

    It starts once one of those that are not reached canvasses, with slow services.

    Parameters
    ----------
    at_ns : int
    lag_ns : int
        How long the first one is down before the leader reaches the others no more.
    delay_ns : int
        The time that its services take for each message, in ns.
    duration_ns : int
        How long the leader does not reach the others once it has returned.
    limit_ns : int
        The longest wait for a leader whom all others follow, and for one that canvasses.
    """

    template = (
        "kill a follower; {lag_ns} later the leader reaches others no more; when one of these"
        " canvasses, within {limit_ns}, start it again, its services take {delay_ns} over each"
        " message; for {duration_ns}"
    )

    lag_ns: int
    delay_ns: int
    duration_ns: int
    limit_ns: int

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        self._find_leader(trial, trial.cluster.now_ns + self.limit_ns)

    def _find_leader(self, trial: EventHost, until_ns: int) -> None:
        members = trial.cluster.members
        leader = next((each for each in members if each.is_leading), None)
        others = [each for each in members if each is not leader and _is_in_no_election(each)]
        if leader is None or len(others) < len(members) - 1:
            if trial.cluster.now_ns < until_ns:
                trial.later(_CHECK_INTERVAL_NS, partial(self._find_leader, trial, until_ns))
            return
        follower, *others = others
        follower.kill()
        trial.start_later(follower, self.lag_ns + self.limit_ns)
        # With the first one, the leader and those that it reaches are a majority, and so are those
        # that it does not reach, if the number of members is odd.
        excluded = others[: (len(members) - 1) // 2]
        scene = _Scene(leader, follower, excluded)
        trial.later(self.lag_ns, partial(self._cut, trial, scene))

    def _cut(self, trial: EventHost, scene: _Scene) -> None:
        scene.block(trial, is_blocked=True)
        self._await_canvass(trial, scene, trial.cluster.now_ns + self.limit_ns)

    def _await_canvass(self, trial: EventHost, scene: _Scene, until_ns: int) -> None:
        if any(map(_canvasses, scene.excluded)):
            scene.follower.service_faults.delay_ns = self.delay_ns
            trial.start_later(scene.follower, 0)
            trial.later(self.duration_ns, partial(self._end, trial, scene))
        elif trial.cluster.now_ns < until_ns:
            trial.later(_CHECK_INTERVAL_NS, partial(self._await_canvass, trial, scene, until_ns))
        else:
            self._end(trial, scene)

    @staticmethod
    def _end(trial: EventHost, scene: _Scene) -> None:
        scene.follower.service_faults.delay_ns = 0
        scene.block(trial, is_blocked=False)


class _Scene(NamedTuple):
    """The leader, the follower that is killed, and those that the leader does not reach."""

    leader: Member
    follower: Member
    excluded: Sequence[Member]

    def block(self, trial: EventHost, *, is_blocked: bool) -> None:
        """Block what the leader sends to them, or no more."""
        for each in self.excluded:
            ends = self.leader.machine.network, each.machine.network
            trial.cluster.world.wire.block(*ends, is_blocked)


def _is_in(member: Member, state: ElectionState) -> bool:
    counters = member.counters
    return counters is not None and counters.election_state.get() == state


def _canvasses(member: Member) -> bool:
    return _is_in(member, ElectionState.CANVASS)


def _is_in_no_election(member: Member) -> bool:
    return member.is_running and _is_in(member, ElectionState.CLOSED)


def add_excluded_followers(
    plan: FaultPlan, seed: int, *, members: int, duration_ns: int, speedup: int
) -> FaultPlan:
    """Exclude followers from what the leader sends, in one run of eight with three members or more.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns, speedup : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_EXCLUDED)
    if random.below(_ONE_IN) or members < _MIN_MEMBERS:
        return plan
    at_ns = random.below(duration_ns // 2)
    lag_ns = (1 + random.below(3 * _S)) // speedup
    delay_ns = (1 + random.below(500)) * _MS // speedup
    # Longer than the heartbeat timeout, before which a majority of members elects none.
    stay_ns = (12 + random.below(10)) * _S // speedup
    limit_ns = _LIMIT_NS // speedup
    event = ExcludeFollowers(at_ns, lag_ns, delay_ns, stay_ns, limit_ns)
    return plan.plus("struck", [event])
