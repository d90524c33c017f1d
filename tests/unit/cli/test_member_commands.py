"""The commands for members: help, text and JSON output, exit codes, one-line errors."""

import json
import re
import shutil
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from aeron_cluster.cli import main as cli
from aeron_cluster.cli.main import main
from aeron_cluster.cli.members import upstream_text
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent
from aeron_cluster.cluster.state.recording_log import Entry, EntryType, RecordingLog
from aeron_cluster.cluster.tools.recovery import ModuleSnapshot
from aeron_cluster.codecs.cluster import ServiceTerminationPosition, SessionMessageHeader, Timer
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles
from tests.conftest import ROOT

COMMANDS = sorted(cli._MEMBER_COMMANDS)
# Commands that only read files, and commands that need a running member.
FILES = ["describe", "pid", "errors", "recording-log", "recovery-plan", "status"]
LIVE = ["list-members", "is-leader", "snapshot", "suspend", "resume", "shutdown", "abort"]
ENTRY_TYPE = 44  # the offset of the type in the first entry of a recording log


def run(*arguments, code=0, **more):
    done = CliRunner().invoke(main, [str(each) for each in arguments], **more)
    assert done.exit_code == code, f"{arguments}: {done.exit_code}, expected {code}\n{done.output}"
    assert "Traceback" not in done.output
    return done


def run_json(*arguments, **more):
    return json.loads(run(*arguments, "--json", **more).stdout)


@pytest.fixture
def directory(tmp_path):
    """Write the files of a stopped member: mark files, a term and a snapshot."""
    cluster = tmp_path / "cluster"
    cluster.mkdir()
    with RecordingLog(SystemFiles(), str(cluster)) as log:
        log.append_term(1, 0, 0, 1000)
        log.append_snapshot(3, 0, 0, 1024, 1001, 0)
        log.append_snapshot(2, 0, 0, 1024, 1001, -1)
    for content in (
        MarkFileContent(
            component_type=ClusterComponentType.CONSENSUS_MODULE,
            member_id=4,
            aeron_directory=str(tmp_path / "driver"),
        ),
        MarkFileContent(component_type=ClusterComponentType.CONTAINER, service_id=0),
    ):
        with ClusterMarkFile.claim(
            SystemFiles(), str(cluster), content, clock=SystemClock()
        ) as mark:
            mark.signal_ready()
            mark.record_error(ValueError("of the test"), 1_700_000_000_000)
    return cluster


# ---- help and usage errors ----


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command):
    result = run(command, "--help").stdout
    assert f"aeron-cluster {command} " in result
    assert len(re.findall(rf"(?m)^  {command}\s", run("--help").stdout)) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_a_missing_directory_is_reported_in_one_line(command, tmp_path):
    arguments = [command, tmp_path / "nowhere"]
    code = 3
    if command == "tool":
        arguments, code = [*arguments, "pid"], 255
    result = run(*arguments, code=code)
    assert "nowhere" in result.output
    assert len(result.output.splitlines()) == 1


@pytest.mark.parametrize("command", [*FILES, *LIVE])
def test_an_unused_directory_is_reported(command, tmp_path):
    result = run(command, tmp_path, code=3).output
    assert "is this the cluster directory of a member that ran?" in result


@pytest.mark.parametrize("command", ["describe", "pid", "errors", "status", *LIVE])
def test_a_mark_file_of_another_component_is_reported_with_its_place(command, directory):
    (directory / "cluster-mark.dat").write_bytes(b"#!/bin/sh\n" * 100)
    assert "cluster-mark.dat at 0" in run(*command.split(), directory, code=4).output


@pytest.mark.parametrize(
    "command",
    [
        "recording-log",
        "recovery-plan",
        "describe-latest-cm-snapshot",
        "sort-recording-log",
        "invalidate-latest-snapshot --yes",
        "seed-recording-log-from-snapshot",
        "status",
    ],
)
def test_a_damaged_recording_log_is_reported_with_its_place(command, directory):
    log = directory / "recording.log"
    data = log.read_bytes()
    log.write_bytes(data[:ENTRY_TYPE] + b"\x09" + data[ENTRY_TYPE + 1 :])
    assert f"recording.log at {ENTRY_TYPE}" in run(*command.split(), directory, code=4).output


@pytest.mark.parametrize("command", LIVE)
def test_a_stopped_member_is_reported(command, directory):
    result = run(command, directory, code=3).output
    assert "the member's driver is not running" in result


def test_an_invalid_time_is_a_usage_error(directory):
    assert "--timeout" in run("pid", directory, "--timeout", "soon", code=2).output
    for delay in ("later", "9" * 5000):
        assert "DELAY" in run("backup-query", directory, delay, code=2).output
    assert run("recovery-plan", directory, "many", code=2)


def test_typed_time_needs_a_unit(directory):
    """Aeron's own variable is in nanoseconds without a unit, as its properties are."""
    for arguments in (("snapshot", directory, "--timeout", "5"), ("backup-query", directory, "30")):
        reported = run(*arguments, code=2).output
        assert "expected a time with its unit, such as 10s or 500ms" in reported
    assert "time" not in run("pid", directory, "--timeout", "0").output
    assert run("pid", directory, env={"AERON_CLUSTER_TOOL_TIMEOUT": "5"})


def test_the_directory_comes_from_the_environment(directory):
    result = run("pid", env={"AERON_CLUSTER_DIR": str(directory)})
    assert result.stdout.strip().isdecimal()


# ---- output ----


def test_prints_text(directory):
    assert "consensus module" in run("describe", directory).stdout
    assert "1 distinct errors observed" in run("errors", directory).stdout
    assert "of the test" in run("errors", directory).stdout
    listed = run("recording-log", directory).stdout
    assert "snapshot" in listed
    assert "service 0" in listed
    result = run("status", directory, code=3).stdout
    assert "closed" in result
    assert "at 1,024 in term 0" in result
    assert re.search(
        r"allocated to \d+ files [\d.]+ \w+ long, [\d.]+ \w+ free on its file system", result
    )


def test_prints_json(directory):
    module, container = run_json("describe", directory)["components"]
    assert module["header"]["member_id"] == 4
    assert container["presence"] == "CLOSED"
    entries = run_json("recording-log", directory)["entries"]
    assert [each["recording_id"] for each in entries] == [1, 3, 2]
    logs = run_json("errors", directory)["logs"]
    assert [len(each["errors"]) for each in logs] == [1, 0, 1]
    status = run_json("status", directory, code=3)
    assert status["failures"] == []
    (found,) = status["members"]
    assert (found["member_id"], found["live"]) == (4, None)
    assert found["errors"][0]["observation_count"] == 1
    assert set(found["disk"][0]) == {"path", "file_count", "length", "allocated", "usable"}


def test_shows_several_members_beside_each_other(directory, tmp_path):
    status = run_json("status", directory, tmp_path / "nowhere", directory.parent, code=3)
    assert len(status["members"]) == 2
    assert "nowhere" in status["failures"][0]["error"]
    (directory / "recording.log").write_bytes(b"\x09" * 64)
    assert run("status", directory, tmp_path / "nowhere", code=4)


@pytest.mark.parametrize("options", [("--json",), ()], ids=["for programs", "into a pipe"])
def test_watches_until_it_is_interrupted(directory, options):
    command = [sys.executable, "-m", "aeron_cluster.cli", "status", str(directory)]
    command += ["--watch", "--interval", "0.1", *options]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as watching:
        for _ in range(3):
            if options:
                assert json.loads(watching.stdout.readline())["members"][0]["member_id"] == 4
            else:
                assert any(line.startswith("member 4: ") for line in watching.stdout)
        watching.send_signal(signal.SIGINT)
        _, output = watching.communicate(timeout=300)
    assert (watching.returncode, output) == (3, "")  # the member is not running


def test_a_snapshot_without_its_recording_is_reported(directory):
    result = run("describe-latest-cm-snapshot", directory, code=3).output
    assert "--archive-dir" in result
    result = run("recovery-plan", directory, "--archive-dir", directory, code=3).output
    assert "archive.catalog" in result


def test_sorts_and_invalidates_the_recording_log(directory):
    assert run_json("sort-recording-log", directory, code=1) == {"is_changed": False}
    text = run("sort-recording-log", directory, code=1).output
    assert text == "the recording log is already in order\n"
    verb = ("invalidate-latest-snapshot", directory)
    assert "is marked as invalid" in run(*verb, "--dry-run").output
    assert "Give --yes" in run(*verb, code=1).output
    assert run_json(*verb, "--yes") == {"log_position": 1024}
    assert run_json(*verb, "--yes", code=1) == {"log_position": None}
    assert "no valid snapshot" in run("describe-latest-cm-snapshot", directory, code=1).output


def test_recovery_plan_of_a_member_without_a_past_is_empty(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)):
        pass
    assert run("recovery-plan", tmp_path).stdout == "no snapshot\nno log\n"
    assert run_json("recovery-plan", tmp_path)["plan"]["log"] is None


def test_unsorted_recording_log_is_sorted_once(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        log.append_term(1, 2, 2000, 300)
        log.append_term(1, 1, 1000, 100)
    assert run("sort-recording-log", tmp_path).output == ""
    with RecordingLog(SystemFiles(), str(tmp_path), writable=False) as log:
        assert [each.leadership_term_id for each in log.entries] == [1, 2]
    run("sort-recording-log", tmp_path, code=1)


def test_shows_a_seeds_result_and_writes_it_on_confirmation(directory):
    log = directory / "recording.log"
    whole = log.read_bytes()
    result = run("seed-recording-log-from-snapshot", directory, code=2).output
    assert "these stay" in result
    assert "--yes" in result
    assert log.read_bytes() == whole
    entries = run_json("seed-recording-log-from-snapshot", directory, "--yes")["entries"]
    assert [(each["recording_id"], each["log_position"]) for each in entries] == [(3, 0), (2, 0)]
    assert (directory / "recording.log.bak").read_bytes() == whole


# ---- upstream's wording ----


def test_the_tool_lists_its_verbs():
    for arguments in ([], ["nowhere"]):
        assert (
            "Usage: <cluster-dir> <command> [options]" in run("tool", *arguments, code=255).stdout
        )


def test_the_tool_reports_a_missing_mark_file(tmp_path):
    for verb, code in (("describe", 0), ("errors", 0), ("list-members", 255), ("snapshot", 255)):
        result = run("tool", tmp_path, verb, code=code).stdout
        assert result.startswith("cluster-mark.dat does not exist.")


def test_the_tool_fails_in_a_line(directory):
    result = run("tool", directory, "is-leader", code=255)
    assert result.stderr.startswith("ERR: ")
    assert len(result.output.splitlines()) == 1
    run("tool", directory, "recovery-plan", code=255)
    run("tool", directory, "recovery-plan", "9" * 5000, code=255)
    shutil.rmtree(directory)
    run("tool", directory, "recording-log", code=255)


@pytest.mark.parametrize("arguments", [["tool"], ["seed-recording-log-from-snapshot", "--yes"]])
def test_seeds_from_the_latest_valid_snapshot_and_retains_the_old_log(tmp_path, arguments):
    """ClusterToolTest: entries in any order; an earlier copy is overwritten."""
    (tmp_path / "recording.log.bak").write_bytes(b"\x01\x80\x00")
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        log.append_term(1, 0, 0, 0)
        log.append_snapshot(1, 3, 4000, 4000, 600, 2)  # of an incomplete set
        log.append_term(1, 3, 3000, 500)
        for service_id in (2, 1, 0, -1):
            log.append_snapshot(10 + service_id, 2, 2000, 2200, 400, service_id)
        log.append_term(1, 2, 2000, 300)
        for service_id in (-1, 0, 1):
            log.append_snapshot(20 + service_id, 1, 1000, 1800, 200, service_id)
        log.append_term(1, 1, 1000, 100)
        assert log.invalidate_latest_snapshot()
    whole = (tmp_path / "recording.log").read_bytes()
    command, *rest = arguments
    if command == "tool":
        run("tool", tmp_path, "seed-recording-log-from-snapshot")
    else:
        run(command, tmp_path, *rest)
    with RecordingLog(SystemFiles(), str(tmp_path), writable=False) as log:
        seed = log.entries
    assert [(each.recording_id, each.service_id) for each in seed] == [(21, 1), (20, 0), (19, -1)]
    assert {(each.leadership_term_id, each.timestamp) for each in seed} == {(1, 200)}
    assert {(each.term_base_log_position, each.log_position) for each in seed} == {(0, 0)}
    assert all(each.is_valid for each in seed)
    assert (tmp_path / "recording.log.bak").read_bytes() == whole


def test_a_standby_snapshot_names_its_archive():
    entry = Entry(1, 2, 3, 4, 5, -1, EntryType.STANDBY_SNAPSHOT, archive_endpoint="host:8010")
    assert "type=STANDBY_SNAPSHOT, isValid=true, entryIndex=-1, archiveEndpoint=host:8010}" in (
        upstream_text.recording_log([entry])
    )


def test_a_time_outside_the_calendar_is_printed_as_a_number(directory):
    mark = directory / "cluster-mark.dat"
    data = bytearray(mark.read_bytes())
    data[16:24] = (2**63 - 1).to_bytes(8, "little")
    mark.write_bytes(data)
    assert str(2**63 - 1) in run("describe", directory).stdout
    assert f"activity: {2**63 - 1})" in run("tool", directory, "describe").stdout


def test_the_tool_shows_errors_and_the_missing_driver(directory):
    text = run("tool", directory, "errors").stdout
    assert text.count("1 observations from ") == 2  # of the module and of the container
    assert re.search(
        r"\n1 observations from (2023-11-1\d \d\d:\d\d:20\.000[+-]\d{4}) to \1 for:\n"
        r"[^\n]*of the test",
        text,
    )
    assert text.count("1 distinct errors observed.") == 2
    after = text.partition(f"error log (directory: {directory.parent / 'driver'}):\n")[2]
    assert "the member's driver is not running" in after.splitlines()[0]


def test_pending_messages_of_a_snapshot_are_listed_and_unknown_records_are_not():
    header = SessionMessageHeader.encode(
        leadership_term_id=1, cluster_session_id=-(2**63) + 5, timestamp=0
    )
    unknown = bytearray(header)
    unknown[2:4] = (999).to_bytes(2, "little")  # the template id
    event = ServiceTerminationPosition.encode(log_position=1)  # of no snapshot
    timer = Timer.encode(correlation_id=7, deadline=9)
    messages = (header + b"payload", bytes(unknown), event, timer)
    snapshot = ModuleSnapshot(
        entry=Entry(21, 1, 0, 1024, 200, -1, EntryType.SNAPSHOT),
        state=None,
        messages=tuple((each, 128) for each in messages),
        length=4096,
        term_buffer_length=65536,
    )
    assert list(upstream_text.module_snapshot(snapshot, 3)) == [
        f"Pending Message: length={len(header) + 7} clusterSessionId={-(2**63) + 5}",
        "Timer: correlationId=7 deadline=9",
        "Consensus Module Snapshot End: memberId=3 recordingId=21 length=4096",
    ]
