"""What members wrote into their recording logs, and when: each wrong time is detected."""

import struct
from types import SimpleNamespace

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.plain_disk import PlainEntry
from aeron_cluster.simulator.checks.recording_logs import (
    RecordingLogsHaveTheirTimes,
    check_term_times,
)
from aeron_cluster.simulator.world.memory_files import MemoryFiles

MS = 1_000_000
DAY_MS = 86_400_000
LOG = "/data/cluster/recording.log"
INVALID = 1 << 31


class Writer:
    """A member that writes into its recording log, and the checker that follows it."""

    def __init__(self, *, sync_level=0):
        self.count = 0
        self.now_ms = 0
        self.clock_ms = 5_000_000
        files = MemoryFiles(directories=("/data/cluster",))
        files.make_directory("/data/archive")
        files.open(LOG, write=True, create=True).close()
        self.process = SimpleNamespace(start_count=1)
        clock = SimpleNamespace(epoch_nanos=lambda: (self.clock_ms + self.now_ms) * MS)
        self.machine = SimpleNamespace(files=files, clock=clock, power_loss_count=0)
        self.state = 17
        self.member = SimpleNamespace(
            member_id=0,
            machine=self.machine,
            process_of_module=self.process,
            counters=SimpleNamespace(
                election_state=SimpleNamespace(get=lambda: self.state),
                snapshot_count=SimpleNamespace(get=lambda: 0),
            ),
        )
        self.checker = RecordingLogsHaveTheirTimes()
        self.sync_level = sync_level
        self.pass_time(10)

    def pass_time(self, ms, state=None):
        self.now_ms += ms
        self.state = self.state if state is None else state
        self.checker.check(self.cluster)

    @property
    def cluster(self):
        return SimpleNamespace(
            has_timed_terms=True,
            now_ns=self.now_ms * MS,
            members=[self.member],
            sync_level=self.sync_level,
        )

    def write(self, timestamp, kind=0, service_id=-1, term_id=None):
        term_id = self.count if term_id is None else term_id
        entry = struct.pack("<qqqqqiI", 7, term_id, 0, -1, timestamp, service_id, kind)
        with self.machine.files.open(LOG, write=True) as file:
            file.write_at(entry.ljust(64, b"\0"), 64 * self.count)
        self.count += 1

    def conclude(self):
        self.checker.conclude(self.cluster)


@pytest.mark.parametrize("at_ms", [5_000_010, 5_000_100, 5_000_110])
def test_a_term_with_a_time_since_the_last_reading_passes(at_ms):
    writer = Writer()
    writer.write(at_ms)
    writer.pass_time(100, state=1)
    writer.conclude()
    assert writer.checker.terms(writer.member) == {0}


@pytest.mark.parametrize("at_ms", [-123_456_789, -1, 0, 5_000_009, 5_000_111, 5_000_010 + DAY_MS])
def test_a_term_with_another_time_is_detected(at_ms):
    writer = Writer()
    writer.write(at_ms)
    with pytest.raises(InvariantError) as error:
        writer.pass_time(100, state=1)
    assert error.value.invariant == "recording logs have the times of terms"


def test_a_term_that_is_read_at_the_end_is_checked():
    writer = Writer()
    writer.write(-1)
    writer.pass_time(100)
    with pytest.raises(InvariantError, match="written from 5000010 to 5000110"):
        writer.conclude()


def test_a_term_may_have_any_time_of_a_clock_that_was_set():
    writer = Writer()
    writer.pass_time(10)
    writer.clock_ms += DAY_MS
    writer.pass_time(10)
    writer.write(5_000_015)
    writer.write(5_000_025 + DAY_MS)
    writer.pass_time(10, state=1)
    writer.write(5_000_035)
    with pytest.raises(InvariantError, match="times of terms"):
        writer.pass_time(10, state=17)


def test_a_part_that_is_put_back_was_written_before():
    writer = Writer()
    writer.write(5_000_010)
    files = writer.machine.files
    files.rename(LOG, LOG + ".away")
    writer.pass_time(100, state=1)
    files.rename(LOG + ".away", LOG)
    writer.pass_time(100, state=17)
    writer.conclude()


def test_what_a_loss_of_power_has_left_is_not_checked_without_syncs():
    for sync_level in (0, 1):
        writer = Writer(sync_level=sync_level)
        writer.machine.power_loss_count = 1
        writer.write(-1)
        if not sync_level:
            writer.pass_time(100, state=1)
            continue
        with pytest.raises(InvariantError, match="times of terms"):
            writer.pass_time(100, state=1)


def test_the_snapshots_of_the_present_process_are_counted():
    writer = Writer()
    writer.write(1, kind=1, service_id=0)
    writer.write(1, kind=1)
    writer.pass_time(10, state=1)
    assert writer.checker.snapshot_count(writer.member) == 1
    writer.write(2, kind=1)
    writer.process.start_count += 1
    writer.pass_time(10)
    # Either process may have taken it.
    assert writer.checker.snapshot_count(writer.member) == 1
    assert writer.checker.terms(writer.member) == set()
    writer.write(3, kind=1)
    writer.conclude()
    assert writer.checker.snapshot_count(writer.member) == 2


def test_snapshots_that_are_purged_before_the_next_reading_are_counted():
    writer = Writer()
    writer.write(1, kind=INVALID | 1, service_id=0)
    writer.write(1, kind=INVALID | 1)
    writer.write(2, kind=1)
    writer.pass_time(10, state=1)
    assert writer.checker.snapshot_count(writer.member) == 2


def test_a_snapshot_that_is_purged_later_is_counted_once():
    writer = Writer()
    writer.write(1, kind=1)
    writer.pass_time(10, state=1)
    writer.count = 0
    writer.write(1, kind=INVALID | 1)
    writer.pass_time(10, state=17)
    assert writer.checker.snapshot_count(writer.member) == 1


def test_snapshots_have_times_of_the_log():
    check_term_times("member 0", {PlainEntry(20, 4, 96, -1, False, 0, 1)}, 5, 6)


def test_a_member_before_its_first_file_passes():
    writer = Writer()
    writer.machine.files.remove_tree("/data")
    writer.conclude()
    assert writer.checker.snapshot_count(writer.member) == 0
