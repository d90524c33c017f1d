"""A client of a cluster.

Upstream: AeronCluster. Its states and transitions::

    CONNECTED -> AWAIT_NEW_LEADER             ingress is lost, or the egress image closed
    CONNECTED, AWAIT_NEW_LEADER -> AWAIT_NEW_LEADER_CONNECTION        a NewLeaderEvent
    AWAIT_NEW_LEADER_CONNECTION -> CONNECTED  a message was sent
    AWAIT_NEW_LEADER_CONNECTION -> itself     another NewLeaderEvent
    AWAIT_NEW_LEADER_CONNECTION -> AWAIT_NEW_LEADER                   the egress image closed
    any -> PENDING_CLOSE -> CLOSED            the cluster closed the session
    AWAIT_... -> CLOSED                       its deadline passed
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from enum import IntEnum
from typing import TYPE_CHECKING, Generic, Self, TypeVar, Unpack

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.client.publication import BufferClaim
from aeron_cluster.cluster_client.connect import (
    ClientConnect,
    ConnectStep,
    IngressPublication,
    add_ingress,
)
from aeron_cluster.cluster_client.context import (
    ClusterClientContext,
    leader_endpoint,
    with_endpoints,
)
from aeron_cluster.cluster_client.egress_adapter import EgressAdapter
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.cluster_client.embedded_driver import check_driver, embed_driver
from aeron_cluster.cluster_client.session_ingress import SessionIngress
from aeron_cluster.codecs.cluster import (
    AdminRequest,
    AdminRequestType,
    AdminResponse,
    EventCode,
    NewLeaderEvent,
    SessionCloseRequest,
    SessionEvent,
    SessionKeepAlive,
    decode,
)
from aeron_cluster.errors import (
    ClosedError,
    ConfigurationError,
    MaxPositionExceededError,
    MessageError,
    UnknownMessageError,
)
from aeron_cluster.memory.agents.waiting import NEVER
from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication, Publication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.cluster_client.embedded_driver import EmbeddedDriver
    from aeron_cluster.cluster_client.options import ClusterClientOptions
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["AeronCluster", "AsyncConnect", "ClientState"]

_LOGGER = logging.getLogger("aeron_cluster.cluster.client")
_SEND_ATTEMPTS = 3
C = TypeVar("C", bound="AeronCluster")
_DEFAULT_NEW_LEADER_TIMEOUT_NS = 20_000_000_000


class ClientState(IntEnum):
    """The states of a session."""

    CONNECTED = 0
    AWAIT_NEW_LEADER = 1
    AWAIT_NEW_LEADER_CONNECTION = 2
    PENDING_CLOSE = 3
    CLOSED = 4


_WITHOUT_DEADLINE = (ClientState.CONNECTED, ClientState.PENDING_CLOSE)


class AeronCluster(Closeable):
    """An open session with a cluster.

    Parameters
    ----------
    context : ClusterClientContext
    aeron : Aeron
    connect : ClientConnect
        A completed connect.

    Notes
    -----
    One thread uses it. The cluster closes a session that sends nothing for the session timeout (10
    s): call :meth:`send_keep_alive` in time. A change of leader is detected by polling egress.

    Examples
    --------
    >>> with AeronCluster.connect("localhost:9001", listener=listener) as cluster:  # doctest: +SKIP
    ...     while not cluster.offer(b"order"):
    ...         cluster.poll_egress()
    """

    def __init__(self, context: ClusterClientContext, aeron: Aeron, connect: ClientConnect) -> None:
        opened = connect.opened
        assert opened is not None
        assert connect.ingress is not None
        assert connect.egress is not None
        self._context = context
        self._aeron = aeron
        self._resources = ExitStack()
        self._listener = context.listener or EgressListener()
        self._egress: Subscription = connect.egress
        self._egress_image: Image | None = connect.egress_image
        self._ingress_endpoints = connect.ingress_endpoints
        self._leader_member_id = opened.leader_member_id
        self._new_leader_timeout_ns = context.new_leader_timeout_ns or _new_leader_timeout(opened)
        self._leadership_term_id = opened.leadership_term_id
        self._ingress = SessionIngress(
            connect.ingress, opened.leadership_term_id, opened.cluster_session_id
        )
        # The publication to a new leader, until the driver has added it.
        self._next_ingress: IngressPublication | None = None
        self._adapter = self._new_adapter(is_controlled=False)
        self._controlled_adapter = self._new_adapter(is_controlled=True)
        self._state = ClientState.CONNECTED
        self._state_deadline_ns = NEVER

    def _new_adapter(self, *, is_controlled: bool) -> EgressAdapter:
        return EgressAdapter(
            self._listener.on_message,
            self._on_event,
            on_extension=self._on_extension,
            is_controlled=is_controlled,
            cluster_session_id=self._ingress.cluster_session_id,
        )

    @classmethod
    def connect(
        cls,
        endpoints: str | None = None,
        *,
        properties: Mapping[str, str] | None = None,
        **options: Unpack[ClusterClientOptions],
    ) -> Self:
        """Open a session, and wait until it is open.

        Parameters
        ----------
        endpoints : str, optional
            The members' ingress endpoints, ``host:port``, separated by commas.
        properties : Mapping[str, str], optional
            Properties by Aeron's names.
        **options
            The fields of `ClusterClientContext`: ``ingress_channel``, ``ingress_endpoints``,
            ``egress_channel``, ``listener``, ``aeron_dir`` and so on. If no driver is named
            (``aeron``, ``aeron_dir``, ``AERON_DIR``), the client launches an embedded one.

        Raises
        ------
        TimeoutExpiredError
            No answer within the message timeout; the text has the last step.
        AuthenticationError, ClusterError
            The cluster rejected the session.
        ConfigurationError, RegistrationError, DriverTimeoutError
            An option or channel is invalid, or the driver is not usable.
        """
        with cls.async_connect(endpoints, properties=properties, **options) as connect:
            context = connect.context
            context.idle_strategy.reset()
            while (client := connect.poll()) is None:
                drive(context, connect.aeron)
                context.idle_strategy.idle()
            return client

    @classmethod
    def async_connect(
        cls,
        endpoints: str | None = None,
        *,
        properties: Mapping[str, str] | None = None,
        **options: Unpack[ClusterClientOptions],
    ) -> AsyncConnect[Self]:
        """Begin to open a session; poll the result until it returns the client.

        Parameters
        ----------
        endpoints, properties, **options
            As for `connect`.

        Raises
        ------
        ConfigurationError, DriverTimeoutError
            As `connect`.

        Notes
        -----
        Without ``aeron`` among the options it blocks until a driver that is starting is active, as
        `Aeron.connect` does; if no driver runs, it raises an error immediately.
        """
        options = with_endpoints(endpoints, options)
        context = ClusterClientContext.of(properties=properties, **options)
        driver = embed_driver(context, properties, options.get("aeron_dir"))
        check_driver(context)
        return AsyncConnect(cls, context, driver)

    def __repr__(self) -> str:
        return (
            f"<AeronCluster session {self.cluster_session_id} {self._state.name} "
            f"leader {self._leader_member_id} term {self.leadership_term_id}>"
        )

    # ---- state ----

    @property
    def cluster_session_id(self) -> int:
        """The cluster session id."""
        return self._ingress.cluster_session_id

    @property
    def leadership_term_id(self) -> int:
        """The leadership term that messages are sent in."""
        return self._leadership_term_id

    @property
    def leader_member_id(self) -> int:
        """The member id of the leader."""
        return self._leader_member_id

    @property
    def ingress_endpoints(self) -> str:
        """The members' ingress endpoints, as the cluster sent them last."""
        return self._ingress_endpoints

    @property
    def ingress_publication(self) -> Publication | ExclusivePublication:
        """The publication to the leader; closed while there is no leader."""
        return self._ingress.publication

    @property
    def egress_subscription(self) -> Subscription:
        """The subscription on which the cluster answers."""
        return self._egress

    @property
    def aeron(self) -> Aeron:
        """The transport client."""
        return self._aeron

    @property
    def state(self) -> ClientState:
        """The state of the session."""
        return self._state

    @property
    def is_closed(self) -> bool:
        """Whether the session is over."""
        return self._state is ClientState.CLOSED

    # ---- sending ----

    def offer(self, message: Buffer) -> int:
        """Send a message to the cluster.

        Parameters
        ----------
        message : bytes-like

        Returns
        -------
        int
            The position of the ingress stream after the message; a false `NotSent` if not sent.

        Raises
        ------
        ClosedError
            The session is over.
        MessageError
            The message is too long for the stream.
        """
        if self._next_ingress is not None:
            self._switch_to_leader()
        try:
            result = self._ingress.offer(message)
        except (ClosedError, MaxPositionExceededError) as error:
            return self._not_sent(error)
        if not result or self._state is not ClientState.CONNECTED:
            self._track(result)
        return result

    def offer_vectored(self, parts: Iterable[Buffer]) -> int:
        """Send one message that is gathered from several buffers; otherwise as `offer`.

        Parameters
        ----------
        parts : iterable of buffers
            The parts of the message, in order.
        """
        if self._next_ingress is not None:
            self._switch_to_leader()
        try:
            result = self._ingress.offer_vectored(parts)
        except (ClosedError, MaxPositionExceededError) as error:
            return self._not_sent(error)
        if not result or self._state is not ClientState.CONNECTED:
            self._track(result)
        return result

    def try_claim(self, length: int, claim: BufferClaim) -> int:
        """Claim space for a message of `length` bytes, to be written directly.

        The payload begins ``SESSION_HEADER_LENGTH`` (32) bytes into the claim. Otherwise as
        `offer`.
        """
        if self._next_ingress is not None:
            self._switch_to_leader()
        try:
            result = self._ingress.try_claim(length, claim)
        except (ClosedError, MaxPositionExceededError) as error:
            return self._not_sent(error)
        if not result or self._state is not ClientState.CONNECTED:
            self._track(result)
        return result

    def send_keep_alive(self) -> bool:
        """Send a keep-alive for the session; return False under back pressure."""
        return self._send(
            SessionKeepAlive.encode(
                leadership_term_id=self.leadership_term_id,
                cluster_session_id=self.cluster_session_id,
            )
        )

    def send_snapshot_request(self, correlation_id: int) -> bool:
        """Request a snapshot from the leader; ``on_admin_response`` receives the answer."""
        return self._send(
            AdminRequest.encode(
                leadership_term_id=self.leadership_term_id,
                cluster_session_id=self.cluster_session_id,
                correlation_id=correlation_id,
                request_type=AdminRequestType.SNAPSHOT,
            )
        )

    def _send(self, message: bytes) -> bool:
        if self._next_ingress is not None:
            self._switch_to_leader()
        for _ in range(_SEND_ATTEMPTS):
            try:
                result = self._ingress.publication.offer(message)
            except (ClosedError, MaxPositionExceededError) as error:
                self._not_sent(error)
                return False
            self._track(result)
            if result == NotSent.NOT_CONNECTED:
                return False
            if result:
                return True
            self._context.idle_strategy.idle()
            drive(self._context, self._aeron)
        return False

    def _not_sent(self, error: ClosedError | MaxPositionExceededError) -> int:
        if self.is_closed:
            raise ClosedError(f"{self!r}: the session is over") from error
        if isinstance(error, MaxPositionExceededError):
            self._enter(ClientState.PENDING_CLOSE, "ingress reached its last position")
            raise error
        self._track(NotSent.NOT_CONNECTED)
        return NotSent.NOT_CONNECTED

    def _track(self, result: int) -> None:
        match self._state:
            case ClientState.AWAIT_NEW_LEADER_CONNECTION if result:
                self._enter(ClientState.CONNECTED, "ingress to the new leader is connected")
            case ClientState.CONNECTED if result == NotSent.NOT_CONNECTED:
                self._ingress.publication.close()
                self._enter(ClientState.AWAIT_NEW_LEADER, "ingress was lost")
            case _:
                pass

    # ---- receiving ----

    def poll_egress(self, fragment_limit: int = 10) -> int:
        """Poll egress; the listener is called for each message and event.

        Parameters
        ----------
        fragment_limit : int

        Returns
        -------
        int
            The number of fragments polled.

        Raises
        ------
        ClosedError
            The session is over.
        """
        fragments = 0
        try:
            if not self.is_closed:
                fragments = self._egress.poll(self._adapter, fragment_limit)
        finally:
            # Timeouts apply even if a message raises.
            self.poll_state()
        return fragments

    def controlled_poll_egress(self, fragment_limit: int = 10) -> int:
        """Poll egress with a listener whose ``on_message`` returns an ``Action``."""
        fragments = 0
        try:
            if not self.is_closed:
                fragments = self._egress.controlled_poll(self._controlled_adapter, fragment_limit)
        finally:
            self.poll_state()
        return fragments

    def poll_state(self) -> None:
        """Check for a lost leader, or a timeout of waiting for a new one.

        Raises
        ------
        ClosedError
            The session is over.
        """
        match self._state:
            case ClientState.CONNECTED:
                if self._egress_image is not None and self._egress_image.is_closed:
                    self._ingress.publication.close()
                    self._enter(ClientState.AWAIT_NEW_LEADER, "the egress image closed")
            case ClientState.AWAIT_NEW_LEADER:
                self._close_if_late("no new leader within the new leader timeout")
            case ClientState.AWAIT_NEW_LEADER_CONNECTION:
                if self._egress_image is not None and self._egress_image.is_closed:
                    self._ingress.publication.close()
                    self._enter(ClientState.AWAIT_NEW_LEADER, "the egress image closed")
                else:
                    if self._next_ingress is not None:
                        self._switch_to_leader()
                    self._close_if_late("nothing was sent to the new leader in time")
            case ClientState.PENDING_CLOSE:
                self.close()
            case ClientState.CLOSED:
                raise ClosedError(f"{self!r}: the session is over")

    def _close_if_late(self, reason: str) -> None:
        if self._aeron.context.now_ns() > self._state_deadline_ns:
            _LOGGER.warning("session %d: %s; it is closed", self.cluster_session_id, reason)
            self.close()

    def _on_extension(self, message: MessageView, header: Header) -> object:
        try:
            return self._listener.on_extension_message(message, header)
        except UnknownMessageError:
            # Only the leader's image raises an error: any host may send to this port.
            if header.context is self._egress_image:
                raise
            return None

    def _on_event(self, data: bytes, header: Header) -> None:
        try:
            message = decode(data)
        except MessageError:
            return
        match message:
            case SessionEvent() if self._is_current(message):
                if message.code is EventCode.CLOSED:
                    self._enter(ClientState.PENDING_CLOSE, message.detail)
                self._listener.on_session_event(message)
            case NewLeaderEvent() if self._is_current(message):
                self._on_new_leader(message, header)
            case AdminResponse() if message.cluster_session_id == self.cluster_session_id:
                self._listener.on_admin_response(message)
            case _:
                pass

    def _is_current(self, event: SessionEvent | NewLeaderEvent) -> bool:
        """Return whether an event is for this session, and from the latest leader.

        A leader that was paused or disconnected may not know that it was replaced: it closes
        sessions that have been inactive for too long. Upstream's clients accept that.
        """
        return (
            event.cluster_session_id == self.cluster_session_id
            and event.leadership_term_id >= self._leadership_term_id
        )

    def _on_new_leader(self, event: NewLeaderEvent, header: Header) -> None:
        if self._state in (ClientState.PENDING_CLOSE, ClientState.CLOSED):
            return
        self._leadership_term_id = event.leadership_term_id
        self._leader_member_id = event.leader_member_id
        self._egress_image = header.context  # type: ignore[assignment]
        self._ingress.publication.close()
        self._drop_next_ingress()
        self._enter(
            ClientState.AWAIT_NEW_LEADER_CONNECTION, f"member {event.leader_member_id} leads"
        )
        try:
            self._next_ingress = self._ingress_to_leader(event)
        except ConfigurationError:
            self._enter(ClientState.PENDING_CLOSE, "no ingress to the new leader")
            raise
        self._adapter.forget_fragments()
        self._controlled_adapter.forget_fragments()
        self._listener.on_new_leader(event)

    def _ingress_to_leader(self, event: NewLeaderEvent) -> IngressPublication:
        endpoint = ""
        if self._ingress_endpoints:
            endpoint = leader_endpoint(event.ingress_endpoints, event.leader_member_id)
            self._ingress_endpoints = event.ingress_endpoints
        return add_ingress(self._context, self._aeron, endpoint)

    def _switch_to_leader(self) -> None:
        """Switch to the ingress of the new leader, if the driver has added it."""
        ingress = self._next_ingress
        if ingress is None or not ingress.poll():
            return
        if ingress.failure is not None:
            self._drop_next_ingress()
            self._enter(ClientState.PENDING_CLOSE, "no ingress to the new leader")
            raise ingress.failure
        assert ingress.publication is not None
        self._next_ingress = None
        self._ingress = SessionIngress(
            ingress.publication, self._leadership_term_id, self.cluster_session_id
        )

    def _drop_next_ingress(self) -> None:
        if self._next_ingress is not None:
            self._next_ingress.close()
            self._next_ingress = None

    # ---- closing ----

    def close(self) -> None:
        """Close the session and its resources. Calling it again does nothing."""
        if self.is_closed:
            return
        try:
            if self._state is ClientState.CONNECTED:
                self._send_close_request()
        finally:  # also if the user's agent invoker fails
            self._enter(ClientState.CLOSED, "")
            self._drop_next_ingress()
            self._ingress.publication.close()
            self._resources.close()

    def _send_close_request(self) -> None:
        publication = self._ingress.publication
        if publication.is_closed or not publication.is_connected:
            return
        request = SessionCloseRequest.encode(
            leadership_term_id=self.leadership_term_id, cluster_session_id=self.cluster_session_id
        )
        for _ in range(_SEND_ATTEMPTS):
            try:
                if publication.offer(request):
                    return
            except (ClosedError, MaxPositionExceededError):
                return
            drive(self._context, self._aeron)
            self._context.idle_strategy.idle()

    def _enter(self, state: ClientState, reason: str) -> None:
        """Change the state and set its deadline; CLOSED is final."""
        is_over = self._state is ClientState.CLOSED
        if is_over or (state is self._state and state in _WITHOUT_DEADLINE):
            return
        _LOGGER.debug("session %d: %s: %s", self.cluster_session_id, state.name, reason)
        now_ns = self._aeron.context.now_ns()
        match state:
            case ClientState.AWAIT_NEW_LEADER:
                self._state_deadline_ns = now_ns + self._new_leader_timeout_ns
            case ClientState.AWAIT_NEW_LEADER_CONNECTION:
                self._state_deadline_ns = now_ns + self._context.message_timeout_ns
            case _:
                self._state_deadline_ns = NEVER
        self._state = state


def _new_leader_timeout(opened: SessionEvent) -> int:
    heartbeat_timeout_ns = opened.leader_heartbeat_timeout_ns
    return 2 * heartbeat_timeout_ns if heartbeat_timeout_ns > 0 else _DEFAULT_NEW_LEADER_TIMEOUT_NS


class AsyncConnect(Closeable, Generic[C]):
    """A session that is being opened, created by `AeronCluster.async_connect`.

    Parameters
    ----------
    kind : type
        The class of the client.
    context : ClusterClientContext
    driver : EmbeddedDriver, optional
        The embedded driver, closed with the client.

    Attributes
    ----------
    context : ClusterClientContext
    aeron : Aeron
        The transport client; the cluster client closes it if it was created for it.

    Notes
    -----
    For one thread; no call blocks. Closing it, or leaving a ``with``, cancels an incomplete
    connect.
    """

    def __init__(
        self, kind: type[C], context: ClusterClientContext, driver: EmbeddedDriver | None = None
    ) -> None:
        self._kind = kind
        self.context = context
        self._driver = driver
        self._client: C | None = None
        with ExitStack() as stack:
            if driver is not None:
                stack.callback(driver.close)
            if context.aeron is not None:
                self.aeron = context.aeron
            else:
                self.aeron = Aeron.connect(
                    aeron_dir=context.aeron_dir,
                    client_name=context.client_name or "cluster-client",
                    driver_invoker=context.agent_invoker,
                    error_handler=context.error_handler,
                )
                stack.callback(self.aeron.close)
            self._connect = ClientConnect(context, self.aeron, self.aeron.context.now_ns())
            stack.callback(self._connect.close)
            self._resources = stack.pop_all()

    def __repr__(self) -> str:
        return f"<AsyncConnect {self._connect!r}>"

    @property
    def step(self) -> ConnectStep:
        """The current step."""
        return self._connect.step

    @property
    def ingress_endpoints(self) -> str:
        """The members' ingress endpoints: those given, or those of a redirect."""
        return self._connect.ingress_endpoints

    def poll(self) -> C | None:
        """Take the steps that are possible now.

        Returns
        -------
        AeronCluster or None
            The client once its session is open, then always the same.

        Raises
        ------
        TimeoutExpiredError
            No answer within the message timeout; the text has the last step.
        AuthenticationError, ClusterError
            The cluster rejected the session.
        RegistrationError
            The driver rejected a channel.
        PlatformError
            No publication to the cluster could be mapped, as without free memory or file handles.
        ConfigurationError
            A redirect names a member without an endpoint in it.
        """
        if self._client is not None or not self._connect.poll(self.aeron.context.now_ns()):
            return self._client
        client = self._kind(self.context, self.aeron, self._connect)
        # From now on the client owns the resources of the connect.
        assert self._connect.egress is not None
        if self._driver is not None:
            client._resources.callback(self._driver.close)  # noqa: SLF001 - of the client that it creates
        if self.context.aeron is None:
            client._resources.callback(self.aeron.close)  # noqa: SLF001 - of the client that it creates
        client._resources.callback(self._connect.egress.close)  # noqa: SLF001
        self._resources.pop_all()
        self._client = client
        return client

    def close(self) -> None:
        """Cancel the connect; once there is a client, this does nothing."""
        self._resources.close()


def drive(context: ClusterClientContext, aeron: Aeron) -> None:
    """Drive the components that have no thread."""
    if context.agent_invoker is not None:
        context.agent_invoker()
    aeron.drive()
