"""The timeout for messages of the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Clock

__all__ = ["IdleTimeout"]


class IdleTimeout:
    """Expires a fixed time after the last message of the cluster.

    Parameters
    ----------
    clock : Clock
    timeout_ns : int
    """

    def __init__(self, clock: Clock, timeout_ns: int) -> None:
        self._clock = clock
        self._timeout_ns = timeout_ns
        self._deadline_ns = clock.nano_time() + timeout_ns

    @property
    def timeout_s(self) -> float:
        """The timeout."""
        return self._timeout_ns / 1e9

    @property
    def is_over(self) -> bool:
        """Whether the timeout has expired."""
        return self._clock.nano_time() > self._deadline_ns

    def begin(self) -> None:
        """Restart the timeout."""
        self._deadline_ns = self._clock.nano_time() + self._timeout_ns
