"""What commands end with: one meaning for each code, in all of them but ``tool``, which has Java's.

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
    """How a command ended; 0 where it did what was asked."""

    NO = 1
    """The answer is no, it was rejected, or what ran ended unexpectedly."""
    USAGE = 2
    """It was asked wrongly."""
    NOT_REACHABLE = 3
    """What it needs is not there, is in use, or does not answer."""
    DAMAGED = 4
    """A file is not what it has to be."""
    INTERRUPTED = 130
    """By Ctrl-C, where it had something left to do."""


def exit_code(error: BaseException) -> ExitCode:
    """Return what a command ends with after an error."""
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
    """Return whether an error, or its cause, is a file that is not what it has to be."""
    while error is not None:
        if isinstance(error, CorruptError | SnapshotError):
            return True
        if isinstance(error, LogMismatchError):
            return error.is_damage
        error = error.__cause__
    return False


def _text(error: BaseException | str) -> str:
    """Return an error's text; of one of the system's the path first, and no number."""
    if isinstance(error, PlatformError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror[0].lower()}{error.strerror[1:]}"
    return str(error)


def fail(error: BaseException | str, code: ExitCode | None = None) -> NoReturn:
    """Print in a line what is wrong, and end the command.

    Parameters
    ----------
    error : BaseException or str
    code : ExitCode, optional
        Left out, that of the error; of a text, `ExitCode.NO`.
    """
    line = " ".join(_text(error).split())
    click.secho(f"error: {line}", fg="red", err=True)
    if code is None:
        code = exit_code(error) if isinstance(error, BaseException) else ExitCode.NO
    raise SystemExit(code)
