"""Which cases of the slow tests a run takes, its ports, and what its processes do at a signal."""

import functools
import os
import signal
import subprocess
import sys

import pytest

from tests.conftest import ROOT

CASES = """
import pytest

@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(20))
def test_dear(number): ...

@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", [pytest.param("theirs", marks=pytest.mark.reference), "a", "b"])
@pytest.mark.parametrize("number", range(40))
def test_of_kinds(kind, number): ...

def test_cheap(): ...
"""
PORTS = """
import sys
def test_ports(free_port):
    print("first", free_port(10), flush=True)
    sys.stdin.readline()
"""
SIGNALS = """
import signal, subprocess, sys
SHOW = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
def test_signals():
    said = subprocess.run([sys.executable, "-c", SHOW], capture_output=True, text=True).stdout
    assert said == "True\\n"
    signal.raise_signal(signal.SIGINT)  # it still does nothing to the tests themselves
"""


def start(path, *arguments, seed=7, **more):
    command = ["-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider", "-s"]
    python_path = f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"
    paths = [path] if path.is_file() or "::" in path.name else []  # none: all that is there
    return subprocess.Popen(
        [sys.executable, *command, f"--rootdir={path.parent}", *arguments, *paths],
        cwd=path.parent,
        env={**os.environ, "PYTHONPATH": python_path, "AERON_CLUSTER_SEED": str(seed)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **more,
    )


def collected(path, *arguments, seed=7):
    said, _ = start(path, "--collect-only", *arguments, seed=seed).communicate(timeout=120)
    return [line.partition("::")[2] for line in said.splitlines() if "::" in line]


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "test_cases.py"
    path.write_text(CASES)
    return path


def test_a_seed_chooses_the_cases_and_whole_runs_all(cases):
    chosen = collected(cases)
    assert chosen == collected(cases)
    dear = [name for name in chosen if "test_dear" in name]
    ours = [name for name in chosen if "test_of_kinds" in name and "theirs" not in name]
    assert (len(dear), len(ours)) == (2, 1)
    assert "test_cheap" in chosen
    others = [collected(cases, seed=seed) for seed in (1, 2)]
    assert any(other != chosen for other in others)
    assert len(collected(cases, "--whole")) == 20 + 3 * 40 + 1


def test_a_case_that_is_asked_for_by_name_runs(cases):
    (named,) = collected(cases.with_name("test_cases.py::test_of_kinds[3-theirs]"))
    assert named == "test_of_kinds[3-theirs]"


def test_a_run_of_all_folders_takes_a_share_of_some(tmp_path):
    folder = tmp_path / "tests" / "interop"
    folder.mkdir(parents=True)
    (folder / "test_one.py").write_text("def test_it(): ...\n")
    mark = "import pytest\npytestmark = pytest.mark.parametrize('case', range(2))\n"
    tests = "".join(f"def test_{name}(case): ...\n" for name in "abcdefgh")
    (folder / "test_many.py").write_text(mark + tests)
    (tmp_path / "test_other.py").write_text(mark + tests)
    all_of_it = tmp_path / "tests"

    def counts(*arguments, seed=7):
        found = collected(all_of_it, *arguments, seed=seed)
        return [name for name in found if "[" not in name], sum("[" in name for name in found)

    assert counts() == (["test_it"], 8 + 16)
    printed, _ = start(all_of_it, "-n", "2").communicate(timeout=120)
    assert "25 passed" in printed
    assert counts("--whole") == (["test_it"], 16 + 16)
    assert collected(all_of_it) == collected(all_of_it)
    assert any(collected(all_of_it, seed=seed) != collected(all_of_it) for seed in (1, 2, 3))
    assert len(collected(folder / "test_many.py")) == 16


def test_two_runs_beside_each_other_have_ports_of_their_own(tmp_path):
    path = tmp_path / "test_ports.py"
    path.write_text(PORTS)
    runs = [start(path) for _ in range(3)]
    first = [next(int(line.split()[-1]) for line in run.stdout if "first" in line) for run in runs]
    for run in runs:
        run.communicate("\n", timeout=120)
    blocks = [set(range(port, port + 10)) for port in first]
    assert len(set.union(*blocks)) == 30


def test_processes_of_tests_in_the_background_can_be_interrupted(tmp_path):
    """A shell has its background jobs ignore SIGINT."""
    path = tmp_path / "test_signals.py"
    path.write_text(SIGNALS)
    ignored = functools.partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    process = start(path, preexec_fn=ignored)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0, said
