"""The known commit position of a recorded log.

No counterpart in Aeron: a cluster that runs has a counter for it, one that does not has its
members' recordings, their recording logs and their snapshots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import SegmentError
from aeron_cluster.pipeline.scan.log_agreement import find_difference
from aeron_cluster.pipeline.scan.pieces import MAX_POSITION
from aeron_cluster.pipeline.scan.segment_reader import SegmentReader

if TYPE_CHECKING:
    from aeron_cluster.cluster.state.recording_log import Entry
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.scan.pieces import Piece

__all__ = ["Lenient", "agree", "committed_by_majority", "proven_position"]

_NOWHERE: Final = -1


def proven_position(entries: Sequence[Entry], end_position: int) -> int:
    """Return the commit position that a recording log proves; -1 if none.

    The first frame of a term is appended when a quorum has all that comes before it: where a term
    begins proves something once there is a frame. Where one ends is where the next one begins, or
    where the cluster was shut down in order. Snapshots are taken of what is committed.

    Parameters
    ----------
    entries : sequence of Entry
    end_position : int
        The end of the log's recording.
    """
    bases = {entry.term_base_log_position for entry in entries if entry.is_valid_term}
    proven = _NOWHERE
    for entry in entries:
        if entry.is_valid_term:
            places = [entry.term_base_log_position, entry.log_position]
            proven = max([proven, *(each for each in places if each < end_position)])
            if entry.log_position not in bases:
                proven = max(proven, entry.log_position)
        elif entry.is_valid_snapshot:
            proven = max(proven, entry.log_position)
    return proven


def agree(files: Files, first: Piece, second: Piece) -> int:
    """Return the position up to which two logs are equal; -1 if they have nothing in common.

    Only what both still have is compared: what one has purged counts as the same where the next
    frame is the same. A segment that is not there is a difference.
    """
    begin = max(first.start_position, second.start_position)
    end = min(first.end_position, second.end_position)
    if begin > end or first.term_length != second.term_length:
        return _NOWHERE
    with SegmentReader(files, first) as one, SegmentReader(files, second) as other:
        same = find_difference(Lenient(one), Lenient(other), begin, end)
    if same == begin and first.start_position != second.start_position:
        return _NOWHERE  # nothing proves that what one has purged was as the other's
    return same


class Lenient:
    """Reads nothing where a segment cannot be read: the reader of its rows reports why."""

    def __init__(self, reader: SegmentReader) -> None:
        self._reader = reader

    def read_into(self, buffer: bytearray, position: int) -> int:
        """Fill a buffer from a position; return the number of bytes."""
        try:
            return self._reader.read_into(buffer, position)
        except SegmentError:
            return 0


def committed_by_majority(
    files: Files, pieces: Sequence[Piece], known: Sequence[int | None] = ()
) -> list[Piece]:
    """Return the logs of several members, each with what a majority of them holds byte for byte.

    What one has purged it has had as it was committed: it belongs to the log with the same rest.
    Where others differ in that, a majority of these has to have the same.

    Parameters
    ----------
    files : Files
    pieces : sequence of Piece
    known : sequence of int or None, optional
        Up to where nodes that run know their logs to be committed. That counts, too, up to where
        another log differs; and beyond it nothing is known yet.
    """
    count = len(pieces)
    same = [[piece.end_position] * count for piece in pieces]
    for i in range(count):
        for j in range(i):
            same[i][j] = same[j][i] = agree(files, pieces[i], pieces[j])
    majority = count // 2 + 1
    found = []
    for index, (piece, held) in enumerate(zip(pieces, same, strict=True)):
        committed = min(
            sorted(held, reverse=True)[majority - 1], _first_contested(pieces, index, held)
        )
        by_counter = known[index] if known else None
        if by_counter is not None:
            committed = max(committed, min(by_counter, _first_difference(pieces, index, held)))
        found.append(
            replace(piece, committed_position=committed, is_known_beyond=by_counter is None)
        )
    return found


def _first_difference(pieces: Sequence[Piece], index: int, same: Sequence[int]) -> int:
    """Return where a log differs from any other one that has anything there; else its end."""
    piece = pieces[index]
    position = piece.end_position
    for other, until in zip(pieces, same, strict=True):
        begin = max(piece.start_position, other.start_position)
        end = min(piece.end_position, other.end_position)
        if begin <= end and until < end:
            position = min(position, until)
    return position


def _first_contested(pieces: Sequence[Piece], index: int, same: Sequence[int]) -> int:
    """Return where others differ from a log that some have purged, and no fewer than are with it.

    Parameters
    ----------
    pieces : sequence of Piece
    index : int
        Whose log it is.
    same : sequence of int
        By member, up to where its log is the same.
    """

    def differs(other: int, position: int) -> bool:
        begin = max(pieces[index].start_position, pieces[other].start_position)
        end = min(pieces[index].end_position, pieces[other].end_position)
        return begin <= same[other] <= position < end

    for position in sorted(set(same)):
        if all(each.start_position <= position for each in pieces):
            break
        holders = [
            other
            for other, each in enumerate(pieces)
            if each.start_position <= position < each.end_position
        ]
        against = sum(differs(other, position) for other in holders)
        if against and against >= len(holders) - against:
            return position
    return MAX_POSITION
