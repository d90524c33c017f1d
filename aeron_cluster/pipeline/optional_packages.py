"""Imports of optional packages."""

import importlib
from typing import Any

from aeron_cluster.errors import MissingPackageError

__all__ = ["require"]


def require(package: str, extra: str) -> Any:
    """Import and return a package.

    Raises
    ------
    MissingPackageError
        The package is not installed.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise MissingPackageError(package, f"aeron-cluster[{extra}]") from error
