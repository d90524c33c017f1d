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

    Parameters
    ----------
    on_error : Callable[[Exception], object]
        Called with the exception of a deferred command, which is dropped.

    Attributes
    ----------
    waiting : deque of Callable[[], bool]
        The commands that did not fit yet.
    """

    def __init__(self, on_error: Callable[[Exception], object]) -> None:
        self._on_error = on_error
        self.waiting: deque[Callable[[], bool]] = deque()

    def enqueue(self, call: Callable[[], bool]) -> None:
        """Write a command to an agent's queue, or later in order if it is full."""
        if self.waiting or not call():
            self.waiting.append(call)

    def do_work(self) -> int:
        """Write deferred commands; return their number."""
        done = 0
        while self.waiting:
            call = self.waiting.popleft()
            try:
                has_space = call()
            except Exception as error:  # noqa: BLE001 - it must not hold up those after it
                self._on_error(error)
                has_space = True
            if not has_space:
                self.waiting.appendleft(call)
                break
            done += 1
        return done
