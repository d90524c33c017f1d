"""The progress reports of jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

__all__ = ["Progress", "no_progress"]

# Called with the name of the current step, and its completed and total bytes or pieces.
Progress: TypeAlias = Callable[[str, int, int], object]


def no_progress(what: str, done: int, total: int) -> None:
    """Report nothing."""
