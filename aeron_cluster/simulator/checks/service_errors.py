"""Errors raised in callbacks of services, with their place in the service."""

from __future__ import annotations

import traceback

from aeron_cluster.cluster.service.checkpoint import CALLBACKS_OF_THE_LOG
from aeron_cluster.errors import (
    AeronClusterError,
    CallbackPlace,
    ClosedError,
    ConfigurationError,
    NondeterminismError,
    ServiceCallbackError,
    ServiceInvariantError,
    StateError,
)
from aeron_cluster.simulator.members.service_faults import SimulatedServiceError
from aeron_cluster.simulator.members.source_lines import (
    is_of_package,
    line_of_callback,
    line_of_error,
)

__all__ = ["is_of_service", "service_invariant_error"]


def is_of_service(error: Exception) -> bool:
    """Return whether the callback's own code raised, rather than a cluster call that it made.

    Parameters
    ----------
    error : Exception
        The error that a member reported.
    """
    cause = error.__cause__
    if not isinstance(error, ServiceCallbackError) or cause is None:
        return False
    if isinstance(cause, NondeterminismError) or not isinstance(
        cause, (AeronClusterError, OSError)
    ):
        return True
    if isinstance(cause, SimulatedServiceError):
        return False
    # The call was wrong in any state of the cluster; calls to a closed cluster raise other errors.
    is_misuse = isinstance(cause, (ConfigurationError, StateError))
    if is_misuse and not isinstance(cause, ClosedError) and error.callback in CALLBACKS_OF_THE_LOG:
        return True
    *_, innermost = traceback.extract_tb(cause.__traceback__) or [None]
    return innermost is not None and not is_of_package(innermost.filename)


def service_invariant_error(error: ServiceCallbackError, service: object) -> ServiceInvariantError:
    """Return the invariant error for an exception in a callback.

    Parameters
    ----------
    error : ServiceCallbackError
        The error; its cause is the raised exception.
    service : object
        The service, or another one of its class.
    """
    cause = error.__cause__
    assert cause is not None
    path, line = line_of_error(cause.__traceback__)
    if not path:  # as a callback that does not take the arguments
        path, line = line_of_callback(service, error.callback)
    name = type(service).__name__
    place = CallbackPlace(name, error.callback, error.log_position, error.member_id, path, line)
    if isinstance(cause, NondeterminismError):
        what = f"called {cause.call} ({cause.kind})"
        return ServiceInvariantError(
            "services are deterministic", f"{error.callback} {what}, {place}", place
        )
    text = str(cause)
    what = f"{type(cause).__name__}: {text}" if text else type(cause).__name__
    return ServiceInvariantError(
        "services do not raise", f"{error.callback} raised {what}, {place}", place
    )
