"""The open channels: found by tag or canonical form, opened, and closed when unused.

The maps of SendChannelEndpoint and ReceiveChannelEndpoint in DriverConductor.
"""

from __future__ import annotations

import errno
import itertools
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from aeron_cluster.driver.clients.commands import CommandError
from aeron_cluster.driver.clients.udp_channel import ControlMode, UdpChannel
from aeron_cluster.driver.control.channel_checks import (
    have_compatible_tags,
    needs_interfaces,
    require_open,
)
from aeron_cluster.driver.control.receive_channel import ReceiveChannel, Transport
from aeron_cluster.driver.control.send_channel import SendChannel
from aeron_cluster.driver.media.logged_network import LoggedNetwork
from aeron_cluster.driver.media.stamped_network import StampedNetwork
from aeron_cluster.driver.media.wildcard_ports import WildcardPorts
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.events.codes import DriverEvent
from aeron_cluster.events.event_log import EventSource
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.memory.shared.commands import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.codecs.channel_uri import ChannelUri
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.control.deferred_commands import DeferredCommands
    from aeron_cluster.driver.media.interceptors import Interceptors
    from aeron_cluster.driver.receive.receive_endpoint import ReceiveEndpoint
    from aeron_cluster.driver.receive.receiver import Receiver
    from aeron_cluster.driver.send.send_endpoint import SendEndpoint
    from aeron_cluster.driver.send.sender import Sender
    from aeron_cluster.driver.streams.driver_counters import DriverCounters
    from aeron_cluster.events.recorder import EventRecorder
    from aeron_cluster.memory.system.seams import Clock, Network, Seams

__all__ = ["Channels"]

_DATAGRAM_EVENTS: Final = (
    DriverEvent.FRAME_IN,
    DriverEvent.FRAME_OUT,
    DriverEvent.NAK_SENT,
    DriverEvent.NAK_RECEIVED,
)
_C = TypeVar("_C", SendChannel, ReceiveChannel)


class Channels:
    """Owns the channels over which the driver sends and receives.

    Parameters
    ----------
    context : DriverContext
    seams : Seams
    counters : DriverCounters
    sender, receiver : Sender, Receiver
        The agents that use their endpoints.
    deferred : DeferredCommands
    interceptors : Interceptors
        The interceptors that drop datagrams between the endpoints and the network.
    events : EventRecorder, optional
        The driver's event log.

    Attributes
    ----------
    receiving_ports : WildcardPorts
        The ports to use for receiving sockets without a port.
    """

    def __init__(
        self,
        context: DriverContext,
        seams: Seams,
        counters: DriverCounters,
        sender: Sender,
        receiver: Receiver,
        deferred: DeferredCommands,
        interceptors: Interceptors,
        events: EventRecorder = NO_EVENTS,
    ) -> None:
        self._events = events
        self._context = context
        self._clock = seams.clock
        self._network = seams.network
        self._sending_network = interceptors.sending(seams.network)
        self._receiving_network = interceptors.receiving(seams.network)
        self._counters = counters
        self._sender = sender
        self._receiver = receiver
        self._deferred = deferred
        self._sending_ports, self.receiving_ports = (
            WildcardPorts(f"aeron.{end}.wildcard.port.range", context[f"{end}_wildcard_port_range"])
            for end in ("sender", "receiver")
        )
        # By canonical form.
        self._sending: dict[str, SendChannel] = {}
        # Channels that the sender has not released yet; others with the same form may be opened.
        self._closing: list[SendChannel] = []
        self._receiving: dict[str, ReceiveChannel] = {}
        self._receiver_ids = itertools.count(seams.random.next() >> 2)
        self._unique_suffixes = itertools.count()

    def parse(
        self,
        text: str,
        uri: ChannelUri,
        resolved: Mapping[str, str],
        *,
        is_destination: bool = False,
    ) -> UdpChannel:
        """Parse a channel, using resolved names and the machine's interfaces."""
        interfaces = self._network.interfaces() if needs_interfaces(uri) else ()
        return UdpChannel.parse(
            text,
            uri,
            resolved,
            interfaces,
            self._unique_suffixes,
            is_destination=is_destination,
        )

    # ---- sending ----

    def find_send(self, channel: UdpChannel) -> SendChannel | None:
        """Return the open channel that matches, or None.

        Raises
        ------
        ConfigurationError
            It only has a tag that no open channel has, or differs from the open one.
        """
        return _find(self._sending, channel)

    def open_send(self, channel: UdpChannel, registration_id: int) -> SendChannel:
        """Open a channel to send over."""
        try:
            network = self._above(channel, self._sending_network)
            opened = SendChannel(
                channel,
                registration_id,
                network,
                self._counters,
                self._context,
                self._sending_ports,
            )
        except OSError as error:
            raise _not_opened(channel, error) from error
        self._record(DriverEvent.SEND_CHANNEL_CREATION, channel)
        self._sending[channel.canonical_form] = opened
        self._deferred.enqueue(partial(self._sender.add_endpoint, opened.data))
        return opened

    def close_unused_send(self, channel: SendChannel) -> None:
        """Begin to close a channel without publications.

        A publication added before the sender has released it gets a new channel, unless that needs
        the same port.
        """
        if channel.publication_count == 0 and not channel.is_closing:
            channel.begin_close()
            self._record(DriverEvent.SEND_CHANNEL_CLOSE, channel.udp_channel)
            if not channel.binds_port:
                _forget(self._sending, channel)
                self._closing.append(channel)
            self._deferred.enqueue(partial(self._sender.remove_endpoint, channel.data))

    def send_channel_of(self, endpoint: SendEndpoint) -> SendChannel | None:
        """Return the channel of a sender's endpoint."""
        channels = itertools.chain(self._sending.values(), self._closing)
        return next((each for each in channels if each.data is endpoint), None)

    def on_send_endpoint_released(self, endpoint: SendEndpoint) -> None:
        """Close a channel that the sender has released."""
        channel = self.send_channel_of(endpoint)
        if channel is None:
            return
        if channel in self._closing:
            self._closing.remove(channel)
        else:
            _forget(self._sending, channel)
        channel.close()

    # ---- receiving ----

    def get_or_open_receive(self, channel: UdpChannel, registration_id: int) -> ReceiveChannel:
        """Return the open endpoint of a channel, opening it if necessary.

        Raises
        ------
        ConfigurationError
            It only has a tag that no open channel has, or differs from the open one.
        """
        existing = _find(self._receiving, channel)
        if existing is not None:
            return existing
        try:
            opened = ReceiveChannel(
                channel,
                registration_id,
                next(self._receiver_ids),
                self._above(channel, self._receiving_network),
                self._counters,
                self._context,
                self.receiving_ports,
            )
        except OSError as error:
            raise _not_opened(channel, error) from error
        self._record(DriverEvent.RECEIVE_CHANNEL_CREATION, channel)
        self._receiving[channel.canonical_form] = opened
        self._deferred.enqueue(partial(self._receiver.add_endpoint, opened.data))
        return opened

    def close_unused_receive(self, channel: ReceiveChannel) -> None:
        """Begin to close a channel without subscriptions and images."""
        if channel.is_unused and not channel.is_closing:
            channel.begin_close()
            self._record(DriverEvent.RECEIVE_CHANNEL_CLOSE, channel.udp_channel)
            self._deferred.enqueue(partial(self._receiver.remove_endpoint, channel.data))

    def receive_channel_of(self, endpoint: ReceiveEndpoint) -> ReceiveChannel | None:
        """Return the channel of a receiver's endpoint."""
        return next((each for each in self._receiving.values() if each.data is endpoint), None)

    def on_receive_endpoint_released(self, endpoint: ReceiveEndpoint) -> None:
        """Close a channel or socket that the receiver has released."""
        channel = self.receive_channel_of(endpoint)
        if channel is not None:
            _forget(self._receiving, channel)
            channel.close()

    @staticmethod
    def add_transport(
        owner: ReceiveChannel, channel: UdpChannel, registration_id: int
    ) -> Transport:
        """Open one more socket of a channel with destinations."""
        try:
            return owner.open_transport(channel, registration_id)
        except OSError as error:
            raise _not_opened(channel, error) from error

    def _above(self, channel: UdpChannel, network: Network) -> Network:
        """Return a network that records the datagrams of a channel, and stamps its frames."""
        if any(map(self._events.is_enabled, _DATAGRAM_EVENTS)):
            network = LoggedNetwork(network, EventSource(self._events.log, channel.text))
        return _stamped(channel, network, self._clock)

    def _record(self, event: DriverEvent, channel: UdpChannel) -> None:
        self._events.record(
            event,
            text=f"localData: {channel.local_data}, remoteData: {channel.remote_data}, "
            f"ttl: {channel.multicast_ttl}",
        )

    # ---- the end ----

    def close(self) -> None:
        """Close all channels; only after the sender and the receiver have stopped."""
        for send_channel in (*self._sending.values(), *self._closing):
            send_channel.close()
        for receive_channel in self._receiving.values():
            receive_channel.close()
        self._sending.clear()
        self._closing.clear()
        self._receiving.clear()


def _stamped(channel: UdpChannel, network: Network, clock: Clock) -> Network:
    """Return a network that writes timestamps into a channel's frames, if requested."""
    stamps = channel.timestamp_offsets
    if not stamps:
        return network
    return StampedNetwork(
        network,
        clock,
        send_offset=stamps.get("channel-snd-ts-offset"),
        receive_offset=stamps.get("channel-rcv-ts-offset"),
        media_receive_offset=stamps.get("media-rcv-ts-offset"),
    )


def _not_opened(channel: UdpChannel, error: OSError) -> CommandError | ConfigurationError:
    interface = channel.uri.get("interface")
    if interface is not None and error.errno in (errno.EADDRNOTAVAIL, errno.ENODEV):
        return ConfigurationError(
            f"channel URI {channel.text!r}: parameter 'interface'",
            "an address of this machine",
            interface,
            upstream="Unable to find multicast or loopback interface matching criteria:"
            f" /{interface}",
        )
    return CommandError(f"channel error - {error}: {channel.text}", ErrorCode.ERROR_GENERIC)


def _find(channels: Mapping[str, _C], wanted: UdpChannel) -> _C | None:
    found = next(
        (
            each
            for each in channels.values()
            if wanted.matches_tag(each.udp_channel, each.new_local, each.new_remote)
        ),
        None,
    )
    if found is None:
        alike = channels.get(wanted.canonical_form)
        if alike is not None and have_compatible_tags(wanted, alike.udp_channel):
            found = alike
    if found is not None:
        require_open(found).check_matches(wanted)
    elif wanted.is_tag_only and wanted.control_mode is ControlMode.NONE:
        raise ConfigurationError(
            f"channel URI {wanted.text!r}: parameter 'tags'",
            "the tag of an open channel",
            wanted.tag,
            upstream="URI must have explicit control, endpoint, or be manual control-mode when"
            f" original: channel={wanted.text}",
        )
    return found


def _forget(channels: dict[str, _C], gone: _C) -> None:
    for form, channel in channels.items():
        if channel is gone:
            del channels[form]
            return
