"""What each member's log holds, as far as members told: a model for judging commits.

A log is named by the term and the position that it ends at: it begins as the log of that term's
leader does, up to there. What a leader had before its term, it said when it asked for votes. So two
logs are the same up to where their terms, followed back to a common one, say that they are.

Nothing here is the product's, and nothing is quick.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LogEnd", "Replicas", "is_majority"]

_NO_TERM = -1


class LogEnd(NamedTuple):
    """Where a log ends."""

    term_id: int
    """Of its last term; -1 of one that has none."""
    position: int


class Replicas:
    """The logs of a cluster's members.

    Attributes
    ----------
    ends : dict of int to LogEnd
        Of each member's log now, by member id: lower than before where it was cut off.
    """

    def __init__(self) -> None:
        self.ends: dict[int, LogEnd] = {}
        self._candidates: dict[tuple[int, int], LogEnd] = {}
        self._leaders: dict[int, int] = {}
        self._most: dict[tuple[int, int], int] = {}

    def on_candidate(self, term_id: int, member_id: int, log_end: LogEnd) -> None:
        """Note what a candidate has before its term."""
        self._candidates[term_id, member_id] = log_end
        self.ends[member_id] = log_end

    def on_leader(self, term_id: int, member_id: int) -> None:
        """Note whose term it is."""
        self._leaders[term_id] = member_id

    def on_end(self, member_id: int, log_end: LogEnd) -> None:
        """Note where a member says that its log ends."""
        self.ends[member_id] = log_end
        key = member_id, log_end.term_id
        self._most[key] = max(log_end.position, self._most.get(key, 0))

    def on_appended(self, member_id: int, log_end: LogEnd) -> None:
        """Note how far a follower is in a term; in the midst of one nothing is cut off.

        One that has just caught up says less again: what its log's image has, no more its replay.
        """
        known = self.ends.get(member_id)
        if known is not None and known.term_id == log_end.term_id:
            log_end = max(known, log_end)
        self.on_end(member_id, log_end)

    def most(self, member_id: int, term_id: int) -> LogEnd:
        """Return the most that a member ever said that it has of a term."""
        return LogEnd(term_id, self._most.get((member_id, term_id), 0))

    def common(self, one: LogEnd, other: LogEnd) -> int:
        """Return the position up to which two logs are the same, as far as anybody said."""
        while one.term_id != other.term_id:
            if one.term_id < other.term_id:
                one, other = other, one
            before = self._before(one.term_id)
            one = LogEnd(before.term_id, min(before.position, one.position))
        return min(one.position, other.position)

    def _before(self, term_id: int) -> LogEnd:
        leader = self._leaders.get(term_id)
        if leader is None:
            return LogEnd(_NO_TERM, 0)
        found = self._candidates.get((term_id, leader), LogEnd(_NO_TERM, 0))
        # Nobody's log is of its own term, or a later one, before that begins.
        return found if found.term_id < term_id else LogEnd(_NO_TERM, 0)


def is_majority(count: int, member_count: int) -> bool:
    """Tell whether so many members are more than those that are left."""
    return count > member_count - count
