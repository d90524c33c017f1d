"""Follows recordings of a remote archive in streams; each task replays its range.

Spark's driver queries the recorded positions over a separate control session.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, cast

from pyspark.sql.datasource import InputPartition

from aeron_cluster.errors import ArchiveError, ConfigurationError
from aeron_cluster.pipeline.scan.frame_boundaries import find_frame
from aeron_cluster.pipeline.scan.message_boundaries import last_boundary
from aeron_cluster.pipeline.scan.replayed_segments import (
    ArchiveSession,
    ReplayedSegments,
    remote_piece,
)
from aeron_cluster.pipeline.sources.plans import cut_plan, plan_pieces
from aeron_cluster.pipeline.spark.batch_reader import PlanPartition
from aeron_cluster.pipeline.spark.offsets import positions_in
from aeron_cluster.pipeline.spark.planning import decoder_of, range_length
from aeron_cluster.pipeline.spark.range_rows import read_range
from aeron_cluster.pipeline.spark.schemas import output_schema
from aeron_cluster.pipeline.spark.stream_reader import StreamReader

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.scan.pieces import Piece
    from aeron_cluster.pipeline.scan.replayed_segments import RemoteArchive
    from aeron_cluster.pipeline.scan.scan_plan import Plan
    from aeron_cluster.pipeline.spark.followed import Growing
    from aeron_cluster.pipeline.spark.options import SourceOptions

__all__ = ["RemoteRecording", "ReplayReader"]

_NEW_TO_THE_QUERY: Final = -1  # the query was restarted over all recordings


class RemoteRecording:
    """A recording of a remote archive.

    Parameters
    ----------
    session : ArchiveSession
    remote : RemoteArchive
    options : SourceOptions
    recording_id : int
    """

    def __init__(
        self,
        session: ArchiveSession,
        remote: RemoteArchive,
        options: SourceOptions,
        recording_id: int,
    ) -> None:
        self._session = session
        self._remote = remote
        self._options = options
        self._last: tuple[tuple[int, int, int], int] | None = None
        self.recording_id = recording_id

    def close(self) -> None:
        """Do nothing: all recordings share the control session."""

    def begin(self) -> int:
        """Return the start of the selected part that is still available."""
        archive = self._session.archive()
        wanted = self._options.selection.get("from_position", 0)
        piece = remote_piece(archive, self.recording_id)
        if wanted <= piece.start_position:
            return piece.start_position
        with closing(ReplayedSegments(archive, self._remote.replay_channel, piece)) as files:
            return find_frame(cast("Files", files), piece, wanted, self._options.mode)

    def end(self) -> int:
        """Return the recorded position."""
        return self._session.archive().get_max_recorded_position(self.recording_id)

    def next_boundary(self, begin: int, end: int, target: int) -> int:
        """Return the end of a batch, given its start; see `Growing`."""
        recorded = self.end() if end < begin else end
        if recorded < begin:
            raise ConfigurationError(
                "checkpoint",
                f"up to {recorded}, where recording {self.recording_id} ends",
                begin,
                "is the checkpoint of another archive?",
            )
        if target <= begin:
            return begin
        arguments = (begin, end, target)
        if self._last is None or self._last[0] != arguments:
            self._last = arguments, self._find_boundary(begin, end, target)
        return self._last[1]

    def _find_boundary(self, begin: int, end: int, target: int) -> int:
        archive = self._session.archive()
        start = max(begin, archive.get_start_position(self.recording_id))
        if start >= target:  # the next part is purged
            return min(start, end)
        piece = remote_piece(archive, self.recording_id, (start, end))
        with closing(ReplayedSegments(archive, self._remote.replay_channel, piece)) as files:
            return last_boundary(cast("Files", files), piece, start, target, self._options.mode)


class ReplayReader(StreamReader):
    """Reads the part between two offsets from replays of an archive.

    Parameters are those of `StreamReader`.
    """

    _session: ArchiveSession | None = None

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Return the ranges between two offsets."""
        begins, ends = positions_in(start), positions_in(end)
        archive = self._open_session().archive()
        found: list[InputPartition] = []
        for recording_id, to_position in ends.items():
            begin = begins.get(recording_id, _NEW_TO_THE_QUERY)
            if begin < self._options.selection.get("from_position", 0):
                begin = max(begin, self._remote_recording(recording_id).begin())
            if begin >= to_position:
                continue
            whole = remote_piece(archive, recording_id)
            bounds = self._on_purge.bounds(whole, (begin, to_position))
            if bounds[0] < bounds[1]:
                piece = remote_piece(archive, recording_id, bounds)
                plan = _plan(self._options, self._schema.fieldNames(), piece)
                found += [PlanPartition(plan.with_ranges((part,))) for part in plan.ranges]
        return found

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the rows of a partition as `pyarrow.RecordBatch`."""
        if not isinstance(partition, PlanPartition):
            return
        remote = self._remote()
        plan: Plan = partition.value
        with remote.connect() as archive:
            while plan.ranges:
                (part,) = plan.ranges
                segments = ReplayedSegments(archive, remote.replay_channel, part.piece)
                try:
                    yield from read_range(
                        plan,
                        output_schema(self._schema),
                        self._options.report_dir,
                        cast("Files", segments),
                    )
                except ArchiveError:
                    # The archive may have purged the requested part.
                    piece = remote_piece(archive, part.piece.recording_id)
                    place = max(segments.begin, part.from_position)
                    if piece.start_position <= place:
                        raise
                    plan = self._on_purge.rest_after(plan, piece, place)
                else:
                    return
                finally:
                    segments.close()

    def stop(self) -> None:
        """Release everything."""
        super().stop()
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _remote(self) -> RemoteArchive:
        assert self._options.remote is not None
        return self._options.remote

    def _open_session(self) -> ArchiveSession:
        if self._session is None:
            self._session = ArchiveSession(self._remote())
        return self._session

    def _recordings(self) -> list[Growing]:
        if self._followed is None:
            ids = self._options.recording_ids
            if ids is None:
                found = self._open_session().archive().list_recordings()
                ids = tuple(each.recording_id for each in found)
            self._followed = [self._remote_recording(each) for each in ids]
        return self._followed

    def _remote_recording(self, recording_id: int) -> RemoteRecording:
        return RemoteRecording(self._open_session(), self._remote(), self._options, recording_id)


def _plan(options: SourceOptions, names: list[str], piece: Piece) -> Plan:
    """Return a plan of a piece, without reading it."""
    selection = {**options.selection, "from_position": None, "to_position": None}
    plan = plan_pieces(
        cast("Files", None), [piece], columns=names, payload=decoder_of(options), **selection
    )
    # Terms are not split, as their frames are unknown.
    length = max(options.range_length or range_length(plan), piece.term_length)
    return cut_plan(cast("Files", None), plan, length)
