"""Finds message boundaries in a growing recording.

A range between two boundaries contains only complete messages. A reader that saves its position to
continue later must save a boundary.
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
    """Return the last message boundary up to a target, or else the first one after it.

    Parameters
    ----------
    files : Files
    piece : Piece
    begin : int
        A message boundary.
    target : int
        In bytes of the stream. Only its term is read, as no message crosses the end of a term.
    mode : str
        In permissive mode, damage before the target belongs to the part before the boundary.

    Returns
    -------
    int
        The boundary; the start if no message ends in the piece.

    Raises
    ------
    SegmentError
        There is damage before the boundary, and the mode is strict.
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
        has_more = True
        while has_more:
            damage: SegmentError | None = None
            try:
                has_more = scanner.next_batch()
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
            # Messages that begin before the damage have no end.
            return border if border > begin else scanner.position
    return border
