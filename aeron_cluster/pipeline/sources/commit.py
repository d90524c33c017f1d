"""The known commit position of a recorded log.

No counterpart in Aeron. A running cluster has a counter for it; otherwise it follows from members'
recordings, recording logs and snapshots.
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

_NO_POSITION: Final = -1


def proven_position(entries: Sequence[Entry], end_position: int) -> int:
    """Return the commit position that a recording log proves; -1 if it proves none.

    A leader appends the first frame of its term when a quorum has the log before it, so the start
    of a term with a frame is committed. A term ends where the next one begins or where the cluster
    was shut down. The log before a snapshot is committed.

    Parameters
    ----------
    entries : sequence of Entry
    end_position : int
        The end of the log's recording, in bytes.
    """
    bases = {entry.term_base_log_position for entry in entries if entry.is_valid_term}
    proven = _NO_POSITION
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
    """Return the position up to which two logs are equal; -1 if they have no common part.

    Only the part that both have is compared; a purged part counts as equal if the next frame is
    equal. A missing segment is a difference.
    """
    begin = max(first.start_position, second.start_position)
    end = min(first.end_position, second.end_position)
    if begin > end or first.term_length != second.term_length:
        return _NO_POSITION
    with SegmentReader(files, first) as one, SegmentReader(files, second) as other:
        same = find_difference(Lenient(one), Lenient(other), begin, end)
    if same == begin and first.start_position != second.start_position:
        return _NO_POSITION  # nothing proves that the purged part was equal
    return same


class Lenient:
    """Returns no data if a segment cannot be read; the reader of its rows reports the reason."""

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
    """Return the logs of several members with the commit position that a majority proves.

    A purged part was committed, so the member counts for logs that equal its remaining part. If the
    others differ in the purged part, a majority of these must be equal.

    Parameters
    ----------
    files : Files
    pieces : sequence of Piece
    known : sequence of int or None, optional
        The commit positions of running nodes. They are used up to the first difference from another
        log; beyond them nothing is known.
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
            replace(piece, committed_position=committed, is_rest_uncommitted=by_counter is None)
        )
    return found


def _first_difference(pieces: Sequence[Piece], index: int, same: Sequence[int]) -> int:
    """Return the position at which a log differs from another log with data there; else its end."""
    piece = pieces[index]
    position = piece.end_position
    for other, until in zip(pieces, same, strict=True):
        begin = max(piece.start_position, other.start_position)
        end = min(piece.end_position, other.end_position)
        if begin <= end and until < end:
            position = min(position, until)
    return position


def _first_contested(pieces: Sequence[Piece], index: int, same: Sequence[int]) -> int:
    """Return the position at which at least half of the others differ from a partly purged log.

    Parameters
    ----------
    pieces : sequence of Piece
    index : int
        The index of the log's member.
    same : sequence of int
        For each member, the position up to which its log is equal.
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
