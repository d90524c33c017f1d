"""A publication sent over the network, and its life cycle.

``io.aeron.driver.NetworkPublication``.

::

    ACTIVE ---last reference released---> DRAINING --sent, spies done--> LINGER --timeout--> DONE
       |                                                                   ^
       +-- revoked --------------------------------------------------------+
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.driver.control.managed_publication import ManagedPublication
from aeron_cluster.driver.send.network_publication import NetworkPublication
from aeron_cluster.driver.streams.stream_state import StreamState
from aeron_cluster.memory.shared.counters_layout import SystemCounter

if TYPE_CHECKING:
    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.clients.stream_params import PublicationParams, UntetheredTimeouts
    from aeron_cluster.driver.control.send_channel import SendChannel
    from aeron_cluster.driver.streams.driver_counters import DriverCounters
    from aeron_cluster.driver.streams.log_factory import DriverLog
    from aeron_cluster.driver.streams.system_counters import SystemCounters

__all__ = ["ManagedNetworkPublication"]


class ManagedNetworkPublication(ManagedPublication[NetworkPublication]):
    """The conductor's half of a network publication; its subscribers are spies.

    Parameters
    ----------
    send_channel : SendChannel
        The channel endpoint; the others as for `ManagedPublication`.
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
            system_counters,
            data,
            log,
            params,
            untethered,
            channel=channel,
            status_counter_id=send_channel.status_counter_id,
            limit_counter_id=limit_counter_id,
            counter_ids=counter_ids,
            is_exclusive=is_exclusive,
        )
        self.send_channel = send_channel

    @property
    def holds_session_id(self) -> bool:
        """Whether its session id is unavailable for other publications of stream and channel."""
        return self.data.state < StreamState.STREAM_DONE

    @property
    def join_position(self) -> int:
        """The position at which a new spy starts, in bytes."""
        return self.data.sender_position

    @property
    def is_accepting_subscriptions(self) -> bool:
        """Whether a new spy may join."""
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

    def _enter_draining(self) -> None:
        if self.data.sender_position >= self.data.producer_position:
            self.data.set_end_of_stream()
        super()._enter_draining()

    def on_timer(self, now_ns: int) -> bool:
        """Advance its lifecycle; return whether the sender may release it from now on."""
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
        if producer_position <= self.data.sender_position:
            self.data.set_end_of_stream()
        elif self.data.unblock() or self.data.has_receivers:
            return
        if self.data.are_spies_at(producer_position):
            self._enter_linger(now_ns)
        else:
            self.check_untethered(now_ns)

    def _enter_linger(self, now_ns: int) -> None:
        self.unlink_all()
        self.data.linger_start_ns = now_ns
        self.data.state = StreamState.STREAM_LINGER
