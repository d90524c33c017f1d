"""The distribution of tests to several workers: see ``distribution.py``."""

import os
import subprocess
import sys

import pytest

from tests.confirm import FAILED, failed_tests
from tests.conftest import ROOT

pytest.importorskip("xdist")

from tests import distribution
from tests.distribution import ALONE, REAL, VIRTUAL, lane_of, rank_of, unit_of

CONFTEST = """
import pytest

def pytest_xdist_make_scheduler(config, log):
    from tests.distribution import Distribution
    lanes = {"a": "virtual", "r": "real", "z": "alone"}
    file_of = lambda test: test.partition("::")[0]
    return Distribution(config, log, unit=file_of, lane=lambda unit: lanes[unit[5]])
"""
OTHERS = """
import pathlib, pytest

@pytest.mark.parametrize("number", range(4))
def test_it(number):
    pathlib.Path(__file__).with_suffix(f".{number}.ended").touch()
"""
ALONE_TEST = """
import pathlib, pytest

@pytest.mark.parametrize("number", range(3))
def test_everything_else_has_ended(number):
    assert len([*pathlib.Path(__file__).parent.glob("*.ended")]) == 5 * 4
"""


def run(path, *arguments):
    command = [sys.executable, "-m", "pytest", "-v", *arguments]
    done = subprocess.run(
        [*command, f"--rootdir={path}", path],
        check=False,
        cwd=path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_exclusive_tests_run_after_all_others(tmp_path, workers):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_z.py").write_text(ALONE_TEST)
    for name in ("a1", "a2", "a3", "r1", "r2"):
        (tmp_path / f"test_{name}.py").write_text(OTHERS)
    code, output = run(tmp_path, "-n", str(workers))
    assert (code, output.count("PASSED")) == (0, 5 * 4 + 3), output


@pytest.mark.parametrize("workers", [2, 3])
def test_a_run_of_exclusive_tests_ends(tmp_path, workers):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_z.py").write_text("def test_one(): ...\ndef test_two(): ...\n")
    (tmp_path / "test_zz.py").write_text("def test_one(): ...\n")
    code, output = run(tmp_path, "-n", str(workers))
    assert (code, output.count("PASSED")) == (0, 3), output


def test_dying_worker_fails_one_test(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_a.py").write_text(
        "import os\ndef test_one(): ...\ndef test_two(): os._exit(1)\ndef test_three(): ...\n"
    )
    for name in ("a2", "r1", "z1"):
        (tmp_path / f"test_{name}.py").write_text("def test_one(): ...\ndef test_two(): ...\n")
    code, output = run(tmp_path, "-n", "2")
    assert code == 1
    assert "FAILED test_a.py::test_two" in output
    assert "1 failed, 8 passed" in output


def test_failures_on_workers_are_where_confirm_reads_them(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    for name in ("a", "r", "z"):
        (tmp_path / f"test_{name}.py").write_text("def test_it(): ...\ndef test_not(): assert 0\n")
    assert run(tmp_path, "-n", "2")[0] == 1
    failed = failed_tests(tmp_path / FAILED.relative_to(ROOT))
    assert failed == [f"test_{name}.py::test_not" for name in ("a", "r", "z")]


def test_run_reports_the_cases_left_out(tmp_path):
    (tmp_path / "test_a.py").write_text(
        "import pytest\n@pytest.mark.sampled(2)\n"
        "@pytest.mark.parametrize('number', range(9))\ndef test_it(number): ...\n"
    )
    for arguments in (("-n", "2"), ()):
        _, output = run(tmp_path, "-p", "tests.conftest", *arguments)
        assert "left out 7 cases that were not drawn (7 of test_a.py" in output
    assert "left out" not in run(tmp_path, "-p", "tests.conftest", "--whole")[1]


def test_tests_of_one_file_are_one_unit_unless_named_otherwise():
    assert unit_of("tests/unit/a/test_b.py::test_c[x]") == "tests/unit/a/test_b.py"
    seeds = "tests/simulation/test_seeds.py::test_a_few_seeds_hold[1-whole]"
    assert unit_of(seeds) == seeds
    assert unit_of("tests/spark/test_a.py::test_b") == unit_of("tests/spark/test_c.py::test_d")


def test_lanes_and_ranks_follow_the_folders():
    assert lane_of("tests/process/test_a.py") == REAL
    assert lane_of("tests/unit/memory/test_a.py") == VIRTUAL
    assert rank_of("tests/spark/") < rank_of("tests/unit/memory/test_a.py")


def test_listed_test_runs_alone(monkeypatch):
    monkeypatch.setattr(distribution, "ALONE_TESTS", ("tests/interop/test_a.py::test_b",))
    assert lane_of(unit_of("tests/interop/test_a.py::test_b[x]")) == ALONE
    assert lane_of(unit_of("tests/interop/test_a.py::test_c[x]")) == REAL
