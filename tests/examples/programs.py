"""Runs an example as its docstring states."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from examples.single_node import PORTS
from tests.conftest import ROOT

FOLDER = ROOT / "examples"
TIMEOUT_S = 240


def sources() -> list[Path]:
    """Return the modules that are programs."""
    found = sorted(FOLDER.rglob("*.py"))
    return [each for each in found if '\nif __name__ == "__main__":\n' in each.read_text()]


def module_of(source: Path) -> str:
    """Return the name by which Python runs a source."""
    return ".".join(source.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")


def lines_of(source: Path) -> list[str]:
    """Return the lines of a docstring that run its example with a node of its own."""
    docstring = source.read_text().split('"""')[1]
    lines = re.findall(rf"^    (python -m {module_of(source)}\b.*)$", docstring, re.MULTILINE)
    return [each for each in lines if "localhost:" not in each]


def command_of(line: str, places: Mapping[str, str]) -> list[str]:
    """Return the command of a line, with this Python, and with some words replaced."""
    name, *words = shlex.split(line)
    assert name == "python"
    return [sys.executable, *(places.get(word, word) for word in words)]


def environment(port_base: int) -> dict[str, str]:
    """Return the environment of an example whose ports begin there."""
    return {**os.environ, PORTS: str(port_base)}


def run(line: str, port_base: int, places: Mapping[str, str] = {}) -> str:
    """Run a line, and return what it printed."""
    done = subprocess.run(
        command_of(line, places),
        check=False,
        cwd=ROOT,
        env=environment(port_base),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def started(line: str, port_base: int) -> Iterator[subprocess.Popen[str]]:
    """Start a line, and end it by SIGTERM."""
    with subprocess.Popen(
        command_of(line, {}),
        cwd=ROOT,
        env=environment(port_base),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
