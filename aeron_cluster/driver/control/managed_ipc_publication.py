"""A publication in shared memory and its life.

``io.aeron.driver.IpcPublication``.

::

    ACTIVE --last reference given back--> DRAINING --all consumed--> LINGER --> DONE
       |                                                               ^
       +-- revoked ----------------------------------------------------+
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.driver.clients.stream_params import InitialPosition
from aeron_cluster.driver.control.managed_stream import ManagedStream
from aeron_cluster.driver.streams.stream_state import StreamState
from aeron_cluster.memory.counters_layout import SystemCounter

if TYPE_CHECKING:
    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.clients.stream_params import PublicationParams
    from aeron_cluster.driver.control.managed_stream import UntetheredTimeouts
    from aeron_cluster.driver.streams.driver_counters import DriverCounters
    from aeron_cluster.driver.streams.ipc_publication import IpcPublication
    from aeron_cluster.driver.streams.log_factory import DriverLog
    from aeron_cluster.driver.streams.system_counters import SystemCounters

__all__ = ["IPC_CHANNEL", "ManagedIpcPublication"]

IPC_CHANNEL = "aeron:ipc"


class ManagedIpcPublication(ManagedStream):
    """The conductor's half of an IPC publication.

    Parameters
    ----------
    data : IpcPublication
        The other half, which stream tracking runs.
    log : DriverLog
    counter_ids : tuple of int
        What ends with the publication; the first is the publisher limit.
    """

    def __init__(
        self,
        counters: DriverCounters,
        clients: ClientProxy,
        system_counters: SystemCounters,
        data: IpcPublication,
        log: DriverLog,
        params: PublicationParams,
        untethered: UntetheredTimeouts,
        *,
        channel: str,
        limit_counter_id: int,
        counter_ids: tuple[int, ...],
        is_exclusive: bool,
        image_liveness_timeout_ns: int,
    ) -> None:
        super().__init__(
            counters,
            clients,
            image_id=data.registration_id,
            session_id=data.session_id,
            stream_id=data.stream_id,
            channel=channel,
            log_path=log.path,
            source_identity=IPC_CHANNEL,
            untethered=untethered,
        )
        self.data = data
        self.log = log
        self.params = params
        self.limit_counter_id = limit_counter_id
        self.status_counter_id = -1
        self.is_exclusive = is_exclusive
        self.reference_count = 0
        self.rejected_until_ns: int | None = None
        self._counter_ids = counter_ids
        self._system_counters = system_counters
        self._image_liveness_timeout_ns = image_liveness_timeout_ns

    @property
    def registration_id(self) -> int:
        """The id of the command that added it first."""
        return self.image_id

    @property
    def initial_position(self) -> InitialPosition:
        """Where it started."""
        settings = self.log.raw.settings
        return InitialPosition(settings.initial_term_id, settings.term_id, settings.term_offset)

    @property
    def is_active(self) -> bool:
        """Whether a client publishes on it."""
        return self.data.state == StreamState.STREAM_ACTIVE

    @property
    def is_done(self) -> bool:
        """Whether nothing needs it any more."""
        return self.data.state == StreamState.STREAM_DONE

    @property
    def holds_session_id(self) -> bool:
        """Whether no other publication of the stream may take its session id."""
        return self.data.state < StreamState.STREAM_LINGER

    @property
    def join_position(self) -> int:
        """Where a subscriber that comes now starts, in bytes."""
        return self.data.join_position

    @property
    def is_accepting_subscriptions(self) -> bool:
        """Whether a subscriber that comes now may join."""
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

    def release(self) -> None:
        """Give one reference back; the last one ends the stream where it is."""
        self.reference_count -= 1
        if self.reference_count == 0 and self.is_active and not self.data.is_revoked:
            self._end_here()
            self.data.state = StreamState.STREAM_DRAINING

    def _end_here(self) -> None:
        producer_position = self.data.producer_position
        self.data.set_publisher_limit(producer_position)
        self.data.set_end_position(producer_position)

    def reject(self, now_ns: int) -> None:
        """Take the stream from its subscribers for one image liveness timeout."""
        self.data.set_connected(False)
        self.unlink_all()
        self.rejected_until_ns = now_ns + self._image_liveness_timeout_ns

    def on_timer(self, now_ns: int) -> bool:
        """Take the next step of its life; return whether subscriptions may be linked again."""
        match self.data.state:
            case StreamState.STREAM_ACTIVE:
                if self.data.is_revoked:
                    self._end_here()
                    self.data.set_connected(False)
                    self.unlink_all()
                    self.data.state = StreamState.STREAM_LINGER
                    self._system_counters.add(SystemCounter.SYSTEM_PUBLICATIONS_REVOKED)
                    return False
                self.check_untethered(now_ns)
                if not self.is_exclusive:
                    self.data.check_blocked_publisher(now_ns)
            case StreamState.STREAM_DRAINING:
                if self.data.are_subscribers_at(self.data.producer_position):
                    self.unlink_all()
                    self.data.state = StreamState.STREAM_LINGER
                else:
                    self.data.unblock_at_consumer_position()
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

    def close(self) -> None:
        """Free what it holds but its log's file."""
        self.unlink_all()
        self.data.close()
        for counter_id in self._counter_ids:
            self._counters.free(counter_id)
