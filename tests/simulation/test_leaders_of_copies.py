"""A leader whose module is lost while the others copy from its archive: nobody waits for ever."""

from aeron_cluster.cluster.election import messages
from aeron_cluster.cluster.election.progress import MissingTerm
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.leaders_of_copies import (
    LoseLeaderOfCopies,
    add_leaders_of_copies,
)
from aeron_cluster.simulator.trials.run_plan import with_added_faults
from aeron_cluster.simulator.trials.settings import WITHOUT_NATIVE, Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
EVENT = LoseLeaderOfCopies(S // 2, S // 2, alone_ns=6 * S, limit_ns=8 * S)


def added(seed, members=3):
    plan = add_leaders_of_copies(FaultPlan(), seed, members=members, duration_ns=6 * S, speedup=5)
    return plan.events


def run():
    settings = Settings.of(
        "consensus", draws=1, members=3, layout="apart", sync_level=0, duration_ns=3 * S
    )
    trial = Trial(3, settings, FaultPlan((EVENT,)))
    outcome = trial.run()
    return [each.process("module").start_count for each in trial.cluster.members], outcome


def test_one_of_eight_runs_has_such_a_leader():
    count = sum(map(bool, map(added, range(800))))
    assert 70 < count < 130
    assert not any(added(seed, members=2) for seed in range(99))


def test_later_draws_add_it():
    seed = next(each for each in range(99) if added(each))
    for draws, expected in ((WITHOUT_NATIVE, 0), (WITHOUT_NATIVE + 1, 1)):
        settings = Settings.of("consensus", draws=draws, families=("lost",))
        plan = with_added_faults(FaultPlan(), seed, 3, 0, ("lost",), settings)
        assert sum(isinstance(each, LoseLeaderOfCopies) for each in plan.events) == expected


def test_the_others_elect_without_the_leader_that_they_copied_from():
    starts, outcome = run()
    assert outcome.is_good, outcome.failure
    # With their members, again after the kill of all, and that one at least once more.
    *others, most = sorted(starts)
    assert others == [2, 2]
    assert most > 2


def test_followers_that_wait_for_it_for_ever_are_detected(monkeypatch):
    class Patient(MissingTerm):
        """Never expires, except after a message of the leader."""

        def __setattr__(self, name, value):
            super().__setattr__(name, value + 1000 * S if name == "deadline_ns" else value)

    monkeypatch.setattr(messages, "MissingTerm", Patient)
    _, outcome = run()
    assert outcome.invariant == "liveness: the majority elects after the faults"
