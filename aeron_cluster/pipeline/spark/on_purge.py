"""Handles parts that an archive purged before a stream read them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aeron_cluster.errors import PurgedError, SegmentError
from aeron_cluster.pipeline.scan.pieces import LeftOut, Range
from aeron_cluster.pipeline.sources.archive_pieces import read_pieces
from aeron_cluster.pipeline.spark.range_rows import report

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.scan.pieces import Piece
    from aeron_cluster.pipeline.scan.scan_plan import Plan

__all__ = ["OnPurge"]


@dataclass(frozen=True, slots=True)
class OnPurge:
    """The policy.

    Parameters
    ----------
    is_skipped : bool
        Whether the stream continues with the remaining part.
    report_dir : str, optional
        The directory for reports of skipped parts.
    """

    is_skipped: bool
    report_dir: str | None

    def bounds(self, piece: Piece, bounds: tuple[int, int]) -> tuple[int, int]:
        """Return the remaining part between two positions; -1 as the first means the start.

        Parameters
        ----------
        piece : Piece
            The recording in its current state.
        bounds : tuple of int

        Raises
        ------
        PurgedError
            A part is purged, and skipping is not allowed.
        """
        begin, end = bounds
        if begin < 0:
            return piece.start_position, end
        if piece.start_position <= begin:
            return bounds
        self._skip(piece, begin, min(piece.start_position, end))
        return min(piece.start_position, end), end

    def rest(self, files: Files, plan: Plan, error: SegmentError) -> Plan | None:
        """Return a plan for the part after a missing segment.

        Returns
        -------
        Plan, optional
            None if the segment was not purged: it is damage.

        Raises
        ------
        PurgedError
            The segment was purged, and skipping is not allowed.
        """
        if error.what != "segment file":
            return None
        (part,) = plan.ranges
        known_ends = {error.recording_id: part.piece.end_position}
        (piece,) = read_pieces(
            files, part.piece.archive_dir, [error.recording_id], known_ends=known_ends
        )
        if piece.start_position < error.resume_position:
            return None
        # The position of the missing segment: everything before it has been read.
        place = error.resume_position - piece.segment_length + error.offset
        return self.rest_after(plan, piece, place)

    def rest_after(self, plan: Plan, piece: Piece, position: int) -> Plan:
        """Return a plan for the remaining part of a plan that was read up to a position.

        Parameters
        ----------
        plan : Plan
        piece : Piece
            The recording in its current state; it begins after the position.
        position : int

        Raises
        ------
        PurgedError
            Skipping of purged data is not allowed.
        """
        (part,) = plan.ranges
        begin = min(piece.start_position, part.to_position)
        self._skip(piece, min(max(part.from_position, position), begin), begin)
        if begin == part.to_position:
            return plan.with_ranges(())
        return plan.with_ranges((replace(part, from_position=begin),))

    def _skip(self, piece: Piece, begin: int, end: int) -> None:
        if not self.is_skipped:
            raise PurgedError(piece.recording_id, begin, piece.start_position)
        if self.report_dir is None:
            return
        place = LeftOut(
            piece.recording_id,
            piece.member,
            piece.archive_dir,
            0,
            begin,
            end,
            "start position",
            f"at most {begin}",
            str(piece.start_position),
        )
        report(Path(self.report_dir), Range(piece, begin, end), [place])
