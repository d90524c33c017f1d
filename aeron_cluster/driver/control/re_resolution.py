"""Names that are resolved again because nothing is received from their last address.

The parts of DriverConductor for reResolveEndpoint and reResolveControl.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.driver.clients.commands import CommandError
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.memory.system.address import Address

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aeron_cluster.driver.control.channels import Channels
    from aeron_cluster.driver.control.deferred_commands import DeferredCommands
    from aeron_cluster.driver.control.error_recorder import ErrorRecorder
    from aeron_cluster.driver.control.name_resolution import Lookup, NameResolver
    from aeron_cluster.driver.receive import receive_events
    from aeron_cluster.driver.receive.receiver import Receiver
    from aeron_cluster.driver.send import send_events
    from aeron_cluster.driver.send.sender import Sender

__all__ = ["ReResolution"]


class ReResolution:
    """Resolves names again, and sends changed addresses to the sender and the receiver.

    Parameters
    ----------
    resolver : NameResolver
    channels : Channels
    sender, receiver : Sender, Receiver
    deferred : DeferredCommands
    errors : ErrorRecorder

    Attributes
    ----------
    under_way : list
        The lookups, each with the function for its result.
    """

    def __init__(
        self,
        resolver: NameResolver,
        channels: Channels,
        sender: Sender,
        receiver: Receiver,
        deferred: DeferredCommands,
        errors: ErrorRecorder,
    ) -> None:
        self._resolver = resolver
        self._channels = channels
        self._sender = sender
        self._receiver = receiver
        self._deferred = deferred
        self._errors = errors
        self.under_way: list[tuple[Lookup, Callable[[Mapping[str, str]], None], str]] = []

    def on_send_due(self, event: send_events.SendResolutionDue) -> None:
        """Look up the address of an endpoint of the sender, or of a destination."""
        send_channel = self._channels.send_channel_of(event.endpoint)
        if send_channel is None:
            return
        channel = send_channel.udp_channel
        if event.destination_id != NULL_VALUE:
            destination = send_channel.destinations.get(event.destination_id)
            if destination is None:
                return
            channel = destination

        def is_current() -> bool:
            return (
                self._channels.send_channel_of(event.endpoint) is send_channel
                and not send_channel.is_closing
                and (
                    channel is send_channel.udp_channel
                    or send_channel.destinations.get(event.destination_id) is channel
                )
            )

        def host_in_use() -> str | None:
            if channel is send_channel.udp_channel and send_channel.is_errored:
                return None  # connect again in any case
            return send_channel.new_addresses.get(event.destination_id, channel.remote_data).host

        parts = channel.uri.socket_address("endpoint")
        if parts is not None and parts[0] != channel.remote_data.host:
            self._begin(
                "endpoint",
                parts,
                host_in_use,
                send_channel.new_addresses,
                event.destination_id,
                is_current,
                partial(
                    self._sender.change_address,
                    event.endpoint,
                    destination_id=event.destination_id,
                ),
            )

    def on_address_changed(self, event: send_events.SendAddressChanged) -> None:
        """Record the address to which an endpoint of the sender is connected from now on.

        Raises
        ------
        CommandError
            The system rejected it; a later lookup may try it again.
        """
        send_channel = self._channels.send_channel_of(event.endpoint)
        if send_channel is None or send_channel.is_closing:
            return
        address = Address(*event.address)
        if event.error_number == 0:
            send_channel.on_address_changed(address)
            return
        send_channel.on_address_rejected()
        raise CommandError(
            f"re-resolve endpoint channel error - {os.strerror(event.error_number)}: {address}: "
            f"{send_channel.udp_channel.text}",
            ErrorCode.ERROR_GENERIC,
        )

    def on_receive_due(self, event: receive_events.ReceiveResolutionDue) -> None:
        """Look up the control address of an endpoint of the receiver."""
        receive_channel = self._channels.receive_channel_of(event.endpoint)
        if receive_channel is None:
            return
        transport = receive_channel.transports.get(event.transport_index)
        if transport is None:
            return

        def is_current() -> bool:
            return (
                self._channels.receive_channel_of(event.endpoint) is receive_channel
                and not receive_channel.is_closing
                and receive_channel.transports.get(event.transport_index) is transport
                and not transport.is_leaving
            )

        first = transport.udp_channel.local_control

        def host_in_use() -> str:
            return receive_channel.new_addresses.get(event.transport_index, first).host

        parts = transport.udp_channel.uri.socket_address("control")
        if parts is not None and parts[0] != first.host:
            self._begin(
                "control",
                parts,
                host_in_use,
                receive_channel.new_addresses,
                event.transport_index,
                is_current,
                partial(
                    self._receiver.change_control_address, event.endpoint, event.transport_index
                ),
            )

    def _begin(
        self,
        key: str,
        parts: tuple[str, int],
        host_in_use: Callable[[], str | None],
        new_addresses: dict[int, Address],
        number: int,
        is_current: Callable[[], bool],
        change: Callable[..., bool],
    ) -> None:
        """Look up a name; `new_addresses` gets, by `number`, an address that is not in use yet.

        The result is dropped unless `is_current` then returns True: the channel, or the
        destination, may have been removed.
        """
        host, port = parts

        def on_found(found: Mapping[str, str]) -> None:
            if is_current() and found[host] != host_in_use():
                address = Address(found[host], port)
                if number != NULL_VALUE:  # else once the sender has connected the socket
                    new_addresses[number] = address
                self._deferred.enqueue(partial(change, address=address))

        name = f"{host}:{port}"
        self._resolver.record_names([name], is_again=True)
        what = f"{key}={name}"
        self.under_way.append((self._resolver.lookup([host], is_again=True), on_found, what))

    def do_work(self) -> int:
        """Apply finished lookups; return how many."""
        finished = [each for each in self.under_way if each[0].done()]
        for each in finished:
            self.under_way.remove(each)
            lookup, on_found, what = each
            try:
                on_found(lookup.result())
            except OSError as error:
                self._errors.record(
                    CommandError(
                        f"could not re-resolve: {what}: {error}", ErrorCode.ERROR_UNKNOWN_HOST
                    )
                )
        return len(finished)
