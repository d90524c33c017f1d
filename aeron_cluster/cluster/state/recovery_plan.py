"""The recovery plan of a member: a snapshot, and the part of the log after it.

Upstream: RecordingLog.RecoveryPlan. The recording log selects the snapshot and the recording; the
archive has the extent of the recording:

>>> sources = plan_recovery(recording_log, service_count)
>>> if sources.log_recording_id != NULL_VALUE:
...     descriptor = yield from list_recording(archive, sources.log_recording_id)
>>> plan = sources.with_log(descriptor)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aeron_cluster.cluster.members.members import NULL_VALUE
from aeron_cluster.errors import PurgedLogError, StateError

if TYPE_CHECKING:
    from aeron_cluster.cluster.state.recording_log import Entry, RecordingLog
    from aeron_cluster.codecs.archive import RecordingDescriptor

__all__ = ["RecordedLog", "RecoveryPlan", "RecoverySources", "plan_recovery"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedLog:
    """The recording of the log.

    Parameters
    ----------
    recording_id : int
    leadership_term_id : int
        The last term in the recording log; -1 for a log that was just replicated.
    term_base_log_position : int
        The base position of that term, in bytes.
    log_position : int
        The end position of that term; -1 while it is open.
    start_position : int
        The position of the replay: the snapshot's, or the start of the recording.
    recording_start_position : int
        The start position of the recording.
    stop_position : int
        The stop position of the recording; -1 while it is active.
    initial_term_id, term_buffer_length, mtu_length, session_id : int
        Properties of the recorded stream; lengths in bytes.
    """

    recording_id: int
    leadership_term_id: int
    term_base_log_position: int
    log_position: int
    start_position: int
    recording_start_position: int
    stop_position: int
    initial_term_id: int
    term_buffer_length: int
    mtu_length: int
    session_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryPlan:
    """The state from which a member recovers.

    Parameters
    ----------
    last_leadership_term_id : int
        The term of the log's last entry; -1 for a new member.
    last_term_base_log_position : int
        The base position of that term, in bytes.
    appended_log_position : int
        The end of the member's own log; -1 while it is being recorded.
    committed_log_position : int
        The position up to which it is known to be committed.
    snapshots : tuple of Entry
        The consensus module's, then service 0's, 1's and so on; empty without a snapshot.
    log : RecordedLog, optional
    """

    last_leadership_term_id: int
    last_term_base_log_position: int
    appended_log_position: int
    committed_log_position: int
    snapshots: tuple[Entry, ...]
    log: RecordedLog | None

    @property
    def snapshot(self) -> Entry | None:
        """The consensus module's snapshot."""
        return self.snapshots[0] if self.snapshots else None

    @property
    def snapshot_position(self) -> int:
        """The position of the snapshot, in bytes of the log; 0 without one."""
        return self.snapshots[0].log_position if self.snapshots else 0

    @property
    def log_recording_id(self) -> int:
        """The recording of the log, or -1."""
        return self.log.recording_id if self.log else NULL_VALUE

    def check_replay(self) -> None:
        """Reject a log without its beginning or end: data would be lost.

        Raises
        ------
        StateError
            The recording begins after the snapshot, or, without a snapshot, after 0; or it ends
            before the snapshot or the last term begins.
        """
        log = self.log
        known = max(self.snapshot_position, self.last_term_base_log_position)
        if log is not None and log.stop_position < known:
            raise StateError(
                f"recording {log.recording_id}: expected the log up to {known} at least, as the"
                f" recording log has it, found its end at {log.stop_position}"
            )
        if log is not None and log.recording_start_position > self.snapshot_position:
            raise PurgedLogError(
                f"recording {log.recording_id}: expected it to begin at or below the snapshot's "
                f"position {self.snapshot_position}, found {log.recording_start_position}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoverySources:
    """The plan by the recording log only, before the archive is queried.

    Parameters
    ----------
    snapshots : tuple of Entry
        As for `RecoveryPlan`.
    term : Entry, optional
        The last valid term.
    log_recording_id : int
        The recording to query the archive for; -1 without one.
    """

    snapshots: tuple[Entry, ...]
    term: Entry | None
    log_recording_id: int

    def with_log(self, descriptor: RecordingDescriptor | None) -> RecoveryPlan:
        """Complete the plan with the archive's descriptor of the log's recording.

        Parameters
        ----------
        descriptor : RecordingDescriptor, optional
            None if there is no recording to query, or the archive does not have it.

        Raises
        ------
        StateError
            The recording log names a recording, and the archive has another or none.
        """
        log = self._log(descriptor)
        module = self.snapshots[0] if self.snapshots else None
        last, base, position = NULL_VALUE, 0, 0
        if module is not None:
            last = module.leadership_term_id
            base = module.term_base_log_position
            position = module.log_position
        appended = committed = position
        if log is not None:
            last, base = log.leadership_term_id, log.term_base_log_position
            appended = log.stop_position
            if log.log_position != NULL_VALUE:
                committed = log.log_position
        return RecoveryPlan(
            last_leadership_term_id=last,
            last_term_base_log_position=base,
            appended_log_position=appended,
            committed_log_position=committed,
            snapshots=self.snapshots,
            log=log,
        )

    def _log(self, descriptor: RecordingDescriptor | None) -> RecordedLog | None:
        found = descriptor.recording_id if descriptor else NULL_VALUE
        if found != self.log_recording_id:
            raise StateError(
                f"unknown recording id: {self.log_recording_id} of the log, found {found} in the"
                " archive"
            )
        if descriptor is None:
            return None
        start_position = descriptor.start_position
        if self.term is not None and self.snapshots:
            start_position = self.snapshots[0].log_position
        return RecordedLog(
            recording_id=descriptor.recording_id,
            leadership_term_id=self.term.leadership_term_id if self.term else NULL_VALUE,
            term_base_log_position=self.term.term_base_log_position if self.term else 0,
            log_position=self.term.log_position if self.term else 0,
            start_position=start_position,
            recording_start_position=descriptor.start_position,
            stop_position=descriptor.stop_position,
            initial_term_id=descriptor.initial_term_id,
            term_buffer_length=descriptor.term_buffer_length,
            mtu_length=descriptor.mtu_length,
            session_id=descriptor.session_id,
        )


def plan_recovery(
    recording_log: RecordingLog, service_count: int, replicated_recording_id: int = NULL_VALUE
) -> RecoverySources:
    """Choose the snapshot and the log to start from.

    Parameters
    ----------
    recording_log : RecordingLog
    service_count : int
    replicated_recording_id : int
        A recording that was replicated from the leader; used only if the recording log is empty.

    Raises
    ------
    StateError
        The recording log begins in the middle of a set of snapshots.
    """
    if not recording_log.entries:
        return RecoverySources(snapshots=(), term=None, log_recording_id=replicated_recording_id)
    term = recording_log.find_last_term()
    return RecoverySources(
        snapshots=recording_log.find_latest_snapshots(service_count),
        term=term,
        log_recording_id=term.recording_id if term else NULL_VALUE,
    )
