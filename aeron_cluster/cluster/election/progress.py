"""The state of an election, and the one method that changes it.

The steps of the states and the message handlers use it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.quorum import shared_position
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.events.codes import ClusterEvent
from aeron_cluster.events.recorder import NO_EVENTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cluster.election.host import ElectionHost, ElectionTimes
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.codecs.cluster import NewLeadershipTerm
    from aeron_cluster.events.recorder import EventRecorder

__all__ = ["AT_ONCE", "ElectionProgress", "MissingTerm", "Repeats"]

AT_ONCE: Final = -(2**63)

_ROLES: Final = {
    ElectionState.CANVASS: Role.FOLLOWER,
    ElectionState.CANDIDATE_BALLOT: Role.CANDIDATE,
    ElectionState.LEADER_LOG_REPLICATION: Role.LEADER,
    ElectionState.FOLLOWER_LOG_REPLICATION: Role.FOLLOWER,
    ElectionState.FOLLOWER_REPLAY: Role.FOLLOWER,
}


class Repeats:
    """The time of the last message of each kind in a state; the first is due immediately."""

    def __init__(self) -> None:
        self._sent_ns: dict[str, int] = {}

    def due_ns(self, kind: str, interval_ns: int) -> int:
        """Return when the next message is due."""
        return self._sent_ns.get(kind, AT_ONCE) + interval_ns

    def is_due(self, kind: str, now_ns: int, interval_ns: int) -> bool:
        """Return whether the next message is due."""
        return now_ns >= self.due_ns(kind, interval_ns)

    def sent(self, kind: str, now_ns: int) -> None:
        """Record that a message was sent."""
        self._sent_ns[kind] = now_ns


@dataclass(slots=True)
class MissingTerm:
    """The part of a term to be replicated from the leader's archive.

    Parameters
    ----------
    leadership_term_id, term_base_log_position : int
        The term; its base is -1 if the own log already has its start.
    stop_position : int
        The end position.
    deadline_ns : int
        The deadline for the leader to commit it.
    """

    leadership_term_id: int
    term_base_log_position: int
    stop_position: int
    deadline_ns: int


class ElectionProgress:
    """The progress of one election.

    Parameters
    ----------
    host : ElectionHost
    times : ElectionTimes
    members : sequence of Member
        All members, with their reported positions.
    member_id : int
        The own member.
    appointed_leader_id : int
        The only member that may become a candidate; -1: all may.
    is_node_startup : bool
        Whether it is the first election of this process.
    log_leadership_term_id : int
        The term of the log's last entry, or -1.
    log_position : int
        The position up to which module and services have read the log.
    append_position : int
        The end of the log's recording, in bytes.
    events : EventRecorder, optional
        The event log of the member.

    Attributes
    ----------
    state : ElectionState
    leadership_term_id : int
        The term that the election is about to begin.
    candidate_term_id : int
        The highest term with a vote known to this election.
    leader : Member or None
        The leader, once known.
    notified_commit_position : int
        The quorum position that a leader reported.
    catchup_join_position : int
        The leader's log position when this member began to follow, if this member lags behind; or
        -1.
    log_session_id : int or None
        The session id of the leader's log.
    failure_count : int
        The number of restarts.
    truncate_position : int or None
        The position from which INIT truncates the own log.
    lacks_replay : bool
        Whether the leader did not replay its term to this member, whose log is empty: the term is
        copied from the leader's archive then.
    unconfirmed_term : NewLeadershipTerm or None
        The message of a leader whose log may lack the own log's last term, in which nothing was
        appended.
    is_prepared : bool
        Whether uncommitted changes are undone.
    is_entered : bool
        Whether the state was entered, but its steps have not begun.
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
        events: EventRecorder = NO_EVENTS,
    ) -> None:
        self._events = events
        self.host = host
        self.times = times
        self.members = {member.member_id: member for member in members}
        self.this_member = self.members[member_id]
        self.others = [member for member in members if member is not self.this_member]
        self.may_stand = appointed_leader_id in (NULL_VALUE, member_id)

        self.state = ElectionState.INIT
        self.is_entered = True
        self.now_ns = AT_ONCE
        self.entered_ns = AT_ONCE
        self.wake_ns = AT_ONCE
        self.failure_count = 0

        self.is_node_startup = is_node_startup
        self.is_prepared = is_node_startup
        self.is_extended_canvass = is_node_startup
        self.is_leader_startup = False

        self.log_leadership_term_id = log_leadership_term_id
        self.log_position = log_position
        self.append_position = append_position
        self.leadership_term_id = log_leadership_term_id
        self.candidate_term_id = log_leadership_term_id
        self.notified_commit_position = 0
        self.leader: Member | None = None
        self.leader_message_ns = AT_ONCE
        self.leader_recording_id = NULL_VALUE
        self.log_session_id: int | None = None
        self.catchup_join_position = NULL_VALUE
        self.nomination_ns = AT_ONCE
        self.repeats = Repeats()
        self.published_commit_position = NULL_VALUE
        self.missing: MissingTerm | None = None
        self.truncate_position: int | None = None
        self.lacks_replay = False
        self.unconfirmed_term: NewLeadershipTerm | None = None

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

    def sleep_until(self, now_ns: int) -> None:
        """Pause until a time, unless a message is received."""
        self.wake_ns = now_ns

    def enter(self, state: ElectionState, reason: str) -> None:
        """Enter another state, whose steps begin in the next duty cycle."""
        if state is self.state:
            return
        if self.state is ElectionState.CANVASS:
            self.is_extended_canvass = False
        states = (self.state, state)
        self.state = state
        self.is_entered = True
        self.entered_ns = self.now_ns
        self.wake_ns = AT_ONCE
        self.repeats = Repeats()
        self.unconfirmed_term = None
        if state is ElectionState.CANVASS:
            self._reset_members()
        elif state is ElectionState.LEADER_LOG_REPLICATION:
            # Drop the session of a former leader's log: NewLeadershipTerm is sent only with the own
            # publication's.
            self.log_session_id = None
        if state in _ROLES:
            self.host.set_role(_ROLES[state])
        self._events.record(
            ClusterEvent.ELECTION_STATE_CHANGE,
            candidate_term_id=self.candidate_term_id,
            leadership_term_id=self.leadership_term_id,
            log_position=self.log_position,
            log_leadership_term_id=self.log_leadership_term_id,
            append_position=self.append_position,
            catchup_position=self.catchup_join_position,
            member_id=self.this_member.member_id,
            leader_id=NULL_VALUE if self.leader is None else self.leader.member_id,
            states=states,
            reason=reason,
        )
        self.host.on_election_state(state, reason)

    def _reset_members(self) -> None:
        """Discard the reported positions; the times of the reports still count."""
        self.leader = None
        for member in self.members.values():
            member.leadership_term_id = NULL_VALUE
            member.candidate_term_id = NULL_VALUE
            member.log_position = NULL_VALUE
            member.vote = None
        # The term of the election rather than that of the log, as in upstream.
        self.this_member.leadership_term_id = self.leadership_term_id
        self.this_member.log_position = self.append_position

    def shared_position(self, member: Member) -> int:
        """Return the position up to which a member's log is known to equal this member's."""
        if member is self.this_member:
            return self.append_position
        log_term_id = member.leadership_term_id
        term_end: int | None = self.append_position
        if log_term_id != self.log_leadership_term_id:
            term_end = self.host.find_term_end(log_term_id, self.append_position)
        return shared_position(log_term_id, member.log_position, self.leadership_term_id, term_end)

    def truncate_log(self, position: int) -> None:
        """Truncate the uncommitted end of the own log, and restart.

        In INIT, where messages are ignored: a vote or canvass position sent meanwhile would state
        a log end that no longer exists, and a change of state would abandon the truncation.
        """
        term_id, end = self.log_leadership_term_id, self.append_position
        self._events.record(
            ClusterEvent.TRUNCATE_LOG_ENTRY,
            log_leadership_term_id=term_id,
            leadership_term_id=self.leadership_term_id,
            candidate_term_id=self.candidate_term_id,
            commit_position=self.host.commit_position,
            log_position=self.log_position,
            append_position=end,
            old_position=end,
            new_position=position,
            member_id=self.this_member.member_id,
            state=self.state,
        )
        self.is_prepared = False
        self.log_position = self.host.commit_position
        self.truncate_position = position
        self.enter(
            ElectionState.INIT, f"cuts off what term {term_id} never committed: {position} to {end}"
        )
