"""Recording logs: sorting, seeding from a snapshot, invalidating the latest snapshot."""

import pytest

from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.cluster.tools.recording_log_edit import (
    find_seed,
    invalidate_latest_snapshot,
    seed_recording_log_from_snapshot,
    sort_recording_log,
)
from aeron_cluster.errors import CorruptError, DirectoryInUseError, MissingFileError
from aeron_cluster.memory.system.seams import SystemFiles

ENTRY = 64


@pytest.fixture
def directory(member):
    return ClusterDirectory(str(member.directory))


@pytest.fixture
def log(member):
    """Write two terms, the first with two snapshots of two services; the later one is invalid."""
    with RecordingLog(SystemFiles(), str(member.directory)) as opened:
        opened.append_term(1, 0, 0, 1000)
        for position, first in ((1024, 10), (2048, 20)):
            opened.append_snapshot(first, 0, 0, position, 1001, 1)
            opened.append_snapshot(first + 1, 0, 0, position, 1001, 0)
            opened.append_snapshot(first + 2, 0, 0, position, 1001, -1)
        opened.invalidate_latest_snapshot()
        opened.append_term(1, 1, 4096, 1002)
    return member.directory / "recording.log"


def entries(member):
    with RecordingLog(SystemFiles(), str(member.directory), writable=False) as opened:
        return [(each.recording_id, each.service_id, each.is_valid) for each in opened.entries]


def reverse(path):
    data = path.read_bytes()
    parts = [data[at : at + ENTRY] for at in range(0, len(data), ENTRY)]
    path.write_bytes(b"".join(reversed(parts)))


def test_sorts_entries_and_retains_invalid_ones(member, directory, log):
    in_order = log.read_bytes()
    assert not sort_recording_log(directory)
    before = entries(member)
    reverse(log)
    assert sort_recording_log(directory)
    # Entries with equal terms or snapshot positions have only one order.
    assert entries(member) == before
    assert log.read_bytes() == in_order
    assert not sort_recording_log(directory)
    assert [valid for _, _, valid in before].count(False) == 3


def test_empty_log_needs_no_sort(member, directory):
    with RecordingLog(SystemFiles(), str(member.directory)):
        pass
    assert not sort_recording_log(directory)
    assert (member.directory / "recording.log").read_bytes() == b""
    assert [each.name for each in member.directory.iterdir()] == ["recording.log"]


def test_a_missing_log_is_not_made_by_sorting(member, directory):
    with pytest.raises(MissingFileError, match=r"recording\.log"):
        sort_recording_log(directory)
    assert list(member.directory.iterdir()) == []


def test_leaves_the_latest_valid_snapshot_at_the_beginning_of_a_new_log(member, directory, log):
    whole = log.read_bytes()
    seed = seed_recording_log_from_snapshot(directory)
    assert entries(member) == [(10, 1, True), (11, 0, True), (12, -1, True)]
    assert [(each.term_base_log_position, each.log_position) for each in seed] == [(0, 0)] * 3
    assert [each.timestamp for each in seed] == [1001] * 3
    assert (member.directory / "recording.log.bak").read_bytes() == whole


def test_removes_a_log_without_a_valid_snapshot_and_retains_a_copy(member, directory, log):
    invalidate_latest_snapshot(directory)
    whole = log.read_bytes()
    assert seed_recording_log_from_snapshot(directory) == ()
    assert not log.exists()
    assert (member.directory / "recording.log.bak").read_bytes() == whole


@pytest.mark.usefixtures("log")
def test_a_seed_ends_where_the_set_of_services_does(member):
    with RecordingLog(SystemFiles(), str(member.directory)) as opened:
        opened.append_snapshot(31, 1, 4096, 8192, 1003, -1)  # its services were never written
        assert [each.recording_id for each in find_seed(opened.entries)] == [31]


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize("written", [1, 2])
def test_a_snapshot_that_was_interrupted_and_taken_again_is_seeded_whole(member, written):
    with RecordingLog(SystemFiles(), str(member.directory)) as opened:
        for recording_id, service_id in ((31, 1), (32, 0))[:written]:
            opened.append_snapshot(recording_id, 1, 4096, 8192, 1003, service_id)
        for recording_id, service_id in ((41, 1), (42, 0), (43, -1)):
            opened.append_snapshot(recording_id, 1, 4096, 8192, 1004, service_id)
        seed = find_seed(opened.entries)
        latest = opened.find_latest_snapshots(2)
    assert [each.recording_id for each in seed] == [41, 42, 43]
    assert sorted(each.recording_id for each in latest) == [41, 42, 43]


def test_invalidates_one_snapshot_after_the_other(member, directory, log):
    del log
    assert invalidate_latest_snapshot(directory) == 1024
    assert [valid for _, _, valid in entries(member)].count(True) == 2  # the terms
    assert invalidate_latest_snapshot(directory) is None


def test_a_running_members_log_is_not_rewritten(member, directory, log):
    member.mark()
    whole = log.read_bytes()
    for change in (sort_recording_log, seed_recording_log_from_snapshot):
        with pytest.raises(DirectoryInUseError):
            change(directory)
    assert log.read_bytes() == whole
    # One flag is changed in place, as the running member would do it.
    assert invalidate_latest_snapshot(directory) == 1024


@pytest.mark.parametrize(
    "change",
    [sort_recording_log, seed_recording_log_from_snapshot, invalidate_latest_snapshot],
)
def test_a_damaged_log_is_left_unchanged(member, directory, log, change):
    damaged = log.read_bytes()[:448] + b"\x7f" * ENTRY
    log.write_bytes(damaged)
    with pytest.raises(CorruptError, match=r"recording\.log at 492"):
        change(directory)
    assert log.read_bytes() == damaged
    assert sorted(each.name for each in member.directory.iterdir()) == ["recording.log"]
    log.unlink()
    with pytest.raises(MissingFileError, match=r"recording\.log"):
        change(directory)
