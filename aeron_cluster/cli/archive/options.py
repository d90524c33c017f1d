"""What the verbs for the directory of an archive share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from aeron_cluster.cli.options.member import as_json, reports_errors

if TYPE_CHECKING:
    from aeron_cluster.archive.storage.catalog import Recording

__all__ = ["archive_command", "bytes_text", "described", "recording_argument"]

_F = TypeVar("_F", bound=Callable[..., Any])


def archive_command(function: _F) -> _F:
    """Give a verb the directory of an archive, and print its errors in a line."""
    return click.argument("directory", metavar="DIR")(reports_errors(function))


def recording_argument(*, required: bool) -> Callable[[_F], _F]:
    """Give a verb the id of a recording, as ``recording_id``."""
    return click.argument(
        "recording_id",
        metavar="RECORDING" if required else "[RECORDING]",
        type=click.IntRange(0),
        required=required,
    )


def described(recording: Recording) -> dict[str, object]:
    """Return a frame of the catalog for programs: its state and checksum, and its descriptor."""
    return {
        "state": as_json(recording.state),
        "checksum": recording.checksum,
        **as_json(recording.descriptor),
    }


def bytes_text(length: int) -> str:
    """Return a number of bytes for people."""
    return f"{length:,} bytes"
