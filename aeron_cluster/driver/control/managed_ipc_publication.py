"""A publication in shared memory, and its life cycle.

``io.aeron.driver.IpcPublication``.

::

    ACTIVE ---last reference released---> DRAINING --all consumed--> LINGER --> DONE
       |                                                               ^
       +-- revoked ----------------------------------------------------+

In LINGER, clients may still read the stream, and write their positions.
"""

from __future__ import annotations

from aeron_cluster.driver.control.managed_publication import ManagedPublication
from aeron_cluster.driver.streams.ipc_publication import IpcPublication
from aeron_cluster.driver.streams.stream_state import StreamState
from aeron_cluster.memory.shared.counters_layout import SystemCounter

__all__ = ["ManagedIpcPublication"]


class ManagedIpcPublication(ManagedPublication[IpcPublication]):
    """The conductor's half of an IPC publication.

    Attributes
    ----------
    rejected_until_ns : int or None
        After a client's rejection, the time until which it has no subscribers.
    """

    rejected_until_ns: int | None = None

    @property
    def holds_session_id(self) -> bool:
        """Whether its session id is unavailable for other publications of the stream."""
        return self.data.state < StreamState.STREAM_LINGER

    @property
    def requests_response(self) -> bool:
        """Whether its publisher requested a response stream."""
        return self.params.response_correlation_id >= 0 and not self.params.is_response

    @property
    def join_position(self) -> int:
        """The position at which a new subscriber starts, in bytes."""
        return self.data.join_position

    @property
    def is_accepting_subscriptions(self) -> bool:
        """Whether a new subscriber may join."""
        if self.rejected_until_ns is not None:
            return False
        return self.data.state == StreamState.STREAM_ACTIVE or (
            self.data.state == StreamState.STREAM_DRAINING
            and bool(self.subscribers)
            and not self.data.are_subscribers_at(self.data.producer_position)
        )

    def _count_position(self, counter_id: int) -> None:
        self.data.add_subscriber(counter_id)

    def _discount_position(self, counter_id: int) -> None:
        self.data.remove_subscriber(counter_id)

    def _untethered_limit(self) -> int:
        window = self.params.window_length
        return self.data.consumer_position - window + window // 4

    def reject(self, until_ns: int) -> None:
        """Make the stream unavailable to its subscribers for a while."""
        self.data.set_connected(False)
        self.unlink_all()
        self.rejected_until_ns = until_ns

    def on_timer(self, now_ns: int) -> bool:
        """Advance its lifecycle; return whether subscriptions may be linked again."""
        match self.data.state:
            case StreamState.STREAM_ACTIVE:
                if self.data.is_revoked:
                    self._end_here()
                    self.data.set_connected(False)
                    self.announce_end()
                    self.data.state = StreamState.STREAM_LINGER
                    self._system_counters.add(SystemCounter.SYSTEM_PUBLICATIONS_REVOKED)
                    return False
                self.check_untethered(now_ns)
                if not self.is_exclusive:
                    self.data.check_blocked_publisher(now_ns)
            case StreamState.STREAM_DRAINING:
                if self.data.are_subscribers_at(self.data.producer_position):
                    self.announce_end()
                    self.data.state = StreamState.STREAM_LINGER
                else:
                    self.data.unblock()
                    self.check_untethered(now_ns)
            case StreamState.STREAM_LINGER:
                if self.reference_count == 0:
                    self.data.state = StreamState.STREAM_DONE
            case _:
                pass
        if self.rejected_until_ns is not None and now_ns >= self.rejected_until_ns:
            self.rejected_until_ns = None
            return self.is_active
        return False
