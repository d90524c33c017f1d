"""The position up to which a member's log may be purged: no reader needs earlier log.

No counterpart in Aeron, which leaves purging to scripts. Pure functions; `log_purge` collects their
arguments, and sends requests to the archive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aeron_cluster.archive.storage.segments import base_position

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["LogExtent", "kept_snapshots", "purge_position"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogExtent:
    """The extent of the log in a member's archive.

    Parameters
    ----------
    start_position, end_position : int
        The bounds of the recording, in bytes; of an active one its recorded position.
    term_buffer_length, segment_file_length : int
        The length of a segment in bytes. Only complete segments are purged.
    """

    start_position: int
    end_position: int
    term_buffer_length: int
    segment_file_length: int

    def segment_base(self, position: int) -> int:
        """Return the base of the segment that contains a position."""
        return base_position(
            self.start_position, position, self.term_buffer_length, self.segment_file_length
        )


def kept_snapshots(positions: Iterable[int], kept: int) -> Sequence[int]:
    """Return the positions of the newest snapshots, at most `kept`, ascending."""
    return sorted(set(positions))[-kept:]


def purge_position(
    extent: LogExtent, snapshots: Iterable[int], kept: int, peers: Iterable[int]
) -> int:
    """Return the position from which the log must be kept.

    Parameters
    ----------
    extent : LogExtent
        The extent of this member's log.
    snapshots : iterable of int
        The positions of this member's complete, valid snapshots.
    kept : int
        The number of the newest snapshots that it must be able to recover from; at least 1.
    peers : iterable of int
        For each other reader of this log (members and backups) a position up to which it needs
        nothing more; -1 if unknown.

    Returns
    -------
    int
        The base of a segment; `extent.start_position` if nothing may be purged.

    Notes
    -----
    A member with a snapshot at a position has its log at least up to there, and can only need later
    log. So it needs nothing before the position of its newest snapshot.
    """
    newest = kept_snapshots(snapshots, kept)
    if len(newest) < kept:
        return extent.start_position
    needed = min(newest[0], extent.end_position, *peers)
    if needed < extent.start_position:
        return extent.start_position
    return max(extent.segment_base(needed), extent.start_position)
