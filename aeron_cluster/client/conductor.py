"""The state of a client: pending requests, resources, images, and errors.

``io.aeron.ClientConductor``.

One lock guards everything. The thread that holds it may service the client: the conductor's own
(`ConductorAgent` calls `ClientConductor.try_service` when something is due), or a user's thread in
a blocking call.
"""

from __future__ import annotations

import logging
import struct
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar, assert_never

from aeron_cluster.client.conductor_agent import ConductorAgent, ConductorEvent
from aeron_cluster.client.counter import Counter
from aeron_cluster.client.driver_proxy import DriverProxy
from aeron_cluster.client.handler_set import HandlerSet
from aeron_cluster.client.handlers import CounterHandler, ImageFilter, ImageHandler
from aeron_cluster.client.image import Image
from aeron_cluster.client.publication import ExclusivePublication, LogPublication, Publication
from aeron_cluster.client.publication_error_frame import PublicationErrorFrame
from aeron_cluster.client.subscription import Subscription
from aeron_cluster.codecs.channel_uri import SPY_PREFIX, ChannelUri
from aeron_cluster.errors import (
    AeronClusterError,
    ClosedError,
    ConductorServiceTimeoutError,
    ConfigurationError,
    DriverTimeoutError,
    OperationError,
    PlatformError,
    RegistrationError,
    StateError,
)
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.agents.user_callback import as_exception
from aeron_cluster.memory.agents.waiting import NEVER
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.memory.shared.counters_layout import ChannelStatus, CounterType
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.disowned import disown_after_fork
from aeron_cluster.memory.system.lock import RLock

if TYPE_CHECKING:
    from aeron_cluster.client.context import ClientContext
    from aeron_cluster.memory.shared.cnc_file import CncFile

__all__ = ["ClientConductor", "Resource"]

_LOGGER = logging.getLogger("aeron_cluster.client")

Resource: TypeAlias = Publication | ExclusivePublication | Subscription | Counter

_CONTROL_PROTOCOL_VERSION_COUNTER: Final = 43
_NEXT_SESSION_ID_VERSION: Final = 65536
_H = TypeVar("_H", bound=Callable[..., Any])
_ADDRESS_KEY: Final = struct.Struct("<ii")  # channel status id, length of the text that follows


@dataclass(slots=True, eq=False)
class _Request:
    """A command that the driver has not answered, or whose answer was not fetched."""

    what: str  # for messages
    deadline_ns: int
    correlation_id: int
    channel: str = ""
    stream_id: int = 0
    available_image_handler: ImageHandler | None = None
    unavailable_image_handler: ImageHandler | None = None
    image_filter: ImageFilter | None = None
    is_static: bool = False
    is_done: bool = False
    result: Resource | int | None = None
    error: Exception | None = None


class _ImageToMap(NamedTuple):
    """An image that the driver announced and whose log could not be mapped yet."""

    correlation_id: int
    subscription: Subscription
    subscriber_position_id: int
    log_file: str
    source_identity: str
    session_id: int
    stream_id: int


class ClientConductor:
    """Holds the state of one client; `Aeron` is its public interface.

    Parameters
    ----------
    context : ClientContext
        The client's options, seams and handlers.
    cnc : CncFile
        The CnC file of the driver.
    """

    def __init__(self, context: ClientContext, cnc: CncFile) -> None:
        self.context = context
        self.counters = cnc.counters_reader()
        self.proxy = DriverProxy(cnc)
        self.agent = ConductorAgent(
            cnc,
            context.seams.clock,
            self,
            client_id=self.proxy.client_id,
            keepalive_interval_ns=context.keepalive_interval_ns,
            driver_timeout_ns=context.driver_timeout_ns,
        )
        self.is_closed = False
        self.failure: Exception | None = None
        self._lock = RLock()
        self._is_in_callback = False
        self._requests: dict[int, _Request] = {}
        self._abandoned: dict[int, _Request] = {}
        self._resources: dict[int, Resource] = {}
        # Each is unmapped no earlier than its deadline.
        self._lingering: deque[tuple[int, LogPublication | Image | Subscription]] = deque()
        self._images_to_map: list[_ImageToMap] = []
        self._map_again_ns = NEVER
        # Calls that send a command for which no caller waits; appended to without the lock.
        self._deferred: deque[Callable[[], object]] = deque()
        self._send_again_ns = NEVER
        self._available_counter_handlers = HandlerSet(context.available_counter_handler)
        self._unavailable_counter_handlers = HandlerSet(context.unavailable_counter_handler)
        self._close_handlers = HandlerSet(context.close_handler)
        disown_after_fork(self)

    # ---- handlers ----

    def add_available_counter_handler(self, handler: CounterHandler) -> int:
        """Add a handler of counters that become available; return its id."""
        return self._add_handler(self._available_counter_handlers, handler)

    def add_unavailable_counter_handler(self, handler: CounterHandler) -> int:
        """Add a handler of counters that become unavailable; return its id."""
        return self._add_handler(self._unavailable_counter_handlers, handler)

    def add_close_handler(self, handler: Callable[[], object]) -> int:
        """Add a handler of the client's closing; return its id."""
        return self._add_handler(self._close_handlers, handler)

    def _add_handler(self, handlers: HandlerSet[_H], handler: _H) -> int:
        with self._lock:
            self._check_open()
            registration_id = self.proxy.next_correlation_id()
            handlers.add(registration_id, handler)
            return registration_id

    def remove_available_counter_handler(self, handler: CounterHandler | int) -> bool:
        """Remove a handler; return whether it was found."""
        with self._lock:
            return self._available_counter_handlers.remove(handler)

    def remove_unavailable_counter_handler(self, handler: CounterHandler | int) -> bool:
        """Remove a handler; return whether it was found."""
        with self._lock:
            return self._unavailable_counter_handlers.remove(handler)

    def remove_close_handler(self, handler: Callable[[], object] | int) -> bool:
        """Remove a handler; return whether it was found."""
        with self._lock:
            return self._close_handlers.remove(handler)

    # ---- driving ----

    def try_service(self) -> int:
        """Do what is due, unless another thread is doing it; return the work count."""
        if not self._lock.acquire(blocking=False):
            return 0
        try:
            return self._service()
        finally:
            self._lock.release()

    def _service(self) -> int:
        if self.is_closed or self._is_in_callback:
            return 0
        self.agent.begin_service()
        work_count = self._handle_event(self.agent.take_event())
        now_ns = self.context.now_ns()
        work_count += self._end_lingering(now_ns)
        if self._deferred:
            work_count += self._send_deferred(now_ns)
        if now_ns >= self._map_again_ns:
            work_count += self._retry_mappings(now_ns)
        try:
            while not self.is_closed and self.agent.receive():
                work_count += 1
        except StateError as error:
            self._fail(error)
        except AeronClusterError as error:
            self._report(error)
        return work_count

    def _handle_event(self, event: ConductorEvent) -> int:
        match event:
            case ConductorEvent.NO_EVENT:
                return 0
            case ConductorEvent.HEARTBEAT_FOUND:
                if name := self.context.client_name:
                    self.agent.append_to_heartbeat_label(f" name={name}".encode("ascii", "replace"))
            case ConductorEvent.HEARTBEAT_LOST:
                self._fail(
                    ClosedError(
                        f"unexpected close of heartbeat timestamp counter: the driver in"
                        f" {self.context.aeron_dir} timed this client out"
                    )
                )
            case ConductorEvent.DRIVER_CLOSED:
                self._fail(
                    DriverTimeoutError(f"MediaDriver ({self.context.aeron_dir}) has been shutdown")
                )
            case ConductorEvent.DRIVER_TIMED_OUT:
                silence_ms = self.agent.silence_ns // 1_000_000
                limit_ms = self.context.driver_timeout_ns // 1_000_000
                self._fail(
                    DriverTimeoutError(
                        f"MediaDriver ({self.context.aeron_dir}) keepalive: no heartbeat for"
                        f" {silence_ms} ms, timeout={limit_ms}ms: it died, or was stopped"
                    )
                )
            case ConductorEvent.SERVICE_GAP:
                self._fail(ConductorServiceTimeoutError(self.agent.gap_ns, self.agent.gap_limit_ns))
            case _:
                assert_never(event)
        return 1

    def _await(self, begin: Callable[[], _Request]) -> _Request:
        """Begin a request, and drive the client until it is answered; for users' threads only."""
        if self._is_in_callback and self._is_in_own_callback():
            raise StateError(
                "a wait for the driver inside a handler: expected the call outside of handlers;"
                " inside, use its async form"
            )
        request = begin()
        try:
            return self._drive_until_done(request)
        except BaseException:
            self.abandon(request.correlation_id)
            raise

    def _drive_until_done(self, request: _Request) -> _Request:
        idle_strategy = IdleStrategy("backoff")
        while True:
            if self.context.driver_invoker is not None:
                self.context.driver_invoker()
            with self._lock:
                self.agent.keep_alive()
                self._service()
                if request.is_done or self._is_overdue(request):
                    self._requests.pop(request.correlation_id, None)
                    if request.error is not None:
                        raise request.error
                    return request
                if self.is_closed:
                    raise self._closed_error()
            idle_strategy.idle(0)

    def _is_in_own_callback(self) -> bool:
        # The lock is reentrant: its owner can acquire it here, and others once the callback ended.
        if not self._lock.acquire(blocking=False):
            return False
        try:
            return self._is_in_callback
        finally:
            self._lock.release()

    def _is_overdue(self, request: _Request) -> bool:
        if request.is_done or self.context.now_ns() < request.deadline_ns:
            return False
        request.is_done = True
        request.error = DriverTimeoutError(
            f"no response from MediaDriver within {self.context.driver_timeout_ns / 1e9:.1f} s:"
            f" {request.what}"
        )
        # A resource that the driver creates later is removed: no caller owns it.
        self._abandoned[request.correlation_id] = request
        return True

    @contextmanager
    def _callback(self) -> Iterator[None]:
        outer, self._is_in_callback = self._is_in_callback, True
        try:
            yield
        except Exception as error:  # noqa: BLE001 - a user's handler; the error handler gets it
            self._report(error)
        except BaseException as error:
            if self.context.use_conductor_invoker:
                raise  # to the thread that drives the client
            self._report(as_exception("handler", error))
        finally:
            self._is_in_callback = outer

    def _report(self, error: Exception) -> None:
        try:
            self.context.error_handler(error)
        except KeyboardInterrupt:
            raise
        except BaseException:
            _LOGGER.exception("the error handler failed")

    # ---- requests ----

    def _begin(self, send: Callable[[], int], what: str, **details: object) -> _Request:
        with self._lock:
            self._check_open()
            correlation_id = send()
            deadline_ns = self.context.now_ns() + self.context.driver_timeout_ns
            request = _Request(what, deadline_ns, correlation_id)
            for name, value in details.items():
                setattr(request, name, value)
            self._requests[correlation_id] = request
            return request

    def _check_open(self) -> None:
        if self.is_closed:
            raise self._closed_error()

    def _closed_error(self) -> ClosedError:
        error = ClosedError(
            f"client of {self.context.aeron_dir}: closed"
            + (f" because of {self.failure}" if self.failure is not None else "")
        )
        error.__cause__ = self.failure
        return error

    def begin_publication(self, channel: str | ChannelUri, stream_id: int) -> _Request:
        """Request a shared publication."""
        text = checked_channel(channel)
        return self._begin(
            lambda: self.proxy.add_publication(text, stream_id),
            f"publication {text} stream={stream_id}",
            channel=text,
            stream_id=stream_id,
        )

    def begin_exclusive_publication(self, channel: str | ChannelUri, stream_id: int) -> _Request:
        """Request an exclusive publication."""
        text = checked_channel(channel)
        return self._begin(
            lambda: self.proxy.add_exclusive_publication(text, stream_id),
            f"exclusive publication {text} stream={stream_id}",
            channel=text,
            stream_id=stream_id,
        )

    def begin_subscription(
        self,
        channel: str | ChannelUri,
        stream_id: int,
        available_image_handler: ImageHandler | None,
        unavailable_image_handler: ImageHandler | None,
        image_filter: ImageFilter | None = None,
    ) -> _Request:
        """Request a subscription."""
        text = checked_channel(channel)
        if image_filter is not None and text.startswith(f"{SPY_PREFIX}:"):
            raise ConfigurationError("image_filter", "none for a spy", text)
        return self._begin(
            lambda: self.proxy.add_subscription(text, stream_id),
            f"subscription {text} stream={stream_id}",
            channel=text,
            stream_id=stream_id,
            available_image_handler=available_image_handler,
            unavailable_image_handler=unavailable_image_handler,
            image_filter=image_filter,
        )

    def begin_counter(self, type_id: int, key: bytes, label: str) -> _Request:
        """Request a counter."""
        return self._begin(
            lambda: self.proxy.add_counter(type_id, key, label),
            f"counter {label!r} of type {type_id}",
        )

    def begin_static_counter(
        self, type_id: int, key: bytes, label: str, registration_id: int
    ) -> _Request:
        """Request a static counter."""
        return self._begin(
            lambda: self.proxy.add_static_counter(type_id, key, label, registration_id),
            f"static counter {label!r} of type {type_id}",
            is_static=True,
            stream_id=registration_id,
        )

    def add(self, begin: Callable[[], _Request]) -> Resource:
        """Begin a request, and wait for its result."""
        result = self._await(begin).result
        assert not isinstance(result, int | None)
        return result

    def poll_resource(self, registration_id: int) -> Resource | None:
        """Return the result of an asynchronous request, or None until the driver has answered."""
        with self._lock:
            self._check_open()
            if (resource := self._resources.get(registration_id)) is not None:
                return resource
            request = self._requests.get(registration_id)
            if request is None:
                raise StateError(
                    f"registration {registration_id}: expected one that this client requested and"
                    " has not closed"
                )
            if request.is_done or self._is_overdue(request):
                del self._requests[registration_id]
                if request.error is not None:
                    raise request.error
            return None

    def abandon(self, registration_id: int) -> None:
        """Close the result of a request, now or when the driver answers."""
        with self._lock:
            if self.is_closed:
                return
            resource = self._resources.get(registration_id)
            request = self._requests.pop(registration_id, None)
            if resource is not None:
                resource.close()
            elif request is not None and not request.is_done:
                self._abandoned[registration_id] = request

    @property
    def has_active_commands(self) -> bool:
        """Whether any command is still unanswered."""
        with self._lock:
            return any(not request.is_done for request in self._requests.values())

    def is_command_active(self, correlation_id: int) -> bool:
        """Return whether a command is still unanswered."""
        with self._lock:
            request = self._requests.get(correlation_id)
            return request is not None and not request.is_done

    def is_done(self, correlation_id: int) -> bool:
        """Return whether the driver has answered; raise its rejection."""
        with self._lock:
            self._check_open()
            request = self._requests.get(correlation_id)
            if request is None:
                return True
            if not request.is_done and not self._is_overdue(request):
                return False
            del self._requests[correlation_id]
            if request.error is not None:
                raise request.error
            return True

    def next_correlation_id(self) -> int:
        """Return a number that is unique among all clients of this driver."""
        with self._lock:
            self._check_open()
            return self.proxy.next_correlation_id()

    def next_session_id(self, stream_id: int) -> int:
        """Return a session id that no publication of the stream uses."""
        if not self._offers_session_ids:
            return self._any_session_id()
        return self._session_id(self._await(lambda: self._begin_session_id(stream_id)))

    def begin_next_session_id(self, stream_id: int) -> _Request | None:
        """Request such a session id; None if the driver is too old to support it."""
        return self._begin_session_id(stream_id) if self._offers_session_ids else None

    @property
    def _offers_session_ids(self) -> bool:
        version = self.counters.value(_CONTROL_PROTOCOL_VERSION_COUNTER)
        return version >= _NEXT_SESSION_ID_VERSION

    def _begin_session_id(self, stream_id: int) -> _Request:
        return self._begin(
            lambda: self.proxy.next_available_session_id(stream_id),
            f"next session id of stream {stream_id}",
        )

    def poll_session_id(self, request: _Request | None) -> int | None:
        """Return the requested session id, or None until the driver has answered."""
        if request is None:
            return self._any_session_id()
        return self._session_id(request) if self.is_done(request.correlation_id) else None

    def _session_id(self, request: _Request) -> int:
        result = request.result
        assert isinstance(result, int)
        return result

    def _any_session_id(self) -> int:
        return self.context.seams.random.below(2**32) - 2**31

    # ---- destinations and images, for publications and subscriptions ----

    def begin_destination(
        self,
        send: Callable[[int, str], int],
        registration_id: int,
        channel: str | ChannelUri,
    ) -> _Request:
        """Request that a destination be added or removed."""
        text = checked_channel(channel)
        what = f"destination {text} of {registration_id}"
        return self._begin(lambda: send(registration_id, text), what)

    def async_add_destination(self, registration_id: int, channel: str | ChannelUri) -> int:
        """Begin to add a destination to a publication."""
        send = self.proxy.add_destination
        return self.begin_destination(send, registration_id, channel).correlation_id

    def add_destination(self, registration_id: int, channel: str | ChannelUri) -> int:
        """Add a destination to a publication; return its registration id."""
        send = self.proxy.add_destination
        begin = partial(self.begin_destination, send, registration_id, channel)
        return self._await(begin).correlation_id

    def begin_removal(self, registration_id: int, destination: str | ChannelUri | int) -> _Request:
        """Request the removal of a destination, by its channel or id, from a publication."""
        if not isinstance(destination, int):
            return self.begin_destination(
                self.proxy.remove_destination, registration_id, destination
            )
        return self._begin(
            lambda: self.proxy.remove_destination_by_id(registration_id, destination),
            f"destination {destination} of {registration_id}",
        )

    def async_remove_destination(
        self, registration_id: int, destination: str | ChannelUri | int
    ) -> int:
        """Begin to remove a destination, by its channel or id, from a publication."""
        return self.begin_removal(registration_id, destination).correlation_id

    def remove_destination(self, registration_id: int, destination: str | ChannelUri | int) -> None:
        """Remove a destination, by its channel or id, from a publication."""
        self._await(lambda: self.begin_removal(registration_id, destination))

    def async_add_receive_destination(self, registration_id: int, channel: str | ChannelUri) -> int:
        """Begin to add a destination to a subscription."""
        send = self.proxy.add_receive_destination
        return self.begin_destination(send, registration_id, channel).correlation_id

    def add_receive_destination(self, registration_id: int, channel: str | ChannelUri) -> None:
        """Add a destination to a subscription."""
        send = self.proxy.add_receive_destination
        self._await(lambda: self.begin_destination(send, registration_id, channel))

    def async_remove_receive_destination(
        self, registration_id: int, channel: str | ChannelUri
    ) -> int:
        """Begin to remove a destination from a subscription."""
        send = self.proxy.remove_receive_destination
        return self.begin_destination(send, registration_id, channel).correlation_id

    def remove_receive_destination(self, registration_id: int, channel: str | ChannelUri) -> None:
        """Remove a destination from a subscription."""
        send = self.proxy.remove_receive_destination
        self._await(lambda: self.begin_destination(send, registration_id, channel))

    def async_reject_image(self, correlation_id: int, position: int, reason: str) -> int:
        """Begin to reject an image."""
        return self._begin_rejection(correlation_id, position, reason).correlation_id

    def reject_image(self, correlation_id: int, position: int, reason: str) -> None:
        """Reject an image."""
        self._await(lambda: self._begin_rejection(correlation_id, position, reason))

    def _begin_rejection(self, correlation_id: int, position: int, reason: str) -> _Request:
        return self._begin(
            lambda: self.proxy.reject_image(correlation_id, position, reason),
            f"rejection of image {correlation_id}",
        )

    def give_up_image(self, correlation_id: int, position: int, reason: str) -> None:
        """Request later that an image be rejected; any thread, and never blocks."""
        self._deferred.append(partial(self.proxy.reject_image, correlation_id, position, reason))
        self.agent.request_service()

    def _send_deferred(self, now_ns: int) -> int:
        work_count = 0
        self._send_again_ns = NEVER
        while self._deferred and not self.is_closed:
            send = self._deferred.popleft()
            try:
                send()
            except OperationError:  # the ring is full: the driver will empty it
                self._deferred.appendleft(send)
                self._send_again_ns = now_ns + self.context.keepalive_interval_ns
                break
            work_count += 1
        self._set_deadline()
        return work_count

    def _remove(self, send: Callable[..., int], *arguments: int) -> None:
        """Send the removal of a closed resource, later if the driver's ring is full.

        Otherwise the driver would have it until this client closes. Upstream raises an error, and
        loses the removal.
        """
        self._deferred.append(partial(send, *arguments))
        self._send_deferred(self.context.now_ns())

    def channel_status(self, stream: LogPublication | Subscription) -> ChannelStatus | int:
        """Return the status of a stream's channel; -1 if the stream is closed."""
        if stream.is_closed:
            return -1
        if stream.channel_status_id == -1:
            return ChannelStatus.CHANNEL_ACTIVE
        if stream.channel_status_id == 0:
            return ChannelStatus.CHANNEL_INITIALIZING
        return ChannelStatus(self.counters.value(stream.channel_status_id))

    def local_socket_addresses(self, stream: LogPublication | Subscription) -> list[str]:
        """Return the addresses that the driver bound for a stream's channel."""
        if self.channel_status(stream) != ChannelStatus.CHANNEL_ACTIVE:
            return []
        found = []
        for counter in self.counters.counters(CounterType.COUNTER_TYPE_LOCAL_SOCKET_ADDRESS):
            if counter.value != ChannelStatus.CHANNEL_ACTIVE:
                continue
            status_id, length = _ADDRESS_KEY.unpack_from(counter.key)
            if status_id == stream.channel_status_id and length > 0:
                text = counter.key[_ADDRESS_KEY.size : _ADDRESS_KEY.size + length]
                found.append(text.decode("ascii", "replace"))
        return found

    def resolve_endpoint_port(self, subscription: Subscription) -> str | None:
        """Return its channel with the bound port in place of port 0."""
        channel = subscription.channel
        if subscription.is_closed:
            return None
        if subscription.channel_status_id == -1:  # IPC has no port, and a spy's is another stream's
            return channel
        uri = ChannelUri.parse(channel)
        # The endpoint of a responder on a channel without an endpoint, or with separate
        # destinations, is not known here.
        endpoint = uri.get("endpoint") or ""
        if not endpoint.endswith(":0") or uri.get("control-mode") == "manual":
            return channel
        addresses = self.local_socket_addresses(subscription)
        return str(uri.with_resolved_port(addresses[0])) if addresses else None

    # ---- events ----

    def _answered(self, correlation_id: int) -> _Request | None:
        request = self._requests.get(correlation_id)
        return None if request is None or request.is_done else request

    def on_publication_ready(
        self,
        correlation_id: int,
        registration_id: int,
        limit_counter_id: int,
        channel_status_id: int,
        log_file: str,
        is_exclusive: bool,
    ) -> None:
        """Create the requested publication."""
        if self._abandoned.pop(correlation_id, None) is not None:
            self._remove(self.proxy.remove_publication, correlation_id, False)
        request = self._answered(correlation_id)
        if request is None:
            return
        make = ExclusivePublication if is_exclusive else Publication
        request.is_done = True
        try:
            publication = make(
                self,
                self._map(log_file, writable=True),
                self.counters,
                channel=request.channel,
                registration_id=correlation_id,
                original_registration_id=registration_id,
                limit_counter_id=limit_counter_id,
                channel_status_id=channel_status_id,
            )
        except (AeronClusterError, OSError) as error:
            request.error = error
            self._remove(self.proxy.remove_publication, correlation_id, False)
        else:
            self._made(request, publication)

    def _map(self, log_file: str, *, writable: bool) -> MappedFile:
        files = self.context.seams.files
        if self.context.pre_touch_mapped_memory:
            # A sparse log has no pages yet; touching them without free memory is a bus error.
            with files.open(log_file, write=True) as file:
                file.allocate(0, file.length)
        mapping = MappedFile.open(files, log_file, writable=writable)
        if self.context.pre_touch_mapped_memory:
            mapping.touch()
        return mapping

    def _made(self, request: _Request, resource: Resource) -> None:
        request.result = resource
        del self._requests[request.correlation_id]
        self._resources[request.correlation_id] = resource

    def on_subscription_ready(self, correlation_id: int, channel_status_id: int) -> None:
        """Create the requested subscription."""
        if self._abandoned.pop(correlation_id, None) is not None:
            self._remove(self.proxy.remove_subscription, correlation_id)
        request = self._answered(correlation_id)
        if request is None:
            return
        request.is_done = True
        subscription = Subscription(
            self,
            channel=request.channel,
            stream_id=request.stream_id,
            registration_id=correlation_id,
            channel_status_id=channel_status_id,
            available_image_handler=request.available_image_handler,
            unavailable_image_handler=request.unavailable_image_handler,
            image_filter=request.image_filter,
        )
        self._made(request, subscription)

    def on_counter_ready(self, correlation_id: int, counter_id: int, is_static: bool) -> None:
        """Create the requested counter; call the handlers for each counter."""
        if self._abandoned.pop(correlation_id, None) is not None and not is_static:
            self._remove(self.proxy.remove_counter, correlation_id)
        request = self._answered(correlation_id)
        if request is not None:
            request.is_done = True
            registration_id = request.stream_id if is_static else correlation_id
            try:
                counter = Counter(
                    self, self.counters, counter_id, registration_id, is_static=is_static
                )
            except AeronClusterError as error:
                request.error = error
                if not is_static:
                    self._remove(self.proxy.remove_counter, correlation_id)
            else:
                self._made(request, counter)
        for handler in () if is_static else self._available_counter_handlers:
            with self._callback():
                handler(self.counters, correlation_id, counter_id)

    def on_unavailable_counter(self, registration_id: int, counter_id: int) -> None:
        """Call the handlers of counters that become unavailable."""
        for handler in self._unavailable_counter_handlers:
            with self._callback():
                handler(self.counters, registration_id, counter_id)

    def on_operation_success(self, correlation_id: int) -> None:
        """Record that the driver completed a request."""
        self._abandoned.pop(correlation_id, None)
        if (request := self._answered(correlation_id)) is not None:
            request.is_done = True

    def on_next_available_session_id(self, correlation_id: int, session_id: int) -> None:
        """Record the requested session id."""
        if (request := self._answered(correlation_id)) is not None:
            request.is_done = True
            request.result = session_id

    def on_error(self, correlation_id: int, code: int, message: str) -> None:
        """Record that the driver rejected a request."""
        if code == ErrorCode.ERROR_CHANNEL_ENDPOINT:
            self._on_channel_error(correlation_id & 0xFFFF_FFFF, message)
            return
        self._abandoned.pop(correlation_id, None)
        if (request := self._answered(correlation_id)) is not None:
            request.is_done = True
            request.error = RegistrationError(f"{request.what}: {message}", code, correlation_id)

    def _on_channel_error(self, channel_status_id: int, message: str) -> None:
        for resource in list(self._resources.values()):
            if getattr(resource, "channel_status_id", -1) == channel_status_id:
                self._report(
                    RegistrationError(f"{resource!r}: {message}", ErrorCode.ERROR_CHANNEL_ENDPOINT)
                )

    def on_publication_error(
        self,
        registration_id: int,
        destination_registration_id: int,
        session_id: int,
        stream_id: int,
        receiver_id: int,
        group_tag: int,
        source_address: bytes,
        source_port: int,
        error_code: int,
        error_message: str,
    ) -> None:
        """Notify the handler that a receiver rejected a publication of this client."""
        if self.context.publication_error_handler is None or not any(
            isinstance(resource, LogPublication)
            and resource.original_registration_id == registration_id
            for resource in self._resources.values()
        ):
            return
        frame = PublicationErrorFrame(
            registration_id,
            destination_registration_id,
            session_id,
            stream_id,
            receiver_id,
            group_tag,
            source_address,
            source_port,
            error_code,
            error_message,
        )
        with self._callback():
            self.context.publication_error_handler(frame)

    def on_available_image(
        self,
        correlation_id: int,
        session_id: int,
        stream_id: int,
        subscription_registration_id: int,
        subscriber_position_id: int,
        log_file: str,
        source_identity: str,
    ) -> None:
        """Add an image to its subscription."""
        subscription = self._resources.get(subscription_registration_id)
        if not isinstance(subscription, Subscription):
            return
        if not self._accepts_image(subscription, source_identity, session_id):
            subscription.count_filtered_image()
            self.give_up_image(correlation_id, 0, "rejected by a subscriber's image filter")
            return
        announced = _ImageToMap(
            correlation_id,
            subscription,
            subscriber_position_id,
            log_file,
            source_identity,
            session_id,
            stream_id,
        )
        try:
            self._add_image(announced)
        except FileNotFoundError as error:  # it became unavailable meanwhile
            self._report_unmapped(announced, error)
        except PlatformError as error:
            # The driver announces it once: without another attempt it would never be received.
            self._report_unmapped(announced, error)
            self._images_to_map.append(announced)
            self._set_mapping_retry(self.context.now_ns())
        except AeronClusterError as error:
            self._report_unmapped(announced, error)

    def _accepts_image(
        self, subscription: Subscription, source_identity: str, session_id: int
    ) -> bool:
        if (image_filter := subscription.image_filter) is None:
            return True
        is_accepted = False
        with self._callback():
            is_accepted = bool(image_filter(source_identity, session_id))
        return is_accepted  # noqa: RET504 - the block above swallows what the filter raises

    def _add_image(self, announced: _ImageToMap) -> None:
        subscription = announced.subscription
        image = Image(
            subscription,
            self._map(announced.log_file, writable=False),
            self.counters,
            correlation_id=announced.correlation_id,
            subscriber_position_id=announced.subscriber_position_id,
            source_identity=announced.source_identity,
        )
        subscription.set_images((*subscription.images, image))
        if (handler := subscription.available_image_handler) is not None:
            with self._callback():
                handler(image)

    def _report_unmapped(self, announced: _ImageToMap, error: Exception) -> None:
        error.add_note(
            f"image of session {announced.session_id} stream {announced.stream_id} of"
            f" {announced.subscription!r}"
        )
        self._report(error)

    def _retry_mappings(self, now_ns: int) -> int:
        """Map images that could not be mapped when they were announced."""
        waiting, self._images_to_map = self._images_to_map, []
        for announced in waiting:
            if announced.subscription.is_closed:  # by a handler meanwhile
                continue
            try:
                self._add_image(announced)
            except FileNotFoundError:
                pass
            except PlatformError:  # already reported
                self._images_to_map.append(announced)
            except AeronClusterError as error:
                self._report_unmapped(announced, error)
        self._set_mapping_retry(now_ns)
        return len(waiting) - len(self._images_to_map)

    def _set_mapping_retry(self, now_ns: int) -> None:
        delay_ns = self.context.keepalive_interval_ns
        self._map_again_ns = now_ns + delay_ns if self._images_to_map else NEVER
        self._set_deadline()

    def _drop_unmapped(self, is_gone: Callable[[_ImageToMap], bool]) -> None:
        self._images_to_map = [each for each in self._images_to_map if not is_gone(each)]

    def on_unavailable_image(self, correlation_id: int, subscription_registration_id: int) -> None:
        """Remove an image from its subscription."""
        subscription = self._resources.get(subscription_registration_id)
        if not isinstance(subscription, Subscription):
            return
        self._drop_unmapped(
            lambda each: each.subscription is subscription and each.correlation_id == correlation_id
        )
        gone = [each for each in subscription.images if each.correlation_id == correlation_id]
        kept = tuple(each for each in subscription.images if each not in gone)
        for image in gone:
            image.mark_closed()
        subscription.set_images(kept)
        self._linger(subscription)
        for image in gone:
            self._linger(image)
            self._notify_unavailable(subscription, image)

    def _notify_unavailable(self, subscription: Subscription, image: Image) -> None:
        if (handler := subscription.unavailable_image_handler) is not None:
            with self._callback():
                handler(image)

    def on_client_timeout(self, client_id: int) -> None:
        """Close, if the driver timed this client out."""
        if client_id == self.proxy.client_id:
            self._fail(
                ClosedError(
                    f"client timeout from driver: {self.context.aeron_dir}: no heartbeat of this"
                    " client for longer than the client liveness timeout"
                )
            )

    # ---- closing ----

    def _linger(self, resource: LogPublication | Image | Subscription) -> None:
        deadline_ns = self.context.now_ns() + self.context.client_resource_linger_duration_ns
        self._lingering.append((deadline_ns, resource))
        self._set_deadline()

    def _set_deadline(self) -> None:
        linger_ns = self._lingering[0][0] if self._lingering else NEVER
        self.agent.set_deadline(min(linger_ns, self._map_again_ns, self._send_again_ns))

    def _end_lingering(self, now_ns: int) -> int:
        work_count = 0
        for _ in range(len(self._lingering)):
            if self._lingering[0][0] > now_ns:
                break
            _, resource = self._lingering.popleft()
            if isinstance(resource, Subscription):
                if not resource.reap():
                    self._linger(resource)
            else:
                resource.release()
            work_count += 1
        self._set_deadline()
        return work_count

    def _forget(self, resource: Resource) -> bool:
        """Remove a resource; return whether it was found."""
        for registration_id, each in self._resources.items():
            if each is resource:
                del self._resources[registration_id]
                return True
        return False

    def close_publication(self, publication: LogPublication, revoke: bool) -> None:
        """Close a publication."""
        assert isinstance(publication, Publication | ExclusivePublication)
        with self._lock:
            if not self.is_closed and self._forget(publication):
                publication.mark_closed()
                self._linger(publication)
                self._remove(self.proxy.remove_publication, publication.registration_id, revoke)

    def close_subscription(self, subscription: Subscription) -> None:
        """Close a subscription and its images."""
        with self._lock:
            if not self.is_closed and self._forget(subscription):
                self._end_subscription(subscription)
                self._remove(self.proxy.remove_subscription, subscription.registration_id)

    def _end_subscription(self, subscription: Subscription) -> None:
        self._drop_unmapped(lambda each: each.subscription is subscription)
        images = subscription.images
        subscription.mark_closed()
        for image in images:
            image.mark_closed()
        subscription.set_images(())
        self._linger(subscription)
        for image in images:
            self._linger(image)
            self._notify_unavailable(subscription, image)

    def close_counter(self, counter: Counter) -> None:
        """Close a counter."""
        with self._lock:
            if not self.is_closed and self._forget(counter):
                counter.mark_closed()
                if not counter.is_static:
                    self._remove(self.proxy.remove_counter, counter.registration_id)

    def _fail(self, error: Exception) -> None:
        """Close for another reason than a call of the user."""
        self.failure = error
        self._end()
        self._report(error)

    def close(self) -> None:
        """Close everything and notify the driver. Closing again does nothing."""
        with self._lock:
            if not self.is_closed:
                try:
                    self._send_deferred(self.context.now_ns())  # a revocation, perhaps
                except AeronClusterError as error:
                    self._report(error)
                self._end()
                try:
                    self.proxy.client_close()
                except AeronClusterError as error:
                    # A driver that reads no commands finds its client gone after a timeout.
                    self._report(error)

    def _end(self) -> None:
        self.is_closed = True
        self.agent.close()
        resources = list(self._resources.values())
        self._resources.clear()
        self._requests.clear()
        for resource in reversed(resources):
            if isinstance(resource, Subscription):
                self._end_subscription(resource)
            else:
                resource.mark_closed()
                if isinstance(resource, LogPublication):
                    self._linger(resource)
        # A call in progress holds its mapping until it returns.
        for _, lingering in self._lingering:
            if not isinstance(lingering, Subscription):
                lingering.release()
        self._lingering.clear()
        for handler in self._close_handlers:
            with self._callback():
                handler()

    def disown(self) -> None:
        """Close without effects, in the child of a fork: shared memory belongs to the parent."""
        self._lock = RLock()  # the parent's other thread may hold the old one
        self.is_closed = True
        self.failure = ClosedError("made before this process was forked; connect a new client")
        self.agent.close()
        for resource in self._resources.values():
            if isinstance(resource, Subscription):
                for image in resource.images:
                    image.mark_closed()
            resource.mark_closed()
        self._resources.clear()
        self._requests.clear()
        self._images_to_map.clear()
        self._lingering.clear()
        self._deferred.clear()


def checked_channel(channel: str | ChannelUri) -> str:
    """Return the text of a channel after validating it."""
    if isinstance(channel, ChannelUri):
        return str(channel.validate())
    ChannelUri.parse(channel).validate()
    return channel
