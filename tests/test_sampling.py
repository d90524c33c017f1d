"""The sampled cases of slow tests in a run, its ports, and its processes' reaction to signals."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest

from tests import budget
from tests.conftest import ROOT

CASES = """
import pytest

@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(20))
def test_slow(number): ...

@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", [pytest.param("theirs", marks=pytest.mark.reference), "a", "b"])
@pytest.mark.parametrize("number", range(40))
def test_of_kinds(kind, number): ...

def test_quick(): ...
"""
PORTS = """
import sys
def test_ports(free_port):
    print("first", free_port(10), flush=True)
    sys.stdin.readline()
"""
SIGNALS = """
import signal, subprocess, sys
SHOW = "import signal; print([signal.getsignal(each) for each in (signal.SIGINT, signal.SIGHUP)])"
def test_signals():
    printed = subprocess.run([sys.executable, "-c", SHOW], capture_output=True, text=True).stdout
    assert printed == f"{[signal.default_int_handler, signal.SIG_DFL]}\\n"
    for each in (signal.SIGINT, signal.SIGHUP):
        signal.raise_signal(each)  # ignored in the test process itself
"""


def start(path, *arguments, seed=7, rootdir=None, **more):
    command = ["-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider", "-s"]
    python_path = f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"
    paths = [path] if path.is_file() or "::" in path.name else []  # no seed: all cases
    return subprocess.Popen(
        [sys.executable, *command, f"--rootdir={rootdir or path.parent}", *arguments, *paths],
        cwd=path.parent if rootdir is None else rootdir,
        env={**os.environ, "PYTHONPATH": python_path, "AERON_CLUSTER_SEED": str(seed)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **more,
    )


def collected(path, *arguments, seed=7, rootdir=None):
    run = start(path, "--collect-only", *arguments, seed=seed, rootdir=rootdir)
    reported, _ = run.communicate(timeout=120)
    return [line.partition("::")[2] for line in reported.splitlines() if "::" in line]


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "test_cases.py"
    path.write_text(CASES)
    return path


def test_a_seed_chooses_the_cases_and_make_whole_runs_all(cases):
    chosen = collected(cases)
    assert chosen == collected(cases)
    slow = [name for name in chosen if "test_slow" in name]
    ours = [name for name in chosen if "test_of_kinds" in name and "theirs" not in name]
    assert (len(slow), len(ours)) == (2, 1)
    assert "test_quick" in chosen
    others = [collected(cases, seed=seed) for seed in (1, 2)]
    assert any(other != chosen for other in others)
    assert len(collected(cases, "--whole")) == 20 + 3 * 40 + 1


def test_case_requested_by_name_runs(cases):
    (named,) = collected(cases.with_name("test_cases.py::test_of_kinds[3-theirs]"))
    assert named == "test_of_kinds[3-theirs]"


def test_run_of_all_folders_stays_within_the_budgets(tmp_path, monkeypatch):
    folder = tmp_path / "tests" / "interop"
    folder.mkdir(parents=True)
    mark = "import pytest\npytestmark = pytest.mark.parametrize('case', range(2))\n"
    tests = "".join(f"def test_{name}(case): ...\n" for name in "abcdefgh")
    (folder / "test_many.py").write_text(mark + tests)
    (tmp_path / "tests" / "typing").mkdir()  # a folder without a budget
    (tmp_path / "tests" / "typing" / "test_other.py").write_text(mark + tests)
    all_of_it = tmp_path / "tests"
    # Three of the slow ones fit into the budget; h is quick, and g has no measured duration.
    slow = budget.BUDGETS["tests/interop/",] / 3.001
    durations = {f"interop/test_many.py::test_{name}": slow for name in "abcdef"}
    durations |= {"interop/test_many.py::test_h": 0.1, "typing/test_other.py::test_a": 1e6}
    known = tmp_path / "durations.json"
    known.write_text(json.dumps({f"tests/{name}": each for name, each in durations.items()}))
    monkeypatch.setenv("AERON_CLUSTER_DURATIONS", str(known))

    def names(*arguments, seed=7):
        return collected(all_of_it, *arguments, rootdir=tmp_path, seed=seed)

    drawn = names()
    assert len(drawn) == (3 + 2) * 2 + 8 * 2
    assert {"test_g[0]", "test_g[1]", "test_h[0]", "test_h[1]"} <= set(drawn)
    printed, _ = start(all_of_it, "-n", "2", rootdir=tmp_path).communicate(timeout=120)
    assert "26 passed" in printed
    assert "left out 6 cases" in printed
    assert len(names("--whole")) == 8 * 2 + 8 * 2
    assert names() == drawn
    assert any(names(seed=seed) != drawn for seed in (1, 2, 3))
    assert len(collected(folder / "test_many.py")) == 16


def test_over_many_seeds_a_folder_costs_its_budget_and_each_test_is_drawn():
    seconds = {f"tests/a/test.py::test_{n}": 0.5 * (n + 1) for n in range(30)}
    budgets = {("tests/a/", "tests/b/"): 20.0}
    drawn = [
        seconds.keys() - budget.left_out(seconds, seed, seconds, budgets) for seed in range(400)
    ]
    cost = [sum(seconds[name] for name in names) for names in drawn]
    assert 18 < sum(cost) / len(cost) < 22
    assert set.union(*drawn) == seconds.keys()
    assert budget.left_out(seconds, 7, {}, budgets) == set()


def test_every_always_run_test_exists():
    for test in budget.ALWAYS:
        file, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text()


def test_every_measured_test_exists():
    """A test renamed without its line would always run."""
    texts = {path: path.read_text() for path in (ROOT / "tests").rglob("test_*.py")}
    defined = set(re.findall(r"(?m)^\s*def (\w+)\(", "\n".join(texts.values()))) | {"runTest"}
    for test in budget.read_durations():
        file, _, name = test.partition("::")
        assert ROOT / file in texts, test
        assert name.rpartition("::")[2] in defined, test


def test_durations_come_from_a_report_of_pytest(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text(
        "<testsuites><testsuite>"
        '<testcase classname="tests.unit.test_a" name="test_x[1]" time="1.5"/>'
        '<testcase classname="tests.unit.test_a" name="test_x[2]" time="1.0"/>'
        '<testcase classname="tests.unit.test_a.TestIt" name="test_y" time="0.1"/>'
        "</testsuite></testsuites>"
    )
    assert budget.measured(report) == {
        "tests/unit/test_a.py::test_x": 2.5,
        "tests/unit/test_a.py::TestIt::test_y": 0.1,
    }


def test_two_concurrent_runs_have_different_ports(tmp_path):
    path = tmp_path / "test_ports.py"
    path.write_text(PORTS)
    runs = [start(path) for _ in range(3)]
    first = [next(int(line.split()[-1]) for line in run.stdout if "first" in line) for run in runs]
    for run in runs:
        run.communicate("\n", timeout=120)
    blocks = [set(range(port, port + 10)) for port in first]
    assert len(set.union(*blocks)) == 30


def ignore_signals():
    for each in (signal.SIGINT, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)


def test_processes_of_tests_in_the_background_can_be_interrupted(tmp_path):
    """Background jobs of a shell ignore SIGINT, and a program under nohup SIGHUP."""
    path = tmp_path / "test_signals.py"
    path.write_text(SIGNALS)
    process = start(path, preexec_fn=ignore_signals)
    printed, _ = process.communicate(timeout=120)
    assert process.returncode == 0, printed
