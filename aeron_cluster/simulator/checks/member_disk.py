"""The disk of a member: its log, and the snapshots of its services and its module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.simulator.checks.module_snapshots import ModuleContent, read_content
from aeron_cluster.simulator.checks.plain_disk import (
    PlainEntry,
    PlainRecording,
    read_entries,
    read_messages,
    read_recordings,
    read_standby_entries,
)
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aeron_cluster.memory.system.seams import Files

__all__ = [
    "AWAY",
    "find_log",
    "is_log_missing",
    "read_log",
    "read_log_start",
    "read_module_snapshots",
    "read_snapshot_messages",
    "read_snapshot_sets",
    "read_snapshots",
    "read_valid_entries",
    "read_valid_standby_entries",
]

AWAY: Final = ".away"
"""What a fault that takes files of a member's log for a while adds to their names."""
_MODULE: Final = -1
_PLACES_OF_LOG: Final = (
    f"{DIRECTORY}/archive",
    f"{DIRECTORY}/archive/archive.catalog",
    f"{DIRECTORY}/cluster/recording.log",
)


def is_log_missing(files: Files) -> bool:
    """Return whether a fault has taken a part of a member's log, which will be back."""
    return any(files.exists(each + AWAY) for each in _PLACES_OF_LOG)


def read_log(files: Files, directory: str, limit: int) -> list[tuple[int, bytes]]:
    """Return the messages of a member's log, with the position after each.

    Parameters
    ----------
    files : Files
    directory : str
        The member's directory, which contains ``archive`` and ``cluster``.
    limit : int
        Entries that end after this position are skipped: usually the commit position.
    """
    log = find_log(files, directory) if limit >= 0 else None
    if log is None:
        return []
    messages = read_messages(files, f"{directory}/archive", log)
    return [(position, data) for data, position in messages if position <= limit]


def read_snapshots(files: Files, directory: str) -> list[tuple[int, int, bytes]]:
    """Return the valid snapshots of a member's services: position, service id, content."""
    return [
        (each.log_position, each.service_id, b"".join(messages))
        for each, messages in read_snapshot_messages(files, directory)
        if each.service_id >= 0
    ]


def read_module_snapshots(files: Files, directory: str) -> list[tuple[int, ModuleContent]]:
    """Return the valid snapshots of a member's consensus module: position and content."""
    return [
        (each.log_position, read_content(messages))
        for each, messages in read_snapshot_messages(files, directory)
        if each.service_id == _MODULE
    ]


def read_log_start(files: Files, directory: str) -> int:
    """Return the start of a member's log, after the purged part; 0 without a log."""
    log = find_log(files, directory)
    return 0 if log is None else log.start_position


def find_log(files: Files, directory: str) -> PlainRecording | None:
    """Return the recording of a member's log."""
    terms = [each for each in read_valid_entries(files, directory) if each.is_term]
    if not terms:
        return None
    return read_recordings(files, f"{directory}/archive").get(terms[-1].recording_id)


def read_snapshot_messages(
    files: Files, directory: str, entries: Iterable[PlainEntry] | None = None
) -> list[tuple[PlainEntry, list[bytes]]]:
    """Return snapshots of a member, by default all valid ones, and the messages of each."""
    if entries is None:
        entries = read_valid_entries(files, directory)
    snapshots = [each for each in entries if not each.is_term]
    archive_dir = f"{directory}/archive"
    recordings = read_recordings(files, archive_dir) if snapshots else {}
    return [
        (
            each,
            [
                data
                for recording in (recordings.get(each.recording_id),)
                if recording is not None
                for data, _ in read_messages(files, archive_dir, recording)
            ],
        )
        for each in snapshots
    ]


def read_valid_entries(files: Files, directory: str) -> list[PlainEntry]:
    """Return the valid entries of a member's recording log."""
    return read_entries(files, f"{directory}/cluster/recording.log")


def read_valid_standby_entries(files: Files, directory: str) -> list[tuple[PlainEntry, str]]:
    """Return the snapshots of standbys in a member's recording log, each with its archive."""
    return read_standby_entries(files, f"{directory}/cluster/recording.log")


def read_snapshot_sets(files: Files, directory: str) -> list[list[PlainEntry]]:
    """Return the entries of each complete snapshot, by position: the module's entry is the last."""
    sets: dict[int, list[PlainEntry]] = {}
    for entry in read_valid_entries(files, directory):
        if not entry.is_term:
            sets.setdefault(entry.log_position, []).append(entry)
    return [
        entries
        for _, entries in sorted(sets.items())
        if any(each.service_id == _MODULE for each in entries)
    ]
