"""What archives record when nothing is in progress: the log, and nothing that has ended.

A member records its log as long as it leads or follows. Each snapshot, each copy of a term and each
earlier term's log is recorded in a session of its own, with ``autoStop``: the recording's
subscription ends with that session. One that remains keeps its stream, and its key blocks the next
recording of the same one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskChecker
from aeron_cluster.simulator.checks.member_disk import find_log, is_log_missing
from aeron_cluster.simulator.checks.plain_disk import read_recordings
from aeron_cluster.simulator.members.backup import Backup, archive_of_backup
from aeron_cluster.simulator.members.standby import archive_of
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor
    from aeron_cluster.simulator.checks.plain_disk import PlainRecording
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.members.archive_operator import ArchiveOperator, RecordedStream

__all__ = ["ArchivesRecordTheLogAlone", "wrong_counters", "wrong_streams"]

_RULE: Final = "archives record the log alone"
_POSITION: Final = 100  # the type of counters of recordings' positions
_S: Final = 1_000_000_000
_ANSWER_NS: Final = 10 * _S
_STEP_NS: Final = _S // 2
_ATTEMPTS: Final = 60  # longer than the timeouts of drivers and clients of killed processes


class ArchivesRecordTheLogAlone(DiskChecker):
    """Archives of members that lead or follow, and of backups, record the log and nothing ended.

    An operator asks them over their control channel. What is wrong must stay so: a snapshot may be
    taken meanwhile.
    """

    def conclude(self, cluster: Cluster) -> None:
        """Ask each archive, at the end."""
        members = cluster.members
        if not all(each.is_running and not is_log_missing(each.machine.files) for each in members):
            return
        operator = cluster.add_archive_operator()
        try:
            for member in members:
                self._check(cluster, operator, member, archive_of(member))
            for backup in cluster.backups:
                if backup.process.is_running:
                    self._check(cluster, operator, backup, archive_of_backup(backup))
        finally:
            operator.close()

    def _check(
        self, cluster: Cluster, operator: ArchiveOperator, member: Member | Backup, endpoint: str
    ) -> None:
        wrong: list[str] = []
        for attempt in range(_ATTEMPTS):
            if attempt:
                cluster.run_for(_STEP_NS)
            operator.ask(endpoint)
            cluster.run_until(lambda: operator.poll() is not None, timeout_ns=_ANSWER_NS)
            found = self._wrong(member, operator.poll() or [])
            wrong = [each for each in found if each in wrong or not attempt]
            if not wrong:
                return
        raise InvariantError(_RULE, f"{member}: {', '.join(wrong)}")

    def _wrong(self, member: Member | Backup, streams: Sequence[RecordedStream]) -> list[str]:
        disk = self._disks.of(member)
        log = None if disk is None else find_log(disk, DIRECTORY)
        if disk is None or log is None:
            return []
        recordings = read_recordings(disk, f"{DIRECTORY}/archive")
        if isinstance(member, Backup):
            # It records while a member answers it.
            return wrong_streams(streams, log, recordings.values(), is_recorded=False)
        wrong = wrong_streams(streams, log, recordings.values(), is_recorded=True)
        return wrong + wrong_counters(member.driver_counters(_POSITION), recordings)


def wrong_streams(
    streams: Sequence[RecordedStream],
    log: PlainRecording,
    recordings: Iterable[PlainRecording],
    *,
    is_recorded: bool,
) -> list[str]:
    """Return what is wrong with the recording subscriptions of an archive, in words.

    A recording that was requested and never began is no fault: its requester may have ended before,
    and an archive cannot know that.

    Parameters
    ----------
    streams : sequence of RecordedStream
        The subscriptions.
    log : PlainRecording
        The recording of the log.
    recordings : iterable of PlainRecording
        All in the catalog.
    is_recorded : bool
        Whether the log must be recorded.
    """
    of_log = (log.stream_id, log.session_id)
    began = {(each.stream_id, each.session_id) for each in recordings}
    found = [(each.stream_id, each.session_id) for each in streams]
    wrong = [
        f"{each.channel} of stream {each.stream_id} is still requested"
        for each, key in zip(streams, found, strict=True)
        if key != of_log and (key in began or each.session_id is None)
    ]
    count = found.count(of_log)
    if count > 1 or (is_recorded and not count):
        wrong.append(f"{count} subscriptions of the log's session {log.session_id}")
    return wrong


def wrong_counters(
    counters: Iterable[CounterDescriptor], recordings: Mapping[int, PlainRecording]
) -> list[str]:
    """Return which positions of recordings are still counted, though these have ended, in words.

    Parameters
    ----------
    counters : iterable of CounterDescriptor
        Those of recordings' positions.
    recordings : mapping of int to PlainRecording
        All in the catalog, by id.
    """
    ids = [int.from_bytes(each.key[:8], "little") for each in counters]
    return [
        f"the position of recording {each} is still counted"
        for each in ids
        if each in recordings and recordings[each].stop_position >= 0
    ]
