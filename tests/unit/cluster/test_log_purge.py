"""Checks for removable log while snapshots are being taken, and with an archive that fails."""

import errno
from types import SimpleNamespace

import pytest

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.cluster.snapshots import log_purge
from aeron_cluster.cluster.snapshots.log_purge import LogPurge
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.archive import PurgeRecordingRequest, PurgeSegmentsRequest
from aeron_cluster.errors import (
    AgentTerminationError,
    ArchiveError,
    ClusterError,
    InsufficientSpaceError,
)
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.cluster.doubles import create_with_doubles

SEGMENT = 1 << 16
STEP_NS = 10_000_000
HOUR_NS = 3600 * 1_000_000_000
LOG_RECORDING = 0
SNAPSHOT_STREAM = 106


class Rig:
    """A member with a log and snapshots; its archive answers one step later."""

    def __init__(self, recording_log, monkeypatch):
        self.recording_log = recording_log
        self.recording_count = 1
        self.on_question = lambda: None
        self.purged_to = []
        self.purged_recordings = []
        self.failures = {}  # of requests to the archive, by their kind
        self.errors = []
        self.missing = set()
        self.foreign = set()  # recordings of another stream
        recording_log.append_term(0, 0, 0, 1)
        monkeypatch.setattr(log_purge, "list_recording", self._list)
        monkeypatch.setattr(log_purge, "list_recordings", self._list_all)
        monkeypatch.setattr(log_purge, "send_request", self._send_request)
        self._parts = SimpleNamespace(
            recording_log=recording_log,
            recording=SimpleNamespace(recording_id=0),
            archive=None,
            context=SimpleNamespace(
                options=SimpleNamespace(service_count=1, snapshot_stream_id=SNAPSHOT_STREAM),
                error_handler=self.errors.append,
            ),
            counters=SimpleNamespace(commit_position=SimpleNamespace(get=lambda: 40 * SEGMENT)),
        )
        self.restart()

    def restart(self):
        self.purge = create_with_doubles(
            LogPurge,
            self._parts,
            kept=2,
            peer_snapshots=SimpleNamespace(query_all=self._query_all),
            counter=SimpleNamespace(set=lambda _: None),
        )

    def take_snapshot(self, position):
        for service_id in (0, -1):
            self.recording_log.append_snapshot(
                self.recording_count, 0, 0, position, position, service_id
            )
            self.recording_count += 1

    def look(self, begin_ns=0):
        for step in range(100):
            self.purge.do_work(begin_ns + step * STEP_NS)

    def _list(self, archive, recording_id):
        del archive
        yield
        self.on_question()
        if recording_id in self.missing:
            return None
        return SimpleNamespace(
            recording_id=recording_id,
            start_position=0,
            term_buffer_length=SEGMENT,
            segment_file_length=SEGMENT,
        )

    def _list_all(self, archive, from_recording_id, record_count):
        del archive
        yield
        gone = {*self.missing, *self.purged_recordings}
        ids = [each for each in range(from_recording_id, self.recording_count) if each not in gone]
        return [
            SimpleNamespace(
                recording_id=each, stream_id=7 if each in self.foreign else SNAPSHOT_STREAM
            )
            for each in ids[:record_count]
        ]

    def _send_request(self, archive, kind, **values):
        del archive
        yield
        if (failure := self.failures.get(kind)) is not None:
            raise failure
        if kind is PurgeSegmentsRequest:
            self.purged_to.append(values["new_start_position"])
        else:
            self.purged_recordings.append(values["recording_id"])

    def _query_all(self):
        yield
        return {}


@pytest.fixture
def rig(tmp_path, monkeypatch):
    with RecordingLog(SystemFiles(), str(tmp_path)) as recording_log:
        yield Rig(recording_log, monkeypatch)


def test_a_snapshot_taken_during_a_check_does_not_end_it(rig):
    positions = iter([8 * SEGMENT])

    def take_one():
        for position in positions:
            rig.take_snapshot(position)

    rig.take_snapshot(2 * SEGMENT)
    rig.take_snapshot(5 * SEGMENT)
    rig.on_question = take_one
    rig.look()
    assert rig.purged_to == [5 * SEGMENT]
    assert not rig.errors


def test_a_snapshot_invalidated_during_a_check_does_not_count(rig):
    rig.take_snapshot(2 * SEGMENT)
    rig.take_snapshot(5 * SEGMENT)
    rig.on_question = rig.recording_log.invalidate_latest_snapshot
    rig.look()
    assert rig.purged_to == []
    assert not rig.errors


@pytest.mark.parametrize("missing", range(4))
def test_nothing_is_purged_while_a_snapshot_to_keep_is_not_in_the_archive(rig, missing):
    for position in (2 * SEGMENT, 5 * SEGMENT, 8 * SEGMENT):
        rig.take_snapshot(position)
    kept = [each.recording_id for each in rig.recording_log.entries[-4:]]
    rig.missing = {kept[missing]}
    before = rig.recording_log.entries
    rig.look()
    assert (rig.purged_to, rig.recording_log.entries) == ([], before)
    rig.missing.clear()  # the operator restored it
    rig.look(HOUR_NS)
    assert rig.purged_to == [5 * SEGMENT]
    assert [each.log_position for each in rig.recording_log.entries if each.is_valid_snapshot] == [
        5 * SEGMENT,
        5 * SEGMENT,
        8 * SEGMENT,
        8 * SEGMENT,
    ]
    assert not rig.errors


def take_snapshots(rig, *positions):
    for position in positions:
        rig.take_snapshot(position)


def test_the_recordings_of_dropped_snapshots_are_purged(rig):
    take_snapshots(rig, 2 * SEGMENT, 5 * SEGMENT, 8 * SEGMENT)
    rig.look()
    assert sorted(rig.purged_recordings) == [1, 2]


def test_recordings_of_a_standbys_archive_with_the_same_ids_do_not_count(rig):
    for position in (2 * SEGMENT, 5 * SEGMENT, 8 * SEGMENT):
        rig.take_snapshot(position)
    for service_id, recording_id in ((0, 1), (-1, 2)):
        rig.recording_log.append_snapshot(
            recording_id, 0, 0, 9 * SEGMENT, 9, service_id, "standby:9005"
        )
    rig.look()
    assert sorted(rig.purged_recordings) == [1, 2]


def test_a_snapshot_that_is_being_copied_is_purged_later(rig):
    busy = ArchiveError("active", ArchiveErrorCode.ACTIVE_RECORDING)
    take_snapshots(rig, 2 * SEGMENT, 5 * SEGMENT, 8 * SEGMENT)
    rig.failures[PurgeRecordingRequest] = busy
    rig.look()
    assert rig.purged_recordings == []
    # The log is purged meanwhile: nobody recovers from that snapshot any more.
    assert rig.purged_to == [5 * SEGMENT]
    rig.failures.clear()
    rig.look(HOUR_NS)
    assert sorted(rig.purged_recordings) == [1, 2]
    assert not rig.errors


@pytest.mark.parametrize("page", [1, 2, 1000])
def test_a_snapshot_that_a_killed_process_dropped_is_purged_by_the_next(rig, monkeypatch, page):
    monkeypatch.setattr(log_purge, "_RECORDINGS_A_PAGE", page)
    take_snapshots(rig, 2 * SEGMENT, 5 * SEGMENT, 8 * SEGMENT)
    rig.failures[PurgeRecordingRequest] = AgentTerminationError("killed")
    with pytest.raises(AgentTerminationError):
        rig.look()
    rig.failures.clear()
    rig.restart()
    rig.look(HOUR_NS)
    assert sorted(rig.purged_recordings) == [1, 2]
    take_snapshots(rig, 9 * SEGMENT)
    rig.look(2 * HOUR_NS)
    assert sorted(rig.purged_recordings) == [1, 2, 3, 4]
    assert not rig.errors


def test_another_recording_with_the_id_of_an_old_entry_is_not_purged(rig):
    take_snapshots(rig, 2 * SEGMENT)
    rig.recording_log.invalidate_latest_snapshot()
    rig.foreign.add(1)
    take_snapshots(rig, 5 * SEGMENT, 8 * SEGMENT)
    rig.look()
    assert rig.purged_recordings == [2]


def test_snapshots_of_another_stream_are_purged_by_the_process_that_drops_them(rig):
    take_snapshots(rig, 2 * SEGMENT, 5 * SEGMENT, 8 * SEGMENT)
    rig.foreign.add(1)
    rig.look()
    assert sorted(rig.purged_recordings) == [1, 2]


def test_an_invalid_snapshot_above_those_to_keep_is_not_purged(rig):
    take_snapshots(rig, 2 * SEGMENT, 5 * SEGMENT, 8 * SEGMENT)
    rig.recording_log.invalidate_latest_snapshot()
    rig.look()
    assert rig.purged_recordings == []
    take_snapshots(rig, 9 * SEGMENT, 10 * SEGMENT)
    rig.look(HOUR_NS)
    assert sorted(rig.purged_recordings) == [1, 2, 3, 4, 5, 6]


def test_a_recording_of_a_snapshot_that_is_named_again_is_not_purged(rig):
    take_snapshots(rig, 2 * SEGMENT)
    rig.recording_log.invalidate_latest_snapshot()
    rig.recording_count = 1
    take_snapshots(rig, 5 * SEGMENT, 8 * SEGMENT)
    rig.look()
    assert rig.purged_recordings == []


def test_a_snapshot_that_the_archive_no_longer_has_is_not_purged_again(rig):
    take_snapshots(rig, 2 * SEGMENT, 5 * SEGMENT, 8 * SEGMENT)
    rig.failures[PurgeRecordingRequest] = ArchiveError("?", ArchiveErrorCode.UNKNOWN_RECORDING)
    rig.look()
    rig.failures.clear()
    rig.look(HOUR_NS)
    assert (rig.purged_recordings, rig.errors) == ([], [])


def test_a_log_that_is_read_is_purged_later(rig):
    take_snapshots(rig, 2 * SEGMENT, 5 * SEGMENT, 8 * SEGMENT)
    rig.failures[PurgeSegmentsRequest] = ArchiveError("replay in progress", 0)
    rig.look()
    assert (rig.purged_to, rig.errors) == ([], [])
    rig.failures.clear()
    rig.look(HOUR_NS)
    assert (rig.purged_to, rig.errors) == ([5 * SEGMENT], [])


@pytest.mark.parametrize("kind", [PurgeRecordingRequest, PurgeSegmentsRequest])
def test_a_failure_is_reported_and_the_purge_repeated(rig, kind):
    failure = ArchiveError("it failed", ArchiveErrorCode.GENERIC)
    take_snapshots(rig, 2 * SEGMENT, 5 * SEGMENT, 8 * SEGMENT)
    rig.failures[kind] = failure
    rig.look()
    assert rig.errors == [failure]
    assert rig.purged_to == []
    rig.failures.clear()
    rig.look(HOUR_NS)
    assert rig.errors == [failure]
    assert rig.purged_to == [5 * SEGMENT]
    assert sorted(rig.purged_recordings) == [1, 2]


def test_a_log_that_the_archive_does_not_know_is_reported(rig):
    take_snapshots(rig, 2 * SEGMENT, 5 * SEGMENT)
    rig.missing = {LOG_RECORDING}
    rig.look()
    (error,) = rig.errors
    assert isinstance(error, ClusterError)
    assert "recording 0 of the log" in str(error)
    assert rig.purged_to == []


@pytest.mark.parametrize(
    "failure",
    [AgentTerminationError("the archive ended"), InsufficientSpaceError(errno.ENOSPC, "full", "/")],
)
def test_a_failure_that_ends_the_member_is_not_only_reported(rig, failure):
    take_snapshots(rig, 2 * SEGMENT, 5 * SEGMENT)
    rig.failures[PurgeSegmentsRequest] = failure
    with pytest.raises(type(failure)) as raised:
        rig.look()
    assert raised.value is failure
    assert rig.errors == []
