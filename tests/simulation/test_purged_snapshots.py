"""Members remove snapshots beyond those that they keep, and old log: one that does not is found."""

import pytest

from aeron_cluster.cluster.snapshots import log_purge
from aeron_cluster.cluster.snapshots.log_purge import LogPurge
from aeron_cluster.simulator.endings.run_end import Ending
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial
from tests.conftest import SEED

S = 1_000_000_000


def run(kept=2, seconds=6):
    options = {
        "archive": {"segment_file_length": 1 << 16},
        "consensus_module": {"snapshot_interval_ns": 2 * S, "snapshots_kept": kept},
    }
    settings = Settings.of(
        "whole", members=1, service_count=2, layout="node", duration_ns=seconds * S, options=options
    )
    trial = Trial(SEED, settings, FaultPlan())
    trial.ending = Ending(kept_snapshots=kept)
    return trial.run()


@pytest.mark.parametrize("seconds", [6, 30])
def test_members_that_remove_old_snapshots_and_log_are_accepted(seconds):
    outcome = run(seconds=seconds)
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


def test_members_that_keep_old_log_are_detected(monkeypatch):
    monkeypatch.setattr(log_purge, "purge_position", lambda extent, *_: extent.start_position)
    failure = run(seconds=30).failure
    assert failure.startswith("old log is removed: <Member 0 running>: its log starts at 0, ")
