"""Failing runs are shrunk to the events that they need, and reported with what repeats them."""

import importlib
import logging
from dataclasses import replace
from functools import partial

import pytest

from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.errors import CallbackPlace, ConfigurationError, FailedSeedError
from aeron_cluster.simulator.clients.client import Load
from aeron_cluster.simulator.faults.events import Kill
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.trials import shrinking
from aeron_cluster.simulator.trials.outcome import Outcome
from aeron_cluster.simulator.trials.settings import Settings

checking = importlib.import_module("aeron_cluster.simulator.trials.check")

SETTINGS = Settings.of("whole")
EVENTS = tuple(Kill(number, 0, 1) for number in range(8))
FAILED = Outcome(seed=5, plan=FaultPlan(EVENTS), failure="a rule: broken", invariant="a rule")


class Service(ClusteredService):
    pass


def make_load(number, random):
    del number, random
    return Load()


class Runs:
    """Runs that fail if their plan has some events, and for another reason with others."""

    def __init__(self, monkeypatch, needed=(), confusing=()):
        self.needed = {EVENTS[each] for each in needed}
        self.confusing = {EVENTS[each] for each in confusing}
        self.seen = []
        monkeypatch.setattr(shrinking, "run_trial", self)

    def __call__(self, seed, settings, plan, **_):
        assert (seed, settings) == (5, SETTINGS)
        events = set(plan.events)
        invariant = "a rule" if self.needed <= events else ""
        if self.confusing and not self.confusing <= events:
            invariant = "another rule"
        return Outcome(seed=seed, plan=plan, failure=invariant, invariant=invariant)

    def shrink(self, **options):
        found = shrinking.shrink(FAILED, SETTINGS, on_run=self._on_run, **options)
        return [EVENTS.index(each) for each in found.plan.events]

    def _on_run(self, runs, left):
        self.seen.append((runs, left))


@pytest.mark.parametrize("needed", [(3,), (0, 7), (2, 3, 6), tuple(range(8))])
def test_the_events_that_a_failure_needs_remain(monkeypatch, needed):
    runs = Runs(monkeypatch, needed)
    assert runs.shrink() == [*needed]
    assert [number for number, _ in runs.seen] == [*range(1, len(runs.seen) + 1)]
    assert runs.seen[0] == (1, 0)
    assert runs.seen[1] == (2, 4)


def test_a_failure_without_any_fault_has_no_events(monkeypatch):
    runs = Runs(monkeypatch)
    assert runs.shrink() == []
    assert runs.seen == [(1, 0)]


def test_a_failure_without_a_plan_is_not_repeated(monkeypatch):
    runs = Runs(monkeypatch)
    plain = replace(FAILED, plan=FaultPlan())
    assert shrinking.shrink(plain, SETTINGS) is plain
    assert runs.seen == []


def test_a_run_that_fails_in_another_way_keeps_its_events(monkeypatch):
    assert Runs(monkeypatch, (3,), confusing=(3, 5)).shrink() == [3, 5]


@pytest.mark.parametrize("max_runs", [1, 2, 3])
def test_no_more_runs_are_made_than_given(monkeypatch, max_runs):
    runs = Runs(monkeypatch, (3, 5))
    left = runs.shrink(max_runs=max_runs)
    assert len(runs.seen) == max_runs
    assert {3, 5} <= set(left)


# ---- reports ----

PLACE = CallbackPlace("Service", "on_timer_event", 640, 1)


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        (
            {"plan": FaultPlan()},
            [
                "seed 5 failed: a rule: broken",
                "repeat with: aeron-cluster sim --seed 5",
                "it fails without any fault",
            ],
        ),
        (
            {"found": "broken", "place": PLACE, "hint": "a hint", "detail": "a trace"},
            [
                "seed 5 failed: broken",
                "service Service; violated: a rule",
                "repeat with: aeron-cluster sim --seed 5",
                "a hint",
                "a trace",
                "with these events:",
                *map(str, EVENTS),
            ],
        ),
    ],
)
def test_a_failure_is_described_with_all_that_is_known(changes, lines):
    outcome = replace(FAILED, **changes)
    assert checking.describe_failure(outcome, SETTINGS).splitlines() == lines


OWN = f"{__name__}:"


@pytest.mark.parametrize(
    ("mode", "given", "options"),
    [
        ("whole", {}, ""),
        ("consensus", {}, "--mode consensus"),
        ("whole", {"draws": 4}, "--draws 4"),
        ("consensus", {"draws": 9}, "--mode consensus --draws 9"),
        ("whole", {"services": (Service,)}, f"--service {OWN}Service"),
        ("whole", {"services": (Service, Service)}, f"--service {OWN}Service " * 2),
        ("whole", {"make_load": make_load}, f"--load {OWN}make_load"),
        ("whole", {"is_judged": True}, "--load bytes"),
        ("whole", {"allowed": (ValueError,)}, "--allow builtins:ValueError"),
        ("whole", {"members": 5}, "--members 5"),
        ("whole", {"duration_ns": 2_500_000_000}, "--seconds 2.5"),
        ("whole", {"is_joined": False}, "--alone"),
    ],
)
def test_the_command_has_what_differs_from_the_defaults(mode, given, options):
    command = checking.replay_command(5, Settings.of(mode, **given))
    expected = ["aeron-cluster", "sim", *options.split(), "--seed", "5"]
    assert command.split() == expected


class Outer:
    @staticmethod
    def make_load(number, random):
        return make_load(number, random)


@pytest.mark.parametrize(
    "given",
    [
        {"services": (partial(Service),)},
        {"services": (Service, partial(Service))},
        {"services": (Outer.make_load,)},
        {"make_load": partial(make_load)},
        {"make_load": Outer.make_load},
    ],
)
def test_what_the_command_cannot_import_is_repeated_by_check(given):
    assert checking.replay_command(5, Settings.of("whole", **given)) == "check(..., seeds=[5])"


# ---- check ----


class Checked:
    """Records the runs of `check`; seed 5 fails."""

    def __init__(self, monkeypatch):
        self.seeds, self.settings, self.shrunk, self.is_logging = [], [], [], []
        monkeypatch.setattr(checking, "run_trial", self._run)
        monkeypatch.setattr(checking, "shrink", self._shrink)
        monkeypatch.setattr(checking.OtherHashes, "start", lambda _: None)

    def _run(self, seed, settings, **_):
        self.seeds.append(seed)
        self.settings.append(settings)
        self.is_logging.append(logging.getLogger("a component").isEnabledFor(logging.ERROR))
        return FAILED if seed == 5 else Outcome(seed=seed, plan=FaultPlan())

    def _shrink(self, outcome, _, *, max_runs, **__):
        self.shrunk.append(max_runs)
        return replace(outcome, plan=FaultPlan(EVENTS[:1]), place=PLACE)


def test_each_seed_is_run_and_its_outcome_returned(monkeypatch):
    checked = Checked(monkeypatch)
    outcomes = checking.check(Service, seeds=3, members=5, seconds=2.5, allowed=[ValueError])
    assert [each.seed for each in outcomes] == checked.seeds == [1, 2, 3]
    settings = checked.settings[0]
    assert settings.services == (Service,)
    assert (settings.members, settings.duration_ns) == (5, 2_500_000_000)
    assert settings.allowed == (ValueError,)
    assert settings.is_judged
    assert checked.is_logging == [False] * 3
    assert logging.getLogger("a component").isEnabledFor(logging.ERROR)


@pytest.mark.parametrize(("max_runs", "shrunk", "count"), [(0, [], 8), (7, [7], 1)])
def test_a_failing_seed_ends_the_check(monkeypatch, max_runs, shrunk, count):
    checked = Checked(monkeypatch)
    with pytest.raises(FailedSeedError) as error:
        checking.check([Service, Service], seeds=[4, 5, 6], max_runs=max_runs)
    assert checked.seeds == [4, 5]
    assert checked.shrunk == shrunk
    assert (error.value.seed, error.value.invariant) == (5, "a rule")
    assert error.value.place == (PLACE if shrunk else None)
    assert str(error.value).count("kill member") == count
    assert logging.getLogger("a component").isEnabledFor(logging.ERROR)


def test_a_check_without_a_seed_is_rejected(monkeypatch):
    checked = Checked(monkeypatch)
    for seeds in (0, []):
        with pytest.raises(ConfigurationError, match="seeds: "):
            checking.check(Service, seeds=seeds)
    assert checked.seeds == []


def test_a_service_that_no_other_process_can_import_is_stated(monkeypatch):
    class Local(Service):
        pass

    checked = Checked(monkeypatch)
    with pytest.warns(UserWarning, match="Local'> is not compared with itself in a process"):
        checking.check(Local, seeds=1)
    assert checked.seeds == [1]
