"""The recovery plan of a member, and the content of its latest snapshot.

Upstream: ``recoveryPlan`` and ``describeLatestConsensusModuleSnapshot`` of ClusterToolOperator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.state.module_snapshot import ModuleSnapshotReader
from aeron_cluster.cluster.state.recording_log import CONSENSUS_MODULE_SERVICE_ID
from aeron_cluster.cluster.state.recovery_plan import plan_recovery
from aeron_cluster.cluster.tools.archive_access import open_archive
from aeron_cluster.errors import CorruptError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cluster.state.module_snapshot import ModuleState
    from aeron_cluster.cluster.state.recording_log import Entry
    from aeron_cluster.cluster.state.recovery_plan import RecoveryPlan
    from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory

__all__ = [
    "ModuleSnapshot",
    "find_latest_snapshot",
    "find_service_count",
    "read_latest_snapshot",
    "read_recovery_plan",
]


def find_service_count(directory: ClusterDirectory, entries: Sequence[Entry]) -> int:
    """Return the number of a member's services, from its directory."""
    component = directory.component() if directory.has_component else None
    containers = [each.header.service_id for each in directory.services(component)]
    of_snapshots = [each.service_id for each in entries if each.is_valid_snapshot]
    return max([*containers, *of_snapshots], default=0) + 1


def read_recovery_plan(
    directory: ClusterDirectory, service_count: int | None = None, archive_dir: str | None = None
) -> RecoveryPlan:
    """Return the recovery plan of a member.

    Parameters
    ----------
    directory : ClusterDirectory
    service_count : int, optional
        By default the result of `find_service_count`.
    archive_dir : str, optional
        As for `open_archive`.

    Raises
    ------
    StateError
        The recording log begins in the middle of a set of snapshots, or the archive lacks the
        log's recording.
    Exception
        As `open_archive`, and `ClusterDirectory.open_recording_log`.
    """
    with directory.open_recording_log() as log:
        count = (
            find_service_count(directory, log.entries) if service_count is None else service_count
        )
        sources = plan_recovery(log, count)
    if sources.log_recording_id == NULL_VALUE:
        return sources.with_log(None)
    with open_archive(directory, archive_dir) as archive:
        return sources.with_log(archive.find(sources.log_recording_id))


def find_latest_snapshot(entries: Sequence[Entry]) -> Entry | None:
    """Return the consensus module's entry of the latest valid snapshot, or None."""
    for entry in reversed(entries):
        if entry.is_valid_snapshot and entry.service_id == CONSENSUS_MODULE_SERVICE_ID:
            return entry
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleSnapshot:
    """A snapshot of a consensus module.

    Parameters
    ----------
    entry : Entry
        The recording log's entry.
    state : ModuleState
    messages : tuple of bytes and int
        The raw messages, each with the position after it.
    length : int
        Its length in the recording, in bytes.
    term_buffer_length : int
        The term length of the recording, in bytes.
    """

    entry: Entry
    state: ModuleState
    messages: tuple[tuple[bytes, int], ...]
    length: int
    term_buffer_length: int


def read_latest_snapshot(
    directory: ClusterDirectory, archive_dir: str | None = None
) -> ModuleSnapshot | None:
    """Read the consensus module's part of the latest valid snapshot, or return None.

    Parameters
    ----------
    directory : ClusterDirectory
    archive_dir : str, optional
        As for `open_archive`.

    Raises
    ------
    CorruptError
        The archive lacks its recording, or it is not a complete snapshot of a consensus module.
    Exception
        As `open_archive`, and `ClusterDirectory.open_recording_log`.
    """
    with directory.open_recording_log() as log:
        entry = find_latest_snapshot(log.entries)
    if entry is None:
        return None
    what = f"snapshot at {entry.log_position}, recording {entry.recording_id}"
    with open_archive(directory, archive_dir) as archive:
        descriptor = archive.find(entry.recording_id)
        if descriptor is None:
            raise CorruptError(what, 0, "recording", "in the archive", "none")
        reader = ModuleSnapshotReader(what)
        messages: list[tuple[bytes, int]] = []
        position = descriptor.start_position
        for message, position in archive.messages(entry.recording_id):
            messages.append((message, position))
            if reader.on_message(message, position):
                return ModuleSnapshot(
                    entry=entry,
                    state=reader.state,
                    messages=tuple(messages),
                    length=position,
                    term_buffer_length=descriptor.term_buffer_length,
                )
    raise CorruptError(what, position, "end", "after the mark END", "before it")
