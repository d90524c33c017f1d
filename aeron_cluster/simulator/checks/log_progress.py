"""The members' logs compared with what was read of the committed one, one member after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.member_disk import find_log
from aeron_cluster.simulator.checks.plain_disk import read_messages
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.simulator.checks.disk_copies import DiskCopies
    from aeron_cluster.simulator.cluster import Cluster

__all__ = ["LogProgress"]

_ARCHIVE: Final = f"{DIRECTORY}/archive"
_SHOWN: Final = 40


class LogProgress:
    """Compares one member's log with the committed one in each step, from where it was before.

    Parameters
    ----------
    disks : DiskCopies
    """

    def __init__(self, disks: DiskCopies) -> None:
        self._disks = disks
        self._positions: dict[int, int] = {}  # by member: the end of what was compared
        self._next = 0

    def check(self, cluster: Cluster, messages: Mapping[int, bytes], limit: int) -> None:
        """Compare what the next member has, as far as it has committed that.

        Parameters
        ----------
        cluster : Cluster
        messages : mapping of int to bytes
            The committed ones, by the position after each.
        limit : int
            The end of these.

        Raises
        ------
        InvariantError
            It has another one.
        """
        member = cluster.members[self._next]
        self._next = (self._next + 1) % len(cluster.members)
        begin = self._positions.get(member.member_id, 0)
        end = min(limit, member.commit_position)
        disk = self._disks.of(member) if end > begin else None
        log = None if disk is None else find_log(disk, DIRECTORY)
        if disk is None or log is None:
            return
        for data, position in read_messages(disk, _ARCHIVE, log, begin):
            if position > end:
                break
            if messages.get(position) != data:
                known = messages.get(position, b"")
                raise InvariantError(
                    "committed logs are equal",
                    f"member {member.member_id} has {data[:_SHOWN].hex()} before {position},"
                    f" committed is {known[:_SHOWN].hex() or 'none'}",
                )
            self._positions[member.member_id] = position
