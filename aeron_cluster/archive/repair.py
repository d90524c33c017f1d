"""Repair the catalog of a killed archive: find the end of recordings in their segments.

``io.aeron.archive.Catalog`` (refreshAndFixDescriptor). The last segment is read frame by frame. A
last frame that crosses a page boundary may have been written partly: it counts if its checksum is
correct, or, if it need not have one, if each further page contains some of its data. Otherwise it
is truncated if the mark file shows that it was not published (a process killed while writing, on a
machine that still runs); if that is unknown the archive does not start, since truncating could lose
acknowledged data, and keeping could add a message that was never sent.

A power loss may tear each page of the last block between sectors, and later pages may be complete.
That is only found where the catalog has the frames' checksums: then each frame of that block is
checked. If segments are synced, a frame that lacks sectors was not published, and is truncated with
those after it. A disk that returns zeros for a sector that it had acknowledged cannot be
distinguished from an incomplete write, in this block: then published frames are truncated, too.

Data of the killed process may only be in the page cache. If segments are synced, the last one is
synced before its end is published: otherwise the catalog would claim more than exists after a power
loss, and later data would be recorded after a gap.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.replay.replays import frame_problem
from aeron_cluster.archive.storage.catalog import RESTORE_CATALOG
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.archive.storage.segments import (
    base_position,
    segment_bases,
    segment_name,
    start_term_base,
)
from aeron_cluster.codecs.frame_layout import (
    FRAME_ALIGNMENT,
    FRAME_HEADER_LENGTH,
    NULL_VALUE,
    PAGE_LENGTH,
)
from aeron_cluster.errors import CorruptError

if TYPE_CHECKING:
    from aeron_cluster.archive.storage.catalog import Catalog, FrameChecksums, Recording
    from aeron_cluster.codecs.archive import RecordingDescriptor
    from aeron_cluster.memory.system.seams import File, Files

__all__ = ["LastFrame", "find_last_frame", "find_stop_position", "repair"]

_BLOCK: Final = 1024 * 1024  # read at once here; the longest that is written at once by default
_SECTOR: Final = 512
_LENGTH: Final = struct.Struct("<i")
_TYPE: Final = struct.Struct("<H")
_SESSION_ID: Final = struct.Struct("<i")
_PAD: Final = 0


@dataclass(frozen=True, slots=True)
class LastFrame:
    """The last frame in the last segment of a recording, or the first of its block to lack sectors.

    Parameters
    ----------
    path : str
        The segment.
    base : int
        The position of its first byte.
    begin, end : int
        Offsets of the frame in the segment; equal if the segment has no frame.
    frames_end : int
        The offset after the last frame.
    is_complete : bool
        Whether it was certainly written completely.
    lacks_sectors : bool
        Whether its checksum is wrong, and where sectors of it may be lost it has zeros.
    """

    path: str
    base: int
    begin: int
    end: int
    frames_end: int
    is_complete: bool
    lacks_sectors: bool = False


def repair(
    files: Files,
    directory: str,
    catalog: Catalog,
    now_ms: int,
    *,
    sync_level: int = 0,
    checksum: Callable[[bytes], int] | None = None,
    acknowledged: Mapping[int, int] | None = None,
    block_length_limit: int = 0,
) -> list[tuple[int, int]]:
    """Set the end of each recording without one, as found in its segments.

    Parameters
    ----------
    files : Files
    directory : str
        The archive directory.
    catalog : Catalog
    now_ms : int
        The stop timestamp, in ms since 1970.
    sync_level : int
        The sync level of segment files, as for the `Recorder`.
    checksum : Callable[[bytes], int], optional
        The checksum that frames may have been recorded with if the catalog does not name one: a
        correct one proves that a frame is complete, a wrong one proves nothing.
    acknowledged : Mapping of int to int, optional
        The position up to which each recording may have been published, by recording id.
    block_length_limit : int
        The longest block that was written at once, in bytes, as for the `Recorder`; at least the
        default one is checked, also by tools, which do not know the limit.

    Returns
    -------
    list of tuple of int
        The recordings that were repaired, each with its stop position.

    Raises
    ------
    CorruptError
        If the last frame of a recording may be torn, or is invalid, or acknowledged data is
        missing, or a descriptor with a wrong checksum contradicts the frames; it names the file and
        the offset.
    """
    repaired = []
    for recording in catalog:
        descriptor = recording.descriptor
        if catalog.has_wrong_checksum(recording):
            _check_by_frames(files, directory, catalog.path, recording, checksum)
        if descriptor.stop_position == NULL_VALUE:
            known = (acknowledged or {}).get(descriptor.recording_id)
            position = find_stop_position(
                files,
                directory,
                descriptor,
                checksum,
                known,
                recording.frames,
                is_synced=sync_level > 0,
                block_length_limit=block_length_limit,
            )
            if known is not None and position < known:
                raise CorruptError(
                    f"{directory}: segments of recording {descriptor.recording_id}",
                    position,
                    "end",
                    f"frames up to {known}, which may have been published",
                    f"no frames from {position} on; were files removed?",
                )
            repaired.append((descriptor.recording_id, position))
    # Only now that all checks have passed.
    if sync_level > 0:
        _sync_last_segments(files, directory, repaired, sync_level)
    for recording_id, position in repaired:
        catalog.stop(recording_id, position, now_ms)
    return repaired


def _check_by_frames(
    files: Files,
    directory: str,
    path: str,
    recording: Recording,
    checksum: Callable[[bytes], int] | None,
) -> None:
    """Check a descriptor with a wrong checksum against the frames at its start and end.

    An archive that was killed while changing it leaves a wrong checksum, too: then its fields are
    nevertheless correct.
    """
    descriptor = recording.descriptor
    start, stop = descriptor.start_position, descriptor.stop_position
    where = path, recording.offset
    first = _frame_at(files, directory, descriptor, start)
    if first is not None and (problem := frame_problem(first, descriptor, start)):
        raise CorruptError(
            *where,
            f"descriptor of recording {descriptor.recording_id}",
            f"a descriptor that matches its checksum and its first frame; {RESTORE_CATALOG}",
            f"a wrong checksum ({problem} at {start})",
        )
    if stop == NULL_VALUE or checksum is None:
        return
    frame = _frame_at(files, directory, descriptor, stop)
    if frame is None or frame_problem(frame, descriptor, stop):
        return
    (recorded,) = _SESSION_ID.unpack_from(frame, 12)
    is_data = _TYPE.unpack_from(frame, 6)[0] != _PAD
    if (
        is_data
        and len(frame) > FRAME_HEADER_LENGTH
        and checksum(frame[FRAME_HEADER_LENGTH:]) == recorded
    ):
        raise CorruptError(
            *where,
            f"stop position of recording {descriptor.recording_id}",
            "the end of its frames, but there is a further one in"
            f" {segment_name(descriptor.recording_id, _base_of(descriptor, stop))}; its checksum is"
            f" wrong; {RESTORE_CATALOG}",
            stop,
        )


def _base_of(descriptor: RecordingDescriptor, position: int) -> int:
    return base_position(
        descriptor.start_position,
        position,
        descriptor.term_buffer_length,
        descriptor.segment_file_length,
    )


def _frame_at(
    files: Files, directory: str, descriptor: RecordingDescriptor, position: int
) -> bytes | None:
    """Return the aligned frame that begins at a position, or None."""
    base = _base_of(descriptor, position)
    path = f"{directory}/{segment_name(descriptor.recording_id, base)}"
    if not files.is_file(path):
        return None
    with files.open(path) as file:
        header = file.read_at(FRAME_HEADER_LENGTH, position - base)
        if len(header) < FRAME_HEADER_LENGTH:
            return None
        (length,) = _LENGTH.unpack_from(header)
        if length <= 0:
            return None
        length = min(-(-length // FRAME_ALIGNMENT) * FRAME_ALIGNMENT, descriptor.mtu_length)
        return file.read_at(length, position - base)


def _sync_last_segments(
    files: Files, directory: str, repaired: list[tuple[int, int]], sync_level: int
) -> None:
    """Sync the last segment of each recording, whose last block may not be synced."""
    for recording_id, _ in repaired:
        for base in segment_bases(files, directory, recording_id)[-1:]:
            with files.open(f"{directory}/{segment_name(recording_id, base)}") as file:
                file.sync(sync_level)
    files.sync_directory(directory)


def find_stop_position(
    files: Files,
    directory: str,
    descriptor: RecordingDescriptor,
    checksum: Callable[[bytes], int] | None = None,
    acknowledged: int | None = None,
    frames: FrameChecksums | None = None,
    *,
    is_synced: bool = False,
    block_length_limit: int = 0,
) -> int:
    """Return the position up to which the segments of a recording have complete frames.

    Parameters
    ----------
    files : Files
    directory : str
        The archive directory.
    descriptor : RecordingDescriptor
    checksum : Callable[[bytes], int], optional
        As for `repair`.
    acknowledged : int, optional
        The position up to which it may have been published.
    frames : FrameChecksums, optional
        The frames' checksums, by the catalog.
    is_synced : bool
        Whether segments are synced before a position is published.
    block_length_limit : int
        As for `repair`.

    Raises
    ------
    CorruptError
        If the last frame may be torn, or is invalid.
    """
    start = descriptor.start_position
    last = find_last_frame(files, directory, descriptor, checksum, frames, block_length_limit)
    if last is None:
        return start
    end = last.frames_end
    if not last.is_complete:
        if acknowledged is None and is_synced and last.lacks_sectors:
            acknowledged = start
        if acknowledged is None:
            raise CorruptError(
                last.path,
                last.begin,
                "last frame",
                "data in each of its pages: it may be torn; see aeron-cluster archive verify,"
                " or ArchiveTool verify",
                "a page of zeros" if frames is None else "a wrong checksum, or a page of zeros",
            )
        if last.base + last.end > acknowledged:
            end = last.begin
    return max(last.base + end, start)


def find_last_frame(
    files: Files,
    directory: str,
    descriptor: RecordingDescriptor,
    checksum: Callable[[bytes], int] | None = None,
    frames: FrameChecksums | None = None,
    block_length_limit: int = 0,
) -> LastFrame | None:
    """Return the last frame of a recording's segments; None if it has no segment.

    Parameters
    ----------
    files : Files
    directory : str
        The archive directory.
    descriptor : RecordingDescriptor
    checksum : Callable[[bytes], int], optional
        As for `repair`.
    frames : FrameChecksums, optional
        The frames' checksums, by the catalog.
    block_length_limit : int
        As for `repair`.

    Raises
    ------
    CorruptError
        A frame is missing at its required position.
    """
    start = descriptor.start_position
    bases = segment_bases(files, directory, descriptor.recording_id)
    if not bases:
        return None
    base = bases[-1]
    path = f"{directory}/{segment_name(descriptor.recording_id, base)}"
    first_base = start_term_base(start, descriptor.term_buffer_length)
    offset = start - first_base if base == first_base else 0
    with files.open(path) as file:
        offsets = _scan(file, path, offset, descriptor, max(block_length_limit, _BLOCK))
        end = offsets[-1]
        if len(offsets) == 1:
            return LastFrame(path, base, end, end, end, is_complete=True)
        begin = offsets[-2]
        is_known = frames is not None and base + begin >= frames.position
        known = None if frames is None else Checksum.of_code(frames.code)
        if frames is not None and known is not None:
            wrong = _find_wrong_frame(file, offsets, frames.position - base, known)
            if wrong is not None:
                return LastFrame(path, base, *wrong[:2], end, False, wrong[2])
        is_complete = (is_known and known is not None) or _is_complete(
            file, begin, end - begin, None if is_known else checksum
        )
    return LastFrame(path, base, begin, end, end, is_complete)


def _scan(
    file: File, path: str, offset: int, descriptor: RecordingDescriptor, retained: int
) -> deque[int]:
    """Return the offsets where the frames of the last block begin, and where the last one ends."""
    limit = min(descriptor.segment_file_length, file.length)
    offsets = deque([offset])
    block, block_begin = b"", 0
    while offset + FRAME_HEADER_LENGTH <= limit:
        if not block_begin <= offset <= block_begin + len(block) - FRAME_HEADER_LENGTH:
            block, block_begin = file.read_at(min(_BLOCK, limit - offset), offset), offset
            if len(block) < FRAME_HEADER_LENGTH:
                break
        (length,) = _LENGTH.unpack_from(block, offset - block_begin)
        if length <= 0:
            break
        term_rest = descriptor.term_buffer_length - offset % descriptor.term_buffer_length
        if not FRAME_HEADER_LENGTH <= length <= term_rest:
            raise CorruptError(
                path, offset, "frame length", f"{FRAME_HEADER_LENGTH} to {term_rest}", length
            )
        offset += -(-length // FRAME_ALIGNMENT) * FRAME_ALIGNMENT
        offsets.append(offset)
        while offset - offsets[1] >= retained:
            offsets.popleft()
    return offsets


def _find_wrong_frame(
    file: File, offsets: Sequence[int], since: int, checksum: Callable[[bytes], int]
) -> tuple[int, int, bool] | None:
    """Find the first frame that lacks sectors, or a last one with a wrong checksum.

    Parameters
    ----------
    file : File
        The segment.
    offsets : sequence of int
        Where its frames begin, and where the last one ends.
    since : int
        The offset from which on frames have checksums.
    checksum : Callable[[bytes], int]

    Returns
    -------
    tuple of int, int and bool, or None
        Where the frame begins and ends, and whether it lacks sectors.
    """
    for begin, end in pairwise(offsets):
        if begin < since:
            continue
        frame = file.read_at(end - begin, begin)
        if _has_checksum(frame, checksum):
            continue
        lacks_sectors = _lacks_sectors(frame, begin)
        if lacks_sectors or end == offsets[-1]:
            return begin, end, lacks_sectors
    return None


def _has_checksum(frame: bytes, checksum: Callable[[bytes], int]) -> bool:
    """Return whether a frame has its checksum; of padding only the header is ever written."""
    if _TYPE.unpack_from(frame, 6)[0] == _PAD:
        return True
    (expected,) = _SESSION_ID.unpack_from(frame, 12)
    return bool(checksum(frame[FRAME_HEADER_LENGTH:]) == expected)


def _is_complete(
    file: File, offset: int, length: int, checksum: Callable[[bytes], int] | None
) -> bool:
    """Return whether a frame that need not have a checksum was certainly written completely."""
    border = (offset // PAGE_LENGTH + 1) * PAGE_LENGTH
    if offset + length <= border:
        return True  # without checksums: a page is written completely, or not at all
    frame = file.read_at(length, offset)
    if _TYPE.unpack_from(frame, 6)[0] == _PAD:
        return True
    if checksum is not None and _has_checksum(frame, checksum):
        return True
    return all(
        any(frame[page : page + PAGE_LENGTH])
        for page in range(border - offset, length, PAGE_LENGTH)
    )


def _lacks_sectors(frame: bytes, offset: int) -> bool:
    """Return whether the end of one of its pages may be lost: sectors of zeros, after its header.

    A torn page has its first sectors, and zeros as before in the others.
    """
    end = offset + len(frame)
    for page in range(offset // PAGE_LENGTH * PAGE_LENGTH, end, PAGE_LENGTH):
        page_end = min(page + PAGE_LENGTH, end)
        sector = (page_end - 1) // _SECTOR * _SECTOR
        if sector > offset and not any(frame[sector - offset : page_end - offset]):
            return True
    return False
