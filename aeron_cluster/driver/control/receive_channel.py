"""The conductor's half of a receive endpoint.

``io.aeron.driver.media.ReceiveChannelEndpoint``, as the conductor sees it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aeron_cluster.driver.clients.commands import CommandError
from aeron_cluster.driver.clients.udp_channel import (
    ControlMode,
    check_socket_length,
    check_timestamp_offset,
)
from aeron_cluster.driver.receive.receive_endpoint import ReceiveEndpoint
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.memory.shared.counters_layout import ChannelStatus
from aeron_cluster.memory.system.address import Address

if TYPE_CHECKING:
    from aeron_cluster.driver.clients.udp_channel import UdpChannel
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.media.wildcard_ports import WildcardPorts
    from aeron_cluster.driver.streams.driver_counters import DriverCounters
    from aeron_cluster.memory.system.seams import Network

__all__ = ["ReceiveChannel", "Transport"]


@dataclass(slots=True)
class Transport:
    """One socket of the endpoint."""

    index: int
    udp_channel: UdpChannel
    address_counter_id: int
    port: int
    is_leaving: bool = False  # removed, but not yet released by the receiver


class ReceiveChannel:
    """An open channel that subscriptions share.

    Parameters
    ----------
    udp_channel : UdpChannel
        The channel of the first subscription; with manual control it opens no socket.
    registration_id : int
        The registration id of the command that opened it.
    receiver_id : int
        Identifies this receiver among all receivers, on any machine.
    ports : WildcardPorts
        The port range for endpoints without a port.

    Raises
    ------
    OSError
        The system rejected a socket; nothing remains open.
    """

    def __init__(
        self,
        udp_channel: UdpChannel,
        registration_id: int,
        receiver_id: int,
        network: Network,
        counters: DriverCounters,
        context: DriverContext,
        ports: WildcardPorts,
    ) -> None:
        self._ports = ports
        self.udp_channel = udp_channel
        self.transports: dict[int, Transport] = {}
        # Control addresses that differ from those at the start, by the index of the socket.
        self.new_addresses: dict[int, Address] = {}
        self.stream_counts: dict[tuple[int, int | None], int] = {}
        self.response_count = 0
        self.image_count = 0
        self.is_closing = False
        self._counters = counters
        self._context = context
        self.receive_buffer_length = udp_channel.socket_rcvbuf_length or context.socket_so_rcvbuf
        self.send_buffer_length = udp_channel.socket_sndbuf_length or context.socket_so_sndbuf
        group_tag = udp_channel.group_tag
        self.status_counter_id = counters.channel_status(
            "rcv-channel", udp_channel.text, registration_id
        )
        self.data = ReceiveEndpoint(
            network,
            counters.manager,
            registration_id=registration_id,
            receiver_id=receiver_id,
            group_tag=context.receiver_group_tag if group_tag is None else group_tag,
            status_counter_id=self.status_counter_id,
            session_limit=context.driver_stream_session_limit,
        )
        if not self.is_multi_destination:
            try:
                transport = self.open_transport(udp_channel, registration_id)
            except OSError:
                counters.set_value(self.status_counter_id, ChannelStatus.CHANNEL_ERRORED)
                counters.free(self.status_counter_id)
                raise
            bound = self.data.local_address(transport.index)
            if bound is not None:
                counters.append_bound_address(self.status_counter_id, Address(*bound))
        counters.set_value(self.status_counter_id, ChannelStatus.CHANNEL_ACTIVE)

    @property
    def new_local(self) -> Address | None:
        """Its control address, if that has changed since it was opened."""
        return None if self.is_multi_destination else self.new_addresses.get(0)

    @property
    def new_remote(self) -> Address | None:
        """Its remote address, if that has changed since it was opened."""
        return None

    @property
    def is_multi_destination(self) -> bool:
        """Whether its sockets are added and removed by commands."""
        return self.udp_channel.control_mode is ControlMode.MANUAL

    @property
    def is_unused(self) -> bool:
        """Whether no subscription and no image needs it."""
        return not (self.stream_counts or self.response_count or self.image_count)

    @property
    def window_length(self) -> int:
        """The receiver window of its images, in bytes."""
        return self.udp_channel.receiver_window_length or self._context.rcv_initial_window_length

    def open_transport(self, channel: UdpChannel, registration_id: int) -> Transport:
        """Open a socket for `channel`, and publish its bound address.

        Raises
        ------
        OSError
            The system rejected it.
        ConfigurationError
            It has as many sockets as possible.
        """
        is_multicast = channel.is_multicast
        control_address = None
        if is_multicast:
            control_address = channel.remote_control
        elif channel.has_explicit_control:
            control_address = channel.local_control
        bind = (
            channel.any_address_at(channel.remote_data.port)
            if is_multicast
            else self._ports.assign(channel.remote_data)
        )
        port = 0 if is_multicast else bind.port
        try:
            index = self._open_socket(channel, bind, control_address, registration_id)
        except BaseException:
            self._ports.release(port)
            raise
        counter_id = -1
        try:
            bound = self.data.local_address(index)
            if bound is not None:
                counter_id = self._counters.local_address(
                    "rcv-local-sockaddr", self.status_counter_id, Address(*bound), registration_id
                )
        except OSError:
            self.data.close_transport(index)
            self._ports.release(port)
            raise
        transport = Transport(index, channel, counter_id, port)
        self.transports[index] = transport
        return transport

    def _open_socket(
        self,
        channel: UdpChannel,
        bind: Address,
        control_address: Address | None,
        registration_id: int,
    ) -> int:
        is_multicast = channel.is_multicast
        return self.data.open_transport(
            bind=bind,
            multicast_group=channel.remote_data if is_multicast else None,
            multicast_interface=Address(channel.local_data.host, 0) if is_multicast else None,
            control_address=control_address,
            has_explicit_control=channel.has_explicit_control,
            multicast_ttl=channel.multicast_ttl or self._context.socket_multicast_ttl,
            send_buffer_length=self.send_buffer_length,
            receive_buffer_length=self.receive_buffer_length,
            registration_id=registration_id,
        )

    def find_transport(self, channel: UdpChannel) -> Transport | None:
        """Return the socket that was opened for an equal channel, one that is leaving last.

        The form of an equal channel differs if its name has no address any more.
        """
        found = [
            transport
            for transport in self.transports.values()
            if transport.udp_channel.canonical_form == channel.canonical_form
            or transport.udp_channel.text == channel.text
        ]
        return min(found, key=lambda transport: transport.is_leaving, default=None)

    def close_transport(self, index: int) -> None:
        """Close one socket; only after the receiver released it."""
        self.new_addresses.pop(index, None)
        transport = self.transports.pop(index, None)
        if transport is not None:
            self._counters.free(transport.address_counter_id)
            self.data.close_transport(index)
            self._ports.release(transport.port)

    def check_matches(self, channel: UdpChannel) -> None:
        """Reject `channel` if it requires other socket settings than this one has.

        Raises
        ------
        ConfigurationError
            Names the parameter.
        """
        check_timestamp_offset("media-rcv-ts-offset", channel, self.udp_channel)
        check_timestamp_offset("channel-rcv-ts-offset", channel, self.udp_channel)
        check_socket_length("so-sndbuf", channel, self.udp_channel, self.send_buffer_length)
        check_socket_length("so-rcvbuf", channel, self.udp_channel, self.receive_buffer_length)
        check_socket_length("rcv-wnd", channel, self.udp_channel, self.window_length)

    def check_window(self, window_length: int, text: str) -> None:
        """Reject a receiver window (bytes) that exceeds the receive buffer of a socket.

        Raises
        ------
        CommandError
        """
        length, origin = self.receive_buffer_length, ""
        if not length:
            if not self.transports:
                return  # no socket yet, so the system's length is unknown
            length, origin = self.data.buffer_lengths(min(self.transports))[1], " (OS default)"
        if window_length > length:
            raise CommandError(
                "Initial window greater than SO_RCVBUF for channel: "
                f"rcv-wnd={window_length} so-rcvbuf={length}{origin} "
                f"channel={text}: parameter 'rcv-wnd': expected at most {length}",
                ErrorCode.ERROR_GENERIC,
            )

    def add_stream(self, stream_id: int, session_id: int | None) -> bool:
        """Add a subscription of a stream; return whether it is the first."""
        key = (stream_id, session_id)
        self.stream_counts[key] = self.stream_counts.get(key, 0) + 1
        return self.stream_counts[key] == 1

    def remove_stream(self, stream_id: int, session_id: int | None) -> bool:
        """Remove a subscription of a stream; return whether it was the last."""
        key = (stream_id, session_id)
        count = self.stream_counts.pop(key) - 1
        if count:
            self.stream_counts[key] = count
        return not count

    def begin_close(self) -> None:
        """Set the status to closing; the receiver has not released the channel yet."""
        self.is_closing = True
        self._counters.set_value(self.status_counter_id, ChannelStatus.CHANNEL_CLOSING)

    def close(self) -> None:
        """Close the sockets; only after the receiver has released them."""
        self.data.close()
        for transport in self.transports.values():
            self._counters.free(transport.address_counter_id)
            self._ports.release(transport.port)
        self.transports.clear()
        self._counters.free(self.status_counter_id)
