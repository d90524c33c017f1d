"""The conductor's half of a send endpoint.

``io.aeron.driver.media.SendChannelEndpoint``, as the conductor sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.driver.clients.udp_channel import (
    ControlMode,
    check_socket_length,
    check_timestamp_offset,
)
from aeron_cluster.driver.control.name_resolution import UNRESOLVED
from aeron_cluster.driver.send.send_endpoint import SendEndpoint, SendMode
from aeron_cluster.memory.shared.counters_layout import ChannelStatus
from aeron_cluster.memory.system.address import Address

if TYPE_CHECKING:
    from aeron_cluster.driver.clients.udp_channel import UdpChannel
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.media.wildcard_ports import WildcardPorts
    from aeron_cluster.driver.streams.driver_counters import DriverCounters
    from aeron_cluster.memory.system.seams import Network

__all__ = ["SendChannel"]

_MODES = {
    ControlMode.NONE: SendMode.SEND_CONNECTED,
    ControlMode.MANUAL: SendMode.SEND_MANUAL,
    ControlMode.DYNAMIC: SendMode.SEND_DYNAMIC,
    ControlMode.RESPONSE: SendMode.SEND_RESPONSE,
}


class SendChannel:
    """An open channel that publications share.

    Parameters
    ----------
    udp_channel : UdpChannel
        The length in the first publication's URI.
    registration_id : int
        The registration id of the command that opened it.
    ports : WildcardPorts
        The port range for control addresses without a port.

    Raises
    ------
    OSError
        The system rejected a socket; nothing remains open.
    """

    def __init__(
        self,
        udp_channel: UdpChannel,
        registration_id: int,
        network: Network,
        counters: DriverCounters,
        context: DriverContext,
        ports: WildcardPorts,
    ) -> None:
        self._ports = ports
        self._port = 0
        self.udp_channel = udp_channel
        self.publication_count = 0
        self.destinations: dict[int, UdpChannel] = {}
        # Addresses that differ from those at the start, by destination id.
        self.new_addresses: dict[int, Address] = {}
        self.is_closing = False
        self.is_errored = False
        self._counters = counters
        self._registration_id = registration_id
        self._bound: Address | None = None
        self._address_counter_id = -1
        self.send_buffer_length = udp_channel.socket_sndbuf_length or context.socket_so_sndbuf
        self.receive_buffer_length = udp_channel.socket_rcvbuf_length or context.socket_so_rcvbuf
        self.status_counter_id = counters.channel_status(
            "snd-channel", udp_channel.text, registration_id
        )
        self._counter_ids = [self.status_counter_id]
        try:
            destinations_counter_id = -1
            if udp_channel.is_multi_destination:
                destinations_counter_id = counters.destinations(udp_channel.text, registration_id)
                self._counter_ids.append(destinations_counter_id)
            self.data = SendEndpoint(
                network,
                counters.manager,
                registration_id=registration_id,
                mode=_MODES[udp_channel.control_mode],
                has_group_semantics=udp_channel.has_group_semantics,
                is_multicast=udp_channel.is_multicast,
                is_resolvable=udp_channel.has_resolvable_endpoint,
                status_counter_id=self.status_counter_id,
                destinations_counter_id=destinations_counter_id,
            )
            self._open(context)
            try:
                self._publish_local_address()
            except BaseException:
                self.data.close()
                raise
        except OSError:
            counters.set_value(self.status_counter_id, ChannelStatus.CHANNEL_ERRORED)
            self._free()
            raise
        counters.set_value(self.status_counter_id, ChannelStatus.CHANNEL_ACTIVE)

    def _publish_local_address(self) -> None:
        local_address = self.data.local_address
        if local_address is None or Address(*local_address) == self._bound:
            return
        bound = Address(*local_address)
        counter_id = self._counters.local_address(
            "snd-local-sockaddr", self.status_counter_id, bound, self._registration_id
        )
        self._counters.free(self._address_counter_id)
        if self._bound is None:
            self._counters.append_bound_address(self.status_counter_id, bound)
        else:
            self._counters.replace_bound_address(self.status_counter_id, self._bound, bound)
        self._bound, self._address_counter_id = bound, counter_id

    def on_address_changed(self, address: Address) -> None:
        """Record that its socket was connected to `address`, maybe from another local address."""
        self.is_errored = False
        self.new_addresses[NULL_VALUE] = address
        self._counters.set_value(self.status_counter_id, ChannelStatus.CHANNEL_ACTIVE)
        self._publish_local_address()

    def on_address_rejected(self) -> None:
        """Set the status to errored: its socket could not be connected to a new address."""
        self.is_errored = True
        self._counters.set_value(self.status_counter_id, ChannelStatus.CHANNEL_ERRORED)

    def _open(self, context: DriverContext) -> None:
        channel = self.udp_channel
        is_multicast = channel.is_multicast
        is_connected = channel.control_mode is ControlMode.NONE
        interface = Address(channel.local_data.host, 0) if is_multicast else None
        bind = channel.local_control
        if channel.has_explicit_control:
            bind = self._ports.assign(bind)
            self._port = bind.port
        self.data.open(
            bind=None if is_multicast else bind,
            connect=channel.remote_data if is_connected else None,
            control_bind=channel.any_address_at(channel.remote_control.port)
            if is_multicast
            else None,
            control_group=channel.remote_control if is_multicast else None,
            multicast_interface=interface,
            multicast_ttl=channel.multicast_ttl or context.socket_multicast_ttl,
            send_buffer_length=self.send_buffer_length,
            receive_buffer_length=self.receive_buffer_length,
        )

    @property
    def new_local(self) -> Address | None:
        """Its local address, if that has changed since it was opened."""
        return None

    @property
    def new_remote(self) -> Address | None:
        """Its remote address, if that has changed since it was opened."""
        return self.new_addresses.get(NULL_VALUE)

    @property
    def binds_port(self) -> bool:
        """Whether the channel sets its local port."""
        return self.udp_channel.is_multicast or self.udp_channel.local_control.port != 0

    @property
    def sndbuf_length(self) -> int:
        """SO_SNDBUF as the system granted it, in bytes."""
        # Linux reports twice the usable length.
        return self.send_buffer_length or self.data.buffer_lengths[0]

    def check_matches(self, channel: UdpChannel) -> None:
        """Reject `channel` if it requires other socket buffer lengths than this one has.

        Raises
        ------
        ConfigurationError
            Names the parameter.
        """
        check_timestamp_offset("channel-snd-ts-offset", channel, self.udp_channel)
        check_socket_length("so-sndbuf", channel, self.udp_channel, self.send_buffer_length)
        check_socket_length("so-rcvbuf", channel, self.udp_channel, self.receive_buffer_length)

    def find_destination(self, channel: UdpChannel) -> int | None:
        """Return the id of a destination with the endpoint of `channel`, or else its address.

        Its name may have another address by now than when it was added, or none.
        """
        endpoint, address = channel.uri.get("endpoint"), channel.remote_data
        by_address = None
        for destination_id, each in self.destinations.items():
            if each.uri.get("endpoint") == endpoint:
                return destination_id
            in_use = self.new_addresses.get(destination_id, each.remote_data)
            if by_address is None and in_use == address and address.host != UNRESOLVED:
                by_address = destination_id
        return by_address

    def begin_close(self) -> None:
        """Set the status to closing; the sender has not released the channel yet."""
        self.is_closing = True
        self._counters.set_value(self.status_counter_id, ChannelStatus.CHANNEL_CLOSING)

    def close(self) -> None:
        """Close the sockets; only after the sender has released them."""
        self.data.close()
        self._free()

    def _free(self) -> None:
        self._ports.release(self._port)
        for counter_id in (*self._counter_ids, self._address_counter_id):
            self._counters.free(counter_id)
        self._counter_ids = []
        self._address_counter_id = -1
