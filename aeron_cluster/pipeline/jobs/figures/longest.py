"""The longest gaps, with their log positions.

No counterpart in Aeron.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Longest", "Pause"]

_MAX_COUNT: Final = 100


class Pause(NamedTuple):
    """A duration without entries; pauses are ordered by length.

    Parameters
    ----------
    length : int
        The length, in the log's time unit.
    time : int
        The time at which it ended.
    position : int
        The position of the entry that ended it.
    session : int
        The session; 0 for none.
    """

    length: int
    time: int
    position: int
    session: int


class Longest:
    """Keeps the hundred longest pauses."""

    def __init__(self) -> None:
        self._kept: list[Pause] = []

    def __iter__(self) -> Iterator[Pause]:
        """Yield the pauses, longest first."""
        return iter(sorted(self._kept, reverse=True))

    def put(
        self,
        lengths: npt.NDArray[np.int64],
        times: npt.NDArray[np.int64],
        positions: npt.NDArray[np.int64],
        sessions: npt.NDArray[np.int64],
    ) -> None:
        """Keep the gaps that are among the longest; ignore gaps below 1."""
        threshold = self._kept[0].length if len(self._kept) == _MAX_COUNT else 0
        selected = np.flatnonzero(lengths > threshold)
        if len(selected) > _MAX_COUNT:
            order = np.argsort(lengths[selected], kind="stable")
            selected = np.sort(selected[order[-_MAX_COUNT:]])
        columns = (lengths, times, positions, sessions)
        for values in zip(*(each[selected].tolist() for each in columns), strict=True):
            self.keep(Pause(*values))

    def keep(self, pause: Pause) -> None:
        """Keep a pause if it is among the longest."""
        if pause.length < 1:
            return
        if len(self._kept) < _MAX_COUNT:
            heapq.heappush(self._kept, pause)
        else:
            heapq.heappushpop(self._kept, pause)

    def add(self, other: Longest) -> None:
        """Merge another one."""
        for pause in other:
            self.keep(pause)
