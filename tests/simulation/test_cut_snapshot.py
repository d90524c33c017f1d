"""A member whose latest snapshot lacks its end states so, and waits for nothing."""

from dataclasses import replace

import pytest

from aeron_cluster.cluster.module import recovery
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.endings.cut_snapshot import draw_cut
from aeron_cluster.simulator.endings.run_end import Ending
from aeron_cluster.simulator.faults.events import Operate
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial
from tests.conftest import SEED

S = 1_000_000_000
SNAPSHOT = replace(
    FaultPlan(), events=(Operate(S // 2, ControlToggle.SNAPSHOT),), families=("operator",)
)


def run(seed, plan=SNAPSHOT):
    settings = Settings.of("consensus", members=3, service_count=1, layout="node", duration_ns=S)
    trial = Trial(SEED, settings, plan)
    trial.ending = Ending(cuts=SeededRandom(seed))
    return trial.run()


def test_it_is_drawn_for_three_members():
    assert 70 < sum(draw_cut(seed, 3) is not None for seed in range(200)) < 130
    assert all(draw_cut(seed, 2) is None for seed in range(200))


@pytest.mark.parametrize("seed", range(4))
def test_member_that_states_so_is_accepted(seed):
    outcome = run(seed)
    assert outcome.is_good, outcome.failure


def test_no_snapshot_is_cut_without_one():
    outcome = run(SEED, FaultPlan())
    assert outcome.is_good, outcome.failure


def test_member_that_waits_for_the_end_is_detected(monkeypatch):
    def wait(*_):
        while True:
            yield

    monkeypatch.setattr(recovery, "_load", wait)
    assert "states that its snapshot lacks its end: not within 60 s" in run(0).failure


def test_member_that_states_something_else_is_detected(monkeypatch):
    def fail(*_):
        raise ConfigurationError("an option", "another value", 0)

    monkeypatch.setattr(recovery, "_load", fail)
    failure = run(0).failure
    assert failure.startswith("a member states that its snapshot lacks its end: ")
    assert "another value" in failure
