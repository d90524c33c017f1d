"""A client's session with a scripted archive: unusual answers, lost connections, back pressure."""

import contextlib
from collections import deque

import pytest

from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.codecs import archive as codecs
from aeron_cluster.codecs.archive import (
    ArchiveIdRequest,
    AuthConnectRequest,
    Challenge,
    CloseSessionRequest,
    ControlResponse,
    ControlResponseCode,
    KeepAliveRequest,
    PurgeRecordingRequest,
    RecordingDescriptor,
    RecordingSignal,
    RecordingSignalEvent,
    StartPositionRequest,
    StartRecordingRequest2,
)
from aeron_cluster.codecs.cluster import SessionKeepAlive
from aeron_cluster.errors import ArchiveError, ClosedError, StateError, TimeoutExpiredError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from tests.unit.archive.pair_rig import Pair, S
from tests.unit.archive.recordings_rig import DESCRIPTION

CONTROL_STREAM_ID = 99
SESSION_ID = 7
ARCHIVE_ID = 42
VERSION = 1 << 16 | 12 << 8


class Script:
    """The archive's side of the protocol, for one client.

    Attributes
    ----------
    requests
        The received messages.
    answers
        By the class of a request: the fields of its answer, or None for no answer.
    is_paused
        Whether it reads nothing.
    before
        Messages to send before the answer to the connect request.
    """

    def __init__(self, side, version=VERSION):
        self.side = side
        self.pair = side.pair
        self.version = version
        self.requests = []
        self.answers = {}
        self.is_paused = False
        self.before = []
        self.subscription = side.aeron.add_subscription("aeron:ipc", CONTROL_STREAM_ID)
        self.responses_id = None
        self.responses = None
        self._outgoing = deque()

    def drive(self):
        """Drive everything, and answer."""
        self.pair.drive()
        if not self.is_paused and not self.subscription.is_closed:
            self.subscription.poll(self._on_request, 10)
        if self.responses_id is not None and self.responses is None:
            self.responses = self.side.aeron.get_exclusive_publication(self.responses_id)
            self._answer_connect()
        while self._outgoing and self.responses.offer(self._outgoing[0]):
            self._outgoing.popleft()

    def _answer_connect(self):
        if self.responses is not None:
            self._outgoing.extend(self.before)
            self.answer(self.connect_id, relevant_id=SESSION_ID)

    def _on_request(self, view, _header):
        request = codecs.decode(bytes(view))
        self.requests.append(request)
        if isinstance(request, AuthConnectRequest):
            self.connect_id = request.correlation_id
            self.responses_id = self.side.aeron.async_add_exclusive_publication(
                request.response_channel, request.response_stream_id
            )
            return
        if isinstance(request, KeepAliveRequest | CloseSessionRequest):
            return
        fields = self.answers.get(type(request), {"relevant_id": ARCHIVE_ID})
        if fields is not None:
            self.answer(request.correlation_id, **fields)

    def send(self, message):
        """Send a message to the client, as soon as there is room."""
        self._outgoing.append(message)

    def answer(self, correlation_id, **fields):
        values = {
            "control_session_id": SESSION_ID,
            "relevant_id": 0,
            "code": ControlResponseCode.OK,
            "version": self.version,
            "error_message": "",
        } | fields
        self.send(ControlResponse.encode(correlation_id=correlation_id, **values))

    def received(self, kind):
        return [each for each in self.requests if isinstance(each, kind)]

    def run_until(self, condition):
        self.pair.run_until(lambda: self.drive() or condition())

    def begin(self, **options):
        """Begin a connect."""
        values = {
            "aeron": self.side.aeron,
            "agent_invoker": self.drive,
            "idle_strategy": IdleStrategy("noop"),
            "control_channel": "aeron:ipc",
            "control_stream_id": CONTROL_STREAM_ID,
            "control_response_channel": "aeron:ipc",
        } | options
        return AeronArchive.async_connect(**values)

    def connect(self, **options):
        """Return a client with an open session."""
        connecting = self.begin(**options)
        found = []
        self.run_until(lambda: found.append(connecting.poll()) or found[-1])
        return found[-1]


@pytest.fixture
def script():
    with contextlib.closing(Pair()) as pair:
        yield Script(pair.src)


def foreign_messages(correlation_id):
    """Return messages that are no answers for the session."""
    unknown = bytearray(KeepAliveRequest.encode(control_session_id=SESSION_ID, correlation_id=1))
    unknown[2:4] = (999).to_bytes(2, "little")
    other = {"control_session_id": SESSION_ID + 1, "correlation_id": correlation_id}
    answer = {"relevant_id": 13, "code": ControlResponseCode.OK, "version": VERSION}
    own = {"control_session_id": SESSION_ID, "correlation_id": correlation_id + 1}
    return [
        bytes(unknown),
        SessionKeepAlive.encode(leadership_term_id=1, cluster_session_id=SESSION_ID),
        ControlResponse.encode(**other, **answer),
        ControlResponse.encode(**own, **answer),
        Challenge.encode(**own, version=VERSION, encoded_challenge=b""),
        RecordingSignalEvent.encode(
            **other, recording_id=1, subscription_id=2, position=3, signal=RecordingSignal.START
        ),
        RecordingDescriptor.encode(
            **own,
            recording_id=5,
            start_position=0,
            stop_position=0,
            stop_timestamp=1,
            **DESCRIPTION,
        ),
    ]


# ---- connecting ----


def test_archive_of_a_version_without_ids_receives_no_request_for_its_id(script):
    script.version = 1 << 16 | 10 << 8
    with script.connect() as archive:
        assert archive.archive_id == -1
        script.run_until(lambda: script.received(KeepAliveRequest))
        assert script.received(ArchiveIdRequest) == []


def test_foreign_messages_do_not_disturb_a_connect(script):
    script.before = foreign_messages(1 << 40)
    with script.connect() as archive:
        assert (archive.archive_id, archive.control_session_id) == (ARCHIVE_ID, SESSION_ID)


def test_archive_that_ends_during_a_connect_is_reported(script):
    with script.begin() as connecting:
        script.is_paused = True
        script.run_until(lambda: connecting.poll() or connecting.step.name == "SEND_REQUEST")
        assert "SEND_REQUEST" in repr(connecting)
        script.subscription.close()
        end_ns = script.pair.world.time.now_ns + S
        script.pair.run_until(lambda: script.pair.world.time.now_ns >= end_ns)
        with pytest.raises(ArchiveError, match=r"lost the connection to the archive: .*SEND_REQ"):
            connecting.poll()


# ---- answers ----


def test_foreign_messages_are_ignored_in_a_session(script):
    signals = []
    with script.connect(recording_signal_handler=signals.append) as archive:
        script.answers[StartPositionRequest] = None
        request = archive.request(StartPositionRequest, recording_id=1)
        script.run_until(lambda: script.received(StartPositionRequest))
        for each in foreign_messages(request):
            script.send(each)
        script.run_until(lambda: archive.poll() == 0)
        assert archive.take_answer(request) is None
        script.answer(request, relevant_id=96)
        script.run_until(archive.poll)
        assert archive.take_answer(request).response.relevant_id == 96
        assert signals == []
        with pytest.raises(StateError, match=f"no request {request} is open"):
            archive.take_answer(request)


@pytest.mark.parametrize("is_ok", [True, False])
@pytest.mark.parametrize("is_late", [True, False])
def test_forgotten_request_is_undone_if_it_was_executed(script, is_ok, is_late):
    errors, undone = [], []
    with script.connect(error_handler=errors.append) as archive:
        script.answers[StartPositionRequest] = None
        request = archive.request(StartPositionRequest, recording_id=1)
        script.run_until(lambda: script.received(StartPositionRequest))
        if is_late:
            archive.forget(request, undone.append)
        code = ControlResponseCode.OK if is_ok else ControlResponseCode.ERROR
        script.answer(request, relevant_id=5, code=code)
        script.run_until(archive.poll)
        if not is_late:
            archive.forget(request, undone.append)
        assert undone == ([5] if is_ok else [])
        assert errors == []
        archive.forget(request, undone.append)
        assert len(undone) == is_ok


@pytest.mark.parametrize("outer", ["poll", "poll_for_error_response"])
@pytest.mark.parametrize("inner", ["poll", "poll_for_error_response", "purge_recording"])
def test_handler_must_not_poll_its_client(script, inner, outer):
    raised = []

    def poll(_signal):
        with pytest.raises(StateError, match="from within a handler"):
            getattr(archive, inner)(*([1] if inner == "purge_recording" else []))
        raised.append(True)

    with script.connect(recording_signal_handler=poll) as archive:
        script.send(
            RecordingSignalEvent.encode(
                control_session_id=SESSION_ID,
                correlation_id=1,
                recording_id=1,
                subscription_id=2,
                position=3,
                signal=RecordingSignal.START,
            )
        )
        script.run_until(lambda: getattr(archive, outer)() or raised)
        # A request of the handler is not executed.
        archive.get_start_position(1)
        assert script.received(PurgeRecordingRequest) == []
    assert raised == [True]
    assert archive.is_closed
    assert archive.poll() == 0


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("try_stop_recording", (5,)),
        ("try_stop_recording_channel", ("aeron:ipc", 5)),
        ("try_stop_replication", (5,)),
    ],
)
def test_other_error_than_an_unknown_id_is_raised(script, name, arguments):
    failure = {"code": ControlResponseCode.ERROR, "error_message": "no"}
    with script.connect() as archive:
        for code in (ArchiveErrorCode.GENERIC, ArchiveErrorCode.UNAUTHORISED_ACTION):
            for kind in codecs.SCHEMA.messages.values():
                script.answers[kind] = failure | {"relevant_id": code}
            with pytest.raises(ArchiveError) as raised:
                getattr(archive, name)(*arguments)
            assert raised.value.code == code


@pytest.mark.parametrize("name", ["add_recorded_publication", "add_recorded_exclusive_publication"])
def test_publication_that_cannot_be_recorded_is_closed(script, name):
    script.answers[StartRecordingRequest2] = {
        "code": ControlResponseCode.ERROR,
        "relevant_id": ArchiveErrorCode.MAX_RECORDINGS,
        "error_message": "too many",
    }
    reader = script.side.aeron.add_subscription("aeron:ipc", 1001)
    with script.connect() as archive:
        with pytest.raises(ArchiveError, match="too many"):
            getattr(archive, name)("aeron:ipc", 1001)
        script.run_until(lambda: not reader.is_connected)


# ---- lost connections and back pressure ----


def test_request_without_an_answer_fails_in_time(script):
    with script.connect(message_timeout_ns=S) as archive:
        script.answers[StartPositionRequest] = None
        begin_ns = script.pair.world.time.now_ns
        with pytest.raises(TimeoutExpiredError, match="no answer to StartPositionRequest in time"):
            archive.get_start_position(1)
        assert S <= script.pair.world.time.now_ns - begin_ns < 2 * S


def test_request_fails_once_the_archive_closes_the_session(script):
    with script.connect() as archive:
        script.answers[StartPositionRequest] = None
        script.responses.close()
        with pytest.raises(ClosedError, match="the archive closed the session"):
            archive.get_start_position(1)
        assert not archive.is_connected


def test_request_to_an_archive_that_has_ended_fails(script):
    with script.connect() as archive:
        script.subscription.close()
        script.pair.run_until(lambda: not archive.is_connected)
        with pytest.raises(ClosedError, match="the archive is no longer connected"):
            archive.get_start_position(1)


def fill(archive):
    """Send requests until no more fit; return how many were sent."""
    count = 0
    while archive.request(StartPositionRequest, recording_id=count) is not None:
        count += 1
    return count


def test_request_waits_for_room_in_its_stream(script):
    with script.connect() as archive:
        script.is_paused = True
        count = fill(archive)
        assert count > 100
        passes = []

        def drive():
            passes.append(True)
            script.is_paused = len(passes) < 50
            script.drive()
            archive.poll()

        archive.context.agent_invoker = drive
        assert archive.get_stop_position(1) == ARCHIVE_ID
        assert len(script.received(StartPositionRequest)) == count
        assert len(passes) > 50


def test_request_without_room_in_its_stream_fails_in_time(script):
    with script.connect(message_timeout_ns=S) as archive:
        script.is_paused = True
        fill(archive)
        with pytest.raises(TimeoutExpiredError, match="no answer to StopPositionRequest in time"):
            archive.get_stop_position(1)


def test_request_beyond_the_last_position_of_its_stream_is_an_error(script):
    last_term = "term-length=64k|init-term-id=0|term-id=2147483647|term-offset=61440"
    archive = script.connect(control_channel=f"aeron:ipc?{last_term}")
    with pytest.raises(ClosedError, match="no more requests fit its stream"):
        script.run_until(lambda: fill(archive) < 0)
    assert archive.is_connected


def test_posted_requests_are_sent_in_order_once_there_is_room(script):
    with script.connect() as archive:
        script.is_paused = True
        first = fill(archive)
        for number in range(5):
            archive.post(StartPositionRequest, recording_id=first + number)
        script.is_paused = False
        script.run_until(
            lambda: archive.poll() >= 0 and len(script.received(StartPositionRequest)) == first + 5
        )
        found = [each.recording_id for each in script.received(StartPositionRequest)]
        assert found == list(range(first + 5))


def test_client_at_the_last_position_of_its_requests_can_be_closed(script):
    last_term = "term-length=64k|init-term-id=0|term-id=2147483647|term-offset=61440"
    archive = script.connect(control_channel=f"aeron:ipc?{last_term}")

    script.answers[StartPositionRequest] = None

    def is_at_the_end():
        try:
            archive.request(StartPositionRequest, recording_id=1)
        except ClosedError:
            return True
        return False

    script.run_until(is_at_the_end)
    archive.close()
    assert archive.is_closed
    assert archive.responses.is_closed
    script.run_until(lambda: not script.subscription.is_connected)
    assert script.received(CloseSessionRequest) == []
