"""The limit of leadership terms ahead of a member's known ones.

No counterpart in Aeron, whose members accept every term and record each one in between.
"""

from typing import Final

__all__ = ["MAX_TERMS_AHEAD", "is_credible"]

_NO_TERM: Final = -1

MAX_TERMS_AHEAD: Final = 1 << 20
"""More terms than elections can reach while a member is down or disconnected.

A candidate has received the canvass of a majority, and advances by one term; the next nomination
takes at least a ballot, one second by default, also for Java's members. So these are about twelve
days of consecutive ballots without a leader, or several months with leaders that fail immediately.
A reachable member learns of every ballot. Java's members, which have no limit, would record each of
so many terms, and send nothing meanwhile. A term further ahead must come from a damaged file.
"""


def is_credible(leadership_term_id: int, known_term_id: int) -> bool:
    """Return whether elections can have reached a term from a known one.

    Parameters
    ----------
    leadership_term_id, known_term_id : int
        A member without a term, -1, may join a cluster of any age.
    """
    return known_term_id == _NO_TERM or leadership_term_id - known_term_id <= MAX_TERMS_AHEAD
