"""A client that sends a request, waits for its answer, and detects changes of the leader."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.cluster_client.survival_state import SurvivalState
from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.errors import (
    ClosedError,
    ClusterError,
    NotReconnectedError,
    RequestFailedError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.seams import SystemClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.codecs.cluster import SessionEvent
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["Requester", "open_requester"]

_S: Final = 1_000_000_000
_NO_MEMBER: Final = -1
_KEEP_ALIVE_NS: Final = _S


class Requester(Closeable):
    """A client that sends one request at a time and waits for its answer.

    Subclasses connect the client, send its requests and poll it.

    Parameters
    ----------
    endpoints : str
        The members' ingress endpoints, ``host:port`` separated by commas.
    timeout_ns : int
        The timeout of connecting and of each request, in ns.
    is_stopped : callable
        Called while waiting; if it returns True, the wait ends with a KeyboardInterrupt.
    options : dict
        Keywords of the client's ``connect``.

    Attributes
    ----------
    notes : deque of str
        Notes to print: a lost or new leader, and messages that are not answers.
    """

    def __init__(
        self,
        endpoints: str,
        timeout_ns: int,
        is_stopped: Callable[[], bool],
        options: dict[str, Any],
    ) -> None:
        self.notes: deque[str] = deque()
        self._is_stopped = is_stopped
        self._timeout_ns = timeout_ns
        self._clock = SystemClock()
        self._idle = IdleStrategy("yield")  # sleeping would add to the latency
        self._leader_member_id = _NO_MEMBER
        self._lost_at_ns = self._clock.nano_time()
        self._connect(endpoints, options)

    @property
    def leader_member_id(self) -> int:
        """The id of the leader; -1 if no leader is known."""
        return self._leader_member_id

    def request(self, payload: bytes) -> tuple[bytes, int]:
        """Send a request and wait for its answer.

        Returns
        -------
        tuple of bytes and int
            The answer and its latency in ns.

        Raises
        ------
        RequestFailedError
            The service rejected the request, or failed to handle it.
        TimeoutExpiredError
            No answer arrived in time; the request may have been applied.
        AeronClusterError
            The client failed.
        """
        began_ns = self._clock.nano_time()
        answer = self._send_request(payload)
        return answer, self._clock.nano_time() - began_ns

    def work(self) -> int:
        """Receive, keep the session alive, follow the leader; return the work count."""
        work = self._work()
        self._update_leader(self._current_leader())
        return work

    def _update_leader(self, leader_member_id: int) -> None:
        if leader_member_id == self._leader_member_id:
            return
        now_ns = self._clock.nano_time()
        if leader_member_id == _NO_MEMBER:
            self.notes.append(f"member {self._leader_member_id}, the leader, was lost")
            self._lost_at_ns = now_ns
        elif self._leader_member_id == _NO_MEMBER:
            seconds = (now_ns - self._lost_at_ns) / _S
            self.notes.append(f"member {leader_member_id} leads, after {seconds:.2f} s")
        else:
            self.notes.append(f"member {leader_member_id} leads now")
        self._leader_member_id = leader_member_id

    def _await(self, condition: Callable[[], object], what: str) -> None:
        deadline_ns = self._clock.nano_time() + self._timeout_ns
        while not condition():
            if self._is_stopped():
                raise KeyboardInterrupt
            if self._clock.nano_time() > deadline_ns:
                raise TimeoutExpiredError(f"{what} within {self._timeout_ns / _S:g} s")
            self._idle.idle(self.work())

    @abstractmethod
    def _connect(self, endpoints: str, options: dict[str, Any]) -> None:
        """Create the client, connected to the cluster."""

    @abstractmethod
    def _send_request(self, payload: bytes) -> bytes: ...

    @abstractmethod
    def _work(self) -> int: ...

    @abstractmethod
    def _current_leader(self) -> int: ...


def open_requester(
    endpoints: str,
    timeout_ns: int,
    *,
    raw: bool,
    is_stopped: Callable[[], bool],
    options: dict[str, Any],
) -> Requester:
    """Connect to a cluster.

    Parameters
    ----------
    endpoints : str
        The members' ingress endpoints, ``host:port`` separated by commas.
    timeout_ns : int
    raw : bool
        Whether to send unnumbered messages, to a service without `Deduplication`.
    is_stopped : callable
        As for `Requester`.
    options : dict
        Keyword arguments of the client's ``connect``.

    Raises
    ------
    NotReconnectedError, TimeoutExpiredError
        No member answered.
    ClusterError
        The service does not support numbered requests.
    AeronClusterError
        An option, the driver or the credentials are invalid.
    """
    # Warnings on standard error would garble the prompt; notes and errors report the same.
    logging.getLogger("aeron_cluster").addHandler(logging.NullHandler())
    kind = _SessionRequester if raw else _SurvivingRequester
    return kind(endpoints, timeout_ns, is_stopped, options)


class _SurvivingRequester(Requester, RequestListener):
    """Uses a `SurvivingClient`: each request is applied once."""

    def _connect(self, endpoints: str, options: dict[str, Any]) -> None:
        self._answers: dict[int, bytes | RequestFailedError] = {}
        self._client = client = SurvivingClient.start(endpoints, listener=self, **options)
        try:
            self._await_connected(endpoints)
        except BaseException:
            client.close()
            raise

    def _await_connected(self, endpoints: str) -> None:
        client = self._client
        try:
            self._await(lambda: client.is_connected, f"{endpoints}: no member answered")
        except NotReconnectedError:
            raise
        except TimeoutExpiredError as error:
            if client.state is SurvivalState.OPENING:
                raise ClusterError(
                    f"{endpoints}: the cluster opened a session, but its service does not answer"
                    f" numbered requests: it does not use Deduplication; --raw sends unnumbered"
                    f" messages"
                ) from error
            why = "" if client.last_error is None else f"; the last attempt: {client.last_error}"
            raise TimeoutExpiredError(f"{error}{why}; is the cluster up?") from error

    def on_answer(self, sequence: int, body: bytes) -> None:
        self._answers[sequence] = body

    def on_failure(self, sequence: int, reason: str) -> None:
        self._answers[sequence] = RequestFailedError(sequence, reason, is_rejected=False)

    def on_rejection(self, sequence: int, reason: str) -> None:
        self._answers[sequence] = RequestFailedError(sequence, reason, is_rejected=True)

    def on_message(self, timestamp: int, message: bytes) -> None:
        del timestamp
        self.notes.append(f"message: {message.decode(errors='backslashreplace')}")

    def _send_request(self, payload: bytes) -> bytes:
        self._answers.clear()  # answers to requests that timed out
        sequence = 0

        def send() -> int:
            nonlocal sequence
            sequence = self._client.send(payload)
            return sequence

        self._await(send, "no room for the request")
        self._await(lambda: sequence in self._answers, f"request {sequence}: no answer")
        answer = self._answers.pop(sequence)
        if isinstance(answer, RequestFailedError):
            raise answer
        return answer

    def _work(self) -> int:
        work = self._client.do_work()
        self._client.drive()
        return work

    def _current_leader(self) -> int:
        return self._client.leader_member_id if self._client.is_connected else _NO_MEMBER

    def close(self) -> None:
        self._client.close()


class _SessionRequester(Requester, EgressListener):
    """Uses an `AeronCluster`: messages may be lost; the next message received is the answer."""

    def _connect(self, endpoints: str, options: dict[str, Any]) -> None:
        self._messages: deque[bytes] = deque()
        self._is_waiting = False
        self._keep_alive_deadline_ns = 0
        self._client = AeronCluster.connect(
            endpoints, listener=self, message_timeout_ns=self._timeout_ns, **options
        )
        self._update_leader(self._current_leader())

    def on_message(self, timestamp: int, message: MessageView, header: Header) -> None:
        del timestamp, header
        self._messages.append(bytes(message))

    def on_session_event(self, event: SessionEvent) -> None:
        if event.detail:
            self.notes.append(f"session: {event.code.name}: {event.detail}")

    def _send_request(self, payload: bytes) -> bytes:
        self._note_messages()
        self._is_waiting = True
        try:
            self._await(lambda: self._client.offer(payload), "no leader took the message")
            self._await(lambda: self._messages, "no message came back")
            return self._messages.popleft()
        finally:
            self._is_waiting = False

    def _note_messages(self) -> None:
        while self._messages:
            text = self._messages.popleft().decode(errors="backslashreplace")
            self.notes.append(f"message: {text}")

    def _work(self) -> int:
        client = self._client
        work = client.poll_egress()
        if client.is_closed:
            raise ClosedError(f"{client!r}: the cluster closed the session")
        now_ns = self._clock.nano_time()
        if now_ns >= self._keep_alive_deadline_ns:
            client.send_keep_alive()
            self._keep_alive_deadline_ns = now_ns + _KEEP_ALIVE_NS
        if not self._is_waiting:
            self._note_messages()
        return work

    def _current_leader(self) -> int:
        is_connected = self._client.state.name in ("CONNECTED", "AWAIT_NEW_LEADER_CONNECTION")
        return self._client.leader_member_id if is_connected else _NO_MEMBER

    def close(self) -> None:
        self._client.close()
