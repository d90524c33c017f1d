"""Numbers, durations and times as text.

No counterpart in Aeron.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = [
    "NOTHING",
    "bytes_text",
    "count_text",
    "duration_text",
    "instant_text",
    "power_text",
    "time_text",
]

NOTHING: Final = "\u2013"
"""The text for a missing value."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FORMATS: Final = ((86400, "%d %b %H:%M"), (60, "%H:%M"), (1, "%H:%M:%S"))
_UNITS_NS: Final = (
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
)


def power_text(duration_ns: float) -> str:
    """Format a power of ten of ns, without minutes and hours, which are not powers of ten."""
    if duration_ns >= 1e9:  # noqa: PLR2004 - seconds
        return f"{duration_ns / 1e9:,.0f} s"
    return duration_text(duration_ns)


def time_text(time_s: float, step_s: float) -> str:
    """Format a time for an axis, in UTC, as precisely as the axis's step requires."""
    at = _EPOCH + timedelta(seconds=round(time_s, 6))
    if step_s >= 27 * 86400:
        return f"{at:%b %Y}"
    if step_s >= 60 and f"{at:%H:%M:%S}" == "00:00:00":  # noqa: PLR2004 - minutes
        return f"{at:%d %b}"
    form = next((form for least_s, form in _FORMATS if step_s >= least_s), "%H:%M:%S.%f")
    text = at.strftime(form)
    return text[:-3] if 0.001 <= step_s < 1 else text  # noqa: PLR2004 - milliseconds


def instant_text(time_s: float) -> str:
    """Format a time in UTC, to the millisecond."""
    at = _EPOCH + timedelta(seconds=round(time_s, 3))
    return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}"


def duration_text(duration_ns: float) -> str:
    """Format a duration, also a negative one by two clocks, with three significant digits."""
    if duration_ns < 0:
        return f"-{duration_text(-duration_ns)}"
    for unit, length in _UNITS_NS:
        if duration_ns >= length:
            return f"{_digits(duration_ns / length)} {unit}"
    return f"{duration_ns:.0f} ns"


def count_text(value: float) -> str:
    """Format a number: 12.5k, 3M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e4)):
        if abs(value) >= size:
            return f"{_digits(value / (1e3 if unit == 'k' else size))}{unit}"
    return f"{value:,.0f}" if value == int(value) else _digits(value)


def bytes_text(length: float) -> str:
    """Format a number of bytes."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if length >= size:
            return f"{_digits(length / size)} {unit}"
    return f"{length:,.0f} B"


def _digits(value: float) -> str:
    # From 999.5 on, three significant digits are those of 1000, with an exponent.
    return f"{value:.3g}" if abs(value) < 999.5 else f"{value:,.0f}"  # noqa: PLR2004
