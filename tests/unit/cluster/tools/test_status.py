"""A member's status, from its files and counters; no member answers here."""

import re
import struct
from dataclasses import replace

import pytest

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.backup.counters import BackupState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.tools import status
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory, Presence
from aeron_cluster.cluster.tools.status import read_status
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.errors import CorruptError, MissingFileError
from aeron_cluster.memory.system.seams import Seams, SystemClock, SystemFiles

LOG_RECORDING = 5
LOG_SESSION = 77
ROLES = {200: ConsensusModuleState.ACTIVE, 201: Role.LEADER, 202: ControlToggle.NEUTRAL}
ELECTION = {207: ElectionState.CLOSED, 238: 2, 239: 4}


class LateClock(SystemClock):
    """A clock that reads the mark files three seconds later."""

    def epoch_ms(self):
        return super().epoch_ms() + 3_000


def status_of(member, **options):
    return read_status(
        ClusterDirectory(str(member.directory)), **{"query_members": False, **options}
    )


def write_log(member):
    with RecordingLog(SystemFiles(), str(member.directory)) as log:
        log.append_term(LOG_RECORDING, 0, 0, 1000)
        for position in (1024, 2048):
            log.append_snapshot(position + 1, 0, 0, position, 1001, 0)
            log.append_snapshot(position, 0, 0, position, 1001, -1)
        log.invalidate_latest_snapshot()
        log.append_term(LOG_RECORDING, 4, 4096, 1002)


@pytest.fixture
def leader(member, driver):
    """Create the counters of a leader with a session and a service."""
    assert driver.aeron_dir == str(member.aeron_dir)
    write_log(member)
    member.mark()
    member.service(0)
    for type_id, value in (ROLES | ELECTION | {203: 5000, 205: 1, 212: 6, 213: 7}).items():
        member.count(type_id, value)
    member.count(215, 8, key=struct.pack("<i", 0))
    about = "name=a version=1 sourceIdentity=localhost:1 sessionId=2"
    label = f"cluster-session: {about} - clusterId=0"
    member.count(241, 9, key=struct.pack("<q", 9), label=label)
    member.count(200, 6, cluster_id=1)  # of another cluster on the same driver
    key = struct.pack("<qii", LOG_RECORDING, LOG_SESSION, 0)
    member.aeron.add_counter(100, "rec-pos", key).set(5120)
    for session, position, alias in (
        (LOG_SESSION, 4992, "log-sc-0"),
        (LOG_SESSION, 1, "log"),
        (78, 2, "log-sc-0"),
    ):
        key = struct.pack("<qii", 1, session, 100)
        text = f"sub-pos: 1 {session} 100 aeron-spy:aeron:udp?alias={alias}"
        member.aeron.add_counter(4, text, key).set(position)
    return member


def test_shows_a_running_leader(leader):
    found = status_of(leader)
    live = found.live
    assert found.problems == (
        "the archive's directory is not known: give it with --archive-dir to see its disk use",
    )
    assert (live.state, live.role, live.election_state) == (
        ConsensusModuleState.ACTIVE,
        Role.LEADER,
        ElectionState.CLOSED,
    )
    assert live.is_leader
    assert (live.leadership_term_id, live.election_count) == (4, 2)
    assert (live.commit_position, live.append_position, live.lag) == (5000, 5120, 120)
    assert (live.error_count, live.snapshot_count, live.timed_out_clients) == (6, 1, 7)
    (session,) = live.sessions
    assert session.cluster_session_id == 9
    assert session.about == "name=a version=1 sourceIdentity=localhost:1 sessionId=2"
    (service,) = found.services
    assert (service.log_position, service.lag, service.error_count) == (4992, 8, 8)
    assert service.presence == "RUNNING"
    assert live.membership is None
    assert found.member_id == 3


def test_shows_when_the_next_snapshot_is_due_and_where_the_log_begins(leader):
    live = status_of(leader).live
    assert (live.next_snapshot_ms, live.log_start_position) == (-1, -1)
    leader.count(1202, 1_700_000_000_000)
    leader.count(1203, 65536)
    live = status_of(leader).live
    assert (live.next_snapshot_ms, live.log_start_position) == (1_700_000_000_000, 65536)


def test_shows_when_the_leader_was_last_active(leader):
    live = status_of(leader).live
    assert (live.leader_activity_ms, live.leader_heartbeat_timeout_ns) == (-1, -1)
    leader.count(1204, 1_700_000_000_000, key=struct.pack("<q", 7_000_000_000))
    live = status_of(leader).live
    assert (live.leader_activity_ms, live.leader_heartbeat_timeout_ns) == (
        1_700_000_000_000,
        7_000_000_000,
    )


def test_a_leader_in_an_election_is_not_yet_leader(leader):
    leader.counters[207].set(ElectionState.LEADER_READY)
    assert not status_of(leader).live.is_leader


def test_unresponsive_member_is_reported_with_everything_else(leader):
    found = status_of(leader, query_members=True)
    assert found.live.membership is None
    assert any("nothing connected to its control channel" in each for each in found.problems)


def test_silent_member_is_not_queried(leader, monkeypatch):
    directory = ClusterDirectory(str(leader.directory), Seams(clock=LateClock()))
    monkeypatch.setattr(status, "query_membership", None)
    found = read_status(directory)
    assert found.live.membership is None
    assert any(
        re.fullmatch(r"member 3 has been silent for [2-9]\.\d s: it was not queried .*", each)
        for each in found.problems
    )


def test_times_are_relative_to_the_time_of_the_reading(leader):
    leader.count(1204, 1_000, key=struct.pack("<q", 7_000_000_000))
    found = status_of(leader)
    seen_ms = found.component.header.activity_timestamp
    leader.counters[1204].set(seen_ms - 500)
    found = status_of(leader)
    for silent_ms, is_silent in ((0, False), (1_999, False), (2_000, True)):
        later = replace(found, read_ms=seen_ms + silent_ms)
        assert (later.inactive_s, later.is_silent) == (silent_ms / 1000, is_silent)
        assert later.leader_inactive_s == (0 if is_silent else (silent_ms + 500) / 1000)


def test_counters_of_a_newer_version_are_a_problem_but_no_failure(leader):
    leader.counters[207].set(99)
    found = status_of(leader)
    assert found.live is None
    assert any("ElectionState 99" in each for each in found.problems)
    assert found.recorded is not None


def test_a_driver_without_a_module_is_a_problem(member, driver):
    assert driver.aeron_dir == str(member.aeron_dir)
    member.mark()
    found = status_of(member)
    assert found.live is None
    assert any("no counters of a consensus module" in each for each in found.problems)
    assert found.recorded is None


def test_member_with_a_dead_driver_is_a_problem(member):
    member.mark()
    found = status_of(member)
    assert found.live is None
    assert any("driver is not running" in each for each in found.problems)


def test_shows_the_files_of_a_stopped_member(member):
    write_log(member)
    mark = member.mark()
    mark.record_error(ValueError("earlier"), 1000)
    member.service(0).record_error(ValueError("later"), 2000)
    for each in member.marks:
        each.close()
    found = status_of(member)
    assert found.component.presence is Presence.CLOSED
    assert found.live is None
    assert [(of, error.last_observation_ms) for of, error in found.errors] == [
        ("service 0", 2000),
        ("consensus module", 1000),
    ]
    recorded = found.recorded
    assert (recorded.log_recording_id, recorded.term_count, recorded.last_term_id) == (5, 2, 4)
    assert [(one.log_position, one.is_valid) for one in recorded.snapshots] == [
        (2048, False),
        (1024, True),
    ]
    assert recorded.snapshots[1].recording_ids == (1024, 1025)


def test_shows_the_disk_use_of_the_directories(member, tmp_path):
    archive = tmp_path / "archive"
    archive.mkdir()
    (archive / "archive.catalog").write_bytes(bytes(100))
    (archive / "0-0.rec").write_bytes(bytes(1000))
    deep = archive / "deeper"
    deep.mkdir()
    (deep / "kept").write_bytes(bytes(10))
    (deep / "circle").symlink_to(archive)
    member.mark().close()
    cluster, of_archive = status_of(member).disk
    assert (cluster.path, cluster.file_count) == (str(member.directory), 1)
    assert of_archive.path == str(archive)
    assert of_archive.length >= 1110
    assert of_archive.usable > 0
    assert status_of(member, archive_dir=str(deep)).disk[1].path == str(deep)


def test_shows_a_running_backup(member, driver):
    assert driver.aeron_dir == str(member.aeron_dir)
    member.mark(ClusterComponentType.BACKUP, member_id=-1)
    found = status_of(member)
    assert (found.live, found.backup) == (None, None)
    assert any("no counters of a backup" in each for each in found.problems)
    for type_id, value in {208: 5, 209: 4096, 210: 1_700_000_000_000, 211: 1, 240: 2}.items():
        member.count(type_id, value)
    found = status_of(member)
    assert found.live is None
    assert found.backup.state is BackupState.BACKING_UP
    assert (found.backup.live_log_position, found.backup.next_query_ms) == (4096, 1_700_000_000_000)
    assert (found.backup.error_count, found.backup.snapshots_retrieved) == (1, 2)
    member.counters[208].set(99)
    assert any("BackupState 99" in each for each in status_of(member).problems)


def test_an_unreadable_directory_is_a_problem(member, tmp_path):
    member.mark().close()
    found = status_of(member, archive_dir=str(tmp_path / "nowhere"))
    assert [each.path for each in found.disk] == [str(member.directory)]
    assert any("nowhere" in each for each in found.problems)


def test_damaged_files_are_rejected(member):
    with pytest.raises(MissingFileError):
        status_of(member)
    member.mark().close()
    (member.directory / "recording.log").write_bytes(b"\x7f" * 64)
    with pytest.raises(CorruptError, match=r"recording\.log"):
        status_of(member)


def test_the_disk_use_of_sparse_files_is_reported_beside_their_length(member):
    write_log(member)
    member.mark()
    before = status_of(member).disk[0]
    with (member.directory / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    after = status_of(member).disk[0]
    assert after.path == str(member.directory)
    assert after.file_count == before.file_count + 1
    assert after.length == before.length + (1 << 30)
    assert 0 < after.allocated < before.allocated + (1 << 20)
    assert after.usable > 0
