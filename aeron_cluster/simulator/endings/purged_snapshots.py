"""Members that keep some snapshots remove the older ones, once the newer ones are complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskCopies
from aeron_cluster.simulator.checks.member_disk import read_snapshot_sets
from aeron_cluster.simulator.checks.plain_disk import read_recordings
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Member
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["check_old_snapshots_go"]

_STEP_NS: Final = 200_000_000
_TIMEOUT_NS: Final = 60_000_000_000  # members check every ten seconds


def check_old_snapshots_go(host: RunHost, kept: int) -> None:
    """Wait until each member has only as many snapshots as it keeps.

    A member whose archive lacks one of those keeps all.

    Parameters
    ----------
    host : RunHost
    kept : int
        The number of snapshots to keep.

    Raises
    ------
    InvariantError
        A member has more after a minute.
    """
    host.on_step("old snapshots are removed")
    copies = DiskCopies()
    until_ns = host.cluster.now_ns + _TIMEOUT_NS
    for member in host.cluster.members:
        while extra := _old_snapshots(copies, member, kept):
            if host.cluster.now_ns >= until_ns:
                raise InvariantError("old snapshots are removed", f"{member} has {extra}")
            host.drive_to(host.cluster.now_ns + _STEP_NS)


def _old_snapshots(copies: DiskCopies, member: Member, kept: int) -> list[int]:
    """Return the positions of complete snapshots that are older than those to keep."""
    disk = copies.of(member)
    if disk is None:
        return []
    sets = read_snapshot_sets(disk, DIRECTORY)
    recordings = read_recordings(disk, f"{DIRECTORY}/archive")
    is_whole = all(each.recording_id in recordings for part in sets[-kept:] for each in part)
    return [part[0].log_position for part in sets[:-kept]] if is_whole else []
