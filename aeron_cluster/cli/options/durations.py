"""Durations as commands read and print them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click import Context, Parameter

__all__ = ["Seconds", "format_ns"]

_TEN, _HUNDRED = 9.995, 99.95  # where rounding adds a digit
_US, _MS, _S = 1_000, 1_000_000, 1_000_000_000


class Seconds(click.FloatRange):
    """Seconds within bounds; ``nan`` is rejected."""

    name = "seconds"

    def convert(self, value: Any, param: Parameter | None, ctx: Context | None) -> float:  # noqa: ANN401 - as click declares it
        """Return the number in a text."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"{value} is not a number of seconds.", param, ctx)
        return seconds


def format_ns(duration_ns: float) -> str:
    """Return a duration as text, with three significant digits."""
    for unit, length in (("s", _S), ("ms", _MS), ("us", _US)):
        if duration_ns >= length:
            return f"{_three_digits(duration_ns / length)} {unit}"
    return f"{duration_ns:.0f} ns"


def _three_digits(value: float) -> str:
    decimals = 2 if value < _TEN else 1 if value < _HUNDRED else 0
    return f"{value:.{decimals}f}"
