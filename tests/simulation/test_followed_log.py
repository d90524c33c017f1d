"""Backups follow the log in the end of a run: one that only has it by its queries is detected."""

from dataclasses import replace

from aeron_cluster.cluster.backup.agent import BackupAgent
from aeron_cluster.cluster.backup.counters import BackupState
from aeron_cluster.simulator.endings.run_end import Ending
from aeron_cluster.simulator.faults.backup_events import StartBackup
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial
from tests.conftest import SEED

S = 1_000_000_000


def run():
    settings = Settings.of("whole", members=3, service_count=1, layout="node", duration_ns=S)
    plan = replace(FaultPlan(), events=(StartBackup(0),), families=("backup",))
    trial = Trial(SEED, settings, plan)
    trial.ending = Ending()
    return trial.run()


def test_backup_that_follows_is_accepted():
    outcome = run()
    assert outcome.is_good, outcome.failure


def test_backup_that_has_the_log_by_its_queries_alone_is_detected(monkeypatch):
    watch = BackupAgent._watch
    known = {}

    def watch_once_a_query(self):
        query_ms = self._next_query.get()
        # What a round notes waits for the log.
        is_awaiting = self.state is BackupState.LIVE_LOG_REPLAY
        if is_awaiting or known.get(self) != query_ms:
            known[self] = query_ms
            watch(self)

    monkeypatch.setattr(BackupAgent, "_watch", watch_once_a_query)
    failure = run().failure
    assert failure is not None
    assert failure.startswith("backups follow the log: ")
    assert "1 s ago, <Backup backup0" in failure
