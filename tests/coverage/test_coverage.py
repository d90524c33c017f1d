"""What is counted: lines and outcomes of a compiled module, and the reasons of a page."""

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.coverage import __main__ as runner
from tests.coverage import compiled
from tests.coverage.figures import (
    COMPILED,
    PYTHON,
    Figures,
    Source,
    by_package,
    of_compiled,
    of_python,
)
from tests.coverage.limits import below
from tests.coverage.page import LEFT, Group, grouped, page, ranges, read_groups

HEADER = """\
#pragma once
static inline int ac_one(int a)
{
    if (a > 3)
        return 1;
    return 0;
}
"""
LEAF = """\
cdef extern from "aeron_cluster/one.h" nogil:
    int ac_one(int a)

cdef inline int leaf(int a) noexcept nogil:
    if a > 5:
        return 7
    return ac_one(a)
"""
USER = """\
from aeron_cluster.leaf cimport leaf


def get(int value, list names, *others):
    cdef int index
    cdef int total = 0
    cdef bint is_small = 0 <= value < 10
    if is_small:
        total = max(total, value)
    others[:0]
    if value < 0 and value > -10:
        raise ValueError("small")
    with nogil:
        for index in range(value):
            total += leaf(index)
    try:
        total += len(names[0])
    except IndexError:
        total = 0
    while total > 100:
        total -= 100
    return total


def never():
    return 3
"""
HANDLER = """\
def f():
    try:
        g()
    except OSError:
        x = 1
        h()
    k()
"""
FILES = {
    "include/aeron_cluster/one.h": HEADER,
    "aeron_cluster/__init__.py": "",
    "aeron_cluster/__init__.pxd": "",
    "aeron_cluster/leaf.pxd": LEAF,
    "aeron_cluster/user.pyx": USER,
    "aeron_cluster/removed.pyx": "def never():\n    return 3\n",
}


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("counted")
    if shutil.which("gcov") is None:
        pytest.skip("no gcov")
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    library = f"aeron_cluster/user{sysconfig.get_config_var('EXT_SUFFIX')}"
    paths = ["-Iinclude", f"-I{sysconfig.get_path('include')}"]
    compiler = ["gcc", "-O0", "--coverage", "-fPIC", *paths, "-c"]
    names = ("user", "removed")
    for command in (
        *([sys.executable, "-m", "cython", "-3", f"aeron_cluster/{name}.pyx"] for name in names),
        *([*compiler, f"aeron_cluster/{name}.c", "-o", f"{name}.o"] for name in names),
        ["gcc", "-shared", "--coverage", "user.o", "-o", library],
        [sys.executable, "-c", "from aeron_cluster.user import get; get(3, ['ab'])"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True)
    (tmp_path / "aeron_cluster/removed.pyx").unlink()
    return compiled.read(tmp_path, tmp_path)


def of(source, text):
    """Return the number of the line with that text."""
    return next(n for n, line in enumerate(source.splitlines(), 1) if line.strip() == text)


def test_the_counts_of_c_are_those_of_its_cython_lines(counted):
    user = counted["aeron_cluster/user.pyx"]
    assert user.lines[of(USER, "total += leaf(index)")] == 3
    ran = ("cdef int total = 0", "while total > 100:", "total += len(names[0])", "return total")
    assert all(user.lines[of(USER, text)] == 1 for text in ran)
    not_run = ('raise ValueError("small")', "except IndexError:", "total -= 100", "return 3")
    assert all(user.lines[of(USER, text)] == 0 for text in not_run)
    assert of(USER, "cdef int index") not in user.lines
    assert counted["aeron_cluster/leaf.pxd"].lines == {4: 3, 5: 3, 6: 0, 7: 3}
    assert counted["include/aeron_cluster/one.h"].lines == {2: 3, 4: 3, 5: 0, 6: 3}


def test_outcomes_of_the_sources_conditions_are_counted_and_no_others(counted):
    user = counted["aeron_cluster/user.pyx"]
    at = {}
    for (line, _), counts in user.branches.items():
        at.setdefault(line, []).append(sorted(counts))
    assert at == {
        of(USER, "if is_small:"): [[0, 1]],
        of(USER, "if value < 0 and value > -10:"): [[0, 1], [0, 1]],
        of(USER, "for index in range(value):"): [[1, 3]],
        of(USER, "except IndexError:"): [[0, 0]],
        of(USER, "while total > 100:"): [[0, 1]],
    }
    assert of(USER, "total = max(total, value)") in user.lines
    (leaf,) = counted["aeron_cluster/leaf.pxd"].branches.values()
    assert leaf == [0, 3]


def test_a_module_that_was_removed_is_not_counted(counted):
    assert "aeron_cluster/removed.pyx" not in counted


def test_figures_are_added_by_package_and_half(counted, tmp_path):
    report = {
        "num_statements": 10,
        "covered_lines": 9,
        "num_branches": 4,
        "covered_branches": 3,
    }
    files = {"aeron_cluster/cli/main.py": {"summary": report, "missing_lines": [7]}}
    (tmp_path / "report.json").write_text(json.dumps({"files": files}))
    sources = [*of_python(tmp_path / "report.json"), *of_compiled(counted)]
    both = by_package(sources)
    assert both["cli"] == {PYTHON: Figures(10, 9, 4, 3)}
    assert both["include"] == {COMPILED: Figures(4, 3, 2, 1)}
    assert list(both) == ["-", "cli", "include", "all"]
    assert both["all"][COMPILED].lines == both["-"][COMPILED].lines + 4
    assert sources[0].missing == [7]


def test_an_uncovered_line_has_the_reason_of_the_first_group_that_holds(tmp_path):
    (tmp_path / "a.py").write_text(HANDLER)
    groups = [Group("system", "fails", text="except OSError"), Group("other", "", files=("b.py",))]
    source = Source("a.py", PYTHON, Figures(), [4, 5, 6, 7])
    assert grouped([source], groups, tmp_path) == {
        "system": {"a.py": [4, 5, 6]},
        "other": {},
        LEFT: {"a.py": [7]},
    }
    assert ranges([3, 7, 8, 9, 12]) == "3, 7-9, 12"


def test_a_line_is_in_the_block_of_a_condition_of_several_lines(tmp_path):
    check = "    if not holds(\n        a, 1\n    ):\n        return 0\n    return 1\n"
    (tmp_path / "a.py").write_text(f"def f(\n    a\n):\n{check}")
    source = Source("a.py", PYTHON, Figures(), [7, 8])
    checks = Group("checks", "", text="if not holds")
    assert grouped([source], [checks], tmp_path) == {
        "checks": {"a.py": [7]},
        LEFT: {"a.py": [8]},
    }
    both = grouped([source], [Group("f", "", text="def f")], tmp_path)
    assert both["f"] == {"a.py": [7, 8]}


def test_a_page_names_what_was_not_measured_and_has_no_empty_columns():
    sources = [Source("aeron_cluster/cli/__init__.py", PYTHON, Figures(10, 9, 4, 3))]
    text = page(sources, {"unit": "7 tests passed"}, ["fuzz", "spark"], "abc")
    assert "at abc by `make coverage` on the parts `unit` (7 tests passed).\n" in text
    assert "\nNot measured: `fuzz`, `spark`, Cython files.\n" in text
    assert "| package | Python lines | covered | branches |\n| --- | ---: | ---: | ---: |\n" in text
    assert "| `cli/` | 10 | 90.0 % | 75.0 % |\n" in text
    sources.append(Source("aeron_cluster/cli/__init__.py", COMPILED, Figures(10, 8, 0, 0)))
    text = page(sources, {"unit": "7 tests passed"}, [], "abc")
    assert "Not measured:" not in text
    assert "| `cli/` | 10 | 90.0 % | 75.0 % | 10 | 80.0 % | - |\n" in text


def halves(python=(1000, 950, 1000, 900), compiled=(1000, 950, 1000, 900)):
    """Return sources with these counts of lines and branches; by default at the limits."""
    return [
        Source("aeron_cluster/cli/main.py", PYTHON, Figures(*python)),
        Source("aeron_cluster/memory/clock.pyx", COMPILED, Figures(*compiled)),
    ]


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ({}, []),
        ({"python": (1000, 949, 1000, 900)}, ["Python: 94.90 % of the lines, at least 95 %"]),
        ({"python": (1000, 950, 1000, 899)}, ["Python: 89.90 % of the branches, at least 90 %"]),
        ({"compiled": (1000, 949, 1000, 1000)}, ["Cython: 94.90 % of the lines, at least 95 %"]),
        ({"compiled": (1000, 999, 1000, 899)}, ["Cython: 89.90 % of the branches, at least 90 %"]),
        ({"compiled": (0, 0, 0, 0)}, ["Cython: not measured"]),
    ],
)
def test_each_half_is_compared_with_its_limits(counts, found):
    assert [each.removesuffix(" are required") for each in below(halves(**counts))] == found


@pytest.mark.parametrize(
    ("lines", "parts", "failed", "code"),
    [
        (950, runner.PARTS, [], 0),
        (949, runner.PARTS, [], 1),
        (949, ["unit"], [], 0),
        (950, ["unit"], ["tests.unit.test_x"], 1),
    ],
)
def test_coverage_below_its_limit_fails_once_all_parts_are_measured(
    lines, parts, failed, code, tmp_path, monkeypatch
):
    done = {each: {"ran": "7 tests passed", "failed": failed} for each in parts}
    (tmp_path / "parts.json").write_text(json.dumps({"sources": "", "parts": done}))
    monkeypatch.setattr(runner, "DATA", tmp_path)
    monkeypatch.setattr(runner, "PAGE", tmp_path / "coverage.md")
    monkeypatch.setattr(runner, "measured", lambda: halves((1000, lines, 1000, 900)))
    monkeypatch.setattr(runner, "page", lambda *_: "the page")
    monkeypatch.setattr(sys, "argv", ["coverage", "--report"])
    assert runner.main() == code
    assert (tmp_path / "coverage.md").read_text() == "the page"


class FakeCoverage:
    """As coverage.py: it begins without its file's data, and removes the files that it combines."""

    def __init__(self, data_file, **_settings):
        self.file = Path(data_file)
        self.ran = set()

    def combine(self, files):
        for each in map(Path, files):
            if each != self.file:
                self.ran |= {*each.read_text().split()}
                each.unlink()

    def save(self):
        self.file.write_text(" ".join(sorted(self.ran)))


def test_what_parts_measured_is_added_up(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "coverage", SimpleNamespace(Coverage=FakeCoverage))
    monkeypatch.setattr(runner, "DATA", tmp_path)
    for begun, whole in (("ab", "a b"), ("c", "a b c"), ("", "a b c")):
        for name in begun:
            (tmp_path / f"data.{name}").write_text(name)
        runner.add_up()
        assert [each.name for each in tmp_path.iterdir()] == ["combined"]
        assert (tmp_path / "combined").read_text() == whole


def test_each_group_has_a_reason():
    groups = read_groups()
    assert len({each.name for each in groups}) == len(groups)
    assert all(each.reason.endswith(".") for each in groups)
