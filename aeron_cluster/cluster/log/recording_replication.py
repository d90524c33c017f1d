"""One recording of another member's archive, copied by the archive of this one.

Upstream: RecordingReplication. Its owner polls the archive client, passes the received signals to
it, and polls it for progress; it never blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.archive.protocol.recording_pos import find_counter_by_recording, is_active
from aeron_cluster.codecs.archive import (
    ControlResponseCode,
    RecordingSignal,
    RecordingSignalEvent,
    ReplicateRequest2,
    StopReplicationRequest,
)
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.errors import ArchiveError, ClusterError, TimeoutExpiredError

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.archive.client.replication_params import ReplicationParams

__all__ = ["RecordingReplication"]


class RecordingReplication:
    """A replication from the request to its end.

    Parameters
    ----------
    archive : AeronArchive
        This member's archive, which makes the copy.
    src_recording_id, src_control_stream_id : int
    src_control_channel : str
        The request channel of the other member's archive.
    params : ReplicationParams
        The source, and the recording to copy into.
    progress_timeout_ns : int
        The longest time without progress, in ns.
    progress_interval_ns : int
        The interval of checks, in ns.
    now_ns : int
        The current time on the monotonic clock.
    on_done : callable, optional
        ``on_done(replication, src_recording_id)`` is called once the copy is stored.

    Attributes
    ----------
    replication_id : int
        The archive's replication id; -1 until it has answered.
    recording_id : int
        The copy; -1 until it is known.
    position : int
        The position of the copy, in bytes of the stream; -1 until it is known.
    last_signal : RecordingSignal or None
    has_replication_ended : bool
        Copying has ended; the copy is stored when it `is_done`.
    has_synced : bool
        The copy ends where the source ended when it was listed.
    has_stopped : bool
        The recording of the copy is closed, and `position` is its end.
    error : ArchiveError or None
        The archive's error, after which the replication ends.
    """

    def __init__(
        self,
        archive: AeronArchive,
        src_recording_id: int,
        src_control_stream_id: int,
        src_control_channel: str,
        params: ReplicationParams,
        *,
        progress_timeout_ns: int,
        progress_interval_ns: int,
        now_ns: int,
        on_done: Callable[[RecordingReplication, int], object] | None = None,
    ) -> None:
        self._on_done = on_done
        self._src_recording_id = src_recording_id
        self.replication_id = NULL_VALUE
        self.recording_id = params.dst_recording_id
        self.position = NULL_VALUE
        self.last_signal: RecordingSignal | None = None
        self.has_replication_ended = False
        self.has_synced = False
        self.has_stopped = False
        self.error: ArchiveError | None = None
        self.src_control_channel = src_control_channel
        self._archive = archive
        self._stop_position = params.stop_position
        self._fields = params.fields(src_recording_id, src_control_stream_id, src_control_channel)
        self._progress_timeout_ns = progress_timeout_ns
        self._progress_interval_ns = progress_interval_ns
        self._answer_deadline_ns = now_ns + archive.context.message_timeout_ns
        self._progress_deadline_ns = now_ns + progress_timeout_ns
        self._check_ns = now_ns + progress_interval_ns
        self._is_closed = False
        self._is_extended = False
        self._counter_id: int | None = None
        self._correlation_id: int | None = None
        self._request()

    def __repr__(self) -> str:
        signal = "no signal" if self.last_signal is None else self.last_signal.name
        end = " ended" if self.has_replication_ended else ""
        return (
            f"<RecordingReplication {self.replication_id} from {self.src_control_channel} into"
            f" recording {self.recording_id} at {self.position} of {self._stop_position}"
            f" {signal}{end}>"
        )

    @property
    def is_done(self) -> bool:
        """Whether it has ended and the copy is stored.

        A copy that had to grow ends with STOP; one that was in sync has no recording to stop.
        """
        return self.has_replication_ended and (
            self.has_stopped or (self.has_synced and not self._is_extended)
        )

    def _request(self) -> None:
        self._correlation_id = self._archive.request(ReplicateRequest2, **self._fields)

    # ---- the passes ----

    def poll(self, now_ns: int) -> int:
        """Check the progress; return the work count.

        Raises
        ------
        ArchiveError
            The archive rejected the request, or reported that the replication failed.
        TimeoutExpiredError
            It did not answer in time.
        ClusterError
            The copy has not grown for the progress timeout, or does not end at its stop position,
            or ended and is neither in sync nor stored.
        ClosedError
            The session with the archive was closed.

        Notes
        -----
        After an error it is closed.
        """
        if self._is_closed or (self.is_done and self.error is None):
            return 0
        try:
            self._check_end()
            if self.replication_id == NULL_VALUE:
                return self._await_answer(now_ns)
            return self._check_progress(now_ns)
        except BaseException:
            self.close()
            raise

    def _await_answer(self, now_ns: int) -> int:
        if self._correlation_id is None:
            self._request()
        elif self._poll_answer():
            self._progress_deadline_ns = now_ns + self._progress_timeout_ns
            return 1
        if now_ns >= self._answer_deadline_ns:
            raise TimeoutExpiredError(f"{self!r}: no answer to ReplicateRequest2 in time")
        return 0

    def _poll_answer(self) -> bool:
        assert self._correlation_id is not None
        answer = self._archive.take_answer(self._correlation_id)
        if answer is None:
            return False
        self._correlation_id = None
        response = answer.response
        assert response is not None
        if response.code is not ControlResponseCode.OK:
            self.has_replication_ended = True
            raise ArchiveError(
                response.error_message, response.relevant_id, response.correlation_id
            )
        self.replication_id = response.relevant_id
        self._archive.route_errors(self.replication_id, self._on_error)
        return True

    def _on_error(self, error: ArchiveError) -> None:
        self.error = error

    def _check_end(self) -> None:
        if self.error is not None:
            raise self.error
        if self.has_replication_ended and not self._is_extended:
            raise ClusterError(f"log replication ended early: {self!r}")

    def _check_progress(self, now_ns: int) -> int:
        work_count = 0
        if now_ns >= self._check_ns:
            self._check_ns = now_ns + self._progress_interval_ns
            if self._has_grown():
                self._progress_deadline_ns = now_ns + self._progress_timeout_ns
            work_count = 1
        if now_ns >= self._progress_deadline_ns:
            if self.has_replication_ended or NULL_VALUE != self._stop_position <= self.position:
                raise ClusterError(f"log replication failed to stop: {self!r}")
            raise ClusterError(f"log replication has not progressed: {self!r}")
        return work_count

    def _has_grown(self) -> bool:
        if self._counter_id is None:
            return False
        counters = self._archive.aeron.counters_reader
        position = counters.value(self._counter_id)
        # Checked after reading the value: the counter may have been reused meanwhile.
        if not is_active(counters, self._counter_id, self.recording_id):
            return False
        if position <= self.position:
            return False
        self.position = position
        return True

    # ---- signals ----

    def on_signal(self, signal: RecordingSignalEvent) -> bool:
        """Handle a signal of the archive; return whether it belongs to this replication.

        Raises
        ------
        ClusterError
            The copy was deleted meanwhile.
        ArchiveError
            The archive rejected the request.
        """
        if self._correlation_id is not None and not self.has_replication_ended:
            self._poll_answer()  # it was received before the signal, perhaps in the same poll
        if self.replication_id == NULL_VALUE or signal.correlation_id != self.replication_id:
            return False
        if signal.recording_id != NULL_VALUE:
            self.recording_id = signal.recording_id
        if signal.position != NULL_VALUE:
            self.position = signal.position
        self.last_signal = signal.signal
        match signal.signal:
            case RecordingSignal.EXTEND:
                self._is_extended = True
                self._counter_id = find_counter_by_recording(
                    self._archive.aeron.counters_reader,
                    self.recording_id,
                    self._archive.archive_id,
                )
            case RecordingSignal.SYNC:
                self.has_synced = True
            case RecordingSignal.REPLICATE_END:
                self.has_replication_ended = True
                self._archive.route_errors(self.replication_id, None)
            case RecordingSignal.STOP:
                self.has_stopped = True
            case RecordingSignal.DELETE:
                raise ClusterError(f"the recording was deleted during replication: {self!r}")
            case _:
                pass
        if self.is_done and self._on_done is not None:
            on_done, self._on_done = self._on_done, None
            on_done(self, self._src_recording_id)
        return True

    # ---- the end ----

    def close(self) -> None:
        """Stop it unless it has ended, without waiting. Calling it again does nothing."""
        self._is_closed = True
        if self.has_replication_ended:
            return
        self.has_replication_ended = True
        if self.replication_id != NULL_VALUE:
            self._archive.route_errors(self.replication_id, None)
            self._stop(self.replication_id)
        elif self._correlation_id is not None:
            self._archive.forget(self._correlation_id, self._stop)
            self._correlation_id = None

    def _stop(self, replication_id: int) -> None:
        # If it ended meanwhile, the id is unknown, which does not matter.
        self._archive.post(StopReplicationRequest, replication_id=replication_id)
