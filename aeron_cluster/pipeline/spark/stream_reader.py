"""Follows growing recordings in batches that end with complete messages.

A reader on Spark's driver determines the offsets for the query; copies of it read in tasks. The two
offsets of a batch define its rows, so every read of it returns the same rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    SupportsTriggerAvailableNow,
)

from aeron_cluster.errors import SegmentError
from aeron_cluster.memory.system.seams import Seams, SystemFiles
from aeron_cluster.pipeline.sources.archive_pieces import read_pieces
from aeron_cluster.pipeline.spark.batch_reader import PlanPartition
from aeron_cluster.pipeline.spark.followed import Growing, follow
from aeron_cluster.pipeline.spark.offsets import offset_of, positions_in
from aeron_cluster.pipeline.spark.on_purge import OnPurge
from aeron_cluster.pipeline.spark.places import archive_dir_of
from aeron_cluster.pipeline.spark.planning import plan_between
from aeron_cluster.pipeline.spark.range_rows import read_range
from aeron_cluster.pipeline.spark.schemas import output_schema

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from aeron_cluster.pipeline.scan.scan_plan import Plan
    from aeron_cluster.pipeline.spark.options import SourceOptions

__all__ = ["StreamReader"]

_MAX: Final = 2**63 - 1
_FROM_ITS_START: Final = -1


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads recorded or committed data between two offsets.

    Parameters
    ----------
    options : SourceOptions
    schema : StructType
        The columns of the rows; others are not read.
    """

    def __init__(self, options: SourceOptions, schema: StructType) -> None:
        self._options = options
        self._schema = schema
        self._on_purge = OnPurge(
            is_skipped=options.stream.get("on_purge") == "skip", report_dir=options.report_dir
        )
        self._followed: list[Growing] | None = None
        self._last_ends: dict[int, int] | None = None
        self._latest: dict[int, int] = {}
        self._next_recording = 0

    def __getstate__(self) -> dict[str, Any]:
        """Omit the state that belongs to the driver's process."""
        return {"_options": self._options, "_schema": self._schema}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        StreamReader.__init__(self, state["_options"], state["_schema"])

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's name
        """Return the limit of a batch."""
        length = self._options.stream.get("max_bytes_per_batch")
        return ReadAllAvailable() if length is None else ReadMaxBytes(length)

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Return the start of a new query: the first offset that may have requested rows."""
        return offset_of({each.recording_id: each.begin() for each in self._recordings()})

    def latestOffset(  # noqa: N802 - Spark's name
        self, start: dict[str, Any], limit: ReadLimit
    ) -> dict[str, Any]:
        """Return the end of the next batch, given its start."""
        begins = positions_in(start)
        remaining = limit.max_bytes if isinstance(limit, ReadMaxBytes) else _MAX
        positions = dict(begins)
        # Begin with the recording at which the last batch was full; otherwise a fast-growing
        # recording could starve the others.
        recordings, first = self._recordings(), self._next_recording
        self._next_recording = 0
        for number in range(first, first + len(recordings)):
            each = recordings[number % len(recordings)]
            begin = begins.get(each.recording_id)
            if begin is None:  # the query was restarted over all recordings
                begin = positions[each.recording_id] = each.begin()
            end = self._end(each)
            wanted = min(end, self._options.selection.get("to_position", _MAX))
            self._latest[each.recording_id] = max(begin, wanted)
            boundary = (
                each.next_boundary(begin, end, min(begin + remaining, wanted))
                if remaining > 0
                else begin
            )
            if boundary > wanted:  # the end of a message that begins before and ends after it
                continue
            if remaining <= 0 or (boundary - begin > remaining and positions != begins):
                self._next_recording = (
                    self._next_recording or number % len(recordings) or len(recordings)
                )
                remaining = 0
                continue
            remaining -= boundary - begin
            positions[each.recording_id] = boundary
        return offset_of(positions)

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Return the current end of the available data, so that Spark can report the lag."""
        return offset_of(self._latest)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
        """Read only what is available now."""
        self._last_ends = {each.recording_id: each.end() for each in self._recordings()}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Return the ranges between two offsets."""
        begins, ends = positions_in(start), positions_in(end)
        files = SystemFiles()
        archive_dir = archive_dir_of(files, self._options)
        found: list[InputPartition] = []
        for recording_id, to_position in ends.items():
            bounds = begins.get(recording_id, _FROM_ITS_START), to_position
            if bounds[0] >= bounds[1]:
                continue
            known_ends = {recording_id: to_position}
            (piece,) = read_pieces(files, archive_dir, [recording_id], known_ends=known_ends)
            bounds = self._on_purge.bounds(piece, bounds)
            plan = plan_between(
                files, self._options, self._schema.fieldNames(), recording_id, bounds
            )
            # A batch that begins inside damage is read from the start of the damage.
            parts = [replace(part, reported_from=bounds[0]) for part in plan.ranges]
            found += [PlanPartition(plan.with_ranges((part,))) for part in parts]
        return found

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the rows of a partition as `pyarrow.RecordBatch`."""
        if not isinstance(partition, PlanPartition):
            return
        schema = output_schema(self._schema)
        plan: Plan = partition.value
        while plan.ranges:
            try:
                yield from read_range(plan, schema, self._options.report_dir)
            except SegmentError as error:
                rest = self._on_purge.rest(SystemFiles(), plan, error)
                if rest is None:
                    raise
                plan = rest
            else:
                return

    def stop(self) -> None:
        """Release everything."""
        for each in self._followed or ():
            each.close()
        self._followed = None

    def _recordings(self) -> list[Growing]:
        if self._followed is None:
            self._followed = follow(Seams(), self._options)
        return self._followed

    def _end(self, each: Growing) -> int:
        """Return the end up to which to read; the requested end need not be the end of a frame."""
        end = each.end()
        if self._last_ends is not None:
            end = min(end, self._last_ends.get(each.recording_id, end))
        return end
