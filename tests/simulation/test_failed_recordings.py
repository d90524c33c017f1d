"""A recording that stops while a service takes its snapshot; a service that waits is detected."""

import pytest

from aeron_cluster.cluster.service import service_snapshot
from aeron_cluster.simulator.faults.failed_recordings import (
    FailRecordingOfSnapshot,
    options_of_snapshots,
)
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

MS = 1_000_000
S = 1000 * MS


def run(window_length, seed=3):
    settings = Settings.of(
        "consensus",
        draws=1,
        members=3,
        layout="node",
        sync_level=0,
        clients=2,
        duration_ns=5 * S,
    )
    event = FailRecordingOfSnapshot(2 * S, 0, 200 * MS, 0, window_length)
    trial = Trial(seed, settings, FaultPlan((event,)))
    return trial, trial.run()


@pytest.mark.parametrize("window_length", [128, 0])
def test_a_snapshot_fails_whose_recording_stops(window_length):
    trial, outcome = run(window_length)
    assert outcome.is_good, outcome.failure
    (failed,) = [each for each in trial.cluster.members if each.errors]
    errors = " ".join(map(str, failed.errors))
    assert "cannot write to segment file" in errors
    assert "failed to take snapshot" in errors
    assert f"window of {window_length} bytes" in str(trial.plan)


def test_a_container_that_waits_for_a_stopped_recording_is_detected(monkeypatch):
    monkeypatch.setattr(service_snapshot, "is_active", lambda *_: True)
    _, outcome = run(128)
    assert outcome.invariant.startswith("liveness"), outcome.failure
    assert "SNAPSHOT" in outcome.failure


def test_only_a_short_window_is_an_option():
    short = FailRecordingOfSnapshot(0, 0, S, 0, 128)
    usual = FailRecordingOfSnapshot(0, 0, S, 0, 0)
    assert options_of_snapshots(FaultPlan((usual,))) == {}
    options = options_of_snapshots(FaultPlan((usual, short)))
    assert set(options) == {"consensus_module", "container"}
    assert "pub-wnd=128" in options["container"]["snapshot_channel"]
