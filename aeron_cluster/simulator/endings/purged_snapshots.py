"""Members that keep some snapshots remove the older ones, and the log that nobody needs then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskCopies
from aeron_cluster.simulator.checks.member_disk import (
    find_log,
    read_log_start,
    read_snapshot_sets,
)
from aeron_cluster.simulator.checks.plain_disk import read_recordings
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.simulator.checks.plain_disk import PlainEntry
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["check_old_log_goes", "check_old_snapshots_go"]

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
    is_whole = _is_whole(disk, sets[-kept:])
    return [part[0].log_position for part in sets[:-kept]] if is_whole else []


def _is_whole(disk: Files, sets: list[list[PlainEntry]]) -> bool:
    """Return whether the archive has every recording of these snapshots."""
    recordings = read_recordings(disk, f"{DIRECTORY}/archive")
    return all(each.recording_id in recordings for part in sets for each in part)


def check_old_log_goes(host: RunHost, kept: int) -> None:
    """Wait until each member's log starts in the segment of the oldest snapshot that is needed.

    That is the oldest one that it keeps, or the latest one of a member or backup that is behind.

    Parameters
    ----------
    host : RunHost
    kept : int
        The number of snapshots to keep.

    Raises
    ------
    InvariantError
        A log starts before it after a minute.
    """
    host.on_step("old log is removed")
    copies = DiskCopies()
    until_ns = host.cluster.now_ns + _TIMEOUT_NS
    latest = _latest_of_all(host.cluster)
    wanted = {each: _wanted_start(copies, each, kept, latest) for each in host.cluster.members}
    for member, position in wanted.items():
        while (start := _log_start(copies, member, position)) < position:
            if host.cluster.now_ns >= until_ns:
                text = f"{member}: its log starts at {start}, expected at least {position}"
                raise InvariantError("old log is removed", text)
            host.drive_to(host.cluster.now_ns + _STEP_NS)


def _latest_of_all(cluster: Cluster) -> int:
    """Return the position up to which every member and backup has a snapshot; 0 without one."""
    disks = [each.machine.files for each in cluster.members]
    disks += [each.machine.files for each in cluster.backups]
    sets = [read_snapshot_sets(each.copy(DIRECTORY), DIRECTORY) for each in disks]
    return min((each[-1][0].log_position if each else 0 for each in sets), default=0)


def _wanted_start(copies: DiskCopies, member: Member, kept: int, latest: int) -> int:
    """Return the start of the segment with the oldest position that is needed; 0 if all is."""
    disk = copies.of(member)
    if disk is None or (log := find_log(disk, DIRECTORY)) is None:
        return 0
    sets = read_snapshot_sets(disk, DIRECTORY)[-kept:]
    if len(sets) < kept or not _is_whole(disk, sets):
        return 0
    needed = min(sets[0][0].log_position, latest)
    return needed - log.segment(needed)[1]


def _log_start(copies: DiskCopies, member: Member, otherwise: int) -> int:
    disk = copies.of(member)
    return otherwise if disk is None else read_log_start(disk, DIRECTORY)
