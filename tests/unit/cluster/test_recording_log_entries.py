"""Recording log entries in any order: sorted, distinguished, found and invalidated."""

import pytest

from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.errors import StateError
from aeron_cluster.memory.system.seams import SystemFiles

MODULE = -1
ENDPOINT = "remotehost.aeron.io:20002"


@pytest.fixture
def log(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as opened:
        yield opened


def read(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path), writable=False) as opened:
        return opened.entries


def entry_of(log, index):
    return next(each for each in log.entries if each.entry_index == index)


def snapshot(log, term_id, position, *, first, base=0, services=(0, MODULE), endpoint=None):
    for recording_id, service_id in enumerate(services, first):
        log.append_snapshot(recording_id, term_id, base, position, 1000, service_id, endpoint)


def test_entries_are_sorted_by_term_base_kind_and_service(log, tmp_path):
    log.append_term(0, 0, 0, 0)
    log.append_term(0, 1, 100, 10)
    for service_id in (1, MODULE, 0):
        log.append_snapshot(0, 1, 111, 222, 12, service_id)
    log.append_term(0, 3, 500, 30)
    log.append_term(0, 2, 1_000_000, 1_000_000)
    log.invalidate(entry_of(log, 1))
    log.invalidate(entry_of(log, 6))
    log.append_term(0, 2, 400, 20)
    log.append_term(0, 1, 90, 9)
    assert log.invalidate_latest_snapshot()
    for term_id, base, position, timestamp, service_id in (
        (2, 400, 1400, 200, MODULE),
        (2, 400, 1400, 200, 1),
        (1, 0, 777, 42, 2),
        (2, 400, 1400, 200, 0),
    ):
        log.append_snapshot(0, term_id, base, position, timestamp, service_id)
    log.invalidate(entry_of(log, 10))
    for service_id in (MODULE, 1, 0):
        log.append_snapshot(0, 2, 400, 1400, 200, service_id, ENDPOINT)
    indexes = [each.entry_index for each in log.entries]
    assert indexes == [0, 11, 8, 1, 2, 4, 3, 7, 14, 15, 13, 10, 12, 9, 6, 5]
    assert [each.entry_index for each in log.entries if not each.is_valid] == [1, 2, 4, 3, 10, 6]
    assert read(tmp_path) == log.entries


def test_a_term_out_of_order_ends_where_the_next_begins(log, tmp_path):
    for term_id, base in ((0, 0), (2, 2048), (3, 5000), (1, 700)):
        log.append_term(0, term_id, base, 0)
    assert [
        (each.leadership_term_id, each.log_position, each.entry_index) for each in log.entries
    ] == [(0, 700, 0), (1, 2048, 3), (2, 5000, 1), (3, -1, 2)]
    assert [log.get_term(each) for each in range(4)] == list(log.entries)
    assert read(tmp_path) == log.entries


def test_an_entry_without_a_recording_is_ignored(log):
    with pytest.raises(StateError, match="recordingId=-1"):
        log.append_term(-1, 0, 0, 0)
    with pytest.raises(StateError, match="recordingId=-1"):
        log.append_snapshot(-1, 0, 0, 0, 0, 0)
    assert log.entries == ()


def test_a_snapshot_of_an_unknown_term_cannot_be_invalidated(log):
    snapshot(log, 1, 777, first=10)
    before = log.entries
    with pytest.raises(StateError, match="unknown leadershipTermId=1"):
        log.invalidate_latest_snapshot()
    assert log.entries == before


@pytest.mark.parametrize(
    ("term_id", "base", "position", "service_id"),
    [(2, 500, 999, MODULE), (1, 501, 999, MODULE), (1, 500, 998, MODULE), (1, 500, 999, 42)],
    ids=["term", "base", "position", "service"],
)
def test_a_snapshot_of_another_position_leaves_invalid_ones_invalid(
    log, term_id, base, position, service_id
):
    log.append_term(10, 0, 0, 0)
    log.append_term(10, 1, 500, 0)
    for at, first in ((777, 0), (888, 2), (999, 4)):
        snapshot(log, 1, at, first=first, base=500)
    log.append_term(10, 2, 1000, 5)
    assert log.invalidate_latest_snapshot()
    added = log.append_snapshot(6, term_id, base, position, 0, service_id)
    assert added.entry_index == 9
    invalid = [each.recording_id for each in log.entries if not each.is_valid]
    assert invalid == [4, 5]


def test_the_latest_snapshots_here_and_at_a_standby_are_invalidated_together(log):
    for term_id in range(1, 5):
        log.append_term(1, term_id, 0, 1000)
    snapshot(log, 1, 1000, first=1)
    snapshot(log, 2, 2000, first=3, base=1000, endpoint=ENDPOINT)
    snapshot(log, 3, 3000, first=5, base=2000)
    snapshot(log, 4, 4000, first=7, base=1000, endpoint=ENDPOINT)
    snapshot(log, 4, 4000, first=9, base=2000)
    found = []
    for _ in range(4):
        assert log.invalidate_latest_snapshot()
        found.append([e.recording_id for e in log.entries if e.is_valid and e.service_id == 0])
    assert found == [[1, 3, 5], [1, 3], [1], []]
    assert not log.invalidate_latest_snapshot()


def test_an_earlier_snapshot_of_a_standby_stays_when_the_latest_is_invalidated(log):
    log.append_term(1, 0, 0, 1000)
    snapshot(log, 0, 1000, first=2)
    snapshot(log, 0, 2000, first=4)
    snapshot(log, 0, 800, first=15, endpoint=ENDPOINT)
    before = log.find_latest_standby_snapshots(1)
    assert [each.recording_id for each in log.find_latest_snapshots(1)] == [5, 4]
    assert log.invalidate_latest_snapshot()
    assert [each.recording_id for each in log.find_latest_snapshots(1)] == [3, 2]
    assert log.find_latest_standby_snapshots(1) == before


def test_a_standby_snapshot_is_not_recovered_from(log):
    snapshot(log, 1, 1000, first=1)
    snapshot(log, 2, 2000, first=3, endpoint=ENDPOINT)
    assert [each.log_position for each in log.find_latest_snapshots(1)] == [1000, 1000]


def test_entries_of_the_longest_endpoints_are_read_across_pages(log, tmp_path):
    endpoint = "a" * 3078 + "x"
    snapshot(log, 2, 2000, first=1, base=1000, services=(1, 0, MODULE), endpoint=endpoint)
    log.append_term(4, 3, 10_000, 2000)
    snapshot(log, 4, 22_222, first=5, base=20_000)
    found = {each.recording_id: (each.entry_type, each.archive_endpoint) for each in read(tmp_path)}
    assert found == {
        **dict.fromkeys((1, 2, 3), (EntryType.STANDBY_SNAPSHOT, endpoint)),
        4: (EntryType.TERM, ""),
        **dict.fromkeys((5, 6), (EntryType.SNAPSHOT, "")),
    }
