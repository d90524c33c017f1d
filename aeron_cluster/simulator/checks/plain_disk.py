"""Read members' disks without the product's readers.

An oracle must not read files with the code under test. So this is a second, minimal reader of the
formats; it repairs nothing and caches nothing.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.errors import CorruptError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aeron_cluster.memory.system.seams import Files

__all__ = [
    "PlainEntry",
    "PlainRecording",
    "read_candidate_term",
    "read_entries",
    "read_frames_end",
    "read_invalid_snapshots",
    "read_messages",
    "read_recordings",
    "read_standby_entries",
    "stop_position_offset",
]

_TERM: Final = 0
_SNAPSHOT: Final = 1
_STANDBY_SNAPSHOT: Final = 2
_ENTRY: Final = struct.Struct("<qqqqqiI")
_ENTRY_ALIGNMENT: Final = 64
_ENDPOINT_LENGTH_OFFSET: Final = 48
_INVALID: Final = 1 << 31
_REMOVED: Final = 0xFFFFFFFF

_CATALOG_HEADER_LENGTH: Final = 32
_ALIGNMENT_OFFSET: Final = 16
_RECORDING_HEADER_LENGTH: Final = 32
# Fields of a descriptor: recording id, two timestamps, start and stop position, initial term id,
# segment length, term length, MTU, session id and stream id.
_DESCRIPTOR: Final = struct.Struct("<16xqqqqqiiiiii")
_STOP_POSITION_OFFSET: Final = _RECORDING_HEADER_LENGTH + 48

_FRAME: Final = struct.Struct("<ixBH")  # length, flags, type
_FRAME_HEADER_LENGTH: Final = 32
_FRAME_ALIGNMENT: Final = 32
_DATA: Final = 1
_BEGIN: Final = 0x80
_END: Final = 0x40

# The first record of node-state.dat begins after the version and a header.
_CANDIDATE_TERM_OFFSET: Final = 24


class PlainEntry(NamedTuple):
    """An entry of ``recording.log``."""

    recording_id: int
    term_id: int
    log_position: int
    service_id: int
    is_term: bool
    """Otherwise it is a snapshot of this member."""
    base_position: int
    """Where its term begins."""
    timestamp: int


class PlainRecording(NamedTuple):
    """A recording, as the catalog has it."""

    recording_id: int
    start_position: int
    stop_position: int
    segment_length: int
    term_length: int
    start_ms: int = -1
    """When it began, in ms since 1970."""
    stop_ms: int = -1
    """When it ended; -1 while it goes on."""
    session_id: int = 0
    """The session that it was last extended with."""
    stream_id: int = 0

    def segment(self, position: int) -> tuple[str, int]:
        """Return the name of the file with a position in it, and the offset there."""
        first = self.start_position - self.start_position % self.term_length
        offset = (position - first) % self.segment_length
        return f"{self.recording_id}-{position - offset}.rec", offset


def read_entries(files: Files, path: str) -> list[PlainEntry]:
    """Return the valid entries of a recording log for terms and the member's own snapshots.

    Terms and snapshots are each in order.
    """
    found = [each for each, kind, _ in _entries(files, path) if kind in (_TERM, _SNAPSHOT)]
    return sorted(found, key=lambda each: (each.term_id, each.log_position))


def read_invalid_snapshots(files: Files, path: str) -> list[PlainEntry]:
    """Return the entries for the member's own snapshots that are no longer valid.

    They are in the order in which they are in the file.
    """
    return [each for each, kind, _ in _entries(files, path) if kind == _SNAPSHOT | _INVALID]


def read_standby_entries(files: Files, path: str) -> list[tuple[PlainEntry, str]]:
    """Return the valid entries for snapshots of standbys, each with its archive's endpoint.

    They are in the order in which they were written.
    """
    return [
        (each, endpoint)
        for each, kind, endpoint in _entries(files, path)
        if kind == _STANDBY_SNAPSHOT
    ]


def _entries(files: Files, path: str) -> Iterator[tuple[PlainEntry, int, str]]:
    """Yield the entries of a recording log, their kinds, and the endpoints of standbys."""
    data = _read_file(files, path) if files.is_file(path) else b""
    offset = 0
    while offset + _ENTRY_ALIGNMENT <= len(data):
        recording_id, term_id, base_position, position, timestamp, service_id, kind = (
            _ENTRY.unpack_from(data, offset)
        )
        length = _ENTRY_ALIGNMENT
        endpoint = ""
        if kind != _REMOVED and kind & ~_INVALID == _STANDBY_SNAPSHOT:
            (size,) = struct.unpack_from("<i", data, offset + _ENDPOINT_LENGTH_OFFSET)
            begin = offset + _ENDPOINT_LENGTH_OFFSET + 4
            endpoint = data[begin : begin + size].decode("ascii", "replace")
            while length < _ENDPOINT_LENGTH_OFFSET + 4 + size:
                length += _ENTRY_ALIGNMENT
        # One of zeros was lost with the power: its length was stored before its content.
        if any(data[offset : offset + length]):
            entry = PlainEntry(
                recording_id,
                term_id,
                position,
                service_id,
                kind == _TERM,
                base_position,
                timestamp,
            )
            yield entry, kind, endpoint
        offset += length


def read_recordings(files: Files, archive_dir: str) -> dict[int, PlainRecording]:
    """Return the recordings of an archive's catalog, by their ids; none of one just created."""
    return {
        each.recording_id: each
        for is_valid, each, _ in _descriptors(files, archive_dir)
        if is_valid
    }


def stop_position_offset(files: Files, archive_dir: str, recording_id: int) -> int:
    """Return where the catalog has the stop position of a recording, in bytes; -1 if nowhere."""
    for _, each, offset in _descriptors(files, archive_dir):
        if each.recording_id == recording_id:
            return offset + _STOP_POSITION_OFFSET
    return -1


def _descriptors(files: Files, archive_dir: str) -> Iterator[tuple[bool, PlainRecording, int]]:
    """Yield whether each entry of the catalog is valid, its recording, and its offset."""
    data = _read_file(files, f"{archive_dir}/archive.catalog")
    if len(data) < _CATALOG_HEADER_LENGTH:
        return
    (alignment,) = struct.unpack_from("<i", data, _ALIGNMENT_OFFSET)
    offset = _CATALOG_HEADER_LENGTH
    while offset + _RECORDING_HEADER_LENGTH + _DESCRIPTOR.size <= len(data):
        length, state = struct.unpack_from("<ii", data, offset)
        if length <= 0:
            break
        recording_id, start_ms, stop_ms, start, stop, _, segment_length, term_length, _, *stream = (
            _DESCRIPTOR.unpack_from(data, offset + _RECORDING_HEADER_LENGTH)
        )
        recording = PlainRecording(
            recording_id, start, stop, segment_length, term_length, start_ms, stop_ms, *stream
        )
        yield state == 1, recording, offset
        entry_length = _RECORDING_HEADER_LENGTH + length
        while entry_length % alignment:
            entry_length += 1
        offset += entry_length


def read_messages(
    files: Files, archive_dir: str, recording: PlainRecording, begin: int = -1
) -> list[tuple[bytes, int]]:
    """Return the complete messages of a recording, and the position after each.

    Parameters
    ----------
    files : Files
    archive_dir : str
    recording : PlainRecording
    begin : int
        The end of a message, after which others are read; left out, all are.

    Raises
    ------
    CorruptError
        A frame is missing before the stop position of the catalog.
    """
    messages = []
    message: bytes | None = None
    position = max(begin, recording.start_position)
    for frame_type, flags, payload, end in _frames(files, archive_dir, recording, position):
        position = end
        if frame_type != _DATA:
            continue
        if flags & _BEGIN:
            message = payload
        elif message is not None:
            message += payload
        if flags & _END and message is not None:
            messages.append((message, end))
            message = None
    if recording.stop_position not in (-1, position):
        name, offset = recording.segment(position)
        expected = f"frames up to {recording.stop_position}"
        raise CorruptError(f"{archive_dir}/{name}", offset, "frame", expected, None)
    return messages


def read_frames_end(files: Files, archive_dir: str, recording: PlainRecording) -> int:
    """Return the stop position of a recording, or the end of its last frame if it has none."""
    if recording.stop_position >= 0:
        return recording.stop_position
    position = recording.start_position
    for *_, end in _frames(files, archive_dir, recording, position):
        position = end
    return position


def read_candidate_term(files: Files, cluster_dir: str) -> int:
    """Return the last term that a member voted in, from its disk; -1 if it never did."""
    path = f"{cluster_dir}/node-state.dat"
    if not files.is_file(path):
        return -1
    with files.open(path) as file:
        data = file.read_at(8, _CANDIDATE_TERM_OFFSET)
    return int.from_bytes(data, "little", signed=True) if len(data) == len(bytes(8)) else -1


def _frames(
    files: Files, archive_dir: str, recording: PlainRecording, position: int
) -> Iterator[tuple[int, int, bytes, int]]:
    """Yield type, flags, payload and end of each frame from a position on, up to the first gap."""
    known, data = "", b""
    while recording.stop_position == -1 or position < recording.stop_position:
        name, offset = recording.segment(position)
        path = f"{archive_dir}/{name}"
        if name != known:
            if not files.is_file(path):
                return
            known, data = name, _read_file(files, path)
        if offset + _FRAME_HEADER_LENGTH > len(data):
            return
        length, flags, frame_type = _FRAME.unpack_from(data, offset)
        if length < _FRAME_HEADER_LENGTH:
            return
        position += length
        while position % _FRAME_ALIGNMENT:
            position += 1
        yield frame_type, flags, data[offset + _FRAME_HEADER_LENGTH : offset + length], position


def _read_file(files: Files, path: str) -> bytes:
    with files.open(path) as file:
        return file.read_at(file.length, 0)
