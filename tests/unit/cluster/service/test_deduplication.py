"""The table by which a service applies each request once."""

import functools
import sys
import zlib
from dataclasses import replace
from types import SimpleNamespace

import pytest

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster.service import deduplication
from aeron_cluster.cluster.service.deduplication import Deduplication, NotAccepted
from aeron_cluster.codecs.request_envelope import (
    ENVELOPE_LENGTH,
    ENVELOPE_MAGIC,
    OPENED_BODY,
    Envelope,
    EnvelopeKind,
    FailureCause,
)
from aeron_cluster.errors import (
    AgentTerminationError,
    ConfigurationError,
    CorruptError,
    ModuleEndedError,
    RejectedRequestError,
    StateError,
)
from tests.unit.cluster.service.fake_cluster import FakeCluster, Snapshot

CLIENT, OTHER = 77, 78
HOUR_MS = 3_600_000


class Service:
    """A service that counts its applied requests, and its clients."""

    def __init__(self, **options):
        self.cluster = FakeCluster()
        self.session = self.cluster.open(1)
        self.options = options
        self.requests = Deduplication(self.cluster, **options)
        self.applied = []
        self.now_ms = 1000

    def apply(self, request):
        self.applied.append((request.client_id, request.sequence, request.payload))
        if request.payload == b"fail":
            raise KeyError("no such thing")
        if request.payload == b"exit":
            sys.exit(3)
        if request.payload == b"reject":
            raise RejectedRequestError("not today")
        return request.payload.upper()

    def deliver(self, kind, sequence, body=b"", *, client=CLIENT, acked=0, life=5, session=None):
        """Deliver a message; return the replies to the client as (kind, sequence, body)."""
        session = session or self.session
        message = Envelope(kind, client, life, sequence, acked).encode(body)
        self.requests.handle(session, self.now_ms, message, self.apply)
        return [(one.kind, one.sequence, answer) for one, answer in session.take()]

    def open(self, sequence=0, **more):
        return self.deliver(EnvelopeKind.OPEN, sequence, **more)

    def request(self, sequence, body=b"a", **more):
        return self.deliver(EnvelopeKind.REQUEST, sequence, body, **more)

    def accept(self, sequence, body, *, life=5):
        """Deliver a request that is answered later; return it."""
        message = Envelope(EnvelopeKind.REQUEST, CLIENT, life, sequence).encode(body)
        request = self.requests.accept(self.session, self.now_ms, message)
        assert request
        self.session.take()
        return request

    def restored(self):
        """Return a service that loaded this one's snapshot, and the snapshot."""
        snapshot = Snapshot()
        self.requests.write_snapshot(snapshot)
        other = Service(**self.options)
        assert all(map(other.requests.load, snapshot.messages))
        other.requests.check_loaded()
        return other, snapshot.messages


@pytest.fixture
def service():
    service = Service(window_length=4)
    assert service.open() == [(EnvelopeKind.OPENED, 0, OPENED_BODY.pack(4, 0))]
    return service


def test_a_request_is_applied_and_its_answer_names_it(service):
    assert service.request(1, b"one") == [(EnvelopeKind.ANSWER, 1, b"ONE")]
    assert service.applied == [(CLIENT, 1, b"one")]
    assert service.requests.last_sequence(CLIENT) == 1
    assert service.requests.last_sequence(OTHER) is None


def test_a_repeated_request_is_answered_again_and_not_applied(service):
    service.request(1, b"one")
    assert service.request(1, b"one") == [(EnvelopeKind.ANSWER, 1, b"ONE")]
    assert len(service.applied) == 1
    assert service.requests.duplicates == 1


def test_acknowledged_answer_is_forgotten(service):
    service.request(1)
    service.request(2, acked=1)
    assert service.request(1) == []
    assert len(service.applied) == 2


def test_a_gap_is_reported_and_waits_for_the_missing_requests(service):
    service.request(1)
    assert service.request(3) == [(EnvelopeKind.GAP, 1, b"")]
    assert service.request(2) == [(EnvelopeKind.ANSWER, 2, b"A")]
    assert service.request(3) == [(EnvelopeKind.ANSWER, 3, b"A")]
    assert [sequence for _, sequence, _ in service.applied] == [1, 2, 3]
    assert (service.requests.rejected, service.requests.duplicates) == (1, 0)


@pytest.mark.parametrize("damage", ["magic", "version", "kind", "client", "sequence"])
def test_envelope_damaged_in_one_log_does_not_end_its_client(damage):
    """The replayed log's requests were all accepted and answered when it was written."""
    service = Service(window_length=4)
    service.open()
    service.request(1)
    at, bit = {
        "magic": (0, 1),
        "version": (4, 2),
        "kind": (6, 64),
        "client": (8, 1),
        "sequence": (24, 64),
    }[damage]
    message = bytearray(Envelope(EnvelopeKind.REQUEST, CLIENT, 5, 2, 1).encode(b"b"))
    message[at] ^= bit
    service.requests.handle(service.session, service.now_ms, bytes(message), service.apply)
    service.session.take()
    # Sent before the answer to the second request; it cannot be distinguished from a filled gap.
    assert service.request(3, acked=1) == [(EnvelopeKind.GAP, 1, b"")]
    # The client has answers to lost requests: it is notified, and its next request is applied.
    assert service.request(4, acked=3) == [
        (EnvelopeKind.UNKNOWN_CLIENT, 1, b""),
        (EnvelopeKind.ANSWER, 4, b"A"),
    ]
    assert service.request(5, acked=4) == [(EnvelopeKind.ANSWER, 5, b"A")]
    assert [sequence for _, sequence, _ in service.applied] == [1, 4, 5]
    assert service.requests.lost == 2
    assert service.requests.last_sequence(CLIENT) == 5
    (error,) = service.cluster.reported
    assert (error.client_id, error.first, error.last) == (CLIENT, 2, 3)
    assert str(error).startswith(
        "member 2, term 3, log position 4096: service 0 lacks requests 2 to 3 of surviving client"
        " 77, which has their answers; "
    )
    other, _ = service.restored()
    assert other.requests.last_sequence(CLIENT) == 5


def test_a_loss_is_reported_once_for_each_client(service):
    service.open(client=OTHER)
    for client in (CLIENT, OTHER):
        service.request(3, acked=2, client=client)
        service.request(9, acked=8, client=client)
    assert service.requests.lost == 14
    found = [(each.client_id, each.first, each.last) for each in service.cluster.reported]
    assert found == [(CLIENT, 1, 2), (OTHER, 1, 2)]


def test_a_loss_is_detected_where_its_client_sends_no_further_request(service):
    service.request(1)
    service.deliver(EnvelopeKind.FORGET, 3, acked=3)
    assert service.requests.lost == 2
    assert [(each.first, each.last) for each in service.cluster.reported] == [(2, 3)]
    service.open()
    service.request(1)
    assert service.open(4, life=6) == [(EnvelopeKind.UNKNOWN_CLIENT, 1, b"")]
    assert [(each.first, each.last) for each in service.cluster.reported[1:]] == [(2, 4)]


def test_client_receives_the_logs_maximum_length():
    service = Service(window_length=4)
    service.cluster.max_payload_length = 8160
    assert service.open() == [(EnvelopeKind.OPENED, 0, OPENED_BODY.pack(4, 8160))]


def test_data_beyond_the_window_is_rejected(service):
    for sequence in range(1, 5):
        service.request(sequence)
    assert service.request(5) == [(EnvelopeKind.GAP, 4, b"")]
    assert service.request(5, acked=1) == [(EnvelopeKind.ANSWER, 5, b"A")]
    assert service.requests.rejected == 1


def test_an_unknown_client_is_notified(service):
    assert service.request(1, client=OTHER) == [(EnvelopeKind.UNKNOWN_CLIENT, 0, b"")]
    assert service.applied == []
    assert service.requests.rejected == 1


def test_a_client_with_more_answers_than_the_table_is_notified(service):
    assert service.open(3, client=OTHER) == [(EnvelopeKind.UNKNOWN_CLIENT, 0, b"")]
    service.request(1)
    assert service.open(2) == [(EnvelopeKind.UNKNOWN_CLIENT, 1, b"")]


def test_a_later_process_takes_over_and_the_earlier_one_is_notified(service):
    service.request(1, b"old")
    assert service.open(life=6) == [(EnvelopeKind.OPENED, 1, OPENED_BODY.pack(4, 0))]
    assert service.request(2, life=5) == [(EnvelopeKind.SUPERSEDED, 1, b"")]
    assert service.requests.rejected == 1
    assert service.open(life=5) == [(EnvelopeKind.SUPERSEDED, 1, b"")]
    assert service.request(2, b"new", life=6, acked=1) == [(EnvelopeKind.ANSWER, 2, b"NEW")]
    assert service.request(3, life=7) == [(EnvelopeKind.UNKNOWN_CLIENT, 0, b"")]
    assert [payload for *_, payload in service.applied] == [b"old", b"new"]


def test_a_repeated_open_retains_the_answers(service):
    service.request(1)
    service.open()
    assert service.request(1) == [(EnvelopeKind.ANSWER, 1, b"A")]


def test_a_failed_request_is_reported_by_its_type_and_counts_as_applied(service):
    with pytest.raises(KeyError):
        service.request(1, b"fail")
    [(envelope, body)] = service.session.take()
    assert (envelope.acknowledged, body) == (FailureCause.FAILED, b"KeyError")
    assert service.request(1, b"fail") == [(EnvelopeKind.FAILURE, 1, b"KeyError")]
    assert len(service.applied) == 1


def test_exiting_request_fails_like_any_other(service):
    with pytest.raises(SystemExit):
        service.request(1, b"exit")
    assert service.session.take()[0][1] == b"SystemExit"
    assert service.request(1, b"exit") == [(EnvelopeKind.FAILURE, 1, b"SystemExit")]


def test_a_rejected_request_gets_its_reason_and_is_no_error(service):
    assert service.request(1, b"reject") == [(EnvelopeKind.FAILURE, 1, b"not today")]
    assert service.request(1, b"reject") == [(EnvelopeKind.FAILURE, 1, b"not today")]
    assert len(service.applied) == 1
    assert cause_of(service, 1) == FailureCause.REJECTED


def cause_of(service, sequence):
    """Request an answer once more, and return its cause."""
    message = Envelope(EnvelopeKind.REQUEST, CLIENT, 5, sequence).encode(b"")
    service.requests.handle(service.session, service.now_ms, message, service.apply)
    [(envelope, _)] = service.session.take()
    return envelope.acknowledged


def test_a_late_answer_is_sent_to_the_current_session(service):
    message = Envelope(EnvelopeKind.REQUEST, CLIENT, 5, 1).encode(b"slow")
    request = service.requests.accept(service.session, 1000, message)
    assert (request.client_id, request.sequence, request.payload) == (CLIENT, 1, b"slow")
    second = service.cluster.open(2)
    assert service.request(1, session=second) == [(EnvelopeKind.PENDING, 1, b"")]
    service.requests.answer(request, b"done")
    assert service.session.take() == []
    assert [body for _, body in second.take()] == [b"done"]
    with pytest.raises(StateError, match="answered before"):
        service.requests.answer(request, b"done again")


def test_an_answer_for_a_closed_client_is_dropped(service):
    message = Envelope(EnvelopeKind.REQUEST, CLIENT, 5, 1).encode(b"slow")
    request = service.requests.accept(service.session, 1000, message)
    service.deliver(EnvelopeKind.FORGET, 1)
    assert len(service.requests) == 0
    service.requests.answer(request)
    assert service.session.take() == []


def test_a_slow_client_is_not_waited_for(service):
    service.session.results = [NotSent.BACK_PRESSURED] * 3
    assert service.request(1) == []
    assert service.requests.unsent == 1
    assert service.cluster.idled == 3
    assert service.request(1) == [(EnvelopeKind.ANSWER, 1, b"A")]
    service.session.results = [NotSent.NOT_CONNECTED]
    assert service.request(2) == []
    assert service.cluster.idled == 3


def test_a_short_back_pressure_is_waited_out(service):
    service.session.results = [NotSent.ADMIN_ACTION, NotSent.BACK_PRESSURED]
    assert service.request(1) == [(EnvelopeKind.ANSWER, 1, b"A")]


def test_a_new_client_replaces_a_long_inactive_one():
    service = Service(max_clients=2, idle_timeout_ns=3600 * 10**9)
    gone, there = service.cluster.open(2), service.cluster.open(3)
    service.open(client=1, session=gone)
    service.open(client=2, session=there)
    assert service.open(client=3) == [(EnvelopeKind.NO_ROOM, 0, b"")]
    service.cluster.close(2)
    assert service.open(client=3) == [(EnvelopeKind.NO_ROOM, 0, b"")]
    service.now_ms += HOUR_MS
    assert service.open(client=3)[0][0] is EnvelopeKind.OPENED
    assert service.requests.last_sequence(1) is None
    # Silent too, but its session is open.
    assert service.requests.last_sequence(2) == 0


def test_nonsense_is_rejected(service):
    for sequence, acked in ((0, 0), (-1, 0), (1, 1), (2, 5), (1, -1)):
        assert service.request(sequence, acked=acked) == []
    assert service.deliver(EnvelopeKind.ANSWER, 1) == []
    assert service.requests.rejected == 6
    message = Envelope(EnvelopeKind.REQUEST, CLIENT, 5, 1).encode()
    of_service = service.requests.accept(None, 1000, message)
    assert of_service is NotAccepted.REJECTED
    assert not Deduplication.is_request(b"no")
    assert Deduplication.is_request(message)
    assert message[:4] == ENVELOPE_MAGIC.to_bytes(4, "little")
    assert service.applied == []


def test_no_client_message_raises(service):
    def deliver(message):
        return service.requests.handle(service.session, 1000, message, service.apply)

    message = Envelope(EnvelopeKind.REQUEST, CLIENT, 5, 1).encode(b"a")
    assert deliver(b"no envelope at all") is deliver(b"") is NotAccepted.FOREIGN
    assert deliver(message[:4] + b"\2" + message[5:]) is NotAccepted.REJECTED
    assert deliver(message[:6] + b"\x63" + message[7:]) is NotAccepted.REJECTED
    assert deliver(message[:20]) is NotAccepted.REJECTED
    assert (service.requests.foreign, service.requests.rejected) == (2, 3)
    assert service.session.take() == service.applied == []
    assert deliver(message) is True
    assert deliver(message) is NotAccepted.HANDLED
    assert not NotAccepted.HANDLED


@pytest.mark.parametrize("option", ["max_clients", "window_length", "idle_timeout_ns"])
def test_options_are_above_zero(option):
    Deduplication(FakeCluster(), **{option: 1})
    for value in (0, -1, -5000):
        with pytest.raises(ConfigurationError, match=f"{option}: .*above 0.*{value}$"):
            Deduplication(FakeCluster(), **{option: value})


def test_a_snapshot_restores_the_entire_table(service):
    service.request(1, b"x" * 10_000)  # the snapshot has several messages
    service.request(2, b"")
    with pytest.raises(KeyError):
        service.request(3, b"fail")
    message = Envelope(EnvelopeKind.REQUEST, CLIENT, 5, 4).encode(b"slow")
    service.requests.accept(service.session, service.now_ms, message)
    service.open(client=OTHER)
    other, messages = service.restored()
    assert other.request(1) == [(EnvelopeKind.ANSWER, 1, b"X" * 10_000)]
    assert other.request(2) == [(EnvelopeKind.ANSWER, 2, b"")]
    assert other.request(3) == [(EnvelopeKind.FAILURE, 3, b"KeyError")]
    assert other.request(4) == [(EnvelopeKind.PENDING, 4, b"")]
    assert other.applied == []
    fresh, again = service.restored()
    assert again == messages
    assert fresh.restored()[1] == messages
    assert max(map(len, messages)) <= 8192 - 32


def with_cause(message, cause):
    """Return a record of an answer with another cause, above its kind; the others unchanged."""
    envelope = Envelope.decode(message)
    if envelope.kind is not EnvelopeKind.SNAPSHOT_ANSWER:
        return message
    kind = envelope.incarnation & 0xFFFF
    return replace(envelope, incarnation=kind | cause << 16).encode(message[ENVELOPE_LENGTH:])


def loaded(messages):
    """Load records whose checksum was made for others."""
    *records, end = messages
    checksum = functools.reduce(lambda value, each: zlib.crc32(each, value), records, 0)
    end = replace(Envelope.decode(end), incarnation=checksum).encode()
    service = Service(window_length=4)
    assert all(map(service.requests.load, [*records, end]))
    return service


def test_a_snapshot_holds_why_a_request_failed(service):
    service.request(1, b"reject")
    with pytest.raises(KeyError):
        service.request(2, b"fail")
    other, messages = service.restored()
    assert [cause_of(other, 1), cause_of(other, 2)] == [1, 2]
    # Services of earlier versions wrote the kind alone.
    older = loaded([with_cause(each, 0) for each in messages])
    assert [cause_of(older, 1), cause_of(older, 2)] == [0, 0]
    assert older.request(1) == [(EnvelopeKind.FAILURE, 1, b"not today")]
    for cause in (3, -1):
        with pytest.raises(CorruptError, match="one of a known kind"):
            loaded([with_cause(each, cause) for each in messages])
    service = Service(window_length=4)
    service.open()
    service.request(1)
    with pytest.raises(CorruptError, match="one of a known kind"):
        loaded([with_cause(each, 1) for each in service.restored()[1]])


def test_a_snapshot_may_hold_messages_of_the_service_too(service):
    assert service.requests.load(b"something else") is False


def test_a_damaged_snapshot_is_rejected(service):
    service.request(1)
    _, messages = service.restored()
    for damaged in (
        messages[1:],
        messages[:1] + messages[2:],
        [*messages[:-1], messages[0], messages[-1]],
        [messages[0], messages[1][:-1] + b"?", messages[2]],
        [*messages, messages[0]],
        [messages[0], messages[0]],
        [messages[0][:-1]],
        [messages[0], messages[1], messages[1]],
        [messages[0], messages[1][:16] + b"\xff" + messages[1][17:]],
        [Envelope(EnvelopeKind.REQUEST, 1, 1, 1).encode()],
    ):
        other = Service()
        with pytest.raises(CorruptError, match="snapshot of the requests"):
            list(map(other.requests.load, damaged))
    other = Service()
    list(map(other.requests.load, messages[:-1]))
    with pytest.raises(CorruptError, match="expected a complete one"):
        other.requests.check_loaded()
    assert ENVELOPE_LENGTH == 40


class Image:
    """A snapshot's messages, of which one is read with each poll."""

    def __init__(self, messages, closed_after=None):
        self.messages = list(messages)
        self.closed_after = closed_after

    @property
    def is_end_of_stream(self):
        return not self.messages

    @property
    def is_closed(self):
        return self.closed_after == 0

    def poll(self, assembler, _limit):
        if self.closed_after is not None:
            self.closed_after -= 1
        flags = SimpleNamespace(flags=0xC0)  # not fragmented
        assembler(self.messages.pop(0), flags)
        return 1


@pytest.fixture
def unassembled(monkeypatch):
    monkeypatch.setattr(deduplication, "FragmentAssembler", lambda handler: handler)


def test_a_snapshot_of_the_table_alone_is_read_from_its_image(service, unassembled):
    assert unassembled is None
    service.request(1, b"one")
    _, messages = service.restored()
    other = Service(window_length=4)
    other.requests.load_all(Image(messages))
    assert other.request(1) == [(EnvelopeKind.ANSWER, 1, b"ONE")]
    with pytest.raises(CorruptError, match="of the table"):
        Service().requests.load_all(Image([b"of the service", *messages]))
    with pytest.raises(CorruptError, match="expected a complete one"):
        Service().requests.load_all(Image(messages, closed_after=len(messages) - 1))


def test_clients_with_an_open_session_are_kept_however_long_they_were_inactive():
    """A few of them at a time are examined: the new client is rejected, and opens again."""
    service = Service(max_clients=6, idle_timeout_ns=1_000_000_000)
    for client in range(1, 7):
        service.open(client=client)
    service.now_ms += HOUR_MS
    newcomer = service.cluster.open(2)
    assert service.open(client=OTHER, session=newcomer) == [(EnvelopeKind.NO_ROOM, 0, b"")]
    assert [service.requests.last_sequence(client) for client in range(1, 7)] == [0] * 6
    service.cluster.close(1)  # the session of all of them
    service.now_ms += HOUR_MS
    (opened,) = service.open(client=OTHER, session=newcomer)
    assert opened[0] is EnvelopeKind.OPENED
    assert [service.requests.last_sequence(client) for client in range(1, 7)].count(None) == 1


def test_a_late_answer_for_a_closed_session_is_kept_until_its_client_returns(service):
    message = Envelope(EnvelopeKind.REQUEST, CLIENT, 5, 1).encode(b"slow")
    request = service.requests.accept(service.session, service.now_ms, message)
    service.cluster.close(1)
    service.requests.answer(request, b"done")
    assert service.session.take() == []
    again = service.cluster.open(2)
    service.open(session=again)
    assert service.request(1, b"slow", session=again) == [(EnvelopeKind.ANSWER, 1, b"done")]
    assert service.applied == []


@pytest.mark.parametrize("way", ["forgotten", "evicted"])
def test_a_late_answer_is_not_that_of_a_later_client_of_the_same_id(way):
    service = Service(max_clients=1)
    service.open()
    late = service.accept(1, b"old")
    if way == "forgotten":
        service.deliver(EnvelopeKind.OPEN, 0, life=6)
        service.deliver(EnvelopeKind.FORGET, 0, life=6)
    else:
        service.cluster.close(1)
        service.session = service.cluster.open(2)
        service.now_ms += HOUR_MS
        service.open(client=OTHER)
        service.deliver(EnvelopeKind.FORGET, 0, client=OTHER)
    service.open(life=7)
    new = service.accept(1, b"new", life=7)
    service.requests.answer(late, b"OLD")
    assert service.session.take() == []
    service.requests.answer(new, b"NEW")
    assert [body for _, body in service.session.take()] == [b"NEW"]


def test_a_request_that_the_service_has_restored_needs_no_incarnation(service):
    request = service.accept(1, b"one")
    service.requests.answer(replace(request, incarnation=0), b"ONE")
    assert [body for _, body in service.session.take()] == [b"ONE"]


def test_the_same_is_sent_to_a_session_whose_close_was_requested_as_to_another(service):
    """A new leader, or a member restarted from a snapshot, does not count it as closing."""
    service.session.is_closing = True
    assert service.request(1, b"one") == [(EnvelopeKind.ANSWER, 1, b"ONE")]


@pytest.mark.parametrize("end", [KeyboardInterrupt, AgentTerminationError, ModuleEndedError])
def test_the_end_of_the_process_is_no_failure_of_a_request(service, end):
    def interrupt(_request):
        raise end

    message = Envelope(EnvelopeKind.REQUEST, CLIENT, 5, 1).encode(b"one")
    with pytest.raises(end):
        service.requests.handle(service.session, service.now_ms, message, interrupt)
    assert service.session.take() == []
    assert service.request(1, b"one") == [(EnvelopeKind.PENDING, 1, b"")]


def test_a_table_shows_its_clients():
    service = Service(max_clients=7)
    service.open()
    assert repr(service.requests) == "<Deduplication 1 of 7 clients>"
