"""Places that are named by a path of this machine, or by a URL of a file system elsewhere.

Stands for nothing of Java's.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

__all__ = ["above", "absolute", "is_url"]

_URL: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://")


def is_url(place: str | os.PathLike[str]) -> bool:
    """Tell whether it is a URL, such as ``s3://logs/node0``."""
    return _URL.match(os.fspath(place)) is not None


def absolute(place: str | os.PathLike[str]) -> str:
    """Return it such that it means the same in another directory, without a slash at its end."""
    if is_url(place):
        return os.fspath(place).rstrip("/")
    return str(Path(place).absolute())


def above(place: str) -> str:
    """Return the directory that an absolute path, or a URL, is in; of what is in none the same."""
    if not is_url(place):
        return str(Path(place).parent)
    scheme, _, inside = place.partition("://")
    return f"{scheme}://{inside.rpartition('/')[0]}" if "/" in inside else place
