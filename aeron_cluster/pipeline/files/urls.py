"""Places that are named by a path of this machine, or by a URL of a file system elsewhere.

No counterpart in Aeron.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from aeron_cluster.errors import ConfigurationError

__all__ = ["above", "absolute", "is_url", "local"]

# Before it fsspec takes file systems that keep what they read of it: simplecache::s3://logs.
_URL: Final = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.-]+::)*[a-zA-Z][a-zA-Z0-9+.-]+://")


def is_url(place: str | os.PathLike[str]) -> bool:
    """Return whether it is a URL, such as ``s3://logs/node0``."""
    return _URL.match(os.fspath(place)) is not None


def absolute(place: str | os.PathLike[str]) -> str:
    """Return it such that it means the same in another directory, without a slash at its end.

    Raises
    ------
    ConfigurationError
        It is a URL with a query: names of files are appended to it.
    """
    if is_url(place):
        if "?" in os.fspath(place):
            hint = "fsspec and pyarrow.fs have settings for endpoints and credentials"
            raise ConfigurationError("path", "a URL without a query", os.fspath(place), hint)
        return os.fspath(place).rstrip("/")
    return str(Path(place).absolute())


def local(name: str, place: str | os.PathLike[str]) -> str:
    """Return an absolute path of this machine.

    Parameters
    ----------
    name : str
        The option, for the error.
    place : str or PathLike

    Raises
    ------
    ConfigurationError
        It is a URL: those are read only.
    """
    if is_url(place):
        expected = "a directory that this machine has, or mounts"
        raise ConfigurationError(name, expected, os.fspath(place), "URLs are read only")
    return str(Path(place).absolute())


def above(place: str) -> str:
    """Return the directory that an absolute path, or a URL, is in; of what is in none the same."""
    if not is_url(place):
        return str(Path(place).parent)
    scheme, _, inside = place.partition("://")
    return f"{scheme}://{inside.rpartition('/')[0]}" if "/" in inside else place
