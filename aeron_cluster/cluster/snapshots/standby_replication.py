"""Copy the newest snapshot of a standby into this member's archive.

Upstream: StandbySnapshotReplicator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.client.replication_params import ReplicationParams
from aeron_cluster.cluster.log.recording_replication import RecordingReplication
from aeron_cluster.cluster.log.replication_events import done_recorder
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import AeronClusterError, ClusterError, InsufficientSpaceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.state.recording_log import Entry, RecordingLog
    from aeron_cluster.codecs.archive import RecordingSignalEvent
    from aeron_cluster.memory.agents.waiting import Waiting

__all__ = ["StandbyReplication", "newer_snapshots"]

_CHECKS_A_TIMEOUT: Final = 10


def newer_snapshots(recording_log: RecordingLog, service_count: int) -> list[tuple[Entry, ...]]:
    """Return standby snapshots newer than this member's: newest first, then by endpoint."""
    # Only complete sets count: a copy may have been interrupted between two entries.
    own = max(
        (entries[-1].log_position for entries in recording_log.find_snapshots(service_count)),
        default=-1,
    )
    latest = recording_log.find_latest_standby_snapshots(service_count)
    newer = [entries for entries in latest.values() if entries[-1].log_position > own]
    return sorted(newer, key=lambda each: (-each[-1].log_position, each[-1].archive_endpoint))


class StandbyReplication:
    """Copies the snapshot on request, one recording after another.

    Parameters
    ----------
    context : ConsensusModuleContext
    archive : AeronArchive
        This member's archive.
    recording_log : RecordingLog
    """

    def __init__(
        self,
        context: ConsensusModuleContext,
        archive: AeronArchive,
        recording_log: RecordingLog,
    ) -> None:
        self._context = context
        self._archive = archive
        self._log = recording_log
        self._replication: RecordingReplication | None = None

    def on_signal(self, signal: RecordingSignalEvent) -> bool:
        """Handle a signal of the archive; return whether it belongs to this replication."""
        return self._replication is not None and self._replication.on_signal(signal)

    def run(self, on_copied: Callable[[], object]) -> Waiting[None]:
        """Copy the newest snapshot, and record it; failures are only reported.

        Parameters
        ----------
        on_copied : callable
            Called after a new snapshot was copied.
        """
        try:
            if (yield from self._copy_newest()):
                on_copied()
        except InsufficientSpaceError:
            raise
        except AeronClusterError as error:
            self._context.error_handler(error)

    def _copy_newest(self) -> Waiting[bool]:
        errors: dict[str, str] = {}
        candidates = newer_snapshots(self._log, self._context.options.service_count)
        for entries in candidates:
            endpoint = entries[-1].archive_endpoint
            copies = []
            try:
                for entry in entries:
                    copies.append((yield from self._copy(entry)))  # noqa: PERF401 - it yields
            except InsufficientSpaceError:
                raise
            except AeronClusterError as error:
                errors[endpoint] = str(error)
                continue
            self._invalidate_rest(entries[-1])
            for entry, copy_id in zip(entries, copies, strict=True):
                self._log.append_snapshot(
                    copy_id,
                    entry.leadership_term_id,
                    entry.term_base_log_position,
                    entry.log_position,
                    entry.timestamp,
                    entry.service_id,
                )
            return True
        if candidates:
            raise ClusterError(f"no standby's snapshot could be copied: {errors}")
        return False

    def _invalidate_rest(self, module: Entry) -> None:
        """Reuse entries that an earlier copy left."""
        for entry in self._log.entries:
            if (
                entry.is_valid_snapshot
                and entry.leadership_term_id == module.leadership_term_id
                and entry.log_position == module.log_position
            ):
                self._log.invalidate(entry)

    def _copy(self, entry: Entry) -> Waiting[int]:
        options, archive = self._context.options, self._archive
        if not options.replication_channel:
            raise ClusterError(
                "aeron.cluster.replication.channel: expected where it comes in, found none"
            )
        control = ChannelUri.parse(options.leader_archive_control_channel)
        clock = self._context.seams.clock
        timeout_ns = 2 * archive.context.message_timeout_ns
        self._replication = replication = RecordingReplication(
            archive,
            entry.recording_id,
            archive.context.control_stream_id,
            str(control.destination(entry.archive_endpoint)),
            ReplicationParams(replication_channel=str(options.replication_channel)),
            progress_timeout_ns=timeout_ns,
            progress_interval_ns=timeout_ns // _CHECKS_A_TIMEOUT,
            now_ns=clock.nano_time(),
            on_done=done_recorder(self._context, "STANDBY_SNAPSHOT"),
        )
        try:
            while not replication.is_done:
                replication.poll(clock.nano_time())
                yield
            if not replication.has_synced:
                raise ClusterError(f"the copy is not whole: {replication!r}")
            return replication.recording_id
        finally:
            replication.close()
            self._replication = None
