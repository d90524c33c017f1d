"""What a member has on its disk: its log, and the snapshots of its services and its module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.archive.catalog import Catalog
from aeron_cluster.archive.recording_reader import read_recording
from aeron_cluster.cluster.module_snapshot import read_module_snapshot
from aeron_cluster.cluster.recording_log import FILE_NAME, EntryType, RecordingLog

if TYPE_CHECKING:
    from aeron_cluster.cluster.module_snapshot import ModuleState
    from aeron_cluster.cluster.recording_log import Entry
    from aeron_cluster.memory.seams import Files

__all__ = ["read_log", "read_log_start", "read_module_snapshots", "read_snapshots"]


def read_log(files: Files, directory: str, limit: int) -> list[tuple[int, bytes]]:
    """Return the messages of a member's log, and where each ends.

    Parameters
    ----------
    files : Files
    directory : str
        The member's, with ``archive`` and ``cluster`` in it.
    limit : int
        What ends behind this position, in bytes, is left out: the commit position, as a rule.
    """
    if limit < 0:
        return []
    terms = [each for each in _entries(files, directory) if each.entry_type is EntryType.TERM]
    if not terms:
        return []
    return [
        (position, data)
        for data, position in _read(files, directory, terms[-1].recording_id)
        if position <= limit
    ]


def read_snapshots(files: Files, directory: str) -> list[tuple[int, int, bytes]]:
    """Return the valid snapshots of a member's services: position, service id, content."""
    return [
        (
            each.log_position,
            each.service_id,
            b"".join(data for data, _ in _read(files, directory, each.recording_id)),
        )
        for each in _entries(files, directory)
        if each.entry_type is EntryType.SNAPSHOT and each.is_valid and each.service_id >= 0
    ]


def read_module_snapshots(files: Files, directory: str) -> list[tuple[int, ModuleState]]:
    """Return the valid snapshots of a member's consensus module, and their positions."""
    return [
        (
            each.log_position,
            read_module_snapshot(files, f"{directory}/archive", each.recording_id),
        )
        for each in _entries(files, directory)
        if each.entry_type is EntryType.SNAPSHOT and each.is_valid and each.service_id < 0
    ]


def read_log_start(files: Files, directory: str) -> int:
    """Return where a member's log begins: behind what was purged; 0 where there is none."""
    terms = [each for each in _entries(files, directory) if each.entry_type is EntryType.TERM]
    if not terms:
        return 0
    with Catalog(files, f"{directory}/archive", writable=False) as catalog:
        if terms[-1].recording_id not in catalog:
            return 0
        return int(catalog.get(terms[-1].recording_id).descriptor.start_position)


def _entries(files: Files, directory: str) -> tuple[Entry, ...]:
    cluster_dir = f"{directory}/cluster"
    if not files.is_file(f"{cluster_dir}/{FILE_NAME}"):
        return ()
    with RecordingLog(files, cluster_dir, writable=False) as recording_log:
        return tuple(recording_log.entries)


def _read(files: Files, directory: str, recording_id: int) -> list[tuple[bytes, int]]:
    archive_dir = f"{directory}/archive"
    with Catalog(files, archive_dir, writable=False) as catalog:
        if recording_id not in catalog:
            return []
        return list(read_recording(files, archive_dir, catalog.get(recording_id).descriptor))
