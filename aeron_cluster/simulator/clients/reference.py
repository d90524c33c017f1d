"""A service with checkable answers, and its clients: the simulator's own load.

The state machine is a register, a queue, a sequencer and timers. The service and a later check over
the log use the same class, so every answer has one right value.
"""

from __future__ import annotations

import contextlib
import json
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.deduplication import Deduplication, NotAccepted
from aeron_cluster.cluster.service.deduplication import Request as NumberedRequest
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.errors import MessageError, RejectedRequestError
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.simulator.clients.client import Load
from aeron_cluster.simulator.clients.failed_requests import (
    FAILURES,
    LONGEST_DETAIL,
    Failure,
    UnworkableRequestError,
    rejection_reason,
)
from aeron_cluster.simulator.clients.late_answers import LateAnswer, LateAnswers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.service.client_session import ClientSession
    from aeron_cluster.cluster.service.cluster import Cluster
    from aeron_cluster.logbuffer.message_view import Header, MessageView
    from aeron_cluster.memory.system.seams import Random
    from aeron_cluster.simulator.clients.moved_timers import MovedTimers

__all__ = [
    "LATE_VERBS",
    "MAX_CLIENTS",
    "RARE_VERBS",
    "WINDOW_LENGTH",
    "EnvelopedRequests",
    "Operation",
    "RareRequests",
    "ReferenceLoad",
    "ReferenceService",
    "ReferenceState",
    "Request",
    "Verb",
]

_REQUEST: Final = struct.Struct("<IIBxxxxxxxqq")
_RESPONSE: Final = struct.Struct("<IIq")
_CHUNK_LENGTH: Final = 1024
_LATE: Final = b"\n"  # in a snapshot before the late answers, if there are some
_TICKS_A_MS: Final = {
    ClusterTimeUnit.MILLIS: 1,
    ClusterTimeUnit.MICROS: 1_000,
    ClusterTimeUnit.NANOS: 1_000_000,
}
_ATTEMPTS: Final = 200
_EMPTY_QUEUE: Final = -1
_U32_MASK: Final = 0xFFFFFFFF


class Verb(IntEnum):
    """The verbs of requests."""

    WRITE = 0
    READ = 1
    COMPARE_AND_SET = 2
    PUSH = 3
    POP = 4
    NEXT = 5
    TIMER = 6  # fires after `first` ms; the service pushes its number by a separate message
    RELAY = 7  # the service pushes it by a separate message
    # Rare ones, of loads that draw them.
    MOVE = 8  # a timer of few, set for `first` ms from now, whether it is set already or not
    CANCEL = 9  # the same timer is cancelled
    MANY = 10  # `first` timers, set for the next `second` ms
    LONG = 11  # the service pushes by a message that is `first` bytes long
    NOTIFY = 12  # a message of `first` bytes to the client comes before the answer
    # Of loads whose sessions services close.
    CLOSE = 13  # the session is closed after the answer
    # Of surviving clients only: applied, and not answered.
    REJECT = 14  # with a reason of about `first` letters
    FAIL = 15  # by the exception of number `first`


_VERBS: Final = tuple(Verb)
RARE_VERBS: Final = _VERBS[Verb.MOVE : Verb.CLOSE]
"""Drawn only by loads with rare requests."""

LATE_VERBS: Final = (Verb.TIMER, Verb.RELAY)
"""Answered when the timer fires, or the message arrives, by services that answer late."""

_USUAL_COUNT: Final = int(Verb.MOVE)
_MOVED: Final = 1 << 40  # the ids of timers that are moved begin here, after those of requests
_OF_MANY: Final = 1 << 41
_TIMER_BITS: Final = 48  # the bits above have the service id
_TIMER_MASK: Final = 2**_TIMER_BITS - 1
_FEW: Final = 8
_MS: Final = 1_000_000
_RARE_ONE_IN: Final = 3
_CLOSE_ONE_IN: Final = 32
_FAILED_ONE_IN: Final = 8
_LONG_REASON_ONE_IN: Final = 8
_LIMIT: Final = 8192 - 32  # of a payload in terms of 64k
_NEVER_IDLE_NS: Final = 1 << 62  # no client is replaced by another, whatever clocks are set to
MAX_CLIENTS: Final = 1000
"""The usual size of the table of surviving clients."""
WINDOW_LENGTH: Final = 32
"""The highest number of unacknowledged requests of a surviving client."""


class Request(NamedTuple):
    """One request of a client; client and number together identify it."""

    client: int
    number: int
    verb: Verb
    first: int = 0
    second: int = 0
    padding: int = 0

    def encode(self) -> bytes:
        """Return its bytes, with padding at the end."""
        head = _REQUEST.pack(self.client, self.number, self.verb, self.first, self.second)
        return head + bytes(self.padding)

    @classmethod
    def decode(cls, data: bytes) -> Request:
        """Decode a request."""
        client, number, verb, first, second = _REQUEST.unpack_from(data)
        return cls(client, number, _VERBS[verb], first, second, len(data) - _REQUEST.size)

    @property
    def failure(self) -> Failure | None:
        """How it fails as the request of a surviving client; None if it is answered."""
        match self.verb:
            case Verb.REJECT:
                reason = rejection_reason(self.client, self.number, self.first)
                return Failure(is_rejected=True, reason=reason)
            case Verb.FAIL:
                return Failure(is_rejected=False, reason=FAILURES[self.first].__name__)
            case _:
                return None


class ReferenceState:
    """The state of the service."""

    def __init__(self) -> None:
        self.register = 0
        self.queue: list[int] = []
        self.sequence = 0
        self.fired: list[int] = []

    def apply(self, request: Request) -> int:
        """Execute a request and return the answer."""
        match request.verb:
            case Verb.WRITE:
                before, self.register = self.register, request.first
                return before
            case Verb.READ:
                return self.register
            case Verb.COMPARE_AND_SET:
                if self.register != request.first:
                    return 0
                self.register = request.second
                return 1
            case Verb.PUSH:
                self.queue.append(request.first)
                return len(self.queue)
            case Verb.POP:
                return self.queue.pop(0) if self.queue else _EMPTY_QUEUE
            case Verb.NEXT:
                self.sequence += 1
                return self.sequence
            case Verb.NOTIFY:
                # `_apply` has sent the notification: a member on which that failed does not count
                # it, so its later numbers differ.
                self.sequence += 1
                return self.sequence
            case Verb.REJECT | Verb.FAIL:
                # Without an answer it has an effect, so that a second application is detected.
                self.sequence += 1
                return self.sequence
            case _:
                return request.first

    def on_relayed(self, request: Request) -> None:
        """Handle the service's own message."""
        self.queue.append(request.second)

    def on_timer(self, correlation_id: int) -> None:
        """Record that a timer fired."""
        self.fired.append(correlation_id)

    def encode(self) -> bytes:
        """Return the state as bytes, equal for equal states."""
        state = [self.register, self.queue, self.sequence, self.fired]
        return json.dumps(state, separators=(",", ":")).encode()

    @classmethod
    def decode(cls, data: bytes) -> ReferenceState:
        """Load the result of `encode`."""
        state = cls()
        state.register, state.queue, state.sequence, state.fired = json.loads(data)
        return state


class ReferenceService(ClusteredService):
    """The service.

    Parameters
    ----------
    service_id : int
        Its id. All services execute requests, with their own timers and messages, but only the
        first one answers.
    deduplicates : bool
        Whether it applies each request of surviving clients once; otherwise it ignores them.
    max_clients : int
        The size of its table of surviving clients.
    answers_late : bool
        Whether it answers some requests of surviving clients in later callbacks: see `LATE_VERBS`.

    Attributes
    ----------
    state : ReferenceState
    requests : Deduplication or None
        The table.
    late : LateAnswers
        What it will answer.
    """

    def __init__(
        self,
        service_id: int = 0,
        *,
        deduplicates: bool = False,
        max_clients: int = MAX_CLIENTS,
        answers_late: bool = False,
    ) -> None:
        self.state = ReferenceState()
        self.late = LateAnswers()
        self.max_clients = max_clients
        self.answers_late = answers_late
        self._service_id = service_id
        self._deduplicates = deduplicates
        self.requests: Deduplication | None = None

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        """Start, with the state of the snapshot if there is one."""
        self._cluster = cluster
        self.state = ReferenceState()
        self.late = LateAnswers()
        requests = Deduplication(
            cluster,
            max_clients=self.max_clients,
            window_length=WINDOW_LENGTH,
            idle_timeout_ns=_NEVER_IDLE_NS,
        )
        self.requests = requests if self._deduplicates else None
        if snapshot_image is None:
            return
        parts: list[bytes] = []

        def append_part(message: MessageView, _: object) -> None:
            if not (self._deduplicates and requests.load(message)):
                parts.append(bytes(message))

        # Messages of the table may have several fragments.
        on_fragment = FragmentAssembler(append_part) if self._deduplicates else append_part
        while not snapshot_image.is_end_of_stream:
            cluster.idle(snapshot_image.poll(on_fragment, 10))
        state, _, late = b"".join(parts).partition(_LATE)
        self.state = ReferenceState.decode(state)
        if late:
            self.late = LateAnswers.decode(late)
        if self._deduplicates:
            requests.check_loaded()

    def on_session_message(
        self,
        session: ClientSession | None,
        timestamp: int,
        message: MessageView,
        header: Header,  # noqa: ARG002
    ) -> None:
        """Handle a message."""
        for client, number, late in self.late.take_overdue(timestamp):
            self._answer_late(client, number, late)
        if Deduplication.is_request(message):
            if self.requests is not None and self.answers_late:
                self._accept(self.requests, session, timestamp, message)
            elif self.requests is not None:
                with contextlib.suppress(UnworkableRequestError):
                    self.requests.handle(session, timestamp, message, self._apply_once)
            return
        request = Request.decode(bytes(message))
        if session is None:
            self.state.on_relayed(request)
            self._on_event(request.client, request.number)
            return
        self._answer(session, self._apply(session, request, timestamp))
        if request.verb is Verb.CLOSE and self._service_id == 0:
            while not session.close():
                self._cluster.idle()

    def _apply_once(self, numbered: NumberedRequest) -> bytes:
        """Handle a request of a surviving client, which is delivered once."""
        session = self._cluster.get_client_session(numbered.cluster_session_id)
        request = Request.decode(numbered.payload)
        answer = self._apply(session, request, numbered.timestamp)
        failure = request.failure
        if failure is None:
            return answer
        if failure.is_rejected:
            raise RejectedRequestError(failure.reason)
        raise FAILURES[request.first]("a request that fails on every member")

    def _accept(
        self,
        requests: Deduplication,
        session: ClientSession | None,
        timestamp: int,
        message: MessageView,
    ) -> None:
        """Handle a message of a surviving client; what it requests may be answered later."""
        numbered = requests.accept(session, timestamp, message)
        if isinstance(numbered, NotAccepted):
            return
        request = Request.decode(numbered.payload)
        answer = self._apply(session, request, timestamp)
        failure = request.failure
        if request.verb in LATE_VERBS:
            *_, value = _RESPONSE.unpack(answer)
            late = LateAnswer(
                numbered.client_id,
                numbered.sequence,
                numbered.cluster_session_id,
                timestamp,
                request.verb is Verb.TIMER,
                value,
            )
            self.late.add(request.client, request.number, late)
        elif failure is None:
            requests.answer(numbered, answer)
        elif failure.is_rejected:
            requests.reject(numbered, failure.reason)
        else:
            requests.fail(numbered, failure.reason)

    def _on_event(self, client: int, number: int) -> None:
        late = self.late.take(client, number)
        if late is not None:
            self._answer_late(client, number, late)

    def _answer_late(self, client: int, number: int, late: LateAnswer) -> None:
        assert self.requests is not None
        # A snapshot has of the request only what the answer needs.
        numbered = NumberedRequest(
            late.client_id, late.sequence, b"", late.timestamp, late.session_id
        )
        self.requests.answer(numbered, _RESPONSE.pack(client, number, late.answer))

    def _apply(self, session: ClientSession | None, request: Request, timestamp: int) -> bytes:
        if request.verb is Verb.NOTIFY and session is not None:
            self._answer(session, bytes(request.first))
        answer = self.state.apply(request)
        match request.verb:
            case Verb.TIMER:
                self._schedule(request.client << 32 | request.number, timestamp, request.first)
            case Verb.RELAY:
                self._relay(request)
            case Verb.MOVE:
                self._schedule(_MOVED + request.second, timestamp, request.first)
            case Verb.CANCEL:
                while not self._cluster.cancel_timer(self._own(_MOVED + request.second)):
                    self._cluster.idle()
            case Verb.MANY:
                for each in range(request.first):
                    self._schedule(_OF_MANY + each, timestamp, 1 + each % request.second)
            case Verb.LONG:
                self._relay_padded(request)
            case _:
                pass
        return _RESPONSE.pack(request.client, request.number, answer)

    def _own(self, timer: int) -> int:
        """Return the correlation id of a timer, unique among the cluster's services."""
        return self._service_id << _TIMER_BITS | timer

    def _answer(self, session: ClientSession, message: bytes) -> None:
        if self._service_id == 0:
            self._send(session, message)

    def _send(self, session: ClientSession, message: bytes) -> None:
        for _ in range(_ATTEMPTS):
            if session.offer(message) not in (NotSent.BACK_PRESSURED, NotSent.ADMIN_ACTION):
                return
            self._cluster.idle()

    def _schedule(self, timer: int, timestamp: int, delay_ms: int) -> None:
        deadline = timestamp + delay_ms * _TICKS_A_MS[self._cluster.time_unit]
        while not self._cluster.schedule_timer(self._own(timer), deadline):
            self._cluster.idle()

    def _relay(self, request: Request) -> None:
        data = request.encode()
        while self._cluster.offer(data) in (NotSent.BACK_PRESSURED, NotSent.ADMIN_ACTION):
            self._cluster.idle()

    def _relay_padded(self, request: Request) -> None:
        own = Request(request.client, request.number, Verb.RELAY, 0, request.number)
        # A message too long for the log is rejected on all members alike.
        with contextlib.suppress(MessageError):
            self._relay(own._replace(padding=request.first - _REQUEST.size))

    def on_timer_event(self, correlation_id: int, timestamp: int) -> None:  # noqa: ARG002
        """Handle a timer."""
        self.state.on_timer(correlation_id)
        timer = correlation_id & _TIMER_MASK
        if correlation_id >> _TIMER_BITS != self._service_id or timer >= _MOVED:
            return
        client, number = timer >> 32, timer & _U32_MASK
        self._on_event(client, number)
        self._relay(Request(client, number, Verb.RELAY, 0, number))

    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        """Write the state."""
        data = self.state.encode()
        if self.late:
            data += _LATE + self.late.encode()
        for begin in range(0, len(data), _CHUNK_LENGTH):
            chunk = data[begin : begin + _CHUNK_LENGTH]
            while not snapshot_publication.offer(chunk):
                self._cluster.idle()
        if self.requests is not None:
            self.requests.write_snapshot(snapshot_publication)


class RareRequests:
    """Rare requests of a load, drawn from a separate random source.

    Parameters
    ----------
    random : Random
    verbs : sequence of Verb
        The verbs to draw from `RARE_VERBS`.
    many : int
        The number of timers to schedule at once, a single time; 0 for never.
    """

    def __init__(self, random: Random, verbs: Sequence[Verb], many: int = 0) -> None:
        self._random = random
        self._verbs = verbs
        self._many = many
        self._next: list[tuple[int, Request]] = []  # and the times, in ns

    def follow(self, number: int, now_ns: int) -> Request | None:
        """Return the follow-up of an earlier request, if it is due."""
        if not self._next or now_ns < self._next[0][0]:
            return None
        return self._next.pop(0)[1]._replace(number=number)

    def draw(self, client: int, number: int, now_ns: int) -> Request | None:
        """Return a client's next request if it is a rare one, otherwise None."""
        random = self._random
        if random.below(_RARE_ONE_IN):
            return None
        if self._many:
            many, self._many = self._many, 0
            return Request(client, number, Verb.MANY, many, 1 + random.below(2000))
        verb = self._verbs[random.below(len(self._verbs))]
        match verb:
            case Verb.LONG | Verb.NOTIFY:
                # Half of them are too long for terms of 64k.
                return Request(client, number, verb, _LIMIT - 400 + random.below(800))
            case _:
                request = Request(client, number, verb, 0, random.below(_FEW))
                return self._draw_moved(request, now_ns)

    def _draw_moved(self, request: Request, now_ns: int) -> Request:
        """Draw when a timer fires; it may fire while the request that moves it is on its way."""
        random = self._random
        if request.verb is Verb.CANCEL or self._next or random.below(2):
            return request._replace(first=1 + random.below(10 ** (1 + random.below(4))))
        # It is not moved again, so a member that lost it lacks it until the end.
        request = request._replace(second=_FEW + request.number)
        delay_ms = 5 + random.below(20)
        due_ns = now_ns + delay_ms * _MS - random.below(4 * _MS)
        if Verb.CANCEL in self._verbs and random.below(2):
            self._next.append((due_ns, request._replace(verb=Verb.CANCEL)))
        self._next.append((due_ns, request._replace(first=1000 + random.below(20_000))))
        return request._replace(first=delay_ms)


class EnvelopedRequests(Protocol):
    """Draws messages in the format of surviving clients, and is given the replies."""

    def draw(self) -> bytes | None:
        """Return the next message, or None: another request is to be sent."""

    def on_message(self, message: bytes, /) -> None:
        """Handle a reply."""


@dataclass(slots=True)
class Operation:
    """A request and its outcome: times in ns, -1 if unknown."""

    request: Request
    sent_ns: int = -1
    answered_ns: int = -1
    answer: int = 0
    answer_count: int = 0
    failure: Failure | None = None


class ReferenceLoad(Load):
    """Sends requests to the reference service at random times, a few at once.

    Parameters
    ----------
    client : int
        The client's number.
    random : Random
    interval_ns : int
        The average time between two requests.
    max_waiting : int
        The highest number of unanswered requests.
    longest_padding : int
        The highest number of padding bytes in requests.
    answer_timeout_ns : int
        The timeout of an answer: requests lost in a failover do not block later ones.

    Attributes
    ----------
    operations : list of Operation
        The operations, in order.
    """

    may_be_rejected = False

    def __init__(
        self,
        client: int,
        random: Random,
        *,
        interval_ns: int = 20_000_000,
        max_waiting: int = 8,
        longest_padding: int = 200,
        answer_timeout_ns: int = 5_000_000_000,
    ) -> None:
        self.operations: list[Operation] = []
        self._client = client
        self._random = random
        self._interval_ns = interval_ns
        self._max_waiting = max_waiting
        self._longest_padding = longest_padding
        self._answer_timeout_ns = answer_timeout_ns
        self._next_ns = 0
        self._waiting: dict[int, int] = {}  # deadlines by number
        self._rare_requests: RareRequests | None = None
        self._closing: Random | None = None
        self._failing: Random | None = None
        self._enveloped_requests: EnvelopedRequests | None = None
        self._moved_timers: MovedTimers | None = None

    @property
    def waiting_count(self) -> int:
        """The number of unanswered requests of the current session."""
        return len(self._waiting)

    @property
    def answered_count(self) -> int:
        """The number of answered requests."""
        return sum(each.answered_ns >= 0 for each in self.operations)

    @property
    def next_due_ns(self) -> int:
        """The time of the next request or, with a full window, of the first timeout, in ns."""
        if len(self._waiting) < self._max_waiting:
            return self._next_ns
        return min(self._waiting.values())

    def next_request(self, now_ns: int) -> bytes | None:
        """Return the request to send now, or None."""
        while self._waiting and next(iter(self._waiting.values())) <= now_ns:
            # The answer may be lost, and the request may be in the log or not.
            del self._waiting[next(iter(self._waiting))]
        number = len(self.operations)
        if self._rare_requests is not None:
            rare = self._rare_requests.follow(number, now_ns)
            if rare is not None:
                return self._make(rare, now_ns)
        if self._moved_timers is not None:
            timer = self._moved_timers.follow(now_ns)
            if timer is not None:
                return self._move(timer, now_ns)
        if now_ns < self._next_ns or len(self._waiting) >= self._max_waiting:
            return None
        if self._enveloped_requests is not None:
            message = self._enveloped_requests.draw()
            if message is not None:
                self._next_ns = now_ns + 1 + self._random.below(2 * self._interval_ns)
                return message
        if self._moved_timers is not None:
            timer = self._moved_timers.draw(now_ns)
            if timer is not None:
                return self._move(timer, now_ns)
        if self._rare_requests is not None:
            rare = self._rare_requests.draw(self._client, number, now_ns)
            if rare is not None:
                return self._make(rare, now_ns)
        if self._closing is not None and self._closing.below(_CLOSE_ONE_IN) == 0:
            return self._make(Request(self._client, number, Verb.CLOSE), now_ns)
        if self._failing is not None and self._failing.below(_FAILED_ONE_IN) == 0:
            return self._make(self._draw_failed(self._failing, number), now_ns)
        random = self._random
        self._next_ns = now_ns + 1 + random.below(2 * self._interval_ns)
        verb = _VERBS[random.below(_USUAL_COUNT)]
        first = 1 + random.below(3000) if verb is Verb.TIMER else random.below(10)
        # Most are short; some have several fragments.
        limit = self._longest_padding if random.below(16) else 20 * self._longest_padding
        return self._make(
            Request(self._client, number, verb, first, random.below(10), random.below(limit + 1)),
            now_ns,
        )

    def _move(self, timer: tuple[int, int], now_ns: int) -> bytes:
        second, delay_ms = timer
        request = Request(self._client, len(self.operations), Verb.MOVE, delay_ms, second)
        return self._make(request, now_ns)

    def _draw_failed(self, random: Random, number: int) -> Request:
        if random.below(2):
            return Request(self._client, number, Verb.FAIL, random.below(len(FAILURES)))
        limit = 8 if random.below(_LONG_REASON_ONE_IN) else LONGEST_DETAIL
        return Request(self._client, number, Verb.REJECT, random.below(limit))

    def _make(self, request: Request, now_ns: int) -> bytes:
        self.operations.append(Operation(request))
        self._waiting[request.number] = now_ns + self._answer_timeout_ns
        return request.encode()

    def enable_rare_requests(self, rare_requests: RareRequests) -> None:
        """Also send rare requests."""
        self._rare_requests = rare_requests

    def enable_closes(self, random: Random) -> None:
        """Have the service close the session now and then."""
        self._closing = random

    def enable_failed_requests(self, random: Random) -> None:
        """Also send requests that the service rejects, or fails to handle."""
        self._failing = random
        self.may_be_rejected = True

    def enable_moved_timers(self, moved_timers: MovedTimers) -> None:
        """Also set timers for later, and move them to fire soon."""
        self._moved_timers = moved_timers

    def enable_enveloped_requests(self, requests: EnvelopedRequests) -> None:
        """Also send messages in the format of surviving clients."""
        self._enveloped_requests = requests

    def on_sent(self, request: bytes, now_ns: int) -> None:
        """Record the time of sending."""
        if self._enveloped_requests is not None and Deduplication.is_request(request):
            return
        self.operations[Request.decode(request).number].sent_ns = now_ns

    def on_response(self, payload: bytes, now_ns: int) -> None:
        """Record the answer."""
        if self._enveloped_requests is not None and Deduplication.is_request(payload):
            self._enveloped_requests.on_message(payload)
            return
        if len(payload) != _RESPONSE.size:
            if self.is_surviving:
                raise ValueError(f"expected an answer, found {payload!r}")
            return  # a message before the answer
        _, number, answer = _RESPONSE.unpack(payload)
        self._end(number, now_ns, answer)

    def on_failed(self, request: bytes, reason: str, now_ns: int, *, is_rejected: bool) -> None:
        """Record how a request of a surviving client failed."""
        failure = Failure(is_rejected=is_rejected, reason=reason)
        self._end(Request.decode(request).number, now_ns, failure=failure)

    def _end(
        self, number: int, now_ns: int, answer: int = 0, failure: Failure | None = None
    ) -> None:
        operation = self.operations[number]
        operation.answer_count += 1
        if operation.answer_count == 1:
            operation.answered_ns = now_ns
            operation.answer = answer
            operation.failure = failure
        self._waiting.pop(number, None)

    def on_lost(self, now_ns: int) -> None:  # noqa: ARG002
        """Stop waiting for answers."""
        self._waiting.clear()
