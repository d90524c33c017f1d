"""Exceptions of users' callbacks that are not an `Exception`, as by `sys.exit()`.

They would end the calling thread without a report. A `KeyboardInterrupt` is meant for the process,
and propagates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from aeron_cluster.errors import AgentTerminationError, CallbackExitError, UserComponentError

__all__ = ["UserComponent", "as_exception", "call_termination_hook", "call_user"]

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


def call_termination_hook(
    hook: Callable[[], object] | None, report: Callable[[Exception], object]
) -> None:
    """Notify the user that an agent ends; what the hook raises is reported, not the end's reason.

    Parameters
    ----------
    hook : callable or None
    report : callable
        Logs and counts an error.

    Raises
    ------
    AgentTerminationError, KeyboardInterrupt
        The hook raised it, to end what drives the agent too.
    """
    if hook is None:
        return
    try:
        hook()
    except AgentTerminationError:
        raise
    except BaseException as error:  # noqa: BLE001 - the user's; the agent ends for its own reason
        report(as_exception("termination_hook", error))


class UserComponent:
    """A component of the user, for errors that name it.

    Parameters
    ----------
    kind : str
        What it is, such as ``cluster clock``.
    component : object
        An instance, a class or a function.
    """

    def __init__(self, kind: str, component: object) -> None:
        named: Any = component if hasattr(component, "__qualname__") else type(component)
        self._name = f"{kind} {named.__module__}.{named.__qualname__}"

    def error(self, call: str, expected: str, found: object) -> UserComponentError:
        """Return the error of an invalid value or exception of the component."""
        return UserComponentError(self._name, call, expected, found)

    def call(
        self, function: Callable[_P, _T], expected: str, *arguments: _P.args, **keywords: _P.kwargs
    ) -> _T:
        """Call one of its functions, and return the result.

        Parameters
        ----------
        function : callable
        expected : str
            What the function returns.

        Raises
        ------
        UserComponentError
            The function raised.
        AgentTerminationError, KeyboardInterrupt
            The function raised it, to end its caller.
        """
        try:
            return function(*arguments, **keywords)
        except (AgentTerminationError, KeyboardInterrupt, UserComponentError):
            raise
        except BaseException as error:
            name = getattr(function, "__name__", "call")
            raise self.error(name, expected, error) from error
