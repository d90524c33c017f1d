"""Control sessions that do not become active: when they end, and what their requests cause."""

import contextlib

import pytest

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.client.conductor import ClientConductor
from aeron_cluster.client.security import DefaultAuthenticator
from aeron_cluster.codecs import archive as codecs
from aeron_cluster.codecs.archive import (
    ArchiveIdRequest,
    AuthConnectRequest,
    Challenge,
    ChallengeResponse,
    CloseSessionRequest,
    ConnectRequest,
    ControlResponse,
    ControlResponseCode,
    RecordingSignalEvent,
    ReplayRequest,
    ReplayTokenRequest,
)
from aeron_cluster.errors import OperationError
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from tests.unit.archive.pair_rig import CONTROL_STREAM_ID, MS, Pair, S

RESPONSE_STREAM_ID = 20
VERSION = 1 << 16 | 12 << 8
RESPONSE = "aeron:udp?control-mode=response|control=src:10002"
TIMEOUT_NS = 3 * S
STEP_NS = 100 * MS


class Doorman(DefaultAuthenticator):
    """Requires the password of clients that have credentials."""

    def __init__(self):
        self.credentials = {}

    def on_connect_request(self, session_id, encoded_credentials, _now_ms):
        self.credentials[session_id] = encoded_credentials

    on_challenge_response = on_connect_request

    def on_connected_session(self, proxy, _now_ms):
        if self.credentials[proxy.session_id]:
            proxy.challenge(b"the word?")
        else:
            proxy.authenticate(b"")

    def on_challenged_session(self, proxy, _now_ms):
        match self.credentials[proxy.session_id]:
            case b"sesame":
                proxy.authenticate(b"ali")
            case b"barley":
                proxy.reject()


class Caller:
    """A client that speaks the protocol message by message, over IPC."""

    def __init__(self, side, kind=AuthConnectRequest, subscribes=True, **connect):
        self.side = side
        self.pair = side.pair
        self.messages = []
        self.session_id = -1
        self._correlation_id = 1000
        self._assembler = FragmentAssembler(self._on_message)
        self.requests = side.aeron.add_exclusive_publication("aeron:ipc", CONTROL_STREAM_ID)
        channel = f"aeron:ipc?session-id={self.requests.session_id}"
        self.responses = None
        if subscribes:
            self.responses = side.aeron.add_subscription(channel, RESPONSE_STREAM_ID)
        self.pair.run_until(lambda: self.requests.is_connected)
        connect = {
            "response_stream_id": RESPONSE_STREAM_ID,
            "version": VERSION,
            "response_channel": channel,
        } | connect
        if kind is AuthConnectRequest:
            connect = {"encoded_credentials": b"", "client_info": "name=test"} | connect
        self.connect_id = self.offer(kind, **connect)

    def _on_message(self, view, _header):
        self.messages.append(codecs.decode(view))

    def offer(self, kind, **fields):
        """Offer a message; return its correlation id."""
        self._correlation_id += 1
        if "correlation_id" in {field.name for field in kind.fields}:
            fields["correlation_id"] = self._correlation_id
        self.pair.run_until(lambda: self.requests.offer(kind.encode(**fields)))
        return self._correlation_id

    def request(self, kind, **fields):
        return self.offer(kind, control_session_id=self.session_id, **fields)

    def received(self, kind):
        """Return the received messages of a kind, oldest first."""
        if self.responses is not None and not self.responses.is_closed:
            self.responses.poll(self._assembler, 100)
        return [each for each in self.messages if isinstance(each, kind)]

    def await_message(self, kind, correlation_id):
        def found():
            return [each for each in self.received(kind) if each.correlation_id == correlation_id]

        self.pair.run_until(found)
        self.session_id = found()[0].control_session_id
        return found()[0]

    def accept(self):
        """Wait until the archive accepts it."""
        response = self.await_message(ControlResponse, self.connect_id)
        assert response.code is ControlResponseCode.OK, response
        return self


@pytest.fixture
def side():
    options = {"authenticator_supplier": Doorman, "connect_timeout_ns": TIMEOUT_NS}
    with contextlib.closing(Pair(src=options)) as pair:
        yield pair.src


def sessions(side):
    """Return the number of control sessions besides that of the rig."""
    return side.counter("Archive Control Sessions") - 1


def drive_for(pair, duration_ns):
    """Drive everything for a virtual time, in steps: a challenged session always has work."""
    end_ns = pair.world.time.now_ns + duration_ns
    while (rest_ns := end_ns - pair.world.time.now_ns) > 0:
        pair.world.time.advance(min(rest_ns, STEP_NS))
        for _ in range(5):
            pair.drive()


def await_no_session(side, timeout_ns):
    """Drive everything until the session has ended."""
    begin_ns = side.pair.world.time.now_ns
    while sessions(side):
        assert side.pair.world.time.now_ns - begin_ns < timeout_ns
        drive_for(side.pair, STEP_NS)


def challenged(side):
    caller = Caller(side, encoded_credentials=b"open")
    caller.await_message(Challenge, caller.connect_id)
    return caller


def rejected(side):
    caller = challenged(side)
    answered = caller.request(ChallengeResponse, encoded_credentials=b"barley")
    caller.await_message(ControlResponse, answered)
    return caller


def of_another_version(side):
    caller = Caller(side, version=2 << 16)
    caller.await_message(ControlResponse, caller.connect_id)
    return caller


def unconnected(side):
    caller = Caller(side, subscribes=False)
    caller.pair.run_until(lambda: sessions(side) == 1)
    return caller


STATES = {
    "CONNECTING": unconnected,
    "CONNECTED": of_another_version,
    "CHALLENGED": challenged,
    "REJECTED": rejected,
}


# ---- the end of sessions that were not accepted ----


@pytest.mark.parametrize("state", STATES)
def test_session_that_is_not_accepted_in_time_ends_with_an_error(side, state):
    caller = STATES[state](side)
    assert sessions(side) == 1
    drive_for(side.pair, TIMEOUT_NS - S)
    assert (sessions(side), side.errors) == (1, [])
    await_no_session(side, 2 * S)
    [error] = side.errors
    assert f"failed to establish initial connection: state={state}" in str(error)
    if state != "CONNECTING":  # it never received its id
        assert f"controlSessionId={caller.session_id} " in str(error)


@pytest.mark.parametrize("state", [each for each in STATES if each != "CONNECTING"])
def test_session_whose_client_left_before_it_was_accepted_ends_without_an_error(side, state):
    caller = STATES[state](side)
    caller.responses.close()
    await_no_session(side, TIMEOUT_NS - S)
    assert side.errors == []


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (of_another_version, "invalid client version 2.0.0, archive is 1.12.0"),
        (rejected, "authentication rejected"),
    ],
)
def test_rejection_is_repeated_for_a_client_that_missed_it(side, make, text):
    caller = make(side)
    drive_for(side.pair, S)
    errors = [
        each for each in caller.received(ControlResponse) if each.code is ControlResponseCode.ERROR
    ]
    assert len(errors) >= 3
    assert {each.error_message for each in errors} == {text}


# ---- requests at unusual times ----


def test_client_of_the_first_protocol_version_is_accepted(side):
    caller = Caller(side, ConnectRequest).accept()
    request = caller.request(ArchiveIdRequest)
    answer = caller.await_message(ControlResponse, request)
    assert answer.relevant_id == side.archive.archive_id


def test_request_before_the_answer_to_a_challenge_is_dropped(side):
    caller = challenged(side)
    request = caller.request(ArchiveIdRequest)
    drive_for(side.pair, S)
    assert caller.received(ControlResponse) == []
    answered = caller.request(ChallengeResponse, encoded_credentials=b"sesame")
    assert caller.await_message(ControlResponse, answered).code is ControlResponseCode.OK
    drive_for(side.pair, S)
    assert request not in {each.correlation_id for each in caller.received(ControlResponse)}
    assert side.errors == []


def test_late_answer_to_a_challenge_changes_nothing(side):
    caller = Caller(side).accept()
    caller.await_message(ControlResponse, caller.request(ArchiveIdRequest))
    caller.request(ChallengeResponse, encoded_credentials=b"barley")
    drive_for(side.pair, TIMEOUT_NS + S)
    answer = caller.await_message(ControlResponse, caller.request(ArchiveIdRequest))
    assert answer.code is ControlResponseCode.OK


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (CloseSessionRequest, {}),
        (ChallengeResponse, {"encoded_credentials": b"sesame"}),
        (
            RecordingSignalEvent,
            {"recording_id": 0, "subscription_id": 0, "position": 0, "signal": 0},
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_message_for_no_session_changes_nothing(side, kind, fields):
    caller = Caller(side).accept()
    caller.offer(kind, control_session_id=4711, **fields)
    drive_for(side.pair, S)
    assert (sessions(side), side.errors) == (1, [])
    answer = caller.await_message(ControlResponse, caller.request(ArchiveIdRequest))
    assert answer.code is ControlResponseCode.OK


def test_session_that_is_closed_twice_ends_once(side):
    caller = Caller(side).accept()
    close = CloseSessionRequest.encode(control_session_id=caller.session_id)
    assert caller.requests.offer(close)
    assert caller.requests.offer(close)
    await_no_session(side, S)
    assert side.errors == []


# ---- tokens of replays through response channels ----


def replay_with(caller, token, recording_id=0, channel=RESPONSE):
    return caller.request(
        ReplayRequest,
        recording_id=recording_id,
        position=0,
        length=-1,
        replay_stream_id=78,
        file_io_max_length=-1,
        replay_token=token,
        replay_channel=channel,
    )


def new_token(caller, recording_id):
    request = caller.request(ReplayTokenRequest, recording_id=recording_id)
    return caller.await_message(ControlResponse, request).relevant_id


@pytest.mark.parametrize("problem", ["unknown", "of another recording", "expired"])
def test_replay_without_a_valid_token_is_rejected(side, problem):
    side.finished(3)
    side.finished(3)
    caller = Caller(side).accept()
    token = new_token(caller, 1 if problem == "of another recording" else 0)
    if problem == "unknown":
        token += 1
    if problem == "expired":
        drive_for(side.pair, TIMEOUT_NS)
    request = replay_with(caller, token)
    side.pair.run_until(lambda: side.errors)
    [error] = side.errors
    assert f"Unknown session or token timeout for replayToken={token}" in str(error)
    assert (error.code, error.correlation_id) == (ArchiveErrorCode.GENERIC, request)
    assert side.counter("Archive Replay Sessions") == 0


def test_token_that_expires_before_its_request_is_read_is_rejected(side):
    side.finished(3)
    caller = Caller(side).accept()
    token = new_token(caller, 0)
    replay_with(caller, token)
    side.pair.world.time.advance(TIMEOUT_NS)
    side.pair.run_until(lambda: side.errors)
    assert f"replayToken={token}" in str(side.errors[0])


def test_replay_with_a_token_and_an_invalid_channel_is_rejected_by_its_session(side):
    side.finished(3)
    caller = Caller(side).accept()
    request = replay_with(caller, new_token(caller, 0), channel="nonsense")
    answer = caller.await_message(ControlResponse, request)
    assert answer.relevant_id == ArchiveErrorCode.GENERIC
    assert "failed to process replayChannel" in answer.error_message


def test_session_whose_counter_cannot_be_requested_leaves_no_publication(side):
    def add_counter(*_):
        raise OperationError("the driver's command ring is full")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ClientConductor, "begin_counter", add_counter)
        caller = Caller(side)
        side.pair.run_until(lambda: side.errors)
    drive_for(side.pair, TIMEOUT_NS)
    assert not caller.responses.is_connected
    assert sessions(side) == 0
    Caller(side).accept()
