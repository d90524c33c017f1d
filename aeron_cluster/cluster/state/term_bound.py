"""The bound of leadership terms ahead of those that a member knows.

No counterpart in Aeron, whose members accept every term and record each one in between.
"""

from typing import Final

__all__ = ["MAX_TERMS_AHEAD", "is_credible"]

_NO_TERM: Final = -1

MAX_TERMS_AHEAD: Final = 1 << 20
"""More terms than elections bring while a member is down or cut off.

A candidate has received the canvass of a majority, and goes one term up; the next nomination comes
no sooner than after a ballot, one second by default, as of Java's members. So these are about
twelve days of ballots in a row without a leader; with leaders that are lost at once, some months.
A member that can be reached meanwhile learns of every ballot. Java's members, which have no bound,
would record each of so many terms, and send nothing for as long as that takes. What is further
ahead comes from a damaged file: all bits from here up of a term id that is not.
"""


def is_credible(leadership_term_id: int, known_term_id: int) -> bool:
    """Return whether elections may have brought a term, where another is known.

    Parameters
    ----------
    leadership_term_id, known_term_id : int
        A member that knows no term, -1, may come to a cluster of any age.
    """
    return known_term_id == _NO_TERM or leadership_term_id - known_term_id <= MAX_TERMS_AHEAD
