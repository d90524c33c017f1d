"""From winning an election to leading: LEADER_LOG_REPLICATION to LEADER_READY."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.log.log_replay import REPLAY_INTERVAL_NS
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.quorum import has_quorum_at_position, quorum_position
from aeron_cluster.codecs.cluster import BooleanType, CommitPosition, NewLeadershipTerm

if TYPE_CHECKING:
    from aeron_cluster.cluster.election.progress import ElectionProgress
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.memory.agents.waiting import Waiting

__all__ = ["init", "log_replication", "ready", "replay", "send_new_term"]


def send_new_term(election: ElectionProgress, member: Member, log_leadership_term_id: int) -> None:
    """Send the new term to a member, with the term that follows the member's log term."""
    host = election.host
    if election.log_session_id is None:
        return
    next_term = host.find_term(log_leadership_term_id + 1)
    next_term_id, next_base, next_end = (
        election.leadership_term_id,
        election.append_position,
        NULL_VALUE,
    )
    if next_term is not None:
        next_term_id = next_term.leadership_term_id
        next_base = next_term.term_base_log_position
        next_end = next_term.log_position
        if next_end == NULL_VALUE:
            next_end = election.append_position
    host.send(
        member,
        NewLeadershipTerm.encode(
            log_leadership_term_id=log_leadership_term_id,
            next_leadership_term_id=next_term_id,
            next_term_base_log_position=next_base,
            next_log_position=next_end,
            leadership_term_id=election.leadership_term_id,
            term_base_log_position=election.append_position,
            log_position=election.append_position,
            leader_recording_id=host.log_recording_id,
            timestamp=host.cluster_time(),
            leader_member_id=election.this_member.member_id,
            log_session_id=election.log_session_id,
            app_version=host.app_version,
            is_startup=BooleanType(election.is_leader_startup),
            commit_position=_quorum_position(election),
        ),
    )


def _quorum_position(election: ElectionProgress) -> int:
    """Return the position up to which a majority has the log, at most the end of the own log."""
    position = quorum_position(
        election.members.values(),
        election.now_ns,
        election.times.heartbeat_timeout_ns,
        election.shared_position,
    )
    return min(position, election.append_position)


def _publish_commit_position(election: ElectionProgress) -> int:
    """Resend the new term and the quorum position; return the latter."""
    own, now_ns = election.this_member, election.now_ns
    interval_ns = election.times.heartbeat_interval_ns
    own.log_position = election.append_position
    own.time_of_last_append_ns = now_ns
    if election.repeats.is_due("term", now_ns, interval_ns) and election.log_session_id is not None:
        election.repeats.sent("term", now_ns)
        for member in election.others:
            send_new_term(election, member, election.log_leadership_term_id)
    position = _quorum_position(election)
    published = election.published_commit_position
    is_repeated = position == published and election.repeats.is_due("commit", now_ns, interval_ns)
    # A lower position is not sent: the new term has the same content.
    if position > published or is_repeated:
        election.repeats.sent("commit", now_ns)
        election.published_commit_position = position
        message = CommitPosition.encode(
            leadership_term_id=election.leadership_term_id,
            log_position=position,
            leader_member_id=own.member_id,
        )
        for member in election.others:
            election.host.send(member, message)
    return position


def log_replication(election: ElectionProgress) -> Waiting[None]:
    """Wait until a majority has the log up to this member's end of it."""
    election.log_session_id = yield from election.host.add_log_publication(
        election.leadership_term_id, election.append_position
    )
    while _publish_commit_position(election) < election.append_position:
        _sleep_until_repeat(election)
        yield
    election.enter(ElectionState.LEADER_REPLAY, "a majority has the log")


def _sleep_until_repeat(election: ElectionProgress) -> None:
    interval_ns = election.times.heartbeat_interval_ns
    term_ns = election.repeats.due_ns("term", interval_ns)
    election.sleep_until(min(term_ns, election.repeats.due_ns("commit", interval_ns)))


def replay(election: ElectionProgress) -> Waiting[None]:
    """Read the unread part of the own log."""
    election.is_leader_startup = election.is_node_startup
    election.this_member.leadership_term_id = election.leadership_term_id
    election.this_member.log_position = election.append_position
    if election.log_position < election.append_position:
        replaying = election.host.replay_log(election.log_position, election.append_position)
        for work_count in replaying:
            _publish_commit_position(election)
            election.sleep_until(election.now_ns + REPLAY_INTERVAL_NS)
            yield work_count
        election.log_position = election.append_position
    election.enter(ElectionState.LEADER_INIT, "log replay done")


def init(election: ElectionProgress) -> Waiting[None]:
    """Record the log, and wait until the services read it."""
    term_id = election.leadership_term_id
    yield from election.host.join_log_as_leader(
        term_id, election.log_position, is_startup=election.is_leader_startup
    )
    election.host.append_term(term_id, election.log_position)
    election.log_leadership_term_id = term_id
    election.enter(ElectionState.LEADER_READY, "the log is recorded and joined")


def ready(election: ElectionProgress) -> Waiting[None]:
    """Wait for a majority at the start of the term, and append the term to the log."""
    host, timeout_ns = election.host, election.times.heartbeat_timeout_ns
    while True:
        _publish_commit_position(election)
        if has_quorum_at_position(
            election.members.values(),
            election.leadership_term_id,
            election.log_position,
            election.now_ns,
            timeout_ns,
        ) and host.try_append_term_event(election.log_position):
            break
        yield
    yield from host.complete_as_leader(
        election.leadership_term_id, election.log_position, is_startup=election.is_leader_startup
    )
    election.is_node_startup = False
    election.enter(ElectionState.CLOSED, "the term has begun")
