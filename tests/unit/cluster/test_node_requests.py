import errno
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState as State
from aeron_cluster.cluster.module import node_requests
from aeron_cluster.cluster.module.node_requests import NodeRequests
from aeron_cluster.cluster.state.control_toggle import NodeToggle
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.errors import ArchiveError, InsufficientSpaceError
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.memory.agents.waiting import Task
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.cluster.doubles import create_with_doubles
from tests.unit.cluster.logged_events import LoggedEvents
from tests.unit.cluster.test_control_requests import Toggle


@pytest.fixture
def log(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as opened:
        opened.append_term(1, 0, 0, 1000)
        for position, first in ((1024, 10), (2048, 20)):
            opened.append_snapshot(first, 0, 0, position, 1001, 0)
            opened.append_snapshot(first + 1, 0, 0, position, 1001, -1)
        yield opened


@pytest.fixture
def archive_double(monkeypatch):
    """Stand in for an archive; return the queried and the existing recordings."""
    archive_double = SimpleNamespace(ids=[], known={1, 10, 11, 20, 21}, error=None)

    def list_recording(_archive, recording_id):
        yield
        archive_double.ids.append(recording_id)
        if archive_double.error is not None:
            raise archive_double.error
        return object() if recording_id in archive_double.known else None

    monkeypatch.setattr(node_requests, "list_recording", list_recording)
    return archive_double


@pytest.fixture
def parts(log):
    reported = []
    return SimpleNamespace(
        archive=None,
        status=SimpleNamespace(state=State.ACTIVE),
        counters=SimpleNamespace(node_toggle=Toggle(NodeToggle.NEUTRAL)),
        context=SimpleNamespace(
            error_handler=reported.append, options=SimpleNamespace(member_id=0), events=NO_EVENTS
        ),
        recording_log=log,
        reported=reported,
    )


def run(parts, times=1, toggle=NodeToggle.VALIDATE_RECORDING_LOG, standby=None):
    started = []
    requests = create_with_doubles(NodeRequests, parts, standby=standby, begin=started.append)
    for _ in range(times):
        parts.counters.node_toggle.set(toggle)
        assert requests.is_waiting
        assert requests.check() == 1
    # The requested copy has begun; its end is not awaited.
    assert parts.counters.node_toggle.get() == NodeToggle.NEUTRAL
    for steps in started:
        task = Task(steps)
        for _ in range(100):
            task.do_work()
        assert task.is_done
    return started


def invalid(log):
    return [entry.recording_id for entry in log.entries if not entry.is_valid]


def test_leaves_archived_snapshots_unchanged(parts, archive_double, log):
    run(parts)
    assert archive_double.ids == [21, 20, 11, 10]
    assert (invalid(log), parts.reported) == ([], [])


def test_invalidates_the_set_of_a_missing_recording_the_modules_entry_first(
    parts, archive_double, log, tmp_path
):
    archive_double.known.discard(20)
    parts.context.events = events = LoggedEvents()
    module, service = (
        next(each.entry_index for each in log.entries if each.recording_id == recording_id)
        for recording_id in (21, 20)
    )
    run(parts)
    assert invalid(log) == [20, 21]
    assert events.lines == [
        f"SNAPSHOT_ENTRY_INVALIDATION memberId=0 entryIndex={module} recordingId=21"
        " logPosition=2048 serviceId=-1",
        f"SNAPSHOT_ENTRY_INVALIDATION memberId=0 entryIndex={service} recordingId=20"
        " logPosition=2048 serviceId=0",
    ]
    assert [str(each).partition(" in the archive")[0] for each in parts.reported] == [
        "snapshot of the module at 2048: expected recording 20 of service 0",
        "snapshot of the service 0 at 2048: expected recording 20",
    ]
    with RecordingLog(SystemFiles(), str(tmp_path), writable=False) as again:
        assert invalid(again) == [20, 21]
        assert [each.recording_id for each in again.find_latest_snapshots(1)] == [11, 10]


def test_each_missing_recording_of_a_set_is_reported(parts, archive_double, log):
    archive_double.known -= {20, 21}
    run(parts)
    assert invalid(log) == [20, 21]
    assert [str(each).partition(" in the archive")[0] for each in parts.reported] == [
        "snapshot of the module at 2048: expected recording 21",
        "snapshot of the service 0 at 2048: expected recording 20",
    ]


def test_a_missing_recording_that_a_later_one_replaces_leaves_its_set_valid(
    parts, archive_double, log
):
    """A member that ended before the set was complete took it again."""
    log.append_snapshot(30, 0, 0, 2048, 1001, 0)
    archive_double.known = {1, 10, 11, 21, 30}
    run(parts)
    assert invalid(log) == [20]
    assert [each.recording_id for each in log.find_latest_snapshots(1)] == [21, 30]


def test_an_end_between_its_entries_leaves_no_incomplete_set_valid(parts, archive_double, log):
    archive_double.known.discard(20)

    def end(_):
        raise SystemExit

    parts.context.error_handler = end
    with pytest.raises(SystemExit):
        run(parts)
    assert [each.recording_id for each in log.find_latest_snapshots(1)] == [11, 10]


@pytest.mark.usefixtures("archive_double")
def test_one_validation_at_a_time(parts):
    assert len(run(parts, times=2)) == 1


def test_a_failing_archive_is_reported_and_changes_nothing(parts, archive_double, log):
    archive_double.error = ArchiveError("of the test", 0)
    run(parts)
    assert (invalid(log), parts.reported) == ([], [archive_double.error])
    assert len(run(parts)) == 1  # it can be requested again


def test_a_full_disk_is_not_only_reported(parts, archive_double):
    archive_double.error = InsufficientSpaceError(errno.ENOSPC, "no space", "recording.log")
    with pytest.raises(InsufficientSpaceError):
        run(parts)
    assert parts.reported == []


@pytest.mark.parametrize("state", [State.SUSPENDED, State.SNAPSHOT, State.TERMINATING])
def test_waits_until_the_module_is_active(parts, state):
    started = []
    requests = create_with_doubles(NodeRequests, parts, begin=started.append)
    parts.counters.node_toggle.set(NodeToggle.VALIDATE_RECORDING_LOG)
    parts.status.state = state
    assert requests.check() == 0
    assert parts.counters.node_toggle.get() == NodeToggle.VALIDATE_RECORDING_LOG
    parts.status.state = State.ACTIVE
    assert requests.check() == 1
    assert len(started) == 1


def test_receives_nothing_else(parts):
    requests = create_with_doubles(NodeRequests, parts, begin=lambda _: None)
    for toggle in (NodeToggle.INACTIVE, NodeToggle.NEUTRAL, 17):
        parts.counters.node_toggle.set(toggle)
        assert requests.check() == 0
        assert parts.counters.node_toggle.get() == toggle


def test_copies_standby_snapshots_one_at_a_time(parts):
    runs = []

    def copy(on_copied):
        runs.append(on_copied)
        yield
        on_copied()

    counted = []
    parts.counters.snapshot_count = SimpleNamespace(increment=lambda: counted.append(1))
    toggle = NodeToggle.REPLICATE_STANDBY_SNAPSHOT
    assert len(run(parts, 2, toggle, SimpleNamespace(run=copy))) == 1
    assert (len(runs), counted) == (1, [1])
