"""Members remove snapshots beyond those that they keep: one that never does is detected."""

from aeron_cluster.cluster.snapshots.log_purge import LogPurge
from aeron_cluster.simulator.endings.run_end import Ending
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial
from tests.conftest import SEED

S = 1_000_000_000


def run(kept=2):
    options = {"consensus_module": {"snapshot_interval_ns": 2 * S, "snapshots_kept": kept}}
    settings = Settings.of(
        "whole", members=1, service_count=2, layout="node", duration_ns=6 * S, options=options
    )
    trial = Trial(SEED, settings, FaultPlan())
    trial.ending = Ending(kept_snapshots=kept)
    return trial.run()


def test_members_that_remove_old_snapshots_are_accepted():
    outcome = run()
    assert outcome.is_good, outcome.failure


def test_members_that_never_remove_one_are_detected(monkeypatch):
    def nothing(_):
        return
        yield

    monkeypatch.setattr(LogPurge, "_purge", nothing)
    assert run().failure.startswith("old snapshots are removed: <Member 0 running> has [")


def test_members_that_keep_one_too_many_are_detected(monkeypatch):
    drop = LogPurge._drop_older

    def keep_another(self, position):
        older = [each for each in self._positions() if each < position]
        drop(self, max(older, default=position))

    monkeypatch.setattr(LogPurge, "_drop_older", keep_another)
    assert run().failure.startswith("old snapshots are removed: ")
