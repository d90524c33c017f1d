"""Exit codes: each has one meaning in all commands except ``tool``, which uses Java's.

``docs/operating.md`` lists them in a table.
"""

from __future__ import annotations

import errno
import os
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NoReturn

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

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ExitCode", "exit_code", "fail", "is_damage"]


_REMEDIES: Final = {
    errno.ENOSPC: "make room, or name another directory",
    errno.EDQUOT: "make room, or name another directory",
    errno.ENOENT: "name a directory that can be created and written",
    errno.ENOTDIR: "name a directory that can be created and written",
    errno.EACCES: "name a directory that this user may create and write",
    errno.EPERM: "name a directory that this user may create and write",
    errno.EROFS: "name a directory on a file system that can be written",
}


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
    """Return whether an error or its cause is due to an invalid file."""
    while error is not None:
        if isinstance(error, CorruptError | SnapshotError):
            return True
        if isinstance(error, LogMismatchError):
            return error.is_damage
        error = error.__cause__
    return False


def _text(error: BaseException | str, directories: Mapping[str, str | None]) -> str:
    """Return an error's text; for a system error, begin with the path and omit the number."""
    if isinstance(error, PlatformError) and error.filename is not None and error.strerror:
        text = f"{error.filename}: {error.strerror[0].lower()}{error.strerror[1:]}"
        remedy = _REMEDIES.get(error.errno or 0)
        if remedy and error.strerror == os.strerror(error.errno or 0):  # none is in it yet
            for option, directory in directories.items():
                if directory and f"{error.filename}/".startswith(f"{directory.rstrip('/')}/"):
                    return f"{text}; {remedy} ({option})"
        return text
    return str(error)


def fail(
    error: BaseException | str,
    code: ExitCode | None = None,
    *,
    directories: Mapping[str, str | None] | None = None,
) -> NoReturn:
    """Print the problem on one line and end the command.

    Parameters
    ----------
    error : BaseException or str
    code : ExitCode, optional
        By default the error's exit code; for a text, `ExitCode.NO`.
    directories : Mapping of str to str, optional
        The directories that the command creates and writes, by the options that name them: of the
        system's errors there the remedy is named.
    """
    line = " ".join(_text(error, directories or {}).split())
    click.secho(f"error: {line}", fg="red", err=True)
    if code is None:
        code = exit_code(error) if isinstance(error, BaseException) else ExitCode.NO
    raise SystemExit(code)
