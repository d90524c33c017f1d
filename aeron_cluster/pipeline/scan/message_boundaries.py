"""Find the position up to which a growing recording contains complete messages.

A range that ends there has all of what begins in it, and so has one that begins there: ends that
are noted, to continue from them, are such places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.errors import SegmentError
from aeron_cluster.pipeline.columns.column_buffers import ColumnId
from aeron_cluster.pipeline.scan.pieces import Range
from aeron_cluster.pipeline.scan.range_scan import open_scanner
from aeron_cluster.pipeline.scan.segment_reader import SegmentReader

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.scan.pieces import Mode, Piece

__all__ = ["last_boundary"]


def last_boundary(
    files: Files, piece: Piece, begin: int, target: int, mode: Mode = "strict"
) -> int:
    """Return the last place up to a target where messages end; the first one after it at least.

    Parameters
    ----------
    files : Files
    piece : Piece
    begin : int
        Such a place.
    target : int
        Bytes of the stream. Only its term is read: no message goes over the end of one.
    mode : str
        A permissive one takes damage before the target for a part of what comes before that.

    Returns
    -------
    int
        Where it begins, if no message ends up to the end of the piece.

    Raises
    ------
    SegmentError
        In a strict mode, damage on the way; none that lies after the place.
    """
    target = min(target, piece.end_position)
    if target <= begin:
        return begin
    border = max(begin, piece.term_begin(target))
    if border == target:
        return border
    with SegmentReader(files, piece) as reader:
        part = Range(piece, border, piece.end_position)
        scanner, buffers = open_scanner(
            reader, part, [ColumnId.END_POSITION], is_assembled=True, max_rows=1024
        )
        goes_on = True
        while goes_on:
            damage: SegmentError | None = None
            try:
                goes_on = scanner.next_batch()
            except SegmentError as error:
                damage = error
            if len(buffers) > 0:
                _, _, values, _ = buffers.take()[0]
                for end in memoryview(values).cast("q"):
                    if end > target and border > begin:
                        return border
                    border = end
                    if end >= target:
                        return border
            if damage is None:
                continue
            if mode == "strict":
                raise damage
            if scanner.position < target:
                return target
            # Of what begins before the damage nothing more ends.
            return border if border > begin else scanner.position
    return border
