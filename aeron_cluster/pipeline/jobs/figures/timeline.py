"""Figures by intervals of time. Intervals are merged while a log is read, to limit their number.

No counterpart in Aeron.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.jobs.figures.outlier_times import outlier_time
from aeron_cluster.pipeline.scan.log_times import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

__all__ = ["Timeline"]

# 1 ms to a week; each one divides the next, so that intervals can be merged.
_INTERVALS_NS: Final = tuple(
    ms * 1_000_000
    for ms in (1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000)
)
_MAX_BUCKETS: Final = 1000


class Timeline:
    """Sums and maxima of figures in each interval.

    Parameters
    ----------
    units : int
        Time units per second.
    sums, maxima : tuple of str
        The names of summed figures, and of figures with a maximum.
    interval_s : float, optional
        The interval; by default the shortest, from 1 ms to a day, with at most a thousand
        intervals. It does not depend on the order of parts.
    """

    def __init__(
        self,
        units: int,
        sums: tuple[str, ...] = (),
        maxima: tuple[str, ...] = (),
        interval_s: float | None = None,
    ) -> None:
        self._units = units
        self._sums = sums
        self._names = (*sums, *maxima)
        self._is_fixed = interval_s is not None
        if interval_s is not None and not abs(interval_s) * units < outlier_time(units):
            expected = f"a number below {outlier_time(units) // units}"
            raise ConfigurationError("interval_s", expected, interval_s)
        self._interval_ns = _INTERVALS_NS[0] if interval_s is None else round(interval_s * NS_PER_S)
        if self._interval_ns * units % NS_PER_S or self.interval < 1:
            expected = f"a multiple of the unit of the log's times, {1 / units:g}"
            raise ConfigurationError("interval_s", expected, interval_s)
        self._rows: dict[int, list[int]] = {}

    @property
    def interval_ns(self) -> int:
        """The interval, in ns."""
        return self._interval_ns

    @property
    def interval(self) -> int:
        """The interval, in time units."""
        return self._interval_ns * self._units // NS_PER_S

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the figures."""
        return self._names

    def put(self, times: npt.NDArray[np.int64], **figures: npt.NDArray[np.int64]) -> None:
        """Add figures at times, in time units."""
        if not len(times):
            return
        # First, so that a batch does not create thousands of intervals.
        self._make_room(int(times.min()), int(times.max()))
        found, index = np.unique(times // self.interval, return_inverse=True)
        columns = []
        for name in self._names:
            # The maxima by interval, beginning with the lowest possible value.
            values = np.zeros(len(found), np.int64)
            operation = np.add if name in self._sums else np.maximum
            operation.at(values, index, figures[name])
            columns.append(values.tolist())
        for key, *row in zip(found.tolist(), *columns, strict=True):
            self._put(key, row)

    def add(self, other: Timeline) -> None:
        """Merge another timeline of the same figures."""
        other = copy.deepcopy(other)
        while other.interval_ns < self.interval_ns:
            other.coarsen()
        while self.interval_ns < other.interval_ns:
            self.coarsen()
        rows = other.rows()
        if rows:
            self._make_room(rows[0][0], rows[-1][0])
        for begin, values in rows:
            self._put(begin // self.interval, values)

    def rows(self) -> list[tuple[int, list[int]]]:
        """Return the begins of non-empty intervals and their figures, sorted by time."""
        return [(key * self.interval, values) for key, values in sorted(self._rows.items())]

    def drawn(self) -> Self:
        """Return rows whose figures end with their intervals, few enough for a plot."""
        drawn = copy.deepcopy(self)
        while drawn.breadth > _MAX_BUCKETS and drawn.coarsen():
            pass
        drawn.fill()
        return drawn

    @property
    def breadth(self) -> int:
        """The number of intervals from the first to the last non-empty one."""
        return max(self._rows) - min(self._rows) + 1 if self._rows else 0

    def coarsen(self) -> bool:
        """Merge intervals into longer ones; return False if there is no longer interval."""
        longer = next((each for each in _INTERVALS_NS if self._is_multiple(each)), None)
        if longer is None:
            return False
        times = longer // self._interval_ns
        self._interval_ns = longer
        rows, self._rows = self._rows, {}
        for key, values in rows.items():
            self._put(key // times, values)
        return True

    def fill(self) -> None:
        """Add rows for empty intervals in between; of too many, only for the first of each hole."""
        keys: Iterable[int] = range(min(self._rows, default=0), max(self._rows, default=0))
        if self.breadth > _MAX_BUCKETS:
            keys = [key + 1 for key in sorted(self._rows)[:-1]]
        for key in keys:
            self._rows.setdefault(key, [0] * len(self._names))

    def _put(self, key: int, values: list[int]) -> None:
        known = self._rows.get(key)
        if known is None:
            self._rows[key] = list(values)
            return
        for place, value in enumerate(values):
            if place < len(self._sums):
                known[place] += value
            else:
                known[place] = max(known[place], value)

    def _make_room(self, first: int, last: int) -> None:
        """Lengthen intervals until there are few enough between two times."""
        while not self._is_fixed:
            keys = [first // self.interval, last // self.interval]
            if self._rows:
                keys += [min(self._rows), max(self._rows)]
            if max(keys) - min(keys) < _MAX_BUCKETS or not self.coarsen():
                return

    def _is_multiple(self, interval_ns: int) -> bool:
        return interval_ns > self._interval_ns and interval_ns % self._interval_ns == 0
