"""Nomination, votes and ballots: from CANVASS to the end of a ballot.

A member that receives no messages canvasses forever. If all members, or after a timeout a majority,
would vote for it, it waits a random time, so that two members seldom stand at the same time, and
then requests votes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.members.quorum import (
    is_quorum_candidate,
    is_quorum_leader,
    is_unanimous_candidate,
    is_unanimous_leader,
)
from aeron_cluster.codecs.cluster import CanvassPosition, RequestVote

if TYPE_CHECKING:
    from aeron_cluster.cluster.election.progress import ElectionProgress
    from aeron_cluster.memory.agents.waiting import Waiting

__all__ = ["candidate_ballot", "canvass", "canvass_position", "follower_ballot", "nominate"]

PROTOCOL_VERSION = 1 << 16
"""The protocol version of the consensus stream: 1.0.0."""


def _send_canvass_position(election: ElectionProgress) -> None:
    """Send the own append position to all members, at intervals."""
    interval_ns = election.times.status_interval_ns
    if not election.repeats.is_due("canvass", election.now_ns, interval_ns):
        return
    election.repeats.sent("canvass", election.now_ns)
    election.host.connect_peers()
    message = canvass_position(election, election.log_leadership_term_id)
    for member in election.others:
        election.host.send(member, message)


def canvass_position(election: ElectionProgress, log_leadership_term_id: int) -> bytes:
    """Return the message that this member's log ends in a term, at its append position."""
    return CanvassPosition.encode(
        log_leadership_term_id=log_leadership_term_id,
        log_position=election.append_position,
        leadership_term_id=election.leadership_term_id,
        follower_member_id=election.this_member.member_id,
        protocol_version=PROTOCOL_VERSION,
    )


def canvass(election: ElectionProgress) -> Waiting[None]:
    """Send the own position, and receive those of others, until a nomination is possible."""
    everyone, own = election.members.values(), election.this_member
    while True:
        _send_canvass_position(election)
        deadline_ns = _canvass_deadline_ns(election)
        is_over = election.now_ns >= deadline_ns
        if election.may_stand and (
            is_unanimous_candidate(everyone, own)
            or (is_over and is_quorum_candidate(everyone, own))
        ):
            delay_ns = int(election.host.random() * (election.times.ballot_ns / 2))
            election.nomination_ns = election.now_ns + delay_ns
            kind = "quorum" if is_over else "unanimous"
            election.enter(ElectionState.NOMINATE, f"{kind} candidate")
            return
        next_ns = election.repeats.due_ns("canvass", election.times.status_interval_ns)
        election.sleep_until(next_ns if is_over else min(next_ns, deadline_ns))
        yield


def _canvass_deadline_ns(election: ElectionProgress) -> int:
    if election.is_extended_canvass:
        return election.entered_ns + election.times.startup_canvass_ns
    return election.host.last_leader_update_ns + election.times.heartbeat_timeout_ns


def nominate(election: ElectionProgress) -> Waiting[None]:
    """Wait for a random time, then become a candidate."""
    while election.now_ns < election.nomination_ns:
        _send_canvass_position(election)
        next_ns = election.repeats.due_ns("canvass", election.times.status_interval_ns)
        election.sleep_until(min(next_ns, election.nomination_ns))
        yield
    term_id = election.host.propose_candidate_term(
        election.candidate_term_id + 1, election.log_position
    )
    election.candidate_term_id = term_id
    for member in election.members.values():
        member.candidate_term_id = NULL_VALUE
        member.vote = None
    election.this_member.candidate_term_id = term_id
    election.this_member.vote = True
    election.enter(ElectionState.CANDIDATE_BALLOT, f"candidate for term {term_id}")


def candidate_ballot(election: ElectionProgress) -> Waiting[None]:
    """Request each member's vote once, and count the votes."""
    everyone, term_id = election.members.values(), election.candidate_term_id
    deadline_ns = election.entered_ns + election.times.ballot_ns
    remaining = list(election.others)
    while True:
        if election.candidate_term_id > term_id:
            # Members that promised that term follow no leader of this one, this member neither.
            election.enter(
                ElectionState.CANVASS, f"another candidate for term {election.candidate_term_id}"
            )
            return
        is_over = election.now_ns >= deadline_ns
        is_unanimous = is_unanimous_leader(everyone, term_id)
        if is_unanimous or (is_over and is_quorum_leader(everyone, term_id)):
            break
        if is_over:
            election.enter(ElectionState.CANVASS, f"not elected in term {term_id}")
            return
        request = RequestVote.encode(
            log_leadership_term_id=election.log_leadership_term_id,
            log_position=election.append_position,
            candidate_term_id=term_id,
            candidate_member_id=election.this_member.member_id,
            protocol_version=PROTOCOL_VERSION,
        )
        remaining = [member for member in remaining if not election.host.send(member, request)]
        if not remaining:
            election.sleep_until(deadline_ns)
        yield
    election.leader = election.this_member
    election.leadership_term_id = term_id
    kind = "unanimous" if is_unanimous else "quorum"
    election.enter(ElectionState.LEADER_LOG_REPLICATION, f"{kind} leader of term {term_id}")


def follower_ballot(election: ElectionProgress) -> Waiting[None]:
    """Wait for the leader that this member voted for.

    For longer than the candidate, unlike upstream's members: a candidate without all votes leads at
    the end of its ballot, and the message with its term follows when it has added its log. A
    majority of followers that canvassed meanwhile, of five members or more, would nominate one of
    them, and replace that leader at once.
    """
    ballot_ns = election.times.ballot_ns + election.times.status_interval_ns
    deadline_ns = election.entered_ns + ballot_ns
    while election.now_ns < deadline_ns:
        election.sleep_until(deadline_ns)
        yield
    election.enter(ElectionState.CANVASS, "no leader within the ballot timeout")
