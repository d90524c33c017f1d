"""Reads the recordings of an archive directory as pieces of a plan.

No counterpart in Aeron; directories of Java's archives are supported too.
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
    """Return recordings of an archive, by default all, ordered by id.

    Parameters
    ----------
    files : Files
        The file seam.
    archive_dir : str
        The directory; the archive may be running. Pieces do not include data that are recorded
        later.
    recording_ids : iterable of int, optional
        By default all valid ones.
    mode : str
        Whether to ignore damage at the end of an active recording; its readers report it.
    known_ends : mapping of int to int, optional
        Ends that are better known than from files, by recording id.
    left_out : list of LeftOut, optional
        Collects the recordings with invalid values in the catalog.

    Raises
    ------
    MissingFileError
        There is no catalog.
    ConfigurationError
        The archive does not have the recording.
    CorruptError
        The catalog or the end of a recording is damaged. Invalid values of a recording raise only
        without `left_out`.
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
    """Return the ids of an archive's recordings of a stream; other recordings may be invalid.

    Raises
    ------
    MissingFileError
        There is no catalog.
    CorruptError
        The catalog is damaged.
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
        # The archive may be changing the catalog: Java moves entries if a channel becomes longer.
        return path, _recordings(files, archive_dir)


def _recordings(files: Files, archive_dir: str) -> dict[int, Recording]:
    with Catalog(files, archive_dir, writable=False) as catalog:
        return {each.descriptor.recording_id: each for each in catalog}


def _left_out(error: CorruptError, path: str, recording: Recording) -> LeftOut:
    """Report a recording without a readable frame."""
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
    """Return a recording with the catalog's values; an active one ends at its start position."""
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
        expected = f"a multiple of 32, at least {start}"
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
        # An archive with checksums of frames also has checksums in its catalog.
        has_checksums=recording.checksum != 0,
    )


def _open_end(files: Files, piece: Piece, mode: Mode, counters: ArchiveCounters) -> int:
    """Return the end of an active recording; by the archive's counter if the archive is running.

    Later data may be incomplete and are not read. The files may be a copy of the archive's files
    with an earlier end.
    """
    recorded = counters.recorded(piece.recording_id, piece.session_id)
    if recorded is not None and has_frames_up_to(files, piece, recorded):
        return recorded
    return find_end(files, piece, mode)
