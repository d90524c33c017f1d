"""Subscriptions: adding, linking to matching streams, and removing.

The parts of DriverConductor around SubscriptionLink.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.driver.clients.commands import CommandError
from aeron_cluster.driver.clients.stream_params import SubscriptionParams
from aeron_cluster.driver.control.subscription import (
    IpcSubscription,
    NetworkSubscription,
    SpySubscription,
    Subscription,
)
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.events.codes import DriverEvent
from aeron_cluster.memory.shared.commands import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aeron_cluster.driver.clients import commands
    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.clients.driver_clients import DriverClients
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.control.channels import Channels
    from aeron_cluster.driver.control.deferred_commands import DeferredCommands
    from aeron_cluster.driver.control.stream_registry import StreamRegistry
    from aeron_cluster.driver.receive.receiver import Receiver
    from aeron_cluster.driver.send import send_events

__all__ = ["Subscriptions"]


class Subscriptions:
    """Executes the commands of clients about subscriptions.

    Parameters
    ----------
    context : DriverContext
    registry : StreamRegistry
    channels : Channels
    clients : DriverClients
    proxy : ClientProxy
    receiver : Receiver
    deferred : DeferredCommands
    """

    def __init__(
        self,
        context: DriverContext,
        registry: StreamRegistry,
        channels: Channels,
        clients: DriverClients,
        proxy: ClientProxy,
        receiver: Receiver,
        deferred: DeferredCommands,
    ) -> None:
        self._context = context
        self._registry = registry
        self._channels = channels
        self._clients = clients
        self._proxy = proxy
        self._receiver = receiver
        self._deferred = deferred

    def on_add(
        self, command: commands.AddSubscription, resolved: Mapping[str, str], now_ns: int
    ) -> None:
        """Add a subscription."""
        uri = ChannelUri.parse(command.channel)
        params = SubscriptionParams.read(uri, self._context)
        identity = (command.correlation_id, command.client_id, command.stream_id, command.channel)
        if uri.is_ipc:
            self._clients.get_or_add(command.client_id)
            self._add(IpcSubscription(*identity, params), NULL_VALUE, now_ns)
            return
        channel = self._channels.parse(command.channel, uri, resolved)
        if uri.is_spy:
            self._clients.get_or_add(command.client_id)
            self._add(SpySubscription(*identity, params, channel), NULL_VALUE, now_ns)
            return
        if channel.has_explicit_control and channel.local_control.port == 0:
            raise CommandError(
                f"control has port=0 for subscription: channel={channel.text}: parameter "
                f"'control': expected a port above 0, found {channel.local_control}",
                ErrorCode.ERROR_GENERIC,
            )
        receive_channel = self._channels.get_or_open_receive(channel, command.correlation_id)
        subscription = NetworkSubscription(*identity, params, receive_channel)
        try:
            receive_channel.check_window(params.window_length, command.channel)
            self._check_like_others(subscription)
            self._clients.get_or_add(command.client_id)
        except BaseException:
            self._channels.close_unused_receive(receive_channel)
            raise
        if params.is_response and params.session_id is None:
            receive_channel.response_count += 1
        else:
            self._add_interest(subscription)
        self._add(subscription, receive_channel.status_counter_id, now_ns)

    def _add(self, subscription: Subscription, status_counter_id: int, now_ns: int) -> None:
        self._registry.subscriptions.append(subscription)
        self._proxy.on_subscription_ready(subscription.registration_id, status_counter_id)
        self._registry.link_streams(subscription, now_ns)

    def _check_like_others(self, subscription: NetworkSubscription) -> None:
        """Reject a subscription whose parameters contradict those of a shared image."""
        for other in self._registry.subscriptions:
            if (
                not isinstance(other, NetworkSubscription)
                or other.receive_channel is not subscription.receive_channel
                or other.stream_id != subscription.stream_id
                or other.session_id != subscription.session_id
            ):
                continue
            mine, theirs = subscription.params, other.params
            for name, upstream, wanted, found in (
                ("reliable", "reliable", mine.is_reliable, theirs.is_reliable),
                ("rejoin", "rejoin", mine.is_rejoining, theirs.is_rejoining),
                ("control-mode", "isResponse", mine.is_response, theirs.is_response),
            ):
                if wanted != found:
                    raise ConfigurationError(
                        f"channel URI {subscription.channel!r}: parameter {name!r}",
                        f"that of subscription {other.registration_id}: {found}",
                        wanted,
                        upstream=f"option conflicts with existing subscription: "
                        f"{upstream}={str(wanted).lower()} existingChannel={other.channel} "
                        f"channel={subscription.channel}",
                    )

    def _add_interest(self, subscription: NetworkSubscription) -> None:
        channel, stream_id = subscription.receive_channel, subscription.stream_id
        if channel.add_stream(stream_id, subscription.session_id):
            self._deferred.enqueue(
                partial(
                    self._receiver.add_subscription,
                    channel.data,
                    stream_id,
                    subscription.session_id,
                )
            )

    def on_remove(self, command: commands.RemoveSubscription) -> None:
        """Remove a subscription, with its destinations."""
        if not self.remove(lambda each: each.registration_id == command.registration_id):
            raise CommandError(
                f"unknown subscription: {command.registration_id}",
                ErrorCode.ERROR_UNKNOWN_SUBSCRIPTION,
                command.correlation_id,
            )
        self._proxy.on_operation_success(command.correlation_id)

    def remove(self, is_meant: Callable[[Subscription], bool]) -> bool:
        """Remove matching subscriptions; return whether there were any."""
        removed = [each for each in self._registry.subscriptions if is_meant(each)]
        self._registry.subscriptions[:] = [
            each for each in self._registry.subscriptions if each not in removed
        ]
        for subscription in removed:
            self._proxy.events.record(
                DriverEvent.REMOVE_SUBSCRIPTION_CLEANUP,
                stream_id=subscription.stream_id,
                id=subscription.registration_id,
                channel=subscription.channel,
            )
            subscription.unlink()
            if isinstance(subscription, NetworkSubscription):
                self._leave_channel(subscription)
        return bool(removed)

    def _leave_channel(self, subscription: NetworkSubscription) -> None:
        channel = subscription.receive_channel
        if subscription.params.is_response and subscription.session_id is None:
            channel.response_count -= 1
        elif channel.remove_stream(subscription.stream_id, subscription.session_id):
            self._deferred.enqueue(
                partial(
                    self._receiver.remove_subscription,
                    channel.data,
                    subscription.stream_id,
                    subscription.session_id,
                )
            )
        self._channels.close_unused_receive(channel)

    def on_response_setup(self, event: send_events.ResponseSetupReceived) -> None:
        """Restrict the response subscription to the session sent by the server."""
        response_id = next(
            (
                each.params.response_correlation_id
                for each in self._registry.network_publications
                if each.data is event.publication
            ),
            NULL_VALUE,
        )
        for subscription in self._registry.subscriptions:
            if subscription.registration_id != response_id or not isinstance(
                subscription, NetworkSubscription
            ):
                continue
            if subscription.session_id is None:
                subscription.session_id = event.response_session_id
                subscription.receive_channel.response_count -= 1
                self._add_interest(subscription)
            else:
                self._deferred.enqueue(
                    partial(
                        self._receiver.request_setup,
                        subscription.receive_channel.data,
                        subscription.stream_id,
                        subscription.session_id,
                    )
                )
            return
