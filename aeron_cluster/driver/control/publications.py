"""Publications: adding, sharing, removing, and freeing ended ones.

The parts of DriverConductor around PublicationLink.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from aeron_cluster.codecs.channel_uri import PROTOTYPE_CORRELATION_ID, ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.driver.clients.commands import CommandError
from aeron_cluster.driver.clients.stream_params import PublicationParams
from aeron_cluster.driver.control.channel_checks import (
    check_publication_channel,
    check_same_parameters,
)
from aeron_cluster.driver.control.managed_ipc_publication import ManagedIpcPublication
from aeron_cluster.driver.control.managed_publication import IPC_CHANNEL
from aeron_cluster.driver.control.subscription import IpcSubscription
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.events.codes import DriverEvent
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.memory.shared.counters_layout import SystemCounter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aeron_cluster.driver.clients import commands
    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.clients.driver_clients import DriverClients
    from aeron_cluster.driver.clients.udp_channel import UdpChannel
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.control.channels import Channels
    from aeron_cluster.driver.control.deferred_commands import DeferredCommands
    from aeron_cluster.driver.control.managed_network_publication import ManagedNetworkPublication
    from aeron_cluster.driver.control.session_ids import SessionIds
    from aeron_cluster.driver.control.stream_factory import StreamFactory
    from aeron_cluster.driver.control.stream_registry import AnyPublication, StreamRegistry
    from aeron_cluster.driver.control.stream_tracking import StreamTracking
    from aeron_cluster.driver.send import send_events
    from aeron_cluster.driver.send.sender import Sender
    from aeron_cluster.driver.streams.log_factory import LogFactory
    from aeron_cluster.driver.streams.system_counters import SystemCounters

__all__ = ["Publications"]

_P = TypeVar("_P", "ManagedIpcPublication", "ManagedNetworkPublication")


class _Link:
    """One client's reference to a publication."""

    def __init__(self, client_id: int, publication: AnyPublication) -> None:
        self.client_id = client_id
        self.publication = publication


class Publications:
    """Executes the commands of clients about publications.

    Parameters
    ----------
    context : DriverContext
    registry : StreamRegistry
    session_ids : SessionIds
    channels : Channels
    clients : DriverClients
    proxy : ClientProxy
    factory : StreamFactory
    logs : LogFactory
    tracking : StreamTracking
    sender : Sender
    deferred : DeferredCommands
    system_counters : SystemCounters
    """

    def __init__(
        self,
        context: DriverContext,
        registry: StreamRegistry,
        session_ids: SessionIds,
        channels: Channels,
        clients: DriverClients,
        proxy: ClientProxy,
        factory: StreamFactory,
        logs: LogFactory,
        tracking: StreamTracking,
        sender: Sender,
        deferred: DeferredCommands,
        system_counters: SystemCounters,
    ) -> None:
        self._context = context
        self._registry = registry
        self._session_ids = session_ids
        self._channels = channels
        self._clients = clients
        self._proxy = proxy
        self._factory = factory
        self._logs = logs
        self._tracking = tracking
        self._sender = sender
        self._deferred = deferred
        self._system_counters = system_counters
        self._links: dict[int, _Link] = {}

    def on_add(
        self, command: commands.AddPublication, resolved: Mapping[str, str], now_ns: int
    ) -> None:
        """Add a publication, or a reference to an existing one."""
        uri = ChannelUri.parse(command.channel)
        publication: AnyPublication
        if uri.is_spy:
            raise ConfigurationError(
                f"channel URI {command.channel!r}: prefix", "none on a publication", "aeron-spy"
            )
        if uri.is_ipc:
            publication = self._ipc_publication(command, uri, now_ns)
        else:
            channel = self._channels.parse(command.channel, uri, resolved)
            publication = self._network_publication(command, uri, channel, now_ns)
        is_new = publication.reference_count == 0
        publication.reference_count += 1
        self._links[command.correlation_id] = _Link(command.client_id, publication)
        self._proxy.on_publication_ready(
            command.correlation_id,
            publication.registration_id,
            publication.session_id,
            publication.stream_id,
            publication.limit_counter_id,
            publication.status_counter_id,
            publication.log_path,
            is_exclusive=command.is_exclusive,
        )
        if is_new:
            self._registry.link_subscriptions(publication, now_ns)

    def _publication_params(self, uri: ChannelUri, stream_id: int) -> PublicationParams:
        """Read the parameters, resolving tags and ids of the driver."""
        tagged = None
        if uri.session_id_tag is not None:
            found = [
                each
                for each in self._registry.publications
                if each.params.entity_tag == uri.session_id_tag
            ]
            if not found:
                raise ConfigurationError(
                    f"channel URI {str(uri)!r}: parameter 'session-id'",
                    "the entity tag of a publication of this driver",
                    uri.session_id_tag,
                    upstream=f"session-id=tag:{uri.session_id_tag} must reference "
                    f"{'an IPC' if uri.is_ipc else 'a network'} publication: channel={uri}",
                )
            params = found[0].params
            tagged = (found[0].session_id, params.mtu_length, params.term_length)
        params = PublicationParams.read(uri, stream_id, self._context, tagged)
        self._check_response(params)
        return params

    def _check_response(self, params: PublicationParams) -> None:
        """Reject a correlation id that matches no image or subscription."""
        response_id = params.response_correlation_id
        if response_id == PROTOTYPE_CORRELATION_ID:
            return
        upstream = None
        expected = "the correlation id of an image that requested a response"
        if params.is_response:
            image = (
                self._registry.ipc_publication_of(response_id)
                if params.uri.is_ipc
                else self._registry.image_of(response_id)
            )
            if response_id == NULL_VALUE:
                upstream = "control-mode=response was specified, but no response-correlation-id set"
            elif image is None:
                upstream = f"image.correlationId={response_id} not found"
            elif not image.requests_response:
                upstream = f"image.correlationId={response_id} did not request a response channel"
        elif response_id != NULL_VALUE and not any(
            each.registration_id == response_id for each in self._registry.subscriptions
        ):
            expected = "the registration id of a subscription"
            upstream = (
                f"unable to find response subscription for response-correlation-id={response_id}"
            )
        if upstream is not None:
            raise CommandError(
                f"{upstream}: channel URI {str(params.uri)!r}: parameter "
                f"'response-correlation-id': expected {expected}",
                ErrorCode.ERROR_GENERIC,
            )

    def _check_entity_tag(self, params: PublicationParams) -> None:
        tag = params.entity_tag
        publications = self._registry.publications
        if tag is not None and any(each.params.entity_tag == tag for each in publications):
            raise ConfigurationError(
                f"channel URI {str(params.uri)!r}: parameter 'tags'",
                "an entity tag that no publication has",
                tag,
                upstream=f"{tag} entityTag already in use: channel={params.uri}",
            )

    def _choose_session_id(self, params: PublicationParams, stream_id: int, channel: str) -> int:
        session_id = params.session_id
        if session_id is None:
            return self._session_ids.next(stream_id, channel)
        if self._session_ids.is_used(session_id, stream_id, channel):
            raise ConfigurationError(
                f"channel URI {str(params.uri)!r}: parameter 'session-id'",
                f"one that no publication of stream {stream_id} on the channel has",
                session_id,
                upstream=f"existing publication has clashing sessionId={session_id} for "
                f"streamId={stream_id} channel={params.uri}",
            )
        return session_id

    def _ipc_publication(
        self, command: commands.AddPublication, uri: ChannelUri, now_ns: int
    ) -> ManagedIpcPublication:
        params = self._publication_params(uri, command.stream_id)
        shared = _find_shared(self._registry.ipc_publications, command, params)
        if shared is not None:
            self._clients.get_or_add(command.client_id)
            return shared
        self._check_entity_tag(params)
        session_id = self._choose_session_id(params, command.stream_id, IPC_CHANNEL)
        self._clients.get_or_add(command.client_id)
        publication = self._factory.new_ipc_publication(command, params, session_id, now_ns)
        self._session_ids.add(session_id, command.stream_id, IPC_CHANNEL)
        self._link_response(publication)
        self._registry.ipc_publications.append(publication)
        self._tracking.add_ipc_publication(publication.data)
        return publication

    def _link_response(self, publication: ManagedIpcPublication) -> None:
        """Restrict the requester's IPC subscription to its own response."""
        if not publication.params.is_response:
            return
        request = self._registry.ipc_publication_of(publication.params.response_correlation_id)
        if request is None:  # the prototype of responses belongs to no request
            return
        for subscription in self._registry.subscriptions:
            if subscription.registration_id == request.params.response_correlation_id and (
                isinstance(subscription, IpcSubscription)
            ):
                subscription.session_id = publication.session_id

    def _network_publication(
        self,
        command: commands.AddPublication,
        uri: ChannelUri,
        channel: UdpChannel,
        now_ns: int,
    ) -> ManagedNetworkPublication:
        check_publication_channel(channel)
        params = self._publication_params(uri, command.stream_id)
        existing = self._channels.find_send(channel)
        over = (
            each for each in self._registry.network_publications if each.send_channel is existing
        )
        shared = _find_shared(over, command, params)
        if shared is not None:
            self._clients.get_or_add(command.client_id)
            return shared
        self._check_entity_tag(params)
        canonical_form = (existing.udp_channel if existing else channel).canonical_form
        session_id = self._choose_session_id(params, command.stream_id, canonical_form)
        self._clients.get_or_add(command.client_id)
        send_channel = existing or self._channels.open_send(channel, command.correlation_id)
        try:
            params.check_sndbuf(send_channel.sndbuf_length)
            publication = self._factory.new_network_publication(
                command, params, session_id, send_channel, now_ns
            )
        except BaseException:
            self._channels.close_unused_send(send_channel)
            raise
        self._session_ids.add(session_id, command.stream_id, canonical_form)
        send_channel.publication_count += 1
        self._registry.network_publications.append(publication)
        self._tracking.add_network_publication(publication.data)
        self._deferred.enqueue(partial(self._sender.add_publication, publication.data))
        if params.is_response:
            image = self._registry.image_of(params.response_correlation_id)
            if image is not None:
                image.data.set_response_session_id(session_id)
        return publication

    def on_remove(self, command: commands.RemovePublication) -> None:
        """Release the reference of one add of a publication."""
        link = self._links.pop(command.registration_id, None)
        if link is None:
            raise CommandError(
                f"unknown publication: {command.registration_id}",
                ErrorCode.ERROR_UNKNOWN_PUBLICATION,
                command.correlation_id,
            )
        publication = link.publication
        if command.revoke:
            self._proxy.events.record(
                DriverEvent.PUBLICATION_REVOKE,
                revoked_pos=publication.data.producer_position,
                session_id=publication.session_id,
                stream_id=publication.stream_id,
                channel=publication.channel,
            )
            publication.data.revoke()
        publication.release()
        self._proxy.on_operation_success(command.correlation_id)

    def reject_ipc(self, publication: ManagedIpcPublication, now_ns: int) -> None:
        """Reject the image of an IPC publication."""
        publication.reject(now_ns + self._context.image_liveness_timeout_ns)
        self._system_counters.add(SystemCounter.SYSTEM_IMAGES_REJECTED)

    def release_of(self, client_id: int) -> None:
        """Release all references of a client."""
        for registration_id, link in list(self._links.items()):
            if link.client_id == client_id:
                del self._links[registration_id]
                link.publication.release()

    def on_released(self, event: send_events.PublicationReleased) -> None:
        """Free a publication that the sender released."""
        for publication in self._registry.network_publications:
            if publication.data is event.publication:
                self._registry.network_publications.remove(publication)
                self._tracking.remove_network_publication(publication.data)
                self._log_removal(publication)
                publication.close()
                self._logs.free(publication.log)
                return

    def check_network(self, publication: ManagedNetworkPublication, now_ns: int) -> None:
        """Release a network publication that is done."""
        if not publication.is_done and publication.on_timer(now_ns):
            send_channel = publication.send_channel
            self._session_ids.release(
                publication.session_id,
                publication.stream_id,
                send_channel.udp_channel.canonical_form,
            )
            self._deferred.enqueue(partial(self._sender.remove_publication, publication.data))
            send_channel.publication_count -= 1
            self._channels.close_unused_send(send_channel)

    def check_ipc(self, publication: ManagedIpcPublication, now_ns: int) -> None:
        """Free an IPC publication that has expired, or link it again."""
        held_session_id = publication.holds_session_id
        if publication.on_timer(now_ns):
            self._registry.link_subscriptions(publication, now_ns)
        if held_session_id and not publication.holds_session_id:
            self._session_ids.release(publication.session_id, publication.stream_id, IPC_CHANNEL)
        if publication.is_done:
            self._registry.ipc_publications.remove(publication)
            self._tracking.remove_ipc_publication(publication.data)
            self._log_removal(publication)
            publication.close()
            self._logs.free(publication.log)

    def _log_removal(self, publication: AnyPublication) -> None:
        self._proxy.events.record(
            DriverEvent.REMOVE_PUBLICATION_CLEANUP,
            session_id=publication.session_id,
            stream_id=publication.stream_id,
            channel=publication.channel,
        )


def _find_shared(
    among: Iterable[_P], command: commands.AddPublication, params: PublicationParams
) -> _P | None:
    """Return the publication that the command shares; reject a mismatch."""
    if command.is_exclusive:
        return None
    for publication in among:
        if (
            publication.stream_id == command.stream_id
            and not publication.is_exclusive
            and publication.is_active
            and publication.params.response_correlation_id == params.response_correlation_id
        ):
            check_same_parameters(publication, params)
            return publication
    return None
