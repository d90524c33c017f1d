"""Backups copy the cluster's snapshots: one that has the log but no snapshot is detected."""

from aeron_cluster.cluster.backup.agent import BackupAgent
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.simulator.faults.backup_events import StartBackup
from aeron_cluster.simulator.faults.events import Operate
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import run_trial
from tests.conftest import SEED

S = 1_000_000_000
SETTINGS = Settings.of("whole", members=3, service_count=1, layout="node", duration_ns=2 * S)
PLAN = FaultPlan((StartBackup(0), Operate(S, ControlToggle.SNAPSHOT)), families=("backup",))


def test_backup_gets_the_snapshot():
    outcome = run_trial(SEED, SETTINGS, PLAN)
    assert outcome.is_good, outcome.failure


def test_backup_that_records_no_snapshot_is_detected(monkeypatch):
    update = BackupAgent._update_recording_log
    monkeypatch.setattr(
        BackupAgent, "_update_recording_log", lambda self, response, _: update(self, response, [])
    )
    failure = run_trial(SEED, SETTINGS, PLAN).failure
    assert failure is not None
    assert "backups have the latest snapshot" in failure
