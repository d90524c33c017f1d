"""The timers of a member's services, and what became of those that fired.

The parts of ConsensusModuleAgent around its TimerService. Every member keeps the timers, only the
leader lets them fire; the others learn from the log that one did.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aeron_cluster.cluster.timers import Timers

__all__ = ["ModuleTimers"]

_NEVER = 2**63 - 1
_AT_ONCE = 0


class ModuleTimers:
    """Timers, with what is needed to undo those that fired without being committed.

    Parameters
    ----------
    timers : Timers
        A wheel or a heap.
    append : callable
        ``append(correlation_id)`` adds the event to the log: the position after it, or a negative
        status to be tried again.
    """

    def __init__(self, timers: Timers, append: Callable[[int], int]) -> None:
        self._timers = timers
        self._append = append
        self._uncommitted: deque[tuple[int, int]] = deque()  # position, correlation id
        # Events that the log showed before the service, which is behind, asked for the timer.
        self._early: Counter[int] = Counter()

    @property
    def next_deadline(self) -> int:
        """When the next timer is due, in cluster time; the largest number where there is none."""
        return self._timers.next_deadline

    @property
    def first_uncommitted_position(self) -> int:
        """Where the first event ends that is not known to be committed."""
        return self._uncommitted[0][0] if self._uncommitted else _NEVER

    def items(self) -> list[tuple[int, int]]:
        """Every timer's correlation id and deadline."""
        return list(self._timers)

    def load(self, timers: Iterable[tuple[int, int]], now: int) -> None:
        """Take the timers of a snapshot; `now` is the cluster time."""
        for correlation_id, deadline in timers:
            self.schedule(correlation_id, deadline)
        self._timers.move_to(now)

    def schedule(self, correlation_id: int, deadline: int) -> None:
        """Set a timer for a service, unless it fired already."""
        if self._early[correlation_id] > 0:
            self._early[correlation_id] -= 1
            self._early += Counter()  # forgets what is 0
            return
        self._timers.schedule(correlation_id, deadline)

    def cancel(self, correlation_id: int) -> None:
        """Take a timer back for a service."""
        self._timers.cancel(correlation_id)

    def poll(self, now: int) -> int:
        """Append the events of timers that are due; return how many."""
        return self._timers.poll(now, self._on_expiry)

    def move_to(self, now: int) -> None:
        """Start from a cluster time."""
        self._timers.move_to(now)

    def _on_expiry(self, correlation_id: int) -> bool:
        position = self._append(correlation_id)
        if position <= 0:
            return False
        self._uncommitted.append((position, correlation_id))
        return True

    def on_replay(self, correlation_id: int) -> None:
        """Learn from the log that a timer fired."""
        if not self._timers.cancel(correlation_id):
            self._early[correlation_id] += 1

    def on_committed(self, position: int) -> None:
        """Forget what is committed."""
        while self._uncommitted and self._uncommitted[0][0] <= position:
            self._uncommitted.popleft()

    def restore_uncommitted(self, commit_position: int) -> None:
        """Set the timers again whose events were not committed: they are due at once."""
        self.on_committed(commit_position)
        while self._uncommitted:
            self._timers.schedule(self._uncommitted.popleft()[1], _AT_ONCE)
