"""Every bug of the catalogue applies to the current sources."""

import ast

import pytest

from tests.conftest import ROOT
from tests.mutants.catalogue import catalogued_mutants, read_bugs
from tests.mutants.logical_lines import logical_lines
from tests.mutants.rules import RULES, rule_of

BUGS = read_bugs()


def test_catalogue_has_enough_bugs_of_different_kinds():
    assert len({each.name for each in BUGS}) == len(BUGS) >= 60
    sources = " ".join(each.source for each in BUGS)
    assert all(each in sources for each in ("Aeron", "etcd", "Jepsen", "Raft paper"))
    assert len({each.rule for each in BUGS}) >= 8


@pytest.mark.parametrize("bug", [pytest.param(each, id=each.name) for each in BUGS])
def test_a_bug_applies_to_the_sources(bug):
    mutant = bug.mutant()
    source = (ROOT / bug.file).read_bytes()
    changed = mutant.edit.applied(source)
    assert changed != source
    assert bug.bug.endswith(".")
    assert bug.rule in {each.name for each in RULES}
    assert mutant.function, "it relates tests to the bug"
    if mutant.is_compiled:
        lines = [each for each in logical_lines(source) if each.start <= mutant.edit.start]
        assert mutant.edit.end <= lines[-1].end, "one logical line can have a switch"
    else:
        ast.parse(changed)


def test_bug_with_a_stale_patch_is_named():
    with pytest.raises(ValueError, match=f"{BUGS[0].name}: 0 times in"):
        type(BUGS[0])(**{**vars(BUGS[0]), "old": "not in the source"}).mutant()


def test_mutants_of_the_catalogue_have_their_names():
    assert {each.name for each in catalogued_mutants()} == {each.name for each in BUGS}


def test_file_has_the_first_rule_naming_it():
    assert rule_of("aeron_cluster/cluster/members/quorum.py").name == "elections"
    with pytest.raises(KeyError):
        rule_of("aeron_cluster/cli/main.py")


def test_each_rule_has_files_and_promised_functions():
    for rule in RULES:
        assert rule.sources(), rule.name
        assert rule.promises, rule.name
