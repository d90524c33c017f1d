"""Results are stored as they are found, and a run that was interrupted goes on where it was."""

import threading
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from tests.mutants import runner
from tests.mutants.layers import Finding
from tests.mutants.mutant import Edit, Mutant
from tests.mutants.results import SEEDS_ALONE, Results
from tests.mutants.runner import Campaign, run_mutants

FIRST = Mutant("first", "aeron_cluster/a.py", 1, "f", "and for or", "and", "or", Edit(0, 1, b""))
SECOND = replace(FIRST, name="second")
CAMPAIGN = Campaign(
    layers=("consensus", "whole"),
    mode=SEEDS_ALONE,
    seeds={"consensus": 500, "whole": 30},
    first_seed=7,
    commit="1234abcd",
    jobs=2,
    batch=1,
)


@pytest.fixture
def layer_of(monkeypatch, tmp_path):
    """Replace the trees, and let a test give what a layer finds."""
    monkeypatch.setattr(runner, "python_tree", lambda path: path)
    monkeypatch.setattr(runner, "mutated", lambda *_: nullcontext())

    def use(action):
        monkeypatch.setattr(runner, "run_layer", action)
        return Results(tmp_path / "results.jsonl")

    return use


def stored(results: Results, name: str):
    """Return what a later run would read."""
    return Results(Path(results._path)).get(name, SEEDS_ALONE)


def test_a_slow_mutant_retains_no_result_of_others(layer_of):
    """The first one ends only once the second one is in the file."""
    is_stored = threading.Event()

    def layer(_, mutant, __):
        if mutant.name == "first":
            assert is_stored.wait(30)
        return Finding(1, "failed", "seed 7")

    results = layer_of(layer)

    def on_result(result):
        if result.name == "second":
            assert stored(results, "second").is_killed
            is_stored.set()

    run_mutants([FIRST, SECOND], CAMPAIGN, results, on_result)
    assert stored(results, "first").is_killed


def test_results_before_an_interruption_are_stored_and_none_after_it(layer_of, monkeypatch):
    is_interrupted = threading.Event()

    def layer(_, mutant, __):
        if mutant.name == "first":
            assert is_interrupted.wait(30)
        return Finding(1, "failed", "seed 7")

    results = layer_of(layer)

    def on_result(result):
        assert result.name == "second"
        raise KeyboardInterrupt

    class Pool(runner.ThreadPoolExecutor):
        def shutdown(self, *given, **named):
            is_interrupted.set()
            super().shutdown(*given, **named)

    monkeypatch.setattr(runner, "ThreadPoolExecutor", Pool)
    with pytest.raises(KeyboardInterrupt):
        run_mutants([FIRST, SECOND], CAMPAIGN, results, on_result)
    assert stored(results, "second").is_killed
    assert stored(results, "first") is None


def test_seeds_of_a_survivor_are_stored_part_by_part_and_continued(layer_of):
    requested = []

    def layer(name, _, sources):
        requested.append((name, sources.tried.get(name, 0), sources.seeds[name]))
        if len(requested) == 3:
            raise KeyboardInterrupt
        return Finding(sources.seeds[name])

    results = layer_of(layer)
    with pytest.raises(KeyboardInterrupt):
        run_mutants([FIRST], CAMPAIGN, results, lambda _: None)
    assert stored(results, "first").tried == {"consensus": 400}
    run_mutants([FIRST], CAMPAIGN, results, lambda _: None)
    assert requested == [
        ("consensus", 0, 200),
        ("consensus", 200, 400),
        ("consensus", 400, 500),
        ("consensus", 400, 500),
        ("whole", 0, 20),
        ("whole", 20, 30),
    ]
    assert stored(results, "first").tried == {"consensus": 500, "whole": 30}
    run_mutants([FIRST], CAMPAIGN, results, lambda _: None)
    assert len(requested) == 6


def test_seeds_skipped_in_each_part_are_counted(layer_of):
    """An interrupted run continues the count."""
    requested = []

    def layer(name, _, sources):
        requested.append(name)
        if len(requested) == 3:
            raise KeyboardInterrupt
        return Finding(sources.seeds[name], skipped=60)

    results = layer_of(layer)
    with pytest.raises(KeyboardInterrupt):
        run_mutants([FIRST], CAMPAIGN, results, lambda _: None)
    run_mutants([FIRST], CAMPAIGN, results, lambda _: None)
    assert requested == ["consensus"] * 4 + ["whole"] * 2
    assert stored(results, "first").skipped == {"consensus": 180, "whole": 120}


def test_the_first_kill_ends_a_mutant(layer_of):
    requested = []

    def layer(name, _, sources):
        requested.append(sources.seeds[name])
        return Finding(250, "failed", "seed 256") if len(requested) == 2 else Finding(200)

    results = layer_of(layer)
    run_mutants([FIRST], CAMPAIGN, results, lambda _: None)
    assert requested == [200, 400]
    found = stored(results, "first")
    assert (found.layer, found.what, found.tried) == ("consensus", "seed 256", {"consensus": 250})


def test_no_part_of_the_seeds_begins_after_the_end(layer_of, monkeypatch):
    now_s = [0.0]
    monkeypatch.setattr(runner.time, "monotonic", lambda: now_s[0])

    def layer(name, _, sources):
        now_s[0] += 60.0
        return Finding(sources.seeds[name])

    results = layer_of(layer)
    run_mutants([FIRST], replace(CAMPAIGN, end_s=90.0), results, lambda _: None)
    assert stored(results, "first").tried == {"consensus": 400}
    assert not stored(results, "first").covers(CAMPAIGN.seeds)


def test_a_kill_by_a_removed_test_or_if_requested_is_repeated(layer_of):
    requested = []

    def layer(name, *_):
        requested.append(name)
        return Finding(1, "failed", "tests/unit/test_gone.py::test_a: AssertionError")

    results = layer_of(layer)
    for _ in range(2):
        run_mutants([FIRST], CAMPAIGN, results, lambda _: None)
    assert len(requested) == 2
    by_seeds = Finding(1, "failed", "NothingIsLost; seed 7: lost")
    results = layer_of(lambda name, *_: requested.append(name) or by_seeds)
    for is_again, count in ((False, 3), (False, 3), (True, 4)):
        run_mutants([FIRST], replace(CAMPAIGN, is_again=is_again), results, lambda _: None)
        assert len(requested) == count


def test_a_mutant_that_is_not_built_is_no_kill_by_seeds(monkeypatch, layer_of):
    results = layer_of(lambda *_: pytest.fail("it was run"))
    compiled = replace(FIRST, file="aeron_cluster/a.pyx")
    monkeypatch.setattr(runner, "build_batch", lambda *_: ({}, {"first": "no such name"}))
    run_mutants([compiled], CAMPAIGN, results, lambda _: None)
    assert not stored(results, "first").is_killed
    layers = replace(CAMPAIGN, layers=("types", *CAMPAIGN.layers))
    run_mutants([compiled], layers, results, lambda _: None)
    assert stored(results, "first").layer == "types"
