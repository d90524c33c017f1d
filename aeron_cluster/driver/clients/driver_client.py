"""A client of the driver, and its liveness.

``io.aeron.driver.AeronClient``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.memory.shared.heartbeat_watch import HeartbeatWatch

if TYPE_CHECKING:
    from aeron_cluster.driver.streams.driver_counters import DriverCounters

__all__ = ["DriverClient"]


class DriverClient:
    """A client of the driver, and its resources other than streams.

    It writes the time to its heartbeat counter; 0 means that it closed.
    """

    def __init__(
        self, client_id: int, counters: DriverCounters, timeout_ns: int, now_ns: int
    ) -> None:
        self.client_id = client_id
        self.heartbeat_counter_id = counters.client_heartbeat(client_id)
        self.counter_ids: dict[int, int] = {}
        """Its counters by registration id."""
        self.has_closed = False
        self._counters = counters
        self.watch = HeartbeatWatch(timeout_ns, counters.value(self.heartbeat_counter_id), now_ns)

    def on_keepalive(self, now_ms: int) -> None:
        """Record a keepalive of the client."""
        self._counters.set_value(self.heartbeat_counter_id, now_ms)

    def on_close(self) -> None:
        """Record that the client closed."""
        self.has_closed = True
        self._counters.set_value(self.heartbeat_counter_id, 0)

    def is_dead(self, now_ns: int) -> bool:
        """Return whether it closed or timed out."""
        heartbeat_ms = self._counters.value(self.heartbeat_counter_id)
        is_closed = self.has_closed or heartbeat_ms == 0
        return is_closed or self.watch.is_silent(heartbeat_ms, now_ns)
