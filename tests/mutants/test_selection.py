"""Mutants are drawn by a seed, evenly from each rule and each operator."""

from collections import Counter

import pytest

from tests.mutants.rules import RULES, files_without_rule, generated_mutants
from tests.mutants.selection import SAMPLE, draw_mutants, read_sample, redraw, sample


@pytest.fixture(scope="module")
def mutants():
    return generated_mutants()


def test_every_rule_has_enough_mutants(mutants):
    counts = Counter(each.rule for each in mutants)
    assert counts.keys() == {each.name for each in RULES}
    assert min(counts.values()) > 100


def test_same_seed_draws_the_same_and_another_seed_others(mutants):
    first = draw_mutants(mutants, 60, 1)
    assert draw_mutants(mutants, 60, 1) == first
    assert draw_mutants(mutants, 60, 2) != first
    assert draw_mutants(mutants, 90, 1)[:60] == first


def test_rules_and_operators_are_drawn_in_turn(mutants):
    found = draw_mutants(mutants, 600, 3)
    assert len({each.name for each in found}) == 600
    counts = Counter(each.rule for each in found)
    assert max(counts.values()) - min(counts.values()) <= 1
    assert len({each.operator for each in found}) > 12


def test_rules_of_a_later_version_change_no_earlier_draw(mutants):
    """The stored results are of the first version."""
    first = generated_mutants(1)
    later = {each.name for each in RULES if each.since > 1}
    assert len(later) == 5
    assert first == [each for each in mutants if each.rule not in later]
    files = {each.file for each in first}
    assert not files & {each.file for each in mutants if each.rule in later}


@pytest.mark.parametrize(
    "file",
    [
        "cluster_client/cluster_client.py",
        "cluster_client/connect.py",
        "archive/sessions/control_session.py",
        "archive/control/control_requests.py",
        "cluster/module/module_conductor.py",
        "cluster/module/termination.py",
        "cluster/agent/member_list.py",
        "cluster/agent/consensus_link.py",
        "cluster/state/mark_file.py",
        "cluster/service/native_calls.pyx",
        "cluster/service/divergence_guard.pyx",
        "archive/persistent/persistent_subscription.py",
    ],
)
def test_file_that_promises_depend_on_is_in_a_rule(file, mutants):
    path = f"aeron_cluster/{file}"
    assert path not in files_without_rule()
    assert any(each.file == path and each.is_promise for each in mutants)


def test_sample_has_only_promised_functions(mutants):
    found = sample(mutants, 120, 4)
    assert len(found) == 120
    rules = {each.name: each for each in RULES}
    assert all(rules[each.rule].keeps_promise(each.function) for each in found)


def test_kept_sample_is_of_mutants_that_exist(mutants):
    kept = read_sample()
    assert len(kept) == 120
    known = {each.name: each.file for each in mutants}
    gone = [name for name in kept if name not in known]
    assert not gone, "their statements changed: python -m tests.mutants --redraw"
    assert all(known[name] == file for name, file in kept.items())


def test_mutant_that_is_gone_is_replaced_by_another_of_its_rule(mutants, tmp_path):
    path = tmp_path / "sample.txt"
    lines = SAMPLE.read_text().splitlines()
    place = next(n for n, line in enumerate(lines) if " log " in line)
    name = lines[place].split()[0]
    lines[place] = lines[place].replace(name, "0" * 10)
    path.write_text("\n".join(lines) + "\n")
    replaced = redraw(mutants, path)
    assert replaced.keys() == {"0" * 10}
    new = path.read_text().splitlines()
    assert new[:place] + new[place + 1 :] == lines[:place] + lines[place + 1 :]
    assert new[place].split()[1] == "log"
    assert len(read_sample(path)) == 120
    assert redraw(mutants, path) == {}
