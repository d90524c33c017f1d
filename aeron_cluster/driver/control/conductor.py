"""The driver's conductor: commands of clients, events of the other agents, timeouts.

``io.aeron.driver.DriverConductor``.

Everything here runs on the conductor's thread with the GIL, and only for a command, an event of the
sender or the receiver, or a deadline, which `ConductorAgent` detects in C. The work for each stream
in every duty cycle is in `StreamTracking`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.driver.clients import commands
from aeron_cluster.driver.clients.commands import CommandError
from aeron_cluster.driver.clients.driver_client import DriverClient
from aeron_cluster.driver.clients.driver_clients import DriverClients
from aeron_cluster.driver.control.channels import Channels
from aeron_cluster.driver.control.client_command_adapter import ClientCommandAdapter
from aeron_cluster.driver.control.deferred_commands import DeferredCommands
from aeron_cluster.driver.control.destinations import Destinations
from aeron_cluster.driver.control.driver_name_resolver import DriverNameResolver
from aeron_cluster.driver.control.publications import Publications
from aeron_cluster.driver.control.re_resolution import ReResolution
from aeron_cluster.driver.control.session_ids import SessionIds
from aeron_cluster.driver.control.stream_registry import AnyPublication, StreamRegistry
from aeron_cluster.driver.control.subscription import NetworkSubscription
from aeron_cluster.driver.control.subscriptions import Subscriptions
from aeron_cluster.driver.receive import receive_events
from aeron_cluster.driver.send import send_events
from aeron_cluster.driver.streams import dropped_packets
from aeron_cluster.driver.streams.stream_state import StreamState
from aeron_cluster.errors import (
    AgentTerminationError,
    ConfigurationError,
    MessageError,
    UserComponentError,
)
from aeron_cluster.events.codes import DriverEvent
from aeron_cluster.memory.agents.report_limiter import ReportLimiter
from aeron_cluster.memory.agents.user_callback import call_termination_hook
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.system.address import Address

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.control.announced_names import AnnouncedNames
    from aeron_cluster.driver.control.error_recorder import ErrorRecorder
    from aeron_cluster.driver.control.managed_image import ManagedImage
    from aeron_cluster.driver.control.name_resolution import NameResolver
    from aeron_cluster.driver.control.stream_factory import StreamFactory
    from aeron_cluster.driver.control.stream_tracking import StreamTracking
    from aeron_cluster.driver.media.interceptors import Interceptors
    from aeron_cluster.driver.media.resolution_socket import ResolutionSocket
    from aeron_cluster.driver.receive.receiver import Receiver
    from aeron_cluster.driver.send.sender import Sender
    from aeron_cluster.driver.streams.driver_counters import DriverCounters
    from aeron_cluster.driver.streams.log_factory import LogFactory
    from aeron_cluster.driver.streams.log_pages import PageAllocator
    from aeron_cluster.driver.streams.system_counters import SystemCounters
    from aeron_cluster.memory.shared.heartbeat_watch import HeartbeatWatch
    from aeron_cluster.memory.shared.ring_buffer import ManyToOneRingBuffer
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["Conductor"]

_EVENT_LIMIT: Final = 16
# The number of rejections of a publication that clients are notified of immediately, before one per
# interval.
_REJECTION_BURST: Final = 16
_REJECTION_INTERVAL_NS: Final = 1_000_000_000
_LOOKUP_INTERVAL_NS: Final = 1_000_000  # how often a pending lookup is checked
_INT64_MAX: Final = 2**63 - 1


class Conductor:
    """Owns the driver's clients, streams and channels.

    Parameters
    ----------
    context : DriverContext
    seams : Seams
    ring : ManyToOneRingBuffer
        The command ring of clients.
    clients : ClientProxy
        Notified of the results.
    counters : DriverCounters
    system_counters : SystemCounters
    errors : ErrorRecorder
    logs : LogFactory
    streams : StreamFactory
    sender, receiver : Sender, Receiver
        The other agents; commands and events are exchanged through their queues.
    tracking : StreamTracking
        The other half of this agent, on the same thread.
    allocator : PageAllocator
        Its failures are recorded.
    resolver : NameResolver
    names : AnnouncedNames or None
        The names of other drivers; None if names are not exchanged.
    interceptors : Interceptors
        The interceptors that drop datagrams.
    termination_hook : Callable, optional
        Called if the driver cannot continue, or a permitted client requests its end.
    termination_validator : Callable, optional
        Called with the token of such a request; True allows it.
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
        names: AnnouncedNames | None,
        interceptors: Interceptors,
        termination_hook: Callable[[], object] | None = None,
        termination_validator: Callable[[bytes], bool] | None = None,
    ) -> None:
        self._termination_hook = termination_hook
        self._termination_validator = termination_validator
        self._context = context
        self._clock = seams.clock
        self._ring = ring
        self._proxy = clients
        self._system_counters = system_counters
        self._rejections = ReportLimiter(seams.clock, _REJECTION_BURST, _REJECTION_INTERVAL_NS)
        self._errors = errors
        self._logs = logs
        self._streams = streams
        self._sender = sender
        self._receiver = receiver
        self._tracking = tracking
        self._allocator = allocator
        self._resolver = resolver
        self._registry = registry = StreamRegistry()
        self._clients = DriverClients(
            counters, clients, seams.clock, context.client_liveness_timeout_ns
        )
        self._session_ids = SessionIds(
            seams.random.next(),
            context.publication_reserved_session_id_low,
            context.publication_reserved_session_id_high,
        )
        self._deferred = deferred = DeferredCommands(errors.record)
        self._channels = channels = Channels(
            context, seams, counters, sender, receiver, deferred, interceptors, clients.events
        )
        self._destinations = Destinations(
            context, channels, sender, receiver, deferred, clients, registry
        )
        self._publications = Publications(
            context,
            registry,
            self._session_ids,
            channels,
            self._clients,
            clients,
            streams,
            logs,
            tracking,
            sender,
            deferred,
            system_counters,
        )
        self._subscriptions = Subscriptions(
            context, registry, channels, self._clients, clients, receiver, deferred
        )
        self._re_resolution = ReResolution(resolver, channels, sender, receiver, deferred, errors)
        self._names = None
        if names is not None:
            self._names = DriverNameResolver(
                context,
                seams,
                names,
                resolver,
                channels.receiving_ports,
                counters,
                system_counters,
                errors,
                clients.events,
            )
        self._timer_deadline_ns = self._clock.nano_time()
        self._commands = ClientCommandAdapter(
            context,
            ring,
            clients,
            system_counters,
            errors,
            resolver,
            deferred,
            self._dispatch,
            self._clock,
            self._timer_deadline_ns,
            clients.events,
        )

    # ---- the pass ----

    def do_work(self) -> int:
        """Run one duty cycle; return the work count."""
        now_ns = self._clock.nano_time()
        try:
            was_deferring = bool(self._deferred.waiting)
            work = self._deferred.do_work()
            work += self._do_events(now_ns, was_deferring=was_deferring)
            if (failure := self._allocator.take_error()) is not None:
                self._errors.record(failure)
            if now_ns >= self._timer_deadline_ns:
                self._timer_deadline_ns = now_ns + self._context.timer_interval_ns
                self._on_timer(now_ns)
                work += 1
            work += self._commands.do_work(now_ns)
            work += self._re_resolution.do_work()
            if self._names is not None:
                work += self._names.do_work(now_ns)
        except AgentTerminationError as error:
            self._report_end(error)
            raise
        return work + self._logs.delete_released(self._context.driver_resource_free_limit)

    def _report_end(self, error: AgentTerminationError) -> None:
        """Record the reason, and call the hook that closes the driver."""
        self._errors.record(error)
        call_termination_hook(self._termination_hook, self._errors.record)

    @property
    def deadline_ns(self) -> int:
        """The time at which `do_work` is due without a command or an event."""
        if self._deferred.waiting or self._logs.has_released:
            return 0
        deadline_ns = self._timer_deadline_ns
        if self._names is not None:
            deadline_ns = min(deadline_ns, self._names.deadline_ns)
        if (
            self._commands.is_looking_up
            or self._re_resolution.under_way
            or (self._names is not None and self._names.is_looking_up)
        ):
            deadline_ns = min(self._clock.nano_time() + _LOOKUP_INTERVAL_NS, deadline_ns)
        return deadline_ns

    @property
    def resolution_socket(self) -> ResolutionSocket | None:
        """The socket over which names are exchanged with other drivers, if any."""
        return None if self._names is None else self._names.socket

    @property
    def heartbeats(self) -> list[tuple[int, HeartbeatWatch]] | None:
        """The clients' heartbeat counters with their watches; None if the timer has other work.

        If the timer only has to check clients and streams that are active, the agent does that
        without calling `do_work`, and calls `on_timer_run` afterwards.
        """
        if (
            self._deferred.waiting
            or self._commands.is_looking_up
            or self._re_resolution.under_way
            or self._names is not None
            or self._logs.has_released
            or self._logs.has_stuck
            or any(not each.params.is_tethered for each in self._registry.subscriptions)
            or any(each.rejected_until_ns is not None for each in self._registry.ipc_publications)
        ):
            return None
        return [(each.heartbeat_counter_id, each.watch) for each in self._clients.by_id.values()]

    def on_timer_run(self, now_ns: int) -> None:
        """Record the time of a timer run without a waiting command."""
        self._timer_deadline_ns = now_ns + self._context.timer_interval_ns
        self._commands.on_idle(now_ns)

    @property
    def accepts_commands(self) -> bool:
        """Whether `do_work` would read a command from the ring."""
        return self._commands.is_accepting

    def _dispatch(
        self, command: commands.ClientCommand, resolved: Mapping[str, str], now_ns: int
    ) -> None:
        match command:
            case commands.AddPublication():
                self._publications.on_add(command, resolved, now_ns)
            case commands.RemovePublication():
                self._publications.on_remove(command)
            case commands.AddSubscription():
                self._subscriptions.on_add(command, resolved, now_ns)
            case commands.RemoveSubscription():
                self._subscriptions.on_remove(command)
            case commands.AddDestination() | commands.RemoveDestination():
                self._destinations.on_send_destination(command, resolved)
            case commands.RemoveDestinationById():
                self._destinations.on_remove_by_id(command)
            case commands.AddReceiveDestination():
                self._destinations.on_add_receive(command, resolved, now_ns)
            case commands.RemoveReceiveDestination():
                self._destinations.on_remove_receive(command, resolved)
            case commands.AddCounter():
                self._clients.on_add_counter(command)
            case commands.AddStaticCounter():
                self._clients.on_add_static_counter(command)
            case commands.RemoveCounter():
                self._clients.on_remove_counter(command)
            case commands.ClientKeepalive():
                if command.client_id in self._clients.by_id:
                    self._clients.by_id[command.client_id].on_keepalive(self._clock.epoch_ms())
            case commands.ClientClose():
                if command.client_id in self._clients.by_id:
                    self._clients.by_id[command.client_id].on_close()
            case commands.RejectImage():
                self._on_reject_image(command, now_ns)
            case commands.GetNextAvailableSessionId():
                session_id = self._session_ids.next(command.stream_id)
                self._proxy.on_next_available_session_id(command.correlation_id, session_id)
            case commands.TerminateDriver():
                self._on_terminate(command.token)

    def _on_terminate(self, token: bytes) -> None:
        """Terminate the driver if its validator allows that; there is no reply in any case."""
        if self._termination_hook is not None and self._may_terminate(token):
            call_termination_hook(self._termination_hook, self._errors.record)
            return
        self._errors.record(
            CommandError("a client's request to terminate: rejected", ErrorCode.ERROR_GENERIC)
        )

    def _may_terminate(self, token: bytes) -> bool:
        validator = self._termination_validator
        if validator is None:
            return False
        try:
            return validator(token)
        except UserComponentError as error:
            self._errors.record(error)
            return False

    # ---- images ----

    def _on_reject_image(self, command: commands.RejectImage, now_ns: int) -> None:
        image_id = command.image_correlation_id
        for image in self._registry.images:
            if image.image_id == image_id:
                image.data.reject(command.reason)
                break
        else:
            for publication in self._registry.ipc_publications:
                if publication.registration_id == image_id:
                    self._report_rejection(
                        publication.registration_id,
                        NULL_VALUE,
                        publication.session_id,
                        publication.stream_id,
                        NULL_VALUE,
                        NULL_VALUE,
                        Address("127.0.0.1", 0),
                        ErrorCode.ERROR_IMAGE_REJECTED,
                        command.reason,
                    )
                    self._publications.reject_ipc(publication, now_ns)
                    break
            else:
                raise CommandError(
                    f"Unable to resolve image for correlationId={image_id}",
                    ErrorCode.ERROR_GENERIC,
                )
        self._proxy.on_operation_success(command.correlation_id)

    # ---- events of the sender and the receiver ----

    def _do_events(self, now_ns: int, *, was_deferring: bool) -> int:
        done = 0
        while done < _EVENT_LIMIT and self._do_event(self._sender, now_ns):
            done += 1
        limit = _EVENT_LIMIT
        if was_deferring:
            # In a flood of set-up frames, events cause commands faster than the receiver executes
            # them: commands of clients are next. A receiver may wait for space for an event before
            # it can execute a command, so one event is handled while its queue is full.
            limit = 1 if self._deferred.waiting else 0
        count = 0
        while count < limit and self._do_event(self._receiver, now_ns):
            count += 1
            if self._deferred.waiting:
                break
        return done + count

    def _do_event(self, agent: Sender | Receiver, now_ns: int) -> bool:
        """Handle one event; return whether there was one."""
        event = agent.poll_event()
        if event is None:
            return False
        try:
            self._on_event(event, now_ns)
        except AgentTerminationError:
            raise
        except Exception as error:  # noqa: BLE001 - no peer's frame may stop the driver
            self._errors.record(error)
        return True

    def _on_event(
        self, event: send_events.SendEvent | receive_events.ReceiveEvent, now_ns: int
    ) -> None:
        match event:
            case receive_events.ImageRequested():
                self._on_image_requested(event, now_ns)
            case receive_events.ImageReleased():
                for image in self._registry.images:
                    if image.data is event.image:
                        image.is_released = True
            case send_events.PublicationReleased():
                self._publications.on_released(event)
            case send_events.SendEndpointReleased():
                self._channels.on_send_endpoint_released(event.endpoint)
            case receive_events.ReceiveEndpointReleased():
                self._channels.on_receive_endpoint_released(event.endpoint)
            case receive_events.TransportReleased():
                channel = self._channels.receive_channel_of(event.endpoint)
                if channel is not None:
                    channel.close_transport(event.transport_index)
            case send_events.PublicationErrored():
                self._on_publication_errored(event)
            case send_events.ResponseSetupReceived():
                self._subscriptions.on_response_setup(event)
            case send_events.ResponseConnected():
                self._on_response_connected(event)
            case send_events.SendResolutionDue():
                self._re_resolution.on_send_due(event)
            case send_events.SendAddressChanged():
                self._re_resolution.on_address_changed(event)
            case receive_events.ReceiveResolutionDue():
                self._re_resolution.on_receive_due(event)
            case dropped_packets.PacketDropped():
                self._on_packet_dropped(event)

    def _on_image_requested(self, event: receive_events.ImageRequested, now_ns: int) -> None:
        channel = self._channels.receive_channel_of(event.endpoint)
        if channel is None or channel.is_closing:
            return  # the receiver releases the endpoint with its sessions, or has done so
        for image in self._registry.images:
            if (
                image.receive_channel is channel
                and (image.session_id, image.stream_id) == (event.session_id, event.stream_id)
                and image.data.state <= StreamState.STREAM_ACTIVE
            ):
                # The receiver sets an image to DRAINING before it requests the next one, unless it
                # has not received this one yet: subscriptions were replaced since its request.
                return
        interested = [
            each
            for each in self._registry.subscriptions
            if isinstance(each, NetworkSubscription)
            and each.receive_channel is channel
            and each.accepts(event.session_id, event.stream_id)
        ]
        added = None
        if interested:
            try:
                added = self._streams.new_image(event, channel, interested, now_ns)
            except OSError as error:
                # Its text contains the name of a file that is unique for the session.
                self._errors.record(
                    error, f"the image could not be created: {type(error).__name__}"
                )
            except ConfigurationError as error:
                kind = error.name.rpartition(": ")[2]
                self._errors.record(error, f"set-up frame rejected: {kind}")
            except AgentTerminationError:
                raise
            except Exception as error:  # noqa: BLE001 - a later set-up frame may have an image
                self._errors.record(error)
        if added is None:
            self._deferred.enqueue(
                partial(
                    self._receiver.remove_init_in_progress,
                    event.endpoint,
                    event.stream_id,
                    event.session_id,
                )
            )
            return
        for older in self._registry.images:
            if (
                older.receive_channel is channel
                and (older.session_id, older.stream_id) == (event.session_id, event.stream_id)
                and not older.data.is_accepting_subscriptions
            ):
                older.data.stop_status_messages()
        channel.image_count += 1
        self._registry.images.append(added)
        added.data.activate()
        self._tracking.add_image(added.data)
        self._deferred.enqueue(partial(self._receiver.add_image, added.data))

    def _on_packet_dropped(self, event: dropped_packets.PacketDropped) -> None:
        self._errors.record(
            MessageError(
                f"datagram of frame type {event.frame_type} from {event.source}",
                "a frame of this version and of its type's layout, within the limits",
                f"{event.length} bytes with a wrong {event.fault.name.lower().replace('_', ' ')}",
            ),
            (type(event), type(event.endpoint), event.frame_type, event.fault),
        )

    def _on_publication_errored(self, event: send_events.PublicationErrored) -> None:
        self._report_rejection(
            event.publication.registration_id,
            event.destination_id,
            event.session_id,
            event.stream_id,
            event.receiver_id,
            NULL_VALUE if event.group_tag is None else event.group_tag,
            Address(*event.source) if event.source else Address("0.0.0.0", 0),  # noqa: S104
            event.error_code,
            event.text,
        )

    def _report_rejection(
        self,
        registration_id: int,
        destination_id: int,
        session_id: int,
        stream_id: int,
        receiver_id: int,
        group_tag: int,
        source: Address,
        error_code: int,
        text: str,
    ) -> None:
        """Record that a receiver rejected a publication, and notify clients."""
        self._errors.record(
            CommandError(
                f"onPublicationError: registrationId={registration_id},"
                f" destinationRegistrationId={destination_id}, sessionId={session_id},"
                f" streamId={stream_id}, receiverId={receiver_id}, groupId={group_tag},"
                # A peer's text must neither add lines to a log nor fill it.
                f" errorCode={error_code}, errorMessage={text[:200]!r}",
                error_code,
            ),
            "a receiver rejected a publication",
        )
        # Clients would lose events if a receiver alternated status messages and error frames.
        if not self._rejections.admit(registration_id).is_due:
            return
        self._proxy.on_publication_error(
            registration_id,
            destination_id,
            session_id,
            stream_id,
            receiver_id,
            group_tag,
            source,
            error_code,
            text,
        )

    def _on_response_connected(self, event: send_events.ResponseConnected) -> None:
        for publication in self._registry.network_publications:
            if publication.data is event.publication and publication.params.is_response:
                for image in self._registry.images:
                    if image.image_id == publication.params.response_correlation_id:
                        image.data.set_response_session_id(None)

    # ---- time ----

    def _on_timer(self, now_ns: int) -> None:
        self._ring.consumer_heartbeat_ms = self._clock.epoch_ms()
        for client in list(self._clients.by_id.values()):
            if client.is_dead(now_ns):
                self._on_client_dead(client)
        for network_publication in list(self._registry.network_publications):
            self._publications.check_network(network_publication, now_ns)
        for image in list(self._registry.images):
            self._check_image(image, now_ns)
        for ipc_publication in list(self._registry.ipc_publications):
            self._publications.check_ipc(ipc_publication, now_ns)
        self._commands.on_timer(now_ns)
        self._logs.retry_stuck()

    def _on_client_dead(self, client: DriverClient) -> None:
        if not client.has_closed:
            self._system_counters.add(SystemCounter.SYSTEM_CLIENT_TIMEOUTS)
            self._proxy.on_client_timeout(client.client_id)
        self._publications.release_of(client.client_id)
        self._subscriptions.remove(lambda each: each.client_id == client.client_id)
        self._clients.forget(client)

    def _check_image(self, image: ManagedImage, now_ns: int) -> None:
        rejoins = image.on_timer(now_ns)
        if rejoins is not None:
            if rejoins:
                self._deferred.enqueue(
                    partial(
                        self._receiver.remove_cool_down,
                        image.receive_channel.data,
                        image.stream_id,
                        image.session_id,
                    )
                )
            image.receive_channel.image_count -= 1
            self._channels.close_unused_receive(image.receive_channel)
        if image.is_done:
            self._registry.images.remove(image)
            self._tracking.remove_image(image.data)
            self._proxy.events.record(
                DriverEvent.REMOVE_IMAGE_CLEANUP,
                session_id=image.session_id,
                stream_id=image.stream_id,
                id=image.image_id,
                channel=image.channel,
            )
            image.close()
            self._logs.free(image.log)

    # ---- the end ----

    def close(self) -> None:
        """Free everything; only after the sender and the receiver have stopped."""
        self._resolver.close()
        if self._names is not None:
            self._names.close()
        streams: list[ManagedImage | AnyPublication] = [
            *self._registry.images,
            *self._registry.publications,
        ]
        for stream in streams:
            stream.close()
            self._logs.free(stream.log)
        self._channels.close()
        self._registry.images.clear()
        self._registry.network_publications.clear()
        self._registry.ipc_publications.clear()
        self._logs.delete_released(_INT64_MAX)
