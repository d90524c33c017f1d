"""Find the position of a time in a log.

No counterpart in Aeron.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.pipeline.columns.column_buffers import ColumnId
from aeron_cluster.pipeline.scan.log_times import raw_slack, raw_time, seek_times
from aeron_cluster.pipeline.scan.pieces import MAX_POSITION, Piece, Range
from aeron_cluster.pipeline.scan.range_scan import open_scanner
from aeron_cluster.pipeline.scan.segment_reader import SegmentReader

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.scan.log_times import Time

__all__ = ["position_of_time"]


def position_of_time(files: Files, piece: Piece, time: Time, time_slack_s: float = 3600.0) -> int:
    """Return the position of the first entry at or after a time; else the end.

    Parameters
    ----------
    files : Files
    piece : Piece
        The log; its time unit must be known.
    time : datetime, int or str
        A datetime with time zone; a raw number, in the cluster's unit; or ISO 8601 with an offset.
    time_slack_s : float
        The largest backward step of times in the log, in seconds.

    Raises
    ------
    ConfigurationError
        The time or the step is invalid, or the time unit is unknown.
    SegmentError
        The log is damaged before that position.
    """
    times = raw_time("time", time, piece.time_unit), MAX_POSITION
    slack = raw_slack(time_slack_s, piece.time_unit)
    part = seek_times(files, Range(piece, piece.start_position, piece.end_position), times, slack)
    with SegmentReader(files, piece) as reader:
        scanner, buffers = open_scanner(
            reader, part, [ColumnId.POSITION], is_log=True, is_assembled=True, max_rows=1
        )
        scanner.select(times=times)
        has_more = True
        while has_more:
            has_more = scanner.next_batch()
            if len(buffers) > 0:
                _, _, positions, _ = buffers.take()[0]
                return int(memoryview(positions).cast("q")[0])
    return piece.end_position
