"""The invariants of backups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskChecker
from aeron_cluster.simulator.checks.member_disk import (
    read_log,
    read_log_start,
    read_snapshots,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.simulator.cluster import Cluster, Member

__all__ = ["BackupsArePrefixes"]

_DIRECTORY: Final = "/data"
_S: Final = 1_000_000_000
_ALL: Final = 2**63 - 1


class BackupsArePrefixes(DiskChecker):
    """What a backup has of the log is committed, byte for byte; its snapshots are the members'.

    Parameters
    ----------
    interval_ns : int
        How often disks are read while the cluster runs, in ns: that takes its time.
    """

    def __init__(self, interval_ns: int = 10 * _S) -> None:
        super().__init__()
        self._interval_ns = interval_ns
        self._next_ns = 0
        # Of all that was seen: members forget what is old.
        self._committed: dict[int, bytes] = {}
        self._taken: dict[tuple[int, int], bytes] = {}

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
        log_start, first_snapshot = self._learn(cluster.members, furthest, limit)
        # What members forgot between two checks is compared with nothing, and what is behind the
        # limit at the next look: a leader that has ended may have sent a later one to a backup.
        for backup in cluster.backups:
            disk = self._disks.of(backup)
            if disk is None:
                continue
            for position, data in read_log(disk, _DIRECTORY, _ALL):
                if log_start < position <= limit and self._committed.get(position) != data:
                    raise InvariantError(
                        "a backup is a prefix",
                        f"{backup} has {data[:40].hex()} before {position}; {limit} is committed",
                    )
            for position, service_id, data in read_snapshots(disk, _DIRECTORY):
                known = self._taken.get((position, service_id))
                if known != data and (known is not None or position >= first_snapshot):
                    raise InvariantError(
                        "a backup's snapshots are the members'",
                        f"{backup}, service {service_id} at {position}",
                    )

    def _learn(self, members: Sequence[Member], furthest: Member, limit: int) -> tuple[int, int]:
        """Take what members have.

        Returns
        -------
        tuple of int
            Where the log of the one that has most begins; the position of a snapshot from which on
            no member has removed one. One that lags has older snapshots than those that the others
            removed.
        """
        log_start, first_snapshots = 0, []
        for member in members:
            disk = self._disks.of(member)
            if disk is None:
                continue
            snapshots = read_snapshots(disk, _DIRECTORY)
            self._taken |= {(position, service): data for position, service, data in snapshots}
            if snapshots:
                first_snapshots.append(min(position for position, _, _ in snapshots))
            if member is furthest:
                self._committed.update(read_log(disk, _DIRECTORY, limit))
                log_start = read_log_start(disk, _DIRECTORY)
        return log_start, max(first_snapshots, default=_ALL)
