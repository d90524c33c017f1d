"""Migrate archives of early versions to the current one: 0 to 1, 1 to 2, 2 to 3.

Upstream: ArchiveMigrationPlanner and its steps. Version 1 names segments by position instead of by
number; version 2 counts these positions from the beginning of the stream instead of its first term;
version 3 has catalog frames of variable length. As upstream does, each step first creates a marker
file, so that an interrupted step is not repeated.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.storage.catalog import CATALOG_NAME
from aeron_cluster.archive.tools.maintenance import replace_catalog
from aeron_cluster.codecs.archive import CatalogHeader, RecordingDescriptor, RecordingState
from aeron_cluster.codecs.archive_mark import MarkFileHeader
from aeron_cluster.codecs.frame_layout import FRAME_HEADER_LENGTH
from aeron_cluster.codecs.mark_header import MESSAGE_HEADER_LENGTH, has_message_header
from aeron_cluster.errors import CorruptError, MessageError, MissingFileError, StateError

if TYPE_CHECKING:
    from aeron_cluster.archive.tools.archive_directory import ArchiveDirectory

__all__ = ["LATEST", "Migration", "migrate", "plan_migration", "version_text"]

LATEST: Final = 3 << 16
_STEPS: Final = (1 << 16, 2 << 16, 3 << 16)
_ALIGNMENT: Final = 64
_OLD_ALIGNMENT: Final = 1024
_HEADER_LENGTH: Final = 32
_I32: Final = struct.Struct("<i")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A frame of a catalog of any version."""

    header: bytes
    state: int
    body: bytes
    descriptor: RecordingDescriptor


@dataclass(frozen=True, slots=True)
class Migration:
    """The steps of a migration.

    Parameters
    ----------
    mark_version, catalog_version : int
        The major version is in bits 16 and up.
    steps : tuple of int
        The versions to migrate to, in order; empty if the archive is up to date.
    renames : tuple of tuple of str
        The segment files that the first step renames, as pairs of old and new name.
    recording_count : int
        The number of recordings in the catalog.
    """

    mark_version: int
    catalog_version: int
    steps: tuple[int, ...]
    renames: tuple[tuple[str, str], ...]
    recording_count: int


def version_text(version: int) -> str:
    """Return a version as text."""
    return f"{version >> 16 & 0xFF}.{version >> 8 & 0xFF}.{version & 0xFF}"


def plan_migration(directory: ArchiveDirectory) -> Migration:
    """Return the steps of a migration, without changing anything.

    Raises
    ------
    MissingFileError
        The catalog or the mark file is missing.
    CorruptError
        The file is not a catalog.
    """
    mark_version = directory.mark(any_version=True).header.version
    header, entries = _read_catalog(directory)
    version = min(mark_version, header.version)
    steps = tuple(each for each in _STEPS if each > version)
    renames = _renames(directory, steps[0], entries) if steps else []
    return Migration(mark_version, header.version, steps, tuple(renames), len(entries))


def migrate(directory: ArchiveDirectory) -> Migration:
    """Migrate an archive to the latest version; return the applied steps.

    Raises
    ------
    DirectoryInUseError
        An archive uses the directory.
    StateError
        An earlier migration was interrupted.
    """
    directory.require_stopped()
    plan = plan_migration(directory)
    before = plan.mark_version
    for version in plan.steps:
        _begin(directory, before, version)
        header, entries = _read_catalog(directory)
        if version == LATEST:
            replace_catalog(directory, _packed(header, entries))
        else:
            # In descending order: a new name may be the old name of a later segment.
            for source, target in reversed(_renames(directory, version, entries)):
                _rename(directory, source, target)
        _set_catalog_version(directory, version)
        _set_mark_version(directory, version)
        before = version
    return plan


def _begin(directory: ArchiveDirectory, before: int, version: int) -> None:
    path = f"{directory.path}/migration-{before}-to-{version}.dat"
    try:
        directory.seams.files.open(path, write=True, create=True, exclusive=True).close()
    except FileExistsError:
        raise StateError(
            f"{path}: a migration to {version_text(version)} was interrupted before:"
            " restore the archive from a copy"
        ) from None
    directory.seams.files.sync_directory(directory.path)


# ---- the catalog ----


def _read_catalog(directory: ArchiveDirectory) -> tuple[CatalogHeader, list[_Entry]]:
    path = f"{directory.path}/{CATALOG_NAME}"
    try:
        data = directory.seams.files.read(path)
    except FileNotFoundError:
        raise MissingFileError(path, "an archive's catalog", "give the archive directory") from None
    if len(data) < _HEADER_LENGTH:
        raise CorruptError(path, 0, "length", f"at least {_HEADER_LENGTH}", len(data))
    header = CatalogHeader.decode_body(data[:_HEADER_LENGTH])
    alignment = header.alignment or _OLD_ALIGNMENT
    offset = _HEADER_LENGTH if header.alignment else _OLD_ALIGNMENT
    entries = []
    while offset + FRAME_HEADER_LENGTH <= len(data):
        length, state = struct.unpack_from("<iB", data, offset)
        if length <= 0:
            break
        body = data[offset + FRAME_HEADER_LENGTH : offset + FRAME_HEADER_LENGTH + length]
        try:
            descriptor = RecordingDescriptor.decode_body(body)
        except MessageError as error:
            raise CorruptError(path, offset, "descriptor", error.expected, error.found) from error
        frame_header = data[offset : offset + FRAME_HEADER_LENGTH]
        entries.append(_Entry(frame_header, state, body, descriptor))
        frame_length = length + FRAME_HEADER_LENGTH
        offset += -(-frame_length // alignment) * alignment
    return header, entries


def _packed(header: CatalogHeader, entries: list[_Entry]) -> bytes:
    next_id = header.next_recording_id if header.alignment else 0
    if entries:
        next_id = max(next_id, entries[-1].descriptor.recording_id + 1)
    content = bytearray(
        CatalogHeader.encode_body(
            version=LATEST,
            length=_HEADER_LENGTH,
            next_recording_id=next_id,
            alignment=_ALIGNMENT,
            reserved=0,
        )
    )
    for each in entries:
        used = len(RecordingDescriptor.encode_body(**each.descriptor.as_dict()))
        length = -(-(FRAME_HEADER_LENGTH + used) // _ALIGNMENT) * _ALIGNMENT - FRAME_HEADER_LENGTH
        content += _I32.pack(length) + each.header[_I32.size :]
        content += each.body[:used].ljust(length, b"\0")
    return bytes(content)


def _set_catalog_version(directory: ArchiveDirectory, version: int) -> None:
    with directory.seams.files.open(f"{directory.path}/{CATALOG_NAME}", write=True) as file:
        file.write_at(_I32.pack(version), 0)
        file.sync()


def _set_mark_version(directory: ArchiveDirectory, version: int) -> None:
    with directory.seams.files.open(directory.mark_path, write=True) as file:
        head = file.read_at(MESSAGE_HEADER_LENGTH, 0)
        offset = MESSAGE_HEADER_LENGTH if has_message_header(head, MarkFileHeader) else 0
        file.write_at(_I32.pack(version), offset)
        file.sync()


# ---- segments ----


def _renames(
    directory: ArchiveDirectory, version: int, entries: list[_Entry]
) -> list[tuple[str, str]]:
    """Return the segments that a step renames, ascending."""
    if version == LATEST:
        return []
    segments = directory.segments()
    found = []
    for entry in entries:
        if entry.state == RecordingState.INVALID:
            continue
        recording = entry.descriptor
        start, length = recording.start_position, recording.segment_file_length
        for segment in segments.get(recording.recording_id, ()):
            if segment.base < 0:
                raise CorruptError(
                    f"{directory.path}/{segment.name}", 0, "name", "ID-NUMBER.rec", segment.name
                )
            if version == _STEPS[0]:
                # The number in the name counts segments from the one with the start.
                position = segment.base * length + start - start % length
            else:
                # The position in the name counts from the term with the start.
                base = start - start % recording.term_buffer_length
                is_same = base == 0 or recording.term_buffer_length == length
                position = segment.base if is_same else base + segment.base
            target = f"{recording.recording_id}-{position}.rec"
            if target != segment.name:
                found.append((segment.name, target))
    return found


def _rename(directory: ArchiveDirectory, source: str, target: str) -> None:
    files = directory.seams.files
    if files.exists(f"{directory.path}/{target}"):
        raise StateError(f"{directory.path}/{source}: cannot be renamed to {target}, which exists")
    files.rename(f"{directory.path}/{source}", f"{directory.path}/{target}")
