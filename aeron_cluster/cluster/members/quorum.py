"""Arithmetic over the members of a cluster: pure functions over plain values.

Upstream: the static functions of ClusterMember.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter

from aeron_cluster.cluster.members.members import NULL_VALUE, Member

__all__ = [
    "compare_log",
    "has_active_quorum",
    "has_quorum_at_position",
    "is_active",
    "is_quorum_candidate",
    "is_quorum_leader",
    "is_unanimous_candidate",
    "is_unanimous_leader",
    "quorum_position",
    "quorum_threshold",
    "shared_position",
    "will_vote_for",
]


def quorum_threshold(member_count: int) -> int:
    """Return the number of members in a majority."""
    return member_count // 2 + 1


def is_active(time_of_last_append_ns: int, now_ns: int, timeout_ns: int) -> bool:
    """Return whether a member counts as active, given the time of its last message.

    A member without a message does not: on a monotonic clock -1 may lie within the timeout.
    """
    is_known = time_of_last_append_ns != NULL_VALUE
    return is_known and time_of_last_append_ns + timeout_ns > now_ns


def has_active_quorum(members: Iterable[Member], now_ns: int, timeout_ns: int) -> bool:
    """Return whether a majority was active within the timeout, this member included."""
    activity = [is_active(member.time_of_last_append_ns, now_ns, timeout_ns) for member in members]
    return sum(activity) >= quorum_threshold(len(activity))


def shared_position(log_term_id: int, log_position: int, term_id: int, term_end: int | None) -> int:
    """Return the position up to which a member's log is known to equal the leader's.

    A former leader may have entries that the current leader's log lacks, at positions where that
    log has other entries. Upstream counts such positions for a majority.

    Parameters
    ----------
    log_term_id, log_position : int
        The end of the member's log: its last term, and the position in bytes.
    term_id : int
        The leader's last term.
    term_end : int or None
        The end of the member's last term in the leader's log; None if it has no such term.
    """
    if log_term_id == term_id:
        return log_position
    return 0 if term_end is None else min(log_position, term_end)


def quorum_position(
    members: Iterable[Member],
    now_ns: int,
    timeout_ns: int,
    position_of: Callable[[Member], int] = attrgetter("log_position"),
) -> int:
    """Return the position, in bytes, that a majority of active members has appended.

    Parameters
    ----------
    members : iterable of Member
    now_ns, timeout_ns : int
    position_of : callable
        The position that counts for a member, if not the reported one.

    Returns
    -------
    int
        The threshold-th largest position among active members; 0 when fewer are active.
    """
    everyone = list(members)
    positions = sorted(
        (
            position_of(member)
            for member in everyone
            if is_active(member.time_of_last_append_ns, now_ns, timeout_ns)
        ),
        reverse=True,
    )
    threshold = quorum_threshold(len(everyone))
    return positions[threshold - 1] if len(positions) >= threshold else 0


def has_quorum_at_position(
    members: Iterable[Member], leadership_term_id: int, position: int, now_ns: int, timeout_ns: int
) -> bool:
    """Return whether a majority is active and has reached a position in exactly that term."""
    ready = [
        is_active(member.time_of_last_append_ns, now_ns, timeout_ns)
        and member.leadership_term_id == leadership_term_id
        and member.log_position >= position
        for member in members
    ]
    return sum(ready) >= quorum_threshold(len(ready))


def compare_log(term_a: int, position_a: int, term_b: int, position_b: int) -> int:
    """Compare two logs by their last term first, then by position: -1, 0 or 1."""
    a, b = (term_a, position_a), (term_b, position_b)
    return (a > b) - (a < b)


def will_vote_for(member: Member, candidate: Member) -> bool:
    """Return whether a member's known log permits its vote, regardless of its activity."""
    return (
        member.log_position != NULL_VALUE
        and compare_log(
            member.leadership_term_id,
            member.log_position,
            candidate.leadership_term_id,
            candidate.log_position,
        )
        <= 0
    )


def is_unanimous_candidate(members: Iterable[Member], candidate: Member) -> bool:
    """Return whether every active member would vote for a candidate."""
    everyone = list(members)
    present = [member for member in everyone if not member.is_graceful_closed_leader]
    return len(present) >= quorum_threshold(len(everyone)) and all(
        will_vote_for(member, candidate) for member in present
    )


def is_quorum_candidate(members: Iterable[Member], candidate: Member) -> bool:
    """Return whether a majority would vote for a candidate."""
    willing = [will_vote_for(member, candidate) for member in members]
    return sum(willing) >= quorum_threshold(len(willing))


def is_unanimous_leader(members: Iterable[Member], candidate_term_id: int) -> bool:
    """Return whether every active member voted for the candidate of a term."""
    everyone = list(members)
    present = [member for member in everyone if not member.is_graceful_closed_leader]
    return len(present) >= quorum_threshold(len(everyone)) and all(
        member.candidate_term_id == candidate_term_id and member.vote is True for member in present
    )


def is_quorum_leader(members: Iterable[Member], candidate_term_id: int) -> bool:
    """Return whether a majority voted for the candidate of a term, and no member against."""
    everyone = list(members)
    votes = [member.vote for member in everyone if member.candidate_term_id == candidate_term_id]
    return votes.count(True) >= quorum_threshold(len(everyone)) and False not in votes
