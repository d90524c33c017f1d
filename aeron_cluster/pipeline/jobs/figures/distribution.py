"""Distributions of durations as counts, which can be merged for parts of a log.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from aeron_cluster.pipeline.jobs.figures.buckets import BITS, BUCKET_COUNT, Buckets

__all__ = ["PERCENTILES", "Distribution"]

PERCENTILES: Final = (50.0, 90.0, 99.0, 99.9, 99.99)
"""The reported percentiles; the maximum is reported too."""


class Distribution(Buckets):
    """Counts durations in arrays.

    Parameters
    ----------
    unit_ns : int
        The unit of the recorded durations.

    Attributes
    ----------
    counts : numpy.ndarray
        The count of each bucket.
    """

    def __init__(self, unit_ns: int = 1) -> None:
        super().__init__(unit_ns)
        self.counts = np.zeros(BUCKET_COUNT, np.int64)

    def record(self, durations: npt.NDArray[np.int64]) -> None:
        """Count durations; none of them may be negative."""
        if not len(durations):
            return
        bits = np.frexp(durations.astype(np.float64))[1].astype(np.int64)
        # Rounding to a float may add a bit to a long duration.
        bits -= (durations >> np.clip(bits - 1, 0, 62) == 0) & (bits > 0)
        cut = np.maximum(bits - BITS - 1, 0)
        self.counts += np.bincount((cut << BITS) + (durations >> cut), minlength=BUCKET_COUNT)
        self.count += len(durations)
        self._max = max(self._max, int(durations.max()))

    def add(self, other: Distribution) -> None:
        """Add another distribution with the same unit."""
        self.count += other.count
        self._max = max(self._max, other.max_ns // self._unit_ns)
        self.counts += other.counts

    def _non_empty(self) -> Iterator[tuple[int, int]]:
        for index in np.flatnonzero(self.counts).tolist():
            yield index, int(self.counts[index])
