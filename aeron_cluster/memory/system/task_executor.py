"""A thread for calls that may block, so that no agent blocks.

Aeron's ``AsyncTaskExecutor``.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, Protocol, TypeVar

from aeron_cluster.memory.system.fork import generation, is_forked

__all__ = ["Task", "TaskExecutor"]

_P = ParamSpec("_P")
_T = TypeVar("_T")
_ResultT_co = TypeVar("_ResultT_co", covariant=True)


class Task(Protocol[_ResultT_co]):
    """A call in progress."""

    def done(self) -> bool:
        """Return whether `result` would return or raise immediately."""

    def result(self) -> _ResultT_co:
        """Return the result, or raise the error."""


class TaskExecutor:
    """Runs tasks in order on one or more threads, which start with the first tasks.

    Parameters
    ----------
    name : str
        The name of the threads.
    thread_count : int
        The highest number of concurrent tasks; a further thread starts when all are busy.
    """

    def __init__(self, name: str, thread_count: int = 1) -> None:
        self._name = name
        self._thread_count = thread_count
        self._pool: ThreadPoolExecutor | None = None
        self._generation = generation()

    def submit(self, function: Callable[_P, _T], *args: _P.args, **keywords: _P.kwargs) -> Task[_T]:
        """Call `function` on the thread; return its task."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._thread_count, self._name)
        return self._pool.submit(function, *args, **keywords)

    def close(self) -> None:
        """Drop tasks that have not begun; running ones end normally."""
        if self._pool is not None and not is_forked(self._generation):
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = None
