"""Scheduled snapshots: the leader requests one at intervals, if the log has grown since.

No counterpart in Aeron, which only takes them on request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.agents.waiting import NEVER

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.client.counter import Counter
    from aeron_cluster.cluster.agent.module_status import ModuleStatus
    from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.cluster.state.recording_log import Entry, RecordingLog

__all__ = ["SnapshotSchedule"]

_NOT_DUE: Final = -1
_NS_PER_MS: Final = 1_000_000
# If one is due and cannot be taken now: the log has not grown, or another request is pending.
_CHECK_INTERVAL_NS: Final = 1_000_000_000


class SnapshotSchedule:
    """Requests the next snapshot when it is due.

    Parameters
    ----------
    context : ConsensusModuleContext
    counters : ModuleCounters
    recording_log : RecordingLog
    status : ModuleStatus
    interval_ns : int
        The interval from one snapshot to the next, scheduled or requested.
    counter : Counter
        Called with the time of the next one, in ms since 1970; -1 if this member is not the leader.
    request : callable
        Requests a snapshot; returns False if another request is pending.

    Notes
    -----
    A failed snapshot is retried only when the next one is due, since each attempt interrupts the
    services.
    """

    def __init__(
        self,
        *,
        context: ConsensusModuleContext,
        counters: ModuleCounters,
        recording_log: RecordingLog,
        status: ModuleStatus,
        interval_ns: int,
        counter: Counter,
        request: Callable[[], bool],
    ) -> None:
        self._context = context
        self._counters = counters
        self._recording_log = recording_log
        self._status = status
        self._interval_ns = interval_ns
        self._counter = counter
        self._request = request
        self._due_ns = NEVER
        self._next_check_ns = 0
        self._is_leading = False
        self._newest_position = -1
        counter.set(_NOT_DUE)

    def next_deadline_ns(self) -> int:
        """Return when `do_work` is due."""
        if self._status.is_leader is not self._is_leading:
            return 0
        return max(self._due_ns, self._next_check_ns)

    def do_work(self, now_ns: int) -> int:
        """Request a snapshot if one is due, while no election runs."""
        status = self._status
        if not status.is_leader:
            if self._is_leading:
                self._is_leading = False
                self._due_ns = NEVER
                self._counter.set(_NOT_DUE)
            return 0
        newest = self._newest()
        position = -1 if newest is None else newest.log_position
        if not self._is_leading:
            self._is_leading = True
            self._plan(now_ns, self._remaining_ns(newest))
        elif position != self._newest_position:
            self._plan(now_ns, self._interval_ns)
        self._newest_position = position
        if now_ns < self._due_ns:
            return 0
        has_grown = self._counters.commit_position.get() > position
        if status.is_active and has_grown and self._request():
            self._plan(now_ns, self._interval_ns)
            return 1
        self._next_check_ns = now_ns + _CHECK_INTERVAL_NS
        return 0

    def _newest(self) -> Entry | None:
        entries = reversed(self._recording_log.entries)
        return next((each for each in entries if each.is_valid_snapshot), None)

    def _remaining_ns(self, newest: Entry | None) -> int:
        """Return the delay of a new leader: the interval continues from the last snapshot."""
        if newest is None:
            return self._interval_ns
        context = self._context
        age_ns = (context.epoch_ms() - context.cluster_time_ms(newest.timestamp)) * _NS_PER_MS
        # Changes of the clock must cause neither endless snapshots nor none.
        return self._interval_ns - min(max(age_ns, 0), self._interval_ns)

    def _plan(self, now_ns: int, remaining_ns: int) -> None:
        self._due_ns = now_ns + remaining_ns
        self._next_check_ns = 0
        self._counter.set(self._context.epoch_ms() + remaining_ns // _NS_PER_MS)

    def close(self) -> None:
        """Stop scheduling."""
        self._due_ns = NEVER
