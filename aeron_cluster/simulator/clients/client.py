"""A client of a simulated cluster: connects by itself, sends its load, and stores answers."""

from __future__ import annotations

import contextlib
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster_client.cluster_client import AeronCluster, ClientState
from aeron_cluster.cluster_client.context import ClusterClientContext
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.codecs.cluster import EventCode
from aeron_cluster.config import assumed_environment
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.agents.waiting import NEVER
from aeron_cluster.simulator.clients.attempts import RecordedConnect
from aeron_cluster.simulator.world.loop import ClientAgent
from aeron_cluster.simulator.world.machine import AERON_DIR, ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.codecs.cluster import SessionEvent
    from aeron_cluster.logbuffer.message_view import Header, MessageView
    from aeron_cluster.memory.system.seams import Seams
    from aeron_cluster.simulator.clients.attempts import Attempt
    from aeron_cluster.simulator.clients.offers import Offers
    from aeron_cluster.simulator.world.machine import Machine, MachineProcess
    from aeron_cluster.simulator.world.process_host import ClientHost

__all__ = ["Client", "Load", "Response", "Sent", "SessionLog", "launch_driver"]

_KEEP_ALIVE_NS: Final = 1_000_000_000
_RECONNECT_NS: Final = 100_000_000
_STEP_NS: Final = 10_000_000
_QUIET_STEP_NS: Final = 50_000_000  # in a session in which nothing is waited for
_RETRY_NS: Final = 5_000_000
_CONNECT_STEP_NS: Final = 2_000_000
_WAIT_NS: Final = 100_000
_WITH_LEADER: Final = (ClientState.CONNECTED, ClientState.AWAIT_NEW_LEADER_CONNECTION)


@dataclass(frozen=True, slots=True)
class Response:
    """A message of the cluster's service to a client."""

    time_ns: int
    timestamp: int
    payload: bytes
    session_id: int = -1
    """The session that it came by; -1 where that is not known."""
    source: int = -1
    """The session id of the publication that it came by, of one leader; -1 where not known."""


class Sent(NamedTuple):
    """A message or keep-alive that a client sent: when, in ns, and to the leader of which term."""

    time_ns: int
    term_id: int


@dataclass
class SessionLog:
    """What a client did in a session; times in ns.

    Parameters
    ----------
    session_id : int
    opened_in : int
        The term in which it was opened; that of another term may have the same id.
    sent : list of Sent
        In order.
    departures : dict of int to int
        When the client closed its connection to the leader of a term.
    lost_ns : int, optional
        When the client ended the session, or found that it had ended, without a notice.
    """

    session_id: int
    opened_in: int
    sent: list[Sent] = field(default_factory=list)
    departures: dict[int, int] = field(default_factory=dict)
    lost_ns: int | None = None


class Load:
    """The load of a client. Override methods as needed; by default nothing is sent.

    Attributes
    ----------
    is_surviving : bool
        Whether the client is a `SurvivingClient`, for services that use `Deduplication`: each
        request then gets a number, is resent until it is answered, and its answer arrives once. Set
        it in the class, or before the client is added.
    is_answered : bool
        Whether requests are answered: a client without any answer fails a run.
    is_answered_once : bool
        Whether the service sends exactly one message for each request, in any order and at any
        time; counted while there are no faults. Surviving clients always get one.
    may_be_rejected : bool
        Whether the service may reject a request of a surviving client (`RejectedRequestError`).

    Examples
    --------
    A load for ``aeron-cluster sim --load my_service:make_load``, or for `check`:

    >>> class Orders(Load):
    ...     is_surviving = True  # the service uses Deduplication
    ...
    ...     def __init__(self, number, random):
    ...         self.number = number
    ...         self.random = random
    ...         self.count = 0
    ...
    ...     def next_request(self, now_ns):
    ...         if now_ns < self.count * 50_000_000:  # about twenty per second
    ...             return None
    ...         self.count += 1
    ...         return b"buy %d from client %d" % (1 + self.random.below(100), self.number)
    >>> def make_load(number, random):
    ...     return Orders(number, random)
    """

    is_surviving: bool = False
    is_answered: bool = True
    is_answered_once: bool = False
    may_be_rejected: bool = True

    @property
    def next_due_ns(self) -> int:
        """The time of its next call, in ns; it is called at least every 10 ms."""
        return NEVER

    def next_request(self, now_ns: int) -> bytes | None:  # noqa: ARG002
        """Return the request to send now, or None."""
        return None

    def on_sent(self, request: bytes, now_ns: int) -> None:
        """Handle a request that was sent."""

    def on_response(self, payload: bytes, now_ns: int) -> None:
        """Handle a message of the service."""

    def on_rejected(self, reason: str, now_ns: int) -> None:
        """Handle a request of a surviving client that the service rejected, or raised for.

        This counts as its answer: the next request follows.
        """

    def on_failed(
        self,
        request: bytes,  # noqa: ARG002
        reason: str,
        now_ns: int,
        *,
        is_rejected: bool,  # noqa: ARG002
    ) -> None:
        """Handle a rejected request, or one that the service raised for; `on_rejected` by default.

        Parameters
        ----------
        request : bytes
            The request, as `next_request` returned it.
        reason : str
        now_ns : int
        is_rejected : bool
            Whether the service rejected it.
        """
        self.on_rejected(reason, now_ns)

    def on_lost(self, now_ns: int) -> None:
        """Handle the end of the session: unanswered requests may have been applied or not."""


@dataclass
class _Egress(EgressListener):
    client: Client

    def on_message(self, timestamp: int, message: MessageView, header: Header) -> None:
        self.client.on_response(timestamp, bytes(message), header.session_id)

    def on_session_event(self, event: SessionEvent) -> None:
        if event.code is EventCode.CLOSED:
            self.client.closes[event.cluster_session_id] = event.detail


class Client:
    """A client on a separate machine, with its own driver.

    Parameters
    ----------
    cluster : ClientHost
    number : int
        The number of the client.
    machine : Machine
    load : Load, optional
        Its load.
    is_reconnecting : bool
        Whether it opens another session after one has ended.
    ingress_channel : str, optional
        A channel with an endpoint for all members, such as a multicast one; by default the members'
        own endpoints.
    ingress_endpoints : str, optional
        The endpoints of some members, as ``id=host:port``; by default those of all.
    message_timeout_ns : int
        The timeout for a session, or for a new leader, in ns.
    driver_options : mapping of str to object, optional
        Keywords of `MediaDriver.launch`.
    egress_options : str
        Parameters of the egress channel, after its endpoint: for example ``|mtu=96``.
    offers : Offers, optional
        How it sends requests; by default from one buffer.

    Attributes
    ----------
    machine : Machine
    load : Load
    outbox : deque of bytes
        The messages to send.
    responses : list of Response
        The received messages.
    session : AeronCluster or None
        The open session.
    session_count : int
        The number of sessions opened so far.
    sent_count : int
        The number of requests sent so far.
    errors : list of Exception
        The errors of sessions, and of attempts to open one.
    load_failures : list of Exception
        The errors of its load.
    is_silent : bool
        Whether it sends nothing until its session ends, not even that it is there.
    closes : dict of int to str
        The sessions that it was notified of the end of, and why they ended.
    left : set of int
        The sessions that it closed itself.
    session_logs : list of SessionLog
        What it did in each session; not of surviving clients.
    attempts : list of Attempt
        How its requests for sessions were answered; not of surviving clients.
    intrudes : bool
        Whether it sends messages in sessions that it was denied.
    has_own_driver : bool
        Whether its process has a driver.
    unnoticed_losses : list of str
        Where its session was still connected after an offer that was not.
    leaks : dict of str to int
        The resources that were still open after its process closed in order.
    """

    intrudes: bool = False
    has_own_driver: bool = True

    def __init__(
        self,
        cluster: ClientHost,
        number: int,
        machine: Machine,
        *,
        load: Load | None = None,
        is_reconnecting: bool = True,
        ingress_channel: str | None = None,
        ingress_endpoints: str | None = None,
        message_timeout_ns: int = 5_000_000_000,
        driver_options: Mapping[str, Any] | None = None,
        egress_options: str = "",
        offers: Offers | None = None,
    ) -> None:
        self.number = number
        self.machine = machine
        self.load = load or Load()
        self.outbox: deque[bytes] = deque()
        self.responses: list[Response] = []
        self.session: AeronCluster | None = None
        self.session_count = 0
        self.sent_count = 0
        self.errors: list[Exception] = []
        self.load_failures: list[Exception] = []
        self.is_stopped = False
        self.is_silent = False
        self.closes: dict[int, str] = {}
        self.left: set[int] = set()
        self.session_logs: list[SessionLog] = []
        self.attempts: list[Attempt] = []
        self.leaks: dict[str, int] = {}
        self._cluster = cluster
        self._is_reconnecting = is_reconnecting
        self._ingress_channel = ingress_channel
        self._ingress_endpoints = ingress_endpoints
        self._message_timeout_ns = message_timeout_ns
        self._driver_options = driver_options or {}
        self._egress_options = egress_options
        self._offers = offers
        self.unnoticed_losses: list[str] = []
        self._connect: RecordedConnect | None = None
        self._egress: Subscription | None = None
        self._connect_at_ns = 0
        self._keep_alive_at_ns = 0
        self._stack = contextlib.ExitStack()
        self._aeron: Aeron | None = None
        self._driver: MediaDriver | None = None
        self._agent: ClientAgent | None = None
        self._places: list[int] = []
        self._process: MachineProcess | None = None

    def __repr__(self) -> str:
        return f"<Client {self.number} {self.session!r}>"

    # ---- what a user does ----

    def send(self, payload: bytes) -> None:
        """Send a message as soon as possible."""
        self.outbox.append(payload)
        if self._agent is not None:
            self._agent.set_next(0, is_busy=True)

    @property
    def is_connected(self) -> bool:
        """Whether a session is open."""
        return self.session is not None and self.session.state is ClientState.CONNECTED

    @property
    def process_count(self) -> int:
        """The number of its processes that may have a session."""
        return 1

    @property
    def session_id(self) -> int | None:
        """The id of the open session, if known."""
        session = self.session
        return session.cluster_session_id if session is not None and self.is_connected else None

    def stop(self) -> None:
        """Stop sending; messages are still received."""
        self.is_stopped = True
        self.outbox.clear()

    def resume(self) -> None:
        """Resume sending after `stop`."""
        self.is_stopped = False
        if self._agent is not None:
            self._agent.set_next(0, is_busy=True)

    def fall_silent(self) -> bool:
        """Send a keep-alive, and then nothing more until the session ends.

        Returns
        -------
        bool
            False if there is no session, or the keep-alive could not be sent.
        """
        session = self.session
        if session is not None and self.is_connected:
            self.is_silent = bool(session.send_keep_alive())
            if self.is_silent:
                self._record_sent(session)
        return self.is_silent

    def end_session(self) -> int | None:
        """Close the session in order; another one is opened soon.

        Returns
        -------
        int or None
            The id of the session; None without one.
        """
        session_id = self.session_id
        if session_id is not None:
            self.left.add(session_id)
            self._lose()
        return session_id

    def take_over(self) -> None:
        """Have another process take over its id, which only a surviving client has."""

    # ---- its process ----

    def start(self) -> None:
        """Start its process: a driver and the client."""
        with assumed_environment(ENVIRONMENT):
            self._start()

    def _start(self) -> None:
        self._process = self.machine.start()
        seams = self._process.seams
        self._stack = contextlib.ExitStack()
        driver, transport = self._join_driver(seams)
        self._driver = driver
        self._aeron = Aeron.connect(
            aeron_dir=AERON_DIR,
            seams=seams,
            use_conductor_invoker=True,
            driver_invoker=transport.invoke,
        )
        self._stack.callback(self._aeron.close)
        self._agent = ClientAgent(self, self._cluster.world.time)
        self._agent.set_next(0, is_busy=True)
        logic = AgentInvoker([self._aeron.conductor_agent, self._agent], clock=seams.clock)
        logic.start()
        loop = self._cluster.loop
        for invoker in (transport, logic) if self.has_own_driver else (logic,):
            place = loop.add(
                invoker,
                self._process.network,
                self._process.files,
                longest_step_ns=self._cluster.longest_step_ns,
            )
            self._places.append(place)
            self._cluster.on_started(self, place)

    def _join_driver(self, seams: Seams) -> tuple[MediaDriver, AgentInvoker]:
        """Return the driver that it uses, and what drives that: those of its own process."""
        driver = launch_driver(seams, self._driver_options)
        self._stack.callback(driver.close)
        transport = AgentInvoker(driver.agents, clock=seams.clock)
        self._stack.callback(transport.close)
        transport.start()
        return driver, transport

    def kill(self) -> None:
        """Kill its process."""
        process = self._process
        self._forget()
        if process is not None:
            process.end()

    def close(self) -> None:
        """End its session and its process in order."""
        if not self._places:
            return
        with contextlib.suppress(AeronClusterError):
            self._lose()
        stack, process = self._stack, self._process
        self._forget()
        with contextlib.suppress(AeronClusterError, OSError):
            stack.close()
        if process is not None:
            self.leaks = {kind: count for kind, count in process.open.items() if count}
            process.end()

    def on_stopped(self, error: BaseException | None) -> None:
        """Start another process after a failure of this one."""
        if isinstance(error, Exception):
            self.errors.append(error)
            if not isinstance(error, (AeronClusterError, OSError)):
                self.load_failures.append(error)
        self.kill()
        self.load.on_lost(self._cluster.now_ns)
        self.start()

    def _forget(self) -> None:
        for place in self._places:
            self._cluster.loop.remove(place)
            self._cluster.on_ended(place)
        self._places.clear()
        self._process = None
        self._record_lost()
        self.session = None
        self.is_silent = False
        self._connect = None
        self._egress = None
        self._agent = None
        self._stack = contextlib.ExitStack()

    # ---- a pass ----

    def do_work(self) -> int:
        """Connect, receive and send as far as possible."""
        now_ns = self._cluster.now_ns
        try:
            if self.session is None:
                return self._continue_connecting(now_ns)
            return self._work_session(self.session, now_ns)
        except AeronClusterError as error:
            if self._aeron is None or self._aeron.is_closed:
                raise  # it is unusable: `on_stopped` starts another process
            self.errors.append(error)
            self._lose()
            return 1
        finally:
            self._schedule(now_ns)

    def _schedule(self, now_ns: int) -> None:
        assert self._agent is not None
        self._agent.set_egress(self._egress)
        if self._connect is not None:
            self._agent.set_egress(self._connect.egress)
            self._agent.set_next(now_ns + _CONNECT_STEP_NS, is_busy=False)
            return
        if self.session is None:
            self._agent.set_next(max(self._connect_at_ns, now_ns + 1), is_busy=False)
            return
        # A message, or the close of an image, calls it before.
        is_quiet = self.session.state is ClientState.CONNECTED
        next_ns = now_ns + (_QUIET_STEP_NS if is_quiet else _STEP_NS)
        if now_ns < self._keep_alive_at_ns:
            next_ns = min(next_ns, self._keep_alive_at_ns)
        if not self.is_stopped:
            next_ns = min(next_ns, self.load.next_due_ns)
        if self.outbox:
            # A message could not be sent now.
            next_ns = min(next_ns, now_ns + _RETRY_NS)
        self._agent.set_next(next_ns, is_busy=False)

    def _continue_connecting(self, now_ns: int) -> int:
        assert self._aeron is not None
        if self._connect is None:
            if now_ns < self._connect_at_ns or not (
                self._is_reconnecting or self.session_count == 0
            ):
                return 0
            self._connect = RecordedConnect(
                self._context(),
                self._aeron,
                self._aeron.context.now_ns(),
                lambda: self._cluster.now_ns,
                intrudes=self.intrudes,
            )
            self.attempts.append(self._connect.attempt)
        step = self._connect.step
        if self._connect.poll(self._aeron.context.now_ns()):
            self.session = AeronCluster(self._context(), self._aeron, self._connect)
            self._egress = self._connect.egress
            self._connect = None
            self.session_count += 1
            self._keep_alive_at_ns = now_ns + _KEEP_ALIVE_NS
            # An earlier one with this id was of a leader that was deposed before it was committed.
            self.closes.pop(self.session.cluster_session_id, None)
            self.left.discard(self.session.cluster_session_id)
            self.session_logs.append(
                SessionLog(self.session.cluster_session_id, self.session.leadership_term_id)
            )
            return 1
        return int(self._connect.step is not step)

    def _context(self) -> ClusterClientContext:
        return ClusterClientContext.of(**self._options(), listener=_Egress(self))

    def _options(self) -> dict[str, Any]:
        endpoints = self._ingress_endpoints or self._cluster.ingress_endpoints
        return {
            "aeron": self._aeron,
            "agent_invoker": self._drive,
            "idle_strategy": IdleStrategy("noop"),
            "message_timeout_ns": self._message_timeout_ns,
            "ingress_channel": self._ingress_channel or "aeron:udp",
            "ingress_endpoints": None if self._ingress_channel else endpoints,
            "egress_channel": f"aeron:udp?endpoint={self.machine.name}:0{self._egress_options}",
        }

    def _drive(self) -> None:
        # The client waits only for its own driver, and its wait takes virtual time.
        assert self._driver is not None
        self._cluster.world.time.advance(_WAIT_NS)
        for agent in self._driver.agents:
            agent.do_work()

    def _work_session(self, session: AeronCluster, now_ns: int) -> int:
        work_count = session.poll_egress()
        if session.state is ClientState.AWAIT_NEW_LEADER:
            departures = self.session_logs[-1].departures
            departures.setdefault(session.leadership_term_id, now_ns)
        if self.is_silent:
            return work_count
        is_sent = False
        # An idle client that sends nothing to a new leader loses its session.
        if session.state in _WITH_LEADER and now_ns >= self._keep_alive_at_ns:
            is_sent = bool(session.send_keep_alive())
            self._keep_alive_at_ns = now_ns + (_KEEP_ALIVE_NS if is_sent else _STEP_NS)
            work_count += is_sent
        sent_count = self._send_requests(partial(self._offer, session), now_ns)
        if sent_count:
            self._keep_alive_at_ns = now_ns + _KEEP_ALIVE_NS
        if sent_count or is_sent:
            self._record_sent(session)
        return work_count + sent_count

    def _offer(self, session: AeronCluster, message: bytes) -> int:
        offers = self._offers
        result = session.offer(message) if offers is None else offers.offer(session, message)
        if result == NotSent.NOT_CONNECTED and session.state is ClientState.CONNECTED:
            self.unnoticed_losses.append(f"{self!r} sends to no leader, and awaits no other")
        return result

    def _record_sent(self, session: AeronCluster) -> None:
        sent = Sent(self._cluster.now_ns, session.leadership_term_id)
        self.session_logs[-1].sent.append(sent)

    def _record_lost(self) -> None:
        if self._connect is not None and self._connect.attempt.ended_ns < 0:
            self._connect.attempt.ended_ns = self._cluster.now_ns
        if self.session is not None and self.session.cluster_session_id not in self.closes:
            self.session_logs[-1].lost_ns = self._cluster.now_ns

    def _send_requests(self, offer: Callable[[bytes], int], now_ns: int) -> int:
        """Offer messages of outbox and load until one is rejected; return the number sent."""
        sent_count = 0
        while not self.is_stopped:
            if not self.outbox:
                request = self.load.next_request(now_ns)
                if request is None:
                    break
                self.outbox.append(request)
            if not offer(self.outbox[0]):
                break
            self.load.on_sent(self.outbox.popleft(), now_ns)
            self.sent_count += 1
            sent_count += 1
        return sent_count

    def on_response(self, timestamp: int, payload: bytes, source: int) -> None:
        """Store the service's message, and the session id of the publication that it came by."""
        now_ns = self._cluster.now_ns
        session_id = -1 if self.session is None else self.session.cluster_session_id
        self.responses.append(Response(now_ns, timestamp, payload, session_id, source))
        self.load.on_response(payload, now_ns)

    def _lose(self) -> None:
        session, connect, egress = self.session, self._connect, self._egress
        self._record_lost()
        self.session = self._connect = self._egress = None
        self.is_silent = False
        self._connect_at_ns = self._cluster.now_ns + _RECONNECT_NS
        for part in (session, connect, egress):
            if part is not None:
                with contextlib.suppress(AeronClusterError):
                    part.close()
        if session is not None:
            self.load.on_lost(self._cluster.now_ns)


def launch_driver(seams: Seams, options: Mapping[str, Any]) -> MediaDriver:
    """Launch the driver of clients, which an invoker drives.

    Parameters
    ----------
    seams : Seams
        Of its process.
    options : mapping of str to object
        Further keywords of `MediaDriver.launch`.
    """
    return MediaDriver.launch(
        seams=seams,
        aeron_dir=AERON_DIR,
        threading_mode="INVOKER",
        term_buffer_length="64k",
        ipc_term_buffer_length="64k",
        counters_buffer_length="1m",
        **options,
    )
