"""A first leader that is overtaken before another member has any of its log.

Its log begins with its term, and the next leader's with a later one: when it returns it truncates
its recording to the start. A cluster has this moment once, before its first term is committed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.events import Event

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan
    from aeron_cluster.simulator.members.member import Member

__all__ = ["OvertakeFirstLeader", "StrikeOvertakenLeader", "add_overtaken_first_leader"]

_S: Final = 1_000_000_000
_OF_FIRST: Final = 0xF1457
_ONE_IN: Final = 8
_FEWEST_MEMBERS: Final = 3
_LONGEST_DELAY_NS: Final = 10 * _S
_DOWN_NS: Final = _S // 2
# The calls to files from its return on: it truncates its log, and records the next leader's.
_CALLS: Final = 64
_STEP_NS: Final = 1_000_000
_SHORT_STEP_NS: Final = 5_000
_BEGINNING: Final = (ElectionState.LEADER_INIT, ElectionState.LEADER_READY)
_JOINED: Final = (ElectionState.FOLLOWER_READY, ElectionState.CLOSED)


@dataclass(frozen=True)
class OvertakeFirstLeader(Event):
    """The first leader is cut off once it has appended its term, until another one leads.

    It begins with the cluster. Clients reach the first leader, which appends what they send.

    Parameters
    ----------
    at_ns : int
        Not used.
    """

    is_from_start: ClassVar[bool] = True
    template = (
        "from the start: cut the first leader off from the other members before they have its"
        " term, until another one leads"
    )

    def begin(self, trial: EventHost) -> None:
        """Begin the event."""
        members = trial.cluster.members
        states = {each: _state_of(each) for each in members}
        first = next((each for each in members if states[each] in _BEGINNING), None)
        if first is None:
            if not any(each.is_leading for each in members):
                trial.later(_STEP_NS, partial(self.begin, trial))
            return
        followers = [each for each in members if each is not first and states[each] in _JOINED]
        if 2 * (1 + len(followers)) > len(members):
            # What they sent makes it append its term.
            _block(trial, first, is_from=True)
            self._await_lead(trial, first)
        else:
            trial.later(_SHORT_STEP_NS, partial(self.begin, trial))

    def _await_lead(self, trial: EventHost, first: Member) -> None:
        if first.is_leading:
            _block(trial, first, is_from=False)
            self._await_overtaker(trial, first)
        elif _state_of(first) in _BEGINNING:
            trial.later(_SHORT_STEP_NS, partial(self._await_lead, trial, first))
        else:
            _unblock(trial, first)

    def _await_overtaker(self, trial: EventHost, first: Member) -> None:
        if not any(each.is_leading for each in trial.cluster.members if each is not first):
            trial.later(_STEP_NS, partial(self._await_overtaker, trial, first))
            return
        _unblock(trial, first)
        self._on_return(trial, first)

    def _on_return(self, trial: EventHost, first: Member) -> None:
        """Handle its return: by default, it continues."""


@dataclass(frozen=True)
class StrikeOvertakenLeader(OvertakeFirstLeader):
    """A first leader that is overtaken, and ends while it truncates and copies the log.

    Parameters
    ----------
    calls : int
        At which call to files from its return on it ends; 0 for none.
    delay_ns : int
        The longest time from its return to its end.
    is_power_lost : bool
        Whether its machine loses power, otherwise it is killed.
    down_ns : int
        The time for which it is down then.
    """

    template = (
        f"{OvertakeFirstLeader.template}; it ends at its file call {{calls}} from there,"
        " {delay_ns} later at the latest (power lost: {is_power_lost}), start again after {down_ns}"
    )

    calls: int
    delay_ns: int
    is_power_lost: bool
    down_ns: int

    def _on_return(self, trial: EventHost, first: Member) -> None:
        if self.calls:
            first.stop_after(self.calls)
        until_ns = trial.cluster.now_ns + self.delay_ns
        self._await_end(trial, first, first.start_count, until_ns)

    def _await_end(self, trial: EventHost, first: Member, start_count: int, until_ns: int) -> None:
        if first.start_count != start_count:
            return
        if first.is_running and trial.cluster.now_ns < until_ns:
            again = partial(self._await_end, trial, first, start_count, until_ns)
            trial.later(_STEP_NS, again)
            return
        if self.is_power_lost:
            first.lose_power()
            trial.on_power_lost()
        else:
            first.kill()
        trial.start_later(first, self.down_ns)


def add_overtaken_first_leader(
    plan: FaultPlan, seed: int, *, members: int, sync_level: int, speedup: int
) -> FaultPlan:
    """Overtake the first leader in one run of eight with three members or more.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, sync_level, speedup : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_FIRST)
    if members < _FEWEST_MEMBERS or random.below(_ONE_IN):
        return plan
    if random.below(2):
        return plan.plus("overtaken", [OvertakeFirstLeader(0)])
    calls = random.below(2) * (1 + random.below(_CALLS))
    delay_ns = random.below(_LONGEST_DELAY_NS // speedup)
    is_power_lost = sync_level > 0 and random.below(2) == 0
    down_ns = _DOWN_NS // speedup
    event = StrikeOvertakenLeader(0, calls, delay_ns, is_power_lost, down_ns)
    return plan.plus("overtaken", [event])


def _state_of(member: Member) -> int | None:
    counters = member.counters
    return None if counters is None else counters.election_state.get()


def _block(trial: EventHost, member: Member, *, is_from: bool) -> None:
    """Block what a member sends to the others, otherwise what they send to it."""
    wire, own = trial.cluster.world.wire, member.machine.network
    for other in trial.cluster.members:
        if other is not member:
            ends = own, other.machine.network
            wire.block(*(ends if is_from else ends[::-1]))


def _unblock(trial: EventHost, member: Member) -> None:
    wire, own = trial.cluster.world.wire, member.machine.network
    for other in trial.cluster.members:
        if other is not member:
            wire.block(own, other.machine.network, False)
            wire.block(other.machine.network, own, False)
