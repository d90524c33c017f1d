"""A kill by a test that was removed is outdated, and no other one is."""

import pytest

from tests.mutants.missed import MISSED, read_missed
from tests.mutants.mutant import Edit, Mutant
from tests.mutants.outdated import is_outdated
from tests.mutants.results import ALL_LAYERS, Result

MUTANT = Mutant("abc", "aeron_cluster/a.py", 3, "f", "and for or", "and", "or", Edit(0, 1, b""))
THIS = "tests/mutants/test_outdated.py"


def killed_by(what, layer="unit"):
    return Result.of(MUTANT, ALL_LAYERS, "1234abcd", layer=layer, how="failed", what=what)


@pytest.mark.parametrize(
    "what",
    [
        f"{THIS}::test_kill_by_an_existing_test_counts[a - b::c]: AssertionError",
        f"{THIS}: the process died",
        "tests/property/cluster_client/test_surviving_client.py::TestSurvival::runTest: x",
    ],
)
def test_kill_by_an_existing_test_counts(what):
    assert not is_outdated(killed_by(what))


@pytest.mark.parametrize(
    "what",
    [f"{THIS}::test_" + "of_a_feature_that_was_removed[1]: x", "tests/unit/test_gone.py::test_a: "],
)
def test_kill_by_a_removed_test_is_outdated(what):
    assert is_outdated(killed_by(what))


def test_kill_by_seeds_or_types_and_survivors_are_not_outdated():
    assert not is_outdated(killed_by("LogsAreEqual; seed 5: a.py differs", "consensus"))
    assert not is_outdated(killed_by("import: SyntaxError", "types"))
    assert not is_outdated(Result.of(MUTANT, ALL_LAYERS, "1234abcd"))


def test_each_mutant_missed_at_first_has_what_became_of_it():
    missed = read_missed()
    assert len(missed) == 140
    assert set(missed.values()) == MISSED.keys()
