"""Confirmation on a terminal before irreversible changes; `stat` finds the only driver."""

import sys

import click
import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.cli.options import driver as driver_options
from aeron_cluster.cli.options.member import confirm
from aeron_cluster.driver.media_driver import MediaDriver


@pytest.fixture
def terminal(monkeypatch):
    """Make standard input a terminal and record the questions."""
    asked = []

    def ask(text, **options):
        asked.append((text, options["abort"]))

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(click, "confirm", ask)
    return asked


def test_terminal_is_prompted_unless_disabled(terminal):
    confirm(False, "All members end.")
    confirm(True, "All members end.")
    assert terminal == [("All members end. Continue?", True)]


@pytest.mark.parametrize("verb", ["shutdown", "abort", "invalidate-latest-snapshot"])
def test_each_destructive_verb_has_an_option_to_skip_the_question(verb):
    assert "--yes" in CliRunner().invoke(main, [verb, "--help"]).output


@pytest.fixture
def driver_dir(shm_dir, monkeypatch):
    monkeypatch.delenv("AERON_DIR", raising=False)
    monkeypatch.setattr(driver_options, "default_aeron_dir", lambda: str(shm_dir / "aeron-me"))
    directory = str(shm_dir / "aeron-node")
    with MediaDriver.launch(threading_mode="INVOKER", aeron_dir=directory):
        yield directory


def test_stat_chooses_the_only_running_driver(driver_dir, monkeypatch):
    monkeypatch.setattr(driver_options, "neighboring_drivers", lambda _: [driver_dir])
    done = CliRunner().invoke(main, ["stat", "--json"])
    assert done.exit_code == 0, done.output
    assert f'"path": "{driver_dir}/cnc.dat"' in done.output
    assert f"note: using the driver in {driver_dir}, the only one that is running" in done.output


def test_stat_ignores_a_closed_driver_in_the_default_directory(driver_dir, shm_dir, monkeypatch):
    with MediaDriver.launch(threading_mode="INVOKER", aeron_dir=str(shm_dir / "aeron-me")):
        pass
    assert (shm_dir / "aeron-me/cnc.dat").exists()
    monkeypatch.setattr(driver_options, "neighboring_drivers", lambda _: [driver_dir])
    done = CliRunner().invoke(main, ["stat", "--json"])
    assert f'"path": "{driver_dir}/cnc.dat"' in done.output, done.output


def test_stat_lists_several_drivers_and_chooses_none(driver_dir, monkeypatch):
    monkeypatch.setattr(driver_options, "neighboring_drivers", lambda _: [driver_dir, "/other"])
    done = CliRunner().invoke(main, ["stat"])
    assert done.exit_code == 3
    assert f"{driver_dir}, /other" in done.output
