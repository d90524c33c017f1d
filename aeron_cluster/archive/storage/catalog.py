"""The catalog of an archive: one descriptor for each recording.

Upstream: Catalog and CatalogIndex. ``archive.catalog`` is a header of 32 bytes and then, each
aligned to 64, frames of a descriptor header (32 bytes), a descriptor (80 bytes) and its three
strings, without message headers. A frame's length covers the descriptor and its padding.

Changes are written through the file seam in the order that keeps every prefix readable: the
descriptor, then the next recording id of the catalog, then the frame's header. An id may remain
unused, but every recording has an id below the next one.

Bytes of a frame's header that Java reserves, preserves and never reads store the position from
which this archive recorded with checksums, the checksum, and the session id: if another archive
extended the recording since, with or without its own checksums, the descriptor has another session
id, and these bytes no longer apply.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.archive.storage.segments import recording_ids
from aeron_cluster.codecs.archive import (
    CatalogHeader,
    RecordingDescriptor,
    RecordingDescriptorHeader,
    RecordingState,
)
from aeron_cluster.codecs.frame_layout import (
    FRAME_ALIGNMENT,
    FRAME_HEADER_LENGTH,
    MAX_MTU_LENGTH,
    MAX_POSITION,
    MAX_TERM_LENGTH,
    MIN_TERM_LENGTH,
    NULL_VALUE,
    PAGE_LENGTH,
)
from aeron_cluster.errors import (
    CorruptError,
    InsufficientSpaceError,
    MessageError,
    OperationError,
    VersionError,
)
from aeron_cluster.events.codes import ArchiveEvent
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from aeron_cluster.events.recorder import EventRecorder
    from aeron_cluster.memory.system.seams import File, Files

__all__ = [
    "CATALOG_HEADER_LENGTH",
    "CATALOG_NAME",
    "CATALOG_VERSION",
    "CHECKSUMS_OFFSET",
    "STATE_OFFSET",
    "STOP_POSITION_OFFSET",
    "STOP_TIMESTAMP_OFFSET",
    "Catalog",
    "CatalogFullError",
    "FrameChecksums",
    "Recording",
    "joined_checksums",
    "packed_checksums",
    "range_problem",
]

CATALOG_NAME: Final = "archive.catalog"
CATALOG_VERSION: Final = 3 << 16 | 1 << 8
MIN_CAPACITY: Final = 32
MAX_CAPACITY: Final = 2**31 - 1
DEFAULT_CAPACITY: Final = 1024 * 1024
MAX_SEGMENT_LENGTH: Final = 1024 * 1024 * 1024
RESTORE_CATALOG: Final = (
    "the catalog is damaged: start without the archive's and the cluster's directories, or from a"
    " backup (aeron-cluster restore); see docs/operating.md, Damage"
)

_MAJOR = 16
_UNFINISHED_SUFFIX = ".new"
CATALOG_HEADER_LENGTH: Final = 32
_DEFAULT_ALIGNMENT = 64
_NEXT_RECORDING_ID_OFFSET = 8
STATE_OFFSET: Final = 4
_CHECKSUM_OFFSET = 8
_CHECKSUM_LENGTH = 4
_DESCRIPTOR_LENGTH = 80
_FRAME_HEADER = struct.Struct("<iiiiqB6sb")
# Session id, first position, code; the position of the last stream's first frame plus 1.
_CHECKSUMS = struct.Struct("<iqB6s")
CHECKSUMS_OFFSET = 12
_I64 = struct.Struct("<q")

# The offsets of the changing fields of a descriptor.
_CONTROL_SESSION_ID_OFFSET = 0
STOP_TIMESTAMP_OFFSET: Final = 32
_START_POSITION_OFFSET = 40
STOP_POSITION_OFFSET: Final = 48
_SESSION_ID_OFFSET = 72


_NO_CHECKSUMS = bytes(_CHECKSUMS.size)


class CatalogFullError(InsufficientSpaceError):
    """A descriptor that does not fit into the largest catalog."""


class FrameChecksums(NamedTuple):
    """The checksum of a recording's frames, and the position from which they have it.

    Parameters
    ----------
    code : int
        The code of `aeron_cluster.archive.storage.checksum.Checksum`.
    position : int
        The position of the first frame with one; frames before it may have session ids instead.
    stream_position : int
        The position from which all frames are of one stream: recorded last, without a stop. 2^63 -
        1 if unknown.
    """

    code: int
    position: int
    stream_position: int = MAX_POSITION


def joined_checksums(
    first: FrameChecksums | None, second: FrameChecksums | None, position: int
) -> FrameChecksums | None:
    """Return the checksums of a recording that continues with the frames of another.

    Parameters
    ----------
    first, second : FrameChecksums or None
    position : int
        The position where the first one ends and the second one begins.
    """
    if second is None:
        return None  # the end has no known checksums, and they must be known up to the end
    begin = max(second.position, position)
    if begin == position and first is not None and first.code == second.code:
        begin = min(first.position, position)
    return FrameChecksums(second.code, begin, max(second.stream_position, position))


@dataclass(frozen=True, slots=True)
class Recording:
    """One frame of the catalog.

    Parameters
    ----------
    offset : int
        The offset of the frame in the file, in bytes.
    length : int
        The length of the frame after its header, in bytes, as it is sent.
    state : RecordingState
    checksum : int
        The checksum of the descriptor; 0 if it has none.
    descriptor : RecordingDescriptor
    frames : FrameChecksums, optional
        The checksums of its frames; None if unknown.
    """

    offset: int
    length: int
    state: RecordingState
    checksum: int
    descriptor: RecordingDescriptor
    frames: FrameChecksums | None = None


class Catalog(Closeable):
    """The catalog of one archive directory.

    Parameters
    ----------
    files : Files
        The file seam.
    directory : str
        The archive directory.
    capacity : int
        The initial length of the file, in bytes; it grows by half when it is full.
    sync_level : int
        0 leaves the file to the page cache, 1 syncs data after each change, 2 also metadata.
    checksum : callable, optional
        A function from bytes to a signed 32-bit value; stored for each descriptor.
    frame_checksum_code : int
        The code of the checksum for frames recorded from now on; 0 for none.
    writable : bool
        Create the file if it is missing, and allow changes.
    events : EventRecorder, optional
        The archive's event log.

    Raises
    ------
    CorruptError
        If the file is not a catalog, its frames are inconsistent, or (if writable) there are
        segments of recordings that it does not contain; it names file and offset.
    VersionError
        When it was written by another major version.
    """

    def __init__(
        self,
        files: Files,
        directory: str,
        *,
        capacity: int = DEFAULT_CAPACITY,
        sync_level: int = 0,
        checksum: Callable[[bytes], int] | None = None,
        frame_checksum_code: int = 0,
        writable: bool = True,
        events: EventRecorder = NO_EVENTS,
    ) -> None:
        self._events = events
        self._directory = directory
        self._path = f"{directory}/{CATALOG_NAME}"
        self._files = files
        self._sync_level = sync_level
        self._checksum = checksum
        self._frame_checksum_code = frame_checksum_code
        self._offsets: dict[int, int] = {}
        self._ids: list[int] = []
        self._end = CATALOG_HEADER_LENGTH
        self._alignment = _DEFAULT_ALIGNMENT
        self._next_recording_id = 0
        self._file: File = files.open(self._path, write=writable, create=writable)
        try:
            self._capacity = max(capacity, self._file.length) if writable else self._file.length
            if writable:
                self._remove_unfinished()
            if writable and self._is_unfinished():
                self._check_segments(set())
                self._create()
            else:
                self._load(writable=writable)
        except BaseException:
            self._file.close()
            raise

    def __repr__(self) -> str:
        return f"Catalog({self._path!r}, recordings={len(self._ids)})"

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, recording_id: object) -> bool:
        return recording_id in self._offsets

    def __iter__(self) -> Iterator[Recording]:
        """Yield the valid recordings by ascending id."""
        for recording_id in tuple(self._ids):
            if recording_id in self._offsets:
                yield self.get(recording_id)

    @property
    def path(self) -> str:
        """The path of the file."""
        return self._path

    @property
    def capacity(self) -> int:
        """Length of the file, in bytes."""
        return self._capacity

    @property
    def alignment(self) -> int:
        """The alignment of the frames, in bytes."""
        return self._alignment

    @property
    def next_recording_id(self) -> int:
        """The id that the next new recording gets."""
        return self._next_recording_id

    def close(self) -> None:
        """Sync and close the file. Calling it again does nothing."""
        self._file.close()

    # ---- opening ----

    def _is_unfinished(self) -> bool:
        """Return whether the process creating the file was killed before it wrote the header."""
        return not any(self._file.read_at(self._file.length, 0))

    def _create(self) -> None:
        self._allocate()
        header = CatalogHeader.encode_body(
            version=CATALOG_VERSION,
            length=CATALOG_HEADER_LENGTH,
            next_recording_id=0,
            alignment=_DEFAULT_ALIGNMENT,
            reserved=0,
        )
        self._write(header, 0)

    def _load(self, *, writable: bool) -> None:
        data = self._file.read_at(CATALOG_HEADER_LENGTH, 0)
        if len(data) < CATALOG_HEADER_LENGTH:
            raise CorruptError(
                self._path, 0, "length", f"at least {CATALOG_HEADER_LENGTH}", len(data)
            )
        header = CatalogHeader.decode_body(data)
        if header.version >> _MAJOR != CATALOG_VERSION >> _MAJOR:
            raise VersionError(self._path, 0, "version", "3.x.y", _version_text(header.version))
        if header.length != CATALOG_HEADER_LENGTH:
            raise CorruptError(self._path, 4, "header length", CATALOG_HEADER_LENGTH, header.length)
        alignment = header.alignment
        if alignment < FRAME_HEADER_LENGTH or alignment & (alignment - 1):
            raise CorruptError(self._path, 16, "alignment", "a power of two >= 32", alignment)
        self._alignment = alignment
        last_id = NULL_VALUE
        described: set[int] = set()
        for recording in self.scan():
            last_id = recording.descriptor.recording_id
            described.add(last_id)
            if recording.state is RecordingState.VALID:
                if writable:
                    self._check_ranges(recording)
                self._offsets[last_id] = recording.offset
                self._ids.append(last_id)
            self._end = self._frame_end(recording.offset, recording.length)
        if not writable:
            # Recordings may have been added since it was read.
            header = CatalogHeader.decode_body(self._file.read_at(CATALOG_HEADER_LENGTH, 0))
        next_id = header.next_recording_id
        if not writable and next_id == last_id:
            # Java adds a frame before it increments the next id: a frame beyond it may be new.
            next_id += 1
        self._next_recording_id = next_id or last_id + 1
        if self._next_recording_id <= last_id:
            raise CorruptError(
                self._path,
                _NEXT_RECORDING_ID_OFFSET,
                "next recording id",
                f"more than {last_id}",
                self._next_recording_id,
            )
        if writable:
            self._check_segments(described)
            self._allocate()

    def _check_ranges(self, recording: Recording) -> None:
        """Reject a descriptor with impossible values."""
        if (problem := range_problem(recording.descriptor)) is not None:
            what, expected, found = problem
            raise CorruptError(
                self._path,
                recording.offset + FRAME_HEADER_LENGTH,
                f"{what} of recording {recording.descriptor.recording_id}",
                f"{expected}; {RESTORE_CATALOG}",
                found,
            )

    def has_wrong_checksum(self, recording: Recording) -> bool:
        """Whether a recording's descriptor does not match its checksum.

        An archive killed during a change, and Java's archive, which stores no checksums, can also
        leave a mismatch.
        """
        checksum = self._checksum
        if checksum is None or recording.checksum == 0:
            return False
        start = recording.offset + FRAME_HEADER_LENGTH
        return checksum(self._file.read_at(recording.length, start)) != recording.checksum

    def _check_segments(self, described: set[int]) -> None:
        """Reject a catalog that lost recordings: the next ones would overwrite their segments.

        A catalog truncated between two frames has the next id, but not the recordings; it would be
        extended with zeros again, and the loss would not be detected.
        """
        ids = recording_ids(self._files, self._directory)
        last_id = max(ids, default=NULL_VALUE)
        if last_id >= self._next_recording_id:
            raise CorruptError(
                self._path,
                _NEXT_RECORDING_ID_OFFSET,
                "next recording id",
                f"more than {last_id}, which has segments in this directory",
                self._next_recording_id,
            )
        lost = ids - described
        length = self._file.length
        # Frames are allocated ahead, and the free part is cut off after removing such segments.
        if lost and length < self._end + FRAME_HEADER_LENGTH:
            raise CorruptError(
                self._path,
                length,
                "length",
                f"the frame of recording {min(lost)}, which has segments in this directory",
                length,
            )

    def scan(self) -> Iterator[Recording]:
        """Yield every frame of any state, in file order.

        Raises
        ------
        CorruptError
            At a truncated frame, or if recording ids do not ascend.
        """
        offset = CATALOG_HEADER_LENGTH
        last_id = NULL_VALUE
        length = self._file.length
        while offset + FRAME_HEADER_LENGTH <= length:
            recording = self._read(offset)
            if recording is None:
                return
            recording_id = recording.descriptor.recording_id
            if recording_id <= last_id:
                raise CorruptError(
                    self._path, offset, "recording id", f"more than {last_id}", recording_id
                )
            last_id = recording_id
            yield recording
            offset = self._frame_end(offset, recording.length)

    def _frame_end(self, offset: int, length: int) -> int:
        frame = length + FRAME_HEADER_LENGTH
        return offset + -(-frame // self._alignment) * self._alignment

    def _read(self, offset: int) -> Recording | None:
        data = self._file.read_at(FRAME_HEADER_LENGTH, offset)
        try:
            header = RecordingDescriptorHeader.decode_body(data)
        except MessageError as error:
            raise CorruptError(
                self._path, offset, "frame header", error.expected, error.found
            ) from error
        if header.length <= 0:
            return None
        start = offset + FRAME_HEADER_LENGTH
        body = self._file.read_at(header.length, start)
        if header.length < _DESCRIPTOR_LENGTH or len(body) < header.length:
            expected = f"from {_DESCRIPTOR_LENGTH} to the end of the file"
            raise CorruptError(self._path, offset, "frame length", expected, header.length)
        try:
            descriptor = RecordingDescriptor.decode_body(body)
        except MessageError as error:
            raise CorruptError(
                self._path, start, "descriptor", error.expected, error.found
            ) from error
        session_id, position, code, frame = _CHECKSUMS.unpack_from(data, CHECKSUMS_OFFSET)
        is_known = code != 0 and session_id == descriptor.session_id
        return Recording(
            offset,
            header.length,
            header.state,
            header.checksum,
            descriptor,
            FrameChecksums(code, position, _stream_position(frame)) if is_known else None,
        )

    # ---- reading ----

    def get(self, recording_id: int) -> Recording:
        """Return a valid recording.

        Raises
        ------
        OperationError
            With code 5 if the id is unknown, invalid or deleted.
        """
        recording = self._read(self._offset(recording_id))
        if recording is None:
            offset = self._offset(recording_id)
            raise CorruptError(self._path, offset, "frame length", "more than 0", 0)
        return recording

    def body(self, recording_id: int) -> bytes:
        """Return the bytes of a valid recording's descriptor in the file, with its padding.

        Raises
        ------
        OperationError
            With code 5 if the id is unknown, invalid or deleted.
        """
        recording = self.get(recording_id)
        return self._file.read_at(recording.length, recording.offset + FRAME_HEADER_LENGTH)

    def find_last(
        self, min_recording_id: int, session_id: int, stream_id: int, channel_fragment: str
    ) -> int:
        """Return the highest id from `min_recording_id` on that matches, or -1."""
        for recording_id in reversed(self.ids_from(min_recording_id)):
            descriptor = self.get(recording_id).descriptor
            if (
                descriptor.session_id == session_id
                and descriptor.stream_id == stream_id
                and channel_fragment in descriptor.original_channel
            ):
                return recording_id
        return NULL_VALUE

    def ids_from(self, recording_id: int) -> list[int]:
        """Return the ids of the valid recordings from one on, ascending; it need not exist."""
        return self._ids[bisect_left(self._ids, recording_id) :]

    def _offset(self, recording_id: int) -> int:
        offset = self._offsets.get(recording_id)
        if offset is None:
            raise OperationError(f"unknown recording id: {recording_id}", 5)
        return offset

    # ---- changes ----

    def add(
        self,
        *,
        start_position: int,
        start_timestamp: int,
        initial_term_id: int,
        segment_file_length: int,
        term_buffer_length: int,
        mtu_length: int,
        session_id: int,
        stream_id: int,
        stripped_channel: str,
        original_channel: str,
        source_identity: str,
        stop_position: int = NULL_VALUE,
        stop_timestamp: int = NULL_VALUE,
    ) -> int:
        """Add a recording, active unless a stop position is given, and return its id.

        Raises
        ------
        CatalogFullError
            If the largest catalog has no room for it.
        """
        recording_id = self._next_recording_id
        body = RecordingDescriptor.encode_body(
            control_session_id=0,
            correlation_id=0,
            recording_id=recording_id,
            start_timestamp=start_timestamp,
            stop_timestamp=stop_timestamp,
            start_position=start_position,
            stop_position=stop_position,
            initial_term_id=initial_term_id,
            segment_file_length=segment_file_length,
            term_buffer_length=term_buffer_length,
            mtu_length=mtu_length,
            session_id=session_id,
            stream_id=stream_id,
            stripped_channel=stripped_channel,
            original_channel=original_channel,
            source_identity=source_identity,
        )
        offset = self._end
        body = self._padded(body)
        end = offset + FRAME_HEADER_LENGTH + len(body)
        self._make_room(offset, FRAME_HEADER_LENGTH + len(body))
        # No frame begins after it: an incomplete, longer one may have been written here before.
        following = bytes(min(FRAME_HEADER_LENGTH, self._capacity - end))
        self._file.write_at(body + following, offset + FRAME_HEADER_LENGTH)
        # Synced, if configured: after a power loss either of two pages may be lost.
        self._write(_I64.pack(recording_id + 1), _NEXT_RECORDING_ID_OFFSET)
        frames = (
            packed_checksums(
                session_id,
                FrameChecksums(self._frame_checksum_code, start_position, start_position),
            )
            if self._frame_checksum_code
            else _NO_CHECKSUMS
        )
        try:
            self._write(self._frame_header(body, RecordingState.VALID, frames), offset)
        except OSError:
            # The next one is written here: with this header it might be cut.
            self._file.write_at(bytes(FRAME_HEADER_LENGTH), offset)
            raise
        self._next_recording_id = recording_id + 1
        self._end = end
        self._offsets[recording_id] = offset
        self._ids.append(recording_id)
        return recording_id

    def replace(self, recording_id: int, **changes: int | str) -> None:
        """Change fields of a recording's descriptor, including those of variable length.

        A frame that grows moves all following frames, of any state; one that shrinks keeps its
        length. A whole new file replaces the old one, so that neither a kill nor a power loss
        leaves an intermediate state.

        Parameters
        ----------
        recording_id : int
        **changes
            Fields of `RecordingDescriptor`; the others stay as they are.

        Raises
        ------
        OperationError
            With code 5 if the id is unknown, invalid or deleted.
        CatalogFullError
            If the largest catalog has no room for it.
        """
        recording = self.get(recording_id)
        body = RecordingDescriptor.encode_body(**recording.descriptor.as_dict() | changes)
        offset = recording.offset
        end = self._frame_end(offset, recording.length)
        length = end - offset - FRAME_HEADER_LENGTH
        body = self._padded(body).ljust(length, b"\0")
        growth = len(body) - length
        frames = _NO_CHECKSUMS
        if recording.frames is not None:
            session_id = RecordingDescriptor.decode_body(body).session_id
            frames = packed_checksums(session_id, recording.frames)
        frame = self._frame_header(body, recording.state, frames) + body
        capacity = self._capacity_for(self._end + growth)
        replaced = self._replace_file(
            self._file.read_at(offset, 0) + frame + self._file.read_at(self._end - end, end),
            capacity,
        )
        self._offsets = {
            each: found + growth if found > offset else found
            for each, found in self._offsets.items()
        }
        self._end += growth
        # Last: if these fail, the offsets are those of the new file nevertheless.
        try:
            replaced.close()
        finally:
            self._files.sync_directory(self._directory)

    def _replace_file(self, content: bytes, capacity: int) -> File:
        """Return the replaced file, still open."""
        self._remove_unfinished()
        file = self._files.open(self._path + _UNFINISHED_SUFFIX, write=True, create=True)
        try:
            file.allocate(0, capacity)
            file.write_at(content, 0)
            file.sync(2)
            self._files.rename(self._path + _UNFINISHED_SUFFIX, self._path)
        except BaseException:
            file.close()
            raise
        replaced, self._file = self._file, file
        if capacity != self._capacity:
            self._log_growth(capacity)
        self._capacity = capacity
        return replaced

    def _remove_unfinished(self) -> None:
        if self._files.is_file(self._path + _UNFINISHED_SUFFIX):
            self._files.remove(self._path + _UNFINISHED_SUFFIX)

    def extend(
        self, recording_id: int, control_session_id: int, correlation_id: int, session_id: int
    ) -> None:
        """Make a stopped recording active again, under the session that extends it."""
        recording = self.get(recording_id)
        offset = recording.offset
        # Computed before the session id changes: the old id identifies the earlier frames.
        frames = self._extended_checksums(recording, session_id)
        self._file.write_at(frames, offset + CHECKSUMS_OFFSET)
        self._put(offset, _CONTROL_SESSION_ID_OFFSET, "<qq", control_session_id, correlation_id)
        self._put(offset, _SESSION_ID_OFFSET, "<i", session_id)
        self._put(offset, STOP_TIMESTAMP_OFFSET, "<q", NULL_VALUE)
        self._put(offset, STOP_POSITION_OFFSET, "<q", NULL_VALUE)
        self._changed(offset)

    def _extended_checksums(self, recording: Recording, session_id: int) -> bytes:
        """Return the checksum fields of the frame's header once a session extends a recording."""
        code = self._frame_checksum_code
        if code == 0:
            return _NO_CHECKSUMS
        stop_position = position = recording.descriptor.stop_position
        if recording.frames is not None and recording.frames.code == code:
            position = min(position, recording.frames.position)
        return packed_checksums(session_id, FrameChecksums(code, position, stop_position))

    def stop(self, recording_id: int, position: int, timestamp: int) -> None:
        """Store position and time (epoch ms) of a recording's stop; readers poll the position."""
        offset = self._offset(recording_id)
        self._put(offset, STOP_TIMESTAMP_OFFSET, "<q", timestamp)
        self._put_position(offset, STOP_POSITION_OFFSET, position)

    def set_stop_position(self, recording_id: int, position: int) -> None:
        """Move the end of a stopped recording."""
        self._put_position(self._offset(recording_id), STOP_POSITION_OFFSET, position)

    def set_start_position(self, recording_id: int, position: int) -> None:
        """Move the start of a recording, whose older segments are detached."""
        self._put_position(self._offset(recording_id), _START_POSITION_OFFSET, position)

    def set_frames(self, recording_id: int, frames: FrameChecksums | None) -> None:
        """Store the checksum of a recording's frames, as after a migration."""
        recording = self.get(recording_id)
        notes = _NO_CHECKSUMS
        if frames is not None:
            notes = packed_checksums(recording.descriptor.session_id, frames)
        self._write(notes, recording.offset + CHECKSUMS_OFFSET)

    def set_state(self, recording_id: int, state: RecordingState) -> None:
        """Change the state; a recording that is no longer valid is unknown from then on.

        If that fails, the state is unchanged: the recording can still be extended.
        """
        at = self._offset(recording_id) + STATE_OFFSET
        former = self._file.read_at(4, at)
        try:
            self._write(struct.pack("<i", state), at)
        except OSError:
            self._file.write_at(former, at)
            raise
        if state is not RecordingState.VALID:
            del self._offsets[recording_id]
            self._ids.remove(recording_id)

    def _padded(self, body: bytes) -> bytes:
        frame = FRAME_HEADER_LENGTH + len(body)
        return body + bytes(-frame % self._alignment)

    def _frame_header(self, body: bytes, state: RecordingState, frames: bytes) -> bytes:
        checksum = self._checksum(body) if self._checksum else 0
        return _FRAME_HEADER.pack(len(body), state, checksum, *_CHECKSUMS.unpack(frames), 0)

    def _put(self, frame_offset: int, field_offset: int, form: str, *values: int) -> None:
        at = frame_offset + FRAME_HEADER_LENGTH + field_offset
        self._file.write_at(struct.pack(form, *values), at)

    def _put_position(self, offset: int, field_offset: int, position: int) -> None:
        """Store a start or an end together with the checksum.

        With a wrong checksum, an end before further frames would count as damage.
        """
        if self._checksum is None:
            self._put(offset, field_offset, "<q", position)
        else:
            header = self._file.read_at(FRAME_HEADER_LENGTH, offset)
            length, state, *_ = _FRAME_HEADER.unpack(header)
            body = bytearray(self._file.read_at(length, offset + FRAME_HEADER_LENGTH))
            end = field_offset + _I64.size
            _I64.pack_into(body, field_offset, position)
            frames = header[CHECKSUMS_OFFSET : CHECKSUMS_OFFSET + _CHECKSUMS.size]
            last = offset + FRAME_HEADER_LENGTH + end - 1
            if self._sync_level > 0 and offset // PAGE_LENGTH != last // PAGE_LENGTH:
                # A power loss may keep either page: the position is moved without a checksum.
                self._write(bytes(_CHECKSUM_LENGTH), offset + _CHECKSUM_OFFSET)
                self._write(bytes(body[:end]), offset + FRAME_HEADER_LENGTH)
            header = self._frame_header(bytes(body), RecordingState(state), frames)
            self._file.write_at(header + bytes(body[:end]), offset)
        self._sync()

    def _changed(self, offset: int) -> None:
        if self._checksum:
            header = self._file.read_at(FRAME_HEADER_LENGTH, offset)
            length, state, *_ = _FRAME_HEADER.unpack(header)
            body = self._file.read_at(length, offset + FRAME_HEADER_LENGTH)
            frames = header[CHECKSUMS_OFFSET : CHECKSUMS_OFFSET + _CHECKSUMS.size]
            self._file.write_at(self._frame_header(body, RecordingState(state), frames), offset)
        self._sync()

    def _make_room(self, offset: int, length: int) -> None:
        capacity = self._capacity_for(offset + length)
        if capacity != self._capacity:
            self._file.allocate(0, capacity)
            self._log_growth(capacity)
            self._capacity = capacity

    def _log_growth(self, capacity: int) -> None:
        self._events.record(
            ArchiveEvent.CATALOG_RESIZE,
            catalog_length=self._capacity,
            new_catalog_length=capacity,
        )

    def _capacity_for(self, length: int) -> int:
        capacity = self._capacity
        while capacity < length:
            if capacity >= MAX_CAPACITY:
                raise CatalogFullError(
                    28, f"catalog is full, max capacity reached: {MAX_CAPACITY}", self._path
                )
            capacity = min(capacity + capacity // 2, MAX_CAPACITY)
        return capacity

    def _allocate(self) -> None:
        # A full disk must not prevent storing the end of a recording.
        self._file.allocate(0, self._capacity)

    def _write(self, data: bytes, offset: int) -> None:
        self._file.write_at(data, offset)
        self._sync()

    def _sync(self) -> None:
        if self._sync_level > 0:
            self._file.sync(self._sync_level)


def range_problem(each: RecordingDescriptor) -> tuple[str, str, int] | None:
    """Return an impossible value of a descriptor: its name, what is expected, what was found."""
    term_length, segment_length = each.term_buffer_length, each.segment_file_length
    start, stop = each.start_position, each.stop_position
    for what, is_right, expected, found in (
        (
            "term length",
            MIN_TERM_LENGTH <= term_length <= MAX_TERM_LENGTH and _is_power(term_length),
            f"a power of two from {MIN_TERM_LENGTH} to {MAX_TERM_LENGTH}",
            term_length,
        ),
        (
            "segment length",
            term_length <= segment_length <= MAX_SEGMENT_LENGTH and _is_power(segment_length),
            f"a power of two from the term length {term_length} to {MAX_SEGMENT_LENGTH}",
            segment_length,
        ),
        (
            "mtu",
            FRAME_ALIGNMENT <= each.mtu_length <= MAX_MTU_LENGTH
            and each.mtu_length % FRAME_ALIGNMENT == 0,
            f"a multiple of 32 up to {MAX_MTU_LENGTH}",
            each.mtu_length,
        ),
        (
            "start position",
            start >= 0 and start % FRAME_ALIGNMENT == 0,
            "a multiple of 32, at least 0",
            start,
        ),
        (
            "stop position",
            stop == NULL_VALUE or (stop >= start and stop % FRAME_ALIGNMENT == 0),
            f"-1, or a multiple of 32 of at least the start position {start}",
            stop,
        ),
    ):
        if not is_right:
            return what, expected, found
    return None


def packed_checksums(session_id: int, frames: FrameChecksums) -> bytes:
    """Return the checksum fields of a frame's header."""
    number = frames.stream_position // FRAME_ALIGNMENT + 1
    if number >= 1 << 48:
        number = 0  # unknown, or too large for the field
    return _CHECKSUMS.pack(session_id, frames.position, frames.code, number.to_bytes(6, "little"))


def _is_power(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _stream_position(frame: bytes) -> int:
    number = int.from_bytes(frame, "little")
    return (number - 1) * FRAME_ALIGNMENT if number else MAX_POSITION


def _version_text(version: int) -> str:
    return f"{version >> 16 & 0xFF}.{version >> 8 & 0xFF}.{version & 0xFF}"
