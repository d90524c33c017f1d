"""The single recording of the log, including an abandoned one that was requested but not seen."""

from types import SimpleNamespace

import pytest

from aeron_cluster.archive.client.archive_client import Answer
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.protocol.recording_pos import position_key
from aeron_cluster.cluster.log import log_recording
from aeron_cluster.cluster.log.log_recording import LogRecording
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.codecs.archive import (
    ControlResponse,
    ControlResponseCode,
    ExtendRecordingRequest2,
    ListRecordingRequest,
    ListRecordingSubscriptionsRequest,
    RecordingDescriptor,
    RecordingSubscriptionDescriptor,
    StartRecordingRequest2,
    StopRecordingByIdentityRequest,
    StopRecordingRequest,
    StopRecordingSubscriptionRequest,
)
from aeron_cluster.errors import ArchiveError, ClusterError, TimeoutExpiredError
from aeron_cluster.memory.agents.waiting import Task
from aeron_cluster.memory.shared.counters import AtomicCounter, CountersManager

ARCHIVE_ID = 9
RECORDING_ID = 3
SESSION_ID = 5
TIMEOUT_NS = 500
END = 4096
CHANNEL = "aeron:ipc?session-id=5"
BEGINS = (StartRecordingRequest2, ExtendRecordingRequest2)


class Archive:
    """An archive that answers immediately and begins a recording on the test's request."""

    def __init__(self):
        self.archive_id = ARCHIVE_ID
        self.counters = CountersManager(bytearray(512 * 16), bytearray(128 * 16))
        self.now_ns = 0
        self.context = SimpleNamespace(message_timeout_ns=TIMEOUT_NS)
        self.aeron = SimpleNamespace(
            counters_reader=self.counters, context=SimpleNamespace(now_ns=lambda: self.now_ns)
        )
        self.requests = []
        self.rejected = {}
        self.subscriptions = {}
        self.stop_position = END
        self.is_known = True

    def request(self, kind, _expected, _via, /, **values):
        self.requests.append((kind, values))
        return len(self.requests)

    def take_answer(self, correlation_id):
        kind, _ = self.requests[correlation_id - 1]
        if kind is ListRecordingRequest:
            found = [self._descriptor()] if self.is_known else []
            return Answer(descriptors=found, expected=1)
        if kind is ListRecordingSubscriptionsRequest:
            found = [self._subscription(each) for each in self.subscriptions]
            return Answer(descriptors=found, expected=100)
        code = self.rejected.get(kind)
        return Answer(
            response=ControlResponse(
                control_session_id=1,
                correlation_id=correlation_id,
                relevant_id=77 if code is None else code,
                code=ControlResponseCode.OK if code is None else ControlResponseCode.ERROR,
                version=0,
                error_message="" if code is None else "no",
            )
        )

    def forget(self, correlation_id, undo=None):
        pass

    def poll(self):
        return 0

    def take_requests(self):
        """Return and forget the requests other than descriptor queries."""
        kinds = [kind for kind, _ in self.requests if kind is not ListRecordingRequest]
        self.requests.clear()
        return kinds

    def _descriptor(self):
        return RecordingDescriptor.decode(
            RecordingDescriptor.encode(
                control_session_id=1,
                correlation_id=1,
                recording_id=RECORDING_ID,
                start_timestamp=0,
                stop_timestamp=0,
                start_position=0,
                stop_position=self.stop_position,
                initial_term_id=0,
                segment_file_length=1 << 27,
                term_buffer_length=1 << 16,
                mtu_length=1408,
                session_id=SESSION_ID,
                stream_id=100,
                stripped_channel="",
                original_channel="",
                source_identity="",
            )
        )

    def _subscription(self, subscription_id):
        return RecordingSubscriptionDescriptor.decode(
            RecordingSubscriptionDescriptor.encode(
                control_session_id=1,
                correlation_id=1,
                subscription_id=subscription_id,
                stream_id=100,
                stripped_channel=self.subscriptions[subscription_id],
            )
        )

    def record(self, session_id=SESSION_ID, recording_id=RECORDING_ID):
        """Begin a recording; return the counter's id."""
        key = position_key(recording_id, session_id, "aeron:ipc", ARCHIVE_ID)
        counter_id = self.counters.allocate("rec-pos", 100, key, now_ms=0, registration_id=7)
        AtomicCounter(self.counters, counter_id).set(END)
        return counter_id


@pytest.fixture
def archive():
    return Archive()


def recording_of(archive, recording_id=RECORDING_ID):
    context = SimpleNamespace(options=SimpleNamespace(log_stream_id=100))
    return LogRecording(context, archive.aeron, archive, recording_id)


def run(steps):
    task = Task(steps)
    for _ in range(100):
        task.do_work()
        if task.is_done:
            return task.result
    raise AssertionError("the steps never end")


def give_up(archive, recording):
    """Request a recording that does not begin within its timeout."""
    task = Task(recording.start(CHANNEL, SESSION_ID))
    task.do_work()
    task.do_work()
    archive.now_ns += TIMEOUT_NS + 1
    with pytest.raises(TimeoutExpiredError):
        task.do_work()
    assert recording.counter_id is None
    [kind] = archive.take_requests()
    assert kind in BEGINS


def test_a_started_recording_is_stopped_by_its_id_and_its_counter_awaited(archive):
    recording = recording_of(archive)
    counter_id = archive.record()
    run(recording.start(CHANNEL, SESSION_ID))
    assert (recording.counter_id, recording.position) == (counter_id, END)
    archive.take_requests()
    stopping = Task(recording.stop())
    for _ in range(10):
        stopping.do_work()
    assert not stopping.is_done
    archive.counters.free(counter_id, now_ms=0)
    stopping.do_work()
    assert stopping.result.stop_position == END
    assert archive.take_requests() == [StopRecordingByIdentityRequest]
    assert run(recording.stop()).stop_position == END  # a repeated request, without a wait
    assert archive.take_requests() == [StopRecordingByIdentityRequest]


@pytest.mark.parametrize("code", [None, ArchiveErrorCode.UNKNOWN_SUBSCRIPTION])
def test_an_abandoned_request_is_stopped_before_it_begins(archive, code):
    recording = recording_of(archive)
    give_up(archive, recording)
    archive.rejected[StopRecordingRequest] = code
    assert run(recording.stop()).stop_position == END
    kind, values = archive.requests[0]
    assert (kind, values) == (StopRecordingRequest, {"channel": CHANNEL, "stream_id": 100})
    assert archive.take_requests() == [StopRecordingRequest, StopRecordingByIdentityRequest]


def test_abandoned_first_recording_is_stopped_without_its_id(archive):
    recording = recording_of(archive, recording_id=-1)
    give_up(archive, recording)
    assert run(recording.stop()) is None
    assert archive.take_requests() == [StopRecordingRequest]
    assert run(recording.stop()) is None
    assert archive.take_requests() == []


def test_the_counter_of_an_abandoned_log_is_not_used_for_the_next(archive):
    # A follower that restarts its election records the same session of the same leader.
    recording = recording_of(archive)
    give_up(archive, recording)
    counter_id = archive.record()  # the abandoned recording begins too late
    stopping = Task(recording.stop())
    for _ in range(10):
        stopping.do_work()
    assert not stopping.is_done
    archive.counters.free(counter_id, now_ms=0)
    stopping.do_work()
    assert stopping.is_done


@pytest.mark.parametrize("code", [None, ArchiveErrorCode.UNKNOWN_SUBSCRIPTION])
def test_requests_of_an_earlier_process_are_stopped(archive, code):
    log = "aeron:udp?alias=log-cm|tags=1,2|control-mode=manual|session-id"
    archive.subscriptions = {
        21: f"{log}=-77",
        22: f"{log}={SESSION_ID}",
        23: f"{log}=6",
        24: "aeron-spy:aeron:udp?alias=log|tags=3|session-id=8",
        25: "aeron:udp?alias=log-book|endpoint=localhost:40000",
        26: "aeron:udp?alias=log-book|session-id=tag:3",
    }
    archive.record()
    archive.record(6, RECORDING_ID + 1)
    archive.rejected[StopRecordingSubscriptionRequest] = code
    run(recording_of(archive).stop_earlier())
    listed, *stopped = archive.requests
    assert listed[0] is ListRecordingSubscriptionsRequest
    assert (listed[1]["channel"], listed[1]["stream_id"]) == ("alias=log", 100)
    assert stopped == [
        (StopRecordingSubscriptionRequest, {"subscription_id": each}) for each in (21, 22, 24)
    ]


def test_other_errors_of_that_are_raised(archive):
    archive.subscriptions = {21: "aeron:udp?alias=log-cm|session-id=-77"}
    archive.rejected[StopRecordingSubscriptionRequest] = ArchiveErrorCode.GENERIC
    with pytest.raises(ArchiveError):
        run(recording_of(archive).stop_earlier())


def test_failed_stop_is_repeated(archive):
    recording = recording_of(archive)
    give_up(archive, recording)
    archive.rejected[StopRecordingRequest] = ArchiveErrorCode.GENERIC
    with pytest.raises(ArchiveError):
        run(recording.stop())
    del archive.rejected[StopRecordingRequest]
    archive.take_requests()
    run(recording.stop())
    assert archive.take_requests() == [StopRecordingRequest, StopRecordingByIdentityRequest]


def test_the_log_has_a_position_only_while_it_is_recorded(archive):
    recording = recording_of(archive)
    assert recording.position is None
    counter_id = archive.record()
    run(recording.start(CHANNEL, SESSION_ID))
    assert recording.position == END
    archive.counters.free(counter_id, now_ms=0)
    assert recording.position is None


def test_the_end_of_the_recording_is_awaited(archive):
    recording = recording_of(archive)
    archive.stop_position = -1
    stopping = Task(recording.stop())
    for _ in range(10):
        stopping.do_work()
    assert not stopping.is_done
    archive.stop_position = END
    for _ in range(3):
        stopping.do_work()
    assert stopping.result.stop_position == END


def test_an_archive_that_does_not_know_the_recording_is_named(archive):
    archive.is_known = False
    with pytest.raises(ClusterError, match="recording 3 of the log: unknown to archive 9"):
        run(recording_of(archive).stop())


# ---- the publication of the log ----

MEMBERS = "0,h0:1,h0:2,h0:3,h0:4,h0:5|1,h1:1,h1:2,h1:3,h1:4,h1:5"
FIRST = {"init-term-id": "0", "term-id": "0", "term-offset": "0"}
MANUAL = {"control-mode": "manual"}


@pytest.mark.parametrize(
    ("channel", "members", "has_control", "expected", "destinations"),
    [
        ("aeron:udp", MEMBERS, False, {"ssc": "false"} | MANUAL, True),
        ("aeron:udp", MEMBERS, True, {"ssc": "false", "control": "h0:0"} | MANUAL, True),
        ("aeron:udp", MEMBERS.partition("|")[0], False, {"ssc": "true"} | MANUAL, True),
        (
            "aeron:udp?endpoint=224.20.30.39:24326",
            MEMBERS,
            True,
            {"ssc": "false", "endpoint": "224.20.30.39:24326"},
            False,
        ),
        ("aeron:ipc", MEMBERS.partition("|")[0], True, {}, False),
    ],
    ids=["udp", "control", "alone", "multicast", "ipc"],
)
def test_the_publication_of_a_new_log(
    archive, monkeypatch, channel, members, has_control, expected, destinations
):
    added, made = [], []

    def await_publication(_aeron, uri, stream_id):
        added.append((uri, stream_id))
        yield
        return SimpleNamespace(session_id=SESSION_ID)

    def make(_context, _aeron, _publication, uri):
        made.append(uri)
        return SimpleNamespace(add=lambda: iter(()))

    monkeypatch.setattr(log_recording, "await_exclusive_publication", await_publication)
    monkeypatch.setattr(log_recording, "LogDestinations", make)
    recording = recording_of(archive, recording_id=-1)
    recording._context = SimpleNamespace(
        options=SimpleNamespace(
            log_channel=channel, log_stream_id=100, log_control_enable=has_control
        ),
        members=parse_members(members),
        member=parse_members(members)[0],
    )
    ids = iter((41, 42))
    archive.aeron.next_correlation_id = lambda: next(ids)
    found = run(recording.add_publication(0))
    ((uri, stream_id),) = added
    assert stream_id == 100
    assert {name: uri.get(name) for name in uri} == (
        {"alias": "log", "tags": "41,42"} | FIRST | expected
    )
    assert [each is not None for each in made] == [destinations]
    media = "ipc" if channel == "aeron:ipc" else "udp"
    local = f"aeron:{media}?tags=41|session-id={SESSION_ID}|alias=log"
    assert (found.local, found.spy) == (local, local if media == "ipc" else f"aeron-spy:{local}")


class DestinationError(ClusterError):
    pass


def wait_forever():
    while True:
        yield


def fail():
    yield
    raise DestinationError("of the client")


@pytest.mark.parametrize("add", [wait_forever, fail])
def test_the_publication_is_closed_if_its_destinations_cannot_be_added(archive, monkeypatch, add):
    """An election may end while they are added."""
    closed = []

    def await_publication(_aeron, _uri, _stream_id):
        yield
        return SimpleNamespace(session_id=SESSION_ID, close=lambda: closed.append(True))

    monkeypatch.setattr(log_recording, "await_exclusive_publication", await_publication)
    monkeypatch.setattr(log_recording, "LogDestinations", lambda *_: SimpleNamespace(add=add))
    recording = recording_of(archive, recording_id=-1)
    recording._context = SimpleNamespace(
        options=SimpleNamespace(
            log_channel="aeron:udp", log_stream_id=100, log_control_enable=False
        ),
        members=parse_members(MEMBERS),
        member=parse_members(MEMBERS)[0],
    )
    archive.aeron.next_correlation_id = lambda: 41
    if add is fail:
        with pytest.raises(DestinationError):
            run(recording.add_publication(0))
    else:
        task = Task(recording.add_publication(0))
        for _ in range(5):
            task.do_work()
        assert closed == []
        task.close()
    assert closed == [True]
