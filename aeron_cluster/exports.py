"""Load the exports of a package when they are first used (PEP 562).

Importing one module does not import its whole package, and the package itself is imported quickly.
A package's ``__init__.pyi`` has the same names for mypy and editors.
"""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # not imported from typing, which takes longer to import than this package
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["export"]


def export(
    package: str, places: Mapping[str, tuple[str, ...]]
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """Return the module functions that load a package's public names on first use.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    places : Mapping of str to tuple of str
        The public names of each module, by the module's name below ``aeron_cluster``.

    Returns
    -------
    tuple
        ``__all__``, ``__getattr__`` and ``__dir__``.
    """
    modules = {name: module for module, names in places.items() for name in names}

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"aeron_cluster.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)  # so that later accesses need no call
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return sorted(modules), load, names
