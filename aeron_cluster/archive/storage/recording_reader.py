"""Read the messages of a recording from its segment files, without an archive.

For tools and snapshots, which are read only once: frame by frame, in Python.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.archive.storage.segments import base_position, segment_name
from aeron_cluster.codecs.frame_layout import (
    BEGIN_FLAG,
    DATA_TYPE,
    END_FLAG,
    FRAME_ALIGNMENT,
    FRAME_HEADER_LENGTH,
    NULL_VALUE,
    PADDING_TYPE,
)
from aeron_cluster.errors import CorruptError

if TYPE_CHECKING:
    from aeron_cluster.archive.storage.catalog import FrameChecksums
    from aeron_cluster.codecs.archive import RecordingDescriptor
    from aeron_cluster.memory.system.seams import File, Files

__all__ = ["read_recording"]

_HEADER: Final = struct.Struct("<ixBHi")  # frame length, flags, type, term offset
_CHECKSUM: Final = struct.Struct("<i")
_CHECKSUM_OFFSET: Final = 12  # instead of the session id


def read_recording(
    files: Files,
    directory: str,
    descriptor: RecordingDescriptor,
    frames: FrameChecksums | None = None,
) -> Iterator[tuple[bytes, int]]:
    """Yield each message of a recording, assembled from its fragments.

    Parameters
    ----------
    files : Files
    directory : str
        The archive directory.
    descriptor : RecordingDescriptor
        From the catalog; without a stop position, the end is the first place without a whole
        frame.
    frames : FrameChecksums, optional
        Those in the catalog, which are verified.

    Yields
    ------
    tuple of bytes and int
        The message, and the position after it. Partial messages at either end are skipped.

    Raises
    ------
    CorruptError
        A frame is invalid or has a wrong checksum, or a segment ends too early.
    PlatformError
        A segment is missing.
    """
    parts: list[bytes] = []
    for payload, flags, position in _fragments(files, directory, descriptor, frames):
        if flags & BEGIN_FLAG:
            parts = [payload]
        elif parts:
            parts.append(payload)
        if flags & END_FLAG and parts:
            yield b"".join(parts), position
            parts = []


def _fragments(
    files: Files,
    directory: str,
    descriptor: RecordingDescriptor,
    frames: FrameChecksums | None,
) -> Iterator[tuple[bytes, int, int]]:
    checksum = None if frames is None else Checksum.of_code(frames.code)
    position = descriptor.start_position
    stop = descriptor.stop_position
    term_length = descriptor.term_buffer_length
    segment_length = descriptor.segment_file_length
    while stop == NULL_VALUE or position < stop:
        base = base_position(descriptor.start_position, position, term_length, segment_length)
        path = f"{directory}/{segment_name(descriptor.recording_id, base)}"
        if stop == NULL_VALUE and not files.exists(path):
            return
        with files.open(path) as file:
            while position < base + segment_length and position != stop:
                frame = _frame(file, position - base, position % term_length, term_length)
                if frame is None:
                    if stop == NULL_VALUE:
                        return
                    raise CorruptError(path, position - base, "frame", f"up to {stop}", None)
                length, flags, frame_type = frame
                end = position + -(-length // FRAME_ALIGNMENT) * FRAME_ALIGNMENT
                if stop != NULL_VALUE and end > stop:
                    raise CorruptError(path, position - base, "end of frame", f"<= {stop}", end)
                if frame_type == DATA_TYPE:
                    begin = position - base + FRAME_HEADER_LENGTH
                    if frames is not None and checksum and position >= frames.position:
                        _check(file, position - base, end - position, checksum)
                    payload = file.read_at(length - FRAME_HEADER_LENGTH, begin)
                    if len(payload) < length - FRAME_HEADER_LENGTH:
                        if stop == NULL_VALUE:
                            return
                        found = FRAME_HEADER_LENGTH + len(payload)
                        raise CorruptError(
                            path, position - base, "end of segment", f"frame of {length}", found
                        )
                    yield payload, flags, end
                position = end


def _check(file: File, offset: int, aligned_length: int, checksum: Checksum) -> None:
    (found,) = _CHECKSUM.unpack(file.read_at(_CHECKSUM.size, offset + _CHECKSUM_OFFSET))
    expected = checksum(
        file.read_at(aligned_length - FRAME_HEADER_LENGTH, offset + FRAME_HEADER_LENGTH)
    )
    if found != expected:
        raise CorruptError(file.path, offset, "frame: checksum", expected, found)


def _frame(
    file: File, offset: int, term_offset: int, term_length: int
) -> tuple[int, int, int] | None:
    """Return length, flags and type of a frame; None if nothing was written."""
    header = file.read_at(_HEADER.size, offset)
    if len(header) < _HEADER.size:
        return None
    length, flags, frame_type, found_offset = _HEADER.unpack(header)
    if length == 0:
        return None
    room = term_length - term_offset
    if not FRAME_HEADER_LENGTH <= length <= room:
        expected = f"{FRAME_HEADER_LENGTH} to {room}"
        raise CorruptError(file.path, offset, "frame length", expected, length)
    if found_offset != term_offset:
        raise CorruptError(file.path, offset + 8, "term offset", term_offset, found_offset)
    if frame_type not in (PADDING_TYPE, DATA_TYPE):
        raise CorruptError(file.path, offset + 6, "frame type", "0 or 1", frame_type)
    return length, flags, frame_type
