"""The election of a leader, at the start or after a failure.

Upstream: Election. Each state is a sequence of steps, in the files beside this one::

    INIT                                                     election_init
    CANVASS .. FOLLOWER_BALLOT                               election_ballots
    LEADER_LOG_REPLICATION .. LEADER_READY                   election_leader
    FOLLOWER_LOG_REPLICATION .. FOLLOWER_READY               election_follower
    other members' messages                                  election_messages

The steps of a state end when a step, or a message, enters another one. A cluster of one member
goes from INIT to LEADER_LOG_REPLICATION directly. An error anywhere begins again with INIT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.election import ballots as election_ballots
from aeron_cluster.cluster.election import follower as election_follower
from aeron_cluster.cluster.election import init as election_init
from aeron_cluster.cluster.election import leader as election_leader
from aeron_cluster.cluster.election import messages as election_messages
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.election.progress import AT_ONCE, ElectionProgress
from aeron_cluster.memory.agents.waiting import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aeron_cluster.codecs.cluster import NewLeadershipTermEvent
    from aeron_cluster.codecs.message import Message
    from aeron_cluster.memory.agents.waiting import Waiting

__all__ = ["Election", "ElectionState"]


class Election(ElectionProgress):
    """One election, until it is CLOSED; `ElectionProgress` has its parameters."""

    _begin_ns = AT_ONCE
    _task: Task[None] | None = None

    @property
    def next_work_ns(self) -> int:
        """The time at which it continues without a message, on the monotonic clock."""
        return max(self._begin_ns, self.wake_ns)

    # ---- the work ----

    def do_work(self, now_ns: int) -> int:
        """Take the next step of the state, except during the pause after an error."""
        self.now_ns = now_ns
        if now_ns < self.next_work_ns:
            return 0
        self.wake_ns = AT_ONCE
        if self.is_entered:
            self._begin(_STATES[self.state](self))
        assert self._task is not None
        return self._task.do_work()

    def _begin(self, steps: Waiting[None]) -> None:
        if self._task is not None:
            self._task.close()
        self._task = Task(steps)
        self.is_entered = False

    def restart(self, error: Exception, log_position: int, begin_ns: int) -> None:
        """Restart after an error, from the commit position, at a given time."""
        self.close()
        self.failure_count += 1
        self._begin_ns = begin_ns
        self.log_position = log_position
        self.is_prepared = False
        self.truncate_position = None
        self.is_entered = True
        self.enter(ElectionState.INIT, str(error) or type(error).__name__)

    def close(self) -> None:
        """Stop, as the module ends."""
        if self._task is not None:
            self._task.close()
            self._task = None

    # ---- what it receives ----

    def on_message(self, message: Message, now_ns: int) -> None:
        """Handle a message of another member, if it belongs to an election.

        Raises
        ------
        ClusterError
            The message shows that this election cannot succeed.
        """
        self.now_ns = now_ns
        if self.state is ElectionState.INIT or self.is_closed:
            return
        self.wake_ns = AT_ONCE
        election_messages.on_message(self, message)

    def on_replay_term(self, event: NewLeadershipTermEvent) -> None:
        """Handle the start of a term in the log."""
        if self.state in (ElectionState.FOLLOWER_REPLAY, ElectionState.FOLLOWER_CATCHUP):
            self.host.append_term(event.leadership_term_id, event.term_base_log_position)
            self.log_position = event.log_position
            # The read position may be far before the log's end; other members compare the term of
            # the end.
            self.log_leadership_term_id = max(self.log_leadership_term_id, event.leadership_term_id)


_STATES: Final[Mapping[ElectionState, Callable[[Election], Waiting[None]]]] = {
    ElectionState.INIT: election_init.init,
    ElectionState.CANVASS: election_ballots.canvass,
    ElectionState.NOMINATE: election_ballots.nominate,
    ElectionState.CANDIDATE_BALLOT: election_ballots.candidate_ballot,
    ElectionState.FOLLOWER_BALLOT: election_ballots.follower_ballot,
    ElectionState.LEADER_LOG_REPLICATION: election_leader.log_replication,
    ElectionState.LEADER_REPLAY: election_leader.replay,
    ElectionState.LEADER_INIT: election_leader.init,
    ElectionState.LEADER_READY: election_leader.ready,
    ElectionState.FOLLOWER_LOG_REPLICATION: election_follower.log_replication,
    ElectionState.FOLLOWER_REPLAY: election_follower.replay,
    ElectionState.FOLLOWER_CATCHUP_INIT: election_follower.catchup_init,
    ElectionState.FOLLOWER_CATCHUP_AWAIT: election_follower.catchup_await,
    ElectionState.FOLLOWER_CATCHUP: election_follower.catchup,
    ElectionState.FOLLOWER_LOG_INIT: election_follower.log_init,
    ElectionState.FOLLOWER_LOG_AWAIT: election_follower.log_await,
    ElectionState.FOLLOWER_READY: election_follower.ready,
}
