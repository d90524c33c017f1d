"""A client of a cluster that outlives its sessions.

No counterpart in Aeron: upstream's client ends when its session does. Each request is numbered and
resent until the service has answered it; ``aeron_cluster.cluster.service.deduplication`` applies
each one once. Its states and transitions::

    CONNECTING   -> OPENING, CONNECTED   a session was opened, the first time and later
    OPENING      -> CONNECTED            the service knows the client
    OPENING, CONNECTED -> AWAIT_LEADER   the session lost its leader; other members are tried
    meanwhile
    AWAIT_LEADER -> OPENING, CONNECTED   a new leader took over the session, or opened another one
    any of these -> CONNECTING           the session ended, or the service is silent
    any of these -> FAILED               nothing that sending again could cure
    any          -> CLOSED
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Self, Unpack

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster_client.cluster_client import (
    AeronCluster,
    AsyncConnect,
    ClientState,
    drive,
)
from aeron_cluster.cluster_client.context import (
    ClusterClientContext,
    parse_ingress_endpoints,
    with_endpoints,
)
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.cluster_client.embedded_driver import check_driver, embed_driver
from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.cluster_client.request_window import RequestWindow
from aeron_cluster.cluster_client.survival_state import SurvivalState
from aeron_cluster.cluster_client.surviving_options import SurvivingClientOptions
from aeron_cluster.codecs.request_envelope import (
    ENVELOPE_LENGTH,
    OPENED_BODY,
    Envelope,
    EnvelopeKind,
    FailureCause,
)
from aeron_cluster.codecs.session_protocol import SESSION_HEADER_LENGTH
from aeron_cluster.config import (
    SURVIVING_CLIENT_OPTIONS,
    Duration,
    check_keywords,
    construct,
    duration_ns,
)
from aeron_cluster.errors import (
    AuthenticationError,
    ClosedError,
    ClusterError,
    ConfigurationError,
    CorruptError,
    MaxPositionExceededError,
    MessageError,
    NotReconnectedError,
    RegistrationError,
    RequestFailedError,
    SupersededError,
    TimeoutExpiredError,
    UnansweredRequestError,
    UnknownClientError,
    VersionError,
)
from aeron_cluster.memory.agents.report_limiter import ErrorLogger
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from aeron_cluster.cluster_client.embedded_driver import EmbeddedDriver
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["CONNECT_TIMEOUT_NS", "SurvivingClient", "SurvivingContext"]

_LOGGER: Final = logging.getLogger("aeron_cluster.cluster.client")
_FRAGMENTS_A_PASS: Final = 64
_SENDS_A_PASS: Final = 64
_MAX_RESEND_DOUBLINGS: Final = 3
# A sequence beyond every window: the service answers it with the last request that it applied.
_PROBE_SEQUENCE: Final = 2**62
# The number of times that a request is resent in a session in which the service only receives later
# ones.
_MAX_UNANSWERED_ROUNDS: Final = 8
CONNECT_TIMEOUT_NS: Final = 60_000_000_000
_MAX_CLIENT_ID: Final = 2**63 - 1

# Errors of an attempt or a session after which another attempt may succeed; of the system's, a lack
# of memory or file handles.
_LOST = (
    OSError,
    TimeoutExpiredError,
    ClusterError,
    RegistrationError,
    ClosedError,
    MaxPositionExceededError,
    ConfigurationError,
)

_IS_REJECTED: Final[Mapping[int, bool]] = {FailureCause.REJECTED: True, FailureCause.FAILED: False}

# The states that follow a failure.
_FINAL_STATES = (SurvivalState.FAILED, SurvivalState.CLOSED)

# The states of a session in which a leader receives its messages.
_CONNECTED_STATES = (ClientState.CONNECTED, ClientState.AWAIT_NEW_LEADER_CONNECTION)


@dataclass(kw_only=True)
class SurvivingContext:
    """The options of a surviving client, besides those of a cluster client.

    Parameters
    ----------
    window_length : int
        The highest number of unanswered requests; the service may allow fewer.
    resend_timeout_ns : int
        The time without an answer after which a request is resent; doubled each time.
    silence_timeout_ns : int
        The time without a message from the service, although it was probed, after which the session
        is replaced by another one; more than twice the resend timeout.
    keep_alive_interval_ns : int
    reconnect_min_interval_ns, reconnect_max_interval_ns : int
        The first and the longest delay between attempts to open a session; it doubles.
    reconnect_timeout_ns : int
        The time without a message from the service after which the client fails; 0: never.
    cluster : ClusterClientContext
        The options of its sessions; its listener is not used.
    client_id : int, optional
        Its id for the service, above 0; random by default. A client that is restarted under the
        same id continues after the last request that the service applied.
    last_sequence : int
        The last request for which an earlier client of the same id had an answer: a service that
        does not have it is rejected.
    listener : RequestListener
    """

    window_length: int
    resend_timeout_ns: int
    silence_timeout_ns: int
    keep_alive_interval_ns: int
    reconnect_min_interval_ns: int
    reconnect_max_interval_ns: int
    reconnect_timeout_ns: int
    cluster: ClusterClientContext
    client_id: int | None = None
    last_sequence: int = 0
    listener: RequestListener = field(default_factory=RequestListener)

    @classmethod
    def of(
        cls,
        *,
        properties: Mapping[str, str] | None = None,
        **options: Unpack[SurvivingClientOptions],
    ) -> Self:
        """Create a context from keyword arguments, properties, the environment and defaults.

        Raises
        ------
        ConfigurationError
            If an option is unknown, missing or invalid.
        """
        check_keywords(options, SurvivingClientOptions.__annotations__)
        own = {option.keyword for option in SURVIVING_CLIENT_OPTIONS}
        own |= {"client_id", "last_sequence", "listener"}
        own_options: dict[str, Any] = {
            name: value for name, value in options.items() if name in own
        }
        client_options: dict[str, Any] = {
            name: value for name, value in options.items() if name not in own
        }
        cluster = ClusterClientContext.of(properties=properties, **client_options)
        own_options["cluster"] = cluster
        context = construct(cls, SURVIVING_CLIENT_OPTIONS, own_options, properties)
        context.conclude()
        return context

    def conclude(self) -> None:
        """Check the combination of options."""
        if self.client_id is not None and not 0 < self.client_id <= _MAX_CLIENT_ID:
            raise ConfigurationError("client_id", "from 1 to 2^63 - 1", self.client_id)
        if self.last_sequence < 0 or (self.last_sequence > 0 and self.client_id is None):
            raise ConfigurationError(
                "last_sequence", "0, or what a client of the same client_id had", self.last_sequence
            )
        if self.silence_timeout_ns <= 2 * self.resend_timeout_ns:
            # A service that is slow to answer receives the request repeatedly.
            raise ConfigurationError(
                "silence_timeout_ns",
                f"more than twice the resend timeout, {self.resend_timeout_ns}",
                self.silence_timeout_ns,
            )
        if self.reconnect_max_interval_ns < self.reconnect_min_interval_ns:
            raise ConfigurationError(
                "reconnect_max_interval_ns",
                f"at least the minimum, {self.reconnect_min_interval_ns}",
                self.reconnect_max_interval_ns,
            )


class SurvivingClient(Closeable):
    """A client that reconnects on its own and resends unanswered requests.

    Parameters
    ----------
    context : SurvivingContext
    driver : EmbeddedDriver, optional
        The embedded driver, closed with the client.
    has_conductor_thread : bool
        Whether a transport client that it creates has a thread; otherwise call `drive`.

    Notes
    -----
    One thread uses it. It is created by `connect`, which waits until the service has accepted the
    client, or by `start`, which does not wait. From then on `do_work` must be called often: it
    connects, sends, receives and keeps the session alive; `request` and `flush` do so while they
    wait. `do_work` never blocks, with one exception: without ``aeron`` among the options, a new
    transport client waits for an active driver for up to its driver timeout.

    A request is applied once if the service uses `Deduplication`. An answered request was applied,
    and remains applied across leader changes and restarts from snapshots; an unanswered one may
    have been applied or not when the client ends.

    Examples
    --------
    >>> with SurvivingClient.connect("localhost:9001,localhost:9011") as client:  # doctest: +SKIP
    ...     print(client.request(b"hello"))
    """

    def __init__(
        self,
        context: SurvivingContext,
        driver: EmbeddedDriver | None = None,
        *,
        has_conductor_thread: bool = True,
    ) -> None:
        self._context = context
        self._driver = driver
        self._has_conductor_thread = has_conductor_thread
        self._listener = context.listener
        self._aeron = context.cluster.aeron
        self._owns_aeron = self._aeron is None
        self._seams = Seams() if self._aeron is None else self._aeron.context.seams
        clock = self._seams.clock
        self._log_error = ErrorLogger(_LOGGER, clock)
        self.client_id: Final = context.client_id or self._seams.random.next() % _MAX_CLIENT_ID + 1
        self._incarnation = clock.epoch_nanos()
        self._state = SurvivalState.CONNECTING
        self._failure: Exception | None = None
        self._window: RequestWindow | None = None
        self._session: AeronCluster | None = None
        self._attempt: AsyncConnect[AeronCluster] | None = None
        self._ingress_endpoints = context.cluster.ingress_endpoints or ""
        self._leadership_term_id = -1
        self._max_payload_length = 0
        self._longest_of_log = 0  # 0: unknown
        self._limited_by = ""
        # Messages received during a pass are delivered at its end.
        self._deliveries: deque[Callable[[], None]] = deque()
        self._awaited: dict[int, bytes | RequestFailedError | None] = {}
        now_ns = clock.nano_time()
        self._attempt_at_ns = now_ns
        self._attempt_interval_ns = context.reconnect_min_interval_ns
        self._keep_alive_at_ns = now_ns
        self._resend_at_ns = now_ns
        self._resend_doublings = 0
        self._rewound_for = -1
        # The oldest unanswered request as it was resent, how often the service then reported having
        # received it without answering, and whether to probe for it.
        self._unanswered_sequence = 0
        self._unanswered_rounds = 0
        self._is_probe_due = False
        self._is_round_open = False
        # Since when the service reports missing requests that it has answered; -1 if it does not.
        self._gap_since_ns = -1
        # Since when a message is expected of this session, and of any session.
        self._inactive_since_ns = now_ns
        self._waiting_since_ns = now_ns
        self.attempt_count = 0
        self.session_count = 0
        self.resend_count = 0
        self.last_error: Exception | None = None

    @classmethod
    def start(
        cls,
        endpoints: str | None = None,
        *,
        properties: Mapping[str, str] | None = None,
        **options: Unpack[SurvivingClientOptions],
    ) -> Self:
        """Create a client that connects as `do_work` is called.

        Parameters
        ----------
        endpoints : str, optional
            The members' ingress endpoints, ``host:port``, separated by commas.
        properties : Mapping[str, str], optional
            Properties by Aeron's names.
        **options
            The fields of `SurvivingContext` and `ClusterClientContext`: ``ingress_channel``,
            ``ingress_endpoints``, ``egress_channel``, ``listener``, ``client_id``, ``aeron_dir``
            and so on. If no driver is named (``aeron``, ``aeron_dir``, ``AERON_DIR``), the
            client launches an embedded one.

        Raises
        ------
        ConfigurationError
            If an option is unknown, missing or invalid.
        DriverTimeoutError
            No driver runs in the named directory.
        """
        options = with_endpoints(endpoints, options)
        context = SurvivingContext.of(properties=properties, **options)
        driver = embed_driver(context.cluster, properties, options.get("aeron_dir"))
        check_driver(context.cluster)
        return cls(context, driver)

    @classmethod
    def connect(
        cls,
        endpoints: str | None = None,
        *,
        properties: Mapping[str, str] | None = None,
        connect_timeout_ns: Duration = CONNECT_TIMEOUT_NS,
        **options: Unpack[SurvivingClientOptions],
    ) -> Self:
        """Create a client, and wait until the service has accepted it.

        Parameters
        ----------
        endpoints, properties, **options
            As for `start`.
        connect_timeout_ns : int, str or timedelta
            The longest wait, in ns.

        Raises
        ------
        NotReconnectedError
            No service accepted it; its cause is the last attempt's error.
        AuthenticationError
            The cluster rejects its credentials.
        UnknownClientError
            The service does not have all requests up to `last_sequence`.
        """
        client = cls.start(endpoints, properties=properties, **options)
        try:
            client.await_connected(connect_timeout_ns)
        except BaseException:
            client.close()
            raise
        return client

    def __repr__(self) -> str:
        return (
            f"<SurvivingClient {self.client_id} {self._state.name} leader {self.leader_member_id}, "
            f"{self.unanswered_count} unanswered>"
        )

    # ---- state ----

    @property
    def role_name(self) -> str:
        """The name for a runner."""
        return "surviving-client"

    @property
    def state(self) -> SurvivalState:
        """The state of the client."""
        return self._state

    @property
    def is_connected(self) -> bool:
        """Whether the service can receive requests now."""
        return self._state is SurvivalState.CONNECTED

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self._state is SurvivalState.CLOSED

    @property
    def failure(self) -> Exception | None:
        """The error with which it failed, or None."""
        return self._failure

    @property
    def leader_member_id(self) -> int:
        """The member id of the leader; -1 while there is no session."""
        return -1 if self._session is None else self._session.leader_member_id

    @property
    def ingress_endpoints(self) -> str:
        """The members' ingress endpoints, as the cluster sent them last."""
        return self._ingress_endpoints

    @property
    def unanswered(self) -> tuple[int, ...]:
        """The requests without an answer, ascending."""
        return () if self._window is None else self._window.sequences

    @property
    def unanswered_count(self) -> int:
        """How many requests have no answer."""
        return 0 if self._window is None else len(self._window)

    @property
    def last_answered(self) -> int:
        """The `last_sequence` for a later client: every request up to it was answered."""
        if self._window is None:
            return self._context.last_sequence
        return self._window.acknowledged

    @property
    def last_sequence(self) -> int:
        """The last accepted request of this client or an earlier one of the same id."""
        if self._window is None:
            return self._context.last_sequence
        return self._window.next_sequence - 1

    def _now_ns(self) -> int:
        return self._seams.clock.nano_time()

    # ---- sending ----

    def send(self, payload: Buffer) -> int:
        """Accept a request, and send it until it is answered.

        Parameters
        ----------
        payload : bytes-like
            The payload; it is copied.

        Returns
        -------
        int
            The request's sequence, above 0, which its answer contains. A false `NotSent` if it was
            not accepted: ``NOT_CONNECTED`` before the service has accepted the client,
            ``BACK_PRESSURED`` while the window is full.

        Raises
        ------
        ClosedError
            The client is closed.
        MessageError
            The request is longer than the stream to the cluster or the cluster's log allows.
        Exception
            The error of the client.

        Notes
        -----
        Requests are also accepted while there is no leader, as far as the window allows.
        """
        self._check_usable()
        window = self._window
        if window is None:
            return NotSent.NOT_CONNECTED
        data = bytes(payload)
        if len(data) > self._max_payload_length:
            most = f"at most {self._max_payload_length} bytes{self._limited_by}"
            raise MessageError("request", most, len(data))
        if window.is_full:
            return NotSent.BACK_PRESSURED
        now_ns = self._now_ns()
        if not window.has_sent:
            self._expect_answers(now_ns)
        sequence = window.add(data)
        if self._state is SurvivalState.CONNECTED:
            try:
                self._send_requests(window)
            except _LOST as error:
                self._lose_session(now_ns, error)
        return sequence

    def request(self, payload: Buffer, timeout_ns: Duration = 0) -> bytes:
        """Send a request and wait for its answer.

        Parameters
        ----------
        payload : bytes-like
        timeout_ns : int, str or timedelta
            The longest wait, in ns; 0 waits until the client fails.

        Returns
        -------
        bytes
            The answer.

        Raises
        ------
        RequestFailedError
            The service failed to handle it.
        TimeoutExpiredError
            No answer arrived in time. It is still resent, and its answer goes to the listener.
        ClosedError, MessageError, Exception
            As `send`, or of a callback of the listener. An answer goes to the listener then, too.
        """
        deadline_ns = self._deadline_ns(timeout_ns)
        while not (sequence := self.send(payload)):
            self._await(deadline_ns, "the window is full")
        self._awaited[sequence] = outcome = None
        try:
            while (outcome := self._awaited[sequence]) is None:
                self._await(deadline_ns, f"request {sequence}: no answer")
        finally:
            received = self._awaited.pop(sequence)
            if outcome is None and received is not None:
                # The pass that received it raised something else: of a listener, or of the client.
                self._notify_listener(sequence, received)
        if isinstance(outcome, RequestFailedError):
            raise outcome
        return outcome

    def _deadline_ns(self, timeout_ns: Duration) -> int | None:
        waited_ns = duration_ns("timeout_ns", timeout_ns)
        return self._now_ns() + waited_ns if waited_ns else None

    def flush(self, timeout_ns: Duration = 0) -> None:
        """Wait until every request is answered.

        Raises
        ------
        TimeoutExpiredError
            Some were not answered in time.
        """
        deadline_ns = self._deadline_ns(timeout_ns)
        while self.unanswered_count:
            self._await(deadline_ns, f"{self.unanswered_count} requests: no answer")

    def forget(self, client_id: int) -> bool:
        """Request that the service forget another client, whose requests will not be resent.

        Parameters
        ----------
        client_id : int

        Returns
        -------
        bool
            Whether the request was sent; if not, it must be repeated.

        Raises
        ------
        ClosedError, Exception
            As `send`.

        Notes
        -----
        There is no answer. If the leader fails before it has committed this, the service keeps the
        client as long as any inactive one.
        """
        self._check_usable()
        session = self._session
        if session is None or self._state is not SurvivalState.CONNECTED:
            return False
        try:
            # As a later process with its id: only such a process may send it.
            return all(
                session.offer(Envelope(kind, client_id, self._incarnation, 0).encode())
                for kind in (EnvelopeKind.OPEN, EnvelopeKind.FORGET)
            )
        except _LOST as error:
            self._lose_session(self._now_ns(), error)
            return False

    def await_connected(self, timeout_ns: Duration = CONNECT_TIMEOUT_NS) -> None:
        """Wait until there is a leader, and its service has accepted the client.

        Raises
        ------
        NotReconnectedError
            It took longer; the cause is the last attempt's error.
        Exception
            The error of the client.
        """
        timeout_ns = duration_ns("timeout_ns", timeout_ns)
        deadline_ns = self._now_ns() + timeout_ns
        while not self.is_connected:
            if self._now_ns() > deadline_ns:
                raise self.silence_error(timeout_ns)
            self._pass()

    def _await(self, deadline_ns: int | None, what: str) -> None:
        if deadline_ns is not None and self._now_ns() > deadline_ns:
            raise TimeoutExpiredError(f"{self!r}: {what} in time", *self._causes())
        self._pass()

    def _causes(self) -> tuple[Exception, ...]:
        return () if self.last_error is None else (self.last_error,)

    def _pass(self) -> None:
        work = self.do_work()
        self.drive()
        self._context.cluster.idle_strategy.idle(work)

    # ---- the duty cycle ----

    def drive(self) -> None:
        """Drive the components without a thread: transport client, embedded driver."""
        if self._aeron is not None:
            drive(self._context.cluster, self._aeron)

    def do_work(self) -> int:
        """Connect, receive, send and keep alive, as far as possible now; then call the listener.

        Returns
        -------
        int
            The work count; 0 if nothing was done.

        Raises
        ------
        ClosedError
            The client, or the transport client passed to it, is closed.
        NotReconnectedError
            No message from the service within the reconnect timeout.
        AuthenticationError
            The cluster no longer accepts its credentials.
        UnknownClientError
            The service no longer knows the client: it was inactive for too long, or the cluster's
            state is older than its answers.
        SupersededError
            Another process took over the client id.
        UnansweredRequestError
            The service answers other requests, but never this one.
        """
        self._check_usable()
        now_ns = self._now_ns()
        work = 0
        if self._session is not None:
            work += self._poll_session(self._session, now_ns)
        work += self._connect(now_ns)
        if self._session is not None:
            work += self._exchange(self._session, now_ns)
        self._check_inactivity(now_ns)
        while self._deliveries:
            work += 1
            self._deliveries.popleft()()
        if self._failure is not None:
            raise self._failure
        return work

    def _check_usable(self) -> None:
        if self._state is SurvivalState.CLOSED:
            raise ClosedError(f"{self!r}: it was closed")
        if self._failure is not None and not self._deliveries:
            raise self._failure

    # ---- sessions ----

    def _connect(self, now_ns: int) -> int:
        if self._state not in (SurvivalState.CONNECTING, SurvivalState.AWAIT_LEADER):
            return 0
        try:
            if self._attempt is None:
                if now_ns < self._attempt_at_ns:
                    return 0
                self._attempt = self._begin_attempt()
                return 1
            client = self._attempt.poll()
        except AuthenticationError as error:
            self._drop_attempt()
            self._fail(error)
            return 1
        except _LOST as error:
            self._drop_attempt()
            self._note(error)
            self._schedule_attempt(now_ns)
            return 1
        if client is None:
            return 0
        self._ingress_endpoints = self._attempt.ingress_endpoints
        self._attempt = None
        self._attempt_interval_ns = self._context.reconnect_min_interval_ns
        if self._session is not None:
            self._close_session(self._session)
        self._session = client
        self.session_count += 1
        self._start_exchange(client, now_ns, f"session {client.cluster_session_id}")
        return 1

    def _begin_attempt(self) -> AsyncConnect[AeronCluster]:
        cluster = self._context.cluster
        aeron = self._aeron
        if aeron is None or aeron.is_closed:
            if not self._owns_aeron:
                error = ClosedError(f"{self!r}: the transport client is closed")
                self._fail(error)
                raise error
            aeron = self._aeron = Aeron.connect(
                aeron_dir=cluster.aeron_dir,
                client_name=cluster.client_name or "cluster-client",
                driver_invoker=cluster.agent_invoker,
                error_handler=cluster.error_handler,
                use_conductor_invoker=not self._has_conductor_thread,
            )
        endpoints = self._endpoints_to_try()
        self.attempt_count += 1
        return AsyncConnect(
            AeronCluster,
            replace(
                cluster,
                aeron=aeron,
                listener=_Egress(self._on_message),
                ingress_endpoints=endpoints,
            ),
        )

    def _endpoints_to_try(self) -> str | None:
        """Return the latest or the configured endpoints, alternately, rotated by one each time."""
        given = self._context.cluster.ingress_endpoints
        if not given:
            return given
        chosen = given if self.attempt_count % 2 else self._ingress_endpoints
        members = [f"{i}={endpoint}" for i, endpoint in parse_ingress_endpoints(chosen).items()]
        first = (self.attempt_count + 1) // 2 % len(members)
        return ",".join(members[first:] + members[:first])

    def _schedule_attempt(self, now_ns: int) -> None:
        """Back off: wait longer each time, randomised so that clients do not reconnect at once."""
        interval_ns = self._attempt_interval_ns
        spread_ns = self._seams.random.below(interval_ns // 2 + 1)
        self._attempt_at_ns = now_ns + interval_ns - spread_ns
        self._attempt_interval_ns = min(2 * interval_ns, self._context.reconnect_max_interval_ns)

    def _poll_session(self, session: AeronCluster, now_ns: int) -> int:
        try:
            work = session.poll_egress(_FRAGMENTS_A_PASS)
        except CorruptError as error:
            # An invalid image was given up: any host may send to this port. The session checks its
            # own image.
            self._log_error(error)
            work = 1
        except _LOST as error:
            self._lose_session(now_ns, error)
            return 1
        match session.state:
            case state if state in _CONNECTED_STATES:
                # The loss of a leader may only be detected when the next one is known.
                is_new = session.leadership_term_id != self._leadership_term_id
                if is_new or self._state is SurvivalState.AWAIT_LEADER:
                    self._drop_attempt()
                    self._start_exchange(
                        session, now_ns, f"member {session.leader_member_id} leads"
                    )
            case ClientState.AWAIT_NEW_LEADER:
                if self._state is not SurvivalState.AWAIT_LEADER:
                    self._attempt_at_ns = now_ns + self._context.reconnect_min_interval_ns
                    self._enter(SurvivalState.AWAIT_LEADER, "the leader was lost")
            case _:
                self._lose_session(now_ns, ClosedError(f"{session!r} ended"))
        return work

    def _start_exchange(self, session: AeronCluster, now_ns: int, reason: str) -> None:
        """Begin with a leader: unanswered requests are resent, in order."""
        self._ingress_endpoints = session.ingress_endpoints or self._ingress_endpoints
        self._leadership_term_id = session.leadership_term_id
        self._keep_alive_at_ns = now_ns
        self._inactive_since_ns = now_ns
        self._resend_doublings = 0
        self._resend_at_ns = now_ns
        # The state of an earlier stream of requests does not apply to this one.
        self._unanswered_sequence = 0
        self._gap_since_ns = -1
        self._is_probe_due = self._is_round_open = False
        if self._window is None:
            self._enter(SurvivalState.OPENING, reason)
            return
        self._limit_payloads(session)
        self._rewind(self._window)
        self._resend_at_ns = now_ns + self._context.resend_timeout_ns
        self._enter(SurvivalState.CONNECTED, reason)

    def _lose_session(self, now_ns: int, error: Exception) -> None:
        assert self._session is not None
        self._note(error)
        self._close_session(self._session)
        self._session = None
        if self._attempt is None:
            self._schedule_attempt(now_ns)
        self._enter(SurvivalState.CONNECTING, str(error))

    def _close_session(self, session: AeronCluster) -> None:
        try:
            session.close()
        except _LOST as error:
            self._note(error)

    def _drop_attempt(self) -> None:
        if self._attempt is not None:
            self._attempt.close()
            self._attempt = None

    def _note(self, error: Exception) -> None:
        text = str(error)
        if text != str(self.last_error):  # once for each change
            # As text: a handler that keeps records would keep all that the error's frames have.
            _LOGGER.warning("surviving client %d: %s", self.client_id, text)
        self.last_error = error

    # ---- requests ----

    def _exchange(self, session: AeronCluster, now_ns: int) -> int:
        if self._state not in (SurvivalState.OPENING, SurvivalState.CONNECTED):
            return 0
        try:
            work = self._keep_alive(session, now_ns)
            if self._window is None:
                return work + self._open(session, now_ns)
            if self._window.has_sent and now_ns >= self._resend_at_ns:
                self._rewind(self._window)
                self._resend_doublings = min(self._resend_doublings + 1, _MAX_RESEND_DOUBLINGS)
                self._rewound_for = -1
                self._set_resend_timer(now_ns)
                self._begin_round(self._window)
            return work + self._send_requests(self._window) + self._probe(session, self._window)
        except _LOST as error:
            self._lose_session(now_ns, error)
            return 1

    def _keep_alive(self, session: AeronCluster, now_ns: int) -> int:
        if now_ns < self._keep_alive_at_ns or not session.send_keep_alive():
            return 0
        self._keep_alive_at_ns = now_ns + self._context.keep_alive_interval_ns
        return 1

    def _open(self, session: AeronCluster, now_ns: int) -> int:
        if now_ns < self._resend_at_ns:
            return 0
        message = self._envelope(EnvelopeKind.OPEN, self._context.last_sequence).encode()
        if not session.offer(message):
            return 0
        self._set_resend_timer(now_ns)
        return 1

    def _send_requests(self, window: RequestWindow) -> int:
        session = self._session
        assert session is not None
        count = 0
        for sequence, payload in window.unsent():
            message = self._envelope(EnvelopeKind.REQUEST, sequence).encode(payload)
            try:
                if count == _SENDS_A_PASS or not session.offer(message):
                    break
            except MessageError as error:
                # Accepted for a session of an earlier driver, whose streams took longer messages.
                self._fail(self._unsendable(sequence, window.payload_length(sequence), error))
                break
            window.sent(sequence)
            count += 1
        return count

    def _unsendable(self, sequence: int, length: int, cause: MessageError) -> Exception:
        error = UnansweredRequestError(self.client_id, sequence, length, False, self.unanswered)
        error.__cause__ = cause
        return error

    def _begin_round(self, window: RequestWindow) -> None:
        """Begin to check whether a resent request is answered, or only later ones."""
        sequence = window.acknowledged + 1
        if sequence != self._unanswered_sequence:
            self._unanswered_sequence, self._unanswered_rounds = sequence, 0
        self._is_probe_due, self._is_round_open = True, False

    def _probe(self, session: AeronCluster, window: RequestWindow) -> int:
        """Probe for the last applied request, once the request has been sent before."""
        if not self._is_probe_due or window.last_sent < self._unanswered_sequence:
            return 0
        if not session.offer(self._envelope(EnvelopeKind.REQUEST, _PROBE_SEQUENCE).encode()):
            return 0
        self._is_probe_due, self._is_round_open = False, True
        return 1

    def _end_round(self, window: RequestWindow, last_sequence: int) -> None:
        """Fail if the service is reached repeatedly and never answers a request."""
        sequence = window.acknowledged + 1
        if not self._is_round_open or sequence != self._unanswered_sequence:
            return
        self._is_round_open = False
        self._unanswered_rounds += 1
        if self._unanswered_rounds < _MAX_UNANSWERED_ROUNDS:
            return
        self._fail(
            UnansweredRequestError(
                self.client_id,
                sequence,
                window.payload_length(sequence),
                last_sequence >= sequence,
                self.unanswered,
            )
        )

    def _envelope(self, kind: EnvelopeKind, sequence: int) -> Envelope:
        return Envelope(
            kind, self.client_id, self._incarnation, sequence, min(self.last_answered, sequence)
        )

    def _rewind(self, window: RequestWindow) -> None:
        self.resend_count += window.rewind()

    def _set_resend_timer(self, now_ns: int) -> None:
        timeout_ns = self._context.resend_timeout_ns << self._resend_doublings
        self._resend_at_ns = now_ns + timeout_ns

    def _expect_answers(self, now_ns: int) -> None:
        """Begin to wait for a message of the service."""
        self._inactive_since_ns = now_ns
        self._waiting_since_ns = now_ns
        self._resend_doublings = 0
        self._set_resend_timer(now_ns)

    def _check_inactivity(self, now_ns: int) -> None:
        context = self._context
        is_connected = self._state is SurvivalState.CONNECTED
        if is_connected and self._window is not None and not self._window.has_sent:
            self._inactive_since_ns = self._waiting_since_ns = now_ns
            return
        expects_answers = self._state in (SurvivalState.OPENING, SurvivalState.CONNECTED)
        if expects_answers and now_ns - self._inactive_since_ns > context.silence_timeout_ns:
            self._lose_session(
                now_ns, TimeoutExpiredError(f"{self._session!r}: no message in time")
            )
        timeout_ns = context.reconnect_timeout_ns
        if timeout_ns and now_ns - self._waiting_since_ns > timeout_ns and self._failure is None:
            self._fail(self.silence_error(now_ns - self._waiting_since_ns))

    def silence_error(self, waited_ns: int) -> NotReconnectedError:
        """Return the error for a service that sent nothing for a time, in ns.

        It names the endpoints and the last attempt's error, which is also its cause.
        """
        cluster, count = self._context.cluster, self.attempt_count
        given, where = cluster.ingress_endpoints, cluster.ingress_channel
        if given:
            where = ",".join(parse_ingress_endpoints(given).values())
        why = (
            f"{where}: no message from the service for {waited_ns / 1e9:.1f} s,"
            f" {count} attempt{'' if count == 1 else 's'}"
        )
        if self.last_error is not None:
            why += f", the last one: {self.last_error}"
        if self._window is None:
            is_up = self.session_count > 0
            why += "; does its service use Deduplication?" if is_up else "; is the cluster up?"
        error = NotReconnectedError(self.client_id, why, self.unanswered)
        error.__cause__ = self.last_error
        return error

    # ---- receiving ----

    def _on_message(self, timestamp: int, message: MessageView) -> None:
        try:
            envelope = Envelope.decode(message)
        except VersionError as error:
            self._fail(error)
            return
        if envelope is None:
            data = bytes(message)
            self._deliveries.append(lambda: self._listener.on_message(timestamp, data))
        elif (envelope.client_id, envelope.incarnation) == (self.client_id, self._incarnation):
            self._on_envelope(envelope, message[ENVELOPE_LENGTH:])

    def _on_envelope(self, envelope: Envelope, body: bytes) -> None:
        now_ns = self._now_ns()
        self._inactive_since_ns = self._waiting_since_ns = now_ns
        self._resend_doublings = 0
        window = self._window
        match envelope.kind:
            case EnvelopeKind.OPENED if window is None:
                self._on_opened(envelope, body)
            case EnvelopeKind.ANSWER | EnvelopeKind.FAILURE if window is not None:
                if window.answer(envelope.sequence):
                    self._rewound_for = self._gap_since_ns = -1
                    self._set_resend_timer(now_ns)
                    self._deliver(envelope, body)
            case EnvelopeKind.PENDING if envelope.sequence == self._unanswered_sequence:
                # Applied, but not answered yet.
                self._unanswered_rounds, self._is_round_open = 0, False
            case EnvelopeKind.GAP if window is not None:
                self._on_gap(window, envelope.sequence, now_ns)
            case EnvelopeKind.UNKNOWN_CLIENT:
                why = f"the service has its requests only up to {envelope.sequence}"
                self._fail(UnknownClientError(self.client_id, why, self.unanswered))
            case EnvelopeKind.SUPERSEDED:
                why = "another process took over its id"
                self._fail(SupersededError(self.client_id, why, self.unanswered))
            case EnvelopeKind.NO_ROOM:
                self._note(ClusterError("the service has no room for another client"))
            case _:
                pass

    def _on_opened(self, envelope: Envelope, body: bytes) -> None:
        length, longest = OPENED_BODY.unpack_from(body)
        self._window = RequestWindow(
            envelope.sequence + 1, min(length, self._context.window_length)
        )
        assert self._session is not None
        self._longest_of_log = longest
        self._limit_payloads(self._session)
        if self._state is SurvivalState.OPENING:
            self._enter(SurvivalState.CONNECTED, "the service accepted it")

    def _limit_payloads(self, session: AeronCluster) -> None:
        """Set the limit of requests by the log, and by the session, whose driver may be another."""
        most = session.ingress_publication.max_message_length - SESSION_HEADER_LENGTH
        self._limited_by = ""
        if 0 < self._longest_of_log < most:
            # The leader would drop a longer request without an answer.
            most, self._limited_by = self._longest_of_log, ", as the cluster's log accepts"
        self._max_payload_length = most - ENVELOPE_LENGTH

    def _on_gap(self, window: RequestWindow, last_sequence: int, now_ns: int) -> None:
        """Resend from the first request that the service lacks, once at a time for each."""
        if last_sequence < window.acknowledged:
            # This report may be older than the last answer: the stream of another leader may
            # deliver it late. A service that lacks the request reports it again when it is probed
            # again.
            if not window.has_sent:
                return
            if self._gap_since_ns < 0:
                self._gap_since_ns = now_ns
            elif 2 * (now_ns - self._gap_since_ns) >= self._context.resend_timeout_ns:
                why = f"the service has its requests only up to {last_sequence}"
                self._fail(UnknownClientError(self.client_id, why, self.unanswered))
            return
        self._end_round(window, last_sequence)
        if self._rewound_for != last_sequence and last_sequence < window.last_sent:
            self._rewound_for = last_sequence
            self._rewind(window)

    def _deliver(self, envelope: Envelope, body: bytes) -> None:
        sequence = envelope.sequence
        outcome: bytes | RequestFailedError = body
        if envelope.kind is EnvelopeKind.FAILURE:
            outcome = RequestFailedError(
                sequence, body.decode(errors="replace"), _IS_REJECTED.get(envelope.acknowledged)
            )
        if sequence in self._awaited:
            self._awaited[sequence] = outcome
        else:
            self._notify_listener(sequence, outcome)

    def _notify_listener(self, sequence: int, outcome: bytes | RequestFailedError) -> None:
        listener = self._listener
        if isinstance(outcome, RequestFailedError):
            handle = listener.on_rejection if outcome.is_rejected else listener.on_failure
            reason = outcome.reason
            self._deliveries.append(lambda: handle(sequence, reason))
        else:
            self._deliveries.append(lambda: listener.on_answer(sequence, outcome))

    # ---- closing ----

    def _fail(self, error: Exception) -> None:
        if self._failure is None:
            self._failure = error
            self._enter(SurvivalState.FAILED, str(error))

    def close(self) -> None:
        """End the client and its session. Calling it again does nothing.

        Notes
        -----
        It does not wait for answers: see `flush`. A client with a random id that has every answer
        requests that the service forget it.
        """
        if self.is_closed:
            return
        session, self._session = self._session, None
        with ExitStack() as stack:  # also if the user's agent invoker fails
            stack.callback(self._enter, SurvivalState.CLOSED, "it was closed")
            stack.callback(self._deliveries.clear)
            if self._driver is not None:
                stack.callback(self._driver.close)
            if self._owns_aeron and self._aeron is not None:
                stack.callback(self._aeron.close)
            if session is not None:
                stack.callback(self._close_session, session)
            stack.callback(self._drop_attempt)
            if session is not None and session.state in _CONNECTED_STATES:
                self._send_forget(session)

    def _send_forget(self, session: AeronCluster) -> None:
        if self._context.client_id is not None or self._window is None or self._window.sequences:
            return
        try:
            session.offer(self._envelope(EnvelopeKind.FORGET, self.last_sequence).encode())
        except _LOST as error:
            self._note(error)

    def _enter(self, state: SurvivalState, reason: str) -> None:
        if state is self._state or (self._failure is not None and state not in _FINAL_STATES):
            return
        self._state = state
        _LOGGER.info("surviving client %d: %s: %s", self.client_id, state.name, reason)
        if state is not SurvivalState.CLOSED:
            self._deliveries.append(lambda: self._listener.on_state_change(state, reason))


class _Egress(EgressListener):
    """Passes on the messages of a session."""

    def __init__(self, on_message: Callable[[int, MessageView], None]) -> None:
        self._on_message = on_message

    def on_message(self, timestamp: int, message: MessageView, header: Header) -> None:
        del header
        self._on_message(timestamp, message)

    def on_extension_message(self, message: MessageView, header: Header) -> None:
        """Ignore it: it does not answer a request."""
