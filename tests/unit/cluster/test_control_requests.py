from types import SimpleNamespace

import pytest

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState as State
from aeron_cluster.cluster.module.control_requests import ControlRequests
from aeron_cluster.cluster.state.control_toggle import ControlToggle, NodeToggle, try_toggle
from aeron_cluster.codecs.cluster import ClusterAction
from aeron_cluster.errors import (
    AgentTerminationError,
    ArchiveError,
    ClusterError,
    InsufficientSpaceError,
    TimeoutExpiredError,
)
from tests.unit.cluster.doubles import create_with_doubles


class Toggle:
    def __init__(self, value=ControlToggle.NEUTRAL):
        self.value = value

    def get(self):
        return self.value

    def set(self, value):
        self.value = value

    def compare_and_set(self, expected, value):
        if self.value != expected:
            return False
        self.value = value
        return True


class Log:
    def __init__(self):
        self.actions = []
        self.is_full = False
        self.position = 0

    def append_cluster_action(self, timestamp, action, flags):
        assert timestamp == 77
        if self.is_full:
            return -2
        self.actions.append((action, flags))
        self.position += 96
        return self.position


class Status:
    def __init__(self):
        self.state = State.ACTIVE
        self.is_leader = True
        self.leadership_term_id = 3
        self.positions = []
        self.reasons = []

    def enter(self, state, reason):
        self.reasons.append(reason)
        self.state = state

    def enter_with(self, state, log_position, reason):
        self.positions.append(log_position)
        self.enter(state, reason)


@pytest.fixture
def parts():
    return SimpleNamespace(
        status=Status(),
        log=Log(),
        counters=SimpleNamespace(control_toggle=Toggle()),
        context=SimpleNamespace(cluster_time=lambda: 77, app_version=1, time_unit=None),
        uncommitted=SimpleNamespace(publish_position=lambda: None),
        sessions=SimpleNamespace(
            after_snapshot=lambda _begin_ns, _now_ns: None,
            next_committed_session_id=1,
            records=list,
        ),
        timers=SimpleNamespace(clear_early=lambda: None, snapshot=list),
        trackers=(),
    )


@pytest.fixture
def started():
    return []


class Termination:
    """Records the positions of termination requests."""

    def __init__(self):
        self.positions = []

    def notify_followers(self, log_position):
        self.positions.append(log_position)

    def end_as_leader(self, log_position):
        self.positions.append(("ended", log_position))
        yield


@pytest.fixture
def termination():
    return Termination()


@pytest.fixture
def requests(parts, termination, started):
    return create_with_doubles(
        ControlRequests, parts, termination=termination, begin=started.append
    )


def send_request(parts, request):
    assert try_toggle(parts.counters.control_toggle, request)


def test_suspends_and_resumes_with_an_action_in_the_log(requests, parts):
    send_request(parts, ControlToggle.SUSPEND)
    assert requests.check() == 1
    assert (parts.status.state, parts.log.actions) == (
        State.SUSPENDED,
        [(ClusterAction.SUSPEND, 0)],
    )
    send_request(parts, ControlToggle.RESUME)
    assert requests.check() == 1
    assert parts.status.state is State.ACTIVE
    assert parts.counters.control_toggle.get() == ControlToggle.NEUTRAL
    assert parts.status.positions == [96, 192]
    assert parts.status.reasons == ["ClusterControl.SUSPEND", "ClusterControl.RESUME"]


def test_a_resume_before_the_leader_saw_the_suspend_leaves_room_for_others(requests, parts):
    send_request(parts, ControlToggle.SUSPEND)
    send_request(parts, ControlToggle.RESUME)
    assert requests.check() == 1
    assert (parts.status.state, parts.log.actions) == (State.ACTIVE, [])
    send_request(parts, ControlToggle.SNAPSHOT)
    assert requests.check() == 1


@pytest.mark.parametrize("request_", [ControlToggle.SNAPSHOT, ControlToggle.SHUTDOWN])
def test_a_snapshot_begins_with_an_action_in_the_log(requests, parts, started, request_):
    send_request(parts, request_)
    assert requests.check() == 1
    assert parts.log.actions == [(ClusterAction.SNAPSHOT, 0)]
    assert parts.status.state is State.SNAPSHOT
    assert parts.status.reasons == [f"ClusterControl.{request_.name}"]
    assert len(started) == 1


@pytest.fixture
def take_by(parts, monkeypatch):
    """No services: only the module takes the snapshot, by the steps of a given function."""
    parts.context.options = SimpleNamespace(service_count=0)
    parts.context.seams = SimpleNamespace(clock=SimpleNamespace(nano_time=lambda: 5))
    parts.counters.commit_position = Toggle(0)
    name = "aeron_cluster.cluster.module.control_requests.take_snapshot_round"
    return lambda take: monkeypatch.setattr(name, take)


@pytest.fixture
def alone(take_by):
    """Return position and timestamp of the snapshots that were taken."""
    taken = []

    def take(*given):
        taken.append(given[-3:-1])
        yield

    take_by(take)
    return taken


def drive(steps, passes=5):
    for _ in range(passes):
        next(steps, None)


def test_a_leader_without_services_waits_for_the_commit(requests, parts, started, alone):
    """Zero services: the leader snapshots once its position is at or below the commit counter."""
    send_request(parts, ControlToggle.SNAPSHOT)
    requests.check()
    drive(started[0])
    assert alone == []
    parts.counters.commit_position.set(96)
    drive(started[0])
    assert alone == [(96, 77)]
    assert parts.status.state is State.ACTIVE
    assert parts.counters.control_toggle.get() == ControlToggle.NEUTRAL


@pytest.mark.parametrize(
    "state", [State.ACTIVE, State.SUSPENDED, State.TERMINATING, State.QUITTING, State.CLOSED]
)
@pytest.mark.parametrize("request_", [ControlToggle.SNAPSHOT, ControlToggle.SHUTDOWN])
def test_undone_snapshot_is_abandoned(requests, parts, started, alone, request_, state):
    send_request(parts, request_)
    requests.check()
    drive(started[0])
    parts.status.enter(state, "rollback")
    parts.counters.commit_position.set(4096)
    drive(started[0])
    assert alone == []
    assert parts.status.state is state
    assert parts.status.reasons[1:] == ["rollback"]
    assert parts.counters.control_toggle.get() == request_  # the election sets it
    assert list(started[0]) == []


@pytest.fixture
def fail_with(parts, take_by):
    """Return a function that makes snapshots fail, with a commit position that allows them."""
    parts.counters.commit_position.set(4096)

    def fail(error):
        def take(*_):
            yield
            raise error

        take_by(take)

    return fail


@pytest.mark.parametrize(
    "error",
    [
        ClusterError("a service failed"),
        TimeoutExpiredError("no answer"),
        ArchiveError("no", ArchiveErrorCode.GENERIC, 1),
        OSError(5, "Input/output error"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_failed_snapshot_is_reported_and_the_module_continues(
    requests, parts, started, fail_with, error
):
    reported = []
    parts.context.error_handler = reported.append
    fail_with(error)
    send_request(parts, ControlToggle.SNAPSHOT)
    requests.check()
    drive(started[0])
    assert reported == [error]
    assert parts.status.state is State.ACTIVE
    assert parts.counters.control_toggle.get() == ControlToggle.NEUTRAL


@pytest.mark.parametrize(
    "error",
    [
        InsufficientSpaceError(28, "No space left on device"),
        ArchiveError("no space", ArchiveErrorCode.STORAGE_SPACE, 1),
        AgentTerminationError("ended by a service"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_snapshot_without_disk_space_or_services_is_the_end(
    requests, parts, started, fail_with, error
):
    parts.context.error_handler = pytest.fail
    fail_with(error)
    send_request(parts, ControlToggle.SNAPSHOT)
    requests.check()
    with pytest.raises(type(error)) as caught:
        drive(started[0])
    assert caught.value is error
    assert parts.status.state is State.SNAPSHOT


def test_a_follower_without_services_accepts_it_at_once(requests, parts, alone):
    """Its entry has the time of the action in the log, not that of its own clock."""
    parts.status.is_leader = False
    parts.status.state = State.SNAPSHOT
    drive(requests.take_snapshot(96, 55))
    assert alone == [(96, 55)]


@pytest.mark.parametrize("is_leader", [False, True])
def test_a_snapshot_that_an_election_overtakes_is_of_the_term_of_its_action(
    requests, parts, started, take_by, is_leader
):
    """A member that is elected meanwhile has another term before its services have answered."""
    captured = []

    def take(*given):
        yield
        captured.append(given[-1](96))

    take_by(take)
    parts.counters.commit_position.set(96)
    if is_leader:
        send_request(parts, ControlToggle.SNAPSHOT)
        requests.check()
        steps = started[0]
    else:
        parts.status.state = State.SNAPSHOT
        steps = requests.take_snapshot(96, 55)
    next(steps)
    parts.status.leadership_term_id = 4
    drive(steps)
    (state,) = captured
    assert (state.log_position, state.leadership_term_id) == (96, 3)


def test_followers_are_notified_before_the_snapshot_of_a_shutdown(requests, parts, termination):
    """SHUTDOWN: after appending the SNAPSHOT action."""
    send_request(parts, ControlToggle.SHUTDOWN)
    requests.check()
    assert termination.positions == [96]


def test_abort_is_not_logged(requests, parts, started, termination):
    send_request(parts, ControlToggle.ABORT)
    assert requests.check() == 1
    assert termination.positions == [0]
    assert list(started[0]) == [None]
    assert termination.positions == [0, ("ended", 0)]
    assert parts.log.actions == []
    assert parts.status.state is State.TERMINATING
    assert len(started) == 1


def test_a_standby_snapshot_is_an_action_with_a_flag_and_nothing_else(requests, parts, started):
    send_request(parts, ControlToggle.STANDBY_SNAPSHOT)
    assert requests.check() == 1
    assert parts.log.actions == [(ClusterAction.SNAPSHOT, 1)]
    assert parts.status.state is State.ACTIVE
    assert parts.counters.control_toggle.get() == ControlToggle.NEUTRAL
    assert started == []


@pytest.mark.parametrize(
    "request_", [ControlToggle.SUSPEND, ControlToggle.SNAPSHOT, ControlToggle.STANDBY_SNAPSHOT]
)
def test_event_without_space_in_the_log_is_appended_later(requests, parts, request_):
    """If the append fails the toggle stays and is tried again next tick."""
    parts.log.is_full = True
    send_request(parts, request_)
    assert requests.check() == 0
    parts.log.is_full = False
    assert requests.check() == 1


def test_requests_during_a_snapshot_wait_for_its_end(requests, parts, started):
    parts.status.state = State.SNAPSHOT
    send_request(parts, ControlToggle.SUSPEND)
    assert requests.check() == 0
    parts.status.state = State.ACTIVE
    assert requests.check() == 1
    assert started == []


@pytest.mark.parametrize("value", [-1, 8, 4711, 1 << 40])
def test_unknown_toggle_value_requests_nothing(requests, parts, started, value):
    parts.counters.control_toggle.set(value)
    assert requests.check() == 0
    assert parts.counters.control_toggle.get() == value
    assert (parts.log.actions, started) == ([], [])


def test_a_follower_receives_nothing(requests, parts):
    parts.status.is_leader = False
    send_request(parts, ControlToggle.SNAPSHOT)
    assert requests.check() == 0


def test_a_client_requests_a_snapshot_while_no_other_request_is_pending(requests, parts):
    assert requests.try_toggle_snapshot()
    assert parts.counters.control_toggle.get() == ControlToggle.SNAPSHOT
    assert not requests.try_toggle_snapshot()


@pytest.mark.parametrize("value", [ControlToggle.INACTIVE, ControlToggle.SNAPSHOT])
def test_a_toggle_accepts_one_request_at_a_time(value):
    toggle = Toggle(value)
    assert not try_toggle(toggle, ControlToggle.SUSPEND)
    assert toggle.get() == value


def test_node_toggle_has_its_own_neutral_value():
    toggle = Toggle(NodeToggle.NEUTRAL)
    assert try_toggle(toggle, NodeToggle.VALIDATE_RECORDING_LOG)
    assert toggle.get() == NodeToggle.VALIDATE_RECORDING_LOG
