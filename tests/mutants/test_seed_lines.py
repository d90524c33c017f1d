"""Seeds are measured once, and only those that execute a mutant's statement are run on it."""

import ast
import functools
import json
import operator
import threading
from dataclasses import replace

import pytest

from aeron_cluster.cli.sim.record import _FIELDS as FIELDS
from aeron_cluster.cli.sim.record import Record
from tests.conftest import ROOT
from tests.mutants import seed_lines, seed_search
from tests.mutants.executed_lines import packed
from tests.mutants.measured import Measured
from tests.mutants.mutant import Edit, Mutant
from tests.mutants.seed_lines import SeedLines, measure_seeds
from tests.mutants.seed_search import search_seeds
from tests.mutants.trees import mutated, python_tree

FILE = "aeron_cluster/cluster/a.py"
SOURCE = b"def f(a):\n    if a:\n        return 1\n    return 2\n"
START = SOURCE.index(b"1")
MUTANT = Mutant("m", FILE, 3, "f", "constant changed", "1", "3", Edit(START, START + 1, b"3"))
FIRST = 902
COUNT = 3
END = b'__import__("os")._exit(7)'


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setattr(seed_lines, "folders", lambda: ["cluster"])
    path = tmp_path / FILE
    path.parent.mkdir(parents=True)
    path.write_bytes(SOURCE)
    return tmp_path


def opened(tree):
    return SeedLines(tree, tree / "build" / "lines.jsonl")


def row(lines, seed, *executed):
    bits = lines._layout.bits(FILE, executed)
    return {"mode": "consensus", "seed": seed, "lines": packed(bits)}


def kept(lines, *, mode="consensus", mutant=MUTANT):
    """Return which of the seeds from 1 to 3 are run."""
    return list(filter(lines.can_detect(mutant, mode), (1, 2, 3)))


def test_seeds_that_do_not_execute_the_statement_are_left_out(tree):
    lines = opened(tree)
    assert kept(lines) == [1, 2, 3]
    lines.add(row(lines, 1, 2, 3))
    lines.add(row(lines, 2, 2, 4))
    assert kept(lines) == [1, 3]
    assert kept(lines, mode="whole") == [1, 2, 3]
    compiled = f"{FILE}x"
    (tree / compiled).write_bytes(SOURCE)
    assert kept(lines, mutant=replace(MUTANT, file=compiled)) == [1, 2, 3]
    lines.add({"imports": packed(lines._layout.bits(FILE, [1, 3]))})
    assert kept(lines) == [1, 2, 3]


def test_files_that_are_not_measured_are_run_with_all_seeds(tree):
    other = "aeron_cluster/driver/a.py"
    (tree / other).parent.mkdir()
    (tree / other).write_bytes(SOURCE)
    lines = opened(tree)
    lines.add(row(lines, 2, 2, 4))
    assert kept(lines, mutant=replace(MUTANT, file=other)) == [1, 2, 3]


def test_measurement_continues_after_a_row_that_was_cut(tree):
    lines = opened(tree)
    lines.add({"imports": packed(1)})
    lines.add(row(lines, 1, 2))
    path = tree / "build" / "lines.jsonl"
    path.write_text(path.read_text() + '{"mode": "cons')
    lines = opened(tree)
    assert lines.left("consensus", range(1, 4)) == [2, 3]
    lines.add(row(lines, 2, 3))
    assert opened(tree).left("consensus", range(1, 4)) == [3]
    assert kept(opened(tree)) == [2, 3]


@pytest.mark.parametrize("name", ["cluster/a.py", "memory/b.pyx", "memory/b.h"])
def test_measurement_of_other_sources_is_discarded(name, tree):
    lines = opened(tree)
    lines.add(row(lines, 1, 2))
    path = tree / "aeron_cluster" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(SOURCE + b"\n")
    lines = opened(tree)
    assert kept(lines) == [1, 2, 3]
    lines.add(row(lines, 2, 2))
    assert opened(tree).left("consensus", range(1, 4)) == [1, 3]


PROGRAM = """
import json, sys
for seed in map(int, sys.stdin.read().split()):
    if seed == {bad}:
        {what}
    sys.stdout.write(json.dumps(dict(mode="consensus", seed=seed, lines={lines!r})) + chr(10))
    sys.stdout.flush()
"""


@pytest.mark.parametrize(
    ("what", "failure"),
    [
        (
            "sys.stdout.write(json.dumps(dict(seed=seed, invariant='Some', failure='lost')));break",
            "consensus seed 3: Some: lost",
        ),
        ("sys.exit(4)", "consensus seed 3: the process ended with 4"),
    ],
)
def test_seed_that_fails_on_the_original_ends_the_measurement(what, failure, tree, monkeypatch):
    program = PROGRAM.format(bad=3, what=what, lines=packed(1))
    monkeypatch.setattr(seed_lines, "_COMMAND", ("-c", program))
    lines = opened(tree)
    seeds = {"consensus": range(1, 6), "whole": range(1, 6)}
    assert measure_seeds(lines, seeds, 1, lambda _: None) == [failure]
    assert lines.left("consensus", range(1, 6)) == [3, 4, 5]


def test_interruption_ends_the_processes_and_retains_what_was_measured(tree, monkeypatch):
    # The second process would wait forever.
    program = PROGRAM.format(bad=2, what="import signal; signal.pause()", lines=packed(1))
    monkeypatch.setattr(seed_lines, "_COMMAND", ("-c", program))
    is_measured = threading.Event()

    def interrupted(_):
        assert is_measured.wait(30)
        raise KeyboardInterrupt

    monkeypatch.setattr(seed_lines, "as_completed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measure_seeds(opened(tree), {"consensus": (1, 2)}, 2, lambda _: is_measured.set())
    assert opened(tree).left("consensus", (1, 2)) == [2]


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Measure some seeds of the package."""
    path = tmp_path_factory.mktemp("measured") / "lines.jsonl"
    lines = SeedLines(ROOT, path)
    seeds = {"consensus": range(FIRST, FIRST + COUNT)}
    assert measure_seeds(lines, seeds, 1, lambda _: None) == []
    return lines, path


def test_seeds_measured_before_are_not_run(measured):
    _, path = measured
    seeds = {"consensus": range(FIRST, FIRST + COUNT)}
    assert measure_seeds(SeedLines(ROOT, path), seeds, 1, lambda _: pytest.fail("run")) == []
    assert "imports" in json.loads(path.read_text().splitlines()[1])


def test_seeds_measured_now_are_recorded(tmp_path):
    """Those that failed too, and each mode in a row of its own."""
    measured = Measured(tmp_path / "record.csv")
    given = {"virtual_ns": 1_800_000_000_000, "faults": {"Kill": 2}}
    measured.add({"imports": ""})
    for seed in (12, 10):
        measured.add({"mode": "consensus", "seed": seed, **given})
    measured.add({"mode": "whole", "seed": 10, **given, "invariant": "Some", "failure": "lost"})
    measured.write("1234abc")
    assert Record(tmp_path / "record.csv").rows() == [
        dict(zip(FIELDS, each, strict=True))
        for each in (
            ("1234abc", "consensus", "10", "12", "2", "1.00", "Kill=4", ""),
            ("1234abc", "whole", "10", "10", "1", "0.50", "Kill=2", "10:Some"),
        )
    ]


def rare_statement(lines):
    """Return a mutant that ends the process in a statement that only the last seed executes."""
    *others, last = (lines._of_seed["consensus", FIRST + number] for number in range(COUNT))
    rare = last & ~functools.reduce(operator.or_, others, lines._of_imports)
    for path in sorted((ROOT / "aeron_cluster" / "cluster").rglob("*.py")):
        file, source = str(path.relative_to(ROOT)), path.read_bytes()
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.Return) or node.lineno != node.end_lineno:
                continue
            if lines._layout.bits(file, [node.lineno]) & rare:
                begin = len(b"".join(source.splitlines(keepends=True)[: node.lineno - 1]))
                edit = Edit(begin + node.col_offset, begin + node.end_col_offset, END)
                return Mutant("m", file, node.lineno, "f", "return removed", "a", "b", edit)
    raise AssertionError("expected a statement that only one seed executes")


def test_a_mutant_of_a_rare_statement_is_found_by_the_same_seed(measured, tmp_path, monkeypatch):
    monkeypatch.setattr(seed_search, "_HELD", {})
    lines, _ = measured
    mutant = rare_statement(lines)
    seeds = range(FIRST, FIRST + COUNT)
    tree = python_tree(tmp_path / "tree")
    with mutated(mutant, tree):
        of_all = search_seeds(tree, ROOT, "consensus", seeds)
        can_detect = lines.can_detect(mutant, "consensus")
        of_some = search_seeds(tree, ROOT, "consensus", seeds, 0, can_detect)
    assert (of_all.tried, of_all.how, of_all.skipped) == (COUNT, "died", 0)
    assert of_some == replace(of_all, skipped=COUNT - 1)
