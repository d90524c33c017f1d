"""A histogram of latencies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from aeron_cluster.pipeline.jobs.figures.buckets import BITS, BUCKET_COUNT, Buckets

__all__ = ["PERCENTILES", "LatencyHistogram"]

PERCENTILES: Final = (50.0, 90.0, 99.0, 99.9)
"""The reported percentiles; the maximum is reported too."""


class LatencyHistogram(Buckets):
    """Counts durations in constant time and memory."""

    def __init__(self) -> None:
        super().__init__()
        self._counts = [0] * BUCKET_COUNT

    def record(self, duration_ns: int) -> None:
        """Count a duration, in ns; a negative one counts as 0."""
        if duration_ns < 0:  # noqa: PLR1730 - as below
            duration_ns = 0
        shift = duration_ns.bit_length() - BITS - 1
        index = duration_ns if shift <= 0 else (shift << BITS) + (duration_ns >> shift)
        self._counts[index] += 1
        self.count += 1
        if duration_ns > self._max:  # noqa: PLR1730 - once for each answer: max() costs a call
            self._max = duration_ns

    def _non_empty(self) -> Iterator[tuple[int, int]]:
        return ((index, count) for index, count in enumerate(self._counts) if count)
