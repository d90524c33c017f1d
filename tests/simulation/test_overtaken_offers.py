"""A leader that truncates its service's message, and leads again, still has it to append."""

import pytest

from aeron_cluster.cluster.agent.uncommitted_changes import UncommittedChanges
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.overtaken_offers import OvertakeOffer, add_overtaken_offers
from aeron_cluster.simulator.trials.run_plan import with_added_faults
from aeron_cluster.simulator.trials.settings import WITHOUT_NATIVE, Settings
from aeron_cluster.simulator.trials.trial import Trial

S = 1_000_000_000
EVENT = OvertakeOffer(S // 2, 8 * S, 12 * S)
END = 1 << 62  # after any position


def added(seed, members=3):
    plan = add_overtaken_offers(FaultPlan(), seed, members=members, duration_ns=6 * S, speedup=5)
    return plan.events


def run(members=3, **given):
    settings = Settings.of(
        "consensus",
        draws=1,
        members=members,
        layout="node",
        sync_level=0,
        duration_ns=S,
        **given,
    )
    trial = Trial(3, settings, FaultPlan((EVENT,)))
    return trial, trial.run()


@pytest.fixture
def restored(monkeypatch):
    """The numbers of uncommitted messages that members made pending again."""
    counts = []
    restore = UncommittedChanges.restore

    def look(self, commit_position):
        counts.extend(each.appended_count for each in self._trackers if each.appended_count)
        restore(self, commit_position)

    monkeypatch.setattr(UncommittedChanges, "restore", look)
    return counts


def test_one_of_eight_runs_has_such_a_leader():
    events = [each for seed in range(800) for each in added(seed)]
    assert 70 < len(events) < 130
    # Other faults have begun by then.
    assert all(each.at_ns >= 6 * S * 3 // 4 for each in events)
    assert not any(added(seed, members=2) for seed in range(99))


def test_later_draws_add_it_where_there_are_services():
    seed = next(each for each in range(99) if added(each))
    for draws, services, expected in (
        (WITHOUT_NATIVE, Settings.services, 0),
        (WITHOUT_NATIVE + 1, Settings.services, 1),
        (WITHOUT_NATIVE + 1, (), 0),
    ):
        settings = Settings.of("consensus", draws=draws, services=services)
        plan = with_added_faults(FaultPlan(), seed, 3, 0, ("overtaken",), settings)
        assert sum(isinstance(each, OvertakeOffer) for each in plan.events) == expected


@pytest.mark.parametrize("members", [3, 5])
def test_it_leads_again_and_appends_the_message(restored, members):
    trial, outcome = run(members)
    assert outcome.is_good, outcome.failure
    assert restored
    starts = [each.start_count for each in trial.cluster.members]
    assert 1 in starts
    assert sum(each > 1 for each in starts) > 1
    assert "cut it off from the others" in str(trial.plan)


def test_a_message_that_is_not_retained_until_its_commit_is_detected(monkeypatch):
    restore = UncommittedChanges.restore

    def drop(self, commit_position):
        for each in self._trackers:
            each.sweep_leader(END)
        restore(self, commit_position)

    monkeypatch.setattr(UncommittedChanges, "restore", drop)
    _, outcome = run()
    assert outcome.invariant == "a service's message is in the log once"


def test_the_faults_last_until_it_has_ended():
    trial, outcome = run()
    assert outcome.is_good, outcome.failure
    # Three elections after a leader's timeout of two seconds each.
    assert outcome.virtual_ns > 8 * S
    assert set(trial._held_until_ns.values()) == {0}
