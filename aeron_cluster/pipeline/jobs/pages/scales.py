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
_WEEK_S: Final = 604800.0
_STEPS_S: Final = (
    *(base * 10.0**power for power in range(-3, 1) for base in (1, 2, 5)),
    *(10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0),
    *(3600.0, 7200.0, 10800.0, 21600.0, 43200.0, 86400.0, 172800.0, _WEEK_S),
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


def linear(high: float, count: int = 4, *, is_complete: bool = False) -> Scale:
    """Return a scale from 0 to at least a value.

    Parameters
    ----------
    high : float
    count : int
        How many ticks it has, about.
    is_complete : bool
        Whether it is of what there are no parts of.
    """
    high = max(high, 1e-9)
    rough = high / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(
        base * power
        for base in (1, 2, 2.5, 5, 10)
        if base * power >= rough * (1 - 1e-9) and not (is_complete and base * power % 1)
    )
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
    ticks = ((10.0**power, _power_text(power)) for power in range(first, last + 1, every))
    return Scale(10.0**first, 10.0**last, tuple(ticks), is_log=True)


def _power_text(power: int) -> str:
    """Return a power of ten of ns; minutes and hours are no powers of ten of it."""
    if power >= 9:  # noqa: PLR2004 - seconds
        return f"{10 ** (power - 9):,} s"
    return duration_text(10.0**power)


def times(begin_s: float, end_s: float, count: int) -> Scale:
    """Return a scale of time, in seconds since 1970.

    Parameters
    ----------
    begin_s, end_s : float
    count : int
        How many ticks there is room for; of those with milliseconds for two in three.
    """
    end_s = max(end_s, begin_s + 0.001)
    weeks = math.ceil((end_s - begin_s) / count / _WEEK_S) * _WEEK_S
    step = next((each for each in _STEPS_S if _has_room(begin_s, end_s, each, count)), weeks)
    first, last = _multiples(begin_s, end_s, step)
    ticks = tuple(
        (index * step, _time_text(index * step, step)) for index in range(first, last + 1)
    )
    if len(ticks) < 2:  # noqa: PLR2004 - one shows no scale
        ticks = tuple((each, _end_text(each, step)) for each in (begin_s, end_s))
    return Scale(begin_s, end_s, ticks)


def _has_room(begin_s: float, end_s: float, step: float, count: int) -> bool:
    first, last = _multiples(begin_s, end_s, step)
    return last - first < (count if step >= 1 else count * 2 // 3)


def _multiples(begin_s: float, end_s: float, step: float) -> tuple[int, int]:
    """Return the first and the last multiple of a step between two times."""
    return math.ceil(begin_s / step - 1e-9), math.floor(end_s / step + 1e-9)


def _end_text(time_s: float, step: float) -> str:
    """Return a time that is no multiple of a step, more exactly than one that is."""
    if step >= 86400:  # noqa: PLR2004 - days
        return f"{_EPOCH + timedelta(seconds=time_s):%d %b %H:%M}"
    return _time_text(time_s, step / 60)


def _time_text(time_s: float, step: float) -> str:
    at = _EPOCH + timedelta(seconds=round(time_s, 3))
    is_midnight = (at.hour, at.minute) == (0, 0)
    if step >= 86400 or (step >= 60 and is_midnight):  # noqa: PLR2004 - days, minutes
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
