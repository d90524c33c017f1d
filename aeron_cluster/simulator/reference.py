"""A service whose every answer can be checked, and clients that ask it: the simulator's own load.

The state machine is a register, a queue, a sequencer and timers. It is the same class that the
service runs and that a check runs over the log afterwards, so every answer has one right value.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.simulator.client import Load

if TYPE_CHECKING:
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.service.client_session import ClientSession
    from aeron_cluster.cluster.service.cluster import Cluster
    from aeron_cluster.logbuffer.message_view import Header, MessageView
    from aeron_cluster.memory.seams import Random

__all__ = [
    "Operation",
    "Reference",
    "ReferenceLoad",
    "ReferenceState",
    "Request",
    "Verb",
]

_REQUEST: Final = struct.Struct("<IIBxxxxxxxqq")
_RESPONSE: Final = struct.Struct("<IIq")
_CHUNK_LENGTH: Final = 1024
_TICKS_A_MS: Final = {
    ClusterTimeUnit.MILLIS: 1,
    ClusterTimeUnit.MICROS: 1_000,
    ClusterTimeUnit.NANOS: 1_000_000,
}
_ATTEMPTS: Final = 200
_NOTHING: Final = -1
_WORD: Final = 0xFFFFFFFF


class Verb(IntEnum):
    """What a request asks for."""

    WRITE = 0
    READ = 1
    COMPARE_AND_SET = 2
    PUSH = 3
    POP = 4
    NEXT = 5
    TIMER = 6  # fires after `first` ms; the service pushes its number by a message of its own
    RELAY = 7  # the service pushes it by a message of its own


_VERBS: Final = tuple(Verb)


class Request(NamedTuple):
    """One request of a client; the two numbers together are its name."""

    client: int
    number: int
    verb: Verb
    first: int = 0
    second: int = 0
    padding: int = 0

    def encode(self) -> bytes:
        """Return its bytes, padding behind."""
        head = _REQUEST.pack(self.client, self.number, self.verb, self.first, self.second)
        return head + bytes(self.padding)

    @classmethod
    def decode(cls, data: bytes) -> Request:
        """Read one."""
        client, number, verb, first, second = _REQUEST.unpack_from(data)
        return cls(client, number, _VERBS[verb], first, second, len(data) - _REQUEST.size)


class ReferenceState:
    """What the service remembers."""

    def __init__(self) -> None:
        self.register = 0
        self.queue: list[int] = []
        self.sequence = 0
        self.fired: list[int] = []

    def apply(self, request: Request) -> int:
        """Do what a request asks for and return the answer."""
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
                return self.queue.pop(0) if self.queue else _NOTHING
            case Verb.NEXT:
                self.sequence += 1
                return self.sequence
            case Verb.TIMER | Verb.RELAY:
                return request.first

    def on_relayed(self, request: Request) -> None:
        """Take the service's own message."""
        self.queue.append(request.second)

    def on_timer(self, correlation_id: int) -> None:
        """Remember that a timer fired."""
        self.fired.append(correlation_id)

    def encode(self) -> bytes:
        """Return it all, the same for the same state."""
        state = [self.register, self.queue, self.sequence, self.fired]
        return json.dumps(state, separators=(",", ":")).encode()

    @classmethod
    def decode(cls, data: bytes) -> ReferenceState:
        """Read what `encode` wrote."""
        state = cls()
        state.register, state.queue, state.sequence, state.fired = json.loads(data)
        return state


class Reference(ClusteredService):
    """The service."""

    def __init__(self) -> None:
        self.state = ReferenceState()

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        """Begin, with the state of the snapshot where there is one."""
        self._cluster = cluster
        self.state = ReferenceState()
        if snapshot_image is None:
            return
        parts: list[bytes] = []
        while not snapshot_image.is_end_of_stream:
            count = snapshot_image.poll(lambda message, _: parts.append(bytes(message)), 10)
            cluster.idle(count)
        self.state = ReferenceState.decode(b"".join(parts))

    def on_session_message(
        self,
        session: ClientSession | None,
        timestamp: int,
        message: MessageView,
        header: Header,  # noqa: ARG002
    ) -> None:
        """Take a message."""
        request = Request.decode(bytes(message))
        if session is None:
            self.state.on_relayed(request)
            return
        answer = self.state.apply(request)
        if request.verb is Verb.TIMER:
            self._schedule(request, timestamp)
        elif request.verb is Verb.RELAY:
            self._relay(request)
        response = _RESPONSE.pack(request.client, request.number, answer)
        for _ in range(_ATTEMPTS):
            if session.offer(response) not in (NotSent.BACK_PRESSURED, NotSent.ADMIN_ACTION):
                return
            self._cluster.idle()

    def _schedule(self, request: Request, timestamp: int) -> None:
        correlation_id = request.client << 32 | request.number
        deadline = timestamp + request.first * _TICKS_A_MS[self._cluster.time_unit]
        while not self._cluster.schedule_timer(correlation_id, deadline):
            self._cluster.idle()

    def _relay(self, request: Request) -> None:
        data = request.encode()
        while self._cluster.offer(data) in (NotSent.BACK_PRESSURED, NotSent.ADMIN_ACTION):
            self._cluster.idle()

    def on_timer_event(self, correlation_id: int, timestamp: int) -> None:  # noqa: ARG002
        """Hear of a timer."""
        self.state.on_timer(correlation_id)
        client, number = correlation_id >> 32 & _WORD, correlation_id & _WORD
        self._relay(Request(client, number, Verb.RELAY, 0, number))

    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        """Write the state."""
        data = self.state.encode()
        for begin in range(0, len(data), _CHUNK_LENGTH):
            chunk = data[begin : begin + _CHUNK_LENGTH]
            while not snapshot_publication.offer(chunk):
                self._cluster.idle()


@dataclass(slots=True)
class Operation:
    """A request and what became of it: times in ns, -1 while, or where, it is not known."""

    request: Request
    sent_ns: int = -1
    answered_ns: int = -1
    answer: int = 0
    answer_count: int = 0


class ReferenceLoad(Load):
    """Asks the reference service at random times, a few requests at once.

    Parameters
    ----------
    client : int
        Its number.
    random : Random
    interval_ns : int
        Between two requests, on average.
    most_waiting : int
        So many may be without an answer.
    longest_padding : int
        Requests are at most so many bytes longer than they have to be.
    patience_ns : int
        How long one waits for its answer: those that a failover swallowed do not hold up the rest.

    Attributes
    ----------
    operations : list of Operation
        In the order in which they were made.
    """

    def __init__(
        self,
        client: int,
        random: Random,
        *,
        interval_ns: int = 20_000_000,
        most_waiting: int = 8,
        longest_padding: int = 200,
        patience_ns: int = 5_000_000_000,
    ) -> None:
        self.operations: list[Operation] = []
        self._client = client
        self._random = random
        self._interval_ns = interval_ns
        self._most_waiting = most_waiting
        self._longest_padding = longest_padding
        self._patience_ns = patience_ns
        self._next_ns = 0
        self._waiting: dict[int, int] = {}  # until when, by number

    @property
    def waiting_count(self) -> int:
        """How many requests of the present session are without an answer."""
        return len(self._waiting)

    @property
    def answered_count(self) -> int:
        """How many requests were answered."""
        return sum(each.answered_ns >= 0 for each in self.operations)

    @property
    def next_due_ns(self) -> int:
        """When the next request is made, in ns."""
        if len(self._waiting) < self._most_waiting:
            return self._next_ns
        return min(self._waiting.values())

    def next_request(self, now_ns: int) -> bytes | None:
        """Return what is to be sent now, or None."""
        while self._waiting and next(iter(self._waiting.values())) <= now_ns:
            # The service, or its session, may drop an answer; the request is in the log or not.
            del self._waiting[next(iter(self._waiting))]
        if now_ns < self._next_ns or len(self._waiting) >= self._most_waiting:
            return None
        random = self._random
        self._next_ns = now_ns + 1 + random.below(2 * self._interval_ns)
        verb = _VERBS[random.below(len(_VERBS))]
        first = 1 + random.below(3000) if verb is Verb.TIMER else random.below(10)
        # Most are short; now and then one is of several fragments.
        limit = self._longest_padding if random.below(16) else 20 * self._longest_padding
        number = len(self.operations)
        request = Request(
            self._client, number, verb, first, random.below(10), random.below(limit + 1)
        )
        self.operations.append(Operation(request))
        self._waiting[number] = now_ns + self._patience_ns
        return request.encode()

    def on_sent(self, request: bytes, now_ns: int) -> None:
        """Note when it was sent."""
        self.operations[Request.decode(request).number].sent_ns = now_ns

    def on_response(self, payload: bytes, now_ns: int) -> None:
        """Note the answer."""
        _, number, answer = _RESPONSE.unpack(payload)
        operation = self.operations[number]
        operation.answer_count += 1
        if operation.answer_count == 1:
            operation.answered_ns = now_ns
            operation.answer = answer
        self._waiting.pop(number, None)

    def on_lost(self, now_ns: int) -> None:  # noqa: ARG002
        """Wait for no answers any more."""
        self._waiting.clear()
