"""Histogram buckets of durations, selected by their highest bits, and percentiles.

No counterpart in Aeron; similar to HdrHistogram.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Final

__all__ = ["BITS", "BUCKET_COUNT", "Buckets"]

# A value of more than 8 bits is represented by its highest 8 bits and an exponent.
BITS: Final = 7
BUCKET_COUNT: Final = (64 - BITS) << BITS


class Buckets(ABC):
    """Durations in buckets; a bucket's width is at most 1/128 of its value.

    Parameters
    ----------
    unit_ns : int
        The unit of the recorded durations.

    Attributes
    ----------
    count : int
        The number of recorded values.
    """

    def __init__(self, unit_ns: int = 1) -> None:
        self.count = 0
        self._unit_ns = unit_ns
        self._max = 0

    @property
    def max_ns(self) -> int:
        """The exact longest duration; 0 before the first."""
        return self._max * self._unit_ns

    @abstractmethod
    def _non_empty(self) -> Iterator[tuple[int, int]]:
        """Yield the index and the count of each non-empty bucket."""

    def percentile_ns(self, percentile: float) -> int:
        """Return a percentile of the durations, in ns.

        Parameters
        ----------
        percentile : float
            From 0 to 100.

        Returns
        -------
        int
            The upper bound of its bucket; 0 if nothing was recorded.
        """
        wanted = max(1, math.ceil(self.count * percentile / 100))
        seen = 0
        for _, upper_ns, count in self.buckets():
            seen += count
            if seen >= wanted:
                return upper_ns
        return 0

    def buckets(self) -> Iterator[tuple[int, int, int]]:
        """Yield the non-empty buckets in ascending order.

        Yields
        ------
        tuple of int
            The bounds of the bucket in ns, and its count. The upper bound is at most ``max_ns``.
        """
        for index, count in self._non_empty():
            shift = max(0, (index >> BITS) - 1)
            lower = (index - (shift << BITS)) << shift
            upper = min(lower + (1 << shift) - 1, self._max)
            yield lower * self._unit_ns, upper * self._unit_ns, count
