"""The lines that a running process prints to standard error."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Generator
from typing import Any, Literal

import click

__all__ = ["Lines"]

_STYLES: dict[str, dict[str, Any]] = {"dim": {"dim": True}, "yellow": {"fg": "yellow"}}


class Lines:
    """Prints lines to standard error, by itself without rich: a node starts without importing it.

    Attributes
    ----------
    is_terminal : bool
    """

    def __init__(self) -> None:
        self.is_terminal = sys.stderr.isatty()

    def print(self, text: str, style: Literal["dim", "yellow"] | None = None) -> None:
        """Print a line; the style is for terminals only."""
        click.secho(text, err=True, **_STYLES.get(style or "", {}))

    @contextlib.contextmanager
    def status(self, text: str) -> Generator[Callable[[str], None], None, None]:
        """Show a text below the lines, on a terminal, until the block ends.

        Returns
        -------
        Callable
            Replaces the text.
        """
        from rich.console import Console  # noqa: PLC0415 - only on a terminal

        with Console(stderr=True, highlight=False).status(text) as status:
            yield status.update
