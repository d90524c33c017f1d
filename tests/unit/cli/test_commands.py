"""The commands: their help, text and JSON output, and exit codes."""

import json
import re
import stat
import tomllib
from importlib import metadata

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.cli.options.properties import read_properties
from aeron_cluster.cluster.security.users_file import parse_users
from aeron_cluster.config import default_aeron_dir
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.system.seams import SystemClock
from tests.conftest import IN_SOURCE_TREE, ROOT, VARIANT


@pytest.fixture
def driver_dir(shm_dir):
    directory = shm_dir / "driver"
    with MediaDriver.launch(aeron_dir=directory, threading_mode="INVOKER"):
        yield directory


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.mark.parametrize("command", [[], ["driver"], ["stat"], ["users"], ["users", "add"]])
def test_help_has_an_example(command):
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert "aeron-cluster " in result.output


def test_help_lists_every_command_with_its_description():
    listed = run("--help").output
    for name in ("driver", "stat"):
        assert f"  {name} " in listed


def test_unknown_command_is_a_usage_error():
    assert run("drvier").exit_code == 2


def test_stat_shows_the_counters(driver_dir):
    shown = run("stat", "--dir", driver_dir)
    assert shown.exit_code == 0
    assert "Bytes sent" in shown.output
    assert "Control protocol version" in shown.output


def test_stat_prints_json(driver_dir):
    shown = json.loads(run("stat", "--dir", driver_dir, "--json").output)
    labels = {each["id"]: each["label"] for each in shown["counters"]}
    assert labels[0] == "Bytes sent"
    assert shown["path"] == f"{driver_dir}/cnc.dat"


def test_stat_shows_one_kind(driver_dir):
    shown = json.loads(run("stat", "--dir", driver_dir, "--json", "--type", 11).output)
    assert shown["counters"] == []


@pytest.mark.parametrize("interval", ["-1", "nan", "inf", "soon"])
def test_stat_rejects_an_invalid_interval(driver_dir, interval):
    shown = run("stat", "--dir", driver_dir, "--watch", "--interval", interval)
    assert shown.exit_code == 2
    assert "--interval" in shown.output


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "0"])
def test_demo_rejects_invalid_seconds(tmp_path, seconds):
    shown = run("demo", "--dir", tmp_path / "demo", "--seconds", seconds)
    assert shown.exit_code == 2
    assert "--seconds" in shown.output
    assert not (tmp_path / "demo").exists()


@pytest.mark.parametrize("command", ["node", "backup", "driver", "demo"])
def test_signal_before_a_command_is_imported_ends_it_without_a_traceback(monkeypatch, command):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("aeron_cluster.cli.options.lazy_verbs.import_module", interrupted)
    result = run(command)
    assert result.exit_code == 130
    assert "Traceback" not in result.output


def test_stat_reports_a_missing_driver(shm_dir):
    shown = run("stat", "--dir", shm_dir / "nowhere")
    assert shown.exit_code == 3
    assert "nowhere" in shown.stderr.replace("\n", "")


def test_stat_rejects_a_damaged_file(shm_dir):
    (shm_dir / "cnc.dat").write_bytes(b"\xff" * 4096)
    shown = run("stat", "--dir", shm_dir)
    assert shown.exit_code == 4


def test_the_driver_rejects_an_invalid_option(shm_dir):
    for arguments in (
        ("-o", "aeron.mtu.length=1400"),
        ("-o", "aeron.mtu.lenght=1408"),
        ("-o", "aeron.mtu.length"),
        ("-o", f"aeron.driver.timeout={'9' * 5000}"),
        ("--threading", "many"),
    ):
        result = run("driver", "--dir", shm_dir / "driver", *arguments)
        assert result.exit_code == 2, result.output
    assert not (shm_dir / "driver").exists()


def test_driver_rejects_a_directory_in_use(driver_dir):
    result = run("driver", "--dir", driver_dir)
    assert result.exit_code == 3
    assert re.fullmatch(
        rf"error: {driver_dir}: in use by process \d+: its heartbeat is \d+ ms old; stop it, or"
        r" choose another --dir\n",
        result.stderr,
    )


def test_node_names_the_remedy_for_a_driver_directory_in_use(tmp_path, free_port):
    port_base = free_port(10)
    arguments = ("--service", "aeron_cluster.cli.accounts:Accounts", "--dir", tmp_path / "data")
    arguments += ("--port-base", port_base)
    with MediaDriver.launch(aeron_dir=f"{default_aeron_dir()}-node-{port_base}-0") as driver:
        for given, options in (
            ((), "--port-base or --aeron-dir"),
            (("--aeron-dir", driver.aeron_dir), "--aeron-dir"),
        ):
            result = run("node", *arguments, *given)
            assert result.exit_code == 3
            text = f"ms old; stop it, or choose another {options}\n"
            assert result.stderr.endswith(text), result.stderr


def test_backup_names_the_remedy_for_a_driver_directory_in_use(tmp_path, free_port):
    port_base = free_port(10)
    arguments = ("--of", "localhost:1", "--dir", tmp_path / "copy", "--port-base", port_base)
    with MediaDriver.launch(aeron_dir=f"{default_aeron_dir()}-backup-{port_base}") as driver:
        for given, options in (
            ((), "--port-base or --aeron-dir"),
            (("--aeron-dir", driver.aeron_dir), "--aeron-dir"),
        ):
            result = run("backup", *arguments, *given)
            assert result.exit_code == 3
            text = f"ms old; stop it, or choose another {options}\n"
            assert result.stderr.endswith(text), result.stderr


def test_a_typed_time_needs_a_unit_and_one_in_a_file_does_not(tmp_path):
    for name, unit in (("aeron.client.liveness.timeout", "ns"), ("aeron.driver.timeout", "ms")):
        result = run("driver", "--dir", tmp_path / "driver", "-o", f"{name}=10")
        assert result.exit_code == 2
        text = f"{name}: expected a time with its unit, such as 10s or 500ms, found '10' (in a file"
        found = " ".join(re.sub("[│╭╰╮╯─]", " ", result.stderr).split())
        assert f"{text} of properties that is a number of {unit})" in found
        file = tmp_path / "aeron.properties"
        file.write_text(f"{name}=10\n")
        assert read_properties([file], [f"{name}=0"]) == {name: "0"}
        assert read_properties([file], []) == {name: "10"}
    assert not (tmp_path / "driver").exists()


@pytest.mark.parametrize("command", [["driver", "--dir"], ["node", "--service", "a:B", "--dir"]])
def test_an_unknown_group_is_a_usage_error(command, shm_dir):
    result = run(*command, shm_dir / "place", "--group", "no such group")
    assert result.exit_code == 2
    assert "a group of this machine" in result.output
    assert not (shm_dir / "place").exists()


@IN_SOURCE_TREE
@pytest.mark.skipif(VARIANT != "release", reason="the package is in another folder")
def test_source_tree_without_an_installation_has_a_version(monkeypatch):
    def version(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    result = run("--version")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (result.exit_code, result.output) == (
        0,
        f"aeron-cluster, version {project['version']}\n",
    )


# ---- users ------------------------------------------------------------------------------------


def users(*arguments, typed=None):
    return CliRunner().invoke(main, ["users", *map(str, arguments)], input=typed)


def test_users_are_added_listed_and_removed(tmp_path):
    path = tmp_path / "users"
    added = users("add", "--file", path, "bob", typed="secret\nsecret\n")
    assert (added.exit_code, "bob: added" in added.output) == (0, True)
    assert users("add", "--file", path, "--stdin", "alice", typed="other\nignored\n").exit_code == 0
    assert path.stat().st_mode & 0o777 == 0o600
    listed = users("list", "--file", path)
    assert listed.output == "alice\nbob\n"
    assert json.loads(users("list", "--file", path, "--json").output) == {"users": ["alice", "bob"]}
    known = parse_users(str(path), path.read_bytes())
    assert known["bob"].matches(b"secret")
    assert known["alice"].matches(b"other")
    assert known["alice"].salt != known["bob"].salt
    changed = users("add", "--file", path, "bob", typed="new\nnew\n")
    assert "bob: password changed" in changed.output
    assert parse_users(str(path), path.read_bytes())["bob"].matches(b"new")
    assert users("remove", "--file", path, "bob").exit_code == 0
    assert users("list", "--file", path).output == "alice\n"
    for text in (added.output, changed.output, path.read_text()):
        assert "secret" not in text
        assert "new" not in text.replace("node", "")


def test_users_keeps_who_may_read_the_file(tmp_path):
    path = tmp_path / "users"
    assert users("add", "--file", path, "bob", typed="secret\nsecret\n").exit_code == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)
    assert users("add", "--file", path, "alice", typed="other\nother\n").exit_code == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert users("remove", "--file", path, "bob").exit_code == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_users_rejects_with_a_reason(tmp_path):
    path = tmp_path / "users"
    assert users("add", "--file", path, "a:b", typed="x\nx\n").exit_code == 2
    assert users("add", "--file", path, "--stdin", "alice", typed="\n").exit_code == 2
    assert users("add", "--file", path, "alice", typed="one\ntwo\n").exit_code != 0
    assert not path.exists()
    assert users("list", "--file", path).exit_code == 3
    path.write_text("")
    assert users("remove", "--file", path, "alice").exit_code == 1
    path.write_text("alice:secret\n")
    for arguments in (["list"], ["remove", "alice"], ["add", "bob"]):
        result = users(arguments[0], "--file", path, *arguments[1:], typed="x\nx\n")
        assert result.exit_code == 4
        assert f"{path} line 1: expected a hash" in result.output
        assert "secret" not in result.output
    assert path.read_text() == "alice:secret\n"


def test_a_node_rejects_an_invalid_file_of_users(tmp_path, monkeypatch):
    (tmp_path / "service_of_mine.py").write_text(
        "from aeron_cluster.cluster.service.clustered_service import ClusteredService\n"
        "class Mine(ClusteredService):\n    pass\n"
    )
    monkeypatch.chdir(tmp_path)
    for option in ("--users", "--policy"):
        result = run("node", "--service", "service_of_mine:Mine", option, "nowhere")
        assert result.exit_code == 3
        reported = " ".join(result.output.split())  # the console wraps lines
        assert f"{tmp_path}/nowhere: expected a file that can be read" in reported
    assert not (tmp_path / "aeron-cluster").exists()


def test_stat_names_the_running_drivers(driver_dir):
    place = driver_dir.parent / "aeron-of-a-node"
    place.symlink_to(driver_dir)
    try:
        shown = run("stat", "--dir", driver_dir.parent / "aeron-nobody")
    finally:
        place.unlink()
    assert shown.exit_code == 3
    assert f"there are drivers in {place}" in " ".join(shown.stderr.split())


def test_a_heartbeat_received_meanwhile_has_no_negative_age(driver_dir, monkeypatch):
    class Late:
        def epoch_ms(self):
            return SystemClock().epoch_ms() - 3_600_000  # before the start, on a slow machine too

    monkeypatch.setattr("aeron_cluster.cli.drivers.stat.SystemClock", Late)
    assert "heartbeat 0 ms ago" in run("stat", "--dir", driver_dir).output
