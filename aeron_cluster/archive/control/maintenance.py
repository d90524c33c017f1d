"""Truncate, purge, detach, attach and migrate recordings.

``io.aeron.archive.ArchiveConductor`` (truncateRecording, purgeRecording, detachSegments, ...) and
``DeleteSegmentsSession``. What is to be deleted is decided and stored first; the files are deleted
one per pass. As upstream does, a request counts the positions of the segments that it deletes,
whether or not a file is found at each.
"""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aeron_cluster.archive.protocol.channels import stripped_channel
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.replay.replays import frame_problem
from aeron_cluster.archive.storage.catalog import joined_checksums
from aeron_cluster.archive.storage.migrations import migration_problem
from aeron_cluster.archive.storage.segments import (
    base_position,
    cut_segment,
    deletable_files,
    segment_bases,
    segment_name,
    start_term_base,
)
from aeron_cluster.codecs.archive import RecordingSignal, RecordingState
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import FRAME_ALIGNMENT, FRAME_HEADER_LENGTH, NULL_VALUE
from aeron_cluster.errors import OperationError

if TYPE_CHECKING:
    from aeron_cluster.archive.context import ArchiveContext
    from aeron_cluster.archive.recording.recordings import Recordings
    from aeron_cluster.archive.replay.replays import Replays
    from aeron_cluster.archive.sessions.control_session import ControlSession
    from aeron_cluster.archive.storage.catalog import Catalog
    from aeron_cluster.codecs.archive import RecordingDescriptor

__all__ = ["Maintenance"]


@dataclass(slots=True, eq=False)
class _Deletion:
    """The segment files of a recording that are still to be deleted.

    Parameters
    ----------
    highest : int
        The highest base of them all, until the last one is deleted.
    """

    session: ControlSession
    correlation_id: int
    recording_id: int
    names: deque[str]
    highest: int


class Maintenance:
    """Handles requests that change stopped recordings.

    Parameters
    ----------
    context : ArchiveContext
    catalog : Catalog
    recordings : Recordings
        The active recordings.
    replays : Replays
        The active replays.
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

    def highest_base_being_deleted(self, recording_id: int) -> int:
        """Return the highest base of a recording's segments that are being deleted, or -1."""
        deletion = self._deletions.get(recording_id)
        return NULL_VALUE if deletion is None else deletion.highest

    # ---- requests: those that delete files send their response before the signal ----

    def truncate(
        self, session: ControlSession, correlation_id: int, recording_id: int, position: int
    ) -> None:
        """Truncate a stopped recording; respond with the number of deleted segments.

        Raises
        ------
        OperationError
            The request is rejected, with the code for the client; the recording is unchanged.
        """
        descriptor = self._catalog.get(recording_id).descriptor
        self._check_unused(descriptor, "truncate")
        start, stop = descriptor.start_position, descriptor.stop_position
        if not start <= position <= stop or position % FRAME_ALIGNMENT:
            raise OperationError(
                f"invalid position {position}: start={start} stop={stop}"
                f" alignment={FRAME_ALIGNMENT}",
                ArchiveErrorCode.INVALID_POSITION,
            )
        self._check_not_deleting(recording_id)
        self._check_not_migrating(descriptor, "truncate")
        base = _base(descriptor, position)
        is_cut = start < position < stop and position != base
        if is_cut:
            # Checked before anything is stored: a rejected request changes nothing.
            self._check_frame(descriptor, position)
        self._catalog.set_stop_position(recording_id, position)
        if position == start:
            self._delete_all(session, correlation_id, recording_id)
            return
        if is_cut:
            self._cut(descriptor, position)
        segment_length = descriptor.segment_file_length
        first = base if position == base else base + segment_length
        # Only up to the old end: segments beyond it never belonged to this recording.
        self._delete(session, correlation_id, recording_id, range(first, stop + 1, segment_length))

    def purge(self, session: ControlSession, correlation_id: int, recording_id: int) -> None:
        """Purge a stopped recording; respond with the number of deleted files.

        Raises
        ------
        OperationError
            The request is rejected, with the code for the client.
        """
        descriptor = self._catalog.get(recording_id).descriptor
        self._check_unused(descriptor, "purge")
        self._check_not_deleting(recording_id)
        self._check_not_migrating(descriptor, "purge")
        self._catalog.set_state(recording_id, RecordingState.DELETED)
        self._delete_all(session, correlation_id, recording_id)

    def detach(self, recording_id: int, new_start: int) -> None:
        """Move the start of a recording to a later segment; the files before it stay.

        Raises
        ------
        OperationError
            The request is rejected, with the code for the client.
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
    ) -> None:
        """Delete the segments before a recording's start; respond with their number.

        Raises
        ------
        OperationError
            The request is rejected, with the code for the client.
        """
        descriptor = self._catalog.get(recording_id).descriptor
        self._check_not_deleting(recording_id)
        self._check_not_migrating(descriptor, "delete segments of")
        start_base = _start_base(descriptor, descriptor.start_position)
        files = deletable_files(self._files, self._context.archive_dir, recording_id)
        lowest = min((base for base, _ in files), default=start_base)
        self._delete_before_start(session, correlation_id, descriptor, lowest)

    def purge_segments(
        self, session: ControlSession, correlation_id: int, recording_id: int, new_start: int
    ) -> None:
        """Detach segments and delete only these; respond with their number.

        Raises
        ------
        OperationError
            The request is rejected, with the code for the client.
        """
        old_start = self._catalog.get(recording_id).descriptor.start_position
        self._check_not_deleting(recording_id)
        self.detach(recording_id, new_start)
        descriptor = self._catalog.get(recording_id).descriptor
        self._delete_before_start(session, correlation_id, descriptor, old_start)

    def _delete_before_start(
        self,
        session: ControlSession,
        correlation_id: int,
        descriptor: RecordingDescriptor,
        begin: int,
    ) -> None:
        """Delete the segments from the one that begins at a position up to the start."""
        length = descriptor.segment_file_length
        end = _start_base(descriptor, descriptor.start_position)
        # Counted back from the start, which the segments are aligned to.
        count = max(0, end - _start_base(descriptor, begin)) // length
        bases = range(end - count * length, end, length)
        self._delete(session, correlation_id, descriptor.recording_id, bases)

    def attach(self, recording_id: int) -> int:
        """Move the start of a recording back over existing files; return how many were attached.

        Raises
        ------
        OperationError
            If an existing file does not belong to the recording, or may still be deleted.
        """
        descriptor = self._catalog.get(recording_id).descriptor
        self._check_not_deleting(recording_id)
        segment_length = descriptor.segment_file_length
        start = descriptor.start_position
        attached = 0
        # A recording that begins within a segment has no earlier segments.
        base = start - segment_length
        while base >= 0:
            path = self._path(recording_id, base)
            if not self._files.is_file(path):
                break
            start = self._first_frame(descriptor, path, base)
            attached += 1
            if start != base:
                break
            base -= segment_length
        if attached:
            self._catalog.set_start_position(recording_id, start)
        return attached

    def migrate(
        self, session: ControlSession, correlation_id: int, src_id: int, dst_id: int
    ) -> None:
        """Migrate all segments of a recording to an adjacent one; respond with their number.

        A migration interrupted by a kill continues when it is requested again.

        Raises
        ------
        OperationError
            The request is rejected, with the code for the client.
        """
        src = self._catalog.get(src_id).descriptor
        dst = self._catalog.get(dst_id).descriptor
        self._check_alike(src, dst)
        start, stop = src.start_position, src.stop_position
        bases = range(_base(src, start), stop, src.segment_file_length)
        is_moved = self._is_moved(src, dst, bases)
        if not is_moved:
            self._check_joined(src, dst)
        # A pending deletion of the destination's files would remove the migrated ones.
        self._check_not_deleting(src_id)
        self._check_not_deleting(dst_id)
        if not is_moved:
            self._move(src, dst, bases)
        self._catalog.set_stop_position(src_id, start)
        # A recording that ended with a segment has an empty one after it.
        trailing = range(stop, stop + (_base(src, stop) == stop))
        self._delete(session, correlation_id, src_id, trailing, len(bases))

    def _is_moved(self, src: RecordingDescriptor, dst: RecordingDescriptor, bases: range) -> bool:
        """Return whether a migration was interrupted before it stored the end of the source."""
        is_within = dst.start_position <= src.start_position and (
            dst.stop_position == NULL_VALUE or src.stop_position <= dst.stop_position
        )
        return (
            is_within
            and len(bases) > 0
            and all(
                self._files.is_file(self._path(dst.recording_id, base))
                and not self._files.is_file(self._path(src.recording_id, base))
                for base in bases
            )
        )

    def _move(self, src: RecordingDescriptor, dst: RecordingDescriptor, bases: range) -> None:
        """Move segments to the destination, then the end of it that they join."""
        src_id, dst_id = src.recording_id, dst.recording_id
        to_move = [base for base in bases if self._is_to_move(src_id, dst_id, base, dst)]
        for base in to_move:
            self._files.rename(self._path(src_id, base), self._path(dst_id, base))
        if self._context.options.file_sync_level > 0:
            self._files.sync_directory(self._context.archive_dir)
        # Before the positions: data beyond the files is never read.
        moved, kept = self._catalog.get(src_id).frames, self._catalog.get(dst_id).frames
        if src.stop_position == dst.start_position:
            frames = joined_checksums(moved, kept, src.stop_position)
            self._catalog.set_frames(dst_id, frames)
            self._catalog.set_start_position(dst_id, src.start_position)
        else:
            frames = joined_checksums(kept, moved, src.start_position)
            self._catalog.set_frames(dst_id, frames)
            self._catalog.set_stop_position(dst_id, src.stop_position)

    def _check_alike(self, src: RecordingDescriptor, dst: RecordingDescriptor) -> None:
        """Reject recordings that are not of one stream, and a source that is in use."""
        if src.stop_position == NULL_VALUE:
            raise OperationError(
                f"recording {src.recording_id} is still active", ArchiveErrorCode.GENERIC
            )
        self._check_unused(src, "migrate")
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

    @staticmethod
    def _check_joined(src: RecordingDescriptor, dst: RecordingDescriptor) -> None:
        """Reject recordings that are not adjacent, or not at the beginning of a segment."""
        # An empty recording borders on itself, as upstream sees it: nothing is moved then.
        if src.stop_position == dst.start_position:
            join = src.stop_position
        elif src.start_position == dst.stop_position:
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

    def _is_to_move(self, src_id: int, dst_id: int, base: int, dst: RecordingDescriptor) -> bool:
        """Return whether the source still has a segment; reject if none or both have it."""
        target = self._path(dst_id, base)
        # The empty segment after the destination's end is replaced.
        is_there = self._files.is_file(target) and (
            base != dst.stop_position or self._begins_with_a_frame(target)
        )
        if self._files.is_file(self._path(src_id, base)) is is_there:
            problem = "preexisting dst segment file" if is_there else "missing src segment file"
            path = os.path.abspath(self._path(dst_id if is_there else src_id, base))  # noqa: PTH100 - as a text
            raise OperationError(f"{problem} {path}", ArchiveErrorCode.GENERIC)
        return not is_there

    def _begins_with_a_frame(self, path: str) -> bool:
        with self._files.open(path) as file:
            return any(file.read_at(FRAME_HEADER_LENGTH, 0)[:4])

    def update_channel(self, recording_id: int, channel: str) -> None:
        """Change the channel stored for a recording.

        Raises
        ------
        ConfigurationError
            The channel is invalid.
        """
        uri = ChannelUri.parse(channel).validate()
        self._catalog.replace(
            recording_id, stripped_channel=str(stripped_channel(uri)), original_channel=channel
        )

    def _first_frame(self, descriptor: RecordingDescriptor, path: str, base: int) -> int:
        """Return the position of a segment's first frame, after a possible hole at its start."""
        with self._files.open(path) as file:
            if file.length != descriptor.segment_file_length:
                raise OperationError(
                    f"fileLength={file.length} not equal to"
                    f" segmentLength={descriptor.segment_file_length} for {path}",
                    ArchiveErrorCode.GENERIC,
                )
            term = file.read_at(descriptor.term_buffer_length, 0)
        for offset in range(0, len(term), FRAME_ALIGNMENT):
            header = term[offset : offset + FRAME_HEADER_LENGTH]
            if any(header[:4]):
                if problem := frame_problem(header, descriptor, base + offset):
                    raise OperationError(f"{problem}: {path} at {offset}", ArchiveErrorCode.GENERIC)
                return base + offset
        raise OperationError(
            f"fragment not found in first term of segment {path}", ArchiveErrorCode.GENERIC
        )

    # ---- checks ----

    def _check_unused(self, descriptor: RecordingDescriptor, verb: str) -> None:
        recording_id = descriptor.recording_id
        replay_id = self._replays.active_on(recording_id)
        if replay_id is not None:
            name = "pending" if replay_id == NULL_VALUE else replay_id
            raise OperationError(
                f"cannot {verb} recording with active replay {recording_id}: replay session {name}",
                ArchiveErrorCode.ACTIVE_RECORDING,
            )
        # A recording that has ended, but without a stored end: storing it is retried.
        if recording_id in self._recordings.active or descriptor.stop_position == NULL_VALUE:
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

    def _check_not_migrating(self, descriptor: RecordingDescriptor, verb: str) -> None:
        """Reject deletions while segments of another recording may be among the files."""
        recording_id, stop = descriptor.recording_id, descriptor.stop_position
        begin = _start_base(descriptor, descriptor.start_position)
        directory = self._context.archive_dir
        outside = [
            base
            for base in segment_bases(self._files, directory, recording_id)
            if base < begin
            or base > stop != NULL_VALUE
            # A recording that ended with a segment may have an empty one after it.
            or (base == stop and self._begins_with_a_frame(self._path(recording_id, base)))
        ]
        problem = outside and migration_problem(
            self._files, directory, self._catalog, descriptor, outside
        )
        if problem:
            raise OperationError(
                f"cannot {verb} recording {recording_id}: {problem}", ArchiveErrorCode.GENERIC
            )

    def _check_frame(self, descriptor: RecordingDescriptor, position: int) -> None:
        base = _base(descriptor, position)
        with self._files.open(self._path(descriptor.recording_id, base)) as file:
            header = file.read_at(FRAME_HEADER_LENGTH, position - base)
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
        path = self._path(descriptor.recording_id, base)
        sync_level, length = self._context.options.file_sync_level, descriptor.segment_file_length
        cut_segment(self._files, path, position - base, length, sync_level=sync_level)

    def _delete(
        self,
        session: ControlSession,
        correlation_id: int,
        recording_id: int,
        bases: range,
        answer: int | None = None,
    ) -> None:
        """Respond, and delete the segments with these bases; a missing one is not an error."""
        names: dict[int, str] = {}
        for base, name in deletable_files(self._files, self._context.archive_dir, recording_id):
            # A file renamed by an interrupted deletion is deleted if the segment is missing.
            if base in bases:
                names.setdefault(base, name)
        session.send_ok(correlation_id, len(bases) if answer is None else answer)
        if bases:
            highest = bases[-1]
            self._deletions[recording_id] = _Deletion(
                session, correlation_id, recording_id, deque(names.values()), highest
            )
        else:
            self._send_end(session, correlation_id, recording_id)

    def _delete_all(self, session: ControlSession, correlation_id: int, recording_id: int) -> None:
        """Respond, and delete all segments of a recording, including detached ones."""
        files = deletable_files(self._files, self._context.archive_dir, recording_id)
        session.send_ok(correlation_id, len(files))
        if not files:
            self._send_end(session, correlation_id, recording_id)
            return
        names = deque(name for _, name in files)
        self._deletions[recording_id] = _Deletion(
            session, correlation_id, recording_id, names, files[-1][0]
        )

    def _send_end(self, session: ControlSession, correlation_id: int, recording_id: int) -> None:
        session.send_signal(
            correlation_id, recording_id, NULL_VALUE, NULL_VALUE, RecordingSignal.DELETE
        )

    def do_work(self) -> int:
        """Delete one file of each deletion; return how many were deleted or ended."""
        work_count = 0
        for deletion in tuple(self._deletions.values()):
            work_count += 1
            if deletion.names:
                self._delete_one(deletion)
                continue
            del self._deletions[deletion.recording_id]
            self._send_end(deletion.session, deletion.correlation_id, deletion.recording_id)
        return work_count

    def _delete_one(self, deletion: _Deletion) -> None:
        path = f"{self._context.archive_dir}/{deletion.names.popleft()}"
        try:
            self._files.remove(path)
        except FileNotFoundError:
            return  # deleted by hand meanwhile, for example
        except OSError as error:
            deletion.session.send_error(
                deletion.correlation_id,
                ArchiveErrorCode.GENERIC,
                f"unable to delete segment file: {path}: {error}",
            )


def _start_base(descriptor: RecordingDescriptor, start: int) -> int:
    """Return the base of the segment in which a recording with this start begins."""
    return start_term_base(start, descriptor.term_buffer_length)


def _base(descriptor: RecordingDescriptor, position: int) -> int:
    return base_position(
        descriptor.start_position,
        position,
        descriptor.term_buffer_length,
        descriptor.segment_file_length,
    )
