"""What the commands that look at a driver share: its directory."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.options.member import reports_errors
from aeron_cluster.config import default_aeron_dir
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.shared.cnc_file import CNC_FILE_NAME, CncFile
from aeron_cluster.memory.shared.mark_file import SILENT_AFTER_MS
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles

__all__ = ["driver_command", "find_driver", "open_driver"]

_F = TypeVar("_F", bound=Callable[..., Any])


def driver_command(function: _F) -> _F:
    """Add the driver's directory to a command, and print its errors on one line."""

    @click.argument("place", metavar="[DIR]", required=False)
    @click.option("--dir", "directory", metavar="DIR", help="The same: the driver's directory.")
    @functools.wraps(function)
    def call(place: str | None, directory: str | None, **keywords: Any) -> Any:  # noqa: ANN401 - whatever the command takes
        if place is not None and directory is not None:
            raise click.UsageError("the directory of one driver, as DIR or with --dir")
        return function(find_driver(place or directory), **keywords)

    return reports_errors(call)  # type: ignore[return-value]


def find_driver(given: str | None) -> str:
    """Return the directory of the driver that the options select.

    Without a directory and without AERON_DIR, it is the driver that runs in the default directory,
    or else the only running driver, such as a node's.
    """
    place = given or os.environ.get("AERON_DIR")
    if place is None:
        place = default_aeron_dir()
        others = neighboring_drivers(place)
        # The files of a driver that has ended may still be in the default directory.
        if len(others) == 1 and place not in others:
            (place,) = others
            click.echo(f"note: using the driver in {place}, the only one that is running", err=True)
    return place.removesuffix(f"/{CNC_FILE_NAME}")


@contextlib.contextmanager
def open_driver(directory: str) -> Iterator[CncFile]:
    """Open the CnC file of a driver, or end the command with a list of the running drivers."""
    try:
        cnc = CncFile.open(SystemFiles(), f"{directory}/{CNC_FILE_NAME}")
    except FileNotFoundError:
        others = neighboring_drivers(directory)
        hint = (
            f"there are drivers in {', '.join(others)}: give --dir"
            if others
            else "start one (aeron-cluster driver, or a node), or give the directory of another"
        )
        fail(f"no driver in {directory}; {hint}", ExitCode.NOT_REACHABLE)
    with cnc:
        yield cnc


def neighboring_drivers(place: str) -> list[str]:
    """Return the default locations of drivers that are running."""
    found = []
    for parent in dict.fromkeys((Path(place).parent, Path(default_aeron_dir()).parent)):
        for path in sorted(parent.glob(f"aeron-*/{CNC_FILE_NAME}")):
            with contextlib.suppress(AeronClusterError), CncFile.open(SystemFiles(), path) as cnc:
                if cnc.is_driver_active(SystemClock().epoch_ms(), SILENT_AFTER_MS):
                    found.append(str(path.parent))
    return found
