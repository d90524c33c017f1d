"""Faults of a member's services: slow, stalling or raising, with a correct state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ServiceFaults", "SimulatedServiceError"]


# A timer that is never scheduled: cancelling it is an effect without a change.
_UNUSED_TIMER: Final = -(2**63)


class SimulatedServiceError(OSError):
    """The exception that services raise by a plan."""


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
    is_diverged : bool
        Whether the first service has an additional effect after its next message, once.
    diverged_position : int
        The log position at which they diverged; -1 if never.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self.diverged_position = -1
        self.end()

    def end(self) -> None:
        """Remove the faults."""
        self.delay_ns = 0
        self.stall_ns = 0
        self.raises = 0
        self.fails_snapshot = False
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
