"""The second sample is complete: each mutant is judged, and enough of them break a promise."""

import pytest

from tests.mutants.judged import JUDGEMENTS, draw_unseen, read_judged
from tests.mutants.rules import RULES, generated_mutants
from tests.mutants.selection import read_sample


@pytest.fixture(scope="module")
def mutants():
    return {each.name: each for each in generated_mutants()}


def test_the_sample_ends_with_the_120th_that_breaks_a_promise():
    judged = read_judged()
    assert sum(each.verdict == "breaks" for each in judged) == 120
    assert judged[-1].verdict == "breaks"
    assert len({each.name for each in judged}) == len(judged)


def test_every_judgement_has_a_reason():
    for each in read_judged():
        assert each.verdict in JUDGEMENTS
        assert each.why.endswith(".")


def test_judged_mutants_exist_and_are_of_promised_functions(mutants):
    rules = {each.name: each for each in RULES}
    judged = read_judged()
    gone = [each.name for each in judged if each.name not in mutants]
    assert not gone, (
        "their statements changed: judge the next ones of python -m tests.mutants --draw"
    )
    for each in judged:
        mutant = mutants[each.name]
        assert (mutant.rule, mutant.file) == (each.rule, each.file)
        assert rules[each.rule].keeps_promise(mutant.function)


def test_no_judged_mutant_is_of_the_first_sample():
    assert not read_sample().keys() & {each.name for each in read_judged()}


def test_all_rules_are_drawn():
    assert {each.rule for each in read_judged()} == {each.name for each in RULES}


def test_mutants_that_seeds_were_run_on_are_not_drawn_and_judged_ones_are(mutants):
    found = draw_unseen(mutants.values(), (), 40)
    assert not read_sample().keys() & {each.name for each in found}
    judged = {each.name for each in read_judged()}
    other = next(
        each.name for each in draw_unseen(mutants.values(), (), 400) if each.name not in judged
    )
    again = draw_unseen(mutants.values(), [other, *judged], 400)
    assert other not in {each.name for each in again}
    assert draw_unseen(mutants.values(), judged, 40) == found


@pytest.mark.parametrize("line", ["a log a.py breaks", "a log a.py perhaps It is unclear."])
def test_judgement_without_a_known_verdict_and_a_reason_is_rejected(line, tmp_path):
    path = tmp_path / "judged.txt"
    path.write_text(f"# A comment.\n{line}\n")
    with pytest.raises(ValueError, match="expected name, rule, file, breaks"):
        read_judged(path)
