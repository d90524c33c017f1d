"""Timers moved after a snapshot fire once, although a member loads them for the earlier time."""

import pytest

from aeron_cluster.cluster.agent.module_timers import ModuleTimers
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.restarts import KillAllAfterSnapshot
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
SEED = 17  # its clients move timers


def run():
    event = KillAllAfterSnapshot(S, S // 5, 8 * S, S // 2)
    settings = Settings.of(
        "consensus", draws=12, members=1, service_count=1, layout="node", duration_ns=3 * S
    )
    trial = Trial(SEED, settings, FaultPlan((event,)))
    return trial, trial.run()


@pytest.fixture
def loaded_events(monkeypatch):
    """Record events that a member reads for timers of its snapshot which are not due yet."""
    found = []
    on_replay = ModuleTimers.on_replay

    def record(timers, correlation_id, timestamp, position):
        deadline = timers._timers.deadline_of(correlation_id)
        if timers._requested.get(correlation_id) == 0 and deadline > timestamp:
            found.append(correlation_id)
        on_replay(timers, correlation_id, timestamp, position)

    monkeypatch.setattr(ModuleTimers, "on_replay", record)
    return found


def test_a_member_reads_events_of_timers_that_its_snapshot_has_for_later(loaded_events):
    trial, outcome = run()
    assert outcome.is_good, outcome.failure
    assert loaded_events
    assert "after the first member has it" in str(trial.plan)


def test_an_event_that_is_not_remembered_is_detected(monkeypatch):
    remember = ModuleTimers._remember

    def forget(timers, correlation_id, event):
        # Of timers that were loaded.
        if timers._requested.get(correlation_id) != 0:
            remember(timers, correlation_id, event)

    monkeypatch.setattr(ModuleTimers, "_remember", forget)
    _, outcome = run()
    assert outcome.invariant == "timers fire once"
