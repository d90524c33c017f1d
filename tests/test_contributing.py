"""The documented commands of the project's own programs have options and choices that exist."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from tests.conftest import ROOT

PAGES = ("CONTRIBUTING.md", "benchmarks/RESULTS.md", "docs/durability.md", "docs/reliability.md")
TEXTS = [(ROOT / page).read_text() for page in PAGES]
PROGRAM = re.compile(r"`(?:\.venv/bin/)?python3? -m ((?:tests|tools|benchmarks)\b[^`]*)`")
PROGRAMS = {each for text in TEXTS for each in PROGRAM.findall(text) if "--help" not in each}
MAKE = re.compile(r"`(?:\w+=\S+ )*make (\w+ [^`]*=[^`]*)`")
TARGETS = {each for text in TEXTS for each in MAKE.findall(text)}


def rejection(command):
    """Return what a program reports about an unknown option after the command's own ones."""
    module, *arguments = shlex.split(command)
    end = arguments.index("--") if "--" in arguments else len(arguments)
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments[:end], "--no-such-option"],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2, done
    return done.stderr.strip().splitlines()[-1].partition("error: ")[2]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("command", sorted(PROGRAMS))
def test_a_documented_program_has_the_options_and_choices(command):
    assert rejection(command) == "unrecognized arguments: --no-such-option"


def test_a_choice_that_does_not_exist_is_detected():
    assert "invalid choice: 'faces'" in rejection("benchmarks.micro --fast --only faces")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("command", sorted(TARGETS))
def test_make_passes_the_documented_variables_to_the_program(command):
    target, *variables = shlex.split(command)
    done = subprocess.run(
        ["make", "--dry-run", target, *variables],
        check=True,
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if "MAKE" not in name},
        capture_output=True,
        text=True,
    )
    for variable in variables:
        name, _, value = variable.partition("=")
        if name != "VARIANT":  # of the environment
            assert set(value.split()) <= set(done.stdout.split())
    last = done.stdout.splitlines()[-1]
    if match := re.match(r"\.venv/bin/python -m ((?:tests|tools|benchmarks)\..*)", last):
        assert rejection(match[1]) == "unrecognized arguments: --no-such-option"


def test_most_programs_are_documented():
    assert len(PROGRAMS) > 15
    assert len(TARGETS) > 15
