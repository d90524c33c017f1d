"""Processes that end by themselves: a fault explains it, or a check fails."""

import pytest

from aeron_cluster.cluster.service import service_conductor
from aeron_cluster.simulator.faults.events import ClockStep, DiskFull, Pause
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.service_events import ServiceRaises, SnapshotFails
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000


def run(*events, members=1, layout="node"):
    settings = Settings(sync_level=0, duration_ns=4 * S, members=members, layout=layout)
    return Trial(1, settings, FaultPlan(events)).run()


@pytest.mark.parametrize("members", [1, 3])
def test_a_service_that_raises_ends_no_process(members):
    outcome = run(ServiceRaises(S, 0, 5), SnapshotFails(2 * S, 0), members=members)
    assert outcome.is_good, outcome.failure
    assert outcome.counts["processes"] == members


def plant(monkeypatch):
    """Let each failed snapshot end its container, as if its disk were full."""
    monkeypatch.setattr(service_conductor, "is_out_of_space", lambda _: True)


def test_the_end_of_a_container_after_a_failed_snapshot_is_detected(monkeypatch):
    plant(monkeypatch)
    outcome = run(SnapshotFails(S, 0))
    assert outcome.invariant == "a fault explains the end of a process"
    assert "Aeron client in service closed unexpectedly" in outcome.failure


def test_the_same_end_is_explained_by_a_full_disk_of_that_member_alone(monkeypatch):
    plant(monkeypatch)
    full = DiskFull(3 * S, 0, 1 << 30, S // 10)
    assert run(SnapshotFails(S, 0), full).is_good
    of_another = DiskFull(3 * S, 1, 1 << 30, S // 10)
    outcome = run(SnapshotFails(S, 0), of_another, members=3)
    assert outcome.invariant == "a fault explains the end of a process"


def test_separate_processes_are_not_judged(monkeypatch):
    plant(monkeypatch)
    assert run(SnapshotFails(S, 0), layout="apart").is_good


def test_a_pause_explains_no_end():
    outcome = run(Pause(S, 0, 15 * S))
    assert outcome.is_good, outcome.failure
    assert outcome.counts["processes"] == 1


@pytest.mark.parametrize("begin_ms", range(0, 1000, 100))
def test_clocks_that_are_set_back_and_forward_end_no_process(begin_ms):
    # Between two checks of the driver, which see the sum; its heartbeat is of the time in between.
    begin_ns = S + begin_ms * S // 1000
    outcome = run(
        ClockStep(begin_ns, 0, -1400 * S), ClockStep(begin_ns + S * 45 // 100, 0, 2900 * S)
    )
    assert outcome.is_good, outcome.failure
    assert outcome.counts["processes"] == 1
