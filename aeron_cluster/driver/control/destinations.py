"""Destinations that clients add to publications and subscriptions with control-mode=manual.

The parts of DriverConductor for AddDestination, RemoveDestination and similar commands.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.driver.clients import commands
from aeron_cluster.driver.clients.commands import CommandError
from aeron_cluster.driver.clients.stream_params import SubscriptionParams
from aeron_cluster.driver.clients.udp_channel import ControlMode
from aeron_cluster.driver.control.channel_checks import check_destination
from aeron_cluster.driver.control.name_resolution import UNRESOLVED
from aeron_cluster.driver.control.subscription import (
    IpcSubscription,
    NetworkSubscription,
    SpySubscription,
    Subscription,
)
from aeron_cluster.driver.send.send_endpoint import MAX_DESTINATION_COUNT
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.shared.commands import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.control.channels import Channels
    from aeron_cluster.driver.control.deferred_commands import DeferredCommands
    from aeron_cluster.driver.control.send_channel import SendChannel
    from aeron_cluster.driver.control.stream_registry import StreamRegistry
    from aeron_cluster.driver.receive.receiver import Receiver
    from aeron_cluster.driver.send.sender import Sender

__all__ = ["Destinations"]


class Destinations:
    """Adds and removes destinations.

    Parameters
    ----------
    context : DriverContext
    channels : Channels
    sender, receiver : Sender, Receiver
    deferred : DeferredCommands
    clients : ClientProxy
    registry : StreamRegistry
        A destination for streams of this driver is another subscription of it.
    """

    def __init__(
        self,
        context: DriverContext,
        channels: Channels,
        sender: Sender,
        receiver: Receiver,
        deferred: DeferredCommands,
        clients: ClientProxy,
        registry: StreamRegistry,
    ) -> None:
        self._context = context
        self._channels = channels
        self._sender = sender
        self._receiver = receiver
        self._deferred = deferred
        self._proxy = clients
        self._registry = registry

    # ---- of publications ----

    def on_send_destination(
        self,
        command: commands.AddDestination | commands.RemoveDestination,
        resolved: Mapping[str, str],
    ) -> None:
        """Add or remove an address that a publication's frames are sent to."""
        send_channel = self._manual_channel(command.registration_id)
        uri = ChannelUri.parse(command.channel)
        check_destination(uri, command.channel, may_be_local=False)
        channel = self._channels.parse(command.channel, uri, resolved, is_destination=True)
        address = channel.remote_data
        if address.port == 0:
            raise ConfigurationError(
                f"channel URI {command.channel!r}: parameter 'endpoint'",
                "a port above 0",
                str(address),
                upstream=f"endpoint has port=0 for send destination: channel={command.channel}",
            )
        if isinstance(command, commands.AddDestination):
            if len(send_channel.destinations) >= MAX_DESTINATION_COUNT:
                raise ConfigurationError(
                    f"channel URI {command.channel!r}: destination",
                    f"at most {MAX_DESTINATION_COUNT} of a publication",
                    "another one",
                )
            # Nothing is sent to it until its name is resolved.
            is_unresolved = address.host == UNRESOLVED and channel.has_resolvable_endpoint
            send_channel.destinations[command.correlation_id] = channel
            self._deferred.enqueue(
                partial(
                    self._sender.add_destination,
                    send_channel.data,
                    None if is_unresolved else address,
                    command.correlation_id,
                )
            )
        else:
            destination_id = send_channel.find_destination(channel)
            if destination_id is not None:
                self._remove(send_channel, destination_id)
        self._proxy.on_operation_success(command.correlation_id)

    def on_remove_by_id(self, command: commands.RemoveDestinationById) -> None:
        """Remove an address of a publication, by the id under which it was added."""
        send_channel = self._manual_channel(command.registration_id)
        self._remove(send_channel, command.destination_registration_id)
        self._proxy.on_operation_success(command.correlation_id)

    def _remove(self, send_channel: SendChannel, destination_id: int) -> None:
        send_channel.destinations.pop(destination_id, None)
        send_channel.new_addresses.pop(destination_id, None)
        self._deferred.enqueue(
            partial(self._sender.remove_destination, send_channel.data, destination_id)
        )

    def _manual_channel(self, registration_id: int) -> SendChannel:
        for publication in self._registry.network_publications:
            # The sender may release the endpoint of one that is done before it executes another
            # command for it.
            if publication.registration_id == registration_id and not publication.is_done:
                if publication.send_channel.udp_channel.control_mode is not ControlMode.MANUAL:
                    raise CommandError(
                        "channel does not allow manual control of destinations: "
                        f"{publication.channel}: parameter 'control-mode': expected manual",
                        ErrorCode.ERROR_INVALID_CHANNEL,
                    )
                return publication.send_channel
        raise CommandError(
            f"unknown publication: {registration_id}", ErrorCode.ERROR_UNKNOWN_PUBLICATION
        )

    # ---- of subscriptions ----

    def on_add_receive(
        self,
        command: commands.AddReceiveDestination,
        resolved: Mapping[str, str],
        now_ns: int,
    ) -> None:
        """Add an address, or streams of this driver, to a subscription."""
        owner = self._multi_destination_subscription(command.registration_id)
        uri = ChannelUri.parse(command.channel)
        check_destination(uri, command.channel, may_be_local=True)
        if uri.is_ipc or uri.is_spy:
            self._add_local(owner, command, uri, resolved, now_ns)
            return
        channel = self._channels.parse(command.channel, uri, resolved, is_destination=True)
        # By the subscription's id its owner detects when the addresses are free again.
        transport = self._channels.add_transport(
            owner.receive_channel, channel, owner.registration_id
        )
        self._deferred.enqueue(
            partial(self._receiver.add_transport, owner.receive_channel.data, transport.index)
        )
        self._proxy.on_operation_success(command.correlation_id)

    def _add_local(
        self,
        owner: NetworkSubscription,
        command: commands.AddReceiveDestination,
        uri: ChannelUri,
        resolved: Mapping[str, str],
        now_ns: int,
    ) -> None:
        identity = (owner.registration_id, owner.client_id, owner.stream_id, command.channel)
        params = SubscriptionParams.read(uri, self._context)
        local: Subscription = IpcSubscription(*identity, params)
        if uri.is_spy:
            channel = self._channels.parse(command.channel, uri, resolved)
            local = SpySubscription(*identity, params, channel)
        self._registry.subscriptions.append(local)
        self._proxy.on_operation_success(command.correlation_id)
        self._registry.link_streams(local, now_ns)

    def on_remove_receive(
        self, command: commands.RemoveReceiveDestination, resolved: Mapping[str, str]
    ) -> None:
        """Remove an address, or this driver's streams, from a subscription."""
        owner = self._multi_destination_subscription(command.registration_id)
        uri = ChannelUri.parse(command.channel)
        if uri.is_ipc or uri.is_spy:
            self._remove_local(owner, command)
            return
        channel = self._channels.parse(command.channel, uri, resolved, is_destination=True)
        transport = owner.receive_channel.find_transport(channel)
        if transport is None:
            raise _no_destination(owner, command)
        if not transport.is_leaving:
            # Released twice, it could be closed again after its slot was given to another one.
            transport.is_leaving = True
            self._deferred.enqueue(
                partial(
                    self._receiver.remove_transport, owner.receive_channel.data, transport.index
                )
            )
        self._proxy.on_operation_success(command.correlation_id)

    def _remove_local(
        self, owner: NetworkSubscription, command: commands.RemoveReceiveDestination
    ) -> None:
        for subscription in self._registry.subscriptions:
            if (
                subscription.registration_id == owner.registration_id
                and subscription is not owner
                and subscription.channel == command.channel
            ):
                break
        else:
            raise _no_destination(owner, command)
        self._registry.subscriptions.remove(subscription)
        self._proxy.on_operation_success(command.correlation_id)
        for stream in list(subscription.streams):
            stream.unlink(subscription)
            self._proxy.on_unavailable_image(
                stream.image_id,
                subscription.registration_id,
                subscription.stream_id,
                subscription.channel,
            )

    def _multi_destination_subscription(self, registration_id: int) -> NetworkSubscription:
        owned = [
            each for each in self._registry.subscriptions if each.registration_id == registration_id
        ]
        if not owned:
            raise CommandError(
                f"unknown subscription: {registration_id}", ErrorCode.ERROR_UNKNOWN_SUBSCRIPTION
            )
        for each in owned:
            if isinstance(each, NetworkSubscription) and each.receive_channel.is_multi_destination:
                return each
        raise CommandError(
            f"channel does not allow manual control: {owned[0].channel}: parameter 'control-mode': "
            "expected manual",
            ErrorCode.ERROR_INVALID_CHANNEL,
        )


def _no_destination(
    owner: NetworkSubscription, command: commands.RemoveReceiveDestination
) -> CommandError:
    return CommandError(
        f"subscription {owner.registration_id}: no destination {command.channel}",
        ErrorCode.ERROR_INVALID_CHANNEL,
    )
