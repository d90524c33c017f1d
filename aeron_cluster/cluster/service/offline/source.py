"""The sources of an offline host: a log's recording, and snapshots to start from.

No counterpart in Aeron; it reads the directories of Java's members as well as ours.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.recording_reader import read_recording
from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.codecs.frame_layout import (
    DATA_TYPE,
    FRAME_ALIGNMENT,
    FRAME_HEADER_LENGTH,
    MAX_TERM_LENGTH,
)
from aeron_cluster.errors import CorruptError, StateError

if TYPE_CHECKING:
    from aeron_cluster.codecs.archive import RecordingDescriptor
    from aeron_cluster.memory.system.seams import Files

__all__ = ["OfflineSource", "SnapshotPlace", "read_snapshot_file", "write_snapshot_file"]

_FRAME: Final = struct.Struct("<iBBHiiiiq")
_UNFRAGMENTED: Final = 0xC0


@dataclass(frozen=True, slots=True)
class SnapshotPlace:
    """A snapshot that a run can start from.

    Parameters
    ----------
    log_position : int
        The log position, in bytes.
    leadership_term_id : int
    timestamp : int
        Cluster time.
    recording_id : int
    """

    log_position: int
    leadership_term_id: int
    timestamp: int
    recording_id: int


@dataclass(frozen=True, slots=True)
class OfflineSource:
    """The recorded log of a member.

    Parameters
    ----------
    files : Files
        The file seam.
    archive_dir : str
        The directory of the segment files.
    log : RecordingDescriptor
        The descriptor in the catalog.
    recording_log : tuple of Entry
        The entries of the member's recording log; empty without one.
    """

    files: Files
    archive_dir: str
    log: RecordingDescriptor
    snapshots: tuple[tuple[int, SnapshotPlace], ...] = ()
    descriptors: dict[int, RecordingDescriptor] = field(default_factory=dict)

    @classmethod
    def of_member(cls, files: Files, cluster_dir: str, archive_dir: str) -> OfflineSource:
        """Find the log and the snapshots of a member.

        Parameters
        ----------
        files : Files
        cluster_dir, archive_dir : str
            The member's directory; nothing is written to it, and the member may be running.

        Raises
        ------
        StateError
            There is no log.
        CorruptError, VersionError
            A file is invalid.
        """
        with RecordingLog(files, cluster_dir, writable=False) as recording_log:
            log_recording_id = recording_log.find_last_term_recording_id()
            snapshots = tuple(
                (
                    entry.service_id,
                    SnapshotPlace(
                        entry.log_position,
                        entry.leadership_term_id,
                        entry.timestamp,
                        entry.recording_id,
                    ),
                )
                for entry in recording_log.entries
                if entry.is_valid and entry.entry_type is EntryType.SNAPSHOT
            )
        return cls._of(files, archive_dir, log_recording_id, snapshots)

    @classmethod
    def of_recording(cls, files: Files, archive_dir: str, recording_id: int) -> OfflineSource:
        """Use one recording of an archive as the log, without snapshots.

        Raises
        ------
        StateError
            The archive does not have the recording.
        """
        return cls._of(files, archive_dir, recording_id, ())

    @classmethod
    def _of(
        cls,
        files: Files,
        archive_dir: str,
        recording_id: int,
        snapshots: tuple[tuple[int, SnapshotPlace], ...],
    ) -> OfflineSource:
        with Catalog(files, archive_dir, writable=False) as catalog:
            descriptors = {each.descriptor.recording_id: each.descriptor for each in catalog}
        if recording_id not in descriptors:
            raise StateError(
                f"{archive_dir}: expected recording {recording_id} of the log, found "
                f"{', '.join(map(str, descriptors)) or 'none'}"
            )
        return cls(files, archive_dir, descriptors[recording_id], snapshots, descriptors)

    def snapshots_of(self, service_id: int) -> tuple[SnapshotPlace, ...]:
        """Return the snapshots of a service, ordered by log position."""
        found = [place for owner, place in self.snapshots if owner == service_id]
        return tuple(sorted(found, key=lambda place: place.log_position))

    def find_snapshot(self, service_id: int, which: int | str) -> SnapshotPlace:
        """Return a snapshot of a service.

        Parameters
        ----------
        service_id : int
        which : int or str
            The id of its recording, or ``latest``.

        Raises
        ------
        StateError
            It is missing.
        """
        found = self.snapshots_of(service_id)
        for place in reversed(found):
            if which in ("latest", place.recording_id):
                return place
        there = ", ".join(f"{each.recording_id} at {each.log_position}" for each in found)
        raise StateError(
            f"service {service_id}: expected snapshot {which}, found {there or 'none'}"
        )

    def read_snapshot(self, place: SnapshotPlace) -> Iterator[bytes]:
        """Yield the messages of a snapshot.

        Raises
        ------
        StateError
            Its recording is not in the archive.
        CorruptError
            A frame is damaged.
        """
        descriptor = self.descriptors.get(place.recording_id)
        if descriptor is None:
            raise StateError(f"{self.archive_dir}: no recording {place.recording_id}")
        for message, _ in read_recording(self.files, self.archive_dir, descriptor):
            yield message


def write_snapshot_file(files: Files, path: str, messages: Iterable[bytes]) -> int:
    """Write messages into a file in the format of a recording: a frame each, from position 0.

    Returns
    -------
    int
        The length of the file in bytes.
    """
    with files.open(path, write=True, create=True, truncate=True) as file:
        offset = 0
        for message in messages:
            length = FRAME_HEADER_LENGTH + len(message)
            term_offset = offset % MAX_TERM_LENGTH  # readers ignore it
            header = _FRAME.pack(length, 0, _UNFRAGMENTED, DATA_TYPE, term_offset, 1, 1, 0, 0)
            file.write_at(header + message + bytes(-length % FRAME_ALIGNMENT), offset)
            offset += -(-length // FRAME_ALIGNMENT) * FRAME_ALIGNMENT
        return offset


def read_snapshot_file(files: Files, path: str) -> Iterator[bytes]:
    """Yield the messages of such a file, or of the first segment of a recording.

    Raises
    ------
    CorruptError
        A frame is damaged; it names the offset.
    """
    data = files.read(path)
    offset = 0
    parts: list[bytes] = []
    while len(data) - offset >= FRAME_HEADER_LENGTH:
        length, _, flags, kind, *_ = _FRAME.unpack_from(data, offset)
        if length == 0:
            return
        if length < FRAME_HEADER_LENGTH or offset + length > len(data):
            expected = f"{FRAME_HEADER_LENGTH} to {len(data) - offset}"
            raise CorruptError(path, offset, "frame length", expected, length)
        if kind == DATA_TYPE:
            if flags & 0x80:
                parts = []
            parts.append(data[offset + FRAME_HEADER_LENGTH : offset + length])
            if flags & 0x40:
                yield b"".join(parts)
        offset += -(-length // FRAME_ALIGNMENT) * FRAME_ALIGNMENT
