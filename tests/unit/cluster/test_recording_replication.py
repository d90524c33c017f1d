"""A replication's reactions to answers, signals and the copy's counter."""

import struct
from types import SimpleNamespace

import pytest

from aeron_cluster.archive.client.archive_client import Answer
from aeron_cluster.archive.client.replication_params import ReplicationParams
from aeron_cluster.archive.protocol.recording_pos import position_key
from aeron_cluster.cluster.log.recording_replication import RecordingReplication
from aeron_cluster.codecs.archive import (
    ControlResponse,
    ControlResponseCode,
    RecordingSignal,
    RecordingSignalEvent,
    ReplicateRequest2,
    StopReplicationRequest,
)
from aeron_cluster.errors import (
    ArchiveError,
    ClusterError,
    ConfigurationError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.shared.counters import AtomicCounter, CountersManager

ARCHIVE_ID = 9
REPLICATION_ID = 77
RECORDING_ID = 3
STOP_POSITION = 4096
TIMEOUT_NS = 1000
INTERVAL_NS = 100
CHANNEL = "aeron:udp?endpoint=other:8010"


class Archive:
    """An archive client with an archive played by the test."""

    def __init__(self):
        self.archive_id = ARCHIVE_ID
        self.counters = CountersManager(bytearray(512 * 16), bytearray(128 * 16))
        self.aeron = SimpleNamespace(counters_reader=self.counters)
        self.context = SimpleNamespace(message_timeout_ns=500)
        self.requests = []
        self.posted = []
        self.answers = {}
        self.undos = {}
        self.error_handlers = {}
        self.is_back_pressured = False

    def request(self, kind, expected=0, /, **values):  # noqa: ARG002
        if self.is_back_pressured:
            return None
        self.requests.append((kind, values))
        return len(self.requests)

    def take_answer(self, correlation_id):
        return self.answers.pop(correlation_id, None)

    def forget(self, correlation_id, undo=None):
        self.undos[correlation_id] = undo

    def post(self, kind, /, **values):
        self.posted.append((kind, values))

    def route_errors(self, correlation_id, handler):
        self.error_handlers[correlation_id] = handler

    def answer(self, correlation_id=1, code=ControlResponseCode.OK, relevant_id=REPLICATION_ID):
        self.answers[correlation_id] = Answer(
            response=ControlResponse(
                control_session_id=1,
                correlation_id=correlation_id,
                relevant_id=relevant_id,
                code=code,
                version=0,
                error_message="" if code is ControlResponseCode.OK else "no",
            )
        )

    def record(self, position, recording_id=RECORDING_ID):
        key = position_key(recording_id, 5, "aeron:ipc", ARCHIVE_ID)
        counter = AtomicCounter(
            self.counters, self.counters.allocate("rec-pos", 100, key, now_ms=0)
        )
        counter.set(position)
        return counter


def signal(kind, *, position=-1, recording_id=RECORDING_ID, correlation_id=REPLICATION_ID):
    return RecordingSignalEvent(
        control_session_id=1,
        correlation_id=correlation_id,
        recording_id=recording_id,
        subscription_id=-1,
        position=position,
        signal=kind,
    )


@pytest.fixture
def archive():
    return Archive()


def replicate(archive, now_ns=0, on_done=None, **params):
    params = {"stop_position": STOP_POSITION} | params
    return RecordingReplication(
        archive,
        2,
        10,
        CHANNEL,
        ReplicationParams(**params),
        progress_timeout_ns=TIMEOUT_NS,
        progress_interval_ns=INTERVAL_NS,
        now_ns=now_ns,
        on_done=on_done,
    )


@pytest.fixture
def replication(archive):
    started = replicate(archive)
    archive.answer()
    started.poll(0)
    return started


def test_queries_at_once_and_takes_its_id_from_the_answer(archive):
    replication = replicate(archive, replication_session_id=6, dst_recording_id=RECORDING_ID)
    [(kind, fields)] = archive.requests
    assert kind is ReplicateRequest2
    assert fields["src_control_channel"] == CHANNEL
    assert (fields["src_recording_id"], fields["src_control_stream_id"]) == (2, 10)
    assert (fields["stop_position"], fields["replication_session_id"]) == (STOP_POSITION, 6)
    assert (replication.poll(0), replication.replication_id) == (0, -1)
    assert replication.recording_id == RECORDING_ID
    archive.answer()
    assert (replication.poll(1), replication.replication_id) == (1, REPLICATION_ID)


def test_a_request_is_sent_again_after_back_pressure(archive):
    archive.is_back_pressured = True
    replication = replicate(archive)
    replication.poll(1)
    assert archive.requests == []
    archive.is_back_pressured = False
    replication.poll(2)
    assert len(archive.requests) == 1


@pytest.mark.parametrize("is_back_pressured", [True, False])
def test_times_out_without_an_answer(archive, is_back_pressured):
    archive.is_back_pressured = is_back_pressured
    replication = replicate(archive)
    replication.poll(499)
    with pytest.raises(TimeoutExpiredError, match="no answer"):
        replication.poll(500)
    assert replication.has_replication_ended


def test_a_rejection_is_raised_with_its_code(archive):
    replication = replicate(archive)
    archive.answer(code=ControlResponseCode.ERROR, relevant_id=5)
    with pytest.raises(ArchiveError) as raised:
        replication.poll(0)
    assert raised.value.code == 5
    assert replication.has_replication_ended
    replication.close()
    assert archive.posted == []


def test_indicates_the_states_as_signals_are_received(replication):
    # RecordingReplicationTest.shouldIndicateAppropriateStatesAsSignalsAreReceived
    def states():
        return (
            replication.has_replication_ended,
            replication.has_synced,
            replication.has_stopped,
        )

    replication.on_signal(signal(RecordingSignal.REPLICATE_END))
    assert states() == (True, False, False)
    replication.on_signal(signal(RecordingSignal.STOP))
    assert states() == (True, False, True)
    replication.on_signal(signal(RecordingSignal.SYNC))
    assert states() == (True, True, True)
    assert replication.last_signal is RecordingSignal.SYNC


@pytest.mark.parametrize("name", ["START", "SYNC", "EXTEND", "REPLICATE", "MERGE"])
def test_stops_the_replication_if_it_has_not_ended(archive, replication, name):
    # RecordingReplicationTest.shouldStopReplicationIfNotAlreadyStopped
    replication.on_signal(signal(RecordingSignal[name], position=STOP_POSITION))
    replication.poll(0)
    assert not replication.has_replication_ended
    replication.close()
    replication.close()
    assert archive.posted == [(StopReplicationRequest, {"replication_id": REPLICATION_ID})]


def test_ended_replication_is_not_stopped(archive, replication):
    replication.on_signal(signal(RecordingSignal.REPLICATE_END))
    replication.close()
    assert archive.posted == []
    assert replication.poll(10**9) == 0


def test_is_done_when_the_copy_is_stored(archive, replication):
    archive.record(0)
    for name in ("REPLICATE", "EXTEND", "SYNC", "REPLICATE_END"):
        replication.on_signal(signal(RecordingSignal[name], position=STOP_POSITION))
        assert not replication.is_done
        replication.poll(0)
    replication.on_signal(signal(RecordingSignal.STOP, position=STOP_POSITION))
    assert replication.is_done
    assert replication.poll(10**9) == 0


def test_the_end_is_reported_once_the_copy_is_stored(archive):
    done = []
    replication = replicate(archive, on_done=lambda *given: done.append(given))
    archive.answer()
    replication.poll(0)
    archive.record(0)
    for name in ("REPLICATE", "EXTEND", "SYNC", "REPLICATE_END"):
        replication.on_signal(signal(RecordingSignal[name], position=STOP_POSITION))
        assert done == []
    for _ in range(2):
        replication.on_signal(signal(RecordingSignal.STOP, position=STOP_POSITION))
    assert done == [(replication, 2)]


def test_is_done_without_a_stop_if_nothing_was_copied(replication):
    replication.on_signal(signal(RecordingSignal.SYNC, position=STOP_POSITION))
    replication.on_signal(signal(RecordingSignal.REPLICATE_END))
    assert replication.is_done
    assert replication.poll(10**9) == 0


def test_fails_if_the_ended_copy_is_not_stored(archive, replication):
    archive.record(0)
    replication.on_signal(signal(RecordingSignal.EXTEND, position=0))
    replication.on_signal(signal(RecordingSignal.REPLICATE_END))
    replication.poll(TIMEOUT_NS - 1)
    with pytest.raises(ClusterError, match="failed to stop"):
        replication.poll(TIMEOUT_NS)


def test_fails_if_it_ends_before_anything_was_copied(replication):
    replication.on_signal(signal(RecordingSignal.REPLICATE_END))
    with pytest.raises(ClusterError, match="ended early"):
        replication.poll(0)


def test_replication_closed_before_its_answer_is_stopped_after_it(archive):
    replication = replicate(archive)
    replication.close()
    archive.undos[1](REPLICATION_ID)
    assert archive.posted == [(StopReplicationRequest, {"replication_id": REPLICATION_ID})]


def test_fails_if_the_recording_is_deleted_during_replication(replication):
    # RecordingReplicationTest.shouldFailIfRecordingLogIsDeletedDuringReplication
    with pytest.raises(ClusterError, match="deleted"):
        replication.on_signal(signal(RecordingSignal.DELETE, position=STOP_POSITION - 1))


def test_fails_if_it_does_not_progress(archive, replication):
    # RecordingReplicationTest.shouldPollForProgressAndFailIfNotProgressing
    archive.record(0)
    replication.on_signal(signal(RecordingSignal.EXTEND, position=0))
    replication.poll(INTERVAL_NS - 1)
    replication.poll(INTERVAL_NS)
    with pytest.raises(ClusterError, match="has not progressed"):
        replication.poll(TIMEOUT_NS)
    assert archive.posted == [(StopReplicationRequest, {"replication_id": REPLICATION_ID})]


def test_follows_the_counter_of_the_copy_at_each_interval(archive, replication):
    archive.record(1, recording_id=RECORDING_ID + 1)
    counter = archive.record(0)
    replication.on_signal(signal(RecordingSignal.EXTEND, position=0))
    counter.set(64)
    replication.poll(INTERVAL_NS - 1)
    assert replication.position == 0
    replication.poll(INTERVAL_NS)
    assert replication.position == 64
    replication.poll(INTERVAL_NS + TIMEOUT_NS - 1)
    with pytest.raises(ClusterError, match="has not progressed"):
        replication.poll(INTERVAL_NS + TIMEOUT_NS)


def test_fails_if_it_does_not_stop_where_it_should(archive, replication):
    archive.record(STOP_POSITION)
    replication.on_signal(signal(RecordingSignal.EXTEND, position=0))
    replication.poll(INTERVAL_NS)
    with pytest.raises(ClusterError, match="failed to stop"):
        replication.poll(INTERVAL_NS + TIMEOUT_NS)


def test_a_counter_reused_for_another_recording_is_ignored(archive, replication):
    counter = archive.record(32)
    replication.on_signal(signal(RecordingSignal.EXTEND, position=0))
    archive.counters.free(counter.counter_id, now_ms=0)
    again = archive.counters.allocate("rec-pos", 100, struct.pack("<q", 8), now_ms=10_000)
    assert again == counter.counter_id
    archive.counters.set_value(again, 640)
    replication.poll(INTERVAL_NS)
    assert replication.position == 0


def test_signals_of_others_are_ignored(replication):
    assert not replication.on_signal(signal(RecordingSignal.STOP, correlation_id=1))
    assert not replication.has_stopped
    assert replication.on_signal(signal(RecordingSignal.STOP, position=96))
    assert (replication.has_stopped, replication.position) == (True, 96)


def test_a_signal_received_with_the_answer_is_not_lost(archive):
    replication = replicate(archive)
    archive.answer()
    replication.on_signal(signal(RecordingSignal.REPLICATE, position=32, recording_id=8))
    assert (replication.recording_id, replication.position) == (8, 32)


def test_retains_the_archives_error(archive, replication):
    archive.error_handlers[REPLICATION_ID](ArchiveError("unknown src recording id 2", 5))
    replication.on_signal(signal(RecordingSignal.REPLICATE_END))
    assert replication.error.code == 5
    assert archive.error_handlers[REPLICATION_ID] is None
    with pytest.raises(ArchiveError, match="unknown src recording id 2"):
        replication.poll(0)
    assert replication.poll(0) == 0


def test_rejects_a_session_id_together_with_a_live_destination(archive):
    with pytest.raises(ConfigurationError, match="live destination"):
        replicate(archive, replication_session_id=6, live_destination="aeron:udp?endpoint=a:1")
