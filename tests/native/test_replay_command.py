"""``aeron-cluster replay``, ``check`` and ``divergence`` on recorded logs and members' files."""

import json
import re
import shutil
import struct

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.cluster.service.divergence_guard import DivergenceGuard
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.memory.system.seams import SystemFiles
from benchmarks.native.build import build_service
from tests.unit.cluster.recorded_log import TERM_ID, RecordedLog, message, opened, term

NUMBER = struct.Struct("<q")
SUM = ("--service", "divergent:Sum")

SERVICES = '''
import struct, time
from aeron_cluster.cluster.service.clustered_service import ClusteredService

NAMES = ["ask", "bid", "fill", "cancel", "amend", "reject", "halt", "open"]


class Sum(ClusteredService):
    sum = 0

    def on_session_message(self, session, timestamp, message, header):
        self.sum += struct.unpack_from("<q", message)[0]
        session.offer(struct.pack("<q", self.sum))

    def on_take_snapshot(self, publication):
        publication.offer(struct.pack("<q", self.sum))

    def on_start(self, cluster, image):
        def read(message, header):
            (self.sum,) = struct.unpack_from("<q", message)

        while image is not None and not image.is_end_of_stream:
            image.poll(read, 10)


class Clock(Sum):
    def on_session_message(self, session, timestamp, message, header):
        if struct.unpack_from("<q", message)[0] == 7:
            self.sum += int(time.time())
        super().on_session_message(session, timestamp, message, header)


class Names(Sum):
    """Iterates over a set of strings once."""

    def on_session_message(self, session, timestamp, message, header):
        if struct.unpack_from("<q", message)[0] == 7:
            for name in set(NAMES):
                session.offer(name.encode())
        super().on_session_message(session, timestamp, message, header)


class Timers(Sum):
    """Schedules a number of timers once, which depends on the hash of a string."""

    def on_start(self, cluster, image):
        self.cluster = cluster

    def on_session_message(self, session, timestamp, message, header):
        if struct.unpack_from("<q", message)[0] == 19:
            for index in range(hash("ask") & 0xFF):
                self.cluster.schedule_timer(index, timestamp + 1_000)


class Failing(Sum):
    def on_session_message(self, session, timestamp, message, header):
        if struct.unpack_from("<q", message)[0] == 7:
            raise ValueError("of the test")
        super().on_session_message(session, timestamp, message, header)
'''


@pytest.fixture
def member(tmp_path, monkeypatch):
    """Return a member's log in ``node``, with a module of services in the same folder."""
    (tmp_path / "divergent.py").write_text(SERVICES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "divergent", raising=False)
    log = RecordedLog(
        tmp_path / "node" / "archive",
        [term(), opened(1), *(message(1, NUMBER.pack(index)) for index in range(20))],
    )
    (tmp_path / "node" / "cluster").mkdir()
    with RecordingLog(SystemFiles(), str(tmp_path / "node" / "cluster")) as recording_log:
        recording_log.append_term(0, TERM_ID, 0, 1)
    return log


def invoke(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments])


def test_describes_a_services_effects(member):
    done = invoke("replay", "node", "--service", "divergent:Sum", "--effects", "all", "--json")
    assert done.exit_code == 0, done.output
    summary = json.loads(done.output)
    assert summary["position"] == member.positions[-1]
    assert summary["effects"] == 20
    with open("all", encoding="utf-8") as file:  # noqa: PTH123 - in the working directory
        effects = [json.loads(line) for line in file]
    assert [each["position"] for each in effects] == member.positions[2:]
    assert effects[3] == {
        "position": member.positions[5],
        "timestamp": 1_000_000,
        "effect": "egress",
        "id": 1,
        "value": 0,
        "length": 8,
        "payload": NUMBER.pack(6).hex(),
        "hash": effects[3]["hash"],
    }
    assert effects[-1]["hash"] == summary["hash"]


def test_recovers_from_the_state_it_wrote(member):
    middle = member.positions[11]
    done = invoke(
        *("replay", "node", "--service", "divergent:Sum", "--until", middle),
        *("--snapshot", "state"),
    )
    assert done.exit_code == 0, done.output
    assert f"log 0 to {middle}: 10 effects" in done.output
    done = invoke(
        *("replay", "--archive-dir", "node/archive", "--recording", 0, "--service"),
        *("divergent:Sum", "--from-snapshot", "state", "--effects", "-"),
    )
    assert done.exit_code == 0, done.output
    last = json.loads(done.stdout.splitlines()[-1])
    assert last["payload"] == NUMBER.pack(sum(range(20))).hex()


def test_a_deterministic_service_passes(member):
    done = invoke("check", "node", "--service", "divergent:Sum")
    assert done.exit_code == 0, done.output
    assert f"deterministic over log 0 to {member.positions[-1]}: 20 effects" in done.output


def test_a_clock_is_named_with_its_position(member):
    done = invoke("check", "node", "--service", "divergent:Clock")
    assert done.exit_code == 1, done.output
    assert "time.time (clock) in on_session_message" in done.output
    assert f"at log position {member.positions[2 + 7]}" in done.output


def test_an_order_by_hashes_is_named_with_its_position(member):
    done = invoke("check", "node", "--service", "divergent:Names")
    assert done.exit_code == 1, done.output
    assert f"different at log position {member.positions[2 + 7]}" in done.output
    assert "PYTHONHASHSEED=1: egress 1 at" in done.output


def test_run_with_fewer_effects_has_nothing_more_beside_the_others_timer(member):
    done = invoke("check", "node", "--service", "divergent:Timers")
    assert done.exit_code == 1, done.output
    position = member.positions[-1]
    assert f"different at log position {position}" in done.output
    timer, nothing = sorted(
        (line.partition(": ")[2] for line in done.output.splitlines()[1:]), reverse=True
    )
    assert nothing == "nothing more"
    assert re.fullmatch(rf"schedule timer \d+ at {position}, 1001000", timer)


@pytest.mark.parametrize("options", [(), ("--continue",)])
def test_a_failed_callback_is_reported_at_its_position(member, options):
    done = invoke("replay", "node", "--service", "divergent:Failing", *options)
    assert done.exit_code == 1, done.output
    assert "ValueError: of the test" in done.stderr
    assert str(member.positions[2 + 7]) in done.stderr
    # The other messages have their effects.
    end = f"log 0 to {member.positions[-1]}: 20 effects"
    assert (end in done.stdout) == bool(options)


def test_purged_log_is_replayed_from_its_latest_snapshot(tmp_path, monkeypatch):
    (tmp_path / "divergent.py").write_text(SERVICES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "divergent", raising=False)
    RecordedLog(tmp_path / "archive", [term()], start=4096)
    done = invoke("replay", "--archive-dir", "archive", "--recording", 0, *SUM)
    assert done.exit_code == 3, done.output
    assert "expected snapshot latest, found none" in done.stderr


def test_members_with_different_intervals_are_no_record_of_one_service(member, tmp_path):
    del member
    for member_id, interval in enumerate((64, 128)):
        ran(tmp_path / f"other{member_id}" / "cluster", member_id, 1, interval=interval)
    done = invoke("replay", "node", *SUM, "--against", "other0", "--against", "other1")
    assert done.exit_code == 2, done.output
    assert "members with one interval" in done.stderr
    assert "member 0 64, member 1 128" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (("replay", "node", "--archive-dir", "node/archive", *SUM), 2, "found both"),
        (("replay", "--archive-dir", "node/archive", *SUM), 2, "expected --cluster-dir or"),
        (
            ("replay", "node", *SUM, "--from-snapshot", "node/archive/0-0.rec"),
            4,
            "node/archive/0-0.rec at 0: first message",
        ),
        (("replay", "node", "--service", "divergent:None"), 2, "did you mean"),
        (("replay", "--service", "divergent:Sum"), 2, "expected a node's DIR"),
        (("replay", "elsewhere", "--service", "divergent:Sum"), 3, "elsewhere"),
        (("check", "elsewhere", "--service", "divergent:Sum"), 3, "elsewhere"),
        (
            ("replay", "node", "--service", "divergent:Sum", "--from-snapshot", "5"),
            3,
            "expected snapshot 5, found none",
        ),
        (
            ("replay", "node", "--service", "divergent:Sum", "--from-snapshot", "divergent.py"),
            4,
            "divergent.py at 0",
        ),
        (("divergence", "node"), 2, "at least two"),
        (("divergence", "node", "elsewhere"), 3, "expected divergence-"),
    ],
)
def test_an_impossible_request_is_reported(member, arguments, code, text):
    del member
    done = invoke(*arguments)
    assert done.exit_code == code, done.output
    assert text in done.output


def ran(directory, member_id, failures, *, interval=64, begin=0):
    """Write the record of a member's effects, with some failed callbacks."""
    directory.mkdir(parents=True)
    guard = DivergenceGuard.open(SystemFiles(), directory / "divergence-0.dat", interval=interval)
    guard.begin(begin)
    guard.set_member_id(member_id)
    for _ in range(failures):
        guard.note_failure(3, 1)
    guard.mark_snapshot(4)
    guard.close()


def test_members_are_compared(tmp_path):
    for member_id in range(3):
        ran(tmp_path / f"node{member_id}" / "cluster", member_id, 1)
    nodes = [tmp_path / f"node{member_id}" for member_id in range(3)]
    done = invoke("divergence", *nodes)
    assert done.exit_code == 0, done.output
    assert "equal at 1 positions" in done.output
    shutil.rmtree(nodes[1])
    ran(nodes[1] / "cluster", 1, 2)
    done = invoke("divergence", *nodes, "--json")
    assert done.exit_code == 1, done.output
    found = json.loads(done.output)
    assert found["difference"]["diverged"] == ["member 1"]
    assert found["difference"]["leadership_term_id"] == 4
    done = invoke("divergence", *nodes)
    assert "DIFFERENT" in done.output
    assert "member 1 diverged" in done.output


def test_copies_of_one_member_are_named_by_their_directories(tmp_path):
    ran(tmp_path / "node0" / "cluster", 0, 1)
    shutil.copytree(tmp_path / "node0", tmp_path / "copy")
    done = invoke("divergence", tmp_path / "node0", tmp_path / "copy")
    assert done.exit_code == 0, done.output
    head = f"service 0, effects of member 0, member 0 in {tmp_path / 'copy'}: "
    assert done.output == f"{head}equal at 1 positions from 0 to 0\n"


def test_members_without_a_common_position_cannot_be_compared(tmp_path):
    for member_id, position in enumerate((0, 4096)):
        ran(tmp_path / f"node{member_id}" / "cluster", member_id, 1, begin=position)
    done = invoke("divergence", tmp_path / "node0", tmp_path / "node1")
    assert done.exit_code == 3, done.output
    assert "no position at which two of them can be compared" in done.output


def test_snapshots_are_compared_byte_by_byte(member, tmp_path):
    shutil.copytree(tmp_path / "node", tmp_path / "twin")
    for name in ("node", "twin"):
        with RecordingLog(SystemFiles(), str(tmp_path / name / "cluster")) as recording_log:
            recording_log.append_snapshot(0, TERM_ID, 0, member.positions[-1], 1, 0)
            recording_log.append_snapshot(0, TERM_ID, 0, member.positions[-1], 1, -1)
    done = invoke("divergence", "--snapshots", "node", "twin")
    assert done.exit_code == 0, done.output
    assert "snapshots of node, twin: equal at 1 positions" in done.output
    with (tmp_path / "twin" / "archive" / "0-0.rec").open("r+b") as file:
        file.seek(member.positions[4] - 32)
        file.write(b"\xff")
    done = invoke("divergence", "--snapshots", "node", "twin")
    assert done.exit_code == 1, done.output
    assert f"between log positions 0 and {member.positions[-1]} (term {TERM_ID})" in done.output


def test_a_node_cannot_watch_a_native_service(tmp_path, shm_dir):
    library = build_service("echo_service", tmp_path)
    done = invoke(
        *("node", "--service", f"{library}:echo_service", "--check-determinism"),
        *("--dir", tmp_path / "data", "--aeron-dir", shm_dir / "driver"),
    )
    assert done.exit_code == 2, done.output
    assert "check_determinism: expected a service in Python" in done.output
    assert not (tmp_path / "data").exists()
