"""Exit codes: one meaning for each, in all commands but ``tool``, which has Java's.

``docs/operating.md`` has them in a table.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NoReturn

import click

from aeron_cluster.errors import (
    AccessFileError,
    ConfigurationError,
    CorruptError,
    LogMismatchError,
    MessageError,
    NondeterminismError,
    PlatformError,
    ServiceCallbackError,
    SnapshotError,
    StateError,
    UnreadableFileError,
)

__all__ = ["ExitCode", "exit_code", "fail", "is_damage"]


class ExitCode(IntEnum):
    """The exit code of a command; 0 is success."""

    NO = 1
    """The answer is no, the request was rejected, or the process ended unexpectedly."""
    USAGE = 2
    """A usage error."""
    NOT_REACHABLE = 3
    """A resource is missing, in use, or does not answer."""
    DAMAGED = 4
    """A file is invalid."""
    INTERRUPTED = 130
    """Interrupted by Ctrl-C with work left."""


def exit_code(error: BaseException) -> ExitCode:
    """Return the exit code for an error."""
    match error:
        case ConfigurationError():
            return ExitCode.USAGE
        case UnreadableFileError():
            return ExitCode.NOT_REACHABLE
        case AccessFileError() | CorruptError() | MessageError():
            return ExitCode.DAMAGED
        case StateError() | ServiceCallbackError() | NondeterminismError():
            return ExitCode.NO
        case _:
            return ExitCode.NOT_REACHABLE


def is_damage(error: BaseException | None) -> bool:
    """Return whether an error, or its cause, is an invalid file."""
    while error is not None:
        if isinstance(error, CorruptError | SnapshotError):
            return True
        if isinstance(error, LogMismatchError):
            return error.is_damage
        error = error.__cause__
    return False


def _text(error: BaseException | str) -> str:
    """Return an error's text; of a system error the path first, without the number."""
    if isinstance(error, PlatformError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror[0].lower()}{error.strerror[1:]}"
    return str(error)


def fail(error: BaseException | str, code: ExitCode | None = None) -> NoReturn:
    """Print the problem in one line, and end the command.

    Parameters
    ----------
    error : BaseException or str
    code : ExitCode, optional
        By default that of the error; for a text, `ExitCode.NO`.
    """
    line = " ".join(_text(error).split())
    click.secho(f"error: {line}", fg="red", err=True)
    if code is None:
        code = exit_code(error) if isinstance(error, BaseException) else ExitCode.NO
    raise SystemExit(code)
