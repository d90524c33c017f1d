"""The control protocol, message by message, against an archive driven by the test."""

import re
import sys

import pytest

from aeron_cluster.archive import RecordingEventsAdapter, RecordingEventsPoller
from aeron_cluster.archive.context import CLUSTER_CHECKSUMS
from aeron_cluster.archive.control.conductor import ArchiveConductor
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.recording.recorder import PositionSlots
from aeron_cluster.archive.replay.replays import Replays
from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.client.security import DefaultAuthenticator, deny_all
from aeron_cluster.codecs import archive as codecs
from aeron_cluster.codecs.archive import (
    ArchiveIdRequest,
    AttachSegmentsRequest,
    BoundedReplayRequest,
    Challenge,
    ChallengeResponse,
    CloseSessionRequest,
    ControlResponse,
    ControlResponseCode,
    DeleteDetachedSegmentsRequest,
    DetachSegmentsRequest,
    ExtendRecordingRequest2,
    FindLastMatchingRecordingRequest,
    KeepAliveRequest,
    ListRecordingRequest,
    ListRecordingsForUriRequest,
    ListRecordingsRequest,
    ListRecordingSubscriptionsRequest,
    MaxRecordedPositionRequest,
    Ping,
    PurgeRecordingRequest,
    PurgeSegmentsRequest,
    RecordingDescriptor,
    RecordingPositionRequest,
    RecordingSignal,
    RecordingSignalEvent,
    RecordingSubscriptionDescriptor,
    ReplayRequest,
    SourceLocation,
    StartPositionRequest,
    StartRecordingRequest2,
    StopAllReplaysRequest,
    StopPositionRequest,
    StopRecordingByIdentityRequest,
    StopRecordingRequest,
    StopRecordingSubscriptionRequest,
    StopReplayRequest,
    TruncateRecordingRequest,
)
from aeron_cluster.errors import (
    AgentTerminationError,
    ArchiveError,
    CallbackExitError,
    ConfigurationError,
)
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.memory.shared.counter_descriptor import MAX_LABEL_LENGTH
from tests.unit.archive.archive_rig import RESPONSE_STREAM_ID, ArchiveRig, Client

CHANNEL = "aeron:ipc?term-length=64k|alias=orders"
STREAM_ID = 77
RECORDING_POSITION_TYPE = 100
CONTROL_SESSION_TYPE = 113
NONSENSE = {
    "response_stream_id": RESPONSE_STREAM_ID,
    "version": 1 << 16,
    "response_channel": "nonsense",
    "encoded_credentials": b"",
    "client_info": "",
}


@pytest.fixture
def rig_of(shm_dir):
    rigs = []

    def make(**options):
        rigs.append(ArchiveRig(shm_dir, **options))
        return rigs[-1]

    yield make
    for rig in rigs:
        rig.close()


@pytest.fixture
def rig(rig_of):
    return rig_of()


@pytest.fixture
def client(rig):
    return Client(rig).connect()


def count_of(rig, type_id):
    """Return the number of counters of a type."""
    return sum(one.type_id == type_id for one in rig.aeron.counters_reader.counters())


def error_of(response):
    assert response.code == ControlResponseCode.ERROR, response
    return response.relevant_id


# ---- connecting ----


def test_an_accepted_client_receives_the_archive_id(rig, client):
    assert client.send_request(ArchiveIdRequest).relevant_id == rig.archive.archive_id
    assert rig.errors == []


def test_the_ok_is_repeated_until_the_client_requests_something(client):
    again = client.await_message(ControlResponse, client.connect_id)
    assert (again.code, again.relevant_id) == (ControlResponseCode.OK, client.session_id)
    client.send(KeepAliveRequest)
    client.await_message(Ping)


def test_a_quiet_session_gets_keepalives_without_a_call_of_the_conductor(client, monkeypatch):
    client.send_request(ArchiveIdRequest)
    client.await_message(Ping)
    called = []
    do_work = ArchiveConductor.do_work
    monkeypatch.setattr(ArchiveConductor, "do_work", lambda it: called.append(it) or do_work(it))
    client.await_message(Ping)
    client.await_message(Ping)
    assert called == []
    client.send_request(ArchiveIdRequest)
    assert called


def test_another_major_version_is_rejected(rig):
    client = Client(rig, version=2 << 16)
    response = client.await_message(ControlResponse, client.connect_id)
    assert error_of(response) == response.control_session_id
    assert response.error_message == "invalid client version 2.0.0, archive is 1.12.0"


def test_a_request_before_the_connection_is_dropped(rig):
    client = Client(rig)
    client.session_id = 12345
    client.send(ArchiveIdRequest)
    rig.await_that(lambda: rig.errors)
    assert "unknown controlSessionId=12345" in str(rig.errors[0])


class Doorman:
    """Requires the password."""

    def __init__(self):
        self.answers = {}

    def on_connect_request(self, session_id, encoded_credentials, _now_ms):
        pass

    def on_challenge_response(self, session_id, encoded_credentials, _now_ms):
        self.answers[session_id] = encoded_credentials

    def on_connected_session(self, proxy, _now_ms):
        proxy.challenge(b"the word?")

    def on_challenged_session(self, proxy, _now_ms):
        answer = self.answers.get(proxy.session_id)
        if answer == b"sesame":
            proxy.authenticate(b"ali")
        elif answer is not None:
            proxy.reject()


def challenged(rig):
    client = Client(rig)
    challenge = client.await_message(Challenge, client.connect_id)
    assert challenge.encoded_challenge == b"the word?"
    client.session_id = challenge.control_session_id
    return client


def test_a_correct_challenge_response_is_accepted(rig_of):
    client = challenged(rig_of(authenticator_supplier=Doorman))
    response = client.send_request(ChallengeResponse, encoded_credentials=b"sesame")
    assert (response.code, response.relevant_id) == (ControlResponseCode.OK, client.session_id)
    assert client.send_request(ArchiveIdRequest).code == ControlResponseCode.OK


def test_a_wrong_challenge_response_is_rejected(rig_of):
    client = challenged(rig_of(authenticator_supplier=Doorman))
    response = client.send_request(ChallengeResponse, encoded_credentials=b"barley")
    assert error_of(response) == ArchiveErrorCode.AUTHENTICATION_REJECTED
    assert response.error_message == "authentication rejected"


def test_an_unauthorised_request_is_rejected(rig_of):
    rig = rig_of(authorisation_service=deny_all)
    client = Client(rig).connect()
    response = client.send_request(ArchiveIdRequest)
    assert error_of(response) == ArchiveErrorCode.UNAUTHORISED_ACTION


def exiting(*_):
    sys.exit(3)


def test_exiting_authorisation_service_allows_nothing(rig_of):
    rig = rig_of(authorisation_service=exiting)
    client = Client(rig).connect()
    assert error_of(client.send_request(ArchiveIdRequest)) == ArchiveErrorCode.GENERIC
    (error,) = rig.errors
    assert (type(error), error.callback) == (CallbackExitError, "authorisation_service")
    assert isinstance(error.__cause__, SystemExit)


@pytest.mark.parametrize(
    "method", ["on_connect_request", "on_connected_session", "on_challenged_session"]
)
def test_exiting_authenticator_accepts_no_client(rig_of, method):
    rig = rig_of(authenticator_supplier=type("Leaving", (Doorman,), {method: exiting}))
    client = Client(rig)
    rig.await_that(lambda: rig.errors)
    assert {type(error) for error in rig.errors} == {CallbackExitError}
    assert not [each for each in client.poll() if isinstance(each, ControlResponse)]


class Strict(DefaultAuthenticator):
    """Rejects wrong credentials before the connection, by an exception."""

    def on_connect_request(self, session_id, encoded_credentials, now_ms):  # noqa: ARG002
        if encoded_credentials != b"sesame":
            raise ValueError("wrong credentials")


def test_client_whose_connect_request_raises_is_not_accepted(rig_of):
    rig = rig_of(authenticator_supplier=Strict)
    client = Client(rig)
    rig.await_that(lambda: rig.errors)
    assert [str(error) for error in rig.errors] == ["wrong credentials"]
    Client(rig, encoded_credentials=b"sesame").connect()
    # A session of the first client would be older, and accepted by now.
    assert client.poll() == []
    rig.await_that(lambda: count_of(rig, CONTROL_SESSION_TYPE) == 1)


@pytest.mark.parametrize("method", ["on_connect_request", "on_connected_session"])
def test_authenticator_may_end_the_archive(rig_of, method):
    def end(*_):
        raise AgentTerminationError("not with this one")

    rig = rig_of(authenticator_supplier=type("Ending", (Doorman,), {method: end}))
    Client(rig)
    with pytest.raises(AgentTerminationError, match="not with this one"):
        rig.await_that(lambda: rig.errors)


def test_a_closed_session_is_removed(rig, client):
    client.send(KeepAliveRequest)
    client.requests.offer(CloseSessionRequest.encode(control_session_id=client.session_id))
    rig.await_that(lambda: not client.responses.is_connected)
    assert rig.errors == []


# ---- recordings ----


class Stream:
    """A publication that the archive records."""

    def __init__(self, client, channel=CHANNEL, **start):
        self.client = client
        self.rig = client.rig
        self.publication = self.rig.aeron.add_exclusive_publication(channel, STREAM_ID)
        self.started = client.send_request(
            StartRecordingRequest2,
            **{
                "stream_id": STREAM_ID,
                "source_location": SourceLocation.LOCAL,
                "auto_stop": False,
                "channel": channel,
            }
            | start,
        )
        assert self.started.code == ControlResponseCode.OK, self.started
        signal = client.await_message(RecordingSignalEvent)
        assert signal.signal == RecordingSignal.START
        self.recording_id = signal.recording_id

    def offer(self, *messages):
        for message in messages:
            self.rig.await_that(lambda message=message: self.publication.offer(message))
        return self.await_recorded()

    def await_recorded(self):
        position = self.publication.position
        self.rig.await_that(
            lambda: (
                self.client.send_request(
                    RecordingPositionRequest, recording_id=self.recording_id
                ).relevant_id
                >= position
            )
        )
        return position

    def stop(self):
        """Stop the recording; return its end."""
        response = self.client.send_request(
            StopRecordingRequest, stream_id=STREAM_ID, channel=CHANNEL
        )
        assert response.code == ControlResponseCode.OK, response
        signal = self.client.await_message(RecordingSignalEvent)
        assert signal.signal == RecordingSignal.STOP
        assert signal.correlation_id == self.started.correlation_id
        return signal.position


def position_of(client, kind, recording_id):
    return client.send_request(kind, recording_id=recording_id).relevant_id


def test_positions_before_and_after_the_stop(client):
    stream = Stream(client)
    position = stream.offer(b"a" * 100, b"b" * 100)
    recording_id = stream.recording_id
    assert position_of(client, StartPositionRequest, recording_id) == 0
    assert position_of(client, RecordingPositionRequest, recording_id) == position
    assert position_of(client, MaxRecordedPositionRequest, recording_id) == position
    assert position_of(client, StopPositionRequest, recording_id) == -1
    assert stream.stop() == position
    assert position_of(client, RecordingPositionRequest, recording_id) == -1
    assert position_of(client, MaxRecordedPositionRequest, recording_id) == position
    assert position_of(client, StopPositionRequest, recording_id) == position


UNKNOWN = {
    RecordingPositionRequest: {},
    StartPositionRequest: {},
    StopPositionRequest: {},
    MaxRecordedPositionRequest: {},
    StopRecordingByIdentityRequest: {},
    TruncateRecordingRequest: {"position": 0},
    PurgeRecordingRequest: {},
    ReplayRequest: {
        "position": 0,
        "length": -1,
        "replay_stream_id": 5,
        "file_io_max_length": -1,
        "replay_token": -1,
        "replay_channel": "aeron:ipc",
    },
    ExtendRecordingRequest2: {
        "stream_id": 5,
        "source_location": SourceLocation.LOCAL,
        "auto_stop": False,
        "channel": "aeron:ipc",
    },
}


@pytest.mark.parametrize("kind", UNKNOWN, ids=lambda kind: kind.__name__)
def test_an_unknown_recording_is_an_error(client, kind):
    response = client.send_request(kind, recording_id=99, **UNKNOWN[kind])
    assert error_of(response) == ArchiveErrorCode.UNKNOWN_RECORDING
    assert response.error_message == "unknown recording id: 99"


def test_one_channel_is_recorded_once_for_all_its_aliases(client):
    Stream(client)
    response = client.send_request(
        StartRecordingRequest2,
        stream_id=STREAM_ID,
        source_location=SourceLocation.LOCAL,
        auto_stop=False,
        channel="aeron:ipc?alias=other",
    )
    assert error_of(response) == ArchiveErrorCode.ACTIVE_SUBSCRIPTION


def test_the_label_of_a_long_channel_is_cut_before_the_archives_id(client):
    channel = "aeron:ipc?alias=" + "long-" * 100
    stream = Stream(client, channel=channel)
    stream.offer(b"a")
    (counter,) = client.rig.aeron.counters_reader.counters(RECORDING_POSITION_TYPE)
    assert len(counter.label) == MAX_LABEL_LENGTH
    assert counter.label.startswith(f"rec-pos: {stream.recording_id} ")
    assert re.search(r"(long-)+l?o?n?g? - archiveId=\d+$", counter.label)


def test_an_invalid_channel_is_an_error(client):
    response = client.send_request(
        StartRecordingRequest2,
        stream_id=STREAM_ID,
        source_location=SourceLocation.LOCAL,
        auto_stop=False,
        channel="aeron:tcp?endpoint=nowhere",
    )
    assert error_of(response) == ArchiveErrorCode.GENERIC


def test_the_limit_of_recordings_holds(rig_of):
    client = Client(rig_of(max_concurrent_recordings=1)).connect()
    Stream(client)
    response = client.send_request(
        StartRecordingRequest2,
        stream_id=5,
        source_location=SourceLocation.LOCAL,
        auto_stop=False,
        channel="aeron:ipc",
    )
    assert error_of(response) == ArchiveErrorCode.MAX_RECORDINGS
    assert response.error_message == "max concurrent recordings reached 1"
    response = client.send_request(
        ExtendRecordingRequest2,
        recording_id=0,
        stream_id=5,
        source_location=SourceLocation.LOCAL,
        auto_stop=False,
        channel="aeron:ipc",
    )
    assert error_of(response) == ArchiveErrorCode.MAX_RECORDINGS
    assert response.error_message == "max concurrent recordings reached at 1"


def test_low_space_rejects_a_recording(rig_of):
    client = Client(rig_of(low_storage_space_threshold=1 << 60)).connect()
    response = client.send_request(
        StartRecordingRequest2,
        stream_id=5,
        source_location=SourceLocation.LOCAL,
        auto_stop=False,
        channel="aeron:ipc",
    )
    assert error_of(response) == ArchiveErrorCode.STORAGE_SPACE


def test_an_archive_with_low_space_starts_with_a_warning(rig_of, caplog):
    made = rig_of(low_storage_space_threshold=1 << 60)
    (warning,) = [each for each in caplog.messages if "recordings are rejected" in each]
    assert warning.startswith(f"{made.directory}/archive: ")
    assert "not more than the low storage threshold of 1,152,921,504,606,846,976" in warning
    assert "make room, or lower aeron.archive.low.storage.space.threshold" in warning


def test_stopping_an_unknown_recording_is_an_error(client):
    response = client.send_request(StopRecordingRequest, stream_id=5, channel="aeron:ipc")
    assert error_of(response) == ArchiveErrorCode.UNKNOWN_SUBSCRIPTION
    response = client.send_request(StopRecordingSubscriptionRequest, subscription_id=5)
    assert error_of(response) == ArchiveErrorCode.UNKNOWN_SUBSCRIPTION


def test_a_recording_is_stopped_by_its_subscription_or_its_id(client):
    stream = Stream(client)
    response = client.send_request(
        StopRecordingSubscriptionRequest, subscription_id=stream.started.relevant_id
    )
    assert response.code == ControlResponseCode.OK
    assert client.await_message(RecordingSignalEvent).signal == RecordingSignal.STOP
    stream.publication.close()
    stream = Stream(client)
    for expected in (1, 0):
        response = client.send_request(
            StopRecordingByIdentityRequest, recording_id=stream.recording_id
        )
        assert response.relevant_id == expected
        if expected:
            client.await_message(RecordingSignalEvent)


def test_a_recording_is_extended_where_it_stopped(rig, client):
    stream = Stream(client)
    stream.offer(b"first" * 20)
    stopped = stream.stop()
    log = stream.publication
    term_id, initial = log.term_id, log.initial_term_id
    stream.publication.close()
    channel = (
        f"aeron:ipc?term-length=64k|init-term-id={initial}|term-id={term_id}|term-offset={stopped}"
    )
    publication = rig.aeron.add_exclusive_publication(channel, STREAM_ID)
    response = client.send_request(
        ExtendRecordingRequest2,
        recording_id=stream.recording_id,
        stream_id=STREAM_ID,
        source_location=SourceLocation.LOCAL,
        auto_stop=True,
        channel="aeron:ipc",
    )
    assert response.code == ControlResponseCode.OK
    signal = client.await_message(RecordingSignalEvent)
    assert (signal.signal, signal.position) == (RecordingSignal.EXTEND, stopped)
    assert signal.recording_id == stream.recording_id
    rig.await_that(lambda: publication.offer(b"second" * 20))
    end = publication.position
    publication.close()
    signal = client.await_message(RecordingSignalEvent)
    assert (signal.signal, signal.position) == (RecordingSignal.STOP, end)
    assert position_of(client, StopPositionRequest, stream.recording_id) == end


def test_an_extension_is_noted_before_its_catalog_entry_changes(rig, client, monkeypatch):
    # If the process were killed here, the archive would treat a last frame ending in zeros as torn.
    stream = Stream(client)
    stopped = stream.stop()
    log = stream.publication
    term_id, initial = log.term_id, log.initial_term_id
    stream.publication.close()
    marks = rig.directory / "archive" / "archive-mark.dat"
    extend, noted = Catalog.extend, []

    def extend_noted(*arguments):
        noted.append(PositionSlots.read(marks.read_bytes()[4096:8192]))
        return extend(*arguments)

    monkeypatch.setattr(Catalog, "extend", extend_noted)
    rig.aeron.add_exclusive_publication(
        f"aeron:ipc?term-length=64k|init-term-id={initial}|term-id={term_id}|term-offset={stopped}",
        STREAM_ID,
    )
    client.send_request(
        ExtendRecordingRequest2,
        recording_id=stream.recording_id,
        stream_id=STREAM_ID,
        source_location=SourceLocation.LOCAL,
        auto_stop=True,
        channel="aeron:ipc",
    )
    client.await_message(RecordingSignalEvent)
    assert [each.get(stream.recording_id) for each in noted] == [stopped]


def test_image_not_continuing_the_recording_is_an_error(rig, client):
    stream = Stream(client)
    stream.offer(b"first" * 20)
    stream.stop()
    stream.publication.close()
    rig.aeron.add_exclusive_publication("aeron:ipc?term-length=64k", STREAM_ID)
    correlation_id = client.send(
        ExtendRecordingRequest2,
        recording_id=stream.recording_id,
        stream_id=STREAM_ID,
        source_location=SourceLocation.LOCAL,
        auto_stop=True,
        channel="aeron:ipc",
    )
    assert client.await_message(ControlResponse, correlation_id).code == ControlResponseCode.OK
    response = client.await_message(ControlResponse, correlation_id)
    assert error_of(response) == ArchiveErrorCode.INVALID_EXTENSION
    assert "image.joinPosition=0 != rec.stopPosition=" in response.error_message


# ---- lists ----


def test_lists_end_with_a_marker_unless_the_count_was_reached(client):
    stream = Stream(client)
    for count, is_marked in ((1, False), (2, True)):
        correlation_id = client.send(ListRecordingsRequest, from_recording_id=0, record_count=count)
        found = client.await_message(RecordingDescriptor, correlation_id)
        assert found.recording_id == stream.recording_id
        assert found.original_channel == CHANNEL
        assert found.stripped_channel == "aeron:ipc?alias=orders"
        if is_marked:
            response = client.await_message(ControlResponse, correlation_id)
            assert response.code == ControlResponseCode.RECORDING_UNKNOWN
    response = client.send_request(
        ListRecordingsForUriRequest,
        from_recording_id=0,
        record_count=5,
        stream_id=STREAM_ID,
        channel="alias=others",
    )
    assert response.code == ControlResponseCode.RECORDING_UNKNOWN
    response = client.send_request(ListRecordingRequest, recording_id=44)
    assert (response.code, response.relevant_id) == (ControlResponseCode.RECORDING_UNKNOWN, 44)
    correlation_id = client.send(ListRecordingRequest, recording_id=stream.recording_id)
    assert client.await_message(RecordingDescriptor, correlation_id).stop_position == -1


def test_recording_subscriptions_are_listed(client):
    stream = Stream(client)
    correlation_id = client.send(
        ListRecordingSubscriptionsRequest,
        pseudo_index=0,
        subscription_count=5,
        apply_stream_id=True,
        stream_id=STREAM_ID,
        channel="aeron:ipc",
    )
    found = client.await_message(RecordingSubscriptionDescriptor, correlation_id)
    assert found.subscription_id == stream.started.relevant_id
    response = client.await_message(ControlResponse, correlation_id)
    assert response.code == ControlResponseCode.SUBSCRIPTION_UNKNOWN


def test_the_last_match_is_found(client):
    stream = Stream(client)
    fields = {"session_id": stream.publication.session_id, "stream_id": STREAM_ID}
    response = client.send_request(
        FindLastMatchingRecordingRequest, min_recording_id=0, channel="orders", **fields
    )
    assert response.relevant_id == stream.recording_id
    response = client.send_request(
        FindLastMatchingRecordingRequest, min_recording_id=0, channel="others", **fields
    )
    assert response.relevant_id == -1
    response = client.send_request(
        FindLastMatchingRecordingRequest, min_recording_id=-1, channel="", **fields
    )
    assert error_of(response) == ArchiveErrorCode.UNKNOWN_RECORDING


# ---- replays ----

REPLAY_STREAM_ID = 78


def replay(client, recording_id, position=-1, length=-1, **more):
    return client.send_request(
        more.pop("kind", ReplayRequest),
        recording_id=recording_id,
        position=position,
        length=length,
        replay_stream_id=REPLAY_STREAM_ID,
        file_io_max_length=-1,
        replay_token=-1,
        replay_channel=more.pop("channel", "aeron:ipc"),
        **more,
    )


def collect(rig, subscription, count):
    got = []
    assembler = FragmentAssembler(lambda view, _header: got.append(bytes(view)))

    def is_there():
        subscription.poll(assembler, 100)
        return len(got) >= count

    rig.await_that(is_there)
    return got


def test_replay_returns_the_recorded_messages(rig, client):
    stream = Stream(client)
    messages = [b"%d" % number * 200 for number in range(100)]
    stream.offer(*messages)
    stream.stop()
    subscription = rig.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    response = replay(client, stream.recording_id)
    assert response.code == ControlResponseCode.OK
    assert collect(rig, subscription, len(messages)) == messages
    image_session = response.relevant_id & 0xFFFF_FFFF
    assert response.relevant_id >> 32 == 1
    assert image_session == subscription.images[0].session_id & 0xFFFF_FFFF
    rig.await_that(lambda: not subscription.is_connected)


def test_a_replay_follows_a_growing_recording(rig, client):
    stream = Stream(client)
    stream.offer(b"before")
    subscription = rig.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    response = replay(client, stream.recording_id)
    assert response.code == ControlResponseCode.OK
    assert collect(rig, subscription, 1) == [b"before"]
    stream.offer(b"after")
    assert collect(rig, subscription, 1) == [b"after"]
    response = client.send_request(PurgeRecordingRequest, recording_id=stream.recording_id)
    assert error_of(response) == ArchiveErrorCode.ACTIVE_RECORDING
    stream.stop()
    rig.await_that(lambda: not subscription.is_connected)


def test_a_replay_is_stopped(rig, client):
    stream = Stream(client)
    stream.offer(b"before")
    subscription = rig.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    replay_id = replay(client, stream.recording_id).relevant_id
    collect(rig, subscription, 1)
    assert client.send_request(StopReplayRequest, replay_session_id=replay_id).relevant_id == 0
    rig.await_that(lambda: not subscription.is_connected)
    assert (
        client.send_request(StopReplayRequest, replay_session_id=99).code == ControlResponseCode.OK
    )
    response = client.send_request(StopAllReplaysRequest, recording_id=-1)
    assert response.code == ControlResponseCode.OK


def test_a_replay_that_nobody_receives_ends_with_an_error(rig_of):
    client = Client(rig_of(connect_timeout_ns="250ms")).connect()
    stream = Stream(client)
    stream.offer(b"before")
    request = replay(client, stream.recording_id)
    response = client.await_message(ControlResponse, request.correlation_id)
    assert error_of(response) == ArchiveErrorCode.GENERIC
    assert response.error_message.startswith(
        "no connection established for replayChannel=aeron:ipc?"
    )
    assert response.error_message.endswith(
        f", replayStreamId={REPLAY_STREAM_ID}, recordingId={stream.recording_id},"
        f" replaySessionId={request.relevant_id}, segmentFile={stream.recording_id}-0.rec"
    )


@pytest.mark.parametrize("is_stopped", [True, False])
@pytest.mark.parametrize("flag", [0x80, 0x40], ids=["begin", "end"])
@pytest.mark.parametrize("number", [0, 1])
def test_flipped_flag_of_a_recorded_frame_ends_its_replay(rig_of, number, flag, is_stopped):
    """No checksum covers it; the frames are as long as fragments of a longer message."""
    rig = rig_of(**CLUSTER_CHECKSUMS)
    client = Client(rig).connect()
    stream = Stream(client)
    stream.offer(*[b"x" * (1408 - 32)] * 3)
    if is_stopped:
        stream.stop()
    with (rig.directory / "archive" / f"{stream.recording_id}-0.rec").open("r+b") as file:
        file.seek(number * 1408 + 5)
        file.write(bytes([0xC0 ^ flag]))
    rig.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    request = replay(client, stream.recording_id)
    assert request.code == ControlResponseCode.OK
    response = client.await_message(ControlResponse, request.correlation_id)
    assert error_of(response) == ArchiveErrorCode.GENERIC
    # A message that does not end is detected where the next one begins.
    position = (number + (flag == 0x40)) * 1408
    assert response.error_message.startswith(f"damaged frame at position={position} ")
    assert ": flags " in response.error_message


def test_a_segment_that_cannot_be_deleted_is_reported(rig, client):
    stream = Stream(client)
    stream.offer(b"before")
    stream.stop()
    kept = rig.directory / "archive" / f"{stream.recording_id}-{1 << 20}.rec"
    (kept / "not empty").mkdir(parents=True)
    request = client.send_request(PurgeRecordingRequest, recording_id=stream.recording_id)
    assert (request.code, request.relevant_id) == (ControlResponseCode.OK, 2)
    response = client.await_message(ControlResponse, request.correlation_id)
    assert error_of(response) == ArchiveErrorCode.GENERIC
    assert response.error_message.startswith(f"unable to delete segment file: {kept}: ")
    signal = client.await_message(RecordingSignalEvent, request.correlation_id)
    assert signal.signal == RecordingSignal.DELETE
    assert kept.is_dir()


def test_a_bounded_replay_stops_at_the_counter(rig, client):
    stream = Stream(client)
    stream.offer(b"a" * 32, b"b" * 32, b"c" * 32)
    counter = rig.aeron.add_counter(1001, "limit")
    counter.set(64)
    subscription = rig.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    response = replay(
        client,
        stream.recording_id,
        kind=BoundedReplayRequest,
        limit_counter_id=counter.counter_id,
    )
    assert response.code == ControlResponseCode.OK
    assert collect(rig, subscription, 1) == [b"a" * 32]
    for _ in range(50):
        rig.step()
    assert collect(rig, subscription, 0) == []
    counter.set(192)
    assert collect(rig, subscription, 2) == [b"b" * 32, b"c" * 32]
    counter.close()
    rig.await_that(lambda: not subscription.is_connected)


@pytest.mark.parametrize(
    ("position", "length", "code"),
    [
        (33, -1, ArchiveErrorCode.GENERIC),
        (1 << 20, -1, ArchiveErrorCode.INVALID_POSITION),
        (96, -1, ArchiveErrorCode.INVALID_POSITION),
        (32, -1, ArchiveErrorCode.INVALID_POSITION),
        (0, -3, ArchiveErrorCode.GENERIC),
    ],
    ids=["unaligned", "far beyond", "the end", "within a frame", "a length below zero"],
)
def test_invalid_replay_positions_are_rejected(client, position, length, code):
    stream = Stream(client)
    stream.offer(b"x" * 64)
    stream.stop()
    assert error_of(replay(client, stream.recording_id, position, length)) == code


def test_an_invalid_replay_channel_is_rejected(client):
    stream = Stream(client)
    stream.offer(b"x")
    stream.stop()
    response = replay(client, stream.recording_id, channel="aeron:nothing")
    assert error_of(response) == ArchiveErrorCode.GENERIC
    assert "replayChannel" in response.error_message


def test_the_limit_of_replays_holds(rig_of):
    rig = rig_of(max_concurrent_replays=1)
    client = Client(rig).connect()
    stream = Stream(client)
    stream.offer(b"x")
    assert replay(client, stream.recording_id).code == ControlResponseCode.OK
    assert error_of(replay(client, stream.recording_id)) == ArchiveErrorCode.MAX_REPLAYS


# ---- shorter recordings ----


def test_truncation_at_a_frame_and_rejection_elsewhere(client):
    stream = Stream(client)
    stream.offer(*[b"x" * 96] * 10)
    end = stream.stop()
    recording_id = stream.recording_id
    for position in (end + 32, 33, -32):
        response = client.send_request(
            TruncateRecordingRequest, recording_id=recording_id, position=position
        )
        assert error_of(response) == ArchiveErrorCode.INVALID_POSITION
    response = client.send_request(
        TruncateRecordingRequest, recording_id=recording_id, position=160
    )
    assert error_of(response) == ArchiveErrorCode.GENERIC
    # The rejected requests changed nothing.
    assert position_of(client, StopPositionRequest, recording_id) == end
    response = client.send_request(
        TruncateRecordingRequest, recording_id=recording_id, position=256
    )
    assert (response.code, response.relevant_id) == (ControlResponseCode.OK, 0)
    assert client.await_message(RecordingSignalEvent).signal == RecordingSignal.DELETE
    assert position_of(client, StopPositionRequest, recording_id) == 256


def test_a_purged_recording_is_removed_with_its_files(rig, client):
    stream = Stream(client)
    stream.offer(b"x")
    stream.stop()
    response = client.send_request(PurgeRecordingRequest, recording_id=stream.recording_id)
    assert response.relevant_id == 1
    assert client.await_message(RecordingSignalEvent).signal == RecordingSignal.DELETE
    assert list((rig.directory / "archive").glob("*.rec")) == []
    response = client.send_request(StopPositionRequest, recording_id=stream.recording_id)
    assert error_of(response) == ArchiveErrorCode.UNKNOWN_RECORDING


# ---- bad input ----


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\x00" * 3,
        b"\xff" * 64,
        KeepAliveRequest.encode(control_session_id=1, correlation_id=2)[:10],
    ],
    ids=["empty", "short", "foreign", "truncated"],
)
def test_malformed_requests_are_reported_and_the_session_continues(rig, client, message):
    client.send(KeepAliveRequest)
    rig.await_that(lambda: client.requests.offer(message))
    assert client.send_request(ArchiveIdRequest).code == ControlResponseCode.OK


def test_an_unknown_template_is_ignored(rig, client):
    client.send(KeepAliveRequest)
    unknown = bytearray(KeepAliveRequest.encode(control_session_id=1, correlation_id=2))
    unknown[2:4] = (999).to_bytes(2, "little")
    rig.await_that(lambda: client.requests.offer(bytes(unknown)))
    assert client.send_request(ArchiveIdRequest).code == ControlResponseCode.OK
    assert rig.errors == []


def test_response_stream_is_the_requested_one(client):
    assert client.responses.stream_id == RESPONSE_STREAM_ID
    assert codecs.SCHEMA.schema_id == 101


# ---- segments ----


def segments(rig):
    names = [each.stem for each in (rig.directory / "archive").glob("*.rec")]
    return sorted(int(name.partition("-")[2]) for name in names)


def test_segments_are_detached_attached_and_deleted(rig, client):
    stream = Stream(client)
    segment = 128 << 10
    while stream.publication.position < 3 * segment:
        stream.offer(*[b"x" * 1000] * 60)
    recording_id = stream.recording_id
    assert segments(rig) == [0, segment, 2 * segment, 3 * segment]

    for position in (1024, 0, 9 * segment):
        response = client.send_request(
            DetachSegmentsRequest, recording_id=recording_id, new_start_position=position
        )
        assert error_of(response) == ArchiveErrorCode.GENERIC
    response = client.send_request(
        DetachSegmentsRequest, recording_id=recording_id, new_start_position=2 * segment
    )
    assert response.code == ControlResponseCode.OK
    assert position_of(client, StartPositionRequest, recording_id) == 2 * segment

    response = client.send_request(AttachSegmentsRequest, recording_id=recording_id)
    assert response.relevant_id == 2
    assert position_of(client, StartPositionRequest, recording_id) == 0

    client.send_request(
        DetachSegmentsRequest, recording_id=recording_id, new_start_position=segment
    )
    response = client.send_request(DeleteDetachedSegmentsRequest, recording_id=recording_id)
    assert response.relevant_id == 1
    assert client.await_message(RecordingSignalEvent).signal == RecordingSignal.DELETE
    assert segments(rig) == [segment, 2 * segment, 3 * segment]

    response = client.send_request(
        PurgeSegmentsRequest, recording_id=recording_id, new_start_position=3 * segment
    )
    assert response.relevant_id == 2
    assert client.await_message(RecordingSignalEvent).signal == RecordingSignal.DELETE
    assert segments(rig) == [3 * segment]
    assert position_of(client, AttachSegmentsRequest, recording_id) == 0


def test_an_archive_continues_with_its_files(rig_of):
    first = rig_of()
    client = Client(first).connect()
    stream = Stream(client)
    end = stream.offer(b"kept" * 10)
    first.close()
    again = rig_of()
    client = Client(again).connect()
    assert position_of(client, StopPositionRequest, stream.recording_id) == end
    subscription = again.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    assert replay(client, stream.recording_id).code == ControlResponseCode.OK
    assert collect(again, subscription, 1) == [b"kept" * 10]


def test_recording_events_report_start_progress_and_stop(rig_of):
    rig = rig_of(
        recording_events_enabled=True, recording_events_channel="aeron:ipc?term-length=64k"
    )
    events = []
    subscription = rig.aeron.add_subscription("aeron:ipc", 30)
    rig.await_that(lambda: subscription.is_connected)

    def note(view, _header):
        events.append(codecs.decode(view))

    client = Client(rig).connect()
    stream = Stream(client)
    stream.offer(b"x" * 32)

    def is_reported(kind):
        subscription.poll(note, 100)
        return any(isinstance(event, kind) for event in events)

    rig.await_that(lambda: is_reported(codecs.RecordingProgress))
    end = stream.stop()
    rig.await_that(lambda: is_reported(codecs.RecordingStopped))
    started, *progress, stopped = events
    assert (started.recording_id, started.channel) == (stream.recording_id, CHANNEL)
    assert progress[-1].position == stopped.stop_position == end


@pytest.mark.parametrize("position", [0, 96, (64 << 10) + 32])
def test_recording_events_have_the_position_where_the_recording_began(rig_of, position):
    rig = rig_of(
        recording_events_enabled=True, recording_events_channel="aeron:ipc?term-length=64k"
    )
    poller = RecordingEventsPoller(rig.aeron.add_subscription("aeron:ipc", 30))
    client = Client(rig).connect()
    term_id, offset = divmod(position, 64 << 10)
    beginning = f"init-term-id=0|term-id={term_id}|term-offset={offset}"
    stream = Stream(client, f"{CHANNEL}|{beginning}")
    stream.offer(b"x" * 32)
    events = []

    def is_reported(kind):
        events.extend(filter(None, [poller.poll()]))
        return isinstance(events[-1], kind) if events else False

    rig.await_that(lambda: is_reported(codecs.RecordingProgress))
    stream.stop()
    rig.await_that(lambda: is_reported(codecs.RecordingStopped))
    assert len(events) >= 3
    assert {each.start_position for each in events} == {position}


class Noted:
    """Receives recording events."""

    def __init__(self):
        self.calls = []

    def on_start(self, *fields):
        self.calls.append(("start", *fields))

    def on_progress(self, *fields):
        self.calls.append(("progress", *fields))

    def on_stop(self, *fields):
        self.calls.append(("stop", *fields))


def test_recording_events_have_readers(rig_of):
    rig = rig_of(
        recording_events_enabled=True, recording_events_channel="aeron:ipc?term-length=64k"
    )
    subscriptions = [rig.aeron.add_subscription("aeron:ipc", 30) for _ in range(2)]
    rig.await_that(lambda: all(each.is_connected for each in subscriptions))
    noted = Noted()
    adapter = RecordingEventsAdapter(noted, subscriptions[0], fragment_limit=2)
    poller = RecordingEventsPoller(subscriptions[1])
    assert (poller.poll(), adapter.poll()) == (None, 0)
    stream = Stream(Client(rig).connect())
    stream.offer(b"x" * 32)
    end = stream.stop()

    def last_call():
        adapter.poll()
        return noted.calls[-1:]

    events = []

    def last_event():
        if (event := poller.poll()) is not None:
            events.append(event)
        return events[-1:]

    own = stream.recording_id
    rig.await_that(lambda: last_call() == [("stop", own, 0, end)])
    rig.await_that(lambda: any(isinstance(each, codecs.RecordingStopped) for each in last_event()))
    session_id = stream.publication.session_id
    assert noted.calls[0] == ("start", own, 0, session_id, STREAM_ID, CHANNEL, "aeron:ipc")
    assert isinstance(events[0], codecs.RecordingStarted)
    assert [type(each).__name__[len("Recording") :].lower() for each in events[1:-1]] == [
        call[0] for call in noted.calls[1:-1]
    ]
    assert events[-1].stop_position == end


def test_other_messages_of_the_schema_are_no_recording_events(rig):
    streams = [
        (
            rig.aeron.add_subscription("aeron:ipc?term-length=64k", stream_id),
            rig.aeron.add_exclusive_publication("aeron:ipc?term-length=64k", stream_id),
        )
        for stream_id in (30, 31)
    ]
    messages = (
        KeepAliveRequest.encode(control_session_id=1, correlation_id=2),
        codecs.RecordingProgress.encode(recording_id=1, start_position=2, position=3),
    )
    for _, publication in streams:
        for each in messages:
            rig.await_that(lambda to=publication, each=each: to.offer(each))
    noted = Noted()
    assert RecordingEventsAdapter(noted, streams[0][0]).poll() == 2
    assert noted.calls == [("progress", 1, 2, 3)]
    poller = RecordingEventsPoller(streams[1][0])
    assert poller.poll().position == 3
    assert poller.poll() is None


def test_truncated_recording_event_is_an_error(rig):
    subscription = rig.aeron.add_subscription("aeron:ipc?term-length=64k", 30)
    publication = rig.aeron.add_publication("aeron:ipc?term-length=64k", 30)
    event = codecs.RecordingProgress.encode(recording_id=1, start_position=2, position=3)
    rig.await_that(lambda: publication.offer(event[:-4]) > 0)
    with pytest.raises(ArchiveError, match="recording event RecordingProgress: "):
        rig.await_that(RecordingEventsPoller(subscription).poll)


@pytest.mark.parametrize("message", [b"short", bytes(32)])
def test_other_message_than_a_recording_event_is_an_error(rig, message):
    subscription = rig.aeron.add_subscription("aeron:ipc?term-length=64k", 30)
    publication = rig.aeron.add_publication("aeron:ipc?term-length=64k", 30)
    rig.await_that(lambda: publication.offer(message) > 0)
    with pytest.raises(ArchiveError, match="expected schemaId=101"):
        rig.await_that(RecordingEventsPoller(subscription).poll)


def test_first_ending_image_stops_an_auto_stop_recording(client):
    stream = Stream(client, auto_stop=True)
    stream.offer(b"x")
    stream.publication.close()
    assert client.await_message(RecordingSignalEvent).signal == RecordingSignal.STOP
    response = client.send_request(StopRecordingRequest, stream_id=STREAM_ID, channel=CHANNEL)
    assert error_of(response) == ArchiveErrorCode.UNKNOWN_SUBSCRIPTION


def test_a_later_image_is_a_separate_recording(client):
    stream = Stream(client)
    stream.publication.close()
    assert client.await_message(RecordingSignalEvent).signal == RecordingSignal.STOP
    client.rig.aeron.add_exclusive_publication(CHANNEL, STREAM_ID)
    signal = client.await_message(RecordingSignalEvent)
    assert signal.signal == RecordingSignal.START
    assert signal.recording_id == stream.recording_id + 1


def test_later_image_is_recorded_without_a_session(client):
    rig = client.rig
    stream = Stream(client)
    stream.publication.close()
    assert client.await_message(RecordingSignalEvent).signal == RecordingSignal.STOP
    client.requests.offer(CloseSessionRequest.encode(control_session_id=client.session_id))
    rig.await_that(lambda: count_of(rig, CONTROL_SESSION_TYPE) == 0)
    rig.aeron.add_exclusive_publication(CHANNEL, STREAM_ID)
    rig.await_that(lambda: count_of(rig, RECORDING_POSITION_TYPE) == 1)


# ---- errors caused by one client ----


def test_failed_request_blocks_no_other(rig, client):
    for _ in range(2):
        client.send(codecs.AuthConnectRequest, **NONSENSE)
    rig.both.invoker.invoke()
    assert len(rig.errors) == 2
    assert client.send_request(ArchiveIdRequest).relevant_id == rig.archive.archive_id
    assert [type(each) for each in rig.errors] == [ConfigurationError] * 2


def test_repeatedly_failing_session_ends_and_blocks_no_other(rig_of):
    class Failing(DefaultAuthenticator):
        def on_connected_session(self, session_proxy, now_ms):
            if self.connected:
                raise RuntimeError("cannot decide")
            self.connected = True
            super().on_connected_session(session_proxy, now_ms)

        connected = False

    rig = rig_of(authenticator_supplier=Failing)
    client = Client(rig).connect()
    Client(rig)
    rig.await_that(lambda: rig.errors)
    assert client.send_request(ArchiveIdRequest).relevant_id == rig.archive.archive_id
    rig.await_that(lambda: count_of(rig, CONTROL_SESSION_TYPE) == 1)
    assert [str(each) for each in rig.errors] == ["cannot decide"]


def test_repeatedly_failing_part_stops_no_other(rig, monkeypatch):
    def fail(*_):
        raise RuntimeError("fails")

    monkeypatch.setattr("aeron_cluster.archive.recording.recordings.Recordings.do_work", fail)
    client = Client(rig)
    client.await_message(ControlResponse, client.connect_id)
    assert {str(each) for each in rig.errors} == {"fails"}


# ---- the ends of replays ----


@pytest.fixture
def replays_of(monkeypatch, rig_of):
    """Return a rig and the replays of its archive."""

    def make():
        made = []
        init = Replays.__init__

        def note(self, *arguments, **keywords):
            made.append(self)
            init(self, *arguments, **keywords)

        monkeypatch.setattr(Replays, "__init__", note)
        return rig_of(), made[0]

    return make


def send_replay(client, recording_id):
    """Request a replay, and await no answer."""
    return client.send(
        ReplayRequest,
        recording_id=recording_id,
        position=-1,
        length=-1,
        replay_stream_id=REPLAY_STREAM_ID,
        file_io_max_length=-1,
        replay_token=-1,
        replay_channel="aeron:ipc",
    )


def pass_until(rig, condition):
    """Drive only the archive's conductor."""
    for _ in range(10):
        if condition():
            return
        rig.archive.agents[1].do_work()
    raise AssertionError("not in 10 passes")


def test_replay_whose_publication_is_pending_ends_with_the_archive(replays_of):
    rig, replays = replays_of()
    client = Client(rig).connect()
    stream = Stream(client)
    stream.offer(b"recorded")
    send_replay(client, stream.recording_id)
    pass_until(rig, lambda: replays.is_busy)
    replays.close()
    assert not replays.is_busy


@pytest.mark.parametrize("messages", [[], [b"recorded"]], ids=["empty", "one message"])
def test_replay_that_begins_after_its_recording_was_stopped_ends_there(replays_of, messages):
    """Its publication was pending until then."""
    rig, replays = replays_of()
    client = Client(rig).connect()
    stream = Stream(client)
    stream.offer(*messages)
    end = position_of(client, RecordingPositionRequest, stream.recording_id)
    subscription = rig.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    requested = send_replay(client, stream.recording_id)
    pass_until(rig, lambda: replays.is_busy)
    replays.on_recording_stopped(stream.recording_id, end)
    assert client.await_message(ControlResponse, requested).code == ControlResponseCode.OK
    assert collect(rig, subscription, len(messages)) == messages
    rig.await_that(lambda: replays.active_on(stream.recording_id) is None)
    assert rig.errors == []


def test_replay_whose_end_fails_prevents_no_other_end(replays_of, monkeypatch):
    rig, replays = replays_of()
    client = Client(rig).connect()
    stream = Stream(client)
    stream.offer(b"recorded")
    stream.stop()
    subscription = rig.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    failures = [ValueError("of the first end")]
    on_finished = replays._on_finished

    def fail_once(session):
        on_finished(session)
        if failures:
            raise failures.pop()

    monkeypatch.setattr(replays, "_on_finished", fail_once)
    for _ in range(2):
        assert replay(client, stream.recording_id).code == ControlResponseCode.OK
    rig.await_that(lambda: rig.errors and replays.active_on(stream.recording_id) is None)
    assert [str(each) for each in rig.errors] == ["of the first end"]
    assert collect(rig, subscription, 2) == [b"recorded"] * 2


def test_replay_whose_publication_is_closed_ends(replays_of):
    rig, replays = replays_of()
    client = Client(rig).connect()
    stream = Stream(client)
    stream.offer(b"recorded")
    subscription = rig.aeron.add_subscription("aeron:ipc", REPLAY_STREAM_ID)
    replay_id = replay(client, stream.recording_id).relevant_id
    collect(rig, subscription, 1)
    replays._by_id[replay_id].publication.close()
    rig.await_that(lambda: replays.active_on(stream.recording_id) is None)
    rig.await_that(lambda: not subscription.is_connected)
    assert rig.errors == []
