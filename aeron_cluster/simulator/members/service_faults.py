"""Faults of a member's services: slow, stalling or raising, with a correct state."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, Self

from aeron_cluster.errors import AeronClusterError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FAILING_CALLBACKS", "RaisedError", "ServiceFaults", "SimulatedServiceError"]

FAILING_CALLBACKS: Final = (
    "on_role_change",
    "on_new_leadership_term_event",
    "on_session_open",
    "on_session_close",
)
"""Those that may raise by a plan, besides those for messages, timers and snapshots."""


# A timer that is never scheduled: cancelling it is an effect without a change.
_UNUSED_TIMER: Final = -(2**63)


class SimulatedServiceError(OSError):
    """The exception that services raise by a plan."""


class RaisedError(NamedTuple):
    """What a callback of a service raised, and where; without the error, which holds its frames."""

    life: object
    """That of the service, which its observer has as well."""
    service_id: int
    callback: str
    log_position: int
    leadership_term_id: int
    session_id: int | None
    """The session of the event; None if there is none."""
    kind: str
    text: str
    detail: str
    """Its traceback, if no service should raise it; otherwise empty."""

    @classmethod
    def of(cls, error: BaseException, **place: Any) -> Self:  # noqa: ANN401 - the fields above
        """Return what a callback raised at a place."""
        is_expected = isinstance(error, (AeronClusterError, OSError))
        detail = "" if is_expected else "".join(traceback.format_exception(error)).strip()
        return cls(kind=type(error).__name__, text=str(error), detail=detail, **place)


class _ServiceCluster(Protocol):
    @property
    def log_position(self) -> int: ...
    @property
    def service_id(self) -> int: ...
    def idle(self, work_count: int = 0) -> None: ...
    def cancel_timer(self, correlation_id: int) -> bool: ...


class ServiceFaults:
    """The current faults of a member's services.

    They still do their work, so that members stay equal, and answers are correct.

    Parameters
    ----------
    now : callable
        Returns virtual time, in ns.

    Attributes
    ----------
    delay_ns : int
        The time that they take for each message and timer, in ns.
    stall_ns : int
        The time that they take for the next one, in ns.
    raises : int
        The number of calls after which they raise.
    fails_snapshot : bool
        Whether they raise at their next snapshot, once.
    failing : dict of str to int
        How often further callbacks raise, of `FAILING_CALLBACKS`, after they have done their work.
    raised : list of RaisedError
        What services raised, by a plan or not, until a check has compared it.
    is_diverged : bool
        Whether the first service has an additional effect after its next message, once.
    diverged_position : int
        The log position at which they diverged; -1 if never.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self.diverged_position = -1
        self.raised: list[RaisedError] = []
        self.end()

    def end(self) -> None:
        """Remove the faults."""
        self.delay_ns = 0
        self.stall_ns = 0
        self.raises = 0
        self.fails_snapshot = False
        self.failing: dict[str, int] = {}
        self.is_diverged = False

    def on_callback(self, cluster: _ServiceCluster) -> None:
        """Apply the faults after the service handled a message or a timer."""
        self._wait(cluster)
        if self.is_diverged and cluster.service_id == 0:
            self.is_diverged = False
            self.diverged_position = cluster.log_position
            while not cluster.cancel_timer(_UNUSED_TIMER):
                cluster.idle()
        if self.raises > 0:
            self.raises -= 1
            raise SimulatedServiceError("a service that raises")

    def on_event(self, callback: str) -> None:
        """Apply the faults after another callback."""
        count = self.failing.get(callback, 0)
        if count > 0:
            self.failing[callback] = count - 1
            raise SimulatedServiceError(f"a service that raises in {callback}")

    def on_snapshot(self) -> None:
        """Apply the faults before a snapshot."""
        if self.fails_snapshot:
            self.fails_snapshot = False
            raise SimulatedServiceError("a service that cannot take its snapshot")

    def _wait(self, cluster: _ServiceCluster) -> None:
        until_ns = self._now() + self.delay_ns + self.stall_ns
        self.stall_ns = 0
        while self._now() < until_ns:
            cluster.idle()
