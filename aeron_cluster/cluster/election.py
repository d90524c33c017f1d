"""How the members of a cluster agree on who leads, from the start or a failure on.

Stands for Election. Each state is a sequence of steps, in the files beside this one::

    INIT                                                     here
    CANVASS .. FOLLOWER_BALLOT                               election_ballots
    LEADER_LOG_REPLICATION .. LEADER_READY                   election_leader
    FOLLOWER_LOG_REPLICATION .. FOLLOWER_READY               election_follower
    what other members say                                   election_messages

The steps of a state end when a step, or a message, enters another one. A cluster of one member
goes from INIT to LEADER_LOG_REPLICATION at once. An error anywhere begins again with INIT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster import (
    election_ballots,
    election_follower,
    election_leader,
    election_messages,
)
from aeron_cluster.cluster.election_state import ElectionState, Role
from aeron_cluster.cluster.members import NULL_VALUE
from aeron_cluster.cluster.quorum import shared_position
from aeron_cluster.memory.waiting import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aeron_cluster.cluster.election_host import ElectionHost, ElectionTimes
    from aeron_cluster.cluster.members import Member
    from aeron_cluster.codecs.cluster import NewLeadershipTermEvent
    from aeron_cluster.codecs.message import Message
    from aeron_cluster.memory.waiting import Waiting

__all__ = ["Election", "ElectionState", "Role"]

AT_ONCE: Final = -(2**63)

_ROLES: Final = {
    ElectionState.CANVASS: Role.FOLLOWER,
    ElectionState.CANDIDATE_BALLOT: Role.CANDIDATE,
    ElectionState.LEADER_LOG_REPLICATION: Role.LEADER,
    ElectionState.FOLLOWER_LOG_REPLICATION: Role.FOLLOWER,
    ElectionState.FOLLOWER_REPLAY: Role.FOLLOWER,
}


class Election:
    """One election, until it is CLOSED.

    Parameters
    ----------
    host : ElectionHost
    times : ElectionTimes
    members : sequence of Member
        All of them; what they tell is kept there.
    member_id : int
        The own one.
    appointed_leader_id : int
        The only member that may stand, or -1: all may.
    is_node_startup : bool
        Whether it is the first since the process began.
    log_leadership_term_id : int
        The term of the log's last entry, or -1.
    log_position : int
        Up to where module and services have read the log.
    append_position : int
        Where the log's recording ends.

    Attributes
    ----------
    state : ElectionState
    leadership_term_id : int
        The term that is about to begin.
    candidate_term_id : int
        The highest one that was voted in, as far as this election knows.
    leader : Member or None
        Once it is known.
    notified_commit_position : int
        Up to where a leader said that a quorum has the log.
    catchup_join_position : int
        Where the leader's log stood when this member learnt of it, if it is behind; or -1.
    log_session_id : int or None
        Of the leader's log.
    failure_count : int
        How often it began again.
    """

    def __init__(
        self,
        host: ElectionHost,
        times: ElectionTimes,
        members: Sequence[Member],
        member_id: int,
        *,
        is_node_startup: bool,
        log_leadership_term_id: int,
        log_position: int,
        append_position: int,
        appointed_leader_id: int = NULL_VALUE,
    ) -> None:
        self.host = host
        self.times = times
        self.members = {member.member_id: member for member in members}
        self.this_member = self.members[member_id]
        self.others = [member for member in members if member is not self.this_member]
        self.may_stand = appointed_leader_id in (NULL_VALUE, member_id)

        self.state = ElectionState.INIT
        self.now_ns = AT_ONCE
        self.entered_ns = AT_ONCE
        self.failure_count = 0
        self._begin_ns = AT_ONCE
        self._wake_ns = AT_ONCE
        self._task: Task[None] | None = None
        self._is_entered = True  # the state, whose steps have not begun

        self.is_node_startup = is_node_startup
        self._is_prepared = is_node_startup
        self.is_extended_canvass = is_node_startup
        self.is_leader_startup = False

        self.log_leadership_term_id = log_leadership_term_id
        self.log_position = log_position
        self.append_position = append_position
        self.leadership_term_id = log_leadership_term_id
        self.candidate_term_id = log_leadership_term_id
        self.notified_commit_position = 0
        self.leader: Member | None = None
        self.leader_heard_ns = AT_ONCE
        self.leader_recording_id = NULL_VALUE
        self.log_session_id: int | None = None
        self.catchup_join_position = NULL_VALUE
        self.nomination_ns = AT_ONCE
        self.repeats = Repeats()
        self.published_commit_position = NULL_VALUE
        self.missing: election_follower.MissingTerm | None = None

        reason = "node started" if is_node_startup else "begun"
        host.on_election_state(self.state, reason)

    def __repr__(self) -> str:
        return (
            f"<Election {self.state.name} term {self.leadership_term_id} log"
            f" {self.log_position} of {self.append_position}>"
        )

    @property
    def is_closed(self) -> bool:
        """Whether it is over."""
        return self.state is ElectionState.CLOSED

    @property
    def next_work_ns(self) -> int:
        """When it goes on if nothing is heard, on the monotonic clock."""
        return max(self._begin_ns, self._wake_ns)

    # ---- the work ----

    def do_work(self, now_ns: int) -> int:
        """Take the next step of the state; nothing before the pause after an error is over."""
        self.now_ns = now_ns
        if now_ns < self.next_work_ns:
            return 0
        self._wake_ns = AT_ONCE
        if self._is_entered:
            self._begin(_STATES[self.state](self))
        assert self._task is not None
        return self._task.do_work()

    def _begin(self, steps: Waiting[None]) -> None:
        if self._task is not None:
            self._task.close()
        self._task = Task(steps)
        self._is_entered = False

    def sleep_until(self, now_ns: int) -> None:
        """Let nothing happen before a time, unless something is heard."""
        self._wake_ns = now_ns

    def enter(self, state: ElectionState, reason: str) -> None:
        """Go to another state, whose steps begin with the next pass; nothing if it is the same."""
        if state is self.state:
            return
        if self.state is ElectionState.CANVASS:
            self.is_extended_canvass = False
        self.state = state
        self._is_entered = True
        self.entered_ns = self.now_ns
        self._wake_ns = AT_ONCE
        self.repeats = Repeats()
        if state is ElectionState.CANVASS:
            self._forget_members()
        elif state is ElectionState.LEADER_LOG_REPLICATION:
            # The session of a former leader's log: NewLeadershipTerm waits for the own publication.
            self.log_session_id = None
        if state in _ROLES:
            self.host.set_role(_ROLES[state])
        self.host.on_election_state(state, reason)

    def _forget_members(self) -> None:
        """Let what was told before count no more; when it was told still does."""
        self.leader = None
        for member in self.members.values():
            member.leadership_term_id = NULL_VALUE
            member.candidate_term_id = NULL_VALUE
            member.log_position = NULL_VALUE
            member.vote = None
        # The term, not that of the log: facts/cluster-behaviour.md, section 9, 1.
        self.this_member.leadership_term_id = self.leadership_term_id
        self.this_member.log_position = self.append_position

    def shared_position(self, member: Member) -> int:
        """Return up to where a member's log is known to equal this one's, as its leader counts."""
        if member is self.this_member:
            return self.append_position
        log_term_id = member.leadership_term_id
        term_end: int | None = self.append_position
        if log_term_id != self.log_leadership_term_id:
            term_end = self.host.find_term_end(log_term_id, self.append_position)
        return shared_position(log_term_id, member.log_position, self.leadership_term_id, term_end)

    def restart(self, log_position: int, begin_ns: int) -> None:
        """Begin again after an error, from what is committed, at a time."""
        self.close()
        self.failure_count += 1
        self._begin_ns = begin_ns
        self.log_position = log_position
        self._is_prepared = False
        self._is_entered = True
        self.enter(ElectionState.INIT, "an error")

    def close(self) -> None:
        """Give up, as the module does when it ends."""
        if self._task is not None:
            self._task.close()
            self._task = None

    # ---- what it hears ----

    def on_message(self, message: Message, now_ns: int) -> None:
        """Take what another member says, of what belongs to an election.

        Raises
        ------
        ClusterError
            It shows that this election leads nowhere.
        """
        self.now_ns = now_ns
        if self.state is ElectionState.INIT or self.is_closed:
            return
        self._wake_ns = AT_ONCE
        election_messages.on_message(self, message)

    def on_replay_term(self, event: NewLeadershipTermEvent) -> None:
        """Take the begin of a term, met in the log that is read."""
        if self.state in (ElectionState.FOLLOWER_REPLAY, ElectionState.FOLLOWER_CATCHUP):
            self.host.append_term(event.leadership_term_id, event.term_base_log_position)
            self.log_position = event.log_position
            # What is read may be far before the log's end, whose term others compare with theirs.
            self.log_leadership_term_id = max(self.log_leadership_term_id, event.leadership_term_id)

    def truncate_log(self, position: int) -> None:
        """Cut off the own log's end, which was never committed, and begin again.

        In INIT, where messages are ignored: a vote or canvass position sent meanwhile would state
        a log end that no longer exists, and a change of state would abandon the truncation.
        """
        term_id, end = self.log_leadership_term_id, self.append_position
        self._is_prepared = False
        self.log_position = self.host.commit_position
        self.enter(
            ElectionState.INIT, f"cuts off what term {term_id} never committed: {position} to {end}"
        )
        self._begin(self._truncate(position))

    def _truncate(self, position: int) -> Waiting[None]:
        yield from self.host.truncate_log(self.log_leadership_term_id, position)
        yield from self.init()

    # ---- the begin ----

    def init(self) -> Waiting[None]:
        """Undo what was not committed, if it is not the start."""
        if not self._is_prepared:
            self.append_position = yield from self.host.prepare_for_new_leadership(
                self.log_position
            )
            self._is_prepared = True
            self.log_session_id = None
            self.catchup_join_position = NULL_VALUE
            self.missing = None
        self.notified_commit_position = 0
        self.published_commit_position = NULL_VALUE
        if not self.others:
            self.leadership_term_id = self.host.begin_candidate_term(
                self.leadership_term_id, self.append_position
            )
            self.candidate_term_id = self.leadership_term_id
            self.leader = self.this_member
            self.enter(ElectionState.LEADER_LOG_REPLICATION, "the only member")
        else:
            self.candidate_term_id = max(self.host.candidate_term_id, self.leadership_term_id)
            self.enter(ElectionState.CANVASS, "")


class Repeats:
    """When each kind of message was sent last in a state; the first of each is due at once."""

    def __init__(self) -> None:
        self._sent_ns: dict[str, int] = {}

    def due_ns(self, kind: str, interval_ns: int) -> int:
        """Return when the next one is due."""
        return self._sent_ns.get(kind, AT_ONCE) + interval_ns

    def is_due(self, kind: str, now_ns: int, interval_ns: int) -> bool:
        """Tell whether the next one is due."""
        return now_ns >= self.due_ns(kind, interval_ns)

    def sent(self, kind: str, now_ns: int) -> None:
        """Note that one was sent."""
        self._sent_ns[kind] = now_ns


_STATES: Final[Mapping[ElectionState, Callable[[Election], Waiting[None]]]] = {
    ElectionState.INIT: Election.init,
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
