"""How long answers took: counted, not kept."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

__all__ = ["PERCENTILES", "LatencyHistogram"]

PERCENTILES: Final = (50.0, 90.0, 99.0, 99.9)
"""What people ask of a distribution, besides its maximum."""

# A value of more than 8 bits is kept by its highest 8, and by how many were cut off.
_BITS: Final = 7
_HALF: Final = 1 << _BITS
_BUCKETS: Final = _HALF * (64 - _BITS)


class LatencyHistogram:
    """Counts durations in buckets that are at most 1/128 of their value wide.

    Recording takes the same time and no memory whatever the number of values.

    Attributes
    ----------
    count : int
        The values recorded.
    max_ns : int
        The longest, exactly; 0 before the first.
    """

    def __init__(self) -> None:
        self.count = 0
        self.max_ns = 0
        self._counts = [0] * _BUCKETS

    def record(self, duration_ns: int) -> None:
        """Count a duration, in ns; a negative one counts as 0."""
        if duration_ns < 0:  # noqa: PLR1730 - as below
            duration_ns = 0
        cut = duration_ns.bit_length() - _BITS - 1
        index = duration_ns if cut <= 0 else (cut << _BITS) + (duration_ns >> cut)
        self._counts[index] += 1
        self.count += 1
        if duration_ns > self.max_ns:  # noqa: PLR1730 - once for each answer: max() costs a call
            self.max_ns = duration_ns

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
        for index, count in enumerate(self._counts):
            if count:
                cut = max(0, (index >> _BITS) - 1)
                lower_ns = (index - (cut << _BITS)) << cut
                yield lower_ns, min(lower_ns + (1 << cut) - 1, self.max_ns), count
