"""Decisions of a backup about a response: pure functions over local state and offered snapshots."""

import pytest

from aeron_cluster.cluster.backup.source import (
    first_replay_position,
    is_acceptable,
    missing_snapshots,
    new_terms,
)
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.cluster import BackupResponse
from aeron_cluster.memory.system.seams import SystemFiles


def snapshot(position, service_id, term_id=3):
    return BackupResponse.Snapshots(
        recording_id=50 + service_id,
        leadership_term_id=term_id,
        term_base_log_position=0,
        log_position=position,
        timestamp=1,
        service_id=service_id,
    )


def response(term_id=3, base=640, last_term_id=None, last_base=None):
    return BackupResponse(
        correlation_id=1,
        log_recording_id=9,
        log_leadership_term_id=term_id,
        log_term_base_log_position=base,
        last_leadership_term_id=term_id if last_term_id is None else last_term_id,
        last_term_base_log_position=base if last_base is None else last_base,
        commit_position_counter_id=4,
        leader_member_id=0,
        member_id=0,
        snapshots=[],
        cluster_members="",
    )


@pytest.fixture
def log(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("source_type", "leader", "member", "is_taken"),
    [
        ("ANY", 0, 0, True),
        ("ANY", 0, 1, True),
        ("ANY", -1, 1, True),
        ("LEADER", 0, 0, True),
        ("LEADER", 0, 1, False),
        ("LEADER", -1, 1, False),
        ("FOLLOWER", 0, 0, False),
        ("FOLLOWER", 0, 1, True),
        ("FOLLOWER", -1, 1, True),
    ],
)
def test_acceptable_sources_of_the_log(source_type, leader, member, is_taken):
    # "LEADER needs member = leader; FOLLOWER needs unknown leader or member not leader"
    assert is_acceptable(source_type, leader, member) is is_taken


def test_a_new_backup_needs_every_snapshot(log):
    offered = [snapshot(1024, 0), snapshot(1024, -1)]
    assert missing_snapshots(log.entries, offered) == offered


def test_existing_snapshot_is_skipped(log):
    # "Snapshots whose position equals the local latest of that service id are skipped."
    log.append_term(7, 3, 0, -1)
    log.append_snapshot(20, 3, 0, 1024, 1, -1)
    log.append_snapshot(21, 3, 0, 1024, 1, 0)
    assert missing_snapshots(log.entries, [snapshot(1024, 0), snapshot(1024, -1)]) == []
    newer = [snapshot(2048, 0), snapshot(2048, -1)]
    assert missing_snapshots(log.entries, newer) == newer


def test_invalidated_snapshot_is_fetched_again(log):
    log.append_term(7, 3, 0, -1)
    log.append_snapshot(21, 3, 0, 1024, 1, 0)
    log.append_snapshot(20, 3, 0, 1024, 1, -1)
    log.invalidate_latest_snapshot()
    offered = [snapshot(1024, 0), snapshot(1024, -1)]
    assert missing_snapshots(log.entries, offered) == offered


def test_the_log_of_a_new_backup_begins_at_the_given_position():
    snapshots = [snapshot(1024, 0), snapshot(1024, -1)]
    assert first_replay_position("BEGINNING", snapshots) == -1
    assert first_replay_position("LATEST_SNAPSHOT", snapshots) == 1024
    assert first_replay_position("LATEST_SNAPSHOT", []) == -1


def test_the_term_precedes_the_snapshots_of_it_or_of_a_later_one(log):
    # "TERM written before the snapshots only if unknown and not above the snapshot's term; the
    # last TERM after them if unknown."
    assert new_terms(log.entries, response(), [snapshot(1024, -1)]) == ([(3, 640)], [])


def test_the_term_follows_the_snapshots_of_earlier_ones(log):
    earlier = [snapshot(512, -1, term_id=2)]
    assert new_terms(log.entries, response(), earlier) == ([], [(3, 640)])
    assert new_terms(log.entries, response(), []) == ([], [(3, 640)])


def test_known_term_is_not_appended(log):
    log.append_term(7, 3, 640, -1)
    assert new_terms(log.entries, response(), [snapshot(1024, -1)]) == ([], [])
    last = response(last_term_id=5, last_base=4096)
    assert new_terms(log.entries, last, []) == ([], [(5, 4096)])
