"""Finds the begins of frames in a recording, and the end of an active recording.

A frame begins at the start of a recording and of each of its terms; the others are found by walking
frames from one of these.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.storage.segments import segment_bases
from aeron_cluster.codecs.frame_layout import (
    DATA_TYPE,
    FRAME_HEADER_LENGTH,
    PADDING_TYPE,
    PAGE_LENGTH,
)
from aeron_cluster.errors import SegmentError
from aeron_cluster.pipeline.columns.column_buffers import ColumnId
from aeron_cluster.pipeline.scan.pieces import Mode, Piece, Range
from aeron_cluster.pipeline.scan.range_scan import open_scanner
from aeron_cluster.pipeline.scan.segment_reader import SegmentReader

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files

__all__ = ["cut", "find_end", "find_frame", "has_frames_up_to"]

_ZEROS: Final = bytes(65536)
# Length, version, flags, type, term offset, ids of session, stream and term.
_HEADER: Final = struct.Struct("<iBBHiiii")
# The maximum number of terms of a stream, as a power of two.
_TERM_BITS: Final = 31


@dataclass(frozen=True, slots=True)
class _Stop:
    """The end of a walk over a growing file: the position without a valid frame, and the reason.

    Frames are written in order, but a read is not atomic: zeros may have been read before a frame
    was written there, and later bytes after that. Zeros are damage only if they are still there
    when they are read again after a later frame was seen. Other invalid data are damage if a second
    read returns the same.

    Parameters
    ----------
    position : int
    what, found : str
        The description for the error.
    is_zero : bool
        Whether only zeros were found.
    has_more : bool
        Whether a later frame was seen; for a truncated file, whether it has a part of the frame.
    """

    position: int
    what: str
    found: str
    is_zero: bool = False
    has_more: bool = False

    @property
    def is_end(self) -> bool:
        """Whether it is the end of the written part."""
        return not self.has_more and (self.is_zero or self.what == "length of the file")


_NO_STOP: Final = _Stop(-1, "", "")


def find_frame(files: Files, piece: Piece, position: int, mode: Mode = "strict") -> int:
    """Return the start of the first frame at or after a position.

    Parameters
    ----------
    files : Files
    piece : Piece
    position : int
        Bytes of the stream.
    mode : str
        In permissive mode the walk ends at damage; a reader that begins there reports it.

    Raises
    ------
    SegmentError
        The part before the position is damaged, and the mode is strict.
    """
    position = min(max(position, piece.start_position), piece.end_position)
    begin = max(piece.start_position, piece.term_begin(position))
    if begin == position:
        return position
    with SegmentReader(files, piece) as reader:
        scanner, buffers = open_scanner(reader, Range(piece, begin, position), [])
        try:
            while scanner.next_batch():
                buffers.take()
        except SegmentError:
            if mode == "strict":
                raise
        return scanner.position


def cut(files: Files, part: Range, length: int) -> list[Range]:
    """Split a range at frame boundaries into parts of about a length, for parallel reads.

    Parameters
    ----------
    files : Files
    part : Range
    length : int
        Bytes of the stream. If it is at least the length of a term, nothing is read: each term
        begins with a frame. Otherwise each term is walked once.

    Returns
    -------
    list of Range
        The parts, in order. After damage, the next boundary is the next term.
    """
    piece = part.piece
    borders = [part.from_position]
    target = part.from_position + length
    while target < part.to_position:
        border = piece.term_begin(target)
        if length < piece.term_length:
            border = _walk_from(files, piece, max(borders[-1], border), target)
        if borders[-1] < border < part.to_position:
            borders.append(border)
        target += length
    ends = [*borders[1:], part.to_position]
    return [Range(piece, begin, end) for begin, end in zip(borders, ends, strict=True)]


def _walk_from(files: Files, piece: Piece, begin: int, position: int) -> int:
    """Return the start of the first frame at or after a position; -1 if damage precedes it."""
    with SegmentReader(files, piece) as reader:
        scanner, buffers = open_scanner(reader, Range(piece, begin, position), [])
        try:
            while scanner.next_batch():
                buffers.take()
        except SegmentError:
            return -1
        return scanner.position


def has_frames_up_to(files: Files, piece: Piece, position: int) -> bool:
    """Return whether the frames before a position exist and end exactly at it.

    Parameters
    ----------
    files : Files
    piece : Piece
    position : int
        In bytes of the stream; only the term before it is walked.
    """
    if position <= piece.start_position:
        return position == piece.start_position
    known = replace(piece, end_position=position)
    begin = max(piece.start_position, piece.term_begin(position - 1))
    return _walk_from(files, known, begin, position) == position


def find_end(files: Files, piece: Piece, mode: Mode = "strict") -> int:
    """Return the end of the complete frames of a recording without a stop position.

    It may be growing. A frame that crosses a page boundary and has a page of zeros may be
    incomplete, for example while it is being written: the recording ends before it.

    In permissive mode the end is after the damaged term; the reader reports the damage.

    Raises
    ------
    SegmentError
        There is an invalid frame, zeros are followed by frames in the same term, or the file is
        truncated.
    """
    bases = [
        base
        for base in segment_bases(files, piece.archive_dir, piece.recording_id)
        if _is_segment(piece, base)
    ]
    if not bases:
        return piece.start_position
    limit = bases[-1] + piece.segment_length
    open_piece = replace(piece, end_position=limit)
    begin = _last_started_term(files, open_piece, max(bases[-1], piece.start_position))
    with SegmentReader(files, open_piece) as reader:
        ids = [ColumnId.POSITION, ColumnId.END_POSITION]
        scanner, buffers = open_scanner(reader, Range(open_piece, begin, limit), ids)
        last = (-1, -1)
        before = _NO_STOP
        has_more = True
        while has_more:
            try:
                has_more = scanner.next_batch()
            except SegmentError as error:
                stop = _scan_beyond(reader, open_piece, scanner.position, error)
                if stop.is_end:
                    has_more = False
                elif stop == before:
                    if mode == "strict":
                        raise
                    return min(error.resume_position, limit)
                else:
                    # It may have been read before it was written: read it again.
                    before = stop
                    reader.close()
                    scanner.skip_to(scanner.position)
            if len(buffers) > 0:
                positions, ends = (
                    memoryview(values).cast("q") for _, _, values, _ in buffers.take()
                )
                last = (positions[-1], ends[-1])
        end = scanner.position
        if last[1] == end and _may_be_torn(reader, *last):
            return last[0]
        return end


def _is_segment(piece: Piece, base: int) -> bool:
    """Return whether a segment can begin at a position: files may have any name."""
    first = piece.segment_base(piece.start_position)
    after = base + piece.segment_length
    return first <= base == piece.segment_base(base) and after <= piece.term_length << _TERM_BITS


def _last_started_term(files: Files, piece: Piece, begin: int) -> int:
    """Return the start of the last term of the last segment that has a frame."""
    term = piece.end_position - piece.term_length
    with SegmentReader(files, piece) as reader:
        while term > begin:
            if _is_begun(reader, term):
                return term
            term -= piece.term_length
    return begin


def _scan_beyond(reader: SegmentReader, piece: Piece, position: int, error: SegmentError) -> _Stop:
    """Return the reason of a walk's end, and whether there is now data after it."""
    if error.what == "segment file":
        return _Stop(position, error.what, str(error.found))
    reader.close()  # discard the read-ahead, which may be outdated
    if error.what == "length of the file":
        # A segment is created with its final length, before anything is written to it.
        is_made = bool(_read(reader, piece.segment_base(position), 1))
        return _Stop(position, error.what, str(error.found), has_more=is_made)
    return _Stop(
        position,
        error.what,
        str(error.found),
        is_zero=error.what == "frame length" and error.found == 0,
        has_more=_has_frame_after(reader, piece, position),
    )


def _is_begun(reader: SegmentReader, position: int) -> bool:
    return any(_read(reader, position, FRAME_HEADER_LENGTH)[:4])


def _has_frame_after(reader: SegmentReader, piece: Piece, position: int) -> bool:
    """Return whether a frame begins after a position, in its term."""
    begin = piece.term_begin(position)
    end = begin + piece.term_length
    term_id = (piece.initial_term_id + begin // piece.term_length + 2**31) % 2**32 - 2**31
    place = position + FRAME_HEADER_LENGTH
    while place < end:
        block = _read(reader, place, min(len(_ZEROS), end - place))
        if not block:
            return False
        if block != _ZEROS[: len(block)]:
            for offset in range(0, len(block) - FRAME_HEADER_LENGTH + 1, FRAME_HEADER_LENGTH):
                length, _, _, kind, term_offset, _, _, found = _HEADER.unpack_from(block, offset)
                at = place + offset
                if (
                    (term_offset, found) == (at - begin, term_id)
                    and kind in (PADDING_TYPE, DATA_TYPE)
                    and FRAME_HEADER_LENGTH <= length <= end - at
                ):
                    return True
        place += len(block)
    return False


def _may_be_torn(reader: SegmentReader, position: int, end: int) -> bool:
    """Return whether a frame has a page of zeros after the one it begins in."""
    border = (position // PAGE_LENGTH + 1) * PAGE_LENGTH
    if end <= border:
        return False
    frame = _read(reader, position, end - position)
    pages = range(border - position, end - position, PAGE_LENGTH)
    return not all(any(frame[page : page + PAGE_LENGTH]) for page in pages)


def _read(reader: SegmentReader, position: int, length: int) -> bytes:
    buffer = bytearray(length)
    return bytes(buffer[: reader.read_into(buffer, position)])
