"""The common options and output of commands for members: directory, JSON, times."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.core import ParameterSource

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.codecs.message import Message
from aeron_cluster.config import parse_digits, parse_duration_ns
from aeron_cluster.errors import AeronClusterError, ConfigurationError

if TYPE_CHECKING:
    from aeron_cluster.memory.shared.error_text import ErrorLogEntry

__all__ = [
    "archive_option",
    "as_json",
    "confirm",
    "confirm_change",
    "confirm_option",
    "confirmation_options",
    "duration_ns",
    "error_text",
    "format_size",
    "format_time",
    "group_option",
    "json_option",
    "member_command",
    "print_json",
    "recording_option",
    "reports_errors",
    "timeout_option",
]

_KIB: Final = 1024

_F = TypeVar("_F", bound=Callable[..., Any])


def member_command(function: _F) -> _F:
    """Add the member's directory to a command, and print its errors on one line."""
    return click.argument(
        "directory", metavar="[DIR]", default="aeron-cluster", envvar="AERON_CLUSTER_DIR"
    )(reports_errors(function))


def reports_errors(function: _F) -> _F:
    """Make a command print its errors on one line."""

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:  # noqa: ANN401 - whatever the command takes
        try:
            return function(*args, **keywords)
        except AeronClusterError as error:
            fail(error)

    return call  # type: ignore[return-value]


def duration_ns(context: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    """Return a duration with its unit, ``500ms`` or ``5s``, in ns.

    Aeron's properties and environment variables are in nanoseconds without a unit. On the command
    line the unit is required: ``5`` for 5 s would be wrong by nine orders of magnitude.
    """
    if text is None:
        return None
    source = context.get_parameter_source(parameter.name or "")
    is_typed = source is ParameterSource.COMMANDLINE
    if is_typed and parse_digits(text.strip()):
        raise click.BadParameter(
            f"expected a time with its unit, such as 10s or 500ms, found {text!r}"
        )
    try:
        return parse_duration_ns(parameter.human_readable_name, text)
    except ConfigurationError:
        raise click.BadParameter(
            f"expected a whole number with its unit, such as 10s or 500ms, found {text!r}"
        ) from None


def confirm_option(function: _F) -> _F:
    """Add ``--yes``, as ``yes``: see `confirm`."""
    return click.option(
        "--yes", is_flag=True, help="Do not ask for confirmation (only asked on a terminal)."
    )(function)


def confirm(yes: bool, what: str) -> None:
    """On a terminal, ask for confirmation of an irreversible action; end the command if denied."""
    if not yes and sys.stdin.isatty():
        click.confirm(f"{what} Continue?", abort=True, err=True)


def confirmation_options(function: _F) -> _F:
    """Add ``--dry-run`` and ``--yes``, as ``dry_run`` and ``yes``: see `confirm_change`."""
    dry_run = click.option("--dry-run", is_flag=True, help="Show what would be done, then exit.")
    yes = click.option("--yes", is_flag=True, help="Do not ask; required without a terminal.")
    return dry_run(yes(function))


def confirm_change(yes: bool, dry_run: bool, what: str) -> bool:
    """Return whether to perform the irreversible action that was shown.

    A dry run does nothing. On a terminal the user is asked; without a terminal, ``--yes`` is
    required.
    """
    if dry_run:
        return False
    if yes:
        return True
    if not sys.stdin.isatty():
        fail(f"nothing was changed. {what} Give --yes to do it.", ExitCode.NO)
    click.confirm(f"{what} Continue?", abort=True, err=True)
    return True


def timeout_option(function: _F) -> _F:
    """Add ``--timeout``, as ``timeout_ns``."""
    return click.option(
        "--timeout",
        "timeout_ns",
        callback=duration_ns,
        default="0",
        envvar="AERON_CLUSTER_TOOL_TIMEOUT",
        metavar="TIME",
        help="How long to wait for the member, as in 5s; by default without limit.",
    )(function)


def json_option(function: _F) -> _F:
    """Add ``--json``, as ``is_json``."""
    return click.option("--json", "is_json", is_flag=True, help="Print one JSON object.")(function)


def archive_option(function: _F) -> _F:
    """Add ``--archive-dir``, as ``archive_dir``."""
    return click.option(
        "--archive-dir",
        metavar="DIR",
        envvar="AERON_ARCHIVE_DIR",
        help="The archive's directory; by default the running archive is queried, or else the"
        " directory archive next to the cluster's is read.",
    )(function)


# ---- printing ----


def as_json(value: object) -> Any:  # noqa: ANN401 - what json takes
    """Return a value for `json`: objects by their fields, enums by their names."""
    match value:
        case Enum():
            return value.name
        case bytes():
            return value.hex()
        case Message():
            return {name: as_json(getattr(value, name)) for name in type(value).__slots__}
        case dict():
            return {str(key): as_json(each) for key, each in value.items()}
        case list() | tuple():
            return [as_json(each) for each in value]
        case _ if is_dataclass(value) and not isinstance(value, type):
            return {each.name: as_json(getattr(value, each.name)) for each in fields(value)}
        case _:
            return value


def print_json(**values: object) -> None:
    """Print one JSON object, on one line."""
    click.echo(json.dumps(as_json(values)))


def format_time(epoch_ms: int, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """Format a time, in ms since 1970, in the local time zone.

    A time out of range, such as that of a starting member, is returned as the number.
    """
    try:
        return datetime.fromtimestamp(epoch_ms / 1000).astimezone().strftime(form)
    except (OverflowError, ValueError, OSError):
        return str(epoch_ms)


def error_text(error: ErrorLogEntry) -> str:
    """Return an observed error as text: its count, time and message."""
    times = f"{error.observation_count} x" if error.observation_count > 1 else "once"
    return f"{times}, last {format_time(error.last_observation_ms)}: {error.text}"


def format_size(length: float) -> str:
    """Return a size as text, in bytes, KiB and so on."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if length < _KIB:
            return f"{length:.0f} {unit}" if unit == "bytes" else f"{length:.1f} {unit}"
        length /= _KIB
    return f"{length:.1f} TiB"


recording_option = click.option(
    "--recording",
    "recording_id",
    type=int,
    metavar="ID",
    help="The recording of the log, if no recording log has it.",
)

group_option = click.option(
    "--group",
    metavar="NAME",
    help="A group of this machine that may use the created files; by default only their owner may.",
)
