"""A surviving client beyond its sessions: windows, waits, rejections, close."""

import errno
import functools
import pickle
from types import SimpleNamespace

import pytest

from aeron_cluster.client.not_sent import BACK_PRESSURED, NOT_CONNECTED
from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.cluster_client import surviving_client
from aeron_cluster.cluster_client.cluster_client import ClientState
from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.cluster_client.request_window import RequestWindow
from aeron_cluster.cluster_client.survival_state import SurvivalState
from aeron_cluster.cluster_client.surviving_client import SurvivingClient, SurvivingContext
from aeron_cluster.codecs.request_envelope import Envelope, EnvelopeKind, FailureCause
from aeron_cluster.errors import (
    AuthenticationError,
    ClosedError,
    ClusterError,
    ConfigurationError,
    CorruptError,
    MessageError,
    NotReconnectedError,
    PlatformError,
    RejectedRequestError,
    RequestFailedError,
    SupersededError,
    TimeoutExpiredError,
    UnansweredRequestError,
    UnknownClientError,
    VersionError,
)
from aeron_cluster.memory.system.seams import Seams, SeededRandom
from aeron_cluster.simulator.world.virtual_clock import VirtualClock, VirtualTime
from tests.unit.cluster_client.surviving_rig import MS, WINDOW, Attempts, Cluster

S = 1000 * MS
PLACES = {"ingress_channel": "aeron:udp", "egress_channel": "aeron:udp?endpoint=localhost:0"}


class RecordingListener(RequestListener):
    def __init__(self):
        self.calls = []
        self.error = None

    def _called(self, *values):
        self.calls.append(values)
        if self.error is not None:
            error, self.error = self.error, None
            raise error

    def on_answer(self, sequence, body):
        self._called("answer", sequence, body)

    def on_failure(self, sequence, reason):
        self._called("failure", sequence, reason)

    def on_message(self, timestamp, message):
        self._called("message", timestamp, message)

    def on_state_change(self, state, reason):
        self._called(state, reason)

    def named(self, name):
        return [values for kind, *values in self.calls if kind == name]

    @property
    def states(self):
        return [kind for kind, *_ in self.calls if isinstance(kind, SurvivalState)]


class Rig:
    """A client and a cluster driven by the test."""

    def __init__(self, monkeypatch, **options):
        self.time = VirtualTime()
        self.cluster = Cluster()
        self.attempts = Attempts(self.cluster)
        monkeypatch.setattr(surviving_client, "AsyncConnect", self.attempts)
        self.seams = Seams(clock=VirtualClock(time=self.time), random=SeededRandom(1))
        context = SimpleNamespace(now_ns=self.seams.clock.nano_time, seams=self.seams)
        self.aeron = SimpleNamespace(is_closed=False, context=context, drive=lambda: None)
        self.listener = RecordingListener()
        self.options = {
            "aeron": self.aeron,
            "agent_invoker": self.drive,
            "listener": self.listener,
            **PLACES,
            **options,
        }
        self.is_driven = True
        self.client = SurvivingClient.start(**self.options)

    def drive(self):
        """Run the cluster while a call waits."""
        self.time.advance(10 * MS)
        if self.is_driven:
            self.cluster.commit(100)

    def work(self, passes=1, ms=10):
        for _ in range(passes):
            self.time.advance(ms * MS)
            self.client.do_work()

    def opened(self):
        self.client.await_connected()
        self.work(2)
        return self

    @property
    def session(self):
        return self.client._session


@pytest.fixture
def rig(monkeypatch):
    return Rig(monkeypatch).opened()


def test_service_authenticates_a_client_once_it_has_a_session(monkeypatch):
    rig = Rig(monkeypatch)
    assert rig.client.send(b"too soon") is NOT_CONNECTED
    rig.work(4)
    assert rig.client.state is SurvivalState.OPENING
    (message,) = [Envelope.decode(message) for _, message in rig.cluster.log]
    assert (message.kind, message.sequence) == (EnvelopeKind.OPEN, 0)
    assert (message.client_id, message.incarnation) == (
        rig.client.client_id,
        rig.seams.clock.epoch_nanos() - 40 * MS,
    )
    rig.cluster.commit(1)
    rig.work(2)
    assert rig.client.is_connected
    assert rig.listener.states == [SurvivalState.OPENING, SurvivalState.CONNECTED]
    assert rig.client.leader_member_id == 0
    assert rig.client.ingress_endpoints == ""
    rig.session.ingress_endpoints = "0=a:1"
    rig.session.leadership_term_id += 1
    rig.work()
    assert rig.client.ingress_endpoints == "0=a:1"
    assert "CONNECTED leader 0, 0 unanswered" in repr(rig.client)


def test_client_continues_after_its_last_sequence(monkeypatch):
    rig = Rig(monkeypatch, client_id=7, last_sequence=3)
    assert rig.client.role_name == "surviving-client"
    assert (rig.client.last_sequence, rig.client.last_answered) == (3, 3)
    rig.client.drive()  # without a transport client yet
    rig.cluster.log += [
        (99, Envelope(EnvelopeKind.OPEN, 7, 1, 0).encode()),
        *((99, Envelope(EnvelopeKind.REQUEST, 7, 1, each, 0).encode()) for each in (1, 2, 3)),
    ]
    rig.cluster.commit(10)
    rig.opened()
    assert rig.client.send(b"next") == 4
    assert (rig.client.last_sequence, rig.client.last_answered) == (4, 3)
    rig.client.flush()
    assert rig.client.last_answered == 4


def test_request_returns_only_its_own_answer(rig):
    rig.client.send(b"before")
    assert rig.client.request(b"this") == b"done this"
    assert rig.listener.named("answer") == [[1, b"done before"]]


def test_failed_request_raises_the_reason(rig, monkeypatch):
    def reject(request):
        raise RejectedRequestError(f"no {request.payload.decode()}")

    monkeypatch.setattr(rig.cluster, "apply", reject)
    with pytest.raises(
        RequestFailedError, match=r"request 1: rejected by the service: no cake$"
    ) as error:
        rig.client.request(b"cake")
    assert (error.value.sequence, error.value.reason) == (1, "no cake")
    assert (error.value.is_rejected, error.value.outcome) == (True, "rejected")
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    rig.client.send(b"tea")
    rig.client.flush()
    rig.work()
    assert rig.listener.named("failure") == [[2, "no tea"]]


@pytest.mark.parametrize(
    ("cause", "text", "is_rejected"),
    [
        (FailureCause.UNKNOWN, "rejected by the service, or failed there", None),
        (FailureCause.REJECTED, "rejected by the service", True),
        (FailureCause.FAILED, "failed in the service", False),
    ],
)
def test_failure_of_the_service_is_no_rejection(rig, monkeypatch, cause, text, is_rejected):
    conclude = rig.cluster.requests._conclude

    def fail(request):
        kind = EnvelopeKind.FAILURE
        answer = functools.partial(conclude, request, kind, cause, b"KeyError")
        monkeypatch.setattr(rig.cluster.requests, "_conclude", lambda *_: answer())

    monkeypatch.setattr(rig.cluster, "apply", fail)
    with pytest.raises(RequestFailedError, match=rf"request 1: {text}: KeyError$") as error:
        rig.client.request(b"cake")
    assert error.value.is_rejected is is_rejected
    rejections = []
    rig.listener.on_rejection = lambda *call: rejections.append([*call])
    monkeypatch.setattr(rig.cluster.requests, "_conclude", conclude)
    rig.client.send(b"tea")
    rig.client.flush()
    rig.work()
    failures = rig.listener.named("failure")
    assert (rejections, failures)[not is_rejected] == [[2, "KeyError"]]
    assert (rejections, failures)[bool(is_rejected)] == []


def test_a_request_without_an_answer_in_time_is_answered_to_the_listener_later(rig):
    rig.is_driven = False
    with pytest.raises(TimeoutExpiredError, match="request 1: no answer in time"):
        rig.client.request(b"slow", 300 * MS)
    with pytest.raises(TimeoutExpiredError, match="1 requests: no answer in time"):
        rig.client.flush(300 * MS)
    assert rig.client.unanswered == (1,)
    rig.cluster.commit(10)
    rig.work(3)
    assert rig.listener.named("answer") == [[1, b"done slow"]]
    assert rig.client.last_answered == 1


def test_the_window_is_the_smaller_of_both_and_its_end_is_back_pressure(monkeypatch):
    rig = Rig(monkeypatch, window_length=3).opened()
    assert [rig.client.send(b"x") for _ in range(4)] == [1, 2, 3, BACK_PRESSURED]
    assert rig.client.request(b"waits for room") == b"done waits for room"
    wide = Rig(monkeypatch, window_length=100).opened()
    assert sum(bool(wide.client.send(b"x")) for _ in range(100)) == WINDOW


def test_requests_are_accepted_without_a_leader(rig):
    rig.session.state = ClientState.AWAIT_NEW_LEADER
    rig.work()
    assert rig.client.state is SurvivalState.AWAIT_LEADER
    assert rig.client.send(b"later") == 1
    logged = len(rig.cluster.log)
    rig.session.state = ClientState.AWAIT_NEW_LEADER_CONNECTION
    rig.work()
    assert rig.client.is_connected
    assert len(rig.cluster.log) == logged + 1


def test_a_new_leader_is_queried_at_once_after_an_unnoticed_loss(rig):
    rig.client.send(b"one")
    rig.work()
    rig.cluster.lose_uncommitted()
    rig.session.state = ClientState.AWAIT_NEW_LEADER_CONNECTION
    rig.session.leadership_term_id += 1
    rig.work()
    rig.cluster.commit(10)
    assert rig.cluster.applied == [1]
    rig.work()
    assert rig.client.resend_count == 1


def test_another_session_is_opened_while_the_old_one_waits_for_a_leader(rig):
    rig.client.send(b"one")
    old = rig.session
    old.state = ClientState.AWAIT_NEW_LEADER
    rig.cluster.lose_uncommitted()
    rig.work(10)
    assert rig.client.is_connected
    assert rig.session is not old
    assert rig.client.resend_count == 1  # immediately, not after its timeout
    assert old.state is ClientState.CLOSED
    rig.client.flush()
    assert rig.cluster.applied == [1]


@pytest.mark.parametrize("state", [ClientState.PENDING_CLOSE, ClientState.CLOSED])
def test_ended_session_is_replaced(rig, state):
    old = rig.session
    rig.client.send(b"one")
    rig.cluster.lose_uncommitted()
    old.state = state
    rig.work()
    assert rig.client.state is SurvivalState.CONNECTING
    assert isinstance(rig.client.last_error, ClosedError)
    rig.client.flush()
    assert rig.session is not old
    assert rig.cluster.applied == [1]


def test_session_that_ends_while_another_is_opened_changes_no_attempt(rig, monkeypatch):
    old, poll = rig.session, rig.attempts.poll
    monkeypatch.setattr(rig.attempts, "poll", lambda: None)
    old.state = ClientState.AWAIT_NEW_LEADER
    before = rig.client.attempt_count
    rig.work(20)
    assert rig.client.attempt_count == before + 1
    old.state = ClientState.CLOSED
    rig.work()
    assert rig.client.state is SurvivalState.CONNECTING
    monkeypatch.setattr(rig.attempts, "poll", poll)
    rig.work()
    assert rig.client.is_connected
    assert rig.session is not old
    assert rig.client.attempt_count == before + 1


def test_service_may_accept_the_client_after_its_leader_was_lost(monkeypatch):
    rig = Rig(monkeypatch)
    rig.work(4)
    rig.cluster.commit(1)
    accepted = rig.session.egress[:]
    rig.session.egress.clear()
    rig.session.state = ClientState.AWAIT_NEW_LEADER
    rig.work()
    assert rig.client.send(b"too soon") is NOT_CONNECTED
    rig.session.egress += accepted
    rig.work()
    assert rig.client.state is SurvivalState.AWAIT_LEADER
    assert rig.client.send(b"later") == 1
    rig.session.state = ClientState.AWAIT_NEW_LEADER_CONNECTION
    rig.work()
    assert rig.client.is_connected
    rig.client.flush()
    assert rig.cluster.applied == [1]


def test_first_of_several_errors_is_that_of_the_client(rig):
    client = rig.client
    for kind in (EnvelopeKind.UNKNOWN_CLIENT, EnvelopeKind.SUPERSEDED):
        envelope = Envelope(kind, client.client_id, client._incarnation, 0)
        rig.session.egress.append(envelope.encode())
    with pytest.raises(UnknownClientError) as caught:
        rig.work()
    assert client.failure is caught.value
    with pytest.raises(UnknownClientError):
        client.send(b"late")


@pytest.mark.parametrize("when", ["send", "pass"])
def test_session_ended_while_requests_are_sent_is_replaced(rig, monkeypatch, when):
    old = rig.session

    def offer(_):
        raise ClosedError("the session is over")

    if when == "pass":
        old.room = 0
    else:
        monkeypatch.setattr(old, "offer", offer)
    assert rig.client.send(b"one") == 1
    monkeypatch.setattr(old, "offer", offer)
    if when == "pass":
        rig.work()
    assert rig.client.state is SurvivalState.CONNECTING
    assert rig.client.leader_member_id == -1
    rig.client.flush()
    assert rig.session is not old
    assert rig.listener.named("answer") == [[1, b"done one"]]


@pytest.mark.parametrize(
    "error", [PlatformError(errno.EMFILE, "too many open files"), OSError(errno.ENOMEM, "no room")]
)
@pytest.mark.parametrize("call", ["offer", "poll_egress"])
def test_a_session_without_a_mapped_publication_to_its_leader_is_replaced(
    rig, monkeypatch, call, error
):
    def fail(_):
        raise error

    old = rig.session
    monkeypatch.setattr(old, call, fail)
    rig.client.send(b"one")
    rig.work()
    assert rig.client.last_error is error
    rig.client.flush()
    assert rig.session is not old
    assert rig.cluster.applied == [1]


@pytest.mark.parametrize(
    "error", [PlatformError(errno.EMFILE, "too many open files"), OSError(errno.ENOMEM, "no room")]
)
def test_an_attempt_without_a_mapped_publication_is_repeated(rig, monkeypatch, error):
    def fail():
        raise error

    rig.session.close()
    with monkeypatch.context() as patch:
        patch.setattr(rig.attempts, "poll", fail)
        rig.work(20)
        assert rig.client.state is SurvivalState.CONNECTING
        assert rig.client.last_error is error
    rig.work(100)
    assert rig.client.is_connected


def test_error_of_closing_an_old_session_is_recorded(rig, monkeypatch):
    old = rig.session

    def close():
        raise ClusterError("not now")

    monkeypatch.setattr(old, "close", close)
    old.state = ClientState.CLOSED
    rig.work()
    assert str(rig.client.last_error) == "not now"
    rig.work(20)
    assert rig.client.is_connected
    assert rig.session is not old


def test_close_needs_no_session(rig, monkeypatch):
    def offer(_):
        raise ClosedError("the session is over")

    monkeypatch.setattr(rig.session, "offer", offer)
    rig.client.close()
    assert rig.client.is_closed
    assert str(rig.client.last_error) == "the session is over"
    rig.cluster.commit(10)
    assert len(rig.cluster.requests) == 1  # it was not forgotten


def test_close_releases_all_although_the_session_fails_to_close(rig, monkeypatch):
    def close():
        raise LookupError("of the user")

    monkeypatch.setattr(rig.session, "close", close)
    closed = []
    rig.client._driver = SimpleNamespace(close=lambda: closed.append("driver"))
    rig.client._owns_aeron = True
    rig.aeron.close = lambda: closed.append("aeron")
    with pytest.raises(LookupError, match="of the user"):
        rig.client.close()
    assert closed == ["aeron", "driver"]
    assert rig.client.is_closed


def test_a_too_long_input_is_rejected_at_once(rig):
    longest = 4096 - 32 - 40
    assert rig.client.send(bytes(longest)) == 1
    with pytest.raises(MessageError, match=f"at most {longest} bytes, found {longest + 1}"):
        rig.client.send(bytes(longest + 1))


@pytest.mark.parametrize(
    ("of_the_log", "longest", "reported"),
    [(1024, 1024 - 40, ", as the cluster's log accepts"), (1 << 20, 4096 - 32 - 40, "")],
)
def test_message_too_long_for_the_log_is_rejected_immediately(
    monkeypatch, of_the_log, longest, reported
):
    rig = Rig(monkeypatch)
    rig.cluster.view.max_payload_length = of_the_log
    rig.opened()
    assert rig.client.send(bytes(longest)) == 1
    with pytest.raises(
        MessageError, match=f"at most {longest} bytes{reported}, found {longest + 1}"
    ):
        rig.client.send(bytes(longest + 1))


def limit_streams(rig, monkeypatch, length):
    """Give the next session a driver with shorter terms or datagrams; replace the session."""
    connect = rig.attempts.poll

    def poll():
        session = connect()
        session.ingress_publication = SimpleNamespace(max_message_length=length)
        offer = session.offer

        def limited(message):
            if len(message) + 32 > length:
                raise MessageError("message", f"at most {length} bytes", len(message))
            return offer(message)

        session.offer = limited
        return session

    monkeypatch.setattr(rig.attempts, "poll", poll)
    rig.session.close()


def test_request_too_long_for_a_later_sessions_driver_fails_the_client(rig, monkeypatch):
    assert rig.client.send(bytes(2048)) == 1
    limit_streams(rig, monkeypatch, 1024)
    with pytest.raises(UnansweredRequestError, match="request 1 of 2048 bytes") as raised:
        rig.work(100)
    assert isinstance(raised.value.__cause__, MessageError)
    assert rig.client.state is SurvivalState.FAILED
    assert raised.value.in_doubt == (1,)
    with pytest.raises(UnansweredRequestError):
        rig.client.do_work()


def test_a_later_sessions_driver_limits_new_requests(rig, monkeypatch):
    limit_streams(rig, monkeypatch, 1024)
    rig.work(1)
    rig.client.await_connected()
    longest = 1024 - 32 - 40
    with pytest.raises(MessageError, match=f"at most {longest} bytes, found {longest + 1}"):
        rig.client.send(bytes(longest + 1))
    assert rig.client.unanswered == ()
    assert rig.client.send(bytes(longest)) == 1


def test_messages_answering_no_request_are_passed_on(rig):
    rig.session.egress.append(b"news for all")
    foreign = Envelope(EnvelopeKind.ANSWER, rig.client.client_id + 1, 1, 1)
    rig.session.egress.append(foreign.encode(b"for somebody else"))
    rig.work()
    assert rig.listener.named("message") == [[0, b"news for all"]]
    assert rig.listener.named("answer") == []


def test_abandoned_image_ends_nothing_and_is_logged(rig, monkeypatch, caplog):
    session = rig.session
    poll, errors = session.poll_egress, [CorruptError("image", 64, "frame length", "32", 7)] * 9

    def poll_egress(limit):
        if errors:
            raise errors.pop()
        return poll(limit)

    monkeypatch.setattr(session, "poll_egress", poll_egress)
    rig.client.send(b"a")
    rig.work(2)
    rig.cluster.commit(1)
    rig.work(9)
    assert not errors
    assert rig.session is session
    assert rig.listener.named("answer") == [[1, b"done a"]]
    assert 1 <= sum("frame length" in each.message for each in caplog.records) <= 3


def test_an_exception_of_a_listener_reaches_the_caller_and_loses_nothing(rig):
    for payload in (b"a", b"b"):
        rig.client.send(payload)
    rig.work()
    rig.cluster.commit(10)
    rig.listener.error = KeyError("of the user")
    with pytest.raises(KeyError, match="of the user"):
        rig.work()
    assert rig.listener.named("answer") == [[1, b"done a"]]
    rig.work()
    assert rig.listener.named("answer") == [[1, b"done a"], [2, b"done b"]]


@pytest.mark.parametrize("outcome", ["answer", "failure"])
def test_outcome_received_as_a_listener_raises_goes_to_the_listener(rig, monkeypatch, outcome):
    def reject(_request):
        raise RejectedRequestError("no")

    rig.client.send(b"before")
    rig.listener.error = KeyError("of the user")
    if outcome == "failure":
        monkeypatch.setattr(rig.cluster, "apply", reject)
    with pytest.raises(KeyError, match="of the user"):
        rig.client.request(b"this")
    assert rig.client.unanswered == ()
    rig.work()
    expected = {"answer": [2, b"done this"], "failure": [2, "no"]}[outcome]
    assert rig.listener.named(outcome)[-1] == expected


def test_outcome_received_as_the_client_fails_goes_to_the_listener(rig):
    client = rig.client
    superseded = Envelope(EnvelopeKind.SUPERSEDED, client.client_id, client._incarnation, 0)
    answer = Envelope(EnvelopeKind.ANSWER, client.client_id, client._incarnation, 1)
    rig.is_driven = False
    rig.session.egress += [answer.encode(b"done"), superseded.encode()]
    with pytest.raises(SupersededError):
        client.request(b"this")
    assert rig.listener.named("answer") == []
    with pytest.raises(SupersededError):
        rig.work()
    assert rig.listener.named("answer") == [[1, b"done"]]


def test_a_silent_service_is_probed_over_another_session(rig):
    rig.is_driven = False
    rig.client.send(b"anybody there")
    first = rig.session
    rig.work(60, 100)
    assert rig.session is not first
    assert "no message in time" in str(rig.client.last_error)
    resent = [e for e in map(Envelope.decode, (m for _, m in rig.cluster.log)) if e.sequence == 1]
    # Immediately, then after 1 and 2 seconds, not yet after 4 more; then in the new session.
    assert len(resent) == 4
    rig.cluster.commit(100)
    rig.work()
    assert rig.cluster.applied == [1]


def test_a_probe_that_was_not_accepted_is_sent_again(rig, monkeypatch):
    rig.is_driven = False
    rig.client.send(b"anybody there")
    rig.client._is_probe_due = True
    rig.client._unanswered_sequence = 1
    session, window = rig.session, rig.client._window
    with monkeypatch.context() as patch:
        patch.setattr(session, "offer", lambda _message: False)
        assert rig.client._probe(session, window) == 0
    assert rig.client._is_probe_due
    assert rig.client._probe(session, window) == 1
    assert not rig.client._is_probe_due


def test_a_slow_service_is_not_silent(rig, monkeypatch):
    def take(session, timestamp, message, apply):  # noqa: ARG001
        rig.cluster.requests.accept(session, timestamp, message)

    monkeypatch.setattr(rig.cluster.requests, "handle", take)
    rig.client.send(b"takes a minute")
    first = rig.session
    for _ in range(600):
        rig.cluster.commit(10)
        rig.work(1, 100)
    assert rig.session is first
    assert rig.client.unanswered == (1,)


@pytest.mark.parametrize("payloads", [[b"x" * 100], [b"x" * 100, b"y", b"z"]])
def test_request_accepted_by_no_leader_is_abandoned_by_name(rig, payloads):
    rig.cluster.longest_logged = 100
    assert rig.client.request(b"before") == b"done before"
    for payload in payloads:
        rig.client.send(payload)
    with pytest.raises(UnansweredRequestError, match="longer than the cluster's log") as caught:
        rig.client.flush(120 * S)
    error = caught.value
    assert (error.sequence, error.length, error.is_applied) == (2, 100, False)
    assert error.in_doubt == tuple(range(2, 2 + len(payloads)))
    assert rig.client.session_count == 1
    assert rig.cluster.applied == [1]
    assert rig.client.failure is error


def test_answer_accepted_by_no_egress_is_abandoned_by_name(rig):
    rig.cluster.longest_sent = 100
    rig.client.send(b"x" * 60)
    rig.client.send(b"y")
    with pytest.raises(UnansweredRequestError, match="request 1 of 60 bytes was applied") as caught:
        rig.client.flush(120 * S)
    assert caught.value.is_applied
    assert rig.cluster.applied == [1, 2]
    assert rig.listener.named("answer") == [[2, b"done y"]]


def test_request_not_answered_yet_is_not_abandoned(rig, monkeypatch):
    taken = []

    def handle(table, session, timestamp, message, _):
        if request := table.accept(session, timestamp, message):
            taken.append(request)

    monkeypatch.setattr(Deduplication, "handle", handle)
    rig.client.send(b"slow")
    rig.client.send(b"too")
    for _ in range(120):
        rig.work(10, 100)
        rig.cluster.commit(100)
    assert rig.client.session_count == 1
    for request in taken:
        rig.cluster.requests.answer(request, b"done")
    rig.client.flush(10 * S)
    assert rig.listener.named("answer") == [[1, b"done"], [2, b"done"]]


def test_request_unanswered_across_leadership_terms_is_not_abandoned(rig):
    rig.cluster.longest_logged = 100
    rig.client.send(b"x" * 100)
    for _ in range(4):
        for _ in range(70):
            rig.work(1, 100)
            rig.cluster.commit(100)
        rig.session.leadership_term_id += 1
    rig.cluster.longest_logged = 1 << 20  # the log now has longer terms
    rig.client.flush(10 * S)
    assert rig.cluster.applied == [1]


def test_an_idle_client_keeps_its_session_alive(rig, monkeypatch):
    calls = []
    monkeypatch.setattr(rig.session, "send_keep_alive", lambda: calls.append(1) or True)
    rig.work(100, 100)
    assert 9 <= len(calls) <= 11
    assert rig.client.is_connected


def test_connection_attempts_become_less_frequent_and_never_stop(monkeypatch):
    rig = Rig(monkeypatch)
    rig.attempts.may_connect = False
    rig.work(60 * 60, 1000)
    # Doubled from 50 ms to 5 s; a random part of at most a half is skipped.
    assert 600 <= rig.client.attempt_count <= 1500
    assert rig.client.state is SurvivalState.CONNECTING
    rig.attempts.may_connect = True
    rig.opened()


def test_the_client_times_out_with_its_unanswered_requests(monkeypatch):
    rig = Rig(monkeypatch, reconnect_timeout_ns=10 * S).opened()
    rig.client.send(b"a")
    rig.attempts.may_connect = False
    rig.session.close()
    with pytest.raises(NotReconnectedError, match="cluster connect timed out; in doubt: 1") as one:
        rig.work(20, 1000)
    assert one.value.in_doubt == (1,)
    assert isinstance(one.value.__cause__, TimeoutExpiredError)
    for call in (rig.client.do_work, lambda: rig.client.send(b"b"), rig.client.flush):
        with pytest.raises(NotReconnectedError):
            call()
    assert rig.client.failure is one.value
    rig.client.close()
    assert rig.client.is_closed


@pytest.mark.parametrize("timeout_ns", [10 * S, 60 * S])
def test_a_client_fails_once_the_service_is_silent_for_its_timeout(monkeypatch, timeout_ns):
    rig = Rig(monkeypatch, reconnect_timeout_ns=timeout_ns)
    rig.time.advance(3600 * S)  # a monotonic clock begins anywhere
    rig.client = SurvivingClient.start(**rig.options)
    rig.opened()
    rig.work(2 * timeout_ns // S, 1000)  # nothing is expected of the service
    rig.client.send(b"a")
    sent_ns = rig.time.now_ns
    rig.attempts.may_connect = False
    rig.session.close()
    with pytest.raises(NotReconnectedError, match=f"for {timeout_ns // S}"):
        rig.work(2 * timeout_ns // (100 * MS), 100)
    assert timeout_ns <= rig.time.now_ns - sent_ns <= timeout_ns + S


def test_connect_reports_why_it_failed(monkeypatch):
    rig = Rig(monkeypatch)
    rig.attempts.may_connect = False
    up = r"cluster connect timed out; is the cluster up\?$"
    with pytest.raises(NotReconnectedError, match=up):
        SurvivingClient.connect(connect_timeout_ns=S, **rig.options)
    rig.attempts.may_connect, rig.is_driven = True, False
    with pytest.raises(NotReconnectedError, match=r"does its service use Deduplication\?$"):
        SurvivingClient.connect(connect_timeout_ns=S, **rig.options)


def test_rejected_credentials_end_the_client_immediately(monkeypatch):
    rig = Rig(monkeypatch)

    def poll():
        raise AuthenticationError("not you")

    monkeypatch.setattr(rig.attempts, "poll", poll)
    with pytest.raises(AuthenticationError, match="not you"):
        rig.work(3)
    assert rig.client.state is SurvivalState.FAILED
    assert rig.listener.states == [SurvivalState.FAILED]


def test_closed_transport_client_ends_the_client(rig):
    rig.aeron.is_closed = True
    rig.session.close()
    with pytest.raises(ClosedError, match="the transport client is closed"):
        rig.work(20)


def test_another_version_of_the_envelope_ends_it(rig):
    message = Envelope(EnvelopeKind.ANSWER, rig.client.client_id, 1, 1).encode()
    rig.session.egress.append(message[:4] + b"\7\0" + message[6:])
    with pytest.raises(VersionError, match="version 7"):
        rig.work()


def test_a_request_to_a_service_without_space_is_sent_again(monkeypatch):
    rig = Rig(monkeypatch)
    rig.cluster.requests._max_clients = 1
    rig.cluster.log.append((99, Envelope(EnvelopeKind.OPEN, 1, 1, 0).encode()))
    rig.work(5)
    rig.cluster.commit(10)
    rig.work()
    assert "no room for another client" in str(rig.client.last_error)
    rig.cluster.requests._max_clients = 10
    rig.opened()


def test_close_forgets_a_random_client_id_if_nothing_is_unanswered(rig):
    rig.client.request(b"one")
    with rig.client:
        pass
    rig.cluster.commit(10)
    assert len(rig.cluster.requests) == 0
    rig.client.close()
    with pytest.raises(ClosedError, match="it was closed"):
        rig.client.send(b"late")
    with pytest.raises(ClosedError, match="it was closed"):
        rig.client.do_work()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"client_id": 0}, "client_id: expected from 1"),
        ({"client_id": 2**63}, "client_id: expected from 1"),
        ({"last_sequence": 3}, "last_sequence: expected 0"),
        ({"client_id": 1, "last_sequence": -1}, "last_sequence"),
        ({"window_length": 0}, "window"),
        ({"reconnect_max_interval_ns": 1}, "at least the minimum"),
        ({"silence_timeout_ns": 2 * S}, "more than twice the resend timeout"),
        ({"no_such_option": 1}, "no_such_option"),
    ],
)
def test_invalid_options_are_rejected(options, expected):
    with pytest.raises(ConfigurationError, match=expected):
        SurvivingContext.of(**PLACES, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"client_id": 1},
        {"client_id": 2**63 - 1, "last_sequence": 3},
        {"window_length": 1},
        {"reconnect_min_interval_ns": 50 * MS, "reconnect_max_interval_ns": 50 * MS},
        {"resend_timeout_ns": S, "silence_timeout_ns": 2 * S + 1},
        {"reconnect_timeout_ns": 0},
    ],
)
def test_limits_of_options_are_accepted(options):
    context = SurvivingContext.of(**PLACES, **options)
    assert {name: getattr(context, name) for name in options} == options


def test_options_are_properties_too():
    properties = {"aeron.cluster.client.resend.timeout": "250ms"}
    assert SurvivingContext.of(properties=properties, **PLACES).resend_timeout_ns == 250 * MS


@pytest.mark.parametrize("way", ["start", "connect"])
def test_a_client_has_the_options_of_its_properties(monkeypatch, way):
    rig = Rig(monkeypatch)
    properties = {
        "aeron.cluster.client.resend.timeout": "250ms",
        "aeron.cluster.egress.channel": "aeron:udp?endpoint=localhost:7",
    }
    del rig.options["egress_channel"]
    client = getattr(SurvivingClient, way)(properties=properties, **rig.options)
    assert client._context.resend_timeout_ns == 250 * MS
    assert client._context.cluster.egress_channel == properties["aeron.cluster.egress.channel"]


def test_attempts_try_each_member_first_in_turn(rig):
    client = rig.client
    client._context.cluster.ingress_endpoints = "0=a:1,1=b:1,2=c:1"
    client._ingress_endpoints = "0=a:2,1=b:2,2=c:2"
    requested = []
    for count in range(6):
        client.attempt_count = count
        requested.append(client._endpoints_to_try().partition(",")[0])
    assert requested == ["0=a:2", "1=b:1", "1=b:2", "2=c:1", "2=c:2", "0=a:1"]


def test_a_window_sends_from_the_oldest_unanswered_one_after_a_rewind():
    window = RequestWindow(5, 4)
    assert [window.add(payload) for payload in (b"5", b"6", b"7", b"8")] == [5, 6, 7, 8]
    assert window.is_full
    for sequence, _ in window.unsent():
        window.sent(sequence)
        if sequence == 7:
            break
    assert window.answer(6)
    assert not window.answer(6)
    assert window.acknowledged == 4
    assert window.is_full  # 5 is still open
    assert window.rewind() == 2
    sent = []
    for sequence, payload in window.unsent():
        window.sent(sequence)
        sent.append((sequence, payload))
    assert sent == [(5, b"5"), (7, b"7"), (8, b"8")]
    assert window.answer(5)
    assert (window.acknowledged, window.sequences) == (6, (7, 8))
    assert not window.is_full
    assert "6 < 9 <= 9" in repr(window)


# ---- late messages, and services with lost state ----


def gap(rig, last_sequence):
    client = rig.client
    envelope = Envelope(EnvelopeKind.GAP, client.client_id, client._incarnation, last_sequence)
    rig.session.egress.append(envelope.encode())


def test_an_earlier_leaders_rejection_is_no_failure_once_the_next_one_answered(rig):
    rig.client.request(b"one")
    rig.client.request(b"two")
    gap(rig, 1)
    rig.work()  # not a request: it was sent before the answer
    rig.client.send(b"three")
    for _ in range(20):
        gap(rig, 0)  # late messages of the previous leader, one for each of many requests
    rig.work(3)
    rig.cluster.commit(100)
    rig.work(3)
    assert rig.listener.named("answer") == [[3, b"done three"]]
    rig.work(100)
    gap(rig, 1)
    rig.work()
    assert rig.client.request(b"four") == b"done four"
    assert rig.client.is_connected


def test_late_reports_of_two_leaders_under_different_later_ones_are_no_failure(rig):
    rig.client.request(b"one")
    rig.is_driven = False
    rig.client.send(b"two")
    gap(rig, 0)  # of a former leader
    rig.work()
    rig.session.leadership_term_id += 1
    rig.work(200)
    rig.session.leadership_term_id += 1
    rig.work()
    gap(rig, 0)  # of another former leader
    rig.work()
    rig.cluster.commit(100)
    rig.work(3)
    assert rig.listener.named("answer") == [[2, b"done two"]]


def test_service_without_its_state_is_detected(rig):
    rig.client.request(b"one")
    rig.cluster.recover()  # without a snapshot
    rig.cluster.applied_to = len(rig.cluster.log)
    rig.client.send(b"two")
    with pytest.raises(UnknownClientError, match="requests only up to 0; in doubt: 2") as caught:
        rig.client.flush()
    assert (caught.value.client_id, caught.value.in_doubt) == (rig.client.client_id, (2,))
    assert rig.client.state is SurvivalState.FAILED


def test_another_process_with_its_id_ends_the_client(rig):
    rig.client.request(b"one")
    client = rig.client
    later = Envelope(EnvelopeKind.OPEN, client.client_id, client._incarnation + 1, 1)
    rig.cluster.log.append((99, later.encode()))
    rig.client.send(b"two")
    with pytest.raises(SupersededError, match="took over its id; in doubt: 2") as caught:
        rig.client.flush()
    assert caught.value.in_doubt == (2,)
    assert rig.cluster.applied == [1]
    assert rig.client.failure is caught.value


@pytest.mark.parametrize("then", ["closed", "replaced"])
def test_a_failed_client_stays_failed_whatever_its_session_does(rig, then):
    client, session = rig.client, rig.session
    superseded = Envelope(EnvelopeKind.SUPERSEDED, client.client_id, client._incarnation, 0)
    poll = session.poll_egress

    def poll_egress(limit):
        count = poll(limit)
        if then == "closed":
            session.state = ClientState.CLOSED
        else:
            session.leadership_term_id += 1
        return count

    session.poll_egress = poll_egress
    session.egress.append(superseded.encode())
    with pytest.raises(SupersededError):
        rig.work()
    assert client.state is SurvivalState.FAILED
    assert rig.listener.states[-1] is SurvivalState.FAILED


def test_service_with_lost_answers_is_detected(rig):
    rig.client.request(b"one")
    rig.client.request(b"two")
    rig.client.send(b"three")
    began_ns = rig.time.now_ns

    def send_request():
        for _ in range(1000):
            gap(rig, 1)  # sent at each query
            rig.work()

    with pytest.raises(UnknownClientError, match="its requests only up to 1") as caught:
        send_request()
    assert caught.value.in_doubt == (3,)
    assert rig.time.now_ns - began_ns <= rig.client._context.resend_timeout_ns


def test_forgetting_another_client_needs_a_leader_and_space(rig):
    other = 77
    rig.cluster.log += [
        (1, Envelope(EnvelopeKind.OPEN, other, 1, 0).encode()),
        (1, Envelope(EnvelopeKind.REQUEST, other, 1, 1).encode(b"done")),
    ]
    rig.cluster.commit(100)
    assert rig.cluster.requests.last_sequence(other) == 1
    rig.session.room = 1
    assert not rig.client.forget(other)
    rig.session.room = 1000
    assert rig.client.forget(other)
    rig.cluster.commit(100)
    assert rig.cluster.requests.last_sequence(other) is None
    rig.work(5)
    assert rig.client.is_connected
    rig.session.state = ClientState.AWAIT_NEW_LEADER
    rig.work()
    assert not rig.client.forget(other)
    rig.client.close()
    with pytest.raises(ClosedError):
        rig.client.forget(other)


def test_an_ended_session_forgets_no_client(rig):
    rig.session.close()
    assert not rig.client.forget(77)
    assert rig.client.state is SurvivalState.CONNECTING
