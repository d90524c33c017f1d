"""Reads a range into batches of columns, and reports the parts that it could not read.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.archive.storage.segments import segment_bases
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.errors import SegmentError
from aeron_cluster.pipeline.columns.column_buffers import ColumnBuffers, ColumnId
from aeron_cluster.pipeline.columns.column_definitions import has_payload, leaf_ids
from aeron_cluster.pipeline.columns.column_memory import Buffer
from aeron_cluster.pipeline.scan.frame_scanner import FrameScanner
from aeron_cluster.pipeline.scan.pieces import LeftOut, Piece, Range
from aeron_cluster.pipeline.scan.scan_plan import Plan
from aeron_cluster.pipeline.scan.segment_reader import SegmentReader

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files

__all__ = ["FilledColumn", "open_scanner", "scan_range"]

# The null count; validity, values and offsets, or None.
FilledColumn: TypeAlias = tuple[int, Buffer | None, Buffer, Buffer | None]


def open_scanner(
    reader: SegmentReader,
    part: Range,
    ids: list[ColumnId],
    *,
    is_log: bool = False,
    is_assembled: bool = False,
    has_payload: bool = False,
    max_rows: int = 16384,
    max_length: int = 4 * 1024 * 1024,
) -> tuple[FrameScanner, ColumnBuffers]:
    """Return a scanner at the start of a range, and the columns that it fills."""
    piece = part.piece
    unit = -1 if piece.time_unit is ClusterTimeUnit.NULL_VALUE else int(piece.time_unit)
    buffers = ColumnBuffers(ids, max_rows)
    buffers.set_constants(
        piece.recording_id, piece.member, unit, piece.committed_position, piece.is_rest_uncommitted
    )
    scanner = FrameScanner(
        reader,
        buffers,
        from_position=part.from_position,
        to_position=part.to_position,
        end_position=piece.end_position,
        initial_term_id=piece.initial_term_id,
        term_length=piece.term_length,
        is_log=is_log,
        is_assembled=is_assembled,
        has_payload=has_payload,
        time_unit=unit,
        max_rows=max_rows,
        max_length=max_length,
    )
    if piece.has_checksums:
        scanner.replace_session_id(piece.session_id)
    return scanner, buffers


def scan_range(
    files: Files, plan: Plan, part: Range, left_out: list[LeftOut]
) -> Iterator[tuple[int, list[FilledColumn]]]:
    """Yield the batches of a range.

    Parameters
    ----------
    files : Files
        The file seam.
    plan : Plan
    part : Range
        One of the plan's.
    left_out : list of LeftOut
        Collects the parts that a permissive pass cannot read.

    Yields
    ------
    tuple of int and list
        The number of rows, at least one, and the columns of `leaf_ids`.

    Raises
    ------
    SegmentError
        The data are damaged, and the pass is strict; raised after the rows before the damage.
    """
    with SegmentReader(files, part.piece) as reader:
        scanner, buffers = open_scanner(
            reader,
            part,
            leaf_ids(plan.columns),
            is_log=plan.is_log,
            is_assembled=plan.is_assembled,
            has_payload=has_payload(plan.columns),
            max_rows=plan.max_rows,
            max_length=plan.max_length,
        )
        wanted = plan.selection
        scanner.select(
            terms=wanted.terms,
            times=wanted.times,
            template_ids=wanted.template_ids,
            sessions=None if wanted.sessions is None else list(wanted.sessions),
        )
        if plan.checksum:
            scanner.check(Checksum(plan.checksum))
        has_more = True
        while has_more:
            damage: SegmentError | None = None
            try:
                has_more = scanner.next_batch()
            except SegmentError as error:
                damage = error
            if damage is not None and plan.mode != "strict":
                end = _end_of_damage(files, part.piece, damage)
                _skip_damage(scanner, part, damage, end, left_out)
                continue
            if len(buffers) > 0:
                yield len(buffers), buffers.take()
            if damage is not None:
                raise damage


def _end_of_damage(files: Files, piece: Piece, error: SegmentError) -> int:
    """Return the position at which to continue. A catalog may imply many missing segments."""
    end = error.resume_position
    if error.what == "segment file" and error.found == "none":
        bases = segment_bases(files, piece.archive_dir, piece.recording_id)
        there = (base for base in bases if base >= end and base == piece.segment_base(base))
        end = next(there, piece.end_position)
    return min(end, piece.end_position)


def _skip_damage(
    scanner: FrameScanner, part: Range, error: SegmentError, end: int, left_out: list[LeftOut]
) -> None:
    """Continue after damage. The reader of the next range reports damage after this range."""
    begin = max(scanner.position, part.reported_from)
    if not scanner.is_behind:
        place = LeftOut(
            error.recording_id,
            part.piece.member,
            error.segment,
            error.offset,
            begin,
            min(end, part.to_position),
            error.what,
            str(error.expected),
            str(error.found),
        )
        left_out.append(place)
    scanner.skip_to(max(end, part.to_position) if scanner.is_behind else end)
