"""Confirmation on a terminal before irreversible changes; `stat` finds the only driver."""

import sys

import click
import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.cli.members import recording_log
from aeron_cluster.cli.options import driver as driver_options
from aeron_cluster.cli.options.member import as_json, confirm, confirm_change, format_size
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.system.seams import SystemFiles


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


def test_change_is_confirmed_on_a_terminal_and_never_in_a_dry_run(terminal):
    assert not confirm_change(False, True, "All is removed.")
    assert confirm_change(True, False, "All is removed.")
    assert terminal == []
    assert confirm_change(False, False, "All is removed.")
    assert terminal == [("All is removed. Continue?", True)]


@pytest.mark.parametrize("has_snapshot", [True, False])
def test_seeding_a_log_shows_what_stays_and_asks(terminal, tmp_path, capsys, has_snapshot):
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        log.append_term(1, 0, 0, 1000)
        if has_snapshot:
            for service_id in (0, -1):
                log.append_snapshot(3 + service_id, 0, 0, 1024, 1001, service_id)
    recording_log._confirm(ClusterDirectory(str(tmp_path)))
    assert terminal == [("Continue?", True)]
    _, _, stays = capsys.readouterr().out.partition(
        "these stay, at position 0" if has_snapshot else "none stay"
    )
    assert stays.count("snapshot") == (2 if has_snapshot else 0)
    assert stays.startswith("\n")


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


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1 << 10, "1.0 KiB"),
        (1 << 30, "1.0 GiB"),
        (3 << 39, "1.5 TiB"),
        (5000 << 40, "5000.0 TiB"),
    ],
)
def test_sizes_have_their_unit(length, text):
    assert format_size(length) == text


def test_bytes_are_hexadecimal_in_json():
    assert as_json({"payload": (b"\xff\x00", b"")}) == {"payload": ["ff00", ""]}
