"""The timers of a member's services, and the uncommitted events of fired ones.

The parts of ConsensusModuleAgent around its TimerService. Every member has the timers, but only the
leader fires them; the others read the events in the log.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.memory.agents.waiting import NEVER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aeron_cluster.cluster.context.timers import Timers

__all__ = ["ModuleTimers"]

_MAX_FIRED: Final = 1 << 14
_UNKNOWN: Final = -1


class _Event(NamedTuple):
    """A timer event of the log, with the position after it."""

    position: int
    timestamp: int


class _Undo(NamedTuple):
    """The timer to restore if the event that ends at a position is not committed."""

    position: int
    deadline: int
    requested_position: int


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
        # Position, correlation id.
        self._uncommitted: deque[tuple[int, int]] = deque()
        # The last event of each timer, to be undone unless committed.
        self._undoable: dict[int, _Undo] = {}
        # Where the service was in the log when it requested each timer, if it sends that.
        self._requested: dict[int, int] = {}
        # Events in the log for timers that the local service, which lags behind, has not requested
        # yet.
        self._early: dict[int, deque[_Event]] = {}
        # Events after which a lagging service may still request the same timer from before them;
        # the latest ones, by the time of their last use.
        self._fired: dict[int, list[_Event]] = {}

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
            self.schedule(correlation_id, deadline, 0)
        self._timers.move_to(now)

    def schedule(self, correlation_id: int, deadline: int, position: int = _UNKNOWN) -> None:
        """Schedule a timer for a service, unless it fired already.

        A timer has fired by the first event after its request whose time is not before its
        deadline: every member finds the same one, whichever of log and service is ahead.

        Parameters
        ----------
        correlation_id : int
        deadline : int
        position : int
            The log position at which the service requested it, negative if unknown. Then the first
            event that no other timer had counts, wherever the service was: a timer that was moved
            before its event may remain.

        Notes
        -----
        No timer fires before its deadline: an earlier event belonged to another timer with this id,
        which the service cancelled or moved before the leader's service did. Upstream's members
        take the next timer with this id for the fired one; if such a member becomes leader, the
        timer never fires.
        """
        self._undoable.pop(correlation_id, None)
        find = self._find_unmatched if position < 0 else self._find_after
        event = find(correlation_id, deadline, position)
        if event is None:
            self._timers.schedule(correlation_id, deadline)
            self._set_requested(correlation_id, position)
            return
        if any(each == (event.position, correlation_id) for each in self._uncommitted):
            self._undoable[correlation_id] = _Undo(event.position, deadline, position)
        self._remove(correlation_id)  # it was moved before it fired

    def cancel(self, correlation_id: int) -> None:
        """Cancel a timer of a service."""
        self._undoable.pop(correlation_id, None)
        self._remove(correlation_id)

    def _remove(self, correlation_id: int) -> None:
        self._requested.pop(correlation_id, None)
        self._timers.cancel(correlation_id)

    def _set_requested(self, correlation_id: int, position: int) -> None:
        if position < 0:
            self._requested.pop(correlation_id, None)
        else:
            self._requested[correlation_id] = position

    def _find_unmatched(self, correlation_id: int, deadline: int, _: int) -> _Event | None:
        """Return the first event without a timer that is not before the deadline, once."""
        early = self._early.get(correlation_id, ())
        found = next((each for each in early if each.timestamp >= deadline), None)
        if found is not None:
            early = self._early[correlation_id]
            early.remove(found)
            if not early:
                del self._early[correlation_id]
        return found

    def _find_after(self, correlation_id: int, deadline: int, position: int) -> _Event | None:
        """Return the first event after a position that is not before the deadline."""
        fired = self._fired.pop(correlation_id, ())
        early = self._early.pop(correlation_id, ())
        # Services read the log in order: later requests are not before this position either.
        events = sorted(each for each in (*fired, *early) if each.position > position)
        if events:
            self._store_fired(correlation_id, events)
        return next((each for each in events if each.timestamp >= deadline), None)

    def _remember(self, correlation_id: int, event: _Event) -> None:
        self._store_fired(correlation_id, [*self._fired.pop(correlation_id, ()), event])

    def _store_fired(self, correlation_id: int, events: list[_Event]) -> None:
        self._fired[correlation_id] = events
        if len(self._fired) > _MAX_FIRED:
            del self._fired[next(iter(self._fired))]

    def clear_early(self) -> None:
        """Drop events of timers that were not requested: the services have read the whole log."""
        self._early.clear()
        self._fired.clear()

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
        requested = self._requested.pop(correlation_id, _UNKNOWN)
        self._uncommitted.append((position, correlation_id))
        self._undoable[correlation_id] = _Undo(position, deadline, requested)
        if requested >= 0:
            self._remember(correlation_id, _Event(position, self._now))
        return True

    def on_replay(self, correlation_id: int, timestamp: int, position: int) -> None:
        """Handle a timer event of the log, with its cluster time and the position after it."""
        deadline = self._timers.deadline_of(correlation_id)
        requested = self._requested.get(correlation_id, _UNKNOWN)
        event = _Event(position, timestamp)
        if deadline is None:
            self._early.setdefault(correlation_id, deque()).append(event)
            return
        if requested >= position:
            return  # the service has read the event, and then requested this timer
        if deadline <= timestamp:
            self._remove(correlation_id)
        # Otherwise the service has already moved the timer, before the leader's service did.
        if requested >= 0:
            self._remember(correlation_id, event)

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
            position, correlation_id = self._uncommitted[0]
            fired = self._fired.get(correlation_id, ())
            if fired:
                self._fired[correlation_id] = [each for each in fired if each.position < position]
            undo = self._undoable.get(correlation_id)
            if undo is not None and undo.position == position:
                # Before it is forgotten: a timer service of the user may raise.
                self._timers.schedule(correlation_id, undo.deadline)
                self._set_requested(correlation_id, undo.requested_position)
            self._pop_uncommitted()

    def _pop_uncommitted(self) -> None:
        """Forget the first event, and the timer to restore for it."""
        position, correlation_id = self._uncommitted.popleft()
        undo = self._undoable.get(correlation_id)
        if undo is not None and undo.position == position:
            del self._undoable[correlation_id]
