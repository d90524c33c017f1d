"""What the README shows runs, and what it names exists."""

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text()


def test_the_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "b'hello'\n"), done.stderr


def test_every_file_it_names_exists():
    named = re.findall(r"`((?:tests|benchmarks|docs|tools)/[\w./-]+)`", README)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.slow
def test_the_demo_shows_a_killed_driver_and_its_successor():
    done = subprocess.run(
        [sys.executable, "-m", "tools.demo"],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stderr
    assert "killed with SIGKILL" in done.stdout
    assert done.stdout.count("round trips/s") == 3
    assert "each once and in order" in done.stdout
