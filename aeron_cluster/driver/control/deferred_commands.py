"""Deferred commands for the sender and the receiver, used if their queues are full.

No counterpart upstream, where the conductor spins until a full queue has space.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DeferredCommands"]


class DeferredCommands:
    """Calls that write a command to an agent's queue; they return False if it is full.

    Attributes
    ----------
    waiting : deque of Callable[[], bool]
        The commands that did not fit yet.
    """

    def __init__(self) -> None:
        self.waiting: deque[Callable[[], bool]] = deque()

    def enqueue(self, call: Callable[[], bool]) -> None:
        """Write a command to an agent's queue, or later in order if it is full."""
        if self.waiting or not call():
            self.waiting.append(call)

    def do_work(self) -> int:
        """Write deferred commands; return their number."""
        done = 0
        while self.waiting and self.waiting[0]():
            self.waiting.popleft()
            done += 1
        return done
