"""Sequences of steps for agents, which must not block.

A step that would block yields instead, and the next duty cycle continues after the yield. So a
sequence reads from top to bottom, and the agent's thread is never blocked:

>>> def join(aeron: Aeron) -> Waiting[Image]:
...     subscription = yield from await_subscription(aeron, "aeron:ipc", 103)
...     return (yield from await_image(subscription, session_id))
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Final, Generic, TypeVar

from aeron_cluster.errors import StateError

__all__ = ["NEVER", "Task", "Waiting", "until"]

NEVER: Final = 2**63 - 1
"""A time that is never reached, in any unit."""

_T = TypeVar("_T")

# Yields are int or None; if declared, mypy would require a value in each.
Waiting = Generator[Any, None, _T]
"""Steps that end with a value; each yield ends a duty cycle, with a work count if it did work.

Checking whether it can continue is not work, so the thread may idle.
"""


class Task(Generic[_T]):
    """A sequence of steps in progress.

    Parameters
    ----------
    steps : Waiting
        The steps; they do not run before the first `do_work`.
    """

    def __init__(self, steps: Waiting[_T]) -> None:
        self._steps = steps
        self._result: _T | None = None
        self.is_done = False

    def do_work(self) -> int:
        """Advance to the next wait; return the work count: at least 1 if the sequence ended.

        Raises
        ------
        Exception
            The error of a step, which ends the sequence.
        """
        if self.is_done:
            return 0
        try:
            return int(next(self._steps) or 0)
        except StopIteration as end:
            self._result = end.value
            self.is_done = True
        except BaseException:
            self.is_done = True
            raise
        return 1

    @property
    def result(self) -> _T:
        """The result of the sequence.

        Raises
        ------
        StateError
            It has not ended, or failed.
        """
        if not self.is_done:
            raise StateError(f"{self._steps}: expected it to be done")
        return self._result  # type: ignore[return-value]

    def close(self) -> None:
        """Cancel: the steps' own clean-up runs."""
        self.is_done = True
        self._steps.close()


def until(found: Callable[[], _T | None]) -> Waiting[_T]:
    """Wait until a call returns a value other than None."""
    while (value := found()) is None:
        yield
    return value
