"""The position up to which a member's log may be purged: no reader needs earlier log.

Ours alone: upstream leaves purging to scripts. Pure functions over what is known; `log_purge` finds
that out, and asks the archive.
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
        In bytes. Segments go as a whole.
    """

    start_position: int
    end_position: int
    term_buffer_length: int
    segment_file_length: int

    def segment_base(self, position: int) -> int:
        """Return where the segment begins that holds a position."""
        return base_position(
            self.start_position, position, self.term_buffer_length, self.segment_file_length
        )


def kept_snapshots(positions: Iterable[int], kept: int) -> Sequence[int]:
    """Return the positions of the newest snapshots, ascending; of fewer, all there are."""
    return sorted(set(positions))[-kept:]


def purge_position(
    extent: LogExtent, snapshots: Iterable[int], kept: int, held: Iterable[int]
) -> int:
    """Return where the log may begin from now on.

    Parameters
    ----------
    extent : LogExtent
        The extent of this member's log.
    snapshots : iterable of int
        The positions of the whole, valid snapshots of this member.
    kept : int
        From how many of them, the newest, it must be able to recover; at least 1.
    held : iterable of int
        For each of the others that may have to read on in this log (the other members, the
        backups) a position up to which it has all it needs; -1 where nothing is known of it.

    Returns
    -------
    int
        The base of a segment; `extent.start_position` if nothing may be purged.

    Notes
    -----
    A member with a snapshot at a position has its log up to there at least: what it can miss lies
    after it. So it has all it needs up to the position of its newest snapshot.
    """
    newest = kept_snapshots(snapshots, kept)
    if len(newest) < kept:
        return extent.start_position
    needed = min(newest[0], extent.end_position, *held)
    if needed < extent.start_position:
        return extent.start_position
    return max(extent.segment_base(needed), extent.start_position)
