"""Exceptions of users' callbacks that are not an `Exception`, as by `sys.exit()`.

They would end the calling thread without a report. A `KeyboardInterrupt` is meant for the process,
and propagates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from aeron_cluster.errors import CallbackExitError

__all__ = ["as_exception", "call_user"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


def as_exception(callback: str, error: BaseException) -> Exception:
    """Convert an exception of a user's callback to an `Exception`.

    Raises
    ------
    KeyboardInterrupt
        The exception is one.
    """
    if isinstance(error, Exception):
        return error
    if isinstance(error, KeyboardInterrupt):
        raise error
    return CallbackExitError(callback, error)


def call_user(
    callback: str, function: Callable[_P, _T], *arguments: _P.args, **keywords: _P.kwargs
) -> _T:
    """Call a user's callback and return its result.

    Raises
    ------
    Exception
        Raised by the callback; a `CallbackExitError` if it was not an `Exception`.
    """
    try:
        return function(*arguments, **keywords)
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise CallbackExitError(callback, error) from error
