"""The printed command runs wherever the package is installed."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from aeron_cluster.cli import invocation
from tests.conftest import ROOT


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """Return an environment's program folder, with an interpreter and an empty path."""
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


def test_installed_command_on_the_path_is_named_by_its_name(environment, monkeypatch):
    install(environment)
    monkeypatch.setenv("PATH", str(environment))
    assert invocation.command_line("node", "--dir", "my data") == (
        "aeron-cluster node --dir 'my data'"
    )


def test_installed_command_outside_of_the_path_is_named_by_its_path(environment):
    install(environment)
    assert invocation.command_line("demo") == "environment/bin/aeron-cluster demo"


@pytest.mark.usefixtures("environment")
def test_another_installation_on_the_path_is_not_named(tmp_path):
    install(tmp_path / "elsewhere")
    assert invocation.command_line("demo") == "environment/bin/python -m aeron_cluster.cli demo"


def test_directory_outside_of_the_current_one_is_named_from_the_root(
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
