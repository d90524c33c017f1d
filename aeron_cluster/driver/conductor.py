"""The driver's conductor: what clients ask for, what the network brings, what time ends.

``io.aeron.driver.DriverConductor``.

Everything here runs on the conductor's thread with the GIL, and only when there is a command, an
event of the sender or the receiver, or a deadline; `ConductorAgent` finds that out in C. What
every pass does for each stream is `StreamTracking`'s.
"""

from __future__ import annotations

import itertools
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.channel_uri import PROTOTYPE_CORRELATION_ID, ChannelUri
from aeron_cluster.driver import commands, events
from aeron_cluster.driver.channel_checks import (
    check_destination,
    check_publication_channel,
    check_same,
    have_compatible_tags,
    needs_interfaces,
    unless_closing,
)
from aeron_cluster.driver.commands import CommandError
from aeron_cluster.driver.driver_client import DriverClient
from aeron_cluster.driver.managed_ipc_publication import IPC_CHANNEL, ManagedIpcPublication
from aeron_cluster.driver.managed_network_publication import ManagedNetworkPublication
from aeron_cluster.driver.name_resolution import UnknownHostError
from aeron_cluster.driver.receive_channel import ReceiveChannel
from aeron_cluster.driver.send_channel import SendChannel
from aeron_cluster.driver.session_ids import SessionIds
from aeron_cluster.driver.stream_params import PublicationParams, SubscriptionParams
from aeron_cluster.driver.subscription import (
    IpcSubscription,
    NetworkSubscription,
    SpySubscription,
    Subscription,
)
from aeron_cluster.driver.udp_channel import ControlMode, UdpChannel
from aeron_cluster.errors import (
    AgentTerminationError,
    ConfigurationError,
    CorruptError,
    InsufficientSpaceError,
    MessageError,
)
from aeron_cluster.memory.address import Address
from aeron_cluster.memory.commands import ErrorCode
from aeron_cluster.memory.counters_layout import SystemCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aeron_cluster.driver.client_proxy import ClientProxy
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.driver_counters import DriverCounters
    from aeron_cluster.driver.error_recorder import ErrorRecorder
    from aeron_cluster.driver.log_factory import LogFactory
    from aeron_cluster.driver.log_pages import PageAllocator
    from aeron_cluster.driver.managed_image import ManagedImage
    from aeron_cluster.driver.name_resolution import Lookup, NameResolver
    from aeron_cluster.driver.receiver import Receiver
    from aeron_cluster.driver.sender import Sender
    from aeron_cluster.driver.stream_factory import StreamFactory
    from aeron_cluster.driver.stream_tracking import StreamTracking
    from aeron_cluster.driver.system_counters import SystemCounters
    from aeron_cluster.memory.ring_buffer import ManyToOneRingBuffer
    from aeron_cluster.memory.seams import Seams
    from aeron_cluster.memory.step_watch import StepWatch

__all__ = ["Conductor"]

_NULL_ID: Final = -1
_COMMAND_LIMIT: Final = 8  # of one pass: a burst of commands must not hold up the streams
_EVENT_LIMIT: Final = 16
_LOOKUP_INTERVAL_NS: Final = 1_000_000  # how often a name under way is asked after
_INT64_MAX: Final = 2**63 - 1

ManagedPublication = ManagedIpcPublication | ManagedNetworkPublication


class _PublicationLink:
    """One add of a publication: the reference that one client holds."""

    def __init__(self, client_id: int, publication: ManagedPublication) -> None:
        self.client_id = client_id
        self.publication = publication


class Conductor:
    """Owns the driver's clients, streams and channels.

    Parameters
    ----------
    context : DriverContext
    seams : Seams
    ring : ManyToOneRingBuffer
        Where clients leave commands.
    clients : ClientProxy
        Where they hear of what was done.
    counters : DriverCounters
    system_counters : SystemCounters
    errors : ErrorRecorder
    logs : LogFactory
    streams : StreamFactory
    sender, receiver : Sender, Receiver
        The other agents; they get commands by their queues and leave events.
    tracking : StreamTracking
        The other half of this agent, on the same thread.
    allocator : PageAllocator
        Whose failures are recorded.
    resolver : NameResolver
    steps : StepWatch
        By which clients are judged.
    termination_hook : Callable, optional
        Called where the driver cannot go on, or a client may end it and asks for it.
    """

    def __init__(
        self,
        context: DriverContext,
        seams: Seams,
        ring: ManyToOneRingBuffer,
        clients: ClientProxy,
        counters: DriverCounters,
        system_counters: SystemCounters,
        errors: ErrorRecorder,
        logs: LogFactory,
        streams: StreamFactory,
        sender: Sender,
        receiver: Receiver,
        tracking: StreamTracking,
        allocator: PageAllocator,
        resolver: NameResolver,
        steps: StepWatch,
        termination_hook: Callable[[], None] | None = None,
    ) -> None:
        self._termination_hook = termination_hook
        self._context = context
        self._clock = seams.clock
        self._network = seams.network
        self._ring = ring
        self._proxy = clients
        self._counters = counters
        self._system_counters = system_counters
        self._errors = errors
        self._logs = logs
        self._streams = streams
        self._sender = sender
        self._receiver = receiver
        self._tracking = tracking
        self._allocator = allocator
        self._resolver = resolver
        self._steps = steps
        self._clients: dict[int, DriverClient] = {}
        self._links: dict[int, _PublicationLink] = {}
        self._ipc_publications: list[ManagedIpcPublication] = []
        self._network_publications: list[ManagedNetworkPublication] = []
        self._images: list[ManagedImage] = []
        self._subscriptions: list[Subscription] = []
        self._send_channels: dict[str, SendChannel] = {}
        self._receive_channels: dict[str, ReceiveChannel] = {}
        self._static_counters: dict[tuple[int, int], int] = {}
        self._session_ids = SessionIds(
            seams.random.next(),
            context.publication_reserved_session_id_low,
            context.publication_reserved_session_id_high,
        )
        self._receiver_ids = itertools.count(seams.random.next() >> 2)
        self._unique_suffixes = itertools.count()
        # A command whose names are looked up; the ring waits, so that the order stays.
        self._in_flight: tuple[commands.ClientCommand, Lookup, int] | None = None
        self._re_resolutions: list[tuple[Lookup, Callable[[Mapping[str, str]], None]]] = []
        self._posts: deque[Callable[[], bool]] = deque()
        self._timer_deadline_ns = self._clock.nano_time()
        self._last_ring_position = 0
        self._last_ring_progress_ns = self._timer_deadline_ns

    # ---- the pass ----

    def do_work(self) -> int:
        """Do what is there to do; return how much it was."""
        now_ns = self._clock.nano_time()
        work = self._do_posts()
        work += self._do_events(now_ns)
        if (error := self._allocator.take_error()) is not None:
            self._errors.record(error)
        if now_ns >= self._timer_deadline_ns:
            self._timer_deadline_ns = now_ns + self._context.timer_interval_ns
            self._on_timer(now_ns)
            work += 1
        work += self._do_commands(now_ns)
        work += self._do_re_resolutions()
        return work + self._logs.free_doomed(self._context.driver_resource_free_limit)

    @property
    def deadline_ns(self) -> int:
        """When `do_work` wants to be called even if nobody left anything."""
        if self._posts or self._logs.has_doomed:
            return 0
        if self._in_flight is not None or self._re_resolutions:
            return min(self._clock.nano_time() + _LOOKUP_INTERVAL_NS, self._timer_deadline_ns)
        return self._timer_deadline_ns

    @property
    def heartbeat_ids(self) -> list[int] | None:
        """The heartbeat counters of the clients, None where the timer is for more than these.

        A timer for no more than clients that live and streams that move is no call of `do_work`:
        the agent does that by itself, and says so by `on_tended`.
        """
        if (
            self._posts
            or self._in_flight is not None
            or self._re_resolutions
            or self._logs.has_doomed
            or self._logs.has_stuck
            or any(not each.params.is_tethered for each in self._subscriptions)
            or any(each.rejected_until_ns is not None for each in self._ipc_publications)
        ):
            return None
        return [client.heartbeat_counter_id for client in self._clients.values()]

    def on_tended(self, now_ns: int) -> None:
        """Note that the timer's work was done at a time, and no command was waiting then."""
        self._timer_deadline_ns = now_ns + self._context.timer_interval_ns
        self._last_ring_progress_ns = now_ns

    @property
    def accepts_commands(self) -> bool:
        """Whether `do_work` would take a command from the ring."""
        return not self._posts and self._in_flight is None

    def _post(self, call: Callable[[], bool]) -> None:
        """Leave a command for another agent; where its queue is full, later, in order."""
        if self._posts or not call():
            self._posts.append(call)

    def _do_posts(self) -> int:
        done = 0
        while self._posts and self._posts[0]():
            self._posts.popleft()
            done += 1
        return done

    def _do_commands(self, now_ns: int) -> int:
        for done in range(_COMMAND_LIMIT):
            if self._in_flight is not None:
                command, lookup, start_ns = self._in_flight
                if not lookup.done():
                    return done
                self._in_flight = None
                self._on_lookup_time(now_ns - start_ns)
                self._carry_out(command, lookup, now_ns)
                continue
            # While another agent does not keep up nothing is added to its load.
            if self._posts or not self._read_command(now_ns):
                return done
        return _COMMAND_LIMIT

    def _read_command(self, now_ns: int) -> bool:
        received: list[tuple[int, bytes]] = []
        try:
            self._ring.read(lambda type_id, data: received.append((type_id, bytes(data))), 1)
        except CorruptError as error:
            self._clear_corrupt_ring(error)
            return True
        for type_id, data in received:
            try:
                command = commands.decode(type_id, data)
            except CommandError as error:
                kind = f"malformed command of type {type_id}"
                self._refuse(error.correlation_id, error, kind)
            else:
                self._begin(command, now_ns)
        return bool(received)

    def _begin(self, command: commands.ClientCommand, now_ns: int) -> None:
        """Carry `command` out, or begin to look up the names that it mentions."""
        channel = getattr(command, "channel", None)
        lookup = None
        if channel is not None:
            try:
                uri = ChannelUri.parse(channel)
                if not uri.is_ipc:
                    lookup = self._resolver.lookup(UdpChannel.hosts(uri))
            except ConfigurationError as error:
                self._refuse(command.correlation_id, error)
                return
        if lookup is None or lookup.done():
            self._carry_out(command, lookup, now_ns)
        else:
            self._in_flight = (command, lookup, now_ns)

    def _on_lookup_time(self, elapsed_ns: int) -> None:
        self._system_counters.propose_max(SystemCounter.SYSTEM_NAME_RESOLVER_MAX_TIME, elapsed_ns)
        if elapsed_ns > self._context.name_resolver_threshold_ns:
            self._system_counters.add(SystemCounter.SYSTEM_NAME_RESOLVER_TIME_EXCEEDED)

    def _carry_out(
        self, command: commands.ClientCommand, lookup: Lookup | None, now_ns: int
    ) -> None:
        try:
            self._dispatch(command, {} if lookup is None else lookup.result(), now_ns)
        except AgentTerminationError as error:
            self._tell_end(error)
            raise
        except Exception as error:  # noqa: BLE001 - no client's command may stop the driver
            self._refuse(command.correlation_id, error)

    def _tell_end(self, error: AgentTerminationError) -> None:
        """Say why, and let whoever waits for the driver's end close what else there is of it."""
        self._errors.record(error)
        if self._termination_hook is not None:
            self._termination_hook()

    def _refuse(self, correlation_id: int, error: Exception, kind: str | None = None) -> None:
        match error:
            case CommandError():
                code = error.code
            case ConfigurationError() | UnknownHostError():
                code = ErrorCode.ERROR_INVALID_CHANNEL
            case InsufficientSpaceError():
                code = ErrorCode.ERROR_STORAGE_SPACE
            case _:
                code = ErrorCode.ERROR_GENERIC
        self._errors.record(error, kind)
        self._proxy.on_error(correlation_id, code, f"{type(error).__name__}: {error}")

    def _dispatch(
        self, command: commands.ClientCommand, resolved: Mapping[str, str], now_ns: int
    ) -> None:
        match command:
            case commands.AddPublication():
                self._on_add_publication(command, resolved, now_ns)
            case commands.RemovePublication():
                self._on_remove_publication(command)
            case commands.AddSubscription():
                self._on_add_subscription(command, resolved, now_ns)
            case commands.RemoveSubscription():
                self._on_remove_subscription(command)
            case commands.AddDestination() | commands.RemoveDestination():
                self._on_send_destination(command, resolved)
            case commands.RemoveDestinationById():
                self._on_remove_destination_by_id(command)
            case commands.AddReceiveDestination():
                self._on_add_receive_destination(command, resolved, now_ns)
            case commands.RemoveReceiveDestination():
                self._on_remove_receive_destination(command, resolved)
            case commands.AddCounter():
                self._on_add_counter(command)
            case commands.AddStaticCounter():
                self._on_add_static_counter(command)
            case commands.RemoveCounter():
                self._on_remove_counter(command)
            case commands.ClientKeepalive():
                if command.client_id in self._clients:
                    self._clients[command.client_id].on_keepalive(self._clock.epoch_ms())
            case commands.ClientClose():
                if command.client_id in self._clients:
                    self._clients[command.client_id].on_close()
            case commands.RejectImage():
                self._on_reject_image(command, now_ns)
            case commands.GetNextAvailableSessionId():
                session_id = self._session_ids.next(command.stream_id)
                self._proxy.on_next_available_session_id(command.correlation_id, session_id)
            case commands.TerminateDriver():
                self._on_terminate()

    def _on_terminate(self) -> None:
        """End the driver where a client may; nobody is answered either way."""
        if (
            self._context.driver_termination_validator == "allow"
            and self._termination_hook is not None
        ):
            self._termination_hook()
            return
        self._errors.record(
            CommandError("a client asked the driver to end: refused", ErrorCode.ERROR_GENERIC)
        )

    def _udp_channel(
        self,
        text: str,
        uri: ChannelUri,
        resolved: Mapping[str, str],
        *,
        is_destination: bool = False,
    ) -> UdpChannel:
        interfaces = self._network.interfaces() if needs_interfaces(uri) else ()
        return UdpChannel.parse(
            text,
            uri,
            resolved,
            interfaces,
            self._unique_suffixes,
            is_destination=is_destination,
        )

    def _client(self, client_id: int) -> DriverClient:
        """Return the client, which exists from the first thing that it adds."""
        client = self._clients.get(client_id)
        if client is None:
            client = DriverClient(client_id, self._counters)
            self._clients[client_id] = client
            self._proxy.on_counter_ready(client_id, client.heartbeat_counter_id)
        return client

    # ---- publications ----

    def _on_add_publication(
        self, command: commands.AddPublication, resolved: Mapping[str, str], now_ns: int
    ) -> None:
        uri = ChannelUri.parse(command.channel)
        publication: ManagedPublication
        if uri.is_spy:
            raise ConfigurationError(
                f"channel URI {command.channel!r}: prefix", "none on a publication", "aeron-spy"
            )
        if uri.is_ipc:
            publication = self._ipc_publication(command, uri, now_ns)
        else:
            channel = self._udp_channel(command.channel, uri, resolved)
            publication = self._network_publication(command, uri, channel, now_ns)
        is_new = publication.reference_count == 0
        publication.reference_count += 1
        self._links[command.correlation_id] = _PublicationLink(command.client_id, publication)
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
            self._link_subscriptions(publication, now_ns)

    def _link_subscriptions(self, publication: ManagedPublication, now_ns: int) -> None:
        for subscription in self._subscriptions:
            if subscription.matches(publication) and publication.is_accepting_subscriptions:
                publication.link(subscription, now_ns)

    def _publication_params(self, uri: ChannelUri, stream_id: int) -> PublicationParams:
        """Read the parameters with the driver's knowledge of tags and ids."""
        tagged = None
        publications: list[ManagedPublication] = [
            *self._network_publications,
            *self._ipc_publications,
        ]
        if uri.session_id_tag is not None:
            found = [each for each in publications if each.params.entity_tag == uri.session_id_tag]
            if not found:
                raise ConfigurationError(
                    f"channel URI {str(uri)!r}: parameter 'session-id'",
                    "the entity tag of a publication of this driver",
                    uri.session_id_tag,
                )
            params = found[0].params
            tagged = (found[0].session_id, params.mtu_length, params.term_length)
        params = PublicationParams.read(uri, stream_id, self._context, tagged)
        self._check_response(params)
        return params

    def _check_response(self, params: PublicationParams) -> None:
        """Refuse a correlation id that links the publication to nothing."""
        response_id = params.response_correlation_id
        if response_id == PROTOTYPE_CORRELATION_ID:
            return
        if params.is_response:
            expected = "the correlation id of an image that asked for a response"
            is_there = self._asking_image(response_id) is not None
        else:
            expected = "the registration id of a subscription"
            is_there = response_id == _NULL_ID or any(
                each.registration_id == response_id for each in self._subscriptions
            )
        if not is_there:
            raise CommandError(
                f"channel URI {str(params.uri)!r}: parameter 'response-correlation-id': expected "
                f"{expected}, found {response_id}",
                ErrorCode.ERROR_GENERIC,
            )

    def _asking_image(self, correlation_id: int) -> ManagedImage | None:
        for image in self._images:
            if image.image_id == correlation_id and image.data.asks_for_response_setup:
                return image
        return None

    def _check_entity_tag(self, params: PublicationParams) -> None:
        publications: list[ManagedPublication] = [
            *self._network_publications,
            *self._ipc_publications,
        ]
        tag = params.entity_tag
        if tag is not None and any(each.params.entity_tag == tag for each in publications):
            raise ConfigurationError(
                f"channel URI {str(params.uri)!r}: parameter 'tags'",
                "an entity tag that no publication has",
                tag,
            )

    def _choose_session_id(self, params: PublicationParams, stream_id: int, channel: str) -> int:
        session_id = params.session_id
        if session_id is None:
            return self._session_ids.next(stream_id, channel)
        if self._session_ids.is_taken(session_id, stream_id, channel):
            raise ConfigurationError(
                f"channel URI {str(params.uri)!r}: parameter 'session-id'",
                f"one that no publication of stream {stream_id} on the channel has",
                session_id,
            )
        return session_id

    def _ipc_publication(
        self, command: commands.AddPublication, uri: ChannelUri, now_ns: int
    ) -> ManagedIpcPublication:
        params = self._publication_params(uri, command.stream_id)
        if not command.is_exclusive:
            for publication in self._ipc_publications:
                if (
                    publication.stream_id == command.stream_id
                    and not publication.is_exclusive
                    and publication.is_active
                    and publication.params.response_correlation_id == params.response_correlation_id
                ):
                    check_same(publication, params)
                    self._client(command.client_id)
                    return publication
        self._check_entity_tag(params)
        session_id = self._choose_session_id(params, command.stream_id, IPC_CHANNEL)
        self._client(command.client_id)
        publication = self._streams.new_ipc_publication(command, params, session_id, now_ns)
        self._session_ids.take(session_id, command.stream_id, IPC_CHANNEL)
        self._ipc_publications.append(publication)
        self._tracking.add_ipc_publication(publication.data)
        return publication

    def _network_publication(
        self,
        command: commands.AddPublication,
        uri: ChannelUri,
        channel: UdpChannel,
        now_ns: int,
    ) -> ManagedNetworkPublication:
        check_publication_channel(channel)
        params = self._publication_params(uri, command.stream_id)
        existing = self._find_send_channel(channel)
        if existing is None and channel.is_tag_only and channel.control_mode is ControlMode.NONE:
            raise ConfigurationError(
                f"channel URI {channel.text!r}: parameter 'tags'",
                "the tag of an open channel",
                channel.tag,
            )
        if existing is not None:
            existing.check_matches(channel)
            if not command.is_exclusive:
                for publication in self._network_publications:
                    if (
                        publication.send_channel is existing
                        and publication.stream_id == command.stream_id
                        and not publication.is_exclusive
                        and publication.is_active
                        and publication.params.response_correlation_id
                        == params.response_correlation_id
                    ):
                        check_same(publication, params)
                        self._client(command.client_id)
                        return publication
        self._check_entity_tag(params)
        canonical_form = (existing.udp_channel if existing else channel).canonical_form
        session_id = self._choose_session_id(params, command.stream_id, canonical_form)
        self._client(command.client_id)
        send_channel = existing or self._open_send_channel(channel, command.correlation_id)
        try:
            params.check_sndbuf(send_channel.sndbuf_length)
            publication = self._streams.new_network_publication(
                command, params, session_id, send_channel, now_ns
            )
        except BaseException:
            self._close_send_channel_if_unused(send_channel)
            raise
        self._session_ids.take(session_id, command.stream_id, canonical_form)
        send_channel.publication_count += 1
        self._network_publications.append(publication)
        self._tracking.add_network_publication(publication.data)
        self._post(partial(self._sender.add_publication, publication.data))
        image = self._asking_image(params.response_correlation_id) if params.is_response else None
        if image is not None:
            image.data.set_response_session_id(session_id)
        return publication

    def _find_send_channel(self, channel: UdpChannel) -> SendChannel | None:
        for existing in self._send_channels.values():
            if channel.matches_tag(existing.udp_channel):
                return unless_closing(existing)
        found = self._send_channels.get(channel.canonical_form)
        if found is None or not have_compatible_tags(channel, found.udp_channel):
            return None
        return unless_closing(found)

    def _open_send_channel(self, channel: UdpChannel, registration_id: int) -> SendChannel:
        send_channel = SendChannel(
            channel, registration_id, self._network, self._counters, self._context
        )
        self._send_channels[channel.canonical_form] = send_channel
        self._post(partial(self._sender.add_endpoint, send_channel.data))
        return send_channel

    def _close_send_channel_if_unused(self, send_channel: SendChannel) -> None:
        if send_channel.publication_count == 0 and not send_channel.is_closing:
            send_channel.begin_close()
            self._post(partial(self._sender.remove_endpoint, send_channel.data))

    def _on_remove_publication(self, command: commands.RemovePublication) -> None:
        link = self._links.pop(command.registration_id, None)
        if link is None:
            raise CommandError(
                f"unknown publication {command.registration_id}",
                ErrorCode.ERROR_UNKNOWN_PUBLICATION,
                command.correlation_id,
            )
        if command.revoke:
            link.publication.data.revoke()
        link.publication.release()
        self._proxy.on_operation_success(command.correlation_id)

    # ---- subscriptions ----

    def _on_add_subscription(
        self, command: commands.AddSubscription, resolved: Mapping[str, str], now_ns: int
    ) -> None:
        uri = ChannelUri.parse(command.channel)
        params = SubscriptionParams.read(uri, self._context)
        identity = (command.correlation_id, command.client_id, command.stream_id, command.channel)
        if uri.is_ipc:
            self._client(command.client_id)
            self._add_subscription(IpcSubscription(*identity, params), _NULL_ID, now_ns)
            return
        channel = self._udp_channel(command.channel, uri, resolved)
        if uri.is_spy:
            self._client(command.client_id)
            self._add_subscription(SpySubscription(*identity, params, channel), _NULL_ID, now_ns)
            return
        if channel.has_explicit_control and channel.local_control.port == 0:
            raise CommandError(
                f"channel URI {channel.text!r}: parameter 'control': expected a port above 0 on a "
                f"subscription, found {channel.local_control}",
                ErrorCode.ERROR_GENERIC,
            )
        receive_channel = self._receive_channel(channel, command.correlation_id)
        subscription = NetworkSubscription(*identity, params, receive_channel)
        try:
            self._check_like_others(subscription)
            self._client(command.client_id)
        except BaseException:
            self._close_receive_channel_if_unused(receive_channel)
            raise
        if params.is_response and params.session_id is None:
            receive_channel.response_count += 1
        else:
            self._want_stream(subscription)
        self._add_subscription(subscription, receive_channel.status_counter_id, now_ns)

    def _add_subscription(
        self, subscription: Subscription, status_counter_id: int, now_ns: int
    ) -> None:
        self._subscriptions.append(subscription)
        self._proxy.on_subscription_ready(subscription.registration_id, status_counter_id)
        self._link_streams(subscription, now_ns)

    def _link_streams(self, subscription: Subscription, now_ns: int) -> None:
        for stream in [*self._ipc_publications, *self._network_publications, *self._images]:
            if subscription.matches(stream) and stream.is_accepting_subscriptions:
                stream.link(subscription, now_ns)

    def _receive_channel(self, channel: UdpChannel, registration_id: int) -> ReceiveChannel:
        existing = None
        for each in self._receive_channels.values():
            if channel.matches_tag(each.udp_channel):
                existing = unless_closing(each)
                break
        else:
            found = self._receive_channels.get(channel.canonical_form)
            if found is not None and have_compatible_tags(channel, found.udp_channel):
                existing = unless_closing(found)
        if existing is not None:
            existing.check_matches(channel)
            return existing
        if channel.is_tag_only and channel.control_mode is ControlMode.NONE:
            raise ConfigurationError(
                f"channel URI {channel.text!r}: parameter 'tags'",
                "the tag of an open channel",
                channel.tag,
            )
        opened = ReceiveChannel(
            channel,
            registration_id,
            next(self._receiver_ids),
            self._network,
            self._counters,
            self._context,
        )
        self._receive_channels[channel.canonical_form] = opened
        self._post(partial(self._receiver.add_endpoint, opened.data))
        return opened

    def _close_receive_channel_if_unused(self, receive_channel: ReceiveChannel) -> None:
        if receive_channel.is_unused and not receive_channel.is_closing:
            receive_channel.begin_close()
            self._post(partial(self._receiver.remove_endpoint, receive_channel.data))

    def _check_like_others(self, subscription: NetworkSubscription) -> None:
        """Refuse a subscription that wants a shared image to be two things at once."""
        for other in self._subscriptions:
            if (
                not isinstance(other, NetworkSubscription)
                or other.receive_channel is not subscription.receive_channel
                or other.stream_id != subscription.stream_id
                or other.session_id != subscription.session_id
            ):
                continue
            mine, theirs = subscription.params, other.params
            for name, wanted, found in (
                ("reliable", mine.is_reliable, theirs.is_reliable),
                ("rejoin", mine.is_rejoining, theirs.is_rejoining),
                ("control-mode", mine.is_response, theirs.is_response),
            ):
                if wanted != found:
                    raise ConfigurationError(
                        f"channel URI {subscription.channel!r}: parameter {name!r}",
                        f"that of subscription {other.registration_id}: {found}",
                        wanted,
                    )

    def _want_stream(self, subscription: NetworkSubscription) -> None:
        channel, stream_id = subscription.receive_channel, subscription.stream_id
        if channel.add_stream(stream_id, subscription.session_id):
            self._post(
                partial(
                    self._receiver.add_subscription,
                    channel.data,
                    stream_id,
                    subscription.session_id,
                )
            )

    def _on_remove_subscription(self, command: commands.RemoveSubscription) -> None:
        if not self._remove_subscriptions(
            lambda each: each.registration_id == command.registration_id
        ):
            raise CommandError(
                f"unknown subscription {command.registration_id}",
                ErrorCode.ERROR_UNKNOWN_SUBSCRIPTION,
                command.correlation_id,
            )
        self._proxy.on_operation_success(command.correlation_id)

    def _remove_subscriptions(self, is_meant: Callable[[Subscription], bool]) -> bool:
        removed = [each for each in self._subscriptions if is_meant(each)]
        self._subscriptions = [each for each in self._subscriptions if each not in removed]
        for subscription in removed:
            subscription.unlink()
            if isinstance(subscription, NetworkSubscription):
                self._leave_channel(subscription)
        return bool(removed)

    def _leave_channel(self, subscription: NetworkSubscription) -> None:
        channel = subscription.receive_channel
        if subscription.params.is_response and subscription.session_id is None:
            channel.response_count -= 1
        elif channel.remove_stream(subscription.stream_id, subscription.session_id):
            self._post(
                partial(
                    self._receiver.remove_subscription,
                    channel.data,
                    subscription.stream_id,
                    subscription.session_id,
                )
            )
        self._close_receive_channel_if_unused(channel)

    # ---- destinations ----

    def _on_send_destination(
        self,
        command: commands.AddDestination | commands.RemoveDestination,
        resolved: Mapping[str, str],
    ) -> None:
        send_channel = self._manual_send_channel(command.registration_id)
        uri = ChannelUri.parse(command.channel)
        check_destination(uri, command.channel, may_be_local=False)
        channel = self._udp_channel(command.channel, uri, resolved, is_destination=True)
        if channel.remote_data.port == 0:
            raise ConfigurationError(
                f"channel URI {command.channel!r}: parameter 'endpoint'",
                "a port above 0",
                str(channel.remote_data),
            )
        address = channel.remote_data
        if isinstance(command, commands.AddDestination):
            send_channel.destinations[command.correlation_id] = channel
            self._post(
                partial(
                    self._sender.add_destination,
                    send_channel.data,
                    address,
                    command.correlation_id,
                )
            )
        else:
            for registration_id, each in send_channel.destinations.items():
                if each.remote_data == address:
                    del send_channel.destinations[registration_id]
                    break
            self._post(partial(self._sender.remove_destination, send_channel.data, address))
        self._proxy.on_operation_success(command.correlation_id)

    def _on_remove_destination_by_id(self, command: commands.RemoveDestinationById) -> None:
        send_channel = self._manual_send_channel(command.registration_id)
        send_channel.destinations.pop(command.destination_registration_id, None)
        self._post(
            partial(
                self._sender.remove_destination_by_id,
                send_channel.data,
                command.destination_registration_id,
            )
        )
        self._proxy.on_operation_success(command.correlation_id)

    def _manual_send_channel(self, registration_id: int) -> SendChannel:
        for publication in self._network_publications:
            if publication.registration_id == registration_id:
                if publication.send_channel.udp_channel.control_mode is not ControlMode.MANUAL:
                    raise CommandError(
                        f"publication {registration_id}: expected control-mode=manual for "
                        f"destinations, found {publication.channel!r}",
                        ErrorCode.ERROR_INVALID_CHANNEL,
                    )
                return publication.send_channel
        raise CommandError(
            f"unknown publication {registration_id}", ErrorCode.ERROR_UNKNOWN_PUBLICATION
        )

    def _multi_destination_subscription(self, registration_id: int) -> NetworkSubscription:
        owned = [each for each in self._subscriptions if each.registration_id == registration_id]
        if not owned:
            raise CommandError(
                f"unknown subscription {registration_id}", ErrorCode.ERROR_UNKNOWN_SUBSCRIPTION
            )
        for each in owned:
            if isinstance(each, NetworkSubscription) and each.receive_channel.is_multi_destination:
                return each
        raise CommandError(
            f"subscription {registration_id}: expected control-mode=manual for destinations",
            ErrorCode.ERROR_INVALID_CHANNEL,
        )

    def _on_add_receive_destination(
        self,
        command: commands.AddReceiveDestination,
        resolved: Mapping[str, str],
        now_ns: int,
    ) -> None:
        owner = self._multi_destination_subscription(command.registration_id)
        uri = ChannelUri.parse(command.channel)
        check_destination(uri, command.channel, may_be_local=True)
        identity = (owner.registration_id, owner.client_id, owner.stream_id, command.channel)
        if uri.is_ipc or uri.is_spy:
            params = SubscriptionParams.read(uri, self._context)
            local: Subscription = IpcSubscription(*identity, params)
            if uri.is_spy:
                channel = self._udp_channel(command.channel, uri, resolved)
                local = SpySubscription(*identity, params, channel)
            self._subscriptions.append(local)
            self._proxy.on_operation_success(command.correlation_id)
            self._link_streams(local, now_ns)
            return
        channel = self._udp_channel(command.channel, uri, resolved, is_destination=True)
        # By the subscription's id its owner sees when the addresses are free again.
        transport = owner.receive_channel.open_transport(channel, owner.registration_id)
        self._post(
            partial(self._receiver.add_transport, owner.receive_channel.data, transport.index)
        )
        self._proxy.on_operation_success(command.correlation_id)

    def _on_remove_receive_destination(
        self, command: commands.RemoveReceiveDestination, resolved: Mapping[str, str]
    ) -> None:
        owner = self._multi_destination_subscription(command.registration_id)
        uri = ChannelUri.parse(command.channel)
        if uri.is_ipc or uri.is_spy:
            self._remove_local_destination(owner, command)
            return
        channel = self._udp_channel(command.channel, uri, resolved, is_destination=True)
        transport = owner.receive_channel.find_transport(channel)
        if transport is None:
            raise CommandError(
                f"subscription {owner.registration_id}: no destination {command.channel}",
                ErrorCode.ERROR_INVALID_CHANNEL,
            )
        self._post(
            partial(self._receiver.remove_transport, owner.receive_channel.data, transport.index)
        )
        self._proxy.on_operation_success(command.correlation_id)

    def _remove_local_destination(
        self, owner: NetworkSubscription, command: commands.RemoveReceiveDestination
    ) -> None:
        for subscription in self._subscriptions:
            if (
                subscription.registration_id == owner.registration_id
                and subscription is not owner
                and subscription.channel == command.channel
            ):
                break
        else:
            raise CommandError(
                f"subscription {owner.registration_id}: no destination {command.channel}",
                ErrorCode.ERROR_INVALID_CHANNEL,
            )
        self._subscriptions.remove(subscription)
        self._proxy.on_operation_success(command.correlation_id)
        for stream in list(subscription.streams):
            stream.unlink(subscription)
            self._proxy.on_unavailable_image(
                stream.image_id,
                subscription.registration_id,
                subscription.stream_id,
                subscription.channel,
            )

    # ---- counters, images ----

    def _on_add_counter(self, command: commands.AddCounter) -> None:
        client = self._client(command.client_id)
        counter_id = self._counters.allocate(
            command.type_id,
            command.key,
            command.label.decode("ascii", "replace"),
            registration_id=command.correlation_id,
            owner_id=command.client_id,
        )
        client.counter_ids[command.correlation_id] = counter_id
        self._proxy.on_counter_ready(command.correlation_id, counter_id)

    def _on_add_static_counter(self, command: commands.AddStaticCounter) -> None:
        key = (command.type_id, command.registration_id)
        counter_id = self._static_counters.get(key)
        if counter_id is None:
            other = self._counters.manager.find(command.type_id, command.registration_id)
            if other is not None:
                raise CommandError(
                    f"counter {other} of type {command.type_id} and registration id "
                    f"{command.registration_id} is not static",
                    ErrorCode.ERROR_GENERIC,
                )
            self._client(command.client_id)
            counter_id = self._counters.allocate(
                command.type_id,
                command.key,
                command.label.decode("ascii", "replace"),
                registration_id=command.registration_id,
            )
            self._static_counters[key] = counter_id
        self._proxy.on_static_counter(command.correlation_id, counter_id)

    def _on_remove_counter(self, command: commands.RemoveCounter) -> None:
        for client in self._clients.values():
            counter_id = client.counter_ids.pop(command.registration_id, None)
            if counter_id is not None:
                self._proxy.on_operation_success(command.correlation_id)
                self._proxy.on_unavailable_counter(command.registration_id, counter_id)
                self._counters.free(counter_id)
                return
        raise CommandError(
            f"unknown counter {command.registration_id}", ErrorCode.ERROR_UNKNOWN_COUNTER
        )

    def _on_reject_image(self, command: commands.RejectImage, now_ns: int) -> None:
        image_id = command.image_correlation_id
        for image in self._images:
            if image.image_id == image_id:
                image.data.reject(command.reason)
                break
        else:
            for publication in self._ipc_publications:
                if publication.registration_id == image_id:
                    self._reject_ipc_publication(publication, command.reason, now_ns)
                    break
            else:
                raise CommandError(f"unknown image {image_id}", ErrorCode.ERROR_GENERIC)
        self._proxy.on_operation_success(command.correlation_id)

    def _reject_ipc_publication(
        self, publication: ManagedIpcPublication, reason: str, now_ns: int
    ) -> None:
        self._proxy.on_publication_error(
            publication.registration_id,
            _NULL_ID,
            publication.session_id,
            publication.stream_id,
            _NULL_ID,
            _NULL_ID,
            Address("127.0.0.1", 0),
            ErrorCode.ERROR_IMAGE_REJECTED,
            reason,
        )
        publication.reject(now_ns)
        self._system_counters.add(SystemCounter.SYSTEM_IMAGES_REJECTED)

    # ---- events of the sender and the receiver ----

    def _do_events(self, now_ns: int) -> int:
        done = 0
        for agent in (self._sender, self._receiver):
            for _ in range(_EVENT_LIMIT):
                event = agent.poll_event()
                if event is None:
                    break
                done += 1
                try:
                    self._on_event(event, now_ns)
                except AgentTerminationError as error:
                    self._tell_end(error)
                    raise
                except Exception as error:  # noqa: BLE001 - no peer's frame may stop the driver
                    self._errors.record(error)
        return done

    def _on_event(self, event: events.Event, now_ns: int) -> None:
        match event:
            case events.ImageRequested():
                self._on_image_requested(event, now_ns)
            case events.ImageReleased():
                for image in self._images:
                    if image.data is event.image:
                        image.is_released = True
            case events.PublicationReleased():
                self._on_publication_released(event)
            case events.SendEndpointReleased():
                self._on_send_endpoint_released(event)
            case events.ReceiveEndpointReleased():
                self._on_receive_endpoint_released(event)
            case events.TransportReleased():
                for channel in self._receive_channels.values():
                    if channel.data is event.endpoint:
                        channel.close_transport(event.transport_index)
            case events.PublicationErrored():
                self._on_publication_errored(event)
            case events.ResponseSetupReceived():
                self._on_response_setup(event)
            case events.ResponseConnected():
                self._on_response_connected(event)
            case events.SendResolutionDue():
                self._on_send_resolution_due(event)
            case events.ReceiveResolutionDue():
                self._on_receive_resolution_due(event)
            case events.PacketDropped():
                self._on_packet_dropped(event)

    def _on_image_requested(self, event: events.ImageRequested, now_ns: int) -> None:
        channel = next(
            (each for each in self._receive_channels.values() if each.data is event.endpoint), None
        )
        wanting = [
            each
            for each in self._subscriptions
            if isinstance(each, NetworkSubscription)
            and each.receive_channel is channel
            and each.accepts(event.session_id, event.stream_id)
        ]
        image = None
        if channel is not None and wanting and not channel.is_closing:
            try:
                image = self._streams.new_image(event, channel, wanting, now_ns)
            except OSError as error:
                self._errors.record(error)
            except ConfigurationError as error:
                self._errors.record(error, f"set-up frame refused: {error.name}")
        if image is None or channel is None:
            self._post(
                partial(
                    self._receiver.remove_init_in_progress,
                    event.endpoint,
                    event.stream_id,
                    event.session_id,
                )
            )
            return
        for older in self._images:
            if (
                older.receive_channel is channel
                and (older.session_id, older.stream_id) == (event.session_id, event.stream_id)
                and not older.data.is_accepting_subscriptions
            ):
                older.data.stop_status_messages()
        channel.image_count += 1
        self._images.append(image)
        for subscription in wanting:
            image.link(subscription, now_ns)
        image.data.activate()
        self._tracking.add_image(image.data)
        self._post(partial(self._receiver.add_image, image.data))

    def _on_publication_released(self, event: events.PublicationReleased) -> None:
        for publication in self._network_publications:
            if publication.data is event.publication:
                self._network_publications.remove(publication)
                self._tracking.remove_network_publication(publication.data)
                publication.close()
                self._logs.free(publication.log)
                return

    def _on_send_endpoint_released(self, event: events.SendEndpointReleased) -> None:
        for name, send_channel in self._send_channels.items():
            if send_channel.data is event.endpoint:
                del self._send_channels[name]
                send_channel.close()
                return

    def _on_receive_endpoint_released(self, event: events.ReceiveEndpointReleased) -> None:
        for name, receive_channel in self._receive_channels.items():
            if receive_channel.data is event.endpoint:
                del self._receive_channels[name]
                receive_channel.close()
                return

    def _on_packet_dropped(self, event: events.PacketDropped) -> None:
        self._errors.record(
            MessageError(
                f"datagram of frame type {event.frame_type} from {event.source}",
                "a frame of this version and of its type's layout, within the limits",
                f"{event.length} bytes with a wrong {event.fault.name.lower().replace('_', ' ')}",
            ),
            (type(event), type(event.endpoint), event.frame_type, event.fault),
        )

    def _on_publication_errored(self, event: events.PublicationErrored) -> None:
        publication = event.publication
        self._errors.record(
            CommandError(
                f"a receiver refused publication {publication.registration_id}, session "
                f"{event.session_id} of stream {event.stream_id}: {event.text}",
                event.error_code,
            ),
            f"publication {publication.registration_id} was refused by a receiver",
        )
        self._proxy.on_publication_error(
            publication.registration_id,
            event.destination_id,
            event.session_id,
            event.stream_id,
            event.receiver_id,
            _NULL_ID if event.group_tag is None else event.group_tag,
            Address(*event.source) if event.source else Address("0.0.0.0", 0),  # noqa: S104
            event.error_code,
            event.text,
        )

    def _on_response_setup(self, event: events.ResponseSetupReceived) -> None:
        """Narrow the response subscription to the session that the server named."""
        response_id = next(
            (
                each.params.response_correlation_id
                for each in self._network_publications
                if each.data is event.publication
            ),
            _NULL_ID,
        )
        for subscription in self._subscriptions:
            if subscription.registration_id != response_id or not isinstance(
                subscription, NetworkSubscription
            ):
                continue
            if subscription.session_id is None:
                subscription.session_id = event.response_session_id
                subscription.receive_channel.response_count -= 1
                self._want_stream(subscription)
            else:
                self._post(
                    partial(
                        self._receiver.request_setup,
                        subscription.receive_channel.data,
                        subscription.stream_id,
                        subscription.session_id,
                    )
                )
            return

    def _on_response_connected(self, event: events.ResponseConnected) -> None:
        for publication in self._network_publications:
            if publication.data is event.publication and publication.params.is_response:
                for image in self._images:
                    if image.image_id == publication.params.response_correlation_id:
                        image.data.set_response_session_id(None)

    def _on_send_resolution_due(self, event: events.SendResolutionDue) -> None:
        for send_channel in self._send_channels.values():
            if send_channel.data is not event.endpoint:
                continue
            channel = send_channel.udp_channel
            if event.destination_id != _NULL_ID:
                destination = send_channel.destinations.get(event.destination_id)
                if destination is None:
                    return
                channel = destination
            parts = channel.uri.socket_address("endpoint")
            if parts is not None and parts[0] != channel.remote_data.host:
                self._re_resolve(
                    parts,
                    channel.remote_data,
                    partial(
                        self._sender.change_address,
                        event.endpoint,
                        destination_id=event.destination_id,
                    ),
                )

    def _on_receive_resolution_due(self, event: events.ReceiveResolutionDue) -> None:
        for receive_channel in self._receive_channels.values():
            transport = receive_channel.transports.get(event.transport_index)
            if receive_channel.data is not event.endpoint or transport is None:
                continue
            parts = transport.udp_channel.uri.socket_address("control")
            if parts is not None and parts[0] != transport.udp_channel.local_control.host:
                self._re_resolve(
                    parts,
                    transport.udp_channel.local_control,
                    partial(
                        self._receiver.change_control_address,
                        event.endpoint,
                        event.transport_index,
                    ),
                )

    def _re_resolve(
        self, parts: tuple[str, int], known: Address, change: Callable[..., bool]
    ) -> None:
        host, port = parts

        def on_found(found: Mapping[str, str]) -> None:
            if found[host] != known.host:
                self._system_counters.add(SystemCounter.SYSTEM_RESOLUTION_CHANGES)
                self._post(partial(change, address=Address(found[host], port)))

        self._re_resolutions.append((self._resolver.lookup([host]), on_found))

    def _do_re_resolutions(self) -> int:
        finished = [each for each in self._re_resolutions if each[0].done()]
        for each in finished:
            self._re_resolutions.remove(each)
            lookup, on_found = each
            try:
                on_found(lookup.result())
            except OSError as error:
                self._errors.record(error)
        return len(finished)

    # ---- time ----

    def _on_timer(self, now_ns: int) -> None:
        self._ring.consumer_heartbeat_ms = self._clock.epoch_ms()
        self._steps.look()
        for client in list(self._clients.values()):
            if client.is_dead(self._steps):
                self._on_client_gone(client)
        for network_publication in list(self._network_publications):
            self._check_network_publication(network_publication, now_ns)
        for image in list(self._images):
            self._check_image(image, now_ns)
        for ipc_publication in list(self._ipc_publications):
            self._check_ipc_publication(ipc_publication, now_ns)
        self._check_ring(now_ns)
        self._logs.retry_stuck()

    def _on_client_gone(self, client: DriverClient) -> None:
        del self._clients[client.client_id]
        if not client.has_closed:
            self._system_counters.add(SystemCounter.SYSTEM_CLIENT_TIMEOUTS)
            self._proxy.on_client_timeout(client.client_id)
        for registration_id, link in list(self._links.items()):
            if link.client_id == client.client_id:
                del self._links[registration_id]
                link.publication.release()
        self._remove_subscriptions(lambda each: each.client_id == client.client_id)
        for registration_id, counter_id in client.counter_ids.items():
            self._proxy.on_unavailable_counter(registration_id, counter_id)
            self._counters.free(counter_id)
        self._proxy.on_unavailable_counter(client.client_id, client.heartbeat_counter_id)
        self._counters.free(client.heartbeat_counter_id)

    def _check_network_publication(
        self, publication: ManagedNetworkPublication, now_ns: int
    ) -> None:
        if not publication.is_done and publication.on_timer(now_ns):
            send_channel = publication.send_channel
            self._session_ids.release(
                publication.session_id,
                publication.stream_id,
                send_channel.udp_channel.canonical_form,
            )
            self._post(partial(self._sender.remove_publication, publication.data))
            send_channel.publication_count -= 1
            self._close_send_channel_if_unused(send_channel)

    def _check_image(self, image: ManagedImage, now_ns: int) -> None:
        rejoins = image.on_timer(now_ns)
        if rejoins is not None:
            if rejoins:
                self._post(
                    partial(
                        self._receiver.remove_cool_down,
                        image.receive_channel.data,
                        image.stream_id,
                        image.session_id,
                    )
                )
            image.receive_channel.image_count -= 1
            self._close_receive_channel_if_unused(image.receive_channel)
        if image.is_done:
            self._images.remove(image)
            self._tracking.remove_image(image.data)
            image.close()
            self._logs.free(image.log)

    def _check_ipc_publication(self, publication: ManagedIpcPublication, now_ns: int) -> None:
        held_session_id = publication.holds_session_id
        if publication.on_timer(now_ns):
            self._link_subscriptions(publication, now_ns)
        if held_session_id and not publication.holds_session_id:
            self._session_ids.release(publication.session_id, publication.stream_id, IPC_CHANNEL)
        if publication.is_done:
            self._ipc_publications.remove(publication)
            self._tracking.remove_ipc_publication(publication.data)
            publication.close()
            self._logs.free(publication.log)

    def _check_ring(self, now_ns: int) -> None:
        """Free the ring where a client died between claim and commit."""
        position = self._ring.consumer_position
        if position != self._last_ring_position or self._ring.producer_position == position:
            self._last_ring_position = position
            self._last_ring_progress_ns = now_ns
            return
        if now_ns - self._last_ring_progress_ns <= self._context.client_liveness_timeout_ns:
            return
        try:
            is_freed = self._ring.unblock()
        except CorruptError as error:
            self._clear_corrupt_ring(error)
            is_freed = True
        if is_freed:
            self._last_ring_progress_ns = now_ns
            self._system_counters.add(SystemCounter.SYSTEM_UNBLOCKED_COMMANDS)

    def _clear_corrupt_ring(self, error: CorruptError) -> None:
        """Drop what stands in the ring: what no ring buffer wrote has no end to go on from."""
        self._errors.record(error, "corrupt record in the command ring")
        self._ring.skip_corrupt()

    # ---- the end ----

    def close(self) -> None:
        """Free everything; only after the sender and the receiver stopped for good."""
        self._resolver.close()
        streams: list[ManagedImage | ManagedPublication] = [
            *self._images,
            *self._network_publications,
            *self._ipc_publications,
        ]
        for stream in streams:
            stream.close()
            self._logs.free(stream.log)
        for send_channel in self._send_channels.values():
            send_channel.close()
        for receive_channel in self._receive_channels.values():
            receive_channel.close()
        self._images.clear()
        self._network_publications.clear()
        self._ipc_publications.clear()
        self._send_channels.clear()
        self._receive_channels.clear()
        self._logs.free_doomed(_INT64_MAX)
