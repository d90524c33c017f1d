"""The command as printed runs, wherever the package is."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from aeron_cluster.cli import invocation
from tests.conftest import ROOT


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """Return an environment's folder of programs, with an interpreter and nothing on the path."""
    programs = tmp_path / "environment" / "bin"
    programs.mkdir(parents=True)
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    monkeypatch.chdir(tmp_path)
    return programs


def install(programs):
    programs.mkdir(parents=True, exist_ok=True)
    (programs / "aeron-cluster").write_text("#!/bin/sh\n")
    (programs / "aeron-cluster").chmod(0o755)


def test_an_installed_command_on_the_path_is_named_alone(environment, monkeypatch):
    install(environment)
    monkeypatch.setenv("PATH", str(environment))
    assert invocation.command_line("node", "--dir", "my data") == (
        "aeron-cluster node --dir 'my data'"
    )


def test_an_installed_command_off_the_path_is_named_by_its_place(environment):
    install(environment)
    assert invocation.command_line("demo") == "environment/bin/aeron-cluster demo"


@pytest.mark.usefixtures("environment")
def test_another_installation_on_the_path_is_not_named(tmp_path):
    install(tmp_path / "elsewhere")
    assert invocation.command_line("demo") == "environment/bin/python -m aeron_cluster.cli demo"


def test_a_place_that_is_not_below_the_current_directory_is_named_from_the_root(
    environment, tmp_path, monkeypatch
):
    (tmp_path / "beside").mkdir()
    monkeypatch.chdir(tmp_path / "beside")
    assert invocation.command_line("demo") == f"{environment}/python -m aeron_cluster.cli demo"


def test_the_printed_command_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    done = subprocess.run(
        shlex.split(invocation.command_line("--version")),
        check=True,
        capture_output=True,
        text=True,
        cwd=Path.cwd(),
    )
    assert done.stdout.startswith("aeron-cluster, version ")
