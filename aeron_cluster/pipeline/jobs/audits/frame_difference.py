"""Describe the difference between the frames of two logs.

No counterpart in Aeron.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.storage.segments import segment_name
from aeron_cluster.codecs.frame_layout import FRAME_HEADER_LENGTH, PADDING_TYPE, PAGE_LENGTH
from aeron_cluster.errors import SegmentError
from aeron_cluster.pipeline.jobs.audits.findings import Finding, FindingKind
from aeron_cluster.pipeline.scan.segment_reader import SegmentReader

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.jobs.member_log import MemberLog
    from aeron_cluster.pipeline.scan.pieces import Piece

__all__ = ["name_difference", "name_lost_end"]

_HEADER: Final = struct.Struct("<iBBH")
_MAX_LENGTH: Final = 65_536
_LOOK_AHEAD: Final = 64  # frames
_IDS: Final = range(12, 20)  # the session and stream ids, which may differ
_FIELDS: Final = (
    (range(4), "frame length"),
    (range(4, 5), "version"),
    (range(5, 6), "flags"),
    (range(6, 8), "frame type"),
    (range(8, 12), "term offset"),
    (range(20, 24), "term id"),
    (range(24, 32), "reserved value"),
)


class _Frames:
    """The frames of a log, by position."""

    def __init__(self, files: Files, piece: Piece) -> None:
        self._reader = SegmentReader(files, piece)
        self.piece = piece

    def close(self) -> None:
        self._reader.close()

    def read(self, position: int) -> bytes:
        """Return the readable part of a frame; only the header if its length is invalid."""
        if not self.piece.start_position <= position < self.piece.end_position:
            return b""
        header = self._bytes(position, FRAME_HEADER_LENGTH)
        if len(header) < FRAME_HEADER_LENGTH:
            return header
        length, _, _, kind = _HEADER.unpack_from(header)
        if kind == PADDING_TYPE or not FRAME_HEADER_LENGTH < length <= _MAX_LENGTH:
            return header
        return self._bytes(position, length)

    def after(self, position: int, frame: bytes) -> bytes:
        """Return the frame after a given one; empty if unknown or unreadable."""
        return self.read_if_present(_end(position, frame))

    def read_if_present(self, position: int) -> bytes:
        """Return the readable part of a frame; empty if unreadable."""
        try:
            return self.read(position)
        except SegmentError:
            return b""

    def _bytes(self, position: int, length: int) -> bytes:
        buffer = bytearray(length)
        return bytes(buffer[: self._reader.read_into(buffer, position)])


def name_difference(files: Files, log: MemberLog, other: MemberLog, position: int) -> Finding:
    """Return the finding for the first difference of a log from another one.

    Parameters
    ----------
    files : Files
    log, other : MemberLog
        The log considered wrong, and the log with which it is compared.
    position : int
        The position of the first differing frame, in bytes.
    """
    frames, others = _Frames(files, log.piece), _Frames(files, other.piece)
    try:
        return _name(frames, others, log, other, position)
    finally:
        frames.close()
        others.close()


def _name(
    frames: _Frames, others: _Frames, log: MemberLog, other: MemberLog, position: int
) -> Finding:
    try:
        found = frames.read(position)
        expected = others.read(position)
    except SegmentError as error:
        return Finding(
            FindingKind.UNREADABLE,
            log.name,
            position,
            error.what,
            str(error.expected),
            str(error.found),
            error.segment,
            error.offset,
        )
    path, offset = _place(log.piece, position)
    theirs = f"that of {other.name}, of {_length(expected)} bytes"
    if len(found) < FRAME_HEADER_LENGTH or not any(found):
        what = "the end of the file" if len(found) < FRAME_HEADER_LENGTH else "zeros"
        kind = FindingKind.MISSING_FRAME
        return Finding(kind, log.name, position, "frame", theirs, what, path, offset)
    if len(expected) < FRAME_HEADER_LENGTH or not any(expected):
        kind = FindingKind.EXTRA_FRAME
        what = f"one of {_length(found)} bytes"
        return Finding(kind, log.name, position, "frame", "none", what, path, offset)
    after, own_end = _end(position, expected), _end(position, found)
    if_missing = _run(frames, position, others, after)
    if_extra = _run(frames, own_end, others, position)
    # Frames may repeat; if both logs continue at the same position, the frame differs.
    if_changed = _run(frames, after, others, after)
    if if_missing > max(if_changed, if_extra):
        kind = FindingKind.MISSING_FRAME
        what = "the next one"
        return Finding(kind, log.name, position, "frame", theirs, what, path, offset)
    if if_extra > if_changed:
        kind = FindingKind.EXTRA_FRAME
        what = f"one of {_length(found)} bytes before it"
        return Finding(kind, log.name, position, "frame", theirs, what, path, offset)
    at = _first_difference(found, expected)
    return Finding(
        FindingKind.DIFFERENT_BYTE,
        log.name,
        position + at,
        f"{_field(at)} of the frame at {position}",
        f"{_byte(expected, at)} as {other.name} has it",
        _byte(found, at),
        path,
        offset + at,
    )


def name_lost_end(
    files: Files, log: MemberLog, other: MemberLog, *, is_committed: bool
) -> Finding | None:
    """Return the finding for a log that ends before another one, or None.

    An active recording ends where zeros begin, unless further frames follow the zeros, or the frame
    there seems partly written and its header differs from the committed frame's.
    """
    end = log.piece.end_position
    frames = _Frames(files, replace(log.piece, end_position=other.piece.end_position))
    others = _Frames(files, other.piece)
    try:
        expected = others.read(end)
        following = others.after(end, expected)
        found = frames.read(end)
        if any(found):
            is_lost = is_committed and _seems_torn(end, found) and not _has_header(found, expected)
        else:
            is_lost = _are_same(following, frames.after(end, expected))
        if is_lost:
            return _name(frames, others, log, other, end)
    except SegmentError:
        return None  # no frame follows
    finally:
        frames.close()
        others.close()
    return None


def _place(piece: Piece, position: int) -> tuple[str, int]:
    base = piece.segment_base(position)
    return f"{piece.archive_dir}/{segment_name(piece.recording_id, base)}", position - base


def _length(frame: bytes) -> int:
    return int(_HEADER.unpack_from(frame)[0]) if len(frame) >= FRAME_HEADER_LENGTH else 0


def _end(position: int, frame: bytes) -> int:
    """Return the end of a frame; -1 if unknown."""
    length = _length(frame)
    if length < FRAME_HEADER_LENGTH:
        return -1
    return position + -(-length // FRAME_HEADER_LENGTH) * FRAME_HEADER_LENGTH


def _run(frames: _Frames, position: int, others: _Frames, other_position: int) -> int:
    """Return the number of equal frames from a position in each log, up to a limit."""
    count = 0
    while count < _LOOK_AHEAD:
        frame = frames.read_if_present(position)
        if not _are_same(frame, others.read_if_present(other_position)):
            break
        position, other_position = _end(position, frame), _end(other_position, frame)
        count += 1
    return count


def _seems_torn(position: int, frame: bytes) -> bool:
    """Return whether a frame crosses a page boundary and may therefore be partly written."""
    return position // PAGE_LENGTH < (position + _length(frame) - 1) // PAGE_LENGTH


def _has_header(frame: bytes, other: bytes) -> bool:
    """Return whether two frames at the same position have equal headers, except for the ids."""
    first = _first_difference(frame[:FRAME_HEADER_LENGTH], other[:FRAME_HEADER_LENGTH])
    return first >= FRAME_HEADER_LENGTH


def _are_same(frame: bytes, other: bytes) -> bool:
    """Return whether two frames are equal, apart from their positions."""
    body = _body(frame)
    return body is not None and body == _body(other)


def _body(frame: bytes) -> bytes | None:
    """Return the part of a frame that does not depend on its position; None if invalid."""
    if len(frame) < FRAME_HEADER_LENGTH or _length(frame) < FRAME_HEADER_LENGTH:
        return None
    if _HEADER.unpack_from(frame)[3] == PADDING_TYPE:
        return None  # padding: its length depends on the position
    return frame[:8] + frame[24:]


def _first_difference(found: bytes, expected: bytes) -> int:
    for at, (a, b) in enumerate(zip(found, expected, strict=False)):
        if a != b and at not in _IDS:
            return at
    return min(len(found), len(expected))


def _field(at: int) -> str:
    for place, name in _FIELDS:
        if at in place:
            return name
    return f"byte {at - FRAME_HEADER_LENGTH} of the payload"


def _byte(frame: bytes, at: int) -> str:
    return f"0x{frame[at]:02x}" if at < len(frame) else "the end of the frame"
