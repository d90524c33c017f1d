"""Power lost right after an append, and between the entries of a snapshot."""

import pytest

from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.simulator.checks.plain_disk import read_entries
from aeron_cluster.simulator.checks.promises import SentPositionsAreSynced
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.power_losses import LosePowerAfterAppend, LosePowerInSnapshot
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

MS = 1_000_000
S = 1000 * MS
UNSYNCED = {"archive": {"file_sync_level": 0, "catalog_file_sync_level": 0}}
LOG = "/data/cluster/recording.log"


def run(event, *, members=3, options=None):
    settings = Settings.of(
        "consensus",
        draws=1,
        members=members,
        layout="node",
        sync_level=1,
        duration_ns=3 * S,
        options=options or {},
    )
    trial = Trial(3, settings, FaultPlan((event,)))
    return trial, trial.run()


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("is_network", [False, True])
@pytest.mark.parametrize("is_of_leader", [False, True])
def test_nothing_that_was_acknowledged_is_lost_after_an_append(is_of_leader, is_network, count):
    for calls in (1, 2):
        event = LosePowerAfterAppend(S, S // 2, S, calls, is_network, count, is_of_leader)
        trial, outcome = run(event)
        assert outcome.is_good, outcome.failure
        losses = [each.machine.power_loss_count for each in trial.cluster.members]
        assert sorted(losses) == [0] * (3 - count) + [1] * count
        assert outcome.counts["processes"] == 3 + count


def test_positions_that_are_sent_before_they_are_synced_are_lost_with_the_power(monkeypatch):
    """Also where the check of each sent position does not see it."""
    monkeypatch.setattr(SentPositionsAreSynced, "on_new_append", lambda *_: None)
    found = set()
    for is_network in (True, False):
        event = LosePowerAfterAppend(S, S // 2, S, 2, is_network, 3, False)
        _, outcome = run(event, options=UNSYNCED)
        found.add(outcome.invariant)
    assert "sent positions are persisted" in found


def entries_at_losses(monkeypatch):
    """Run a single member that loses power around the entries of its snapshot.

    Yields its outcome, and the services of the entries that its recording log had then.
    """
    found = []
    lose_power = LosePowerInSnapshot._lose_power

    def look(event, trial, member):
        entries = read_entries(member.machine.files.copy("/data/cluster"), LOG)
        found.append([each.service_id for each in entries if not each.is_term])
        lose_power(event, trial, member)

    monkeypatch.setattr(LosePowerInSnapshot, "_lose_power", look)
    for calls in range(22, 29):
        event = LosePowerInSnapshot(S, S // 2, S, calls, False, 1)
        trial, outcome = run(event, members=1)
        yield trial, outcome, found.pop()


def test_power_lost_between_the_entries_of_a_snapshot_leaves_earlier_ones(monkeypatch):
    seen = []
    for trial, outcome, entries in entries_at_losses(monkeypatch):
        assert outcome.is_good, outcome.failure
        assert trial.cluster.members[0].machine.power_loss_count == 1
        seen.append(entries)
    assert [] in seen
    assert [0] in seen  # of the service, without that of the module
    assert [0, -1] in seen


def test_a_snapshot_whose_entries_are_in_a_wrong_order_is_found(monkeypatch):
    append = RecordingLog.append_snapshot
    deferred = []

    def append_module_first(log, recording_id, *entry):
        deferred.append((recording_id, *entry))
        if entry[-1] == -1:
            for each in reversed(deferred):
                append(log, *each)
            deferred.clear()

    monkeypatch.setattr(RecordingLog, "append_snapshot", append_module_first)
    found = {outcome.invariant for _, outcome, _ in entries_at_losses(monkeypatch)}
    assert found - {""}, "no set was incomplete"
