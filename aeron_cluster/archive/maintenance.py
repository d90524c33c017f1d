"""Recordings made shorter: truncated, purged, and freed of their oldest segments.

``io.aeron.archive.ArchiveConductor`` (truncateRecording, purgeRecording, detachSegments, ...) and
``DeleteSegmentsSession``. What goes is decided and stored first; the files are deleted one a pass.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.channels import stripped_channel
from aeron_cluster.archive.error_codes import ArchiveErrorCode
from aeron_cluster.archive.replays import frame_problem
from aeron_cluster.archive.segments import base_position, segment_bases, segment_name
from aeron_cluster.codecs.archive import RecordingSignal, RecordingState
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import OperationError

if TYPE_CHECKING:
    from aeron_cluster.archive.catalog import Catalog
    from aeron_cluster.archive.context import ArchiveContext
    from aeron_cluster.archive.control_session import ControlSession
    from aeron_cluster.archive.recordings import Recordings
    from aeron_cluster.archive.replays import Replays
    from aeron_cluster.codecs.archive import RecordingDescriptor

__all__ = ["Maintenance"]

NULL_VALUE: Final = -1
_FRAME_ALIGNMENT: Final = 32
_FRAME_HEADER_LENGTH: Final = 32


@dataclass(slots=True, eq=False)
class _Deletion:
    """The segment files of a recording that are still to be deleted."""

    session: ControlSession
    correlation_id: int
    recording_id: int
    bases: deque[int]

    @property
    def highest(self) -> int:
        return max(self.bases, default=NULL_VALUE)


class Maintenance:
    """What shortens recordings.

    Parameters
    ----------
    context : ArchiveContext
    catalog : Catalog
    recordings : Recordings
        Knows which recordings still grow.
    replays : Replays
        Knows which recordings are read.
    """

    def __init__(
        self, context: ArchiveContext, catalog: Catalog, recordings: Recordings, replays: Replays
    ) -> None:
        self._context = context
        self._files = context.seams.files
        self._catalog = catalog
        self._recordings = recordings
        self._replays = replays
        self._deletions: dict[int, _Deletion] = {}

    @property
    def is_busy(self) -> bool:
        """Whether files are being deleted."""
        return bool(self._deletions)

    def deleting_to(self, recording_id: int) -> int:
        """Return the highest base of a recording's segments that are being deleted, or -1."""
        deletion = self._deletions.get(recording_id)
        return NULL_VALUE if deletion is None else deletion.highest

    # ---- requests ----

    def truncate(
        self, session: ControlSession, correlation_id: int, recording_id: int, position: int
    ) -> int:
        """Let a stopped recording end earlier; return how many files go.

        Raises
        ------
        OperationError
            With the code that the client gets; the recording is then as it was.
        """
        descriptor = self._catalog.get(recording_id).descriptor
        self._check_unused(recording_id, "truncate")
        start, stop = descriptor.start_position, descriptor.stop_position
        if not start <= position <= stop or position % _FRAME_ALIGNMENT:
            raise OperationError(
                f"invalid position {position}: start={start} stop={stop}"
                f" alignment={_FRAME_ALIGNMENT}",
                ArchiveErrorCode.INVALID_POSITION,
            )
        self._check_not_deleting(recording_id)
        if position == stop:
            return self._delete(session, correlation_id, recording_id, [])
        base = _base(descriptor, position)
        bases = segment_bases(self._files, self._context.archive_dir, recording_id)
        is_cut = start < position and position != base
        if is_cut:
            # Looked at before anything is stored: a refused request changes nothing.
            self._check_frame(descriptor, position)
        self._catalog.set_stop_position(recording_id, position)
        if is_cut:
            self._cut(descriptor, position)
        first = base + descriptor.segment_file_length if is_cut else base
        if position == start:
            first = 0
        return self._delete(
            session, correlation_id, recording_id, [each for each in bases if each >= first]
        )

    def purge(self, session: ControlSession, correlation_id: int, recording_id: int) -> int:
        """Remove a stopped recording for good; return how many files go.

        Raises
        ------
        OperationError
            With the code that the client gets.
        """
        self._catalog.get(recording_id)
        self._check_unused(recording_id, "purge")
        self._check_not_deleting(recording_id)
        self._catalog.set_state(recording_id, RecordingState.DELETED)
        bases = segment_bases(self._files, self._context.archive_dir, recording_id)
        return self._delete(session, correlation_id, recording_id, bases)

    def detach(self, recording_id: int, new_start: int) -> None:
        """Let a recording begin later, at a segment; the files before it stay.

        Raises
        ------
        OperationError
            With the code that the client gets.
        """
        descriptor = self._catalog.get(recording_id).descriptor
        start, stop = descriptor.start_position, descriptor.stop_position
        segment_length = descriptor.segment_file_length
        if new_start != _base(descriptor, new_start):
            raise OperationError(
                f"invalid segment start: newStartPosition={new_start}", ArchiveErrorCode.GENERIC
            )
        lower = _base(descriptor, start) + segment_length
        if new_start < lower:
            raise OperationError(
                f"invalid detach: newStartPosition={new_start} lowerBound={lower}",
                ArchiveErrorCode.GENERIC,
            )
        end = self._recordings.position(recording_id) if stop == NULL_VALUE else stop
        upper = _base(descriptor, end)
        if new_start > upper:
            raise OperationError(
                f"invalid detach: in use, newStartPosition={new_start} upperBound={upper}",
                ArchiveErrorCode.GENERIC,
            )
        reading = min(self._replays.positions(recording_id), default=new_start)
        if reading < new_start:
            raise OperationError(
                f"invalid detach: replay in progress - newStartPosition={new_start}"
                f" replay segment={reading}",
                ArchiveErrorCode.GENERIC,
            )
        self._catalog.set_start_position(recording_id, new_start)

    def delete_detached(
        self, session: ControlSession, correlation_id: int, recording_id: int
    ) -> int:
        """Delete the files before a recording's start; return how many go.

        Raises
        ------
        OperationError
            With the code that the client gets.
        """
        descriptor = self._catalog.get(recording_id).descriptor
        self._check_not_deleting(recording_id)
        first = _base(descriptor, descriptor.start_position)
        bases = segment_bases(self._files, self._context.archive_dir, recording_id)
        return self._delete(
            session, correlation_id, recording_id, [each for each in bases if each < first]
        )

    def purge_segments(
        self, session: ControlSession, correlation_id: int, recording_id: int, new_start: int
    ) -> int:
        """Detach and delete; return how many files go.

        Raises
        ------
        OperationError
            With the code that the client gets.
        """
        self._catalog.get(recording_id)
        self._check_not_deleting(recording_id)
        self.detach(recording_id, new_start)
        return self.delete_detached(session, correlation_id, recording_id)

    def attach(self, recording_id: int) -> int:
        """Let a recording begin earlier, as far as files are there; return how many were taken.

        Raises
        ------
        OperationError
            When a file that is there does not belong to the recording.
        """
        descriptor = self._catalog.get(recording_id).descriptor
        segment_length = descriptor.segment_file_length
        base = _base(descriptor, descriptor.start_position) - segment_length
        start = descriptor.start_position
        attached = 0
        while base >= 0:
            path = self._path(recording_id, base)
            if not self._files.is_file(path):
                break
            found = self._first_frame(descriptor, path, base)
            start = found
            attached += 1
            if found != base:
                break
            base -= segment_length
        if attached:
            self._catalog.set_start_position(recording_id, start)
        return attached

    def migrate(
        self, session: ControlSession, correlation_id: int, src_id: int, dst_id: int
    ) -> int:
        """Give all segments of a recording to one that it borders on; return how many went.

        One that was killed while the files moved goes on when it is asked for again.

        Raises
        ------
        OperationError
            With the code that the client gets.
        """
        src = self._catalog.get(src_id).descriptor
        dst = self._catalog.get(dst_id).descriptor
        join = self._join_position(src, dst)
        self._check_not_deleting(src_id)
        src_stop = src.stop_position
        bases = range(_base(src, src.start_position), src_stop, src.segment_file_length)
        to_move = [base for base in bases if self._is_to_move(src_id, dst_id, base, dst)]
        for base in to_move:
            self._files.rename(self._path(src_id, base), self._path(dst_id, base))
        if join == dst.start_position:
            self._catalog.set_start_position(dst_id, src.start_position)
        else:
            self._catalog.set_stop_position(dst_id, src_stop)
        self._catalog.set_stop_position(src_id, src.start_position)
        # A recording that ended with a segment has an empty one behind it.
        is_trailed = self._files.is_file(self._path(src_id, src_stop))
        if bases or is_trailed:
            self._delete(session, correlation_id, src_id, [src_stop] if is_trailed else [])
        return len(bases)

    def _join_position(self, src: RecordingDescriptor, dst: RecordingDescriptor) -> int:
        """Return where two recordings of one stream border on each other."""
        if src.stop_position == NULL_VALUE:
            raise OperationError(
                f"recording {src.recording_id} is still active", ArchiveErrorCode.GENERIC
            )
        self._check_unused(src.recording_id, "migrate")
        for name, label in (
            ("segment_file_length", "SegmentFileLength"),
            ("term_buffer_length", "TermBufferLength"),
            ("initial_term_id", "InitialTermId"),
            ("stream_id", "StreamId"),
            ("mtu_length", "MtuLength"),
        ):
            if getattr(src, name) != getattr(dst, name):
                raise OperationError(
                    f"invalid migrate: src{label}={getattr(src, name)}"
                    f" dst{label}={getattr(dst, name)}",
                    ArchiveErrorCode.GENERIC,
                )
        if src.recording_id != dst.recording_id and src.stop_position == dst.start_position:
            join = src.stop_position
        elif src.recording_id != dst.recording_id and src.start_position == dst.stop_position:
            join = src.start_position
        else:
            raise OperationError(
                "invalid migrate: src and dst are not contiguous"
                f" srcStartPosition={src.start_position} srcStopPosition={src.stop_position}"
                f" dstStartPosition={dst.start_position} dstStopPosition={dst.stop_position}",
                ArchiveErrorCode.GENERIC,
            )
        for label, each in (("src", src), ("dst", dst)):
            if _base(each, join) != join:
                raise OperationError(
                    "invalid migrate: join position is not on segment boundary of"
                    f" {label} recording seamPosition={join} startPosition={each.start_position}"
                    f" stopPosition={each.stop_position}"
                    f" termBufferLength={each.term_buffer_length}"
                    f" segmentFileLength={each.segment_file_length}",
                    ArchiveErrorCode.GENERIC,
                )
        return join

    def _is_to_move(self, src_id: int, dst_id: int, base: int, dst: RecordingDescriptor) -> bool:
        """Tell whether a segment is still the source's; refuse where it is neither's or both's."""
        target = self._path(dst_id, base)
        # The empty segment behind the destination's end gives way.
        is_there = self._files.is_file(target) and (
            base != dst.stop_position or self._begins_with_a_frame(target)
        )
        if self._files.is_file(self._path(src_id, base)) is is_there:
            problem = "preexisting dst segment file" if is_there else "missing src segment file"
            name = segment_name(dst_id if is_there else src_id, base)
            raise OperationError(f"{problem} {name}", ArchiveErrorCode.GENERIC)
        return not is_there

    def _begins_with_a_frame(self, path: str) -> bool:
        with self._files.open(path) as file:
            return any(file.read_at(_FRAME_HEADER_LENGTH, 0)[:4])

    def update_channel(self, recording_id: int, channel: str) -> None:
        """Let a recording say that it came from another channel.

        Raises
        ------
        ConfigurationError
            It is none.
        """
        uri = ChannelUri.parse(channel).validate()
        self._catalog.replace(
            recording_id, stripped_channel=str(stripped_channel(uri)), original_channel=channel
        )

    def _first_frame(self, descriptor: RecordingDescriptor, path: str, base: int) -> int:
        """Return the position of a segment's first frame, behind the hole it may begin with."""
        with self._files.open(path) as file:
            if file.length != descriptor.segment_file_length:
                raise OperationError(
                    f"fileLength={file.length} not equal to"
                    f" segmentFileLength={descriptor.segment_file_length} for {path}",
                    ArchiveErrorCode.GENERIC,
                )
            term = file.read_at(descriptor.term_buffer_length, 0)
        for offset in range(0, len(term), _FRAME_ALIGNMENT):
            header = term[offset : offset + _FRAME_HEADER_LENGTH]
            if any(header[:4]):
                if problem := frame_problem(header, descriptor, base + offset):
                    raise OperationError(f"{path} at {offset}: {problem}", ArchiveErrorCode.GENERIC)
                return base + offset
        raise OperationError(f"{path}: no frame in its first term", ArchiveErrorCode.GENERIC)

    # ---- checks ----

    def _check_unused(self, recording_id: int, verb: str) -> None:
        replay_id = self._replays.active_on(recording_id)
        if replay_id is not None:
            raise OperationError(
                f"cannot {verb} recording with active replay {replay_id}",
                ArchiveErrorCode.ACTIVE_RECORDING,
            )
        if recording_id in self._recordings.active:
            raise OperationError(
                f"cannot {verb} active recording {recording_id}",
                ArchiveErrorCode.ACTIVE_RECORDING,
            )

    def _check_not_deleting(self, recording_id: int) -> None:
        if recording_id in self._deletions:
            raise OperationError(
                f"another delete operation in progress for recording id: {recording_id}",
                ArchiveErrorCode.GENERIC,
            )

    def _check_frame(self, descriptor: RecordingDescriptor, position: int) -> None:
        base = _base(descriptor, position)
        with self._files.open(self._path(descriptor.recording_id, base)) as file:
            header = file.read_at(_FRAME_HEADER_LENGTH, position - base)
        if problem := frame_problem(header, descriptor, position):
            raise OperationError(
                f"{position} position not aligned to a data header: {problem}",
                ArchiveErrorCode.GENERIC,
            )

    # ---- files ----

    def _path(self, recording_id: int, base: int) -> str:
        return f"{self._context.archive_dir}/{segment_name(recording_id, base)}"

    def _cut(self, descriptor: RecordingDescriptor, position: int) -> None:
        base = _base(descriptor, position)
        with self._files.open(self._path(descriptor.recording_id, base), write=True) as file:
            file.truncate(position - base)
            file.truncate(descriptor.segment_file_length)
            if self._context.options.file_sync_level > 0:
                file.sync(self._context.options.file_sync_level)

    def _delete(
        self, session: ControlSession, correlation_id: int, recording_id: int, bases: list[int]
    ) -> int:
        self._deletions[recording_id] = _Deletion(
            session, correlation_id, recording_id, deque(bases)
        )
        return len(bases)

    def do_work(self) -> int:
        """Delete one file of each deletion; return how many were deleted or ended."""
        work_count = 0
        for deletion in tuple(self._deletions.values()):
            work_count += 1
            if deletion.bases:
                self._delete_one(deletion)
                continue
            del self._deletions[deletion.recording_id]
            deletion.session.send_signal(
                deletion.correlation_id,
                deletion.recording_id,
                NULL_VALUE,
                NULL_VALUE,
                RecordingSignal.DELETE,
            )
        return work_count

    def _delete_one(self, deletion: _Deletion) -> None:
        path = self._path(deletion.recording_id, deletion.bases.popleft())
        try:
            self._files.remove(path)
        except OSError as error:
            deletion.session.send_error(
                deletion.correlation_id,
                ArchiveErrorCode.GENERIC,
                f"unable to delete segment file: {path}: {error}",
            )


def _base(descriptor: RecordingDescriptor, position: int) -> int:
    return base_position(
        descriptor.start_position,
        position,
        descriptor.term_buffer_length,
        descriptor.segment_file_length,
    )
