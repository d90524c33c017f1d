"""Changes to a stopped archive: states, checksums, compaction, orphaned segments.

Upstream: the writing commands of ArchiveTool. Each change is first computed as a plan that can be
shown; applying the plan does exactly what it shows.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.storage.catalog import (
    CATALOG_HEADER_LENGTH,
    CATALOG_NAME,
    FrameChecksums,
)
from aeron_cluster.archive.storage.catalog_editor import CatalogEditor
from aeron_cluster.archive.storage.migrations import migration_problem
from aeron_cluster.archive.storage.segment_frames import walk_frames
from aeron_cluster.archive.storage.segments import base_position, start_term_base
from aeron_cluster.archive.tools.archive_directory import unknown_recording
from aeron_cluster.archive.tools.verification import no_progress
from aeron_cluster.codecs.archive import CatalogHeader, RecordingState
from aeron_cluster.codecs.frame_layout import DATA_TYPE, FRAME_HEADER_LENGTH, NULL_VALUE
from aeron_cluster.errors import StateError

if TYPE_CHECKING:
    from aeron_cluster.archive.storage.catalog import Recording
    from aeron_cluster.archive.storage.checksum import Checksum
    from aeron_cluster.archive.tools.archive_directory import ArchiveDirectory, Segment
    from aeron_cluster.archive.tools.verification import Progress
    from aeron_cluster.memory.system.seams import File

__all__ = [
    "ChecksumPlan",
    "CompactionPlan",
    "Removal",
    "change_state",
    "compact",
    "grow_catalog",
    "plan_checksums",
    "plan_compaction",
    "plan_orphans",
    "remove_orphans",
    "replace_catalog",
    "write_checksums",
]

_UNFINISHED: Final = ".compact"
_I32: Final = struct.Struct("<i")
_TYPE: Final = struct.Struct("<H")
_TYPE_OFFSET: Final = 6
_SESSION_ID_OFFSET: Final = 12


@dataclass(frozen=True, slots=True)
class Removal:
    """A segment file to be removed.

    Parameters
    ----------
    segment : Segment
    length : int
        Its length on the disk, in bytes.
    """

    segment: Segment
    length: int


# ---- states ----


def change_state(directory: ArchiveDirectory, recording_id: int, state: RecordingState) -> bool:
    """Mark a recording valid or invalid; return False if it already was.

    Raises
    ------
    OperationError
        No recording has that id.
    StateError
        It is deleted.
    DirectoryInUseError
        An archive uses the directory.
    """
    (recording,) = directory.recordings(recording_id)
    if recording.state is state:
        return False
    if recording.state not in (RecordingState.VALID, RecordingState.INVALID):
        raise StateError(
            f"(recordingId={recording_id}) state transition {recording.state.name} ->"
            f" {state.name} is not allowed"
        )
    directory.require_stopped()
    with CatalogEditor(directory.seams.files, directory.path) as catalog:
        catalog.set_state(recording, state)
    return True


# ---- the catalog ----


def grow_catalog(directory: ArchiveDirectory, capacity: int) -> int:
    """Extend the catalog to a length in bytes, if it is shorter; return its length.

    Raises
    ------
    DirectoryInUseError
        An archive uses the directory.
    """
    with directory.open_catalog() as catalog:
        found = catalog.capacity
    if capacity <= found:
        return found
    directory.require_stopped()
    files = directory.seams.files
    with files.open(f"{directory.path}/{CATALOG_NAME}", write=True) as file:
        file.allocate(0, capacity)
        file.sync()
    return capacity


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """The recordings and segments that a compaction would remove.

    Parameters
    ----------
    recordings : tuple of Recording
        Those that are not valid.
    segments : tuple of Removal
        Their segment files.
    catalog_length : int
        The length of the catalog before the compaction, in bytes.
    compact_length : int
        The length of the catalog after the compaction, in bytes.
    """

    recordings: tuple[Recording, ...]
    segments: tuple[Removal, ...]
    catalog_length: int
    compact_length: int

    @property
    def reclaimed_length(self) -> int:
        """The bytes of the catalog that the compaction frees."""
        return sum(FRAME_HEADER_LENGTH + each.length for each in self.recordings)


def plan_compaction(directory: ArchiveDirectory) -> CompactionPlan:
    """Find the recordings that are not valid, and their segments; nothing is changed."""
    with directory.open_catalog() as catalog:
        found = list(catalog.scan())
        capacity = catalog.capacity
    gone = tuple(each for each in found if each.state is not RecordingState.VALID)
    kept = sum(
        FRAME_HEADER_LENGTH + each.length for each in found if each.state is RecordingState.VALID
    )
    segments = directory.segments()
    removals = tuple(
        _removal(directory, segment)
        for each in gone
        for segment in segments.get(each.descriptor.recording_id, ())
    )
    return CompactionPlan(gone, removals, capacity, CATALOG_HEADER_LENGTH + kept)


def compact(
    directory: ArchiveDirectory, plan: CompactionPlan, progress: Progress = no_progress
) -> None:
    """Remove the segments and recordings of a plan, and rewrite the catalog.

    Segments are removed first, so that an interrupted compaction can be repeated.

    Raises
    ------
    DirectoryInUseError
        An archive uses the directory.
    """
    directory.require_stopped()
    files, path = directory.seams.files, f"{directory.path}/{CATALOG_NAME}"
    _remove(directory, plan.segments, progress)
    with directory.open_catalog() as catalog, files.open(path) as source:
        header = CatalogHeader.decode_body(source.read_at(CATALOG_HEADER_LENGTH, 0))
        content = bytearray(
            CatalogHeader.encode_body(
                version=header.version,
                length=CATALOG_HEADER_LENGTH,
                next_recording_id=catalog.next_recording_id,
                alignment=catalog.alignment,
                reserved=0,
            )
        )
        for each in catalog.scan():
            if each.state is RecordingState.VALID:
                content += source.read_at(FRAME_HEADER_LENGTH + each.length, each.offset)
    replace_catalog(directory, bytes(content))


def replace_catalog(directory: ArchiveDirectory, content: bytes) -> None:
    """Replace the catalog atomically."""
    files, path = directory.seams.files, f"{directory.path}/{CATALOG_NAME}"
    if files.is_file(path + _UNFINISHED):
        files.remove(path + _UNFINISHED)
    with files.open(path + _UNFINISHED, write=True, create=True) as file:
        file.write_at(content, 0)
        file.sync()
    files.rename(path + _UNFINISHED, path)
    files.sync_directory(directory.path)


# ---- segments ----


def plan_orphans(directory: ArchiveDirectory, recording_id: int | None = None) -> list[Removal]:
    """Find the segment files that lie outside of their recordings' positions.

    They lie before the start (as after detaching segments) or after the end, or have names without
    a position. Segments that an interrupted migration moved there are none: they belong to its
    source until it is requested again.

    Raises
    ------
    OperationError
        No recording has that id.
    """
    segments = directory.segments()
    files = directory.seams.files
    with directory.open_catalog() as catalog:
        return [
            _removal(directory, segment)
            for recording in directory.recordings(recording_id)
            for segment in segments.get(recording.descriptor.recording_id, ())
            if _is_orphaned(recording, segment)
            and not migration_problem(
                files, directory.path, catalog, recording.descriptor, [segment.base]
            )
        ]


def _is_orphaned(recording: Recording, segment: Segment) -> bool:
    each = recording.descriptor
    lengths = each.term_buffer_length, each.segment_file_length
    first = base_position(each.start_position, each.start_position, *lengths)
    if segment.base < first:
        return True
    if each.stop_position == NULL_VALUE:
        return False
    return segment.base > base_position(each.start_position, each.stop_position, *lengths)


def remove_orphans(
    directory: ArchiveDirectory, removals: list[Removal], progress: Progress = no_progress
) -> None:
    """Remove what `plan_orphans` found.

    Raises
    ------
    DirectoryInUseError
        An archive uses the directory.
    """
    directory.require_stopped()
    _remove(directory, removals, progress)


def _removal(directory: ArchiveDirectory, segment: Segment) -> Removal:
    path = f"{directory.path}/{segment.name}"
    return Removal(segment, directory.seams.files.allocated_space(path))


def _remove(
    directory: ArchiveDirectory,
    removals: tuple[Removal, ...] | list[Removal],
    progress: Progress,
) -> None:
    files = directory.seams.files
    for number, each in enumerate(removals, 1):
        files.remove(f"{directory.path}/{each.segment.name}")
        progress("segments removed", number, len(removals))
    if removals:
        files.sync_directory(directory.path)


# ---- checksums ----


@dataclass(frozen=True, slots=True)
class ChecksumPlan:
    """The segments that checksums would be written to.

    Parameters
    ----------
    recordings : tuple of tuple of Recording and tuple of Segment
        Each recording with the segments whose frames get checksums.
    """

    recordings: tuple[tuple[Recording, tuple[Segment, ...]], ...]

    @property
    def segment_count(self) -> int:
        """The number of segments to write to."""
        return sum(len(segments) for _, segments in self.recordings)


def plan_checksums(
    directory: ArchiveDirectory, recording_id: int | None = None, *, all_segments: bool = False
) -> ChecksumPlan:
    """Find the segments to write checksums to: the last one of each recording, or all.

    Raises
    ------
    OperationError
        No valid recording has that id.
    """
    found = directory.recordings(recording_id)
    if recording_id is not None and found[0].state is not RecordingState.VALID:
        raise unknown_recording(recording_id)
    segments = directory.segments()
    chosen = []
    for each in found:
        own = [one for one in segments.get(each.descriptor.recording_id, ()) if one.base >= 0]
        chosen.append((each, tuple(own if all_segments else own[-1:])))
    return ChecksumPlan(tuple(chosen))


def write_checksums(
    directory: ArchiveDirectory,
    plan: ChecksumPlan,
    checksum: Checksum,
    progress: Progress = no_progress,
) -> None:
    """Write checksums to frames, replacing their session ids, and to descriptors.

    Raises
    ------
    DirectoryInUseError
        An archive uses the directory.
    """
    directory.require_stopped()
    files = directory.seams.files
    done = 0
    for recording, segments in plan.recordings:
        each = recording.descriptor
        for segment in segments:
            first_base = start_term_base(each.start_position, each.term_buffer_length)
            offset = each.start_position - first_base if segment.base == first_base else 0
            with files.open(f"{directory.path}/{segment.name}", write=True) as file:
                _sum_frames(file, offset, min(file.length, each.segment_file_length), checksum)
                file.sync()
            done += 1
            progress("segments summed", done, plan.segment_count)
    with CatalogEditor(files, directory.path) as catalog:
        for recording, segments in plan.recordings:
            if segments:
                # For archives of ours, which verify what they replay.
                catalog.set_frames(recording, _noted(recording, segments, checksum.code))
            catalog.update_checksum(recording, checksum)


def _sum_frames(file: File, offset: int, limit: int, checksum: Checksum) -> None:
    for begin, frame in walk_frames(file, offset, limit):
        if len(frame) < FRAME_HEADER_LENGTH:
            return
        if _TYPE.unpack_from(frame, _TYPE_OFFSET)[0] == DATA_TYPE:
            value = checksum(frame[FRAME_HEADER_LENGTH:])
            file.write_at(_I32.pack(value), begin + _SESSION_ID_OFFSET)


def _noted(recording: Recording, segments: tuple[Segment, ...], code: int) -> FrameChecksums:
    """Return the frame checksum record of a recording after its checksums were written."""
    position = max(segments[0].base, recording.descriptor.start_position)
    known = recording.frames
    if known is None or known.code != code:
        return FrameChecksums(code, position)
    return FrameChecksums(code, min(position, known.position), known.stream_position)
