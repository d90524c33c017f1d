"""A service that handles batches of the log's messages."""

import struct

import numpy as np
import pytest

from aeron_cluster.cluster.service.clustered_service import handles_batches
from aeron_cluster.cluster.service.session_batch import SessionMessageBatch
from aeron_cluster.codecs.cluster import ScheduleTimer
from aeron_cluster.errors import (
    AgentTerminationError,
    BufferUsageError,
    CallbackError,
    MessageError,
    NondeterminismError,
    ServiceCallbackError,
)
from tests.unit.cluster.service.container_rig import TIME, Calls


class Batching(Calls):
    """Collects the received batches; runs `on_batch` first."""

    def __init__(self, on_batch=None):
        super().__init__()
        self.on_batch = on_batch

    def on_session_messages(self, batch):
        if self.on_batch is not None:
            self.on_batch(batch)
        position = self.cluster.log_position
        found = [(session, timestamp, bytes(message)) for session, timestamp, message in batch]
        self._called("on_session_messages", found, position)


def batches(service):
    """Return the payloads of each batch."""
    return [[each[2] for each in found] for found, _ in service.named("on_session_messages")]


def lead(rig, on_batch=None):
    service = Batching(on_batch)
    rig.lead(service)
    return service


def test_consecutive_messages_are_one_batch(rig):
    service = lead(rig)
    before = rig.position
    rig.open(1)
    opened = rig.position
    rig.message(1, b"one")
    rig.message(-5, b"two", timestamp=TIME + 1)
    rig.message(1, b"", timestamp=TIME + 2)
    rig.commit()
    (session,) = rig.container.cluster.client_sessions
    ((found, position),) = service.named("on_session_messages")
    assert found == [
        (session, TIME, b"one"),
        (None, TIME + 1, b"two"),
        (session, TIME + 2, b""),
    ]
    assert before < position == opened
    assert service.named("on_session_message") == []
    assert rig.container.cluster.time == TIME + 2
    assert rig.errors == []


def test_any_other_event_ends_a_batch(rig):
    service = lead(rig)
    rig.message(-5, b"a")
    rig.timer(7)
    rig.message(-5, b"b")
    rig.message(-5, b"c")
    rig.open(1)
    rig.message(1, b"d")
    rig.commit()
    assert [name for name, *_ in service.calls][-5:] == [
        "on_session_messages",
        "on_timer_event",
        "on_session_messages",
        "on_session_open",
        "on_session_messages",
    ]
    assert batches(service) == [[b"a"], [b"b", b"c"], [b"d"]]


def test_a_fragmented_message_is_a_separate_batch(rig):
    service = lead(rig)
    long = bytes(range(256)) * 20
    for payload in (b"before", long, b"after"):
        rig.message(-5, payload)
    rig.commit()
    assert batches(service) == [[b"before"], [long], [b"after"]]


def test_a_batch_ends_at_the_commit_position(rig):
    service = lead(rig)
    rig.message(-5, b"one")
    first = rig.position
    rig.message(-5, b"two")
    rig.commit(first)
    assert batches(service) == [[b"one"]]
    rig.commit()
    assert batches(service) == [[b"one"], [b"two"]]


def test_headers_and_records_are_columns(rig):
    seen = []

    def look(batch):
        records = batch.records([("id", "<i8"), ("price", "<f8")])
        seen.append((batch.headers.copy(), records["id"].tolist(), float(records["price"].sum())))
        assert len(batch) == 3
        assert not batch.headers.flags.writeable
        assert struct.unpack_from("<q", batch[-1]) == (2,)
        assert repr(batch) == f"<SessionMessageBatch of 3 messages to position {rig.position}>"
        with pytest.raises(MessageError):
            batch.records([("long", "S100")])

    service = lead(rig, look)
    ends = [rig.message(-5, struct.pack("<qd", index, index / 2)) for index in range(3)]
    rig.commit()
    ((headers, ids, total),) = seen
    assert headers["position"].tolist() == ends
    assert headers["timestamp"].tolist() == [TIME] * 3
    assert headers["cluster_session_id"].tolist() == [-5] * 3
    assert (headers["length"] == 16).all()
    assert np.diff(headers["offset"]).tolist() == np.diff(ends).tolist()
    assert (ids, total) == ([0, 1, 2], 1.5)
    assert len(batches(service)) == 1
    assert rig.errors == []


def test_effects_belong_to_the_current_message_of_the_batch(rig):
    places = []

    def send(batch):
        cluster = rig.container.cluster
        for index in (0, 2):
            batch.at(index)
            places.append((cluster.log_position, cluster.time))
            assert cluster.schedule_timer(index, 10)
        assert batch.at(2) is None

    lead(rig, send)
    ends = [rig.message(-5, b"x", timestamp=TIME + index) for index in range(3)]
    rig.commit()
    assert places == [(ends[0], TIME), (ends[2], TIME + 2)]
    assert [rig.next(ScheduleTimer).correlation_id for _ in range(2)] == [0, 2]
    assert rig.errors == []


def test_nothing_is_sent_before_the_batch_has_moved_to_a_message(rig):
    def send(_):
        with pytest.raises(CallbackError, match="before a message of the batch"):
            rig.container.cluster.schedule_timer(1, 10)

    service = lead(rig, send)
    rig.message(-5, b"x")
    rig.commit()
    assert batches(service) == [[b"x"]]
    assert rig.errors == []


def test_a_batch_does_not_move_back(rig):
    def look(batch):
        batch.at(1)
        with pytest.raises(BufferUsageError, match="message 1 or a later one, found 0"):
            batch.at(0)
        with pytest.raises(IndexError):
            batch.at(2)

    service = lead(rig, look)
    rig.message(-5, b"a")
    rig.message(-5, b"b")
    rig.commit()
    assert batches(service) == [[]]
    assert rig.errors == []


def test_a_batch_is_invalid_after_its_callback(rig):
    kept = []
    service = lead(rig, kept.append)
    rig.message(-5, b"a")
    rig.commit()
    assert batches(service) == [[b"a"]]
    (batch,) = kept
    for use in (
        len,
        lambda each: each.at(0),
        lambda each: each[0],
        lambda each: each.headers,
        list,
    ):
        with pytest.raises(BufferUsageError):
            use(batch)
    assert repr(batch) == "<SessionMessageBatch released>"


@pytest.mark.parametrize("payload", [b"short", bytes(5000)], ids=["in place", "assembled"])
def test_an_array_retained_after_the_callback_is_reported(rig, payload):
    kept = []
    service = lead(rig, lambda batch: kept.append(batch.data))
    rig.message(-5, payload)
    rig.message(-5, b"next")
    rig.commit()
    errors = list(rig.errors)
    assert {error.callback for error in errors} == {"on_session_messages"}
    assert all(isinstance(error.__cause__, BufferUsageError) for error in errors)
    assert "expected no view of it at its release, found 1" in str(errors[0].__cause__)
    assert kept[0].tobytes().startswith(payload)
    assert [each for batch in batches(service) for each in batch] == [payload, b"next"]


def test_a_failure_ends_the_container(rig):
    """Under every policy: the skipped rest of the batch differs between members."""

    def fail(batch):
        batch.at(1)
        raise ValueError("no")

    service = lead(rig, fail)
    rig.open(1)
    rig.message(-5, b"a")
    failed = rig.message(1, b"b")
    rig.message(-5, b"c")
    rig.commit_position.set(rig.position)
    rig.until(lambda: rig.container.is_terminated)
    assert service.named("on_session_messages") == []
    error = rig.errors[0]
    assert isinstance(error, ServiceCallbackError)
    assert (error.callback, error.log_position) == ("on_session_messages", failed)
    assert error.cluster_session_id == 1
    assert isinstance(rig.container.failure, AgentTerminationError)
    assert "the skipped rest of the batch" in str(rig.container.failure)


def test_a_batch_is_not_created_by_hand():
    with pytest.raises(TypeError, match="SessionMessageBatch"):
        SessionMessageBatch()


def test_a_services_class_decides_about_batches():
    assert handles_batches(Batching())
    assert not handles_batches(Calls())


def test_nothing_follows_a_failed_batch_in_the_same_pass(rig):
    """A fragmented message is a batch of its own, and ends the one before."""

    def fail(_):
        raise ValueError("no")

    service = lead(rig, fail)
    rig.message(-5, b"before")
    rig.message(-5, bytes(5000))
    rig.message(-5, b"after")
    rig.commit_position.set(rig.position)
    rig.until(lambda: rig.ended)
    (error,) = rig.errors
    assert isinstance(error, ServiceCallbackError)
    assert isinstance(error.__cause__, ValueError)
    assert service.named("on_session_messages") == []


def test_an_interrupted_batch_is_no_failure(rig):
    interrupts = [KeyboardInterrupt]

    def interrupt(_):
        if interrupts:
            raise interrupts.pop()

    service = lead(rig, interrupt)
    rig.message(-5, b"first")
    rig.commit_position.set(rig.position)
    with pytest.raises(KeyboardInterrupt):
        rig.until(lambda: False)
    rig.message(-5, b"second")
    rig.commit()
    assert batches(service) == [[b"second"]]
    assert (rig.errors, rig.ended) == ([], 0)


@pytest.mark.parametrize("works", [True, False])
def test_a_checked_service_may_take_batches(rig, works):
    import time  # noqa: PLC0415

    class Working(Batching):
        def do_background_work(self, _now_ns):
            time.time()
            return 0

    service = (Working if works else Batching)()
    rig.lead(service, check_determinism=True)
    rig.message(-5, b"one")
    rig.message(-5, b"two")
    rig.commit()
    assert batches(service) == [[b"one", b"two"]]
    assert rig.errors == []
    service.on_batch = lambda _: time.time()
    rig.message(-5, b"three")
    rig.commit_position.set(rig.position)
    rig.until(lambda: rig.ended)
    cause = rig.errors[0].__cause__
    assert isinstance(cause, NondeterminismError)
    assert (cause.call, cause.callback) == ("time.time", "on_session_messages")


def test_event_after_a_batch_that_ends_the_container_is_not_handled(rig):
    def end(_batch):
        raise AgentTerminationError("of the service")

    service = lead(rig, end)
    rig.message(-5, b"one")
    rig.timer(7)
    rig.commit_position.set(rig.position)
    rig.until(lambda: rig.container.is_terminated)
    assert service.named("on_timer_event") == []
