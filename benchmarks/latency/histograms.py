"""Histograms of round trips, their files, and their percentiles in a table.

Each start of a side has a histogram of each load. The files have HdrHistogram's formats: ``.hgrm``
is the distribution of all starts in microseconds, ``.hlog`` has an interval for each start.
"""

import statistics
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogWriter

__all__ = ["PERCENTILES", "Spread", "histogram_of", "merged", "spreads", "write_files"]

LONGEST_NS = 600_000_000_000
DIGITS = 3
PERCENTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p99.9": 99.9, "p99.99": 99.99, "max": 100.0}
NS_IN_US = 1000.0

Spread = tuple[float, float, float]
"""Median, least and greatest value of the starts."""


def histogram_of(times: Path) -> HdrHistogram:
    """Return the histogram of a file of round trips: little-endian int64, ns."""
    found = HdrHistogram(1, LONGEST_NS, DIGITS)
    values, counts = np.unique(np.fromfile(times, "<i8"), return_counts=True)
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        if not found.record_value(max(value, 1), count):
            raise ValueError(f"{times}: a round trip of {value} ns, expected to {LONGEST_NS}")
    return found


def merged(starts: Sequence[HdrHistogram]) -> HdrHistogram:
    """Return the histogram of all starts."""
    every = HdrHistogram(1, LONGEST_NS, DIGITS)
    for one in starts:
        every.add(one)
    return every


def spreads(starts: Sequence[HdrHistogram]) -> dict[str, Spread]:
    """Return the median of the starts and their range for each percentile, in ns."""
    found = {}
    for name, percentile in PERCENTILES.items():
        values = [float(one.get_value_at_percentile(percentile)) for one in starts]
        found[name] = (statistics.median(values), min(values), max(values))
    return found


def write_files(folder: Path, name: str, starts: Sequence[HdrHistogram]) -> None:
    """Write both files of one side and load."""
    with (folder / f"{name}.hgrm").open("wb") as file:
        merged(starts).output_percentile_distribution(file, NS_IN_US)
    with (folder / f"{name}.hlog").open("w", encoding="ascii") as log:
        writer = HistogramLogWriter(log)
        writer.output_log_format_version()
        writer.output_comment(f"[{name}: an interval for each start; values in ns]")
        writer.output_legend()
        for number, one in enumerate(starts):
            writer.output_interval_histogram(one, number + 1, number + 2)
