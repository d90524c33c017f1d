"""A cluster's shape drawn from a seed, without a change of other draws."""

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.simulator.clients.reference import ReferenceService
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.endings.conditions import all_lead
from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.members.journal import Entry, Journal
from aeron_cluster.simulator.trials.settings import MAX_DRAWS, Settings
from aeron_cluster.simulator.trials.shapes import (
    draw_member_count,
    draw_native_services,
    draw_options,
    draw_survivors,
    reference_services,
)
from aeron_cluster.simulator.trials.trial import Trial

MANY = 2000
S = 1_000_000_000
HEAP = "io.aeron.cluster.PriorityHeapTimerServiceSupplier"
WHEEL = "io.aeron.cluster.WheelTimerServiceSupplier"


def test_clusters_have_one_to_five_members_and_three_most_often():
    counts = Counter(draw_member_count(seed, max_count=5) for seed in range(MANY))
    assert set(counts) == {1, 2, 3, 4, 5}
    assert counts.most_common(1)[0][0] == 3
    assert min(counts.values()) > MANY // 20


def test_one_cluster_of_64_has_seven_members_without_a_change_of_the_others():
    large = [seed for seed in range(MANY) if draw_member_count(seed) == 7]
    assert MANY // 100 < len(large) < MANY // 40
    others = set(range(MANY)).difference(large)
    assert all(draw_member_count(each) == draw_member_count(each, max_count=5) for each in others)


def test_one_cluster_of_four_has_several_services():
    counts = Counter(len(reference_services(seed, 0)) for seed in range(MANY))
    assert MANY // 6 < counts[2] + counts[3] < MANY // 3
    assert min(counts[2], counts[3]) > MANY // 16
    assert reference_services(5, 1) == (ReferenceService,)


def test_some_or_all_services_are_native_in_one_run_of_four():
    drawn = [draw_native_services(seed, 3) for seed in range(MANY)]
    counts = Counter(drawn)
    assert MANY // 5 < MANY - counts[frozenset()] < MANY // 3
    assert len(counts) == 8
    assert counts[frozenset((0, 1, 2))] > counts[frozenset((1,))] > MANY // 64
    assert {draw_native_services(seed, 1) for seed in range(MANY)} == {frozenset(), frozenset((0,))}


def test_options_are_drawn_in_one_run_of_four_each():
    drawn = [draw_options(seed) for seed in range(MANY)]
    modules = [each["consensus_module"] for each in drawn if "consensus_module" in each]
    heaps = sum("timer_service_supplier" in each for each in modules)
    wheels = sum("ticks_per_wheel" in each for each in modules)
    checksums = sum("archive" in each for each in drawn)
    for count in (heaps, wheels, checksums):
        assert MANY // 5 < count < MANY // 3
    ticks = {each["ticks_per_wheel"] for each in modules if "ticks_per_wheel" in each}
    assert ticks == {1, 2, 4, 8, 16, 32}


def test_the_application_has_a_version_of_its_own_in_every_other_run():
    drawn = [draw_options(seed) for seed in range(MANY)]
    versions = [each["container"]["app_version"] for each in drawn if "container" in each]
    assert MANY // 3 < len(versions) < MANY * 2 // 3
    assert all(each >> 16 and each < 1 << 24 for each in versions)
    for each in drawn:
        found = [
            each.get(part, {}).get("app_version") for part in ("consensus_module", "container")
        ]
        assert found[0] == found[1]


@pytest.mark.parametrize("is_given", [False, True])
def test_drawn_options_are_those_of_members_unless_they_are_given(is_given):
    seed = next(each for each in range(99) if "timer_service_supplier" in str(draw_options(each)))
    options = {"consensus_module": {"timer_service_supplier": WHEEL}} if is_given else {}
    settings = Settings.of("consensus", options=options, members=1, duration_ns=S // 10)
    for draws in (3, 6):
        trial = Trial(seed, replace(settings, draws=draws), FaultPlan())
        with trial.cluster as cluster:
            cluster.start()
            cluster.await_leader()
            context = cluster.members[0].module.context
        expected = HEAP if draws == 6 and not is_given else WHEEL
        chosen = context.timer_service_supplier or context.options.timer_service_supplier
        assert chosen == expected


def test_one_run_of_three_has_clients_outliving_their_sessions():
    drawn = [draw_survivors(seed, 2) for seed in range(MANY)]
    counts = Counter(drawn)
    assert MANY // 4 < MANY - counts[False, False] < MANY // 2.5
    assert all(counts[each] > MANY // 32 for each in ((True, False), (False, True), (True, True)))
    assert draw_survivors(1, 0) == ()


@pytest.mark.parametrize("mode", ["whole", "consensus"])
def test_older_seeds_draw_the_same_settings(mode):
    settings = Settings.of(mode, draws=1)
    assert (settings.members, settings.service_count, settings.has_survivors) == (3, 1, False)
    assert settings.duration_ns == (30 if mode == "whole" else 6) * S
    new = Settings.of(mode)
    assert (new.members, new.service_count) == (0, 0)
    assert new.has_survivors
    assert Settings.of(mode, draws=8).has_survivors == (mode == "whole")
    assert Settings.of(mode, members=4).members == 4
    for draws in (0, MAX_DRAWS + 1):
        with pytest.raises(ConfigurationError):
            Settings.of(mode, draws=draws)


def test_a_third_of_the_seeds_of_consensus_has_a_surviving_client_besides():
    trials = [Trial(seed, Settings.of("consensus"), FaultPlan()) for seed in range(60)]
    drawn = Counter(each._survivors for each in trials)
    assert drawn.keys() == {(False,), (False, True)}
    assert 10 < drawn[False, True] < 30
    assert all(each.settings.clients == len(each._survivors) for each in trials)


def test_members_in_separate_clusters_have_no_surviving_clients():
    seed = next(each for each in range(99) if any(draw_survivors(each, 2)))
    for is_joined in (True, False):
        trial = Trial(seed, Settings(has_survivors=True, is_joined=is_joined))
        assert any(trial._survivors) == is_joined


def test_faults_needing_a_majority_are_not_drawn_for_two_members():
    for members in (2, 3):
        plans = [Trial(seed, Settings(members=members, duration_ns=S)).plan for seed in range(64)]
        damages = {each.damage for each in plans}
        assert (Damage.SERVICE in damages) == (members > 2)
        assert (Damage.CHECKED_BITS in damages) == (members > 2)


def test_several_services_and_surviving_clients_hold_without_faults():
    settings = Settings(
        members=2, service_count=3, has_survivors=True, layout="node", duration_ns=3 * S
    )
    seed = next(each for each in range(99) if draw_survivors(each, 2) == (True, False))
    trial = Trial(seed, settings, FaultPlan())
    outcome = trial.run()
    assert outcome.is_good, outcome.failure
    assert [type(each) is Survivor for each in trial.cluster.clients] == [True, False]
    assert outcome.counts["surviving clients"] == 1
    for client in trial.cluster.clients:
        assert client.sent_count > 20
        assert client.load.answered_count == client.sent_count
    timers = {each.key >> 48 for each in trial.cluster.journals[0].entries if each.kind == "timer"}
    assert timers == {0, 1, 2}


def test_a_leader_whose_term_the_others_have_left_does_not_count():
    journal = Journal(0)
    journal.add(0, Entry(96, "term", 0, 5, b"2"), "member 2")
    leader = SimpleNamespace(counters=SimpleNamespace(leadership_term_id=SimpleNamespace(get=int)))
    cluster = SimpleNamespace(is_joined=True, journals=[journal], leader=lambda: leader)
    assert all_lead(cluster)
    journal.add(1, Entry(10784, "term", 1, 9, b"1"), "member 1")
    assert not all_lead(cluster)
