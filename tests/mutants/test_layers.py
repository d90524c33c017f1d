"""A layer counts what fails with a mutant and passes without it."""

import subprocess
import sys

import pytest

from tests.mutants import layers, seed_search
from tests.mutants.layers import MutantSources, run_layer
from tests.mutants.mutant import Edit, Mutant
from tests.mutants.seed_search import SeedFinding, search_seeds

MUTANT = Mutant("m", "aeron_cluster/a.py", 1, "f", "call removed", "g()", "pass", Edit(0, 0, b""))


def sources(tmp_path, **tried):
    return MutantSources(tmp_path, tmp_path, 0, {"consensus": 10, "whole": 1}, 100, tried)


class Measured:
    """Only odd seeds execute the mutant's statement."""

    def can_detect(self, mutant, mode):
        assert (mutant, mode) == (MUTANT, "consensus")
        return lambda seed: seed % 2


@pytest.fixture
def searches(monkeypatch):
    """Replace searches by the failing seeds that a test gives for each tree."""
    failing = {}
    requested = []

    def search(tree, mode, seeds, number):
        requested.append((tree.name, mode, list(seeds), number))
        for tried, seed in enumerate(seeds, 1):
            if seed in failing.get(tree.name, ()):
                return SeedFinding(tried, "failed", f"seed {seed}")
        return SeedFinding(len(seeds))

    monkeypatch.setattr(seed_search, "_search", search)
    monkeypatch.setattr(seed_search, "_HELD", {})
    monkeypatch.setattr(layers, "_seed_lines", lambda _: Measured())
    return failing, requested


def test_first_failing_seed_ends_the_search(searches, tmp_path):
    failing, _ = searches
    failing["mutant"] = {103, 105}
    found = search_seeds(tmp_path / "mutant", tmp_path / "original", "consensus", range(100, 110))
    assert found == SeedFinding(4, "failed", "seed 103")


def test_seed_failing_in_the_original_does_not_count(searches, tmp_path):
    failing, requested = searches
    failing["mutant"] = {103, 105}
    failing["original"] = {103}
    found = search_seeds(tmp_path / "mutant", tmp_path / "original", "consensus", range(100, 110))
    assert found == SeedFinding(6, "failed", "seed 105")
    assert ("original", "consensus", [103], 0) in requested
    failing["original"] = {103, 105}
    seed_search._HELD.clear()
    found = search_seeds(tmp_path / "mutant", tmp_path / "original", "consensus", range(100, 110))
    assert found == SeedFinding(10)


def test_seeds_are_not_run_twice(searches, tmp_path):
    _, requested = searches
    assert run_layer("consensus", MUTANT, sources(tmp_path, consensus=6)).tried == 10
    assert requested == [(tmp_path.name, "consensus", [107, 109], 0)]
    assert run_layer("consensus", MUTANT, sources(tmp_path, consensus=10)).tried == 10
    assert len(requested) == 1


def test_seeds_that_cannot_detect_the_mutant_count_without_a_run(searches, tmp_path):
    failing, requested = searches
    found = run_layer("consensus", MUTANT, sources(tmp_path))
    assert (found.tried, found.skipped, found.how) == (10, 5, "")
    assert [each[2] for each in requested] == [[101, 103, 105, 107, 109]]
    failing[tmp_path.name] = {105}
    mutant, original = tmp_path / tmp_path.name, tmp_path / "original"
    found = search_seeds(mutant, original, "consensus", range(100, 110), 0, lambda seed: seed % 2)
    assert found == SeedFinding(6, "failed", "seed 105", 3)
    requested.clear()
    found = search_seeds(mutant, original, "consensus", range(100, 110), 0, lambda _: False)
    assert (found, requested) == (SeedFinding(10, skipped=10), [])


def test_test_failing_in_the_original_is_left_out(monkeypatch, tmp_path):
    runs = []

    def pytest_of(tree, files, left_out, *_):
        runs.append((tree, tuple(left_out)))
        if tree.name == "original":
            return ("t::a", "always") if files == ["t::a"] else None
        return next(
            ((each, "assert 1 == 2") for each in ("t::a", "t::b") if each not in left_out), None
        )

    monkeypatch.setattr(layers, "_pytest", pytest_of)
    monkeypatch.setattr(layers, "_PASSED", {})
    monkeypatch.setattr(layers, "related", lambda *_: ["t"])
    where = MutantSources(tmp_path / "mutant", tmp_path / "original", 0, {}, 0, {})
    found = run_layer("unit", MUTANT, where)
    assert (found.how, found.what) == ("failed", "t::b: assert 1 == 2")
    assert (where.tree, ("t::a",)) in runs


@pytest.fixture
def tests_of(monkeypatch):
    """Replace pytest by the failing tests that a test gives for each tree; the rest pass."""
    failing = {}
    too_slow = set()

    def pytest_of(tree, files, left_out, *_):
        for each in failing.get(tree.name, ()):
            if each not in left_out and (files == ["t"] or each in files):
                return each, "assert 1 == 2"
        if (tree.name, *files) in too_slow:
            raise subprocess.TimeoutExpired("pytest", 1.0)
        return None

    monkeypatch.setattr(layers, "_pytest", pytest_of)
    monkeypatch.setattr(layers, "_PASSED", {})
    monkeypatch.setattr(layers, "related", lambda *_: ["t"])
    return failing, too_slow


@pytest.mark.parametrize("shared", [0, 1, 5])
def test_failure_after_those_that_the_original_shares_counts(shared, tests_of, tmp_path):
    failing, _ = tests_of
    failing["original"] = [f"t::{number}" for number in range(shared)]
    failing["mutant"] = [*failing["original"], "t::of_mutant"]
    where = MutantSources(tmp_path / "mutant", tmp_path / "original", 0, {}, 0, {})
    found = run_layer("unit", MUTANT, where)
    assert (found.how, found.what) == ("failed", "t::of_mutant: assert 1 == 2")


@pytest.mark.parametrize("shared", [6, 9])
def test_failures_that_the_original_shares_never_count(shared, tests_of, tmp_path):
    failing, _ = tests_of
    failing["original"] = failing["mutant"] = [f"t::{number}" for number in range(shared)]
    where = MutantSources(tmp_path / "mutant", tmp_path / "original", 0, {}, 0, {})
    found = run_layer("unit", MUTANT, where)
    assert (found.tried, found.how, found.what) == (1, "", "")


def test_failure_does_not_count_if_the_original_takes_too_long(tests_of, tmp_path):
    failing, too_slow = tests_of
    failing["mutant"] = ["t::a"]
    too_slow.add(("original", "t::a"))
    where = MutantSources(tmp_path / "mutant", tmp_path / "original", 0, {}, 0, {})
    assert run_layer("unit", MUTANT, where).how == ""
    too_slow.clear()
    layers._PASSED.clear()
    assert run_layer("unit", MUTANT, where).how == "failed"


def test_mutant_whose_tests_take_too_long_passes_the_layer(tests_of, tmp_path):
    _, too_slow = tests_of
    too_slow.add(("mutant", "t"))
    where = MutantSources(tmp_path / "mutant", tmp_path / "original", 0, {}, 0, {})
    found = run_layer("unit", MUTANT, where)
    assert (found.tried, found.how) == (1, "")


FAILING = """
import pytest

@pytest.mark.parametrize("number", [1, 2], ids=["one - [a] 1", "one more"])
def test_failing(number):
    assert number == 1, "no - number"
"""


def test_failing_test_is_read_from_pytests_output(tmp_path):
    file = tmp_path / "test_some.py"
    file.write_text(FAILING)
    test, what = layers._pytest(tmp_path, [file.name], [], 100.0, 0)
    assert test == "test_some.py::test_failing[one more]"
    assert what.startswith("AssertionError: no - number")
    file.write_text(FAILING.replace("== 1", "== 2"))
    test, _ = layers._pytest(tmp_path, [file.name], [], 100.0, 0)
    assert test == "test_some.py::test_failing[one - [a] 1]"
    file.write_text("import missing\n")
    test, what = layers._pytest(tmp_path, [file.name], [], 100.0, 0)
    assert (test, what) == ("test_some.py", "")
    file.write_text("def test_passing():\n    pass\n")
    assert layers._pytest(tmp_path, [file.name], [], 100.0, 0) is None


def test_failures_that_are_not_read_are_an_error(monkeypatch, tmp_path):
    class Done:
        returncode = 1
        stdout = "1 failed"
        stderr = ""

    monkeypatch.setattr(layers, "run", lambda *_: Done)
    with pytest.raises(AssertionError, match="1 failed"):
        layers._pytest(tmp_path, ["tests/a.py"], [], 1.0, 0)
    Done.returncode = 3
    assert layers._pytest(tmp_path, ["tests/a.py"], [], 1.0, 0) == (
        "tests/a.py",
        "pytest failed: 1 failed",
    )


HANGING = """
import pytest
from hypothesis import given, strategies

def test_before():
    pass

@pytest.mark.parametrize("of", ["one more"])
@given(number=strategies.integers())
def test_hung(number, of):
    while number > 1:
        pass
"""


def test_test_that_hangs_again_and_again_is_found(monkeypatch, tmp_path):
    monkeypatch.setattr(layers, "_TEST_S", 2)
    file = tmp_path / "test_hanging.py"
    file.write_text(HANGING)
    found = layers._pytest(tmp_path, [file.name], [], 100.0, 0)
    assert found == ("test_hanging.py::test_hung[one more]", "Timeout")


def test_dead_and_hung_searches_are_distinguished(monkeypatch, tmp_path):
    for program, how in (
        ("import sys; sys.exit('no module')", "died"),
        ("import sys; sys.stderr.write('Timeout (0:40:00)!\\n'); sys.exit(1)", "hung"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGPROF)", "hung"),
    ):
        monkeypatch.setattr(
            seed_search, "_command", lambda *_, text=program: [sys.executable, "-c", text]
        )
        found = seed_search._search(tmp_path, "consensus", [5, 6, 7], 0)
        assert (found.tried, found.how) == (1, how)
        assert found.what.startswith("seed 5")


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_search_that_was_interrupted_is_no_kill(number, monkeypatch, tmp_path):
    program = "import os, signal; signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
    program += f"os.kill(os.getpid(), signal.{number})"
    monkeypatch.setattr(seed_search, "_command", lambda *_: [sys.executable, "-c", program])
    with pytest.raises(InterruptedError, match="consensus seed 5"):
        seed_search._search(tmp_path, "consensus", [5, 6, 7], 0)
