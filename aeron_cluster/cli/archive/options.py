"""Arguments and output shared by the verbs for an archive's directory."""

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
    """Add the directory of an archive to a verb, and print its errors in one line."""
    return click.argument("directory", metavar="DIR")(reports_errors(function))


def recording_argument(*, required: bool) -> Callable[[_F], _F]:
    """Add the id of a recording to a verb, as ``recording_id``."""
    return click.argument(
        "recording_id",
        metavar="RECORDING" if required else "[RECORDING]",
        type=click.IntRange(0),
        required=required,
    )


def described(recording: Recording) -> dict[str, object]:
    """Return a catalog entry as a JSON object: its state, checksum and descriptor."""
    return {
        "state": as_json(recording.state),
        "checksum": recording.checksum,
        **as_json(recording.descriptor),
    }


def bytes_text(length: int) -> str:
    """Return a number of bytes as text."""
    return f"{length:,} bytes"
