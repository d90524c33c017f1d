"""Small correct services as users write them; the planted faults are variants of them."""

# ruff: noqa: ARG002

import json

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.errors import RejectedRequestError
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.simulator import Load

NOT_NOW = (NotSent.BACK_PRESSURED, NotSent.ADMIN_ACTION)
INTERVAL_MS = 150


class KeyValue(ClusteredService):
    """Counts each message, and replies with its count and the total."""

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster
        self.counts = {}
        self.total = 0
        whole = FragmentAssembler(self.load)
        while snapshot_image is not None and not snapshot_image.is_end_of_stream:
            cluster.idle(snapshot_image.poll(whole, 10))

    def load(self, message, _):
        name, value = json.loads(bytes(message))
        if name is None:
            self.total = value
        else:
            self.counts[name] = value

    def on_session_message(self, session, timestamp, message, header):
        self.send(session, self.apply(bytes(message)))

    def apply(self, request):
        key = request[:40].hex()
        self.counts[key] = self.counts.get(key, 0) + 1
        self.total += 1
        return b"%d of %d" % (self.counts[key], self.total)

    def send(self, session, answer):
        while session.offer(answer) in NOT_NOW:
            self.cluster.idle()

    def state(self):
        yield None, self.total
        yield from sorted(self.counts.items())

    def on_take_snapshot(self, snapshot_publication):
        for each in self.state():
            data = json.dumps(each).encode()
            while not snapshot_publication.offer(data):
                self.cluster.idle()


class Requests(KeyValue):
    """The same for surviving clients: each request is counted once; some are rejected."""

    def on_start(self, cluster, snapshot_image):
        self.requests = Deduplication(cluster)
        super().on_start(cluster, snapshot_image)

    def load(self, message, _):
        if not self.requests.load(message):
            super().load(message, _)

    def on_session_message(self, session, timestamp, message, header):
        self.requests.handle(session, timestamp, message, self.answer)

    def answer(self, request):
        if not request.payload:
            raise RejectedRequestError("an empty request")
        return self.apply(request.payload)

    def on_take_snapshot(self, snapshot_publication):
        super().on_take_snapshot(snapshot_publication)
        self.requests.write_snapshot(snapshot_publication)


class Later(KeyValue):
    """Answers when a timer fires, with the requests received since then."""

    def on_start(self, cluster, snapshot_image):
        self.waiting = {}
        self.last_timer = 0
        super().on_start(cluster, snapshot_image)

    def load(self, message, _):
        name, value = json.loads(bytes(message))
        if name == "waiting":
            self.waiting = {int(key): each for key, each in value.items()}
        elif name == "last timer":
            self.last_timer = value
        else:
            super().load(message, _)

    def on_session_message(self, session, timestamp, message, header):
        self.apply(bytes(message))
        self.last_timer += 1
        self.waiting[self.last_timer] = session.id
        self.schedule(self.last_timer, timestamp + INTERVAL_MS)

    def schedule(self, number, deadline):
        while not self.cluster.schedule_timer(number, deadline):
            self.cluster.idle()

    def on_timer_event(self, correlation_id, timestamp):
        session = self.cluster.get_client_session(self.waiting.pop(correlation_id, -1))
        if session is not None:
            self.send(session, b"%d by now" % self.total)

    def state(self):
        yield "waiting", self.waiting
        yield "last timer", self.last_timer
        yield from super().state()


class Topics(KeyValue):
    """Sends each message to all earlier senders of the same message, kept in a set."""

    def on_start(self, cluster, snapshot_image):
        self.names = set()
        super().on_start(cluster, snapshot_image)

    def load(self, message, _):
        name, value = json.loads(bytes(message))
        if name == "names":
            self.names = set(value)
        else:
            super().load(message, _)

    def apply(self, request):
        self.names.add(request.hex()[:4])
        super().apply(request)
        return ",".join(self.listed()[:8]).encode()

    def listed(self):
        return sorted(self.names)

    def state(self):
        yield "names", sorted(self.names)
        yield from super().state()


class Member:
    """A participant with a session."""

    def __init__(self, session):
        self.session = session


class Chat(KeyValue):
    """Passes each message on to all participants, in the order received."""

    def on_start(self, cluster, snapshot_image):
        super().on_start(cluster, snapshot_image)
        self.members = {each.id: Member(each) for each in cluster.client_sessions}

    def on_session_open(self, session, timestamp):
        self.members[session.id] = Member(session)

    def on_session_close(self, session, timestamp, close_reason):
        del self.members[session.id]

    def on_session_message(self, session, timestamp, message, header):
        self.total += 1
        for each in self.listed():
            self.send(each.session, bytes(message)[:100])

    def listed(self):
        return [self.members[each] for each in sorted(self.members)]


class Relay(KeyValue):
    """Offers each received message to the log again and replies when it returns, by a claim."""

    def on_session_message(self, session, timestamp, message, header):
        if session is not None:
            text = b"%d " % session.id + bytes(message)
            while self.cluster.offer(text) in NOT_NOW:
                self.cluster.idle()
            return
        session_id, _, text = bytes(message).partition(b" ")
        to = self.cluster.get_client_session(int(session_id))
        answer = self.apply(text)
        if to is not None:
            self.send(to, answer)


class Batches(KeyValue):
    """Handles all messages of a batch in one call."""

    def on_session_messages(self, batch):
        for session, _, message in batch:
            self.send(session, self.apply(bytes(message)))


class Words(Load):
    """Sends one of a few words, about twenty times a second; each has one answer."""

    is_answered_once = True

    def __init__(self, number, random):
        self.random = random
        self.due_ns = 0

    @property
    def next_due_ns(self):
        return self.due_ns

    def next_request(self, now_ns):
        if now_ns < self.due_ns:
            return None
        self.due_ns = now_ns + 1 + self.random.below(80_000_000)
        return b"word%d" % self.random.below(20)


def make_words(number, random):
    return Words(number, random)


HEALTHY = {
    KeyValue: make_words,
    Requests: None,
    Later: make_words,
    Topics: None,
    Chat: None,
    Relay: make_words,
    Batches: make_words,
}
"""Each shape, and its clients' messages; None for seeded bytes."""
