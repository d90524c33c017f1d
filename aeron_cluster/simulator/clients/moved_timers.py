"""Timers that are set for later, and moved to fire soon: between the two a snapshot may be taken.

A member that starts from the snapshot has the timer for later. It reads the event before its
service has requested the earlier time again: from the log it must find that the timer has fired.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Random

__all__ = ["MovedTimers"]

_MS: Final = 1_000_000
_ONE_IN: Final = 2
_MOST_WAITING: Final = 8
_SHORTEST_WAIT_MS: Final = 20
_LONGEST_DELAY_MS: Final = 30
# After the end of most runs: otherwise an event too many could be one for this time.
_LATER_MS: Final = 600_000
_FIRST_ID: Final = 1 << 32  # the timers of other requests have lower numbers
_CLIENT_SHIFT: Final = 24


class MovedTimers:
    """The timers of one client.

    Parameters
    ----------
    client : int
        The number of the client.
    random : Random
    longest_wait_ns : int
        The longest time between the two requests for a timer.
    """

    def __init__(self, client: int, random: Random, longest_wait_ns: int) -> None:
        self._random = random
        self._longest_wait_ms = longest_wait_ns // _MS
        self._next_id = _FIRST_ID + (client << _CLIENT_SHIFT)
        self._waiting: list[tuple[int, int]] = []  # when each timer is moved, in ns

    def follow(self, now_ns: int) -> tuple[int, int] | None:
        """Return a timer that is to be moved now, and its delay in ms, or None."""
        if not self._waiting or now_ns < self._waiting[0][0]:
            return None
        _, timer = heappop(self._waiting)
        return timer, 1 + self._random.below(_LONGEST_DELAY_MS)

    def draw(self, now_ns: int) -> tuple[int, int] | None:
        """Return a timer to set for later, and its delay in ms; None: send another request."""
        random = self._random
        if len(self._waiting) >= _MOST_WAITING or random.below(_ONE_IN):
            return None
        wait_ms = _SHORTEST_WAIT_MS + random.below(self._longest_wait_ms)
        self._next_id += 1
        heappush(self._waiting, (now_ns + wait_ms * _MS, self._next_id))
        return self._next_id, _LATER_MS + random.below(_LATER_MS)
