"""``--credentials FILE``: a command's credentials, where members have users."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from aeron_cluster.cluster.security.file_credentials import FileCredentials

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files

__all__ = ["credentials_option", "read_credentials"]

_F = TypeVar("_F", bound=Callable[..., Any])


def credentials_option(command: _F) -> _F:
    """Add the option to a command, as ``credentials``."""
    return click.option(
        "--credentials",
        metavar="FILE",
        help="Credentials for members that have users: name:password, in a private file.",
    )(command)


def read_credentials(path: str | None, files: Files) -> dict[str, Any]:
    """Return the keyword for a file's content; nothing without a file.

    Raises
    ------
    AccessFileError
        The file is invalid.
    """
    if path is None:
        return {}
    return {"credentials": FileCredentials(files, str(Path(path).absolute()))}
