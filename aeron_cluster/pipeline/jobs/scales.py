"""Where values stand along an axis of a plot, and what is written there.

Stands for nothing of Java's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = [
    "NOTHING",
    "Scale",
    "bytes_text",
    "count_text",
    "duration_text",
    "durations",
    "instant_text",
    "linear",
    "linear_durations",
    "times",
]

NOTHING: Final = "\u2013"
"""What stands for no value."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_STEPS_S: Final = (
    *(base * 10.0**power for power in range(-3, 1) for base in (1, 2, 5)),
    *(10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0),
    *(3600.0, 7200.0, 10800.0, 21600.0, 43200.0, 86400.0, 172800.0, 604800.0),
)
_UNITS_NS: Final = (
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
)


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis.

    Parameters
    ----------
    low, high : float
        What stands at its ends.
    ticks : tuple of (float, str)
        What is written, and where.
    is_log : bool
        Whether equal distances are equal factors; `low` is above 0 then.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    is_log: bool = False

    def place(self, value: float) -> float:
        """Return where a value stands, from 0 at the low end to 1 at the high one."""
        if self.is_log:
            share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return min(max(share, 0.0), 1.0)


def linear(high: float, count: int = 4) -> Scale:
    """Return a scale from 0 to at least a value, with about so many ticks."""
    high = max(high, 1e-9)
    rough = high / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(base * power for base in (1, 2, 2.5, 5, 10) if base * power >= rough * (1 - 1e-9))
    steps = math.ceil(high / step - 1e-9)
    return Scale(
        0,
        steps * step,
        tuple((index * step, count_text(index * step)) for index in range(steps + 1)),
    )


def linear_durations(high_ns: float) -> Scale:
    """Return a scale of durations from 0 to at least one of them."""
    unit, length = next((each for each in _UNITS_NS if high_ns >= each[1]), ("ns", 1))
    found = linear(high_ns / length)
    ticks = tuple((value * length, f"{value:g} {unit}") for value, _ in found.ticks)
    return Scale(0, found.high * length, ticks)


def durations(low_ns: float, high_ns: float) -> Scale:
    """Return a scale of durations in which each factor of ten is as wide."""
    first = math.floor(math.log10(max(low_ns, 1)))
    last = max(math.ceil(math.log10(max(high_ns, 1)) - 1e-9), first + 1)
    every = -(-(last - first) // 6)
    ticks = ((10.0**power, duration_text(10.0**power)) for power in range(first, last + 1, every))
    return Scale(10.0**first, 10.0**last, tuple(ticks), is_log=True)


def times(begin_s: float, end_s: float, count: int) -> Scale:
    """Return a scale of time, in seconds since 1970, with about so many ticks."""
    end_s = max(end_s, begin_s + 0.001)
    rough = (end_s - begin_s) / count
    step = next((each for each in _STEPS_S if each >= rough), math.ceil(rough / 604800) * 604800)
    first = math.ceil(begin_s / step - 1e-9)
    last = math.floor(end_s / step + 1e-9)
    ticks = tuple(
        (index * step, _time_text(index * step, step)) for index in range(first, last + 1)
    )
    return Scale(begin_s, end_s, ticks)


def _time_text(time_s: float, step: float) -> str:
    at = _EPOCH + timedelta(seconds=round(time_s, 3))
    if step >= 86400:  # noqa: PLR2004 - days
        return f"{at:%d %b}"
    if step >= 60:  # noqa: PLR2004 - minutes
        return f"{at:%H:%M}"
    if step >= 1:
        return f"{at:%H:%M:%S}"
    return f"{at:%H:%M:%S}.{at.microsecond // 1000:03d}"


def instant_text(time_s: float) -> str:
    """Return a time for people, to the millisecond; UTC."""
    at = _EPOCH + timedelta(seconds=round(time_s, 3))
    return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}"


def duration_text(duration_ns: float) -> str:
    """Return a duration for people, with three digits that count."""
    for unit, length in _UNITS_NS:
        if duration_ns >= length:
            return f"{_digits(duration_ns / length)} {unit}"
    return f"{duration_ns:.0f} ns"


def count_text(value: float) -> str:
    """Return a number for people: 12.5k, 3M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e4)):
        if abs(value) >= size:
            return f"{_digits(value / (1e3 if unit == 'k' else size))}{unit}"
    return f"{value:,.0f}" if value == int(value) else _digits(value)


def bytes_text(length: float) -> str:
    """Return how many bytes, for people."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if length >= size:
            return f"{_digits(length / size)} {unit}"
    return f"{length:,.0f} B"


def _digits(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"  # noqa: PLR2004
