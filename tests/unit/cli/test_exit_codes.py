"""Exit codes of all commands: each code has one meaning."""

import errno
import os
import re
import socket

import pytest
from click.testing import CliRunner

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.cli import main as cli
from aeron_cluster.cli.exit_codes import ExitCode, end_code, fail, fail_at_end
from aeron_cluster.cli.main import main
from aeron_cluster.cli.processes import parts
from aeron_cluster.cluster.backup import BackupState, ClusterBackup
from aeron_cluster.cluster.module.consensus_module import ConsensusModule
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import (
    ArchiveError,
    ClusterError,
    CorruptError,
    DamagedLogError,
    DirectoryInUseError,
    InsufficientSpaceError,
    LogMismatchError,
    SnapshotError,
)
from tests.conftest import IN_SOURCE_TREE, ROOT

SERVICE = ("--service", "aeron_cluster.cli.accounts:Accounts")
PLACE = {"member_id": 0, "leadership_term_id": 1, "log_position": 64, "remedy": "restore"}
MEMBER = dict.fromkeys(sorted(cli._MEMBER_COMMANDS), ("{place}",))
# two commands wait for a missing input
NOTHING_TO_MISS = {"demo", "doctor", "metrics", "new", "page", "sim"}
JAVAS = {"tool"}  # exits with the code of Java's tool

# ``{place}`` is what the command needs, ``{new}`` a directory for its output.
NEEDS = {
    **MEMBER,
    "archive": ("--dir", "{new}", "--properties", "{place}"),
    "backlog": ("--dir", "{place}"),
    "backup": ("--of", "localhost:1", "--dir", "{new}", "--credentials", "{place}"),
    "check": ("--archive-dir", "{place}", "--recording", "0", *SERVICE),
    "container": ("--dir", "{new}", "--aeron-dir", "{place}", *SERVICE),
    "divergence": ("{place}", "{place}"),
    "driver": ("--dir", "{new}", "--properties", "{place}"),
    "events": ("{place}",),
    "local": ("--dir", "{new}", *SERVICE, "--properties", "{place}"),
    "log": ("{place}",),
    "latency": ("{place}",),
    "live": ("{place}",),
    "loss": ("--dir", "{place}"),
    "module": ("--dir", "{new}", "--aeron-dir", "{place}"),
    "node": ("--dir", "{new}", *SERVICE, "--users", "{place}"),
    "pipeline": ("audit", "{place}"),
    "ready": ("{place}",),
    "replay": ("--archive-dir", "{place}", "--recording", "0", *SERVICE),
    "restore": ("{place}", "--dir", "{new}"),
    "send": ("--to", "localhost:1", "text", "--credentials", "{place}"),
    "shell": ("--to", "localhost:1", "--credentials", "{place}"),
    "stat": ("--dir", "{place}"),
    "streams": ("--dir", "{place}"),
    "users": ("list", "--file", "{place}"),
}
CREDENTIALS = ("backup", "send", "shell")
# They create their mark file before they connect to the driver, as Java's do.
CREATES_FIRST = ("container", "module")
FILES = (*CREDENTIALS, "archive", "driver", "local", "log", "node", "users")


def run(command, place, tmp_path):
    arguments = [each.format(place=place, new=tmp_path / "new") for each in NEEDS[command]]
    return CliRunner().invoke(main, [command, *arguments])


def damage(command, place):
    """Create the required file or directory with invalid content."""
    if command in FILES:
        place.write_bytes(b"\xff\xfe\n" if command not in CREDENTIALS else b"\n")
        place.chmod(0o600)
        return
    for folder in (place, place / "cluster", place / "archive"):
        folder.mkdir()
        for name in (
            *("cnc.dat", "cluster-mark.dat", "recording.log", "archive.catalog"),
            *("archive-mark.dat", "divergence-0.dat", "loss-report.dat"),
            *("cluster-latency.dat", "driver-events.dat"),
        ):
            (folder / name).write_bytes(b"#!/bin/sh\n" * 500)


def test_every_command_is_checked():
    assert set(NEEDS) == set(main.list_commands(None)) - NOTHING_TO_MISS


@pytest.mark.parametrize("command", sorted(set(main.list_commands(None)) - JAVAS))
def test_a_usage_error_ends_with_2(command):
    result = CliRunner().invoke(main, [command, "--no-such-option"])
    assert result.exit_code == ExitCode.USAGE, result.output


@pytest.mark.parametrize("command", sorted(set(NEEDS) - JAVAS))
def test_a_missing_input_ends_with_3(command, tmp_path):
    result = run(command, tmp_path / "nowhere", tmp_path)
    assert result.exit_code == ExitCode.NOT_REACHABLE, result.output
    assert "nowhere" in result.output
    assert command in CREATES_FIRST or not (tmp_path / "new").exists()


@pytest.mark.parametrize("command", sorted(set(NEEDS) - JAVAS))
def test_damage_ends_with_4(command, tmp_path):
    place = tmp_path / "place"
    damage(command, place)
    result = run(command, place, tmp_path)
    assert result.exit_code == ExitCode.DAMAGED, result.output
    assert str(place) in result.output
    assert command in CREATES_FIRST or not (tmp_path / "new").exists()


LINK = "aeron:udp?endpoint=localhost:0"


@pytest.mark.parametrize(
    "arguments",
    [
        ("node", *SERVICE, "--dir", "{place}"),
        ("node", *SERVICE, "--dir", "{new}", "--aeron-dir", "{place}"),
        ("driver", "--dir", "{place}"),
        ("archive", "--dir", "{place}", "--control-channel", LINK, "--replication-channel", LINK),
        ("backup", "--of", "localhost:1", "--dir", "{place}", "--port-base", "0"),
        ("local", "1", *SERVICE, "--plain", "--dir", "{place}"),
    ],
    ids=lambda words: " ".join(words[:1]),
)
def test_a_directory_that_cannot_be_created_ends_with_3_and_the_remedy(
    arguments, tmp_path, shm_dir
):
    (tmp_path / "file").write_text("")
    places = {"place": tmp_path / "file" / "below", "new": tmp_path / "new"}
    done = CliRunner().invoke(
        main,
        [each.format(**places) for each in arguments],
        env={"AERON_DIR": str(shm_dir / "driver")},
    )
    assert done.exit_code == ExitCode.NOT_REACHABLE, done.output
    option = arguments[arguments.index("{place}") - 1]
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {places['place']}")
    assert line.endswith(f"name a directory that can be created and written ({option})")


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (
            (
                *("archive", "--dir", "{new}", "--replication-channel", LINK),
                *("--control-channel", "aeron:udp?endpoint=127.0.0.1:{port}"),
            ),
            "--control-channel",
        ),
        (
            (
                *("backup", "--of", "localhost:1", "--dir", "{new}"),
                *("--host", "127.0.0.1", "--port-base", "{port}"),
            ),
            "--port-base",
        ),
        (
            (
                *("backup", "--of", "localhost:1", "--dir", "{new}"),
                *("--host", "127.0.0.1", "--port-base", "{base}"),
            ),
            "--port-base",
        ),
        (
            (
                *("backup", "--of", "localhost:1", "--dir", "{new}"),
                *("--host", "127.0.0.1", "--port-base", "{before}"),
            ),
            "--port-base",
        ),
        (
            ("node", *SERVICE, "--dir", "{new}", "--host", "127.0.0.1", "--port-base", "{base}"),
            "--port-base",
        ),
    ],
    ids=["archive", "backup", "backup's answers", "backup's log", "node"],
)
def test_a_port_in_use_ends_with_3_and_the_remedy(arguments, option, tmp_path, shm_dir):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        places = {"new": tmp_path / "new", "port": port, "base": port - 1, "before": port - 2}
        words = [each.format(**places) for each in arguments]
        done = CliRunner().invoke(main, words, env={"AERON_DIR": str(shm_dir / "driver")})
    assert done.exit_code == ExitCode.NOT_REACHABLE, done.output
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: 127.0.0.1:{port}/udp (")
    assert " is in use: choose " in line
    assert option in line


def test_a_full_file_system_is_named_with_the_option(tmp_path, monkeypatch):
    place = str(tmp_path / "driver")

    def fails(**_keywords):
        raise InsufficientSpaceError(errno.ENOSPC, os.strerror(errno.ENOSPC), f"{place}/cnc.dat")

    monkeypatch.setattr(MediaDriver, "launch", fails)
    done = CliRunner().invoke(main, ["driver", "--dir", place])
    assert done.exit_code == ExitCode.NOT_REACHABLE
    assert done.stderr == (
        f"error: {place}/cnc.dat: no space left on device; make room, or name another directory"
        " (--dir)\n"
    )


@IN_SOURCE_TREE
def test_the_page_explains_each_code():
    page = (ROOT / "docs/operating.md").read_text()
    table = page.partition("## What commands end with")[2].partition("\n## ")[0]
    assert sorted(map(int, re.findall(r"(?m)^\| (\d+) \|", table))) == [0, *ExitCode]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (LogMismatchError("a leader has less", **PLACE), ExitCode.NO),
        (LogMismatchError("no such recording", **PLACE, is_damage=True), ExitCode.DAMAGED),
        (DamagedLogError("a frame", **PLACE), ExitCode.DAMAGED),
        (SnapshotError("a frame", **PLACE), ExitCode.DAMAGED),
        (CorruptError("a file", 0, "length", 1, 2), ExitCode.DAMAGED),
        (ArchiveError("no space", ArchiveErrorCode.STORAGE_SPACE), ExitCode.NOT_REACHABLE),
        (InsufficientSpaceError(errno.ENOSPC, "no space", "0.rec"), ExitCode.NOT_REACHABLE),
        (ArchiveError("unknown", ArchiveErrorCode.UNKNOWN_RECORDING), ExitCode.NO),
        (ClusterError("no"), ExitCode.NO),
    ],
)
def test_a_process_ends_with_the_code_of_the_cause(error, code):
    assert end_code(error) is code
    caused = ClusterError("ended")
    caused.__cause__ = error
    assert end_code(caused) is code


def test_a_process_that_ends_for_lack_of_space_names_the_remedy(capsys):
    error = ArchiveError("low storage in /data", ArchiveErrorCode.STORAGE_SPACE)
    with pytest.raises(SystemExit) as ended:
        fail_at_end("node", error)
    assert ended.value.code == ExitCode.NOT_REACHABLE
    assert capsys.readouterr().err == (
        "error: the node ended unexpectedly: low storage in /data (code 11): make room, and start"
        " it again\n"
    )


def test_remedy_for_a_directory_in_use_names_the_option(capsys):
    directories = {"--dir": "d0", "--aeron-dir": None}
    for path, remedy in (
        ("d0/archive/archive-mark.dat", "; stop it, or choose another --dir"),
        ("d01/archive/archive-mark.dat", ""),
    ):
        error = DirectoryInUseError(path, 8405, "last sign of life 813 ms ago")
        with pytest.raises(SystemExit) as ended:
            fail(error, directories=directories)
        assert ended.value.code == ExitCode.NOT_REACHABLE
        text = f"error: {path}: in use by process 8405: last sign of life 813 ms ago{remedy}\n"
        assert capsys.readouterr().err == text


class Running:
    """A component that has ended by itself."""

    failure = SnapshotError("its snapshot is damaged", **PLACE)
    state = BackupState.CLOSED
    live_log_position = -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def test_a_part_that_could_not_continue_ends_with_its_reason(capsys):
    with pytest.raises(SystemExit) as ended:
        parts._run(lambda _barrier: Running(), lambda _: "a service", "service", {})
    assert ended.value.code == ExitCode.DAMAGED
    assert "error: the service ended unexpectedly: member 0, term 1" in capsys.readouterr().err


def test_a_backup_that_could_not_continue_ends_with_its_reason(tmp_path, shm_dir, monkeypatch):
    def launch(*, termination_hook, **_):
        termination_hook()
        return Running()

    monkeypatch.setattr(ClusterBackup, "launch", launch)
    words = ["backup", "--of", "localhost:1", "--dir", str(tmp_path), "--port-base", "0"]
    done = CliRunner().invoke(main, words, env={"AERON_DIR": str(shm_dir / "driver")})
    assert done.exit_code == ExitCode.DAMAGED, done.output
    assert "error: the backup ended unexpectedly: member 0, term 1" in done.stderr


@pytest.mark.parametrize("failover", ["fast", "default"])
def test_module_of_a_fast_failover_has_short_timeouts(monkeypatch, failover):
    given = {}

    def launch(**options):
        given.update(options)
        raise ClusterError("no driver")

    monkeypatch.setattr(ConsensusModule, "launch", launch)
    done = CliRunner().invoke(main, ["module", "--failover", failover])
    assert done.exit_code == ExitCode.NOT_REACHABLE, done.output
    assert ("leader_heartbeat_timeout_ns" in given) is (failover == "fast")


def test_native_service_of_a_container_that_cannot_start_is_closed(monkeypatch):
    class Native:
        is_closed = False

        def close(self):
            self.is_closed = True

    def launch(**options):
        assert options["service"] is service
        raise ClusterError("no driver")

    service = Native()
    monkeypatch.setattr(parts, "NativeService", Native)
    monkeypatch.setattr(parts, "load_service", lambda *_: service)
    monkeypatch.setattr(ClusteredServiceContainer, "launch", launch)
    done = CliRunner().invoke(main, ["container", "--service", "./libkv.so"])
    assert done.exit_code == ExitCode.NOT_REACHABLE, done.output
    assert service.is_closed
