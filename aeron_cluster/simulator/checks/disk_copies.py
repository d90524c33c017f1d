"""Copies of members' disks, which checkers read without an effect on the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.simulator.checks.member_disk import read_log
from aeron_cluster.simulator.checks.unsynced_data import may_lack_unsynced_data
from aeron_cluster.simulator.cluster import Checker
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.members.backup import Backup
    from aeron_cluster.simulator.world.memory_files import MemoryFiles

__all__ = ["DiskChecker", "DiskCopies"]


class DiskCopies:
    """Copies of members' and backups' disks, for several checkers that look at the same time."""

    def __init__(self) -> None:
        self._copies: dict[MemoryFiles, tuple[int, MemoryFiles]] = {}
        self._logs: dict[MemoryFiles, tuple[int, int, list[tuple[int, bytes]]]] = {}

    def of(self, member: Member | Backup) -> MemoryFiles | None:
        """Return a copy on which reading has no effect; None before there is anything."""
        files = member.machine.files
        if not files.is_directory(DIRECTORY):
            return None
        known = self._copies.get(files)
        # Each call to a disk changes its trace.
        if known is None or known[0] != files.trace:
            known = self._copies[files] = (files.trace, files.copy(DIRECTORY))
        return known[1]

    def committed_log(self, member: Member) -> list[tuple[int, bytes]]:
        """Return the messages of a member's log up to its commit position, and where each ends."""
        disk = self.of(member)
        if disk is None:
            return []
        files, limit = member.machine.files, member.commit_position
        known = self._logs.get(files)
        if known is None or known[:2] != (files.trace, limit):
            messages = read_log(disk, DIRECTORY, limit)
            known = self._logs[files] = (files.trace, limit, messages)
        return known[2]


class DiskChecker(Checker):
    """A checker of the members' disks; a base class.

    Parameters
    ----------
    disks : DiskCopies, optional
        That others look at, too.
    """

    def __init__(self, disks: DiskCopies | None = None) -> None:
        self._disks = disks or DiskCopies()

    def with_snapshots(self, cluster: Cluster, member: Member) -> MemoryFiles | None:
        """Return a copy of a disk whose snapshots are complete; None if some may be damaged.

        A loss of power without syncs damages snapshots on the disk. A member starts in spite of it
        if later ones are complete, which were compared when they were taken or copied.
        """
        return None if may_lack_unsynced_data(cluster, member) else self._disks.of(member)
