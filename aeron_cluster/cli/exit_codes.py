"""Exit codes: each has one meaning in all commands except ``tool``, which uses Java's.

``docs/operating.md`` lists them in a table.
"""

from __future__ import annotations

import errno
import os
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import click

from aeron_cluster.archive.protocol.error_codes import is_out_of_space
from aeron_cluster.errors import (
    AccessFileError,
    AeronClusterError,
    ConfigurationError,
    CorruptError,
    DirectoryInUseError,
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

__all__ = ["ExitCode", "end_code", "exit_code", "fail", "fail_at_end"]


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
    """A resource is missing, in use, exhausted, or does not answer."""
    DAMAGED = 4
    """A file is invalid."""
    INTERRUPTED = 130
    """Interrupted by Ctrl-C, or by SIGTERM in the command `sim`, with work left."""


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


def end_code(failure: BaseException) -> ExitCode:
    """Return the exit code of a process that ended unexpectedly: of the error or of its causes."""
    if isinstance(failure, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    error: BaseException | None = failure
    while error is not None:
        if isinstance(error, CorruptError | SnapshotError):
            return ExitCode.DAMAGED
        if isinstance(error, LogMismatchError):
            return ExitCode.DAMAGED if error.is_damage else ExitCode.NO
        if isinstance(error, Exception) and is_out_of_space(error):
            return ExitCode.NOT_REACHABLE
        error = error.__cause__
    return ExitCode.NO


def fail_at_end(process: str, failure: BaseException) -> NoReturn:
    """Print on one line why a process ended unexpectedly, and end the command with its code.

    Parameters
    ----------
    process : str
        The kind of process, such as ``node``.
    failure : BaseException
    """
    # SystemExit or KeyboardInterrupt of a service has no text, or only a number.
    name = "" if isinstance(failure, AeronClusterError) else f"{type(failure).__name__}: "
    code = end_code(failure)
    text = f"the {process} ended unexpectedly: {name}{failure}"
    if code == ExitCode.NOT_REACHABLE and "make room" not in text:
        text += ": make room, and start it again"
    fail(text, code)


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
    if isinstance(error, DirectoryInUseError):
        for option, directory in directories.items():
            if directory and _is_within(error.path, directory):
                return f"{error}; stop it, or choose another {option}"
    return str(error)


def _is_within(path: str, directory: str) -> bool:
    return Path(path).absolute().is_relative_to(Path(directory).absolute())


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
        The directories that the command creates and writes, by the options that name them: the
        remedy is named for the system's errors there, and for one that is in use.
    """
    line = " ".join(_text(error, directories or {}).split())
    click.secho(f"error: {line}", fg="red", err=True)
    if code is None:
        code = exit_code(error) if isinstance(error, BaseException) else ExitCode.NO
    raise SystemExit(code)
