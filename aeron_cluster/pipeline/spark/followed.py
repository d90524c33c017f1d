"""The recordings that a stream follows, and their current ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.files.members import find_member
from aeron_cluster.pipeline.scan.message_boundaries import last_boundary
from aeron_cluster.pipeline.sources.archive_pieces import read_pieces
from aeron_cluster.pipeline.sources.live_ends import CommittedEnd, RecordedEnd
from aeron_cluster.pipeline.sources.plans import find_log
from aeron_cluster.pipeline.spark.planning import plan_between

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Seams
    from aeron_cluster.pipeline.scan.pieces import Piece
    from aeron_cluster.pipeline.spark.options import SourceOptions

__all__ = ["Followed", "Growing", "follow"]


class Growing(Protocol):
    """A recording that a stream follows; close it."""

    recording_id: int

    def begin(self) -> int:
        """Return the start of the selected part that is still available."""
        ...

    def end(self) -> int:
        """Return the position up to which the recording may be read now."""
        ...

    def next_boundary(self, begin: int, end: int, target: int) -> int:
        """Return the end of a batch, given its start.

        Parameters
        ----------
        begin : int
        end : int
            The position up to which the recording may be read.
        target : int
            The requested end.

        Raises
        ------
        ConfigurationError
            The recording ends before the start and will not grow.
        """
        ...

    def close(self) -> None:
        """Release everything. Calling it again does nothing."""
        ...


class Followed:
    """A followed recording in files.

    Parameters
    ----------
    seams : Seams
    options : SourceOptions
    archive_dir : str
    recording_id : int
    committed : CommittedEnd, optional
        The log, if it is followed up to its commit position.
    """

    def __init__(
        self,
        seams: Seams,
        options: SourceOptions,
        archive_dir: str,
        recording_id: int,
        committed: CommittedEnd | None,
    ) -> None:
        self._files = seams.files
        self._options = options
        self._archive_dir = archive_dir
        self._mode = options.mode
        self._recorded = RecordedEnd(seams, archive_dir, recording_id, options.mode)
        self._committed = committed
        self._recorded_end = -1
        # The last result: this is called every few milliseconds, mostly without a change.
        self._last: tuple[tuple[int, int, int], int] | None = None
        self.recording_id = recording_id

    def close(self) -> None:
        """Release the counters. Calling it again does nothing."""
        self._recorded.close()
        if self._committed is not None:
            self._committed.close()

    def end(self) -> int:
        """Return the position up to which the recording may be read now."""
        self._recorded_end = recorded = self._recorded.position()
        return recorded if self._committed is None else self._committed.position(recorded)

    def begin(self) -> int:
        """Return the start of the selected part that is still available."""
        piece = self._piece(max(self.end(), 0))
        bounds = piece.start_position, piece.end_position
        plan = plan_between(self._files, self._options, ["position"], self.recording_id, bounds)
        return plan.ranges[0].from_position if plan.ranges else piece.start_position

    def _piece(self, end: int) -> Piece:
        known = {self.recording_id: end}
        (piece,) = read_pieces(
            self._files, self._archive_dir, [self.recording_id], self._mode, known
        )
        return piece

    def next_boundary(self, begin: int, end: int, target: int) -> int:
        """Return the end of a batch, given its start; see `Growing`."""
        if end < begin:
            # A killed archive recovers its data, and the files of a stopped node prove less than
            # its counter showed: wait.
            if self._recorded_end >= begin or self._is_live():
                return begin
            raise ConfigurationError(
                "checkpoint",
                f"up to {self._recorded_end}, where recording {self.recording_id} ends",
                begin,
                "is the checkpoint of another archive?",
            )
        arguments = (begin, end, target)
        if self._last is None or self._last[0] != arguments:
            piece = self._piece(end)
            border = last_boundary(
                self._files, piece, max(begin, piece.start_position), target, self._mode
            )
            self._last = (arguments, border)
        return self._last[1]

    def _is_live(self) -> bool:
        is_module_live = self._committed is not None and self._committed.is_live
        return self._recorded.is_live or is_module_live


def follow(seams: Seams, options: SourceOptions) -> list[Growing]:
    """Return what a stream follows.

    Raises
    ------
    ConfigurationError
        Several members are given, or the commit position of a log is unknown.
    MissingFileError
        There is no archive.
    """
    if len(options.members) > 1:
        raise ConfigurationError(
            "path", "one member's directory for a stream", len(options.members)
        )
    member = find_member(seams.files, options.members[0])
    mode = options.mode
    if not options.is_log:
        pieces = read_pieces(seams.files, member.archive_dir, options.recording_ids, mode)
        return [
            Followed(seams, options, member.archive_dir, piece.recording_id, None)
            for piece in pieces
        ]
    ids = options.recording_ids
    log_id = ids[0] if ids else find_log(seams.files, member)
    if options.selection.get("assume_committed"):
        return [Followed(seams, options, member.archive_dir, log_id, None)]
    if member.cluster_dir is None:
        raise ConfigurationError(
            "cluster_dirs",
            "the cluster directory, which has the commit position",
            "none",
            "or give assume_committed=true",
        )
    committed = CommittedEnd(seams, member.cluster_dir)
    return [Followed(seams, options, member.archive_dir, log_id, committed)]
