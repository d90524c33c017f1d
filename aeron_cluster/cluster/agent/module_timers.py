"""The timers of a member's services, and the uncommitted events of fired ones.

The parts of ConsensusModuleAgent around its TimerService. Every member has the timers, but only the
leader fires them; the others read the events in the log.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from aeron_cluster.memory.agents.waiting import NEVER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aeron_cluster.cluster.context.timers import Timers

__all__ = ["ModuleTimers"]


class ModuleTimers:
    """Timers that can be restored if their events were not committed.

    Parameters
    ----------
    timers : Timers
        A wheel or a heap.
    append : callable
        ``append(correlation_id, timestamp)`` adds the event to the log: it returns the position
        after it, or a negative status to be retried.
    """

    def __init__(self, timers: Timers, append: Callable[[int, int], int]) -> None:
        self._timers = timers
        self._append = append
        self._now = 0
        # Position, correlation id, deadline.
        self._uncommitted: deque[tuple[int, int, int]] = deque()
        # The last event of each timer, to be undone unless committed.
        self._undoable: dict[int, int] = {}
        # The times of events in the log for timers that the local service, which lags behind, has
        # not requested yet.
        self._early: dict[int, deque[int]] = {}

    @property
    def next_deadline(self) -> int:
        """The deadline of the next timer, in cluster time; the largest number without one."""
        return self._timers.next_deadline

    @property
    def first_uncommitted_position(self) -> int:
        """The end position of the first event that may be uncommitted."""
        return self._uncommitted[0][0] if self._uncommitted else NEVER

    def items(self) -> list[tuple[int, int]]:
        """Every timer's correlation id and deadline."""
        return list(self._timers)

    def snapshot(self) -> list[tuple[int, int]]:
        """Return every timer's correlation id and deadline, for a snapshot."""
        return self._timers.snapshot()

    def load(self, timers: Iterable[tuple[int, int]], now: int) -> None:
        """Load the timers of a snapshot; `now` is the cluster time."""
        for correlation_id, deadline in timers:
            self.schedule(correlation_id, deadline)
        self._timers.move_to(now)

    def schedule(self, correlation_id: int, deadline: int) -> None:
        """Schedule a timer for a service, unless it fired already.

        No timer fires before its deadline: an earlier event belonged to another timer with this id,
        which the service cancelled or moved before the leader's service did. Upstream's members
        take the next timer with this id for the fired one; if such a member becomes leader, the
        timer never fires.
        """
        self._undoable.pop(correlation_id, None)
        early = self._early.get(correlation_id)
        if early is not None:
            fired = next((each for each in early if each >= deadline), None)
            if fired is not None:
                early.remove(fired)
                if not early:
                    del self._early[correlation_id]
                self._timers.cancel(correlation_id)  # it was moved before it fired
                return
        self._timers.schedule(correlation_id, deadline)

    def cancel(self, correlation_id: int) -> None:
        """Cancel a timer of a service."""
        self._undoable.pop(correlation_id, None)
        self._timers.cancel(correlation_id)

    def clear_early(self) -> None:
        """Drop events of timers that were not requested: the services have read the whole log."""
        self._early.clear()

    def poll(self, now: int) -> int:
        """Append the events of due timers; return their number.

        The events have the given time. The clock is not read again: it may have been set back, and
        an event before its deadline would not count for the timer.
        """
        self._now = now
        return self._timers.poll(now, self._on_expiry)

    def move_to(self, now: int) -> None:
        """Start from a cluster time."""
        self._timers.move_to(now)

    def _on_expiry(self, correlation_id: int, deadline: int) -> bool:
        position = self._append(correlation_id, self._now)
        if position <= 0:
            return False
        self._uncommitted.append((position, correlation_id, deadline))
        self._undoable[correlation_id] = position
        return True

    def on_replay(self, correlation_id: int, timestamp: int) -> None:
        """Handle a timer event of the log, with its cluster time."""
        deadline = self._timers.deadline_of(correlation_id)
        if deadline is None:
            self._early.setdefault(correlation_id, deque()).append(timestamp)
        elif deadline <= timestamp:
            self._timers.cancel(correlation_id)
        # Otherwise the service has already moved the timer, before the leader's service did.

    def on_committed(self, position: int) -> None:
        """Drop events that are committed."""
        while self._uncommitted and self._uncommitted[0][0] <= position:
            self._pop_uncommitted()

    def restore_uncommitted(self, commit_position: int) -> None:
        """Reschedule the timers with uncommitted events: they are still due.

        Except those that their services cancelled or moved since they fired.
        """
        self.on_committed(commit_position)
        while self._uncommitted:
            _, correlation_id, deadline = self._uncommitted[0]
            if self._pop_uncommitted():
                self._timers.schedule(correlation_id, deadline)

    def _pop_uncommitted(self) -> bool:
        """Remove the first event; return whether it was to be undone."""
        position, correlation_id, _ = self._uncommitted.popleft()
        is_undoable = self._undoable.get(correlation_id) == position
        if is_undoable:
            del self._undoable[correlation_id]
        return is_undoable
