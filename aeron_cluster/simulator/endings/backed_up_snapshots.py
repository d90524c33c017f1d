"""Backups have the latest snapshot of the cluster, from which a member would be restored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.simulator.checks.member_disk import read_snapshot_sets
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.world.memory_files import MemoryFiles

__all__ = ["are_snapshots_backed_up"]


def are_snapshots_backed_up(cluster: Cluster) -> bool:
    """Return whether all backups have a snapshot that is as late as that of every member.

    A member that failed to take the latest one answers a backup with the one before it.
    """
    if not cluster.backups:
        return True
    position = min(_latest_position(each.machine.files) for each in cluster.members)
    return all(_latest_position(each.machine.files) >= position for each in cluster.backups)


def _latest_position(files: MemoryFiles) -> int:
    """Return the position of the latest complete snapshot on a disk; 0 without one."""
    if not files.is_directory(f"{DIRECTORY}/cluster"):
        return 0
    # Reading a copy has no effect on the run.
    sets = read_snapshot_sets(files.copy(DIRECTORY), DIRECTORY)
    return sets[-1][-1].log_position if sets else 0
