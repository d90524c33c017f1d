"""Exceptions of users' callbacks that are not an `Exception`, as by `sys.exit()`.

It would end the thread that calls them, without a report. A `KeyboardInterrupt` is
meant for the process, and propagates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from aeron_cluster.errors import CallbackExitError

__all__ = ["as_exception", "call_user"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


def as_exception(callback: str, error: BaseException) -> Exception:
    """Return what a user's callback raised as something to report.

    Raises
    ------
    KeyboardInterrupt
        It was that.
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
        What it raised; a `CallbackExitError` if that was not an `Exception`.
    """
    try:
        return function(*arguments, **keywords)
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise CallbackExitError(callback, error) from error
