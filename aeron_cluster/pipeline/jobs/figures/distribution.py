"""How durations are distributed: counted, not kept, so that parts of a log can be put together.

Stands for nothing of Java's; what HdrHistogram is to others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["PERCENTILES", "Distribution"]

PERCENTILES: Final = (50.0, 90.0, 99.0, 99.9, 99.99)
"""What people ask of a distribution, besides its maximum."""

# A value of more than 8 bits is kept by its highest 8, and by how many were cut off.
_BITS: Final = 7
_BUCKETS: Final = (64 - _BITS) << _BITS


class Distribution:
    """Counts durations in buckets that are at most 1/128 of their value wide.

    Parameters
    ----------
    unit_ns : int
        Of the durations that are recorded.

    Attributes
    ----------
    count : int
        The values recorded.
    counts : numpy.ndarray
        Bucket by bucket.
    """

    def __init__(self, unit_ns: int = 1) -> None:
        self.count = 0
        self._unit_ns = unit_ns
        self._max = 0
        self.counts = np.zeros(_BUCKETS, np.int64)

    @property
    def max_ns(self) -> int:
        """The longest, exactly; 0 before the first."""
        return self._max * self._unit_ns

    def record(self, durations: npt.NDArray[np.int64]) -> None:
        """Count durations, none of them below 0."""
        if not len(durations):
            return
        bits = np.frexp(durations.astype(np.float64))[1].astype(np.int64)
        # Rounded to a float, a long one may seem to have a bit more.
        bits -= (durations >> np.clip(bits - 1, 0, 62) == 0) & (bits > 0)
        cut = np.maximum(bits - _BITS - 1, 0)
        self.counts += np.bincount((cut << _BITS) + (durations >> cut), minlength=_BUCKETS)
        self.count += len(durations)
        self._max = max(self._max, int(durations.max()))

    def add(self, other: Distribution) -> None:
        """Count what another one of the same unit counted, too."""
        self.count += other.count
        self._max = max(self._max, other.max_ns // self._unit_ns)
        self.counts += other.counts

    def percentile_ns(self, percentile: float) -> int:
        """Return the duration, in ns, that so many of a hundred values do not exceed.

        Parameters
        ----------
        percentile : float
            From 0 to 100.

        Returns
        -------
        int
            The upper end of the bucket in which it lies; 0 where nothing was recorded.
        """
        wanted = max(1, math.ceil(self.count * percentile / 100))
        seen = 0
        for _, upper_ns, count in self.buckets():
            seen += count
            if seen >= wanted:
                return upper_ns
        return 0

    def buckets(self) -> Iterator[tuple[int, int, int]]:
        """Give each bucket that is not empty, that of the shortest durations first.

        Yields
        ------
        tuple of int
            Its shortest and its longest duration, in ns, and how many it counted. The longest is
            never above ``max_ns``.
        """
        for index in np.flatnonzero(self.counts).tolist():
            cut = max(0, (index >> _BITS) - 1)
            lower = (index - (cut << _BITS)) << cut
            upper = min(lower + (1 << cut) - 1, self._max)
            yield lower * self._unit_ns, upper * self._unit_ns, int(self.counts[index])
