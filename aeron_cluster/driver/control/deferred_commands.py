"""Deferred commands for the sender and the receiver, whose queues were full.

No counterpart upstream, whose conductor spins until a full queue has room.
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
        """Write a command to an agent's queue; if it is full, later, in order."""
        if self.waiting or not call():
            self.waiting.append(call)

    def do_work(self) -> int:
        """Write what did not fit before; return how many commands that was."""
        done = 0
        while self.waiting and self.waiting[0]():
            self.waiting.popleft()
            done += 1
        return done
