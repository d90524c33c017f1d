"""The logs of the members, as reported: a model for checking commits.

A log is identified by the term and the position of its end: up to there it equals the log of that
term's leader. The end of a leader's log before its term is in its request for votes. So two logs
are compared by following their terms back to a common one.

It shares no code with the product, and is not optimized.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LogEnd", "Replicas", "is_majority"]

_NO_TERM = -1


class LogEnd(NamedTuple):
    """The end of a log."""

    term_id: int
    """Its last term; -1 if it has none."""
    position: int


class Replicas:
    """The logs of a cluster's members.

    Attributes
    ----------
    ends : dict of int to LogEnd
        The current end of each member's log, by member id: lower than before after a truncation.
    """

    def __init__(self) -> None:
        self.ends: dict[int, LogEnd] = {}
        self._candidates: dict[tuple[int, int], LogEnd] = {}
        self._leaders: dict[int, int] = {}
        self._highest: dict[tuple[int, int], int] = {}

    def on_candidate(self, term_id: int, member_id: int, log_end: LogEnd) -> None:
        """Record the log of a candidate before its term."""
        log_end = self._without_empty_term(member_id, log_end)
        self._candidates[term_id, member_id] = log_end
        self.ends[member_id] = log_end

    def on_leader(self, term_id: int, member_id: int) -> None:
        """Record the leader of a term."""
        self._leaders[term_id] = member_id

    def on_end(self, member_id: int, log_end: LogEnd) -> None:
        """Record the end of its log that a member reported.

        A term that nobody led added nothing: a log of the same length that ends in it is unchanged.
        """
        known = self.ends.get(member_id)
        is_led = log_end.term_id in self._leaders
        if known is not None and known.position == log_end.position and not is_led:
            return
        self.ends[member_id] = log_end
        key = member_id, log_end.term_id
        self._highest[key] = max(log_end.position, self._highest.get(key, 0))

    def on_appended(self, member_id: int, log_end: LogEnd) -> None:
        """Record the append position of a follower; outside an election its log is never truncated.

        A follower that has just caught up reports a lower position: that of the live log's image
        instead of the replay's.
        """
        known = self.ends.get(member_id)
        if known is not None and known.term_id == log_end.term_id:
            log_end = max(known, log_end)
        self.on_end(member_id, log_end)

    def highest_end(self, member_id: int, term_id: int) -> LogEnd:
        """Return the highest position that a member ever reported in a term."""
        return LogEnd(term_id, self._highest.get((member_id, term_id), 0))

    def common(self, one: LogEnd, other: LogEnd) -> int:
        """Return the position up to which two logs are known to be the same."""
        while one.term_id != other.term_id:
            if one.term_id < other.term_id:
                one, other = other, one
            before = self._before(one.term_id)
            one = LogEnd(before.term_id, min(before.position, one.position))
        return min(one.position, other.position)

    def is_traced(self, end: LogEnd) -> bool:
        """Return whether the leaders of all terms that a log goes back to are known."""
        while end.term_id != _NO_TERM:
            leader = self._leaders.get(end.term_id)
            if leader is None or (end.term_id, leader) not in self._candidates:
                return False
            end = self._before(end.term_id)
        return True

    def _without_empty_term(self, member_id: int, log_end: LogEnd) -> LogEnd:
        """Return the end of a log whose last term may be one that nobody led: it added nothing.

        A leader stores the terms that its log lacks before its own, and may end in between.
        """
        if log_end.term_id in self._leaders:
            return log_end
        known = self.ends.get(member_id, log_end)
        while known.term_id > log_end.term_id:
            known = self._before(known.term_id)
        if known.position < log_end.position:
            return log_end
        return LogEnd(known.term_id, log_end.position)

    def _before(self, term_id: int) -> LogEnd:
        leader = self._leaders.get(term_id)
        if leader is None:
            return LogEnd(_NO_TERM, 0)
        found = self._candidates.get((term_id, leader), LogEnd(_NO_TERM, 0))
        # A log before a term has entries of earlier terms only.
        return found if found.term_id < term_id else LogEnd(_NO_TERM, 0)


def is_majority(count: int, member_count: int) -> bool:
    """Return whether a number of members is larger than the number of all others."""
    return count > member_count - count
