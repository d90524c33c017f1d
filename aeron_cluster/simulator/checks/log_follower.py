"""The committed log, read into the plain model while it grows, from whichever member has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.simulator.checks.member_disk import find_log
from aeron_cluster.simulator.checks.plain_disk import read_messages
from aeron_cluster.simulator.checks.unsynced_data import may_lose_what_is_committed
from aeron_cluster.simulator.members.extension_calls import EXTENSION_SCHEMA
from aeron_cluster.simulator.model.plain_cluster import NO_EXTENSION, PlainCluster
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.simulator.checks.disk_copies import DiskCopies
    from aeron_cluster.simulator.checks.plain_disk import PlainRecording
    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.world.memory_files import MemoryFiles

__all__ = ["LogFollower"]

_ARCHIVE: Final = f"{DIRECTORY}/archive"


class LogFollower:
    """Reads what was committed since the last time.

    Parameters
    ----------
    disks : DiskCopies

    Attributes
    ----------
    messages : dict of int to bytes
        What was read, by the position after it.
    model : PlainCluster or None
        None before there is anything, and once it is lost.
    lost : str
        Why there is no model any more: ``purge``, when a part of the log was purged from all
        members unread, or ``power loss``, when what was committed may be lost. Empty otherwise.
    """

    def __init__(self, disks: DiskCopies) -> None:
        self.messages: dict[int, bytes] = {}
        self.model: PlainCluster | None = None
        self.lost = ""
        self._disks = disks

    def follow(self, cluster: Cluster) -> None:
        """Read what was committed since the last time."""
        if not cluster.is_joined or self.lost:
            return
        if may_lose_what_is_committed(cluster):
            self._lose("power loss")
            return
        begin = 0 if self.model is None else self.model.position
        ahead = [(each.commit_position, each) for each in cluster.members]
        is_purged = False
        for limit, member in sorted(ahead, key=lambda each: -each[0]):
            disk = self._disks.of(member) if limit > begin else None
            log = None if disk is None else find_log(disk, DIRECTORY)
            if disk is None or log is None:
                continue
            if log.start_position <= begin:
                if self.model is None:
                    schema = NO_EXTENSION if cluster.extensions is None else EXTENSION_SCHEMA
                    self.model = PlainCluster(len(cluster.members), schema)
                self._read(self.model, disk, log, limit)
                return
            is_purged = True
        if is_purged:
            self._lose("purge")

    def _lose(self, reason: str) -> None:
        self.model, self.lost = None, reason
        self.messages.clear()

    def _read(
        self, model: PlainCluster, disk: MemoryFiles, log: PlainRecording, limit: int
    ) -> None:
        for data, position in read_messages(disk, _ARCHIVE, log, model.position):
            if position > limit:
                break
            model.apply(data, position)
            self.messages[position] = data
