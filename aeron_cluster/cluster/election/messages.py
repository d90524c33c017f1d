"""Other members' messages during an election, and their effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.election.ballots import canvass_position
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.election.leader import send_new_term
from aeron_cluster.cluster.election.progress import MissingTerm
from aeron_cluster.cluster.members.members import NULL_VALUE, Member
from aeron_cluster.cluster.members.quorum import compare_log
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import BooleanType
from aeron_cluster.errors import ClusterError, ElectionRestartError

if TYPE_CHECKING:
    from aeron_cluster.cluster.election.progress import ElectionProgress
    from aeron_cluster.codecs.message import Message

__all__ = ["on_message"]

_BALLOTS: Final = (ElectionState.CANDIDATE_BALLOT, ElectionState.FOLLOWER_BALLOT)
_UNDECIDED: Final = (ElectionState.CANVASS, ElectionState.NOMINATE, *_BALLOTS)
_OF_LEADER: Final = (
    ElectionState.LEADER_LOG_REPLICATION,
    ElectionState.LEADER_REPLAY,
    ElectionState.LEADER_INIT,
    ElectionState.LEADER_READY,
)
# The states in which a leader waits for a majority, which may follow another one by now.
_AWAITING_OTHERS: Final = (ElectionState.LEADER_LOG_REPLICATION, ElectionState.LEADER_READY)


def on_message(election: ElectionProgress, message: Message) -> None:
    """Handle a message; messages of non-members, and of other types, are ignored."""
    match message:
        case codecs.CanvassPosition():
            _on_canvass_position(election, message)
        case codecs.RequestVote():
            _on_request_vote(election, message)
        case codecs.Vote():
            _on_vote(election, message)
        case codecs.NewLeadershipTerm():
            _on_new_leadership_term(election, message)
        case codecs.AppendPosition():
            _on_append_position(election, message)
        case codecs.CommitPosition():
            _on_commit_position(election, message)
        case _:
            pass


def _other(election: ElectionProgress, member_id: int) -> Member | None:
    member = election.members.get(member_id)
    return None if member is election.this_member else member


def _record_position(
    election: ElectionProgress, member: Member, term_id: int, log_position: int
) -> None:
    member.leadership_term_id = term_id
    member.log_position = log_position
    member.time_of_last_append_ns = election.now_ns


def _on_canvass_position(election: ElectionProgress, message: codecs.CanvassPosition) -> None:
    member = _other(election, message.follower_member_id)
    if member is None:
        return
    member.is_graceful_closed_leader = False
    log_term_id = message.log_leadership_term_id
    _record_position(election, member, log_term_id, message.log_position)
    if log_term_id < election.leadership_term_id:
        if election.state in _OF_LEADER:
            send_new_term(election, member, log_term_id)
    elif log_term_id > election.leadership_term_id and election.state in _AWAITING_OTHERS:
        raise ElectionRestartError(
            f"WARN - potential new election in progress: {election!r}: member"
            f" {member.member_id} is in term {log_term_id} already"
        )


# ---- ballots ----


def _on_request_vote(election: ElectionProgress, message: codecs.RequestVote) -> None:
    candidate = _other(election, message.candidate_member_id)
    if candidate is None:
        return
    term_id = message.candidate_term_id
    if term_id <= election.candidate_term_id:
        _vote(election, candidate, term_id, is_for=False)
        return
    is_own_log_better = (
        compare_log(
            election.log_leadership_term_id,
            election.append_position,
            message.log_leadership_term_id,
            message.log_position,
        )
        > 0
    )
    if not is_own_log_better and election.state not in _UNDECIDED:
        return
    # The promise is stored on disk before the vote is sent.
    election.candidate_term_id = election.host.propose_candidate_term(term_id, message.log_position)
    _vote(election, candidate, term_id, is_for=not is_own_log_better)
    if not is_own_log_better:
        election.enter(
            ElectionState.FOLLOWER_BALLOT, f"voted for {candidate.member_id} in term {term_id}"
        )
    elif election.state in _OF_LEADER:
        # A member that promised the later term does not follow a leader of an earlier one: see
        # _challenge.
        raise ElectionRestartError(
            f"WARN - {election!r}: member {candidate.member_id} is a candidate for term {term_id}"
        )


def _vote(election: ElectionProgress, candidate: Member, term_id: int, *, is_for: bool) -> None:
    message = codecs.Vote.encode(
        candidate_term_id=term_id,
        log_leadership_term_id=election.log_leadership_term_id,
        log_position=election.append_position,
        candidate_member_id=candidate.member_id,
        follower_member_id=election.this_member.member_id,
        vote=BooleanType(is_for),
    )
    election.host.send(candidate, message)


def _on_vote(election: ElectionProgress, message: codecs.Vote) -> None:
    voter = _other(election, message.follower_member_id)
    if (
        voter is None
        or election.state is not ElectionState.CANDIDATE_BALLOT
        or message.candidate_term_id != election.candidate_term_id
        or message.candidate_member_id != election.this_member.member_id
    ):
        return
    voter.candidate_term_id = message.candidate_term_id
    voter.vote = message.vote is BooleanType.TRUE
    _record_position(election, voter, message.log_leadership_term_id, message.log_position)


# ---- a leader ----


def _on_new_leadership_term(election: ElectionProgress, message: codecs.NewLeadershipTerm) -> None:
    leader = _other(election, message.leader_member_id)
    if leader is None:
        return
    leader.is_graceful_closed_leader = False
    if leader is election.leader:
        election.leader_message_ns = election.now_ns
    term_id = message.leadership_term_id
    is_voted_for = election.state in _BALLOTS and term_id == election.candidate_term_id
    if election.state is ElectionState.CANVASS and term_id < election.candidate_term_id:
        _challenge(election, leader)
    elif is_voted_for or election.state is ElectionState.CANVASS:
        if message.log_leadership_term_id == election.log_leadership_term_id:
            _follow_leader(election, leader, message)
        elif not _confirm_last_term(election, leader, message):
            election.enter(
                ElectionState.CANVASS,
                f"the leader's message is for log term {message.log_leadership_term_id}",
            )
    elif (
        election.state is ElectionState.FOLLOWER_LOG_REPLICATION
        and leader is election.leader
        and message.log_leadership_term_id == election.log_leadership_term_id
        and election.missing is not None
    ):
        election.missing.deadline_ns = election.now_ns + election.times.heartbeat_timeout_ns


def _challenge(election: ElectionProgress, leader: Member) -> None:
    """Reject a leader of an earlier term than one in which this member voted.

    Following it could help to commit entries that the later term's leader will truncate; upstream's
    members would follow. A leader that receives a vote request of a later term becomes a candidate
    again.

    This member is not a candidate of that term, so a vote for it would be lost for the real one,
    and the voter would wait for a ballot. So the request states an invalid log end: all members,
    including upstream's, reject it, and still learn the term.
    """
    if not election.repeats.is_due("challenge", election.now_ns, election.times.ballot_ns):
        return
    election.repeats.sent("challenge", election.now_ns)
    message = codecs.RequestVote.encode(
        log_leadership_term_id=NULL_VALUE,
        log_position=NULL_VALUE,
        candidate_term_id=election.candidate_term_id,
        candidate_member_id=election.this_member.member_id,
    )
    election.host.send(leader, message)


def _query_last_term(
    election: ElectionProgress, leader: Member, message: codecs.NewLeadershipTerm
) -> bool:
    """Query the leader where this log's last term begins, if it has no entries here.

    It began at the end of this log, and its leader may have been replaced before it appended
    anything. If so, a leader with a longer log of the term before has other entries from that
    position, and its message about what follows the last term does not show that.

    Returns
    -------
    bool
        Whether the last term has no entries, and another one is before it.
    """
    last_term_id = election.log_leadership_term_id
    term = election.host.find_term(last_term_id)
    if (
        term is None
        or term.term_base_log_position < election.append_position
        or election.host.find_term(last_term_id - 1) is None
    ):
        return False
    election.enter(ElectionState.CANVASS, "the leader may lack the last term")
    election.unconfirmed_term = message
    election.host.send(leader, canvass_position(election, last_term_id - 1))
    return True


def _confirm_last_term(
    election: ElectionProgress, leader: Member, message: codecs.NewLeadershipTerm
) -> bool:
    """Handle the answer to `_query_last_term`; return False if it is not one."""
    unconfirmed, term_before = election.unconfirmed_term, election.log_leadership_term_id - 1
    if (
        unconfirmed is None
        or message.log_leadership_term_id != term_before
        or message.leadership_term_id != unconfirmed.leadership_term_id
    ):
        return False
    if message.next_term_base_log_position > election.append_position:
        # It was elected by a majority that never began the last term: nothing is committed in it.
        election.host.drop_terms_after(term_before)
        election.log_leadership_term_id = term_before
        # That may have no entries either: then the leader is queried again.
        _follow_leader(election, leader, message)
    else:
        _follow_leader(election, leader, unconfirmed, is_confirmed=True)
    return True


def _follow_leader(
    election: ElectionProgress,
    leader: Member,
    message: codecs.NewLeadershipTerm,
    *,
    is_confirmed: bool = False,
) -> None:
    """Follow a leader that knows this member's log.

    Parameters
    ----------
    election : ElectionProgress
    leader : Member
    message : NewLeadershipTerm
    is_confirmed : bool
        Whether the leader's log is known to have this log's last term.
    """
    own_end, next_base = election.append_position, message.next_term_base_log_position
    if next_base != NULL_VALUE and next_base < own_end:
        election.truncate_log(next_base)
        return
    if own_end < next_base and not is_confirmed and _query_last_term(election, leader, message):
        return
    election.leader = leader
    election.leader_message_ns = election.now_ns
    election.is_leader_startup = message.is_startup is BooleanType.TRUE
    election.leadership_term_id = message.leadership_term_id
    election.candidate_term_id = max(election.candidate_term_id, message.leadership_term_id)
    election.log_session_id = message.log_session_id
    election.leader_recording_id = message.leader_recording_id
    is_behind = own_end < message.log_position
    election.catchup_join_position = message.log_position if is_behind else NULL_VALUE
    # Before schema version 15 the field is missing, and has the smallest value.
    election.notified_commit_position = max(
        election.notified_commit_position, message.commit_position
    )
    # Of a later term, the terms before it are copied first: their bases are recorded.
    if own_end >= message.term_base_log_position:
        if election.lacks_replay and own_end == 0 < message.log_position:
            election.lacks_replay = False
            _start_log_replication(
                election,
                message.leadership_term_id,
                message.term_base_log_position,
                message.log_position,
            )
        else:
            election.enter(ElectionState.FOLLOWER_REPLAY, f"member {leader.member_id} leads")
    elif message.next_leadership_term_id == NULL_VALUE:
        raise ClusterError(
            f"invalid newLeadershipTerm: {election!r}: expected the leader of term"
            f" {message.leadership_term_id} to name the term after log term"
            f" {election.log_leadership_term_id}, found none"
        )
    elif own_end < next_base and election.log_leadership_term_id == NULL_VALUE:
        # A leader that was restored from a backup may lack the first terms. What is copied
        # is recorded as term 0's, until the terms that begin in it are read.
        _start_log_replication(election, 0, own_end, next_base)
    elif own_end < next_base:
        _start_log_replication(election, election.log_leadership_term_id, NULL_VALUE, next_base)
    elif message.next_log_position != NULL_VALUE:
        _start_log_replication(
            election, message.next_leadership_term_id, next_base, message.next_log_position
        )


def _start_log_replication(
    election: ElectionProgress, term_id: int, base: int, stop_position: int
) -> None:
    election.missing = MissingTerm(term_id, base, stop_position, election.now_ns)
    election.enter(
        ElectionState.FOLLOWER_LOG_REPLICATION, f"lacks term {term_id} up to {stop_position}"
    )


# ---- positions ----


def _on_append_position(election: ElectionProgress, message: codecs.AppendPosition) -> None:
    member = _other(election, message.follower_member_id)
    if member is not None and message.leadership_term_id <= election.leadership_term_id:
        _record_position(election, member, message.leadership_term_id, message.log_position)


def _on_commit_position(election: ElectionProgress, message: codecs.CommitPosition) -> None:
    leader = _other(election, message.leader_member_id)
    if leader is None:
        return
    if leader is election.leader:
        election.leader_message_ns = election.now_ns
        election.notified_commit_position = max(
            election.notified_commit_position, message.log_position
        )
        if (
            election.state is ElectionState.FOLLOWER_LOG_REPLICATION
            and election.missing is not None
        ):
            election.missing.deadline_ns = election.now_ns + election.times.heartbeat_timeout_ns
    elif (
        election.state in _AWAITING_OTHERS
        and message.leadership_term_id > election.leadership_term_id
    ):
        raise ElectionRestartError(
            f"WARN - new leader detected due to commit position: {election!r}: member"
            f" {leader.member_id} leads term {message.leadership_term_id}"
        )
