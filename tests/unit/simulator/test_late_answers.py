"""A reference service answers some requests of surviving clients late, and its state has these."""

from types import SimpleNamespace

import pytest

from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.codecs.request_envelope import Envelope, EnvelopeKind
from aeron_cluster.simulator.checks.request_tables import late_answers_of
from aeron_cluster.simulator.clients.late_answers import LateAnswer, LateAnswers
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from aeron_cluster.simulator.members.journal import Entry

CLIENT_ID, INCARNATION, SESSION_ID = 1 << 20, 3, 7
TIMER = Request(1, 5, Verb.TIMER, 40)
RELAY = Request(1, 6, Verb.RELAY, 3, 4)
PUSHED = Request(1, 5, Verb.RELAY, 0, 5)  # by the service, when the timer fires
TIMED = LateAnswer(CLIENT_ID, 1, SESSION_ID, 1000, True, 40)
RELAYED = LateAnswer(CLIENT_ID, 2, SESSION_ID, 1001, False, 3)


class Cluster:
    time_unit = ClusterTimeUnit.MILLIS
    max_payload_length = 8000

    def __init__(self):
        self.sent = []
        self.session = SimpleNamespace(id=SESSION_ID, is_closing=False, offer=self._offer)

    def _offer(self, message):
        envelope = Envelope.decode(message)
        self.sent.append((envelope.kind, envelope.sequence))
        return 64

    def get_client_session(self, session_id):
        return self.session if session_id == SESSION_ID else None

    def schedule_timer(self, *_):
        return True

    def offer(self, _):
        return 64

    def idle(self, _=0):
        raise AssertionError("nothing is awaited")


def envelope(kind, sequence, body=b""):
    return Envelope(kind, CLIENT_ID, INCARNATION, sequence).encode(body)


MESSAGES = [
    (999, envelope(EnvelopeKind.OPEN, 0)),
    (1000, envelope(EnvelopeKind.REQUEST, 1, TIMER.encode())),
    (1001, envelope(EnvelopeKind.REQUEST, 2, RELAY.encode())),
]
ENTRIES = [
    Entry(64 * index, "message", SESSION_ID, timestamp, message)
    for index, (timestamp, message) in enumerate(MESSAGES, 1)
]


@pytest.fixture
def cluster():
    return Cluster()


@pytest.fixture
def service(cluster):
    """Return a service that has received a request of each kind."""
    service = ReferenceService(deduplicates=True, answers_late=True)
    service.on_start(cluster, None)
    for timestamp, message in MESSAGES:
        service.on_session_message(cluster.session, timestamp, memoryview(message), None)
    assert [kind for kind, _ in cluster.sent] == [EnvelopeKind.OPENED]
    cluster.sent.clear()
    return service


def test_a_request_is_answered_when_its_timer_fires_and_is_pending_before(service, cluster):
    service.on_session_message(cluster.session, 1002, memoryview(MESSAGES[1][1]), None)
    assert cluster.sent == [(EnvelopeKind.PENDING, 1)]
    service.on_timer_event(1 << 32 | 5, 1040)
    service.on_session_message(None, 1041, memoryview(PUSHED.encode()), None)
    assert cluster.sent[1:] == [(EnvelopeKind.ANSWER, 1)]


def test_a_request_is_answered_when_its_message_arrives(service, cluster):
    service.on_session_message(None, 1002, memoryview(RELAY.encode()), None)
    assert cluster.sent == [(EnvelopeKind.ANSWER, 2)]


def test_a_clock_that_is_set_back_ends_the_wait_for_a_timer(service, cluster):
    service.on_session_message(cluster.session, 1000, memoryview(MESSAGES[1][1]), None)
    assert (EnvelopeKind.ANSWER, 1) not in cluster.sent
    cluster.sent.clear()
    service.on_session_message(cluster.session, 999, memoryview(MESSAGES[1][1]), None)
    # At first because of the clock, then as to any repeated request.
    assert cluster.sent == [(EnvelopeKind.ANSWER, 1)] * 2


def test_failures_are_answered_immediately(service, cluster):
    body = Request(1, 7, Verb.REJECT, 3).encode()
    message = envelope(EnvelopeKind.REQUEST, 3, body)
    service.on_session_message(cluster.session, 1002, memoryview(message), None)
    assert cluster.sent == [(EnvelopeKind.FAILURE, 3)]


def test_late_answers_are_in_snapshots(service):
    messages = []
    service.on_take_snapshot(SimpleNamespace(offer=lambda each: messages.append(each) or 64))
    data = b"".join(each for each in messages if Envelope.decode(each) is None)
    _, _, late = data.partition(b"\n")
    assert LateAnswers.decode(late).names == {(CLIENT_ID, 1), (CLIENT_ID, 2)}


def test_answers_are_given_once_and_survive_encoding():
    late = LateAnswers()
    late.add(1, 5, TIMED)
    late.add(1, 6, RELAYED)
    late = LateAnswers.decode(late.encode())
    assert late.names == {(CLIENT_ID, 1), (CLIENT_ID, 2)}
    assert late.take(1, 6) == RELAYED
    assert late.take(1, 6) is None
    assert late.take(2, 5) is None
    assert late.take_overdue(1000) == []
    assert late.take_overdue(999) == [(1, 5, TIMED)]
    assert not late


@pytest.mark.parametrize(
    ("event", "names"),
    [
        (None, {1, 2}),
        (Entry(320, "timer", 1 << 32 | 5, 1040, b""), {2}),
        (Entry(320, "timer", 1 << 48 | 1 << 32 | 5, 1040, b""), {1, 2}),
        (Entry(320, "message", -1, 1002, RELAY.encode()), {1}),
        (Entry(320, "message", SESSION_ID, 998, envelope(EnvelopeKind.OPEN, 0)), {2}),
    ],
    ids=["nothing", "timer", "timer of another service", "message", "clock set back"],
)
def test_the_log_says_which_requests_have_no_answer(event, names):
    entries = ENTRIES if event is None else [*ENTRIES, event]
    assert late_answers_of(entries) == {(CLIENT_ID, each) for each in names}
