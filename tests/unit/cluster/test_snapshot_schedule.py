"""When the leader takes a scheduled snapshot."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.snapshots.snapshot_schedule import SnapshotSchedule
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.cluster.doubles import create_with_doubles
from tests.unit.cluster.session_rig import Counter

S = 1_000_000_000
INTERVAL = 60 * S
BEGIN_MS = 1_700_000_000_000


class Rig:
    """A schedule on a member that a test makes leader or follower."""

    def __init__(self, log):
        self.log = log
        self.now_ns = 5 * S
        self.commit_position = 4096
        self.counter = Counter()
        self.requested = []
        self.call_count = 0
        self.can_send = True
        self.status = SimpleNamespace(is_leader=False, is_active=True)
        parts = SimpleNamespace(
            status=self.status,
            recording_log=log,
            context=SimpleNamespace(epoch_ms=self.epoch_ms, cluster_time_ms=lambda time: time),
            counters=SimpleNamespace(
                commit_position=SimpleNamespace(get=lambda: self.commit_position)
            ),
        )
        self.schedule = create_with_doubles(
            SnapshotSchedule,
            parts,
            interval_ns=INTERVAL,
            counter=self.counter,
            request=self._request,
        )

    def epoch_ms(self):
        return BEGIN_MS + self.now_ns // 1_000_000

    def _request(self):
        self.requested.append(self.now_ns)
        return self.can_send

    def add_snapshot(self, position, age_ns=0):
        timestamp = self.epoch_ms() - age_ns // 1_000_000
        for service_id in (0, -1):
            self.log.append_snapshot(position + service_id, 0, 0, position, timestamp, service_id)

    def run_for(self, duration_ns, step_ns=S):
        """Advance time; the schedule is called only when it is due."""
        end_ns = self.now_ns + duration_ns
        while self.now_ns < end_ns:
            self.now_ns += step_ns
            if self.schedule.next_deadline_ns() <= self.now_ns:
                self.call_count += 1
                self.schedule.do_work(self.now_ns)

    def lead(self, is_leader=True):
        self.status.is_leader = is_leader
        self.run_for(1, 1)


@pytest.fixture
def rig(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        log.append_term(1, 0, 0, BEGIN_MS)
        yield Rig(log)


def test_a_follower_requests_no_snapshot_and_counts_minus_1(rig):
    rig.run_for(10 * INTERVAL)
    assert (rig.requested, rig.counter.value) == ([], -1)


def test_the_first_is_due_an_interval_after_the_leader_was_elected(rig):
    rig.lead()
    elected_ns = rig.now_ns
    assert rig.counter.value == rig.epoch_ms() + INTERVAL // 1_000_000
    rig.run_for(INTERVAL - 1, INTERVAL - 1)
    assert rig.requested == []
    rig.run_for(1, 1)
    assert rig.requested == [elected_ns + INTERVAL]


def test_a_new_leader_counts_the_interval_from_the_last_snapshot(rig):
    rig.add_snapshot(1024, age_ns=INTERVAL - 10 * S)
    rig.lead()
    elected_ns = rig.now_ns
    rig.run_for(20 * S)
    assert rig.requested == [pytest.approx(elected_ns + 10 * S, abs=2 * S)]


@pytest.mark.parametrize("age_ns", [-3600 * S, 100 * INTERVAL])
def test_a_clock_that_was_set_delays_a_snapshot_by_at_most_an_interval(rig, age_ns):
    rig.add_snapshot(1024, age_ns=age_ns)
    rig.lead()
    rig.run_for(INTERVAL + 2 * S)
    assert len(rig.requested) == (1 if age_ns < 0 else 2)


def test_a_snapshot_requested_by_others_counts(rig):
    rig.lead()
    rig.run_for(INTERVAL - 10 * S)
    rig.add_snapshot(2048)
    rig.schedule.do_work(rig.now_ns)
    rig.run_for(INTERVAL - 10 * S)
    assert rig.requested == []
    rig.run_for(20 * S)
    assert len(rig.requested) == 1


def test_no_snapshot_is_requested_while_nothing_new_is_committed(rig):
    rig.add_snapshot(4096)
    rig.lead()
    rig.run_for(5 * INTERVAL)
    assert rig.requested == []
    rig.commit_position += 64
    rig.run_for(2 * S)
    assert len(rig.requested) == 1


def test_failed_snapshot_is_retried_an_interval_later(rig):
    rig.lead()
    rig.run_for(3 * INTERVAL + 2 * S)
    assert len(rig.requested) == 3


def test_request_that_cannot_be_sent_now_is_sent_soon(rig):
    rig.lead()
    rig.can_send = False
    rig.run_for(INTERVAL + 3 * S)
    assert len(rig.requested) > 1
    rig.can_send = True
    before = len(rig.requested)
    rig.run_for(2 * S)
    assert len(rig.requested) == before + 1


def test_a_suspended_module_accepts_no_ingress(rig):
    rig.status.is_active = False
    rig.lead()
    rig.run_for(INTERVAL + 5 * S)
    assert rig.requested == []
    rig.status.is_active = True
    rig.run_for(2 * S)
    assert len(rig.requested) == 1


def test_a_former_leader_takes_no_snapshot(rig):
    rig.lead()
    rig.lead(is_leader=False)
    assert rig.counter.value == -1
    rig.run_for(3 * INTERVAL)
    assert rig.requested == []


def test_the_module_calls_it_only_when_a_snapshot_or_another_attempt_is_due(rig):
    """Calls in each duty cycle would be expensive for a module that has nothing else to do."""
    rig.run_for(INTERVAL)
    assert rig.call_count == 0
    rig.lead()
    assert rig.call_count == 1
    rig.run_for(5 * INTERVAL, S // 10)
    assert rig.call_count == 1 + len(rig.requested) == 6
    rig.can_send = False
    rig.run_for(INTERVAL + 10 * S, S // 10)
    assert rig.call_count - 6 == len(rig.requested) - 5 <= 12
    rig.lead(is_leader=False)
    rig.call_count = 0
    rig.run_for(5 * INTERVAL)
    assert rig.call_count == 0
