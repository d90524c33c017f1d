"""Seeds with all faults enabled: a few in every run, all past failures, and new ones.

``AERON_CLUSTER_SEEDS=100,2000`` draws that many new seeds of whole clusters and of consensus alone;
``AERON_CLUSTER_SEEDS=120s,300s`` draws as many as one core runs in that time, and no more than the
slowest machine does, so that every machine runs those of a commit. The seed in the header makes
them new for each commit. ``.ci/run`` defines the gate's numbers.
"""

import itertools
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from aeron_cluster.cli.sim.campaign import run_seeds
from aeron_cluster.cli.sim.record import Tally
from aeron_cluster.simulator.faults.added_faults import ADDED_FAMILIES
from aeron_cluster.simulator.faults.fault_plan import CONSENSUS_FAMILIES, FAMILIES
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import run_trial
from tests.conftest import SEED

MODES = ("whole", "consensus")
NEW = os.environ.get("AERON_CLUSTER_SEEDS", "0,0").split(",")
# One test's share, about a minute: workers distribute them.
A_TEST = {"whole": 25, "consensus": 250}
A_TEST_S = 60
# If seconds limit the count, the seeds of the next test begin at this distance.
APART = 100_000
# What a core of the slowest machine begins in a test's time.
MOST = {"whole": 12, "consensus": 50}
# A worker among others has one core; a run without workers has all.
JOBS = 1 if "PYTEST_XDIST_WORKER" in os.environ else len(os.sched_getaffinity(0))
REGRESSIONS = Path(__file__).with_name("regressions.txt")


def settings_of(mode):
    return Settings.of(mode)


def new_seeds(wanted):
    """Return mode, first seed, and count or duration for each test."""
    for mode, amount in zip(MODES, wanted, strict=True):
        if amount.endswith("s"):
            seconds = int(amount[:-1])
            for number, begin in enumerate(range(0, seconds, A_TEST_S)):
                yield mode, number * APART, f"{min(A_TEST_S, seconds - begin)}s"
        else:
            count = int(amount)
            for begin in range(0, count, A_TEST[mode]):
                yield mode, begin, str(min(A_TEST[mode], count - begin))


def seeds_from(first, amount, most):
    """Yield a number of seeds, or those of the most that begin within the seconds of one core."""
    if not amount.endswith("s"):
        yield from range(first, first + int(amount))
        return
    end = time.monotonic() + int(amount[:-1]) / JOBS
    yield first
    rest = range(first + 1, first + most)
    yield from itertools.takewhile(lambda _: time.monotonic() < end, rest)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("mode", "begin", "amount"), list(new_seeds(NEW)))
def test_new_seeds_hold(mode, begin, amount, record_property):
    tally = Tally()
    seeds = seeds_from(SEED + begin, amount, MOST[mode])
    for outcome in run_seeds(seeds, settings_of(mode), jobs=JOBS):
        tally.add(outcome)
    record_property("new_seeds", [mode, tally.count])
    failed = [
        f"aeron-cluster sim --mode {mode} --seed {each.seed}: {each.failure}\n{each.plan}"
        for each in tally.failures
    ]
    assert not failed, "\n".join(failed)
    assert tally.count == int(amount) if amount.isdigit() else tally.count > 0
    assert tally.counts["answers"] >= tally.count


def test_new_seeds_are_drawn_by_count_or_by_seconds():
    assert list(new_seeds(["60", "300"])) == [
        ("whole", 0, "25"),
        ("whole", 25, "25"),
        ("whole", 50, "10"),
        ("consensus", 0, "250"),
        ("consensus", 250, "50"),
    ]
    assert list(new_seeds(["90s", "0s"])) == [("whole", 0, "60s"), ("whole", APART, "30s")]
    assert list(seeds_from(7, "3", 2)) == [7, 8, 9]
    assert list(seeds_from(7, "0s", 2)) == [7]
    assert list(seeds_from(7, "900s", 2)) == [7, 8]


def regressions():
    found = []
    for line in REGRESSIONS.read_text().splitlines():
        if line and not line.startswith("#"):
            mode, seed, *why = line.split()
            found.append(pytest.param(mode, int(seed), id=f"{mode}-{seed}-{'-'.join(why)}"))
    return found


def without(settings, *left_out):
    """Return settings without families added later."""
    families = settings.families or (*FAMILIES, *ADDED_FAMILIES)
    return replace(settings, families=tuple(each for each in families if each not in left_out))


def regression_settings(mode):
    """Return the settings drawn when a seed failed; earlier seeds drew less than today's."""
    if mode.startswith("native-"):
        return Settings.of(mode.removeprefix("native-"), draws=14)
    if mode.startswith("superseded-"):
        return Settings.of(mode.removeprefix("superseded-"), draws=13)
    if mode.startswith("limited-"):
        return Settings.of(mode.removeprefix("limited-"), draws=12)
    if mode.startswith("silent-"):
        return Settings.of(mode.removeprefix("silent-"), draws=11)
    if mode.startswith("vain-"):
        return Settings.of(mode.removeprefix("vain-"), draws=10)
    if mode.startswith("added-"):
        return Settings.of(mode.removeprefix("added-"), draws=9)
    if mode.startswith("known-"):
        return Settings.of(mode.removeprefix("known-"), draws=8)
    if mode.startswith("logs-"):
        return Settings.of(mode.removeprefix("logs-"), draws=6)
    if mode.startswith("struck-"):
        return Settings.of(mode.removeprefix("struck-"), draws=5)
    if mode.startswith("lost-"):
        return Settings.of(mode.removeprefix("lost-"), draws=4)
    # Before elections were struck.
    if mode.startswith("aimed-"):
        return without(Settings.of(mode.removeprefix("aimed-"), draws=3), "struck")
    # Before faults were aimed.
    if mode.startswith("overtaken-"):
        return without(
            Settings.of(mode.removeprefix("overtaken-"), draws=2), "aimed", "leave", "struck"
        )
    # Before leaders were overtaken.
    if mode.startswith("shaped-"):
        settings = Settings.of(mode.removeprefix("shaped-"), draws=2)
        return without(settings, "overtaken", "aimed", "leave", "struck")
    # Before sizes, services and surviving clients were drawn.
    if mode.startswith("all-"):
        return without(
            Settings.of(mode.removeprefix("all-"), draws=1), "overtaken", "aimed", "leave", "struck"
        )
    if mode.startswith("drawn-"):
        # Before rare requests and loads existed.
        settings = Settings.of(mode.removeprefix("drawn-"), draws=1)
        return without(settings, "overtaken", "aimed", "leave", "struck", "rare")
    families = CONSENSUS_FAMILIES if mode == "consensus" else FAMILIES
    layout = "apart" if mode == "apart" else "node"
    settings = Settings.of(mode.replace("apart", "whole"), draws=1)
    return replace(settings, families=families, layout=layout, damages=())


@pytest.mark.parametrize(("mode", "seed"), regressions())
def test_seed_with_a_past_failure_holds(mode, seed):
    outcome = run_trial(seed, regression_settings(mode))
    assert outcome.is_good, f"{outcome.failure}\n{outcome.plan}\n{outcome.detail}"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [1, 2, 3, 7])
def test_a_few_seeds_hold(mode, seed):
    outcome = run_trial(seed, settings_of(mode))
    assert outcome.is_good, f"{outcome.failure}\n{outcome.plan}\n{outcome.detail}"
