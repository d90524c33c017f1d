"""The client of a media driver.

``io.aeron.Aeron``.

>>> with Aeron.connect() as aeron:
...     publication = aeron.add_publication("aeron:ipc", 1001)
...     subscription = aeron.add_subscription("aeron:ipc", 1001)
...     while not publication.offer(b"hello"):
...         pass
...     subscription.poll(lambda message, header: print(bytes(message)))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self, Unpack

from aeron_cluster.client.conductor import ClientConductor
from aeron_cluster.client.context import ClientContext
from aeron_cluster.client.counter import Counter
from aeron_cluster.client.driver_connection import connect_to_driver
from aeron_cluster.client.publication import ExclusivePublication, Publication
from aeron_cluster.client.subscription import Subscription
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from aeron_cluster.client.conductor import Resource
    from aeron_cluster.client.conductor_agent import ConductorAgent
    from aeron_cluster.client.handlers import CounterHandler, ImageFilter, ImageHandler
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.options import ClientOptions
    from aeron_cluster.codecs.channel_uri import ChannelUri
    from aeron_cluster.memory.shared.counters import CountersReader

__all__ = ["Aeron"]


class Aeron(Closeable):
    """A client of a media driver.

    Parameters
    ----------
    context : ClientContext
        Its options; `Aeron.connect` creates one from keyword arguments.

    Raises
    ------
    DriverTimeoutError
        If no active driver is found in the directory within the driver timeout.
    CorruptError, VersionError
        If the directory's CnC file is damaged, or of an unsupported version.

    Notes
    -----
    Any thread may call it. The ``add_`` calls and `next_session_id` block until the driver has
    answered; agents of a node must not call them, but the ``async_add_`` ones, and the matching
    ``get_`` in later passes. After ``os.fork`` it is closed in the child.
    """

    def __init__(self, context: ClientContext) -> None:
        self.context = context
        self._conductor = ClientConductor(context, connect_to_driver(context))
        self._runner: AgentRunner | None = None
        if not context.use_conductor_invoker:
            idle_strategy = context.idle_strategy or IdleStrategy(
                "sleep-ns", sleep_period_ns=context.client_idle_sleep_duration_ns
            )
            self._runner = AgentRunner(
                [self._conductor.agent],
                idle_strategy=idle_strategy,
                error_handler=lambda _, error: self._report(error),
            )
            self._runner.start()

    @classmethod
    def connect(
        cls, *, properties: Mapping[str, str] | None = None, **options: Unpack[ClientOptions]
    ) -> Self:
        """Connect to a running driver.

        Parameters
        ----------
        properties : Mapping[str, str], optional
            Properties by Aeron's names, as ``aeron_cluster.config.parse_properties`` reads them.
        **options
            The fields of `ClientContext`: ``aeron_dir``, ``driver_timeout_ns``, ``client_name`` and
            so on, its handlers and seams.

        Returns
        -------
        Aeron
            The client; close it, or use it in a ``with``.

        Raises
        ------
        ConfigurationError
            If an option is unknown or invalid.
        DriverTimeoutError
            If no active driver is found in the directory within the driver timeout.
        CorruptError, VersionError
            If the directory's CnC file is damaged, or of an unsupported version.
        """
        return cls(ClientContext.of(properties=properties, **options))

    def _report(self, error: BaseException) -> None:
        if isinstance(error, Exception):
            self.context.error_handler(error)

    # ---- state ----

    @property
    def client_id(self) -> int:
        """The id by which the driver knows this client."""
        return self._conductor.proxy.client_id

    @property
    def is_closed(self) -> bool:
        """Whether it was closed, by `close` or because the driver ended."""
        return self._conductor.is_closed

    @property
    def failure(self) -> Exception | None:
        """The reason if it was closed other than by `close`, or None."""
        return self._conductor.failure

    @property
    def conductor_agent(self) -> ConductorAgent:
        """The conductor's agent, to be driven by a runner, with ``use_conductor_invoker``."""
        return self._conductor.agent

    @cached_property
    def conductor_agent_invoker(self) -> AgentInvoker:
        """The invoker that drives the client, with ``use_conductor_invoker``.

        Raises
        ------
        StateError
            If a runner drives it already.
        """
        invoker = AgentInvoker([self._conductor.agent])
        invoker.start()
        return invoker

    def drive(self) -> None:
        """Drive the conductor once while this thread waits, unless a runner drives it.

        Otherwise a separate thread or the runner that has `conductor_agent` drives it.
        """
        if not self.context.use_conductor_invoker:
            return
        if "conductor_agent_invoker" in self.__dict__ or not self._conductor.agent.is_driven:
            self.conductor_agent_invoker.invoke()

    @property
    def counters_reader(self) -> CountersReader:
        """All counters of the driver."""
        return self._conductor.counters

    def next_correlation_id(self) -> int:
        """Return a number that is unique among all clients of this driver."""
        return self._conductor.next_correlation_id()

    def next_session_id(self, stream_id: int) -> int:
        """Return a session id that no publication of the stream uses.

        Raises
        ------
        DriverTimeoutError
            If the driver does not answer.
        """
        return self._conductor.next_session_id(stream_id)

    def async_next_session_id(self, stream_id: int) -> Callable[[], int | None]:
        """Begin `next_session_id`.

        Returns
        -------
        Callable
            To be called in later passes: the session id, or None until the driver has answered.
        """
        request = self._conductor.begin_next_session_id(stream_id)
        return lambda: self._conductor.poll_session_id(request)

    # ---- publications ----

    def add_publication(self, channel: str | ChannelUri, stream_id: int) -> Publication:
        """Add a publication that is shared by all callers with the same channel and stream.

        Parameters
        ----------
        channel : str or ChannelUri
            The channel, as ``aeron:udp?endpoint=host:port`` or ``aeron:ipc``.
        stream_id : int
            The stream within the channel, 32 bits.

        Raises
        ------
        ConfigurationError
            If the channel is invalid; it names the part.
        RegistrationError
            If the driver rejects it.
        DriverTimeoutError
            If the driver does not answer.
        ClosedError
            If the client is closed.
        StateError
            If it is called inside a handler of the client.
        """
        conductor = self._conductor
        return _publication(conductor.add(lambda: conductor.begin_publication(channel, stream_id)))

    def async_add_publication(self, channel: str | ChannelUri, stream_id: int) -> int:
        """Begin `add_publication`; return the registration id for `get_publication`."""
        return self._conductor.begin_publication(channel, stream_id).correlation_id

    def get_publication(self, registration_id: int) -> Publication | None:
        """Return the publication, or None while the driver has not answered.

        Raises
        ------
        RegistrationError
            If the driver rejected it.
        DriverTimeoutError
            If the driver did not answer in time.
        StateError
            If nothing was requested under that id, or it was closed.
        """
        found = self._conductor.poll_resource(registration_id)
        return None if found is None else _publication(found)

    def add_exclusive_publication(
        self, channel: str | ChannelUri, stream_id: int
    ) -> ExclusivePublication:
        """Add a publication with its own session, for one thread; see `add_publication`."""
        conductor = self._conductor
        begin = partial(conductor.begin_exclusive_publication, channel, stream_id)
        return _exclusive(conductor.add(begin))

    def async_add_exclusive_publication(self, channel: str | ChannelUri, stream_id: int) -> int:
        """Begin `add_exclusive_publication`; return the registration id."""
        return self._conductor.begin_exclusive_publication(channel, stream_id).correlation_id

    def get_exclusive_publication(self, registration_id: int) -> ExclusivePublication | None:
        """Return the publication, or None while the driver has not answered."""
        found = self._conductor.poll_resource(registration_id)
        return None if found is None else _exclusive(found)

    # ---- subscriptions ----

    def add_subscription(
        self,
        channel: str | ChannelUri,
        stream_id: int,
        *,
        available_image_handler: ImageHandler | None = None,
        unavailable_image_handler: ImageHandler | None = None,
        image_filter: ImageFilter | None = None,
    ) -> Subscription:
        """Add a subscription.

        Parameters
        ----------
        channel : str or ChannelUri
            The channel, as ``aeron:udp?endpoint=host:port``, ``aeron:ipc``, or ``aeron-spy:``
            before a channel that is published through the same driver.
        stream_id : int
            The stream within the channel, 32 bits.
        available_image_handler, unavailable_image_handler : ImageHandler, optional
            Called when an image becomes available or unavailable; by default the context's.
        image_filter : ImageFilter, optional
            Called with the source identity (``host:port`` of the publisher, or ``aeron:ipc``) and
            the session id of each image that the driver announces, before its log is mapped. If the
            result is not true, there is no image: it is counted in ``filtered_image_count``, and
            the driver is requested to reject it for all its subscribers. If it raises, the image is
            rejected and the error handler gets the exception. Not for spies.

        Raises
        ------
        ConfigurationError, RegistrationError, DriverTimeoutError, ClosedError, StateError
            As `add_publication`.
        """
        conductor = self._conductor
        begin = partial(
            conductor.begin_subscription,
            channel,
            stream_id,
            available_image_handler or self.context.available_image_handler,
            unavailable_image_handler or self.context.unavailable_image_handler,
            image_filter,
        )
        return _subscription(conductor.add(begin))

    def async_add_subscription(
        self,
        channel: str | ChannelUri,
        stream_id: int,
        *,
        available_image_handler: ImageHandler | None = None,
        unavailable_image_handler: ImageHandler | None = None,
        image_filter: ImageFilter | None = None,
    ) -> int:
        """Begin `add_subscription`; return the registration id for `get_subscription`."""
        request = self._conductor.begin_subscription(
            channel,
            stream_id,
            available_image_handler or self.context.available_image_handler,
            unavailable_image_handler or self.context.unavailable_image_handler,
            image_filter,
        )
        return request.correlation_id

    def get_subscription(self, registration_id: int) -> Subscription | None:
        """Return the subscription, or None while the driver has not answered."""
        found = self._conductor.poll_resource(registration_id)
        return None if found is None else _subscription(found)

    # ---- counters ----

    def add_counter(self, type_id: int, label: str, key: bytes = b"") -> Counter:
        """Add a counter that exists until this client closes it.

        Parameters
        ----------
        type_id : int
            The type id of the counter; 1000 and above are for users.
        label : str
            The label: at most 380 ASCII characters.
        key : bytes
            The binary key: at most 112 bytes.

        Raises
        ------
        MessageError
            If key or label are too long.
        RegistrationError, DriverTimeoutError, ClosedError, StateError
            As `add_publication`.
        """
        conductor = self._conductor
        return _counter(conductor.add(lambda: conductor.begin_counter(type_id, key, label)))

    def async_add_counter(self, type_id: int, label: str, key: bytes = b"") -> int:
        """Begin `add_counter`; return the registration id for `get_counter`."""
        return self._conductor.begin_counter(type_id, key, label).correlation_id

    def add_static_counter(
        self, type_id: int, label: str, registration_id: int, key: bytes = b""
    ) -> Counter:
        """Add a counter that exists as long as the driver.

        Parameters
        ----------
        type_id, registration_id : int
            There is one counter for each pair: a second caller gets the same one.
        label, key
            As for `add_counter`.
        """
        conductor = self._conductor
        begin = partial(conductor.begin_static_counter, type_id, key, label, registration_id)
        return _counter(conductor.add(begin))

    def async_add_static_counter(
        self, type_id: int, label: str, registration_id: int, key: bytes = b""
    ) -> int:
        """Begin `add_static_counter`; return the correlation id for `get_counter`."""
        request = self._conductor.begin_static_counter(type_id, key, label, registration_id)
        return request.correlation_id

    def get_counter(self, registration_id: int) -> Counter | None:
        """Return the counter, or None while the driver has not answered."""
        found = self._conductor.poll_resource(registration_id)
        return None if found is None else _counter(found)

    # ---- requests in flight ----

    def async_reject_image(self, image: Image, reason: str) -> int:
        """Begin `Image.reject`; `is_done` of the returned id becomes true when it is done."""
        return self._conductor.async_reject_image(image.correlation_id, image.position, reason)

    def abandon(self, registration_id: int) -> None:
        """Cancel what an ``async_add_`` call requested, whether the driver has answered or not.

        Parameters
        ----------
        registration_id : int
            What is created for it is closed, immediately or when the driver answers; an unknown id
            is ignored.
        """
        self._conductor.abandon(registration_id)

    def is_done(self, correlation_id: int) -> bool:
        """Return whether the driver has completed an ``async_`` call that has no result.

        Raises
        ------
        RegistrationError
            If the driver rejected it.
        DriverTimeoutError
            If the driver did not answer in time.
        """
        return self._conductor.is_done(correlation_id)

    def is_command_active(self, correlation_id: int) -> bool:
        """Return whether an ``async_`` call is still unanswered.

        Parameters
        ----------
        correlation_id : int
            The id that the call returned; False for an unknown one.
        """
        return self._conductor.is_command_active(correlation_id)

    @property
    def has_active_commands(self) -> bool:
        """Whether any call is still unanswered."""
        return self._conductor.has_active_commands

    # ---- handlers ----

    def add_available_counter_handler(self, handler: CounterHandler) -> int:
        """Add a handler that is called for each counter that becomes available.

        Parameters
        ----------
        handler : CounterHandler
            Called with the reader, the registration id and the counter id, on the conductor's
            thread.

        Returns
        -------
        int
            Its id, for `remove_available_counter_handler`.
        """
        return self._conductor.add_available_counter_handler(handler)

    def remove_available_counter_handler(self, handler: CounterHandler | int) -> bool:
        """Remove a handler, given itself or its id; return whether it was found."""
        return self._conductor.remove_available_counter_handler(handler)

    def add_unavailable_counter_handler(self, handler: CounterHandler) -> int:
        """Add a handler that is called for each counter that becomes unavailable; return its id."""
        return self._conductor.add_unavailable_counter_handler(handler)

    def remove_unavailable_counter_handler(self, handler: CounterHandler | int) -> bool:
        """Remove a handler, given itself or its id; return whether it was found."""
        return self._conductor.remove_unavailable_counter_handler(handler)

    def add_close_handler(self, handler: Callable[[], object]) -> int:
        """Add a handler that is called when the client is closed for any reason; return its id."""
        return self._conductor.add_close_handler(handler)

    def remove_close_handler(self, handler: Callable[[], object] | int) -> bool:
        """Remove a handler, given itself or its id; return whether it was found."""
        return self._conductor.remove_close_handler(handler)

    # ---- closing ----

    def close(self) -> None:
        """Close everything that was added and leave the driver. Closing again does nothing."""
        self._conductor.close()
        if self._runner is not None:
            self._runner.close()
        elif "conductor_agent_invoker" in self.__dict__:
            self.conductor_agent_invoker.close()

    def __repr__(self) -> str:
        state = " closed" if self.is_closed else ""
        return f"<Aeron client {self.client_id} of {self.context.aeron_dir}{state}>"


def _publication(resource: Resource) -> Publication:
    assert isinstance(resource, Publication), resource
    return resource


def _exclusive(resource: Resource) -> ExclusivePublication:
    assert isinstance(resource, ExclusivePublication), resource
    return resource


def _subscription(resource: Resource) -> Subscription:
    assert isinstance(resource, Subscription), resource
    return resource


def _counter(resource: Resource) -> Counter:
    assert isinstance(resource, Counter), resource
    return resource
