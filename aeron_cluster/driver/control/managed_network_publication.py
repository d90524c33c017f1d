"""A publication that is sent over the network, and its life.

``io.aeron.driver.NetworkPublication``.

::

    ACTIVE --last reference given back--> DRAINING --sent, spies done--> LINGER --timeout--> DONE
       |                                                                   ^
       +-- revoked --------------------------------------------------------+
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.driver.clients.stream_params import InitialPosition
from aeron_cluster.driver.control.managed_ipc_publication import IPC_CHANNEL
from aeron_cluster.driver.control.managed_stream import ManagedStream
from aeron_cluster.driver.streams.stream_state import StreamState
from aeron_cluster.memory.counters_layout import SystemCounter

if TYPE_CHECKING:
    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.clients.stream_params import PublicationParams
    from aeron_cluster.driver.control.managed_stream import UntetheredTimeouts
    from aeron_cluster.driver.control.send_channel import SendChannel
    from aeron_cluster.driver.send.network_publication import NetworkPublication
    from aeron_cluster.driver.streams.driver_counters import DriverCounters
    from aeron_cluster.driver.streams.log_factory import DriverLog
    from aeron_cluster.driver.streams.system_counters import SystemCounters

__all__ = ["ManagedNetworkPublication"]


class ManagedNetworkPublication(ManagedStream):
    """The conductor's half of a network publication; its subscribers are spies.

    Parameters
    ----------
    data : NetworkPublication
        The half that the sender and stream tracking run.
    log : DriverLog
    send_channel : SendChannel
    counter_ids : tuple of int
        What ends with the publication.
    """

    def __init__(
        self,
        counters: DriverCounters,
        clients: ClientProxy,
        system_counters: SystemCounters,
        data: NetworkPublication,
        log: DriverLog,
        send_channel: SendChannel,
        params: PublicationParams,
        untethered: UntetheredTimeouts,
        *,
        channel: str,
        limit_counter_id: int,
        counter_ids: tuple[int, ...],
        is_exclusive: bool,
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
        self.send_channel = send_channel
        self.params = params
        self.limit_counter_id = limit_counter_id
        self.status_counter_id = send_channel.status_counter_id
        self.is_exclusive = is_exclusive
        self.reference_count = 0
        self._counter_ids = counter_ids
        self._system_counters = system_counters

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
        """Whether the sender may release it."""
        return self.data.state == StreamState.STREAM_DONE

    @property
    def holds_session_id(self) -> bool:
        """Whether no other publication of the stream and channel may take its session id."""
        return self.data.state < StreamState.STREAM_DONE

    @property
    def join_position(self) -> int:
        """Where a spy that comes now starts, in bytes."""
        return self.data.sender_position

    @property
    def is_accepting_subscriptions(self) -> bool:
        """Whether a spy that comes now may join."""
        return self.data.state == StreamState.STREAM_ACTIVE or (
            self.data.state == StreamState.STREAM_DRAINING
            and bool(self.subscribers)
            and self.data.producer_position > self.data.sender_position
        )

    def _count_position(self, counter_id: int) -> None:
        self.data.add_spy(counter_id)
        if self.params.spies_simulate_connection:
            self.data.update_connected()

    def _discount_position(self, counter_id: int) -> None:
        self.data.remove_spy(counter_id)
        if self.params.spies_simulate_connection:
            self.data.update_connected()

    def _untethered_limit(self) -> int:
        window = self.params.window_length
        return self.data.sender_position - window + window // 4

    def release(self) -> None:
        """Give one reference back; the last one ends the stream where it is."""
        self.reference_count -= 1
        if self.reference_count == 0 and self.is_active and not self.data.is_revoked:
            producer_position = self._end_here()
            if self.data.sender_position >= producer_position:
                self.data.set_end_of_stream()
            self.data.state = StreamState.STREAM_DRAINING

    def _end_here(self) -> int:
        producer_position = self.data.producer_position
        self.data.set_publisher_limit(producer_position)
        self.data.set_end_position(producer_position)
        return producer_position

    def on_timer(self, now_ns: int) -> bool:
        """Take the next step of its life; return whether the sender may release it from now on."""
        match self.data.state:
            case StreamState.STREAM_ACTIVE:
                if self.data.is_revoked:
                    self._end_here()
                    self.data.set_connected(False)
                    self.data.set_end_of_stream()
                    self._enter_linger(now_ns)
                    self._system_counters.add(SystemCounter.SYSTEM_PUBLICATIONS_REVOKED)
                    return False
                self.check_untethered(now_ns)
                self.data.update_connected()
                if not self.is_exclusive:
                    self.data.check_blocked_publisher(now_ns)
            case StreamState.STREAM_DRAINING:
                self._drain(now_ns)
            case StreamState.STREAM_LINGER:
                elapsed_ns = now_ns - self.data.linger_start_ns
                is_over = elapsed_ns >= self.params.linger_timeout_ns
                if self.reference_count == 0 and (is_over or self.data.has_unicast_end_of_stream):
                    self.data.state = StreamState.STREAM_DONE
                    return True
            case _:
                pass
        return False

    def _drain(self, now_ns: int) -> None:
        producer_position = self.data.producer_position
        is_unsent = producer_position > self.data.sender_position
        if is_unsent and (self.data.unblock_at_sender_position() or self.data.has_receivers):
            return
        self.data.set_end_of_stream()
        if self.data.are_spies_at(producer_position):
            self._enter_linger(now_ns)
        else:
            self.check_untethered(now_ns)

    def _enter_linger(self, now_ns: int) -> None:
        self.unlink_all()
        self.data.linger_start_ns = now_ns
        self.data.state = StreamState.STREAM_LINGER

    def close(self) -> None:
        """Free what it holds but its log's file; only after the sender released it."""
        self.unlink_all()
        self.data.close()
        for counter_id in self._counter_ids:
            self._counters.free(counter_id)
