"""A leader whose module is lost while the others copy its log from its archive, which goes on.

The others have the copy, and no message of that leader: they must not wait for it for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.faults.overtaken_leader import LeadAloneAhead

if TYPE_CHECKING:
    from aeron_cluster.simulator.faults.event_host import EventHost
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan
    from aeron_cluster.simulator.members.member import Member

__all__ = ["LoseLeaderOfCopies", "add_leaders_of_copies"]

_S: Final = 1_000_000_000
_CHECK_INTERVAL_NS: Final = 200_000
_OF_COPIES: Final = 0xC0B1E5
_ONE_IN: Final = 8
_MIN_MEMBERS: Final = 3  # others elect without the leader
_LIMIT_NS: Final = 40 * _S


@dataclass(frozen=True)
class LoseLeaderOfCopies(LeadAloneAhead):
    """A member is elected for its longer log, and its module is killed while all others copy that.

    For members whose components are separate processes: the archive, from which they copy, remains.
    A member of one process goes on.
    """

    template = (
        "cut the leader off from the other members for {ahead_ns}, then kill all and start again;"
        " kill the module of the next leader that all others copy from, within {limit_ns}, start it"
        " again {alone_ns} later"
    )

    def _await_election(self, trial: EventHost, until_ns: int) -> None:
        members = trial.cluster.members
        leader = next((e for e in members if _is_in(e, ElectionState.LEADER_LOG_REPLICATION)), None)
        if leader is not None and all(
            each is leader or _is_in(each, ElectionState.FOLLOWER_LOG_REPLICATION)
            for each in members
        ):
            if len(leader.processes) > 1:
                module = leader.process_of_module
                module.kill()
                trial.start_process_later(module, self.alone_ns)
        elif trial.cluster.now_ns < until_ns:
            trial.later(_CHECK_INTERVAL_NS, partial(self._await_election, trial, until_ns))


def _is_in(member: Member, state: ElectionState) -> bool:
    counters = member.counters
    return counters is not None and counters.election_state.get() == state


def add_leaders_of_copies(
    plan: FaultPlan, seed: int, *, members: int, duration_ns: int, speedup: int
) -> FaultPlan:
    """Lose a leader that others copy from, in one run of eight with three members or more.

    Parameters
    ----------
    plan : FaultPlan
    seed, members, duration_ns, speedup : int
        Of the run, as of `FaultPlan.draw`.
    """
    random = SeededRandom(seed ^ _OF_COPIES)
    if random.below(_ONE_IN) or members < _MIN_MEMBERS:
        return plan
    at_ns = duration_ns // 8 + random.below(duration_ns // 4)
    ahead_ns = (1 + random.below(5)) * _S // speedup
    # Longer than the others wait for it, and then elect: after timeouts of ten seconds.
    alone_ns = (25 + random.below(15)) * _S // speedup
    event = LoseLeaderOfCopies(at_ns, ahead_ns, alone_ns, _LIMIT_NS // speedup)
    return plan.plus("lost", [event])
