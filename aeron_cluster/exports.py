"""Load what a package exports when it is first requested (PEP 562).

A package's ``__init__.pyi`` shows the same names to mypy and to editors. That way importing one
module does not import its whole room, and the package itself is there at once.
"""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # of typing, which would take longer to import than the package
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["export"]


def export(
    package: str, places: Mapping[str, tuple[str, ...]]
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """Return what a package needs to load its public names when they are requested.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    places : Mapping of str to tuple of str
        From the module, named from ``aeron_cluster``, to the names that it has.

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
        setattr(sys.modules[package], name, value)  # the next look finds it without a call
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return sorted(modules), load, names
