"""Each line of the checklist of scenarios has an existing test or a reason."""

import ast
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
NOT_YET = "not yet: "


def _checklist():
    section = ""
    for line in (HERE / "checklist.txt").read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            yield section, line


def _table():
    section = ""
    for line in (HERE / "README.md").read_text().splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("| ") and not line.startswith(("| scenario", "| ---")):
            scenario, test = (each.strip() for each in line.strip("| ").split(" | "))
            yield (section, scenario), test.strip("`")


@cache
def _tests_in(path):
    tree = ast.parse((ROOT / path).read_text())
    return {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}


def test_the_table_has_each_line_of_the_checklist_once():
    assert [scenario for scenario, _ in _table()] == list(_checklist())


@pytest.mark.parametrize("section", dict.fromkeys(section for section, _ in _checklist()))
def test_each_scenario_has_a_test_or_a_reason(section):
    for (where, scenario), test in _table():
        if where != section:
            continue
        if test.startswith(NOT_YET):
            assert len(test) > len(NOT_YET), scenario
            continue
        path, _, name = test.partition("::")
        assert name in _tests_in(path), f"{scenario}: {test} does not exist"


def test_each_test_of_this_folder_is_in_the_table():
    named = {test for _, test in _table()}
    for path in HERE.glob("test_*_scenarios.py"):
        where = path.relative_to(ROOT).as_posix()
        missing = {name for name in _tests_in(where) if name.startswith("test_")} - {
            test.partition("::")[2] for test in named if test.startswith(where)
        }
        assert not missing, where


def test_each_class_of_upstreams_unit_tests_is_compared_with_files_of_ours():
    rows = [
        [each.strip() for each in line.strip("| ").split(" | ")]
        for line in (ROOT / "tests/unit/cluster/UPSTREAM.md").read_text().splitlines()
        if line.startswith("| ") and "Test" in line
    ]
    assert len({name for name, *_ in rows}) == len(rows) == 37
    for name, cases, ours, differs in rows:
        assert int(cases) > 0, name
        assert differs, name
        for path in ours.split(", "):
            tests = _tests_in(path.strip("`"))
            assert any(each.startswith("test_") for each in tests), f"{name}: {path}"
