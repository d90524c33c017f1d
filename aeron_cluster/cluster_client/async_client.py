"""A client of a cluster for asyncio, which outlives its sessions.

No counterpart in Aeron: a `SurvivingClient` driven by an event loop.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, Unpack

from aeron_cluster.client.async_loop import LoopDutyCycle
from aeron_cluster.cluster_client.context import with_endpoints
from aeron_cluster.cluster_client.embedded_driver import check_driver, embed_driver
from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.cluster_client.surviving_client import (
    CONNECT_TIMEOUT_NS,
    SurvivingClient,
    SurvivingContext,
)
from aeron_cluster.config import Duration, duration_ns
from aeron_cluster.errors import (
    AeronClusterError,
    ClosedError,
    ConfigurationError,
    RequestFailedError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.system.closeable import AsyncCloseable

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from aeron_cluster.cluster_client.survival_state import SurvivalState
    from aeron_cluster.cluster_client.surviving_options import SurvivingClientOptions

__all__ = ["AsyncClusterClient", "ServiceMessage", "StateChange"]


@dataclass(frozen=True, slots=True)
class ServiceMessage:
    """A message of the service that is not the answer to a request.

    Parameters
    ----------
    timestamp : int
        The cluster's time when it was sent, in the cluster's time unit.
    payload : bytes
    """

    timestamp: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class StateChange:
    """A change of the client's state.

    Parameters
    ----------
    state : SurvivalState
    reason : str
    """

    state: SurvivalState
    reason: str


class AsyncClusterClient(AsyncCloseable):
    """A client that sends requests from an event loop, and continues through failovers.

    Created by `connect`; use it in an ``async with``, or await `close`.

    Notes
    -----
    It belongs to the event loop in which it was created, and has no thread: the loop drives it,
    continuously while answers are pending, and every few milliseconds when it is idle. An embedded
    driver has a thread, which never takes the GIL.

    A request is applied once by a service that uses `Deduplication`. At most as many are in flight
    as the service's window and ``window_length`` (256) allow; further ones are queued here, in
    order.

    Examples
    --------
    >>> async with await AsyncClusterClient.connect("localhost:9001") as client:  # doctest: +SKIP
    ...     answers = await asyncio.gather(*(client.request(b"%d" % n) for n in range(5000)))
    """

    def __init__(self, client: SurvivingClient, listener: _Listener) -> None:
        self._client = client
        self._loop = asyncio.get_running_loop()
        self._listener = listener
        self._failure: BaseException | None = None
        self._duty_cycle = LoopDutyCycle(self._do_work, lambda: self.in_flight > 0, self._end)

    @classmethod
    async def connect(
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
            As for `SurvivingClient.connect`, except for ``listener``: see `events`.
        connect_timeout_ns : int, str or timedelta
            The longest wait, in ns.

        Raises
        ------
        NotReconnectedError, AuthenticationError, UnknownClientError
            As for `SurvivingClient.connect`.
        ConfigurationError, DriverTimeoutError
            An option is invalid, or the named driver is not usable.
        """
        if "listener" in options:
            raise ConfigurationError("listener", "none: the client's events are awaited", "one")
        listener = _Listener()
        options["listener"] = listener
        options = with_endpoints(endpoints, options)
        context = SurvivingContext.of(properties=properties, **options)
        driver = embed_driver(context.cluster, properties, options.get("aeron_dir"))
        check_driver(context.cluster)
        client = cls(SurvivingClient(context, driver, has_conductor_thread=False), listener)
        try:
            await client._await_connected(duration_ns("connect_timeout_ns", connect_timeout_ns))
        except BaseException:
            await client.close()
            raise
        return client

    async def _await_connected(self, timeout_ns: int) -> None:
        connected = self._loop.create_future()
        self._listener.connected = connected
        try:
            async with asyncio.timeout(timeout_ns / 1e9):
                await connected
        except AeronClusterError:
            raise
        except TimeoutError:
            raise self._client.silence_error(timeout_ns) from self._client.last_error

    def __repr__(self) -> str:
        return f"<AsyncClusterClient of {self._client!r}>"

    # ---- state ----

    @property
    def client(self) -> SurvivingClient:
        """The client that it drives, for its ids, state and counts; do not drive or wait on it."""
        return self._client

    @property
    def in_flight(self) -> int:
        """The number of requests without an answer, including those not sent yet."""
        return len(self._listener.answers) + len(self._listener.waiting)

    # ---- requests ----

    async def request(self, payload: Buffer, timeout_ns: Duration = 0) -> bytes:
        """Send a request, and await its answer.

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
            The service rejected it, or failed to handle it.
        TimeoutExpiredError
            No answer arrived in time. The request is still resent until it is answered, and the
            answer is dropped; likewise if the task is cancelled.
        ClosedError, MessageError, Exception
            As `SurvivingClient.send`.
        """
        waited_ns = duration_ns("timeout_ns", timeout_ns)
        answer = self._begin(payload)
        if not waited_ns:
            return await answer
        try:
            async with asyncio.timeout(waited_ns / 1e9):
                return await answer
        except AeronClusterError:
            raise  # the client's failure, which may be a TimeoutError, too
        except TimeoutError:
            raise TimeoutExpiredError(f"{self!r}: no answer within {waited_ns / 1e9:g} s") from None

    def _begin(self, payload: Buffer) -> asyncio.Future[bytes]:
        if self._failure is not None:
            raise self._failure
        listener = self._listener
        answer: asyncio.Future[bytes] = self._loop.create_future()
        sequence = 0 if listener.waiting else self._client.send(payload)
        if sequence:
            listener.answers[sequence] = answer
        else:
            listener.waiting.append((bytes(payload), answer))
        if self._duty_cycle.is_sleeping:
            self._duty_cycle.wake()
        return answer

    def _send_waiting(self) -> int:
        waiting = self._listener.waiting
        count = 0
        while waiting:
            payload, answer = waiting[0]
            if not answer.done():  # neither timed out nor cancelled
                try:
                    sequence = self._client.send(payload)
                except Exception as error:  # noqa: BLE001 - of this request, or of all
                    answer.set_exception(error)
                else:
                    if not sequence:
                        break
                    self._listener.answers[sequence] = answer
            waiting.popleft()
            count += 1
        return count

    async def events(self) -> AsyncIterator[ServiceMessage | StateChange]:
        """Yield messages of the service that are not answers, and changes of state.

        Notes
        -----
        Events from the first step of the iterator on; each iterator gets all of them. It ends when
        the client is closed, and raises the error with which the client fails.
        """
        queue: deque[ServiceMessage | StateChange] = deque()
        queues = self._listener.queues
        wake = asyncio.Event()
        queues.append((queue, wake))
        try:
            while True:
                while queue:
                    yield queue.popleft()
                if self._client.is_closed:
                    return
                if self._failure is not None:
                    raise self._failure
                wake.clear()
                await wake.wait()
        finally:
            queues.remove((queue, wake))

    # ---- the duty cycle, in the loop ----

    def _do_work(self) -> int:
        work_count = self._client.do_work()
        self._client.drive()
        return work_count + self._send_waiting()

    def _end(self, failure: BaseException) -> None:
        if self._failure is None:
            self._failure = failure
        self._listener.fail(failure)

    async def close(self) -> None:
        """Close the client; pending awaits raise `ClosedError`. Calling it again does nothing.

        Notes
        -----
        It does not wait for answers: await them before.
        """
        self._duty_cycle.stop()
        try:
            self._client.close()
        finally:
            self._end(ClosedError(f"{self._client!r}: it was closed"))


class _Listener(RequestListener):
    """Passes answers to their awaiting tasks, and events to the iterators."""

    def __init__(self) -> None:
        self.answers: dict[int, asyncio.Future[bytes]] = {}
        self.waiting: deque[tuple[bytes, asyncio.Future[bytes]]] = deque()
        self.queues: list[tuple[deque[ServiceMessage | StateChange], asyncio.Event]] = []
        self.connected: asyncio.Future[None] | None = None

    def on_answer(self, sequence: int, body: bytes) -> None:
        answer = self.answers.pop(sequence, None)
        if answer is not None and not answer.done():
            answer.set_result(body)

    def on_failure(self, sequence: int, reason: str) -> None:
        self._on_failure(sequence, reason, is_rejected=False)

    def on_rejection(self, sequence: int, reason: str) -> None:
        self._on_failure(sequence, reason, is_rejected=True)

    def _on_failure(self, sequence: int, reason: str, *, is_rejected: bool) -> None:
        answer = self.answers.pop(sequence, None)
        if answer is not None and not answer.done():
            answer.set_exception(RequestFailedError(sequence, reason, is_rejected))

    def on_message(self, timestamp: int, message: bytes) -> None:
        self._put(ServiceMessage(timestamp, message))

    def on_state_change(self, state: SurvivalState, reason: str) -> None:
        if state.name == "CONNECTED" and self.connected is not None and not self.connected.done():
            self.connected.set_result(None)
        self._put(StateChange(state, reason))

    def _put(self, event: ServiceMessage | StateChange) -> None:
        for queue, wake in self.queues:
            queue.append(event)
            wake.set()

    def fail(self, failure: BaseException) -> None:
        """Raise the error in all waiting tasks."""
        waiting = [answer for _, answer in self.waiting]
        awaited = [*self.answers.values(), *waiting]
        if self.connected is not None:
            awaited.append(self.connected)  # type: ignore[arg-type]
        self.answers.clear()
        self.waiting.clear()
        for answer in awaited:
            if not answer.done():
                answer.set_exception(failure)
        for _, wake in self.queues:
            wake.set()
