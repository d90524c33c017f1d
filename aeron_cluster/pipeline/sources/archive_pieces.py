"""The recordings of an archive directory as pieces of a plan.

No counterpart in Aeron; directories of Java's archives are read as ours are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from aeron_cluster.archive.storage.catalog import CATALOG_NAME, Catalog
from aeron_cluster.codecs.frame_layout import (
    FRAME_ALIGNMENT,
    MAX_TERM_LENGTH,
    MIN_TERM_LENGTH,
    NULL_VALUE,
)
from aeron_cluster.errors import ConfigurationError, CorruptError, MissingFileError
from aeron_cluster.pipeline.scan.frame_boundaries import find_end, has_frames_up_to
from aeron_cluster.pipeline.scan.pieces import LeftOut, Mode, Piece
from aeron_cluster.pipeline.sources.archive_counters import ArchiveCounters

if TYPE_CHECKING:
    from aeron_cluster.archive.storage.catalog import Recording
    from aeron_cluster.memory.system.seams import Files

__all__ = ["read_pieces", "recordings_of_stream"]


def read_pieces(
    files: Files,
    archive_dir: str,
    recording_ids: Iterable[int] | None = None,
    mode: Mode = "strict",
    known_ends: Mapping[int, int] | None = None,
    left_out: list[LeftOut] | None = None,
) -> list[Piece]:
    """Return recordings of an archive, by ascending id by default.

    Parameters
    ----------
    files : Files
        The file seam.
    archive_dir : str
        It may be of a running archive: what is recorded from now on is not part of a piece.
    recording_ids : iterable of int, optional
        By default all valid ones.
    mode : str
        Whether damage at the end of an active recording is left to readers to report.
    known_ends : mapping of int to int, optional
        By recording id, the ends known better than from its files.
    left_out : list of LeftOut, optional
        Collects the recordings with impossible values in the catalog.

    Raises
    ------
    MissingFileError
        There is no catalog.
    ConfigurationError
        The archive does not have the recording.
    CorruptError
        The catalog, or the end of a recording, is damaged; what it has of a recording only where
        there is no `left_out`.
    """
    path, found = _read_catalog(files, archive_dir)
    wanted = list(found) if recording_ids is None else list(recording_ids)
    pieces = []
    with ArchiveCounters(files, archive_dir) as counters:
        for recording_id in wanted:
            if recording_id not in found:
                known = ", ".join(map(str, found)) or "none"
                raise ConfigurationError(
                    "recording_id", f"one of {archive_dir}: {known}", recording_id
                )
            recording = found[recording_id]
            try:
                piece = _piece(archive_dir, path, recording)
            except CorruptError as error:
                if left_out is None:
                    raise
                left_out.append(_left_out(error, path, recording))
                continue
            known_end = (known_ends or {}).get(recording_id)
            is_open = recording.descriptor.stop_position == NULL_VALUE
            if known_end is None and is_open:
                end = _open_end(files, piece, mode, counters)
            elif known_end is None:
                end = piece.end_position
            else:
                end = known_end if is_open else min(known_end, piece.end_position)
            pieces.append(replace(piece, end_position=max(end, piece.start_position)))
    return pieces


def recordings_of_stream(files: Files, archive_dir: str, stream_id: int) -> list[int]:
    """Return the ids of an archive's recordings of a stream: what the others are like is no matter.

    Raises
    ------
    MissingFileError
        There is no catalog.
    CorruptError
        It is damaged.
    """
    _, found = _read_catalog(files, archive_dir)
    return [each for each, it in found.items() if it.descriptor.stream_id == stream_id]


def _read_catalog(files: Files, archive_dir: str) -> tuple[str, dict[int, Recording]]:
    path = f"{archive_dir}/{CATALOG_NAME}"
    if not files.is_file(path):
        raise MissingFileError(path, "the catalog of an archive", "name an archive directory")
    try:
        return path, _recordings(files, archive_dir)
    except CorruptError:
        # An archive may be changing it: Java moves frames where a channel gets longer.
        return path, _recordings(files, archive_dir)


def _recordings(files: Files, archive_dir: str) -> dict[int, Recording]:
    with Catalog(files, archive_dir, writable=False) as catalog:
        return {each.descriptor.recording_id: each for each in catalog}


def _left_out(error: CorruptError, path: str, recording: Recording) -> LeftOut:
    """Report a recording of which no frame can be found."""
    it = recording.descriptor
    what, expected, found = error.what, str(error.expected), str(error.found)
    return LeftOut(
        it.recording_id,
        -1,
        path,
        recording.offset,
        it.start_position,
        it.stop_position,
        what,
        expected,
        found,
    )


def _piece(archive_dir: str, path: str, recording: Recording) -> Piece:
    """Return a recording as its catalog has it; an unstopped one ends where it begins."""
    it = recording.descriptor
    term, segment = it.term_buffer_length, it.segment_file_length
    of = f"recording {it.recording_id}:"
    if not MIN_TERM_LENGTH <= term <= MAX_TERM_LENGTH or term & (term - 1):
        raise CorruptError(path, recording.offset, f"{of} term length", "a power of two", term)
    if segment < term or segment % term:
        raise CorruptError(
            path, recording.offset, f"{of} segment length", f"{term} times n", segment
        )
    start, stop = it.start_position, it.stop_position
    if start < 0 or start % FRAME_ALIGNMENT:
        raise CorruptError(
            path, recording.offset, f"{of} start position", "a multiple of 32", start
        )
    if stop != NULL_VALUE and (stop < start or stop % FRAME_ALIGNMENT):
        expected = f"a multiple of 32 from {start} on"
        raise CorruptError(path, recording.offset, f"{of} stop position", expected, stop)
    return Piece(
        archive_dir,
        it.recording_id,
        start,
        start if stop == NULL_VALUE else stop,
        it.initial_term_id,
        term,
        segment,
        it.session_id,
        it.stream_id,
        # An archive that has checksums of frames has them of its catalog, too.
        has_checksums=recording.checksum != 0,
    )


def _open_end(files: Files, piece: Piece, mode: Mode, counters: ArchiveCounters) -> int:
    """Return where an active recording ends: by the archive's counter while the archive runs.

    What follows may be in the middle of a write, and is not read. But the files may be a copy
    of those that the archive writes, which goes less far.
    """
    recorded = counters.recorded(piece.recording_id, piece.session_id)
    if recorded is not None and has_frames_up_to(files, piece, recorded):
        return recorded
    return find_end(files, piece, mode)
