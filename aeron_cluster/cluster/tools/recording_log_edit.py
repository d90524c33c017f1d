"""Repair the recording log of a stopped member.

Upstream: the editing part of ClusterToolOperator.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.state.recording_log import (
    CONSENSUS_MODULE_SERVICE_ID,
    FILE_NAME,
    Entry,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory

__all__ = [
    "find_seed",
    "invalidate_latest_snapshot",
    "seed_recording_log_from_snapshot",
    "sort_recording_log",
]

BACKUP_NAME: Final = f"{FILE_NAME}.bak"


def sort_recording_log(directory: ClusterDirectory) -> bool:
    """Write the entries in the order in which members keep them in memory.

    Invalid entries stay invalid: upstream's tool makes them valid again.

    Returns
    -------
    bool
        False if they are already in that order; then nothing is written.

    Raises
    ------
    DirectoryInUseError
        The member is running, and would continue to write at the old offsets.
    MissingFileError, CorruptError
        There is no recording log, or it is damaged.
    """
    directory.check_not_in_use()
    with directory.open_recording_log() as log:
        entries = log.entries
    if [entry.entry_index for entry in entries] == list(range(len(entries))):
        return False
    _write(directory, entries)
    return True


def find_seed(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the entries to seed a log with: the latest valid snapshot, moved to position 0.

    Parameters
    ----------
    entries : sequence of Entry
        The entries of a recording log, in its order.

    Returns
    -------
    tuple of Entry
        The services' entries from the highest id down, then the consensus module's; empty without a
        valid snapshot.
    """
    found: list[Entry] = []
    for entry in reversed(entries):
        if not entry.is_valid_snapshot or (found and _place(entry) != _place(found[0])):
            continue
        # Others of this snapshot are of a first attempt, which was interrupted.
        if entry.service_id == len(found) - 1:
            assert entry.service_id >= CONSENSUS_MODULE_SERVICE_ID
            found.append(entry)
    return tuple(
        replace(entry, term_base_log_position=0, log_position=0) for entry in reversed(found)
    )


def _place(entry: Entry) -> tuple[int, int]:
    return entry.leadership_term_id, entry.log_position


def seed_recording_log_from_snapshot(directory: ClusterDirectory) -> tuple[Entry, ...]:
    """Keep only the latest valid snapshot, for a cluster that begins a new log with it.

    The old file is kept as ``recording.log.bak``. Without a valid snapshot the recording log is
    removed, and the member starts with an empty log.

    Returns
    -------
    tuple of Entry
        As for `find_seed`.

    Raises
    ------
    DirectoryInUseError
        The member is running.
    MissingFileError, CorruptError
        There is no recording log, or it is damaged.
    """
    directory.check_not_in_use()
    with directory.open_recording_log() as log:
        seed = find_seed(log.entries)
    files = directory.seams.files
    path = f"{directory.path}/{FILE_NAME}"
    files.replace(f"{directory.path}/{BACKUP_NAME}", files.read(path))
    if seed:
        _write(directory, seed)
    else:
        files.remove(path)
        files.sync_directory(directory.path)
    return seed


def invalidate_latest_snapshot(directory: ClusterDirectory) -> int | None:
    """Invalidate the latest snapshot, so that the member recovers from the previous one.

    A running member is affected at its next start.

    Returns
    -------
    int or None
        The log position of the snapshot, in bytes; None if there is no valid one.

    Raises
    ------
    MissingFileError, CorruptError
        There is no recording log, or it is damaged.
    StateError
        The snapshot's term is unknown.
    """
    with directory.open_recording_log(writable=True) as log:
        before = {entry.entry_index: entry for entry in log.entries}
        if not log.invalidate_latest_snapshot():
            return None
        changed = [
            entry for entry in log.entries if entry.is_valid != before[entry.entry_index].is_valid
        ]
    return max(entry.log_position for entry in changed)


def _write(directory: ClusterDirectory, entries: Sequence[Entry]) -> None:
    data = b"".join(entry.encode() for entry in entries)
    directory.seams.files.replace(f"{directory.path}/{FILE_NAME}", data)
