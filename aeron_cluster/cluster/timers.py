"""Timers of the services: a hashed wheel, and a heap in strict deadline order.

Stands for TimerService, WheelTimerService and PriorityHeapTimerService. Deadlines are in the
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
    "OnExpiry",
    "Timers",
    "WheelTimers",
]

NO_DEADLINE: Final = 2**63 - 1
"""No timer has it: what :attr:`Timers.next_deadline` says when none is set."""

POLL_LIMIT: Final = 20
"""The most timers that one poll expires."""

OnExpiry = Callable[[int], bool]
"""Called with the correlation id; False declines: the timer stays and polling ends."""


class Timers(Protocol):
    """What the consensus module asks of either kind."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield the correlation id and the deadline of every timer, in no promised order."""

    @property
    def next_deadline(self) -> int:
        """No poll before this time expires anything; :data:`NO_DEADLINE` when nothing is set."""

    def schedule(self, correlation_id: int, deadline: int) -> None:
        """Set a timer, or move it."""

    def cancel(self, correlation_id: int) -> bool:
        """Take a timer back; False when there is none of the id."""

    def poll(self, now: int, on_expiry: OnExpiry) -> int:
        """Expire up to :data:`POLL_LIMIT` timers that are due, and return how many."""

    def move_to(self, now: int) -> None:
        """Start from a time, never an earlier one, without expiring anything."""


class HeapTimers:
    """Timers that expire in the order of their deadlines."""

    def __init__(self) -> None:
        self._deadlines: dict[int, int] = {}
        # Entries whose deadline is not the one in the dict were moved or cancelled.
        self._heap: list[tuple[int, int, int]] = []
        self._sequence = 0

    def __len__(self) -> int:
        return len(self._deadlines)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(tuple(self._deadlines.items()))

    def __repr__(self) -> str:
        return f"HeapTimers(count={len(self)})"

    @property
    def next_deadline(self) -> int:
        """The earliest deadline."""
        self._drop_stale()
        return self._heap[0][0] if self._heap else NO_DEADLINE

    def schedule(self, correlation_id: int, deadline: int) -> None:
        """Set a timer, or move it."""
        self._deadlines[correlation_id] = deadline
        self._sequence += 1
        heappush(self._heap, (deadline, self._sequence, correlation_id))
        if len(self._heap) > 2 * len(self._deadlines) + POLL_LIMIT:
            self._rebuild()

    def cancel(self, correlation_id: int) -> bool:
        """Take a timer back; False when there is none of the id."""
        return self._deadlines.pop(correlation_id, None) is not None

    def poll(self, now: int, on_expiry: OnExpiry) -> int:
        """Expire up to :data:`POLL_LIMIT` timers that are due, and return how many."""
        expired = 0
        while expired < POLL_LIMIT and self.next_deadline <= now:
            deadline, _, correlation_id = self._heap[0]
            del self._deadlines[correlation_id]
            if not on_expiry(correlation_id):
                self._deadlines.setdefault(correlation_id, deadline)
                break
            expired += 1
        return expired

    def move_to(self, now: int) -> None:
        """Do nothing: a heap has no current time."""

    def _drop_stale(self) -> None:
        heap = self._heap
        while heap and self._deadlines.get(heap[0][2]) != heap[0][0]:
            heappop(heap)

    def _rebuild(self) -> None:
        self._heap = [
            (deadline, sequence, correlation_id)
            for sequence, (correlation_id, deadline) in enumerate(self._deadlines.items())
        ]
        self._sequence = len(self._heap)
        heapify(self._heap)


class WheelTimers:
    """Timers on a hashed wheel: tick after tick, within a tick by the slot they took.

    Parameters
    ----------
    start : int
        The time of tick 0.
    tick_resolution : int
        Of a tick, in the cluster's time unit; rounded up to a power of two.
    ticks_per_wheel : int
        A power of two.
    """

    def __init__(self, start: int, tick_resolution: int = 8, ticks_per_wheel: int = 128) -> None:
        if tick_resolution < 1 or ticks_per_wheel < 1 or ticks_per_wheel & (ticks_per_wheel - 1):
            raise ValueError(
                "expected a tick resolution from 1 on and a power of two of ticks, found "
                f"{tick_resolution} and {ticks_per_wheel}"
            )
        self._start = start
        self._shift = (tick_resolution - 1).bit_length()
        self._mask = ticks_per_wheel - 1
        self._tick = 0
        # A spoke is a list of slots; a cancelled timer leaves None, which the next one takes.
        self._spokes: list[list[tuple[int, int] | None]] = [[] for _ in range(ticks_per_wheel)]
        self._places: dict[int, tuple[int, int]] = {}

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        for spoke, slot in tuple(self._places.values()):
            timer = self._spokes[spoke][slot]
            if timer is not None:
                yield timer

    def __repr__(self) -> str:
        return f"WheelTimers(count={len(self)}, tick={self._tick})"

    @property
    def next_deadline(self) -> int:
        """The earliest deadline, at the price of a look at every timer."""
        return min((deadline for _, deadline in self), default=NO_DEADLINE)

    def schedule(self, correlation_id: int, deadline: int) -> None:
        """Set a timer, or move it."""
        self.cancel(correlation_id)
        tick = max((deadline - self._start) >> self._shift, self._tick)
        self._place(correlation_id, deadline, tick & self._mask)

    def cancel(self, correlation_id: int) -> bool:
        """Take a timer back; False when there is none of the id."""
        place = self._places.pop(correlation_id, None)
        if place is None:
            return False
        spoke, slot = place
        self._spokes[spoke][slot] = None
        return True

    def poll(self, now: int, on_expiry: OnExpiry) -> int:
        """Expire up to :data:`POLL_LIMIT` timers that are due, and return how many."""
        expired = 0
        while True:
            spoke = self._tick & self._mask
            for slot, timer in enumerate(self._spokes[spoke]):
                if timer is None or timer[1] > now:
                    continue
                if expired == POLL_LIMIT:
                    return expired
                correlation_id, deadline = timer
                self.cancel(correlation_id)
                if not on_expiry(correlation_id):
                    self._restore(correlation_id, deadline, spoke, slot)
                    return expired
                expired += 1
            if self._end_of_tick() > now:
                return expired
            self._tick = self._tick + 1 if self._places else self._tick_of(now)

    def move_to(self, now: int) -> None:
        """Start from a time, never an earlier one, without expiring anything."""
        tick = self._tick_of(now)
        if tick <= self._tick:
            return
        self._tick = tick
        overdue = [timer for timer in self if (timer[1] - self._start) >> self._shift < tick]
        for correlation_id, deadline in overdue:
            self.schedule(correlation_id, deadline)

    def _tick_of(self, now: int) -> int:
        return max((now - self._start) >> self._shift, self._tick)

    def _end_of_tick(self) -> int:
        return ((self._tick + 1) << self._shift) + self._start

    def _place(self, correlation_id: int, deadline: int, spoke: int) -> None:
        slots = self._spokes[spoke]
        try:
            slot = slots.index(None)
            slots[slot] = (correlation_id, deadline)
        except ValueError:
            slot = len(slots)
            slots.append((correlation_id, deadline))
        self._places[correlation_id] = (spoke, slot)

    def _restore(self, correlation_id: int, deadline: int, spoke: int, slot: int) -> None:
        # Declining may have scheduled the id again, or another timer into the slot.
        if correlation_id in self._places:
            return
        if self._spokes[spoke][slot] is None:
            self._spokes[spoke][slot] = (correlation_id, deadline)
            self._places[correlation_id] = (spoke, slot)
        else:
            self._place(correlation_id, deadline, spoke)
