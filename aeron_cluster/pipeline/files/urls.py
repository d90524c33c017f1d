"""Local paths, and URLs of remote file systems.

No counterpart in Aeron.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from aeron_cluster.errors import ConfigurationError

__all__ = ["above", "absolute", "is_url", "local"]

# fsspec allows prefixes of caching file systems: simplecache::s3://logs.
_URL: Final = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.-]+::)*[a-zA-Z][a-zA-Z0-9+.-]+://")


def is_url(place: str | os.PathLike[str]) -> bool:
    """Return whether a place is a URL, such as ``s3://logs/node0``."""
    return _URL.match(os.fspath(place)) is not None


def absolute(place: str | os.PathLike[str]) -> str:
    """Return an absolute path, or the URL, without a trailing slash.

    Raises
    ------
    ConfigurationError
        The URL has a query: names of files cannot be appended.
    """
    if is_url(place):
        if "?" in os.fspath(place):
            hint = "fsspec and pyarrow.fs have settings for endpoints and credentials"
            raise ConfigurationError("path", "a URL without a query", os.fspath(place), hint)
        return os.fspath(place).rstrip("/")
    return str(Path(place).absolute())


def local(name: str, place: str | os.PathLike[str]) -> str:
    """Return an absolute local path.

    Parameters
    ----------
    name : str
        The option, for the error.
    place : str or PathLike

    Raises
    ------
    ConfigurationError
        The place is a URL; URLs are read-only.
    """
    if is_url(place):
        expected = "a local or mounted directory"
        raise ConfigurationError(name, expected, os.fspath(place), "URLs are read only")
    return str(Path(place).absolute())


def above(place: str) -> str:
    """Return the parent of an absolute path or URL; a root is its own parent."""
    if not is_url(place):
        return str(Path(place).parent)
    scheme, _, inside = place.partition("://")
    return f"{scheme}://{inside.rpartition('/')[0]}" if "/" in inside else place
