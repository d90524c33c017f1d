"""When recordings began and ended, as the catalogs of members and backups have it for tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskChecker
from aeron_cluster.simulator.checks.plain_disk import read_recordings
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.simulator.checks.plain_disk import PlainRecording
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.members.backup import Backup

__all__ = ["RecordingsHaveTheirTimes", "check_times"]

_NS_PER_MS: Final = 1_000_000
_UNSET: Final = -1


class RecordingsHaveTheirTimes(DiskChecker):
    """A recording began during the run, and ended after that: one that has ended has both times."""

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        owners: list[Member | Backup] = [*cluster.members, *cluster.backups]
        # A copy has the time of its source.
        if any(each.machine.has_wrong_clock for each in owners):
            return
        clocks = [each.machine.clock.epoch_nanos() for each in owners]
        begin_ms = (min(clocks) - cluster.now_ns) // _NS_PER_MS
        end_ms = max(clocks) // _NS_PER_MS
        for each in owners:
            disk = self._disks.of(each)
            is_lost = each.machine.power_loss_count and not cluster.sync_level
            if disk is None or is_lost or not disk.is_directory(f"{DIRECTORY}/archive"):
                continue
            for recording in read_recordings(disk, f"{DIRECTORY}/archive").values():
                check_times(each.machine.name, recording, begin_ms, end_ms)


def check_times(name: str, recording: PlainRecording, begin_ms: int, end_ms: int) -> None:
    """Check the times of a recording.

    Parameters
    ----------
    name : str
        Whose it is, for the error.
    recording : PlainRecording
    begin_ms, end_ms : int
        Of the run so far, in ms since 1970.

    Raises
    ------
    InvariantError
        They are outside of the run, in another order, or missing.
    """
    start, stop = recording.start_ms, recording.stop_ms
    has_ended = recording.stop_position != _UNSET
    is_right = begin_ms <= start <= end_ms and (
        start <= stop <= end_ms if has_ended else stop == _UNSET
    )
    if not is_right:
        raise InvariantError(
            "recordings have their times",
            f"{name}: {recording}, expected within {begin_ms} and {end_ms}",
        )
