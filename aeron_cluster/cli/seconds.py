"""A number of seconds on the command line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click import Context, Parameter

__all__ = ["Seconds"]


class Seconds(click.FloatRange):
    """Seconds within bounds; what is no number (``nan``) is within none."""

    name = "seconds"

    def convert(self, value: Any, param: Parameter | None, ctx: Context | None) -> float:  # noqa: ANN401 - as click says it
        """Return the number that a text says."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"{value} is no number of seconds.", param, ctx)
        return seconds
