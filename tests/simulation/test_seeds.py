"""Seeds with all faults on: the same few with every run, all that failed, and new ones.

``AERON_CLUSTER_SEEDS=100,2000`` draws so many new ones of whole clusters and of their consensus:
others for each commit, by the seed in the header. ``.ci/run`` says how many the gate draws.
"""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from aeron_cluster.cli.sim.campaign import Tally, run_seeds
from aeron_cluster.simulator.faults.added_faults import ADDED_FAMILIES
from aeron_cluster.simulator.faults.fault_plan import CONSENSUS_FAMILIES, FAMILIES
from aeron_cluster.simulator.trials.trial import Settings, run_trial
from tests.conftest import SEED

MODES = ("whole", "consensus")
NEW = os.environ.get("AERON_CLUSTER_SEEDS", "0,0").split(",")
# So many are one test, of about a minute: workers share them out.
A_TEST = {"whole": 25, "consensus": 250}
# A worker beside others has one core, a run without workers has all.
JOBS = 1 if "PYTEST_XDIST_WORKER" in os.environ else None
REGRESSIONS = Path(__file__).with_name("regressions.txt")


def settings_of(mode):
    return Settings.of(mode)


def new_seeds():
    """Return a mode and a range of seeds for each test."""
    for mode, count in zip(MODES, map(int, NEW), strict=True):
        for begin in range(0, count, A_TEST[mode]):
            yield mode, begin, min(A_TEST[mode], count - begin)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("mode", "begin", "count"), list(new_seeds()))
def test_new_seeds_hold(mode, begin, count):
    first = SEED + begin
    tally = Tally()
    for outcome in run_seeds(range(first, first + count), settings_of(mode), jobs=JOBS):
        tally.add(outcome)
    failed = [
        f"aeron-cluster sim --mode {mode} --seed {each.seed}: {each.failure}\n{each.plan}"
        for each in tally.failures
    ]
    assert not failed, "\n".join(failed)
    assert tally.count == count
    assert tally.counts["answers"] >= count


def regressions():
    found = []
    for line in REGRESSIONS.read_text().splitlines():
        if line and not line.startswith("#"):
            mode, seed, *why = line.split()
            found.append(pytest.param(mode, int(seed), id=f"{mode}-{seed}-{'-'.join(why)}"))
    return found


def regression_settings(mode):
    """Return what was drawn when a seed failed; those of before drew less than is drawn now."""
    if mode.startswith("shaped-"):
        return Settings.of(mode.removeprefix("shaped-"), draws=2)
    # Before sizes, services and surviving clients were drawn.
    if mode.startswith("all-"):
        return Settings.of(mode.removeprefix("all-"), draws=1)
    if mode.startswith("drawn-"):
        # Before there were requests and loads that are odd.
        settings = Settings.of(mode.removeprefix("drawn-"), draws=1)
        families = settings.families or (*FAMILIES, *ADDED_FAMILIES)
        return replace(settings, families=tuple(each for each in families if each != "odd"))
    families = CONSENSUS_FAMILIES if mode == "consensus" else FAMILIES
    layout = "apart" if mode == "apart" else "node"
    settings = Settings.of(mode.replace("apart", "whole"), draws=1)
    return replace(settings, families=families, layout=layout, damages=())


@pytest.mark.parametrize(("mode", "seed"), regressions())
def test_a_seed_that_failed_once_holds(mode, seed):
    outcome = run_trial(seed, regression_settings(mode))
    assert outcome.is_good, f"{outcome.failure}\n{outcome.plan}\n{outcome.detail}"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [1, 2, 3, 7])
def test_a_few_seeds_hold(mode, seed):
    outcome = run_trial(seed, settings_of(mode))
    assert outcome.is_good, f"{outcome.failure}\n{outcome.plan}\n{outcome.detail}"
