"""StandbySnapshotReplicator: which standby's snapshot is copied, and what follows a failure."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.snapshots import standby_replication
from aeron_cluster.cluster.snapshots.standby_replication import StandbyReplication
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.archive import RecordingSignal, StopReplicationRequest
from aeron_cluster.errors import ArchiveError, ClusterError, InsufficientSpaceError
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.memory.agents.waiting import Task
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.cluster.test_recording_replication import Archive, signal

MODULE = -1


class Replication:
    """A copy that takes two polls; the test controls the archive of its source."""

    has_synced = True

    def __init__(self, rig, source, recording_id):
        self.recording_id = 1000 + recording_id
        self.is_closed = False
        self.signals = []
        self._failure = rig.failures.get(source)
        self._polls = 0

    @property
    def is_done(self):
        return self._polls >= 2

    def poll(self, _now_ns):
        if self._failure is not None:
            raise self._failure
        self._polls += 1

    def on_signal(self, signal):
        self.signals.append(signal)
        return True

    def close(self):
        self.is_closed = True


class Rig:
    def __init__(self, log, service_count=1, archive=None):
        self.log = log
        self.clock = VirtualClock()
        self.failures = {}
        self.requested = []
        self.copies = []
        self.errors = []
        self.copied_count = 0
        context = SimpleNamespace(
            options=SimpleNamespace(
                service_count=service_count,
                replication_channel="aeron:udp?endpoint=here:0",
                leader_archive_control_channel="aeron:udp?term-length=64k",
            ),
            seams=SimpleNamespace(clock=self.clock),
            error_handler=self.errors.append,
            events=NO_EVENTS,
        )
        given = archive or SimpleNamespace(context=SimpleNamespace(message_timeout_ns=1000))
        given.context.control_stream_id = 10
        self.replication = StandbyReplication(context, given, log)

    def make(self, _archive, recording_id, _stream_id, channel, _params, **_):
        source = channel.partition("endpoint=")[2].partition("|")[0]
        self.requested.append((source, recording_id))
        self.copies.append(Replication(self, source, recording_id))
        return self.copies[-1]

    def _on_copied(self):
        self.copied_count += 1

    def begin(self):
        return Task(self.replication.run(self._on_copied))

    def run(self):
        task = self.begin()
        for _ in range(50):
            if task.is_done:
                return self
            task.do_work()
        raise AssertionError("not done")

    @property
    def latest(self):
        found = self.log.find_latest_snapshots(1)
        return [(each.service_id, each.log_position, each.recording_id) for each in found]


@pytest.fixture
def log(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as opened:
        yield opened


@pytest.fixture
def rig(log, monkeypatch):
    made = Rig(log)
    monkeypatch.setattr(standby_replication, "RecordingReplication", made.make)
    return made


def note(log, position, endpoint=None, services=(0, MODULE), first=1):
    for recording_id, service_id in enumerate(services, first):
        log.append_snapshot(recording_id, 0, 0, position, 1000, service_id, endpoint)


def test_the_newest_is_copied_completely_and_recorded_as_own(rig):
    note(rig.log, 1000)
    note(rig.log, 2000, "older:1")
    note(rig.log, 3000, "newest:1", first=5)
    rig.run()
    assert rig.requested == [("newest:1", 5), ("newest:1", 6)]
    assert rig.latest == [(MODULE, 3000, 1006), (0, 3000, 1005)]
    assert all(each.is_closed for each in rig.copies)
    assert (rig.copied_count, rig.errors) == (1, [])


def test_a_copy_leaves_earlier_snapshots_and_the_terms_to_start_from(rig):
    rig.log.append_term(0, 0, 0, 1)
    note(rig.log, 1000)
    note(rig.log, 2000, first=3)
    note(rig.log, 3000, "a:1", first=5)
    rig.log.append_term(0, 1, 3000, 2)  # begins where the snapshot was taken
    before = rig.log.entries
    rig.run()
    assert rig.latest == [(MODULE, 3000, 1006), (0, 3000, 1005)]
    entries = [each for each in rig.log.entries if each.recording_id < 1000]
    assert [(each.recording_id, each.is_valid) for each in entries] == [
        (each.recording_id, each.is_valid) for each in before
    ]
    positions = [entries[-1].log_position for entries in rig.log.find_snapshots(1)]
    assert sorted(positions) == [1000, 2000, 3000]
    rig.log.invalidate_latest_snapshot()
    assert rig.latest == [(MODULE, 2000, 4), (0, 2000, 3)]


def test_signals_reach_the_running_copy(rig):
    note(rig.log, 3000, "a:1")
    assert not rig.replication.on_signal("before")
    task = rig.begin()
    task.do_work()
    assert rig.replication.on_signal("START")
    assert rig.copies[0].signals == ["START"]
    task.close()
    assert rig.copies[0].is_closed
    assert not rig.replication.on_signal("after")
    assert rig.copied_count == 0


def test_start_without_standby_snapshots_copies_nothing(rig):
    note(rig.log, 1000)
    rig.run()
    assert (rig.requested, rig.copied_count, rig.errors) == ([], 0, [])


@pytest.mark.parametrize("position", [1000, 900])
def test_a_snapshot_no_newer_than_ones_own_is_not_copied(rig, position):
    note(rig.log, 1000)
    note(rig.log, position, "a:1")
    rig.run()
    assert (rig.requested, rig.copied_count) == ([], 0)


@pytest.mark.parametrize("error", [ClusterError("fail"), ArchiveError("fail", 1, 2)])
def test_next_archive_is_requested_after_a_failure(rig, error):
    note(rig.log, 1000)
    note(rig.log, 3000, "a:1")
    note(rig.log, 3000, "b:1", first=7)
    rig.failures["a:1"] = error
    rig.run()
    assert rig.requested == [("a:1", 1), ("b:1", 7), ("b:1", 8)]
    assert rig.latest == [(MODULE, 3000, 1008), (0, 3000, 1007)]
    assert (rig.copied_count, rig.errors) == (1, [])


@pytest.mark.parametrize("error", [ClusterError("fail"), ArchiveError("fail", 1, 2)])
def test_failure_of_all_archives_is_reported_with_each_reason(rig, error):
    note(rig.log, 1000)
    note(rig.log, 3000, "a:1")
    note(rig.log, 3000, "b:1")
    rig.failures = {"a:1": error, "b:1": error}
    before = rig.log.entries
    rig.run()
    (reported,) = rig.errors
    assert "no standby's snapshot could be copied" in str(reported)
    assert "'a:1': 'fail" in str(reported)
    assert "'b:1': 'fail" in str(reported)
    assert rig.log.entries == before
    assert rig.copied_count == 0


@pytest.mark.parametrize("is_growing", [False, True])
def test_a_copy_without_progress_is_abandoned_for_the_next_standby(log, is_growing):
    archive = Archive()
    timeout_ns = 2 * archive.context.message_timeout_ns
    rig = Rig(log, archive=archive)
    note(log, 3000, "a:1")
    note(log, 3000, "b:1", first=7)
    task = rig.begin()
    task.do_work()
    archive.answer()
    task.do_work()
    counter = archive.record(0)
    rig.replication.on_signal(signal(RecordingSignal.EXTEND, position=0))

    def requested():
        return [values["src_recording_id"] for _, values in archive.requests]

    for step in range(1, 50 if is_growing else 10):
        if is_growing:
            counter.set(32 * step)
        rig.clock.advance(timeout_ns // 10)
        task.do_work()
        assert requested() == [1]
    if not is_growing:
        rig.clock.advance(timeout_ns // 10)
        task.do_work()
        assert requested() == [1, 7]
        assert "endpoint=b:1" in archive.requests[1][1]["src_control_channel"]
        assert [kind for kind, _ in archive.posted] == [StopReplicationRequest]
    task.close()


def test_full_disk_raises_to_the_caller(rig):
    note(rig.log, 3000, "a:1")
    note(rig.log, 3000, "b:1")
    rig.failures["a:1"] = InsufficientSpaceError(28, "no space left")
    with pytest.raises(InsufficientSpaceError):
        rig.run()


def test_an_incomplete_copy_is_no_copy(rig, monkeypatch):
    monkeypatch.setattr(Replication, "has_synced", False)
    note(rig.log, 3000, "a:1")
    rig.run()
    assert "the copy is not whole" in str(rig.errors[0])
    assert rig.latest == []


def test_copy_interrupted_between_two_entries_is_repeated(log, monkeypatch):
    rig = Rig(log, service_count=2)
    monkeypatch.setattr(standby_replication, "RecordingReplication", rig.make)
    note(log, 1000, services=(1, 0, MODULE))
    note(log, 3000, "a:1", services=(1, 0, MODULE))
    note(log, 3000, services=(1, 0), first=50)  # the member was killed here
    rig.run()
    newest = log.find_snapshots(2)[-1]
    assert [(each.log_position, each.recording_id) for each in newest] == [
        (3000, 1001),
        (3000, 1002),
        (3000, 1003),
    ]
    assert len([each for each in log.entries if each.log_position == 3000]) == 6


def test_a_member_without_a_replication_channel_copies_nothing(rig):
    """A member alone needs none."""
    note(rig.log, 3000, "newest:1")
    rig.replication._context.options.replication_channel = ""
    rig.run()
    assert "aeron.cluster.replication.channel: expected" in str(rig.errors[0])
    assert (rig.requested, rig.copied_count) == ([], 0)
