"""The invariants of backups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskChecker
from aeron_cluster.simulator.checks.member_disk import (
    is_log_missing,
    read_log,
    read_log_start,
    read_snapshots,
)
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster, Member

__all__ = ["BackupsArePrefixes"]

_S: Final = 1_000_000_000
_ALL: Final = 2**63 - 1


class BackupsArePrefixes(DiskChecker):
    """A backup's log is a prefix of the committed log; its snapshots are the members'.

    Parameters
    ----------
    interval_ns : int
        The interval at which disks are read while the cluster runs, in ns: reading is slow.
    """

    def __init__(self, interval_ns: int = 10 * _S) -> None:
        super().__init__()
        self._interval_ns = interval_ns
        self._next_ns = 0
        # All messages seen so far: members purge old ones.
        self._committed: dict[int, bytes] = {}
        self._snapshots: dict[tuple[int, int], bytes] = {}

    def check(self, cluster: Cluster) -> None:
        """Check what must hold at all times."""
        if cluster.backups and cluster.now_ns >= self._next_ns:
            self._next_ns = cluster.now_ns + self._interval_ns
            self.conclude(cluster)

    def conclude(self, cluster: Cluster) -> None:
        """Check now."""
        furthest = max(cluster.members, key=lambda each: each.commit_position)
        limit = furthest.commit_position
        if not cluster.backups or limit < 0:
            return
        log_start, first_snapshot = self._learn(cluster, furthest, limit)
        # Messages that members purged between two checks are not compared. Those after the limit
        # are compared at the next check: a leader that has ended may have sent a backup a later
        # commit position.
        for backup in cluster.backups:
            disk = self._disks.of(backup)
            if disk is None:
                continue
            for position, data in read_log(disk, DIRECTORY, _ALL):
                if log_start < position <= limit and self._committed.get(position) != data:
                    raise InvariantError(
                        "a backup is a prefix",
                        f"{backup} has {data[:40].hex()} before {position}; {limit} is committed",
                    )
            for position, service_id, data in read_snapshots(disk, DIRECTORY):
                known = self._snapshots.get((position, service_id))
                if known != data and (known is not None or position >= first_snapshot):
                    raise InvariantError(
                        "a backup's snapshots are the members'",
                        f"{backup}, service {service_id} at {position}",
                    )

    def _learn(self, cluster: Cluster, furthest: Member, limit: int) -> tuple[int, int]:
        """Record the members' committed messages and snapshots.

        Returns
        -------
        tuple of int
            The start of the most advanced member's log, and the position from which no member has
            removed snapshots. A lagging member may have older snapshots than the others still have.
        """
        log_start, first_snapshots = 0, []
        for member in cluster.members:
            disk = self._disks.of(member)
            if disk is None or is_log_missing(disk):
                continue
            if member is furthest:
                self._committed.update(read_log(disk, DIRECTORY, limit))
                log_start = read_log_start(disk, DIRECTORY)
            if self.with_snapshots(cluster, member) is None:
                first_snapshots.append(_ALL)  # it may have any
                continue
            # A recording log may name snapshots that its archive lacks: an older one, for a while.
            snapshots = [each for each in read_snapshots(disk, DIRECTORY) if each[2]]
            self._snapshots |= {(position, service): data for position, service, data in snapshots}
            if snapshots:
                first_snapshots.append(min(position for position, _, _ in snapshots))
        return log_start, max(first_snapshots, default=_ALL)
