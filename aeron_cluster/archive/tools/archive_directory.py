"""The directory of an archive, ours or Java's: its mark file, catalog and segments.

Upstream: the part of ArchiveTool that opens the mark file and the catalog and lists segment files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.archive.control.mark_file import (
    ARCHIVE_MARK_FILE,
    HEADER_LENGTH,
    LINK_FILE,
    OLD_SCHEMA_VERSION,
    VERSION,
    owner_record,
)
from aeron_cluster.archive.storage.catalog import CATALOG_NAME, Catalog
from aeron_cluster.codecs.archive_mark import MarkFileHeader
from aeron_cluster.codecs.mark_header import decode_mark_header
from aeron_cluster.errors import (
    CorruptError,
    DirectoryInUseError,
    MessageError,
    MissingFileError,
    OperationError,
    VersionError,
)
from aeron_cluster.memory.shared.error_log import read_error_log
from aeron_cluster.memory.shared.mark_file import Presence, presence_of
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from aeron_cluster.archive.storage.catalog import Recording
    from aeron_cluster.memory.shared.error_text import ErrorLogEntry

__all__ = ["ArchiveDirectory", "ArchiveMark", "Segment", "unknown_recording"]

_SEGMENT: Final = re.compile(r"(\d+)-(.*)\.rec", re.ASCII)
_POSITION: Final = re.compile(r"\d{1,19}", re.ASCII)
_MAX_ERROR_LOG_LENGTH: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class ArchiveMark:
    """An archive as its mark file describes it.

    Parameters
    ----------
    path : str
        The mark file.
    header : MarkFileHeader
    presence : Presence
        When it was read.
    errors : tuple of ErrorLogEntry
        Its distinct error log.
    """

    path: str
    header: MarkFileHeader
    presence: Presence
    errors: tuple[ErrorLogEntry, ...]


class Segment(NamedTuple):
    """A segment file by its name.

    Parameters
    ----------
    recording_id : int
    base : int
        The position of its first byte; -1 if the name has none.
    name : str
    """

    recording_id: int
    base: int
    name: str


class ArchiveDirectory:
    """The directory of an archive.

    Parameters
    ----------
    directory : str
        The archive's own directory, or the directory of a node, with the archive in ``archive``.
    seams : Seams, optional
        Time and files; by default the system's.

    Attributes
    ----------
    path : str
        The archive's directory.
    seams : Seams

    Raises
    ------
    MissingFileError
        There is no such directory.
    """

    def __init__(self, directory: str, seams: Seams | None = None) -> None:
        self.seams = Seams() if seams is None else seams
        files = self.seams.files
        if not files.is_directory(directory):
            raise MissingFileError(directory, "an archive's directory", "give aeron.archive.dir")
        inside = f"{directory}/archive"
        is_node = not files.exists(f"{directory}/{CATALOG_NAME}") and files.is_directory(inside)
        self.path = inside if is_node else directory.rstrip("/") or "/"

    def __repr__(self) -> str:
        return f"ArchiveDirectory({self.path!r})"

    # ---- the mark file ----

    @property
    def mark_path(self) -> str:
        """The path of the mark file; a link file may name another directory for it."""
        files = self.seams.files
        link = f"{self.path}/{LINK_FILE}"
        directory = self.path
        if files.exists(link):
            directory = files.read(link).decode("ascii", "replace").strip()
        return f"{directory}/{ARCHIVE_MARK_FILE}"

    def mark(self, *, any_version: bool = False) -> ArchiveMark:
        """Read the mark file, which may be written at the same time.

        Raises
        ------
        MissingFileError
            The file is missing.
        CorruptError, VersionError
            It is not the mark file of an archive, or (unless `any_version`) has another major
            version.
        """
        path = self.mark_path
        try:
            file = self.seams.files.open(path)
        except FileNotFoundError:
            raise MissingFileError(
                path, "an archive's mark file", "is this the directory of an archive that ran?"
            ) from None
        with file:
            head = file.read_at(HEADER_LENGTH, 0)
            try:
                header = decode_mark_header(head, MarkFileHeader, OLD_SCHEMA_VERSION)
            except MessageError as error:
                raise CorruptError(path, 0, "header", error.expected, error.found) from error
            length = header.error_buffer_length
            if not 0 <= length <= _MAX_ERROR_LOG_LENGTH:
                expected = f"0 to {_MAX_ERROR_LOG_LENGTH}"
                raise CorruptError(path, 0, "error log length", expected, length)
            log = file.read_at(length, header.header_length)
        version = header.version
        if not any_version and version != 0 and version >> 16 != VERSION >> 16:
            raise VersionError(path, 0, "version", "3.x.y", hex(version))
        identity = owner_record(header.pid, head)
        stamp = header.activity_timestamp
        presence = presence_of(self.seams, version, stamp, identity)
        return ArchiveMark(path, header, presence, tuple(read_error_log(log)))

    def require_stopped(self) -> None:
        """Raise if an archive uses the directory.

        Raises
        ------
        DirectoryInUseError
            An archive uses it; the error has its process id.
        """
        if not self.seams.files.exists(self.mark_path):
            return
        mark = self.mark(any_version=True)
        if mark.presence.is_alive:
            raise DirectoryInUseError(
                mark.path, mark.header.pid, "an archive uses it: stop that first"
            )

    @property
    def is_used(self) -> bool:
        """Whether an archive uses the directory now."""
        if not self.seams.files.exists(self.mark_path):
            return False
        return self.mark(any_version=True).presence.is_alive

    # ---- the catalog ----

    def open_catalog(self) -> Catalog:
        """Open the catalog for reading.

        Raises
        ------
        MissingFileError
            The file is missing.
        CorruptError, VersionError
            It is not a catalog, or has another major version.
        """
        try:
            return Catalog(self.seams.files, self.path, writable=False)
        except FileNotFoundError:
            raise MissingFileError(
                f"{self.path}/{CATALOG_NAME}", "an archive's catalog", "give the archive directory"
            ) from None

    def recordings(self, recording_id: int | None = None) -> list[Recording]:
        """Return the recordings of the catalog, in any state; only one if an id is given.

        Raises
        ------
        OperationError
            No recording has that id.
        """
        with self.open_catalog() as catalog:
            found = list(catalog.scan())
        if recording_id is None:
            return found
        found = [each for each in found if each.descriptor.recording_id == recording_id]
        if not found:
            raise unknown_recording(recording_id)
        return found

    # ---- segments ----

    def segments(self) -> dict[int, list[Segment]]:
        """Return the segment files by recording, ascending; malformed names are included."""
        found: dict[int, list[Segment]] = {}
        for name in self.seams.files.list(self.path):
            if (match := _SEGMENT.fullmatch(name)) is not None:
                base = int(match[2]) if _POSITION.fullmatch(match[2]) else -1
                segment = Segment(int(match[1]), base, name)
                found.setdefault(segment.recording_id, []).append(segment)
        return {recording_id: sorted(found[recording_id]) for recording_id in sorted(found)}


def unknown_recording(recording_id: int) -> OperationError:
    """Return the error for an unknown recording id."""
    return OperationError(f"no recording found with recordingId: {recording_id}", 5)
