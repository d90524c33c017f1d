"""Old snapshots and the log before them, removed from this member's archive.

No counterpart in Aeron. Each member purges its own archive, as leader or follower; `purge_rule`
computes how far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.waiting import list_recording, list_recordings, send_request
from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.cluster.snapshots.purge_rule import LogExtent, purge_position
from aeron_cluster.cluster.state.recording_log import EntryType
from aeron_cluster.codecs.archive import PurgeRecordingRequest, PurgeSegmentsRequest
from aeron_cluster.errors import (
    AeronClusterError,
    AgentTerminationError,
    ArchiveError,
    ClusterError,
    InsufficientSpaceError,
)
from aeron_cluster.memory.agents.waiting import Task, Waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.client.counter import Counter
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.log.log_recording import LogRecording
    from aeron_cluster.cluster.snapshots.peer_snapshots import PeerSnapshots
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.cluster.state.recording_log import Entry, RecordingLog

__all__ = ["LogPurge"]

_CHECK_INTERVAL_NS: Final = 10_000_000_000
# The interval of checks for an answer, which is not urgent.
_STEP_INTERVAL_NS: Final = 10_000_000
_RECORDINGS_A_PAGE: Final = 1000


class LogPurge:
    """Purges old snapshots, and the log before the remaining ones, periodically.

    Parameters
    ----------
    context : ConsensusModuleContext
    archive : AeronArchive
    counters : ModuleCounters
    recording : LogRecording
    recording_log : RecordingLog
    kept : int
        The number of snapshots to keep.
    peer_snapshots : PeerSnapshots
        The snapshots of the other members.
    counter : Counter
        Set to the start position of the log, in bytes; -1 before it is known.
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        archive: AeronArchive,
        counters: ModuleCounters,
        recording: LogRecording,
        recording_log: RecordingLog,
        kept: int,
        peer_snapshots: PeerSnapshots,
        counter: Counter,
    ) -> None:
        self._context = context
        self._archive = archive
        self._counters = counters
        self._recording = recording
        self._recording_log = recording_log
        self._kept = kept
        self._peer_snapshots = peer_snapshots
        self._counter = counter
        self._task: Task[None] | None = None
        self._next_ns = 0
        # Recordings of the snapshots that this process dropped.
        self._dropped: set[int] = set()
        # The position of the newest snapshot for which everything was done.
        self._done_position = -1
        self._reported: frozenset[str] = frozenset()
        counter.set(-1)

    def next_deadline_ns(self) -> int:
        """Return when `do_work` is due."""
        return self._next_ns

    def do_work(self, now_ns: int) -> int:
        """Continue, while no election runs."""
        if now_ns < self._next_ns:
            return 0
        if self._task is None:
            self._task = Task(self._purge())
        work_count = 0
        try:
            work_count = self._task.do_work()
        except (AgentTerminationError, InsufficientSpaceError):
            raise
        except AeronClusterError as error:
            self._context.error_handler(error)
        if self._task.is_done:
            self._task = None
        self._next_ns = now_ns + (_CHECK_INTERVAL_NS if self._task is None else _STEP_INTERVAL_NS)
        return work_count

    def close(self) -> None:
        """Cancel a purge in progress. Calling it again does nothing."""
        if self._task is not None:
            self._task.close()
            self._task = None

    # ---- checks ----

    def _purge(self) -> Waiting[None]:
        """Drop snapshots beyond those to keep, and purge their recordings and the log."""
        # Repeated if a snapshot was taken or invalidated meanwhile. If this were left to the next
        # check, snapshots at the same rhythm as the checks could prevent every purge.
        newest: Sequence[tuple[Entry, ...]] = ()
        while not newest or self._find_snapshots()[-self._kept :] != newest:
            newest = self._find_snapshots()[-self._kept :]
            if len(newest) < self._kept or newest[-1][-1].log_position == self._done_position:
                return
            for entries in newest:
                if not (yield from self._is_in_archive(entries)):
                    return
        oldest, latest = newest[0][-1].log_position, newest[-1][-1].log_position
        self._drop_older(oldest)
        are_gone = yield from self._purge_snapshots(oldest)
        if (yield from self._purge_log(oldest)) and are_gone:
            self._done_position = latest

    def _find_snapshots(self) -> list[tuple[Entry, ...]]:
        """Return the snapshots to recover from, by position; of one position the last.

        The result is only valid until the next wait: snapshots may be invalidated.
        """
        service_count = int(self._context.options.service_count)
        sets = self._recording_log.find_snapshots(service_count)
        return [each for _, each in sorted({each[-1].log_position: each for each in sets}.items())]

    def _is_in_archive(self, entries: Sequence[Entry]) -> Waiting[bool]:
        """Return whether the archive has a snapshot of the recording log."""
        for entry in entries:
            found = yield from list_recording(self._archive, entry.recording_id)
            if found is None:
                return False
        return True

    def _drop_older(self, position: int) -> None:
        """Drop older snapshots from the recording log; their recordings may remain for now."""
        log = self._recording_log
        old = [
            entry
            for entry in log.entries
            if entry.is_valid_snapshot and entry.log_position < position
        ]
        for entry in reversed(old):
            log.invalidate(entry)
            self._dropped.add(entry.recording_id)

    def _purge_snapshots(self, position: int) -> Waiting[bool]:
        """Purge the recordings of dropped snapshots, except those that are being copied.

        Returns
        -------
        bool
            Whether all are purged.
        """
        are_gone = True
        for recording_id in (yield from self._find_dropped(position)):
            try:
                yield from send_request(
                    self._archive, PurgeRecordingRequest, recording_id=recording_id
                )
            except ArchiveError as error:
                if error.code == ArchiveErrorCode.ACTIVE_RECORDING:
                    are_gone = False  # it is being copied
                elif error.code != ArchiveErrorCode.UNKNOWN_RECORDING:
                    raise
        return are_gone

    def _find_dropped(self, position: int) -> Waiting[list[int]]:
        """Return the recordings of older invalid snapshots that the archive still has.

        They may have been dropped by an earlier process, which was killed before it purged them.
        An id of such an old entry can belong to another recording by now, in an archive that was
        replaced, so it must have the stream of snapshots.
        """
        stream_id = self._context.options.snapshot_stream_id
        entries = self._recording_log.entries
        # Recordings of standby snapshots are in another archive.
        needed = {
            entry.recording_id
            for entry in entries
            if entry.is_valid and entry.entry_type is not EntryType.STANDBY_SNAPSHOT
        }
        dropped = {
            entry.recording_id
            for entry in entries
            if entry.entry_type is EntryType.SNAPSHOT
            and not entry.is_valid
            and entry.log_position < position
        }
        dropped -= needed
        found: list[int] = []
        next_id, last_id = min(dropped, default=0), max(dropped, default=NULL_VALUE)
        while next_id <= last_id:
            page = yield from list_recordings(self._archive, next_id, _RECORDINGS_A_PAGE)
            found += [
                each.recording_id
                for each in page
                if each.recording_id in dropped
                and (each.recording_id in self._dropped or each.stream_id == stream_id)
            ]
            next_id = page[-1].recording_id + 1 if page else last_id + 1
        return found

    def _purge_log(self, oldest: int) -> Waiting[bool]:
        """Purge as far as allowed; return whether only this member's snapshots limited it.

        However many snapshots are taken meanwhile, the log after the oldest remaining one is kept.
        """
        recording_id = self._recording.recording_id
        descriptor = yield from list_recording(self._archive, recording_id)
        if descriptor is None:
            raise ClusterError(f"recording {recording_id} of the log: unknown to its archive")
        extent = LogExtent(
            start_position=descriptor.start_position,
            end_position=self._counters.commit_position.get(),
            term_buffer_length=descriptor.term_buffer_length,
            segment_file_length=descriptor.segment_file_length,
        )
        self._counter.set(extent.start_position)
        wanted = purge_position(extent, self._positions(), self._kept, (oldest,))
        if wanted == extent.start_position:
            return True
        positions = yield from self._peer_snapshots.query_all()
        needed = (oldest, *positions.values())
        position = purge_position(extent, self._positions(), self._kept, needed)
        self._report({name: each for name, each in positions.items() if each < wanted}, wanted)
        if position > extent.start_position:
            try:
                yield from send_request(
                    self._archive,
                    PurgeSegmentsRequest,
                    recording_id=recording_id,
                    new_start_position=position,
                )
            except ArchiveError as error:
                if "replay in progress" not in error.message:
                    raise
                return False  # it is being read
            self._counter.set(position)
        return position == wanted

    def _positions(self) -> list[int]:
        return [each[-1].log_position for each in self._find_snapshots()]

    def _report(self, lagging: dict[str, int], wanted: int) -> None:
        """Report once which members prevent the purge."""
        if lagging and frozenset(lagging) != self._reported:
            waiting_for = ", ".join(
                f"{name} has a snapshot at {position}" if position >= 0 else f"{name}: no answer"
                for name, position in lagging.items()
            )
            self._context.error_handler(
                ClusterError(
                    f"the log before {wanted} is kept, since it may be needed: {waiting_for}"
                )
            )
        self._reported = frozenset(lagging)
