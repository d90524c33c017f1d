"""Find the line in a service's own source for a frame."""

from __future__ import annotations

import sys
import sysconfig
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import CallbackPlace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType, TracebackType

__all__ = [
    "is_of_package",
    "line_of_call",
    "line_of_callback",
    "line_of_error",
    "place_of_callback",
]

# Paths of compiled and of other modules: a user's files may be in a directory of the same name.
_OF_PACKAGE: Final = ("aeron_cluster/", f"{Path(__file__).parents[2]}/")
_PATHS: Final = sysconfig.get_paths()
_OF_OTHERS: Final = tuple(
    f"{_PATHS[name]}/" for name in ("stdlib", "platstdlib", "purelib", "platlib")
)


def is_of_package(path: str) -> bool:
    """Return whether a source file is one of this package."""
    return path.startswith(_OF_PACKAGE)


def _find(lines: Iterable[tuple[str, int]]) -> tuple[str, int]:
    """Return the innermost line of a service, or of a library that it uses."""
    of_library = "", 0
    for path, line in lines:
        if is_of_package(path) or path.startswith("<"):
            continue
        if not path.startswith(_OF_OTHERS):
            return path, line
        of_library = of_library if of_library[0] else (path, line)
    return of_library


def line_of_error(trace: TracebackType | None) -> tuple[str, int]:
    """Return the service's file and line where an exception was raised; empty if outside."""
    frames = reversed(traceback.extract_tb(trace))
    return _find((each.filename, each.lineno or 0) for each in frames)


def line_of_call(outermost: str) -> tuple[str, int]:
    """Return the file and line of a service that made the current call; empty if outside of it.

    Parameters
    ----------
    outermost : str
        The source file that calls the service's callbacks, where the search ends.
    """
    frame = sys._getframe(1)  # noqa: SLF001 - the way to a frame
    return _find(_lines_within(frame, outermost))


def _lines_within(frame: FrameType | None, outermost: str) -> Iterator[tuple[str, int]]:
    is_within = False
    while frame is not None:
        path = frame.f_code.co_filename
        if path == outermost and is_within:
            return
        is_within = is_within or path != outermost
        yield path, frame.f_lineno
        frame = frame.f_back


def line_of_callback(service: object, callback: str) -> tuple[str, int]:
    """Return the file and line of a service's callback; empty if it has no source.

    Parameters
    ----------
    service : object
    callback : str
        The name of the callback.
    """
    code = getattr(getattr(type(service), callback, None), "__code__", None)
    if code is None or is_of_package(code.co_filename):
        return "", 0
    return code.co_filename, code.co_firstlineno


def place_of_callback(
    service: object, callback: str, position: int, member_id: int
) -> CallbackPlace:
    """Return the place of a finding that belongs to a callback, but to no line within it.

    Parameters
    ----------
    service : object
    callback : str
        The name of the callback.
    position : int
        The log position of its call, in bytes.
    member_id : int
    """
    line = line_of_callback(service, callback)
    return CallbackPlace(type(service).__name__, callback, position, member_id, *line)
