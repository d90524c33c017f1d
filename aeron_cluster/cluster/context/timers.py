"""Timers of the services: a hashed wheel, and a heap in strict deadline order.

Upstream: TimerService, WheelTimerService and PriorityHeapTimerService. Deadlines are in the
cluster's time unit. A timer's id is the correlation id that its service chose; scheduling an id
again moves it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush
from typing import Final, Protocol

__all__ = [
    "NO_DEADLINE",
    "POLL_LIMIT",
    "HeapTimers",
    "KnownTimers",
    "OnExpiry",
    "Timers",
    "WheelTimers",
]

NO_DEADLINE: Final = 2**63 - 1
"""The value of :attr:`Timers.next_deadline` without a timer; no timer can have it."""

POLL_LIMIT: Final = 20
"""The most timers that one poll expires."""

OnExpiry = Callable[[int, int], bool]
"""Called with correlation id and deadline; on False the timer stays and polling ends."""


class Timers(Protocol):
    """The interface of all kinds of timers for the consensus module."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield the correlation id and the deadline of every timer, in any order."""

    @property
    def next_deadline(self) -> int:
        """No timer expires before this time; :data:`NO_DEADLINE` without a timer."""

    def deadline_of(self, correlation_id: int) -> int | None:
        """Return the deadline of a timer, or None for an unknown id."""

    def snapshot(self) -> list[tuple[int, int]]:
        """Return the correlation id and the deadline of every timer, for a snapshot."""

    def schedule(self, correlation_id: int, deadline: int) -> None:
        """Schedule a timer, or move it."""

    def cancel(self, correlation_id: int) -> bool:
        """Cancel a timer; False for an unknown id."""

    def poll(self, now: int, on_expiry: OnExpiry) -> int:
        """Expire up to :data:`POLL_LIMIT` due timers, and return their number."""

    def move_to(self, now: int) -> None:
        """Start from a time, never an earlier one, without expiring anything."""


class _Deadlines:
    """The deadline of each timer, and the earliest one without a search."""

    def __init__(self) -> None:
        self._by_id: dict[int, int] = {}
        # Entries with a deadline other than that in the dict were moved or cancelled.
        self._heap: list[tuple[int, int, int]] = []
        self._sequence = 0

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, correlation_id: int) -> bool:
        return correlation_id in self._by_id

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(tuple(self._by_id.items()))

    def get(self, correlation_id: int) -> int | None:
        return self._by_id.get(correlation_id)

    def set(self, correlation_id: int, deadline: int) -> None:
        self._by_id[correlation_id] = deadline
        self._sequence += 1
        heappush(self._heap, (deadline, self._sequence, correlation_id))
        if len(self._heap) > 2 * len(self._by_id) + POLL_LIMIT:
            self._rebuild()

    def remove(self, correlation_id: int) -> bool:
        return self._by_id.pop(correlation_id, None) is not None

    def first(self) -> tuple[int, int]:
        """Return the earliest deadline and one of its timers."""
        heap = self._heap
        while heap and self._by_id.get(heap[0][2]) != heap[0][0]:
            heappop(heap)
        return (heap[0][0], heap[0][2]) if heap else (NO_DEADLINE, 0)

    def _rebuild(self) -> None:
        self._heap = [
            (deadline, sequence, correlation_id)
            for sequence, (correlation_id, deadline) in enumerate(self._by_id.items())
        ]
        self._sequence = len(self._heap)
        heapify(self._heap)


class KnownTimers:
    """The part of all kinds that concerns deadlines."""

    def __init__(self) -> None:
        self._deadlines = _Deadlines()

    def __len__(self) -> int:
        return len(self._deadlines)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._deadlines)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(count={len(self)})"

    @property
    def next_deadline(self) -> int:
        """The earliest deadline."""
        return self._deadlines.first()[0]

    def deadline_of(self, correlation_id: int) -> int | None:
        """Return the deadline of a timer, or None."""
        return self._deadlines.get(correlation_id)

    def snapshot(self) -> list[tuple[int, int]]:
        """Return the correlation id and the deadline of every timer, for a snapshot."""
        return list(self)


class HeapTimers(KnownTimers):
    """Timers that expire in the order of their deadlines."""

    def schedule(self, correlation_id: int, deadline: int) -> None:
        """Schedule a timer, or move it."""
        self._deadlines.set(correlation_id, deadline)

    def cancel(self, correlation_id: int) -> bool:
        """Cancel a timer; False for an unknown id."""
        return self._deadlines.remove(correlation_id)

    def poll(self, now: int, on_expiry: OnExpiry) -> int:
        """Expire up to :data:`POLL_LIMIT` due timers, and return their number."""
        expired = 0
        while expired < POLL_LIMIT and len(self):
            deadline, correlation_id = self._deadlines.first()
            if deadline > now:
                break
            self._deadlines.remove(correlation_id)
            if not on_expiry(correlation_id, deadline):
                if correlation_id not in self._deadlines:
                    self._deadlines.set(correlation_id, deadline)
                break
            expired += 1
        return expired

    def move_to(self, now: int) -> None:
        """Do nothing: a heap has no current time."""


class WheelTimers(KnownTimers):
    """Timers on a hashed wheel: they expire by tick, and within a tick in the order of slots.

    Parameters
    ----------
    start : int
        The time of tick 0.
    tick_resolution : int
        The length of a tick, in the cluster's time unit; rounded up to a power of two.
    ticks_per_wheel : int
        A power of two.
    """

    def __init__(self, start: int, tick_resolution: int = 8, ticks_per_wheel: int = 128) -> None:
        if tick_resolution < 1 or ticks_per_wheel < 1 or ticks_per_wheel & (ticks_per_wheel - 1):
            raise ValueError(
                "expected a tick resolution from 1 on and a power of two of ticks, found "
                f"{tick_resolution} and {ticks_per_wheel}"
            )
        super().__init__()
        self._start = start
        self._shift = (tick_resolution - 1).bit_length()
        self._mask = ticks_per_wheel - 1
        self._tick = 0
        # The slots of the current tick before this one are empty.
        self._begin = 0
        # A spoke is a list of slots; a cancelled timer leaves None, which the next one reuses.
        self._spokes: list[list[tuple[int, int] | None]] = [[] for _ in range(ticks_per_wheel)]
        # The free slots of each spoke; a heap.
        self._free: list[list[int]] = [[] for _ in range(ticks_per_wheel)]
        self._places: dict[int, tuple[int, int]] = {}

    def schedule(self, correlation_id: int, deadline: int) -> None:
        """Schedule a timer, or move it."""
        self.cancel(correlation_id)
        spoke = self._tick_of(deadline) & self._mask
        if self._free[spoke]:
            slot = heappop(self._free[spoke])
        else:
            slot = len(self._spokes[spoke])
            self._spokes[spoke].append(None)
        self._put(correlation_id, deadline, spoke, slot)

    def _put(self, correlation_id: int, deadline: int, spoke: int, slot: int) -> None:
        self._spokes[spoke][slot] = (correlation_id, deadline)
        self._places[correlation_id] = (spoke, slot)
        self._deadlines.set(correlation_id, deadline)
        if spoke == self._tick & self._mask:
            self._begin = min(self._begin, slot)

    def cancel(self, correlation_id: int) -> bool:
        """Cancel a timer; False for an unknown id."""
        place = self._places.get(correlation_id)
        if place is None:
            return False
        self._remove(correlation_id, *place)
        self._leave(*place)
        return True

    def _remove(self, correlation_id: int, spoke: int, slot: int) -> None:
        self._spokes[spoke][slot] = None
        del self._places[correlation_id]
        self._deadlines.remove(correlation_id)

    def _leave(self, spoke: int, slot: int) -> None:
        """Free a slot for another timer; an empty spoke is cleared."""
        slots, free = self._spokes[spoke], self._free[spoke]
        heappush(free, slot)
        if len(free) == len(slots):
            slots.clear()
            free.clear()

    def poll(self, now: int, on_expiry: OnExpiry) -> int:
        """Expire up to :data:`POLL_LIMIT` due timers, and return their number."""
        expired = 0
        # At most one turn of the wheel, however far the clock was moved: it visits all due timers.
        while self.next_deadline <= now:
            spoke = self._tick & self._mask
            slots, slot = self._spokes[spoke], self._begin
            while slot < len(slots):
                timer = slots[slot]
                if timer is not None and timer[1] <= now:
                    if expired == POLL_LIMIT or not self._expire(timer, spoke, slot, on_expiry):
                        return expired
                    expired += 1
                elif timer is None and self._begin == slot:
                    self._begin += 1
                slot += 1
            if self._end_of_tick() > now:
                return expired
            self._enter_tick(self._tick + 1)
        self._enter_tick(self._tick_of(now))
        return expired

    def _expire(self, timer: tuple[int, int], spoke: int, slot: int, on_expiry: OnExpiry) -> bool:
        correlation_id, deadline = timer
        self._remove(correlation_id, spoke, slot)
        if self._begin == slot:
            self._begin += 1
        is_accepted = on_expiry(correlation_id, deadline)
        if is_accepted or correlation_id in self._places:
            self._leave(spoke, slot)
        else:
            self._put(correlation_id, deadline, spoke, slot)
        return is_accepted

    def move_to(self, now: int) -> None:
        """Start from a time, never an earlier one, without expiring anything."""
        tick = self._tick_of(now)
        if tick <= self._tick:
            return
        self._enter_tick(tick)
        overdue = [timer for timer in self if (timer[1] - self._start) >> self._shift < tick]
        for correlation_id, deadline in overdue:
            self.schedule(correlation_id, deadline)

    def _enter_tick(self, tick: int) -> None:
        if tick != self._tick:
            self._tick = tick
            self._begin = 0

    def _tick_of(self, time: int) -> int:
        return max((time - self._start) >> self._shift, self._tick)

    def _end_of_tick(self) -> int:
        return ((self._tick + 1) << self._shift) + self._start
