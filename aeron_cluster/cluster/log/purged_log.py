"""A log that begins too late for a member: the others have purged the part that it lacks.

No counterpart in Aeron, whose archives reject such a replay with the same text.
"""

from __future__ import annotations

from typing import Final

from aeron_cluster.errors import ArchiveError, LogMismatchError

__all__ = ["purged_log_error"]

_BEGINS_LATER: Final = "is less than recording start position"


def purged_log_error(
    error: Exception, *, member_id: int, leadership_term_id: int, log_position: int
) -> LogMismatchError | None:
    """Return the error to report if an archive rejected a replay for this reason, else None.

    Parameters
    ----------
    error : Exception
        The error of this member's archive, or, without a code, of another's in a replication.
    member_id : int
        The member that lacks a part of the log.
    leadership_term_id, log_position : int
        The position up to which it has the log.
    """
    if not isinstance(error, ArchiveError) or _BEGINS_LATER not in error.message:
        return None
    return LogMismatchError(
        f"expected a log from there on, found one whose beginning is purged ({error})",
        member_id=member_id,
        leadership_term_id=leadership_term_id,
        log_position=log_position,
        remedy="stop it, and start it from a backup: aeron-cluster restore BACKUP --dir DIR",
    )
