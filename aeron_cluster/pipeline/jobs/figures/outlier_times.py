"""Entries with implausible times, for example from a clock with another unit.

No counterpart in Aeron. Figures of jobs are 64-bit numbers in ns; the difference of any two times
must fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from aeron_cluster.codecs.frame_layout import FRAME_ALIGNMENT
from aeron_cluster.pipeline.scan.log_times import NS_PER_S, time_unit_name, units_in
from aeron_cluster.pipeline.scan.pieces import LeftOut
from aeron_cluster.pipeline.scan.segment_reader import SegmentReader

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.scan.pieces import Piece
    from aeron_cluster.pipeline.scan.scan_plan import Plan

__all__ = ["outlier_time", "without_outlier_times"]

_REACH_NS: Final = 2**62


def outlier_time(units: int) -> int:
    """Return the smallest absolute time that is too far from 1970.

    Parameters
    ----------
    units : int
        Time units per second.
    """
    return _REACH_NS * units // NS_PER_S


def without_outlier_times(files: Files, plan: Plan, batch: Any, left_out: list[LeftOut]) -> Any:
    """Return the rows of a batch with usable times.

    Parameters
    ----------
    files : Files
    plan : Plan
        A plan of one range, with ``position``, ``frame_length`` and ``timestamp_raw``.
    batch : pyarrow.RecordBatch
    left_out : list of LeftOut
        Collects the rows that a permissive pass skips.

    Raises
    ------
    SegmentError
        A row has an unusable time, and the pass is strict.
    """
    piece = plan.ranges[0].piece
    limit = outlier_time(units_in(piece.time_unit))
    # A null is unusable too: replace it with an outlier.
    times = batch.column("timestamp_raw").fill_null(limit).to_numpy(zero_copy_only=False)
    is_near = (-limit < times) & (times < limit)
    if is_near.all():
        return batch
    begins = np.flatnonzero(~is_near & np.append(True, is_near[:-1]))
    ends = np.flatnonzero(~is_near & np.append(is_near[1:], True))
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        found = _left_out_at(files, piece, batch, begin, end)
        if plan.mode == "strict":
            with SegmentReader(files, piece) as reader:
                raise reader.error(found.from_position, found.what, found.expected, found.found)
        left_out.append(found)
    return batch.filter(is_near)


def _left_out_at(files: Files, piece: Piece, batch: Any, begin: int, end: int) -> LeftOut:
    position, last, length = (
        batch.column(name)[at].as_py()
        for name, at in (("position", begin), ("position", end), ("frame_length", end))
    )
    unit = time_unit_name(piece.time_unit)
    with SegmentReader(files, piece) as reader:
        error = reader.error(
            position,
            "time of the entry",
            f"one within 146 years of 1970, in {unit}",
            batch.column("timestamp_raw")[begin].as_py(),
        )
    return LeftOut(
        piece.recording_id,
        piece.member,
        error.segment,
        error.offset,
        position,
        last + -(-length // FRAME_ALIGNMENT) * FRAME_ALIGNMENT,
        error.what,
        str(error.expected),
        str(error.found),
    )
