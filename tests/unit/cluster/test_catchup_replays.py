"""Replays to lagging members: those that the archive rejects, and how they are stopped."""

from types import SimpleNamespace

import pytest

from aeron_cluster.archive.client.archive_client import Answer
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.cluster.election.catchup_replays import CATCHUP_FLAG, CatchupReplays
from aeron_cluster.codecs.archive import ControlResponse, ControlResponseCode, StopReplayRequest
from aeron_cluster.codecs.cluster import AppendPosition, CatchupPosition, StopCatchup
from aeron_cluster.errors import (
    AgentTerminationError,
    ArchiveError,
    ConfigurationError,
    LogMismatchError,
)
from aeron_cluster.memory.agents.waiting import Task
from tests.unit.cluster.doubles import create_with_doubles

TIMEOUT_NS = 1000
INTERVAL_NS = 100
# The wording of Java's archive.
PURGED = "requested replay start position=64 is less than recording start position=4096"


class Rig:
    """A leader's archive that rejects each replay, with time advanced by the test."""

    def __init__(self, rejection):
        self.rejection = rejection
        self.failure = None
        self.now_ns = 0
        self.requested = 0
        self.kinds = []
        self.sent = []
        self.is_sending = True
        self.errors = []
        self.catching_up = []
        self.tasks = []
        self.context = SimpleNamespace(message_timeout_ns=TIMEOUT_NS)
        self.aeron = SimpleNamespace(context=SimpleNamespace(now_ns=lambda: self.now_ns))
        options = SimpleNamespace(
            follower_catchup_channel="aeron:udp",
            log_stream_id=100,
            leader_heartbeat_timeout_ns=TIMEOUT_NS,
            leader_heartbeat_interval_ns=INTERVAL_NS,
        )
        clock = SimpleNamespace(nano_time=lambda: self.now_ns)
        context = SimpleNamespace(
            options=options, seams=SimpleNamespace(clock=clock), error_handler=self.errors.append
        )
        parts = SimpleNamespace(
            context=context,
            archive=self,
            log=SimpleNamespace(is_connected=True, session_id=7, position=8192),
            recording=SimpleNamespace(recording_id=3),
            status=SimpleNamespace(leadership_term_id=2),
        )
        self.catchups = create_with_doubles(
            CatchupReplays,
            parts,
            link=self,
            begin=lambda steps: self.tasks.append(Task(steps)),
            set_catching_up=lambda *each: self.catching_up.append(each),
        )

    def poll(self):
        return 0

    def send(self, member_id, message):
        if self.is_sending:
            self.sent.append((member_id, StopCatchup.decode(message).leadership_term_id))
        return self.is_sending

    def request(self, kind, *_, **__):
        if self.failure is not None:
            raise self.failure
        self.requested += 1
        self.kinds.append(kind)
        return self.requested

    def take_answer(self, correlation_id):
        return Answer(
            response=ControlResponse(
                control_session_id=1,
                correlation_id=correlation_id,
                relevant_id=ArchiveErrorCode.GENERIC,
                code=ControlResponseCode.ERROR if self.rejection else ControlResponseCode.OK,
                version=0,
                error_message=self.rejection,
            )
        )

    def forget(self, *_):
        pass

    def send_request(self, endpoint="localhost:9005"):
        """Have a follower request the log from 64 on, until it is answered or finally rejected."""
        self.begin(endpoint)
        self.run()

    def begin(self, endpoint="localhost:9005"):
        """Have a follower request the log from 64 on."""
        self.tasks.clear()
        message = CatchupPosition.encode(
            leadership_term_id=2,
            log_position=64,
            follower_member_id=1,
            catchup_endpoint=endpoint,
        )
        self.catchups.on_catchup_position(CatchupPosition.decode(message))

    def run(self):
        (task,) = self.tasks
        for _ in range(1000):
            task.do_work()
            if task.is_done:
                return
            self.now_ns += 10
        raise AssertionError("requests continue without an end")

    def report(self, log_position, flags):
        """Have the follower report its position; stop what is to be stopped."""
        self.tasks.clear()
        message = AppendPosition.encode(
            leadership_term_id=1, log_position=log_position, follower_member_id=1, flags=flags
        )
        self.catchups.on_append_position(AppendPosition.decode(message))
        if self.tasks:
            self.run()
        return self.kinds.count(StopReplayRequest)


@pytest.fixture
def rig(request):
    return Rig(request.param)


@pytest.mark.parametrize("rig", [PURGED], indirect=True)
def test_a_purged_log_is_reported_at_once_and_not_requested_again(rig):
    rig.send_request()
    assert (rig.requested, rig.now_ns < INTERVAL_NS) == (1, True)
    (error,) = rig.errors
    assert isinstance(error, LogMismatchError)
    assert (error.member_id, error.leadership_term_id, error.log_position) == (1, 2, 64)
    assert "restore" in error.remedy
    assert rig.catching_up == [(1, True), (1, False)]  # a repeated request is handled


@pytest.mark.parametrize("rig", ["replay: session exists"], indirect=True)
def test_temporary_rejection_is_retried_until_the_timeout(rig):
    rig.send_request()
    assert rig.requested > 5
    assert rig.now_ns >= TIMEOUT_NS
    (error,) = rig.errors
    assert isinstance(error, ArchiveError)


@pytest.mark.parametrize("rig", [PURGED], indirect=True)
def test_a_follower_with_an_invalid_endpoint_is_named_and_may_request_again(rig):
    rig.send_request("localhost|9005")
    assert rig.requested == 0
    (error,) = rig.errors
    assert isinstance(error, ConfigurationError)
    assert rig.catching_up == [(1, True), (1, False)]
    rig.send_request()
    assert rig.requested == 1


@pytest.mark.parametrize("rig", ["replay: session exists"], indirect=True)
@pytest.mark.parametrize("ends", ["stop", "stop_all"])
def test_a_follower_copies_the_log_from_its_request_of_this_term_until_it_restarts(rig, ends):
    assert not rig.catchups.is_copying(1)
    rig.send_request()
    assert rig.catchups.is_copying(1)
    rig.catchups.stop_all() if ends == "stop_all" else rig.catchups.stop(1)
    assert not rig.catchups.is_copying(1)
    rig.catchups._status.leadership_term_id = 3
    rig.send_request()  # a request of term 2
    assert not rig.catchups.is_copying(1)


@pytest.mark.parametrize("rig", [b""], indirect=True)
def test_a_replay_is_stopped_when_its_follower_has_left_it(rig):
    """Its end would be that of the follower's image, if the live log has not arrived there yet."""
    rig.send_request()
    assert rig.report(8191, CATCHUP_FLAG) == 0
    assert rig.sent == []
    rig.is_sending = False
    assert rig.report(8192, CATCHUP_FLAG) == 0
    assert rig.report(8191, 0) == 0  # StopCatchup was not sent: an earlier report
    rig.is_sending = True
    assert rig.report(8192, CATCHUP_FLAG) == 0
    assert rig.report(9000, CATCHUP_FLAG) == 0
    assert rig.sent == [(1, 1), (1, 1)]  # the first may not have arrived
    assert rig.report(8191, 0) == 1  # the log has grown meanwhile
    assert rig.catching_up == [(1, True), (1, False)]
    assert rig.report(9000, 0) == 1


NO_FLAGS = 255


@pytest.mark.parametrize("rig", [b""], indirect=True)
@pytest.mark.parametrize("flags", [0, NO_FLAGS])
def test_a_replay_to_a_follower_without_the_flag_is_stopped_at_once(rig, flags):
    rig.send_request()
    assert rig.report(8191, flags) == 0
    assert rig.report(8192, flags) == 1
    assert rig.sent == [(1, 1)]
    assert rig.catching_up == [(1, True), (1, False)]


@pytest.mark.parametrize("rig", [b""], indirect=True)
def test_a_follower_has_one_replay_at_a_time(rig):
    rig.send_request()
    rig.begin()
    assert (rig.tasks, rig.requested) == ([], 1)


@pytest.mark.parametrize("rig", [b""], indirect=True)
def test_a_leader_without_its_log_replays_nothing(rig):
    rig.catchups._log.is_connected = False
    rig.begin()
    assert (rig.tasks, rig.catching_up) == ([], [])


@pytest.mark.parametrize("rig", [b""], indirect=True)
@pytest.mark.parametrize("is_rejected", [False, True])
@pytest.mark.parametrize("ends", ["stop", "stop_all"])
def test_a_running_replay_is_stopped_once(rig, ends, is_rejected):
    """When its follower restarts, or the member no longer leads; it may have ended itself."""
    rig.send_request()
    rig.tasks.clear()
    rig.rejection = "unknown replay" if is_rejected else b""
    for _ in range(2):
        rig.catchups.stop_all() if ends == "stop_all" else rig.catchups.stop(1)
    rig.run()
    assert rig.kinds.count(StopReplayRequest) == 1
    assert rig.errors == []
    assert rig.catching_up == [(1, True), (1, False)]


@pytest.mark.parametrize("rig", [b""], indirect=True)
def test_a_replay_that_begins_after_it_was_stopped_is_stopped_then(rig):
    rig.begin()
    rig.catchups.stop(1)
    (starting,) = rig.tasks
    assert not starting.is_done
    rig.run()
    assert rig.kinds.count(StopReplayRequest) == 1
    assert rig.catching_up == [(1, True), (1, False)]


@pytest.mark.parametrize("rig", ["replay: session exists"], indirect=True)
def test_a_rejected_replay_is_not_requested_again_after_it_was_stopped(rig):
    rig.begin()
    (starting,) = rig.tasks
    starting.do_work()
    rig.catchups.stop(1)
    requested = rig.requested
    rig.run()
    assert rig.requested == requested
    assert StopReplayRequest not in rig.kinds


@pytest.mark.parametrize("rig", [b""], indirect=True)
def test_the_end_of_the_archive_is_not_only_reported(rig):
    rig.failure = AgentTerminationError("the archive ended")
    with pytest.raises(AgentTerminationError):
        rig.send_request()
    assert rig.errors == []


@pytest.mark.parametrize("rig", [b""], indirect=True)
def test_a_follower_without_the_flag_is_notified_until_it_can_be_reached(rig):
    """The replay is stopped with the first attempt."""
    rig.send_request()
    rig.is_sending = False
    for _ in range(2):
        assert rig.report(8192, NO_FLAGS) == 1
        assert rig.catching_up == [(1, True)]
    rig.is_sending = True
    assert rig.report(8192, NO_FLAGS) == 1
    assert rig.sent == [(1, 1)]
    assert rig.catching_up == [(1, True), (1, False)]
