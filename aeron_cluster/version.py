"""The version of this package."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

__all__ = ["__version__", "find_version"]


def find_version() -> str:
    """Return the version of the installed package, or else of the source tree."""
    try:
        return metadata.version("aeron-cluster")
    except metadata.PackageNotFoundError:
        project = Path(__file__).parents[1] / "pyproject.toml"
        if not project.is_file():
            return "unknown: neither installed nor in its source tree"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


__version__ = find_version()
