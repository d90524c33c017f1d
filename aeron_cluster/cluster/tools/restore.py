"""Restore a member's directory from a backup: verified, and without losing newer data.

No counterpart in Aeron, where directories are copied by hand.
"""

from __future__ import annotations

import errno
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.repair import find_stop_position
from aeron_cluster.archive.storage.catalog import CATALOG_NAME, Catalog
from aeron_cluster.archive.storage.recording_reader import read_recording
from aeron_cluster.archive.storage.segments import segment_bases, segment_name
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.state.recording_log import FILE_NAME, RecordingLog
from aeron_cluster.cluster.state.recovery_plan import plan_recovery
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.codecs.archive import RecordingDescriptor, RecordingState
from aeron_cluster.errors import (
    ConfigurationError,
    CorruptError,
    InsufficientSpaceError,
    MissingFileError,
    StateError,
)
from aeron_cluster.memory.system.file_access import check_directory
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.cluster.state.recording_log import Entry
    from aeron_cluster.memory.system.seams import Files

__all__ = ["Restored", "restore"]

_BLOCK_LENGTH: Final = 1 << 20
_ARCHIVE: Final = "archive"
_CLUSTER: Final = "cluster"
_UNFINISHED: Final = "archive.restoring"
_BEFORE: Final = ".before-restore"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """The result of a restore.

    Parameters
    ----------
    directory : str
    log_position : int
        The end of its log, in bytes.
    snapshot_position : int
        The position of its newest snapshot, in bytes; -1 without one.
    length : int
        The number of copied bytes.
    kept : str
        The directory of the member's old archive; empty if there was none.
    """

    directory: str
    log_position: int
    snapshot_position: int
    length: int
    kept: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Past:
    """The log and snapshots in a node's directory, with the ends of recordings on disk."""

    directory: str
    entries: tuple[Entry, ...]
    recordings: Mapping[int, RecordingDescriptor]
    log_recording_id: int

    @property
    def log(self) -> RecordingDescriptor:
        return self.recordings[self.log_recording_id]

    @property
    def terms(self) -> dict[int, int]:
        return {
            entry.leadership_term_id: entry.term_base_log_position
            for entry in self.entries
            if entry.is_valid_term
        }

    @property
    def snapshot_position(self) -> int:
        positions = (entry.log_position for entry in self.entries if entry.is_valid_snapshot)
        return max(positions, default=NULL_VALUE)


def restore(
    backup: str, directory: str, *, seams: Seams | None = None, backup_seams: Seams | None = None
) -> Restored:
    """Prepare a member without a log, or a lagging one, to start from a backup.

    Parameters
    ----------
    backup : str
        The directory of a backup, which has its archive in ``archive`` and the rest in ``cluster``.
    directory : str
        The member's directory, with the same layout; created if missing.
    seams : Seams, optional
        Files and processes of the member's machine.
    backup_seams : Seams, optional
        The seams for the backup's files; by default the same.

    Raises
    ------
    ConfigurationError
        The directory contains other files than a member's.
    MissingFileError
        It is not a backup, or has no log yet.
    CorruptError
        The backup is damaged, or the copy differs from it.
    DirectoryInUseError
        The backup or the member is running.
    StateError
        The member has more of the log than the backup, or another cluster's log, or the old archive
        of an earlier restore still exists.
    InsufficientSpaceError
        There is no space for the copy; the member is unchanged.

    Notes
    -----
    The member's vote is kept. Its old log and snapshots are moved aside, not removed. An
    interrupted restore can be repeated: until then the member is unchanged, or empty. Only one
    that was killed after it renamed the archive, of a member that had no recording log, names
    what has to be put aside first.
    """
    seams = Seams() if seams is None else seams
    backup_seams = seams if backup_seams is None else backup_seams
    place = ClusterDirectory(backup, backup_seams)
    place.check_not_in_use()
    source = place.path.removesuffix(f"/{_CLUSTER}")
    past = _read_past(backup_seams.files, source)
    if past is None:
        raise MissingFileError(
            f"{source}/{_CLUSTER}/{FILE_NAME}",
            "a backup with a log",
            "wait until it has backed up the log",
        )
    files = seams.files
    directory = directory.rstrip("/") or "/"
    if files is backup_seams.files and source == directory:
        raise ConfigurationError("--dir", "another directory than the backup's", directory)
    _check_target(seams, directory, place, past)
    _verify(backup_seams.files, past)
    length = _copy(backup_seams.files, files, past, directory)
    kept = _swap(backup_seams.files, files, past, directory)
    return Restored(
        directory=directory,
        log_position=past.log.stop_position,
        snapshot_position=past.snapshot_position,
        length=length,
        kept=kept,
    )


# ---- what is there ----


def _read_past(files: Files, directory: str) -> _Past | None:
    """Read the state of a directory; None if it is empty."""
    if not files.is_file(f"{directory}/{_CLUSTER}/{FILE_NAME}"):
        return None
    with RecordingLog(files, f"{directory}/{_CLUSTER}", writable=False) as log:
        entries = log.entries
        log_recording_id = log.find_last_term_recording_id()
    if log_recording_id == NULL_VALUE:
        return None
    archive = f"{directory}/{_ARCHIVE}"
    if not files.is_file(f"{archive}/{CATALOG_NAME}"):
        raise MissingFileError(
            f"{archive}/{CATALOG_NAME}", "an archive's catalog", "is it a node's directory?"
        )
    wanted = {entry.recording_id for entry in entries if entry.is_valid_snapshot}
    recordings = {}
    with Catalog(files, archive, writable=False) as catalog:
        for recording_id in sorted({log_recording_id, *wanted}):
            if recording_id not in catalog:
                raise CorruptError(
                    catalog.path, 0, f"recording {recording_id}", "one that is valid", "none"
                )
            found = catalog.get(recording_id).descriptor
            recordings[recording_id] = _with_end(files, archive, found)
    return _Past(
        directory=directory,
        entries=entries,
        recordings=recordings,
        log_recording_id=log_recording_id,
    )


def _with_end(files: Files, archive: str, descriptor: RecordingDescriptor) -> RecordingDescriptor:
    """Return a descriptor with the end of its segments, if a kill left it without an end."""
    if descriptor.stop_position != NULL_VALUE:
        return descriptor
    values = {name: getattr(descriptor, name) for name in RecordingDescriptor.__slots__}
    values["stop_position"] = find_stop_position(files, archive, descriptor)
    return RecordingDescriptor(**values)


def _check_target(seams: Seams, directory: str, backup: ClusterDirectory, past: _Past) -> None:
    """Reject a directory of another cluster or component, or with data that the backup lacks."""
    files = seams.files
    if not files.exists(directory):
        return
    check_directory(files, directory, "node directory")
    if not files.is_directory(directory):
        raise ConfigurationError("--dir", "a directory", directory)
    names = files.list(directory)
    foreign = sorted(set(names) - {_ARCHIVE, _CLUSTER, _ARCHIVE + _BEFORE, _UNFINISHED})
    if foreign:
        raise ConfigurationError(
            "--dir", "the directory of a node, or an empty one", f"{foreign[0]} in {directory}"
        )
    cluster = f"{directory}/{_CLUSTER}"
    if not files.is_directory(cluster):
        if _ARCHIVE in names:
            raise ConfigurationError("--dir", "the directory of a node", f"no {cluster}")
        return
    place = ClusterDirectory(cluster, seams)
    place.check_not_in_use()
    if place.has_component and backup.has_component:
        own, other = (each.component().header.cluster_id for each in (place, backup))
        if own != other:
            raise StateError(f"{directory}: expected a member of cluster {other}, found {own}")
    log = f"{cluster}/{FILE_NAME}"
    if _ARCHIVE in names and _ARCHIVE + _BEFORE in names:
        if files.exists(log) or not files.exists(log + _BEFORE):
            raise StateError(
                f"{directory}/{_ARCHIVE}{_BEFORE}: an earlier restore put it aside; remove it, or"
                " put it elsewhere, first"
            )
        # From a restore that was killed before it wrote the recording log.
        files.remove_tree(f"{directory}/{_ARCHIVE}")
    found = _read_past(files, directory)
    if found is not None:
        _check_older(found, past)


def _check_older(found: _Past, past: _Past) -> None:
    for term_id in sorted(found.terms.keys() & past.terms.keys()):
        if found.terms[term_id] != past.terms[term_id]:
            raise StateError(
                f"{found.directory}: expected term {term_id} to begin at"
                f" {past.terms[term_id]}, as in the backup, found {found.terms[term_id]}: it is"
                " another cluster's"
            )
    if found.log.stop_position >= past.log.stop_position:
        raise StateError(
            f"{found.directory}: expected a log that ends before the backup's, at"
            f" {past.log.stop_position}, found one up to {found.log.stop_position}: the member has"
            " all that the backup has"
        )


def _verify(files: Files, past: _Past) -> None:
    """Read every frame to be copied, and check that a member can recover from it."""
    services = [entry.service_id for entry in past.entries if entry.is_valid_snapshot]
    with RecordingLog(files, f"{past.directory}/{_CLUSTER}", writable=False) as log:
        plan_recovery(log, max(services, default=NULL_VALUE) + 1).with_log(past.log).check_replay()
    archive = f"{past.directory}/{_ARCHIVE}"
    with Catalog(files, archive, writable=False) as catalog:
        checksums = {each: catalog.get(each).frames for each in past.recordings}
    for recording_id, descriptor in past.recordings.items():
        for _ in read_recording(files, archive, descriptor, checksums[recording_id]):
            pass


# ---- the copy ----


def _copy(source: Files, files: Files, past: _Past, directory: str) -> int:
    """Copy archive files beside the existing ones; return their length."""
    unfinished = f"{directory}/{_UNFINISHED}"
    if files.is_directory(unfinished):
        files.remove_tree(unfinished)  # from a killed restore
    files.make_directory(unfinished, parents=True)
    archive = f"{past.directory}/{_ARCHIVE}"
    names = [CATALOG_NAME]
    for recording_id in past.recordings:
        bases = segment_bases(source, archive, recording_id)
        names += [segment_name(recording_id, base) for base in bases]
    lengths = {}
    for name in names:
        with source.open(f"{archive}/{name}") as file:
            lengths[name] = file.length
    length = sum(lengths.values())
    if length > files.usable_space(directory):
        files.remove_tree(unfinished)
        raise InsufficientSpaceError(
            errno.ENOSPC,
            f"expected room for {length} bytes, found {files.usable_space(directory)}",
            directory,
        )
    for name, each in lengths.items():
        _copy_file(source, f"{archive}/{name}", files, f"{unfinished}/{name}", each)
    with Catalog(files, unfinished, sync_level=2) as catalog:
        for recording in tuple(catalog):
            descriptor = recording.descriptor
            recording_id = descriptor.recording_id
            if recording_id not in past.recordings:
                catalog.set_state(recording_id, RecordingState.DELETED)
            elif descriptor.stop_position == NULL_VALUE:
                end = past.recordings[recording_id].stop_position
                catalog.stop(recording_id, end, descriptor.start_timestamp)
    files.sync_directory(unfinished)
    return length


def _copy_file(source: Files, path: str, files: Files, target: str, length: int) -> None:
    checksum = 0
    with (
        source.open(path) as original,
        files.open(target, write=True, create=True, truncate=True) as copy,
    ):
        copy.truncate(length)
        for offset in range(0, length, _BLOCK_LENGTH):
            block = original.read_at(min(_BLOCK_LENGTH, length - offset), offset)
            checksum = zlib.crc32(block, checksum)
            if any(block):  # unwritten parts stay holes
                copy.write_at(block, offset)
        copy.sync(2)
        found = 0
        for offset in range(0, length, _BLOCK_LENGTH):
            found = zlib.crc32(copy.read_at(min(_BLOCK_LENGTH, length - offset), offset), found)
    if found != checksum:
        raise CorruptError(target, 0, "checksum of the copy", f"{checksum:#x}", f"{found:#x}")


def _swap(source: Files, files: Files, past: _Past, directory: str) -> str:
    """Move the copy to its final place; return the path of the old archive.

    Without a recording log the member is blank, whatever its archive contains; the file with its
    votes is kept.
    """
    cluster, archive = f"{directory}/{_CLUSTER}", f"{directory}/{_ARCHIVE}"
    log, kept = f"{cluster}/{FILE_NAME}", archive + _BEFORE
    files.make_directory(cluster, parents=True)
    if files.exists(archive):
        if files.exists(log):
            files.rename(log, log + _BEFORE)
            files.sync_directory(cluster)
        files.rename(archive, kept)
    files.rename(f"{directory}/{_UNFINISHED}", archive)
    files.sync_directory(directory)
    files.replace(log, source.read(f"{past.directory}/{_CLUSTER}/{FILE_NAME}"))
    files.sync_directory(cluster)
    return kept if files.exists(kept) else ""
