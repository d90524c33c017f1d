from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.state.recovery_plan import plan_recovery
from aeron_cluster.errors import OtherServicesError, StateError
from aeron_cluster.memory.system.seams import SystemFiles

LOG = 7


@pytest.fixture
def log(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as opened:
        yield opened


def descriptor(recording_id=LOG, start_position=0, stop_position=8192):
    return SimpleNamespace(
        recording_id=recording_id,
        start_position=start_position,
        stop_position=stop_position,
        initial_term_id=3,
        term_buffer_length=65536,
        mtu_length=1408,
        session_id=-5,
    )


def append_snapshot(log, first_recording, term, base, position, services=1):
    """Append a snapshot as a member does: services from the highest id down, the module last."""
    for index, service_id in enumerate([*range(services - 1, -1, -1), -1]):
        log.append_snapshot(first_recording + index, term, base, position, 1000, service_id)


def numbers(plan):
    return (
        plan.last_leadership_term_id,
        plan.last_term_base_log_position,
        plan.appended_log_position,
        plan.committed_log_position,
    )


def test_a_new_member_starts_at_zero(log):
    sources = plan_recovery(log, 1)
    assert sources.log_recording_id == -1
    plan = sources.with_log(None)
    assert numbers(plan) == (-1, 0, 0, 0)
    assert (plan.snapshot, plan.snapshot_position, plan.log) == (None, 0, None)
    assert plan.log_recording_id == -1


def test_without_a_snapshot_the_whole_log_is_replayed(log):
    log.append_term(LOG, 0, 0, 1000)
    log.append_term(LOG, 1, 4096, 1001)
    sources = plan_recovery(log, 1)
    assert sources.log_recording_id == LOG
    plan = sources.with_log(descriptor())
    assert numbers(plan) == (1, 4096, 8192, 0)
    assert (plan.log.start_position, plan.log.stop_position) == (0, 8192)
    assert (plan.log.initial_term_id, plan.log.term_buffer_length) == (3, 65536)
    assert (plan.log.mtu_length, plan.log.session_id) == (1408, -5)


def test_closed_term_proves_its_position_committed(log):
    log.append_term(LOG, 0, 0, 1000)
    log.commit_log_position(0, 6144)
    assert numbers(plan_recovery(log, 1).with_log(descriptor())) == (0, 0, 8192, 6144)


def test_a_replay_begins_at_the_snapshot(log):
    log.append_term(LOG, 0, 0, 1000)
    append_snapshot(log, 20, 0, 0, 4096, services=2)
    plan = plan_recovery(log, 2).with_log(descriptor(start_position=2048))
    assert numbers(plan) == (0, 0, 8192, 4096)
    assert [entry.recording_id for entry in plan.snapshots] == [22, 21, 20]
    assert [entry.service_id for entry in plan.snapshots] == [-1, 0, 1]
    assert (plan.log.start_position, plan.log.recording_start_position) == (4096, 2048)
    plan.check_replay()


def test_ignores_a_set_without_its_last_entry(log):
    # "An incomplete set (services written, CM not) is therefore ignored"
    log.append_term(LOG, 0, 0, 1000)
    append_snapshot(log, 20, 0, 0, 2048)
    log.append_snapshot(30, 0, 0, 4096, 1001, 0)
    plan = plan_recovery(log, 1).with_log(descriptor())
    assert [entry.recording_id for entry in plan.snapshots] == [21, 20]
    assert plan.snapshot_position == 2048


def test_falls_back_to_an_older_snapshot_where_the_newest_is_invalid(log):
    log.append_term(LOG, 0, 0, 1000)
    append_snapshot(log, 20, 0, 0, 2048)
    append_snapshot(log, 30, 0, 0, 4096)
    log.invalidate_latest_snapshot()
    assert plan_recovery(log, 1).with_log(descriptor()).snapshot.recording_id == 21
    log.invalidate_latest_snapshot()
    assert plan_recovery(log, 1).with_log(descriptor()).snapshots == ()


def test_a_set_of_the_first_service_alone_raises(log):
    # "running off the front raises"
    log.append_term(LOG, 0, 0, 1000)
    append_snapshot(log, 20, 0, 0, 2048, services=1)
    with pytest.raises(OtherServicesError, match="expected 2 services, found 1"):
        plan_recovery(log, 2)


@pytest.mark.parametrize("earlier", [1, 2, 3])
def test_only_the_newest_snapshot_shows_the_number_of_services(log, earlier):
    log.append_term(LOG, 0, 0, 1000)
    append_snapshot(log, 20, 0, 0, 2048, services=earlier)
    append_snapshot(log, 30, 0, 0, 4096, services=1)
    with pytest.raises(OtherServicesError, match="at 4096: expected 2 services, found 1"):
        plan_recovery(log, 2)


def test_a_set_with_a_damaged_snapshot_is_not_a_set_of_fewer_services(log):
    log.append_term(LOG, 0, 0, 1000)
    append_snapshot(log, 20, 0, 0, 2048, services=1)
    log.append_snapshot(22, 0, 0, 2048, 1000, 5)
    log.append_snapshot(23, 0, 0, 2048, 1000, -1)
    with pytest.raises(StateError, match="expected 2 services, found 1") as raised:
        plan_recovery(log, 2)
    assert type(raised.value) is StateError


def test_with_snapshots_alone_a_new_log_begins(log):
    # "recording log seeded from snapshot: only snapshot entries, base and log position forced to 0"
    append_snapshot(log, 20, 5, 0, 0)
    sources = plan_recovery(log, 1, replicated_recording_id=9)
    assert sources.log_recording_id == -1
    plan = sources.with_log(None)
    assert numbers(plan) == (5, 0, 0, 0)
    assert plan.log is None
    assert len(plan.snapshots) == 2


def test_a_replicated_recording_is_the_log_of_an_empty_recording_log(log):
    sources = plan_recovery(log, 1, replicated_recording_id=9)
    assert sources.log_recording_id == 9
    plan = sources.with_log(descriptor(9, start_position=1024))
    assert numbers(plan) == (-1, 0, 8192, 0)
    assert (plan.log.leadership_term_id, plan.log.start_position) == (-1, 1024)
    assert plan.log.log_position == 0


def test_log_being_recorded_has_no_end(log):
    log.append_term(LOG, 0, 0, 1000)
    plan = plan_recovery(log, 0).with_log(descriptor(stop_position=-1))
    assert plan.appended_log_position == -1


def test_an_archive_without_the_recording_raises(log):
    # "A missing descriptor raises"
    log.append_term(LOG, 0, 0, 1000)
    with pytest.raises(StateError, match="unknown recording id: 7 of the log, found -1"):
        plan_recovery(log, 0).with_log(None)
    with pytest.raises(StateError, match="unknown recording id: 7 of the log, found 8"):
        plan_recovery(log, 0).with_log(descriptor(8))


def test_log_with_a_purged_beginning_is_not_replayed(log):
    log.append_term(LOG, 0, 0, 1000)
    plan = plan_recovery(log, 0).with_log(descriptor(start_position=1024))
    with pytest.raises(StateError, match="position 0, found 1024"):
        plan.check_replay()
    append_snapshot(log, 20, 0, 0, 512, services=0)
    with pytest.raises(StateError, match="position 512, found 1024"):
        plan_recovery(log, 0).with_log(descriptor(start_position=1024)).check_replay()
    append_snapshot(log, 30, 0, 0, 1024, services=0)
    plan_recovery(log, 0).with_log(descriptor(start_position=1024)).check_replay()


def test_rejects_a_log_ending_before_the_recording_logs_positions(log):
    log.append_term(LOG, 0, 0, 1000)
    log.append_term(LOG, 1, 4096, 1000)
    plan = plan_recovery(log, 0).with_log(descriptor(stop_position=2048))
    with pytest.raises(StateError, match=r"expected the log up to 4096 at least.*end at 2048"):
        plan.check_replay()
    append_snapshot(log, 20, 1, 4096, 8192, services=0)
    plan = plan_recovery(log, 0).with_log(descriptor(stop_position=4096))
    with pytest.raises(StateError, match=r"expected the log up to 8192 at least.*end at 4096"):
        plan.check_replay()
    plan_recovery(log, 0).with_log(descriptor(stop_position=8192)).check_replay()
