"""The console of commands that print tables and colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Console

from aeron_cluster.cli.options.member import error_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aeron_cluster.memory.shared.error_text import ErrorLogEntry

__all__ = ["console", "print_error_logs"]

_PLAIN_WIDTH: Final = 200


def console() -> Console:
    """Return the console; 200 columns wide if the output is not a terminal."""
    out = Console(highlight=False)
    return out if out.is_terminal else Console(highlight=False, width=_PLAIN_WIDTH)


def print_error_logs(logs: Iterable[tuple[str, str, Sequence[ErrorLogEntry]]]) -> None:
    """Print error logs.

    Parameters
    ----------
    logs : iterable of tuple
        For each log: its owner, path and entries.
    """
    out = console()
    for of, path, errors in logs:
        out.print(f"{of} ({path})", style="bold", markup=False, soft_wrap=True)
        for each in errors:
            out.print(error_text(each), markup=False, soft_wrap=True)
        out.print(f"{len(errors)} distinct errors observed", style="dim")
