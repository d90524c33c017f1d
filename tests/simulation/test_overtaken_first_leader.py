"""A first leader that is overtaken truncates its log to the start; a lost answer is detected."""

import pytest

from aeron_cluster.archive.control.maintenance import Maintenance
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.first_leader import OvertakeFirstLeader, StrikeOvertakenLeader
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

MS = 1_000_000
S = 1000 * MS


@pytest.fixture
def truncations(monkeypatch):
    """The positions to which members truncate recordings."""
    seen = []
    truncate = Maintenance.truncate

    def look(self, session, correlation_id, recording_id, position):
        seen.append(position)
        truncate(self, session, correlation_id, recording_id, position)

    monkeypatch.setattr(Maintenance, "truncate", look)
    return seen


def run(event, sync_level=0):
    settings = Settings.of(
        "consensus",
        draws=1,
        members=3,
        layout="node",
        sync_level=sync_level,
        duration_ns=6 * S,
    )
    trial = Trial(3, settings, FaultPlan((event,)))
    return trial, trial.run()


def test_a_first_leader_truncates_its_log_to_the_start(truncations):
    trial, outcome = run(OvertakeFirstLeader(0))
    assert outcome.is_good, outcome.failure
    assert truncations == [0]
    # Services have seen the next leader's term alone.
    assert outcome.counts["terms"] == 1
    assert trial.cluster.journals[0].last_term > 0
    assert [each.start_count for each in trial.cluster.members] == [1, 1, 1]


@pytest.mark.parametrize(("calls", "is_power_lost"), [(0, False), (30, False), (20, True)])
def test_a_first_leader_ends_while_it_truncates_its_log(truncations, calls, is_power_lost):
    event = StrikeOvertakenLeader(0, calls, S, is_power_lost, 100 * MS)
    trial, outcome = run(event, sync_level=1)
    assert outcome.is_good, outcome.failure
    assert 0 in truncations
    assert sorted(each.start_count for each in trial.cluster.members) == [1, 1, 2]
    lost = [each.machine.power_loss_count for each in trial.cluster.members]
    assert sum(lost) == is_power_lost
    assert "start again after" in str(trial.plan)


def test_a_truncation_without_an_answer_is_detected(monkeypatch, truncations):
    monkeypatch.setattr(Maintenance, "_delete_all", lambda *_: None)
    _, outcome = run(OvertakeFirstLeader(0))
    assert truncations == [0]
    assert outcome.invariant == "archives answer their clients"
    assert "TruncateRecordingRequest" in outcome.failure
