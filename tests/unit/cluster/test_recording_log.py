import errno
import struct

import pytest

from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.errors import CorruptError, StateError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.simulator.world.memory_files import MemoryFiles

ENTRY = struct.Struct("<qqqqqii16x")
INVALID = -(1 << 31)


@pytest.fixture
def log(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as opened:
        yield opened


def write(tmp_path, *rows, tail=b""):
    data = b"".join(ENTRY.pack(*row) for row in rows) + tail
    (tmp_path / "recording.log").write_bytes(data)


def content(tmp_path):
    return (tmp_path / "recording.log").read_bytes()


def test_a_new_file_is_empty(log, tmp_path):
    assert log.entries == ()
    assert log.find_last_term() is None
    assert log.find_latest_snapshots(1) == ()
    assert content(tmp_path) == b""


def test_lays_entries_out_as_the_format_defines(log, tmp_path):
    log.append_term(7, 0, 0, 1000)
    log.append_snapshot(8, 0, 0, 4096, 1001, 0)
    log.append_snapshot(9, 0, 0, 4096, 1001, -1)
    assert content(tmp_path) == (
        ENTRY.pack(7, 0, 0, -1, 1000, -1, 0)
        + ENTRY.pack(8, 0, 0, 4096, 1001, 0, 1)
        + ENTRY.pack(9, 0, 0, 4096, 1001, -1, 1)
    )


def test_a_new_term_ends_the_one_before(log, tmp_path):
    log.append_term(7, 0, 0, 1000)
    log.append_term(7, 1, 2048, 1001)
    assert log.get_term(0).log_position == 2048
    assert struct.unpack_from("<q", content(tmp_path), 24) == (2048,)


def test_a_term_filled_in_later_ends_at_the_next_base(log):
    log.append_term(7, 1, 2048, 1001)
    log.append_term(7, 0, 0, 1000)
    assert log.get_term(0).log_position == 2048
    assert [entry.leadership_term_id for entry in log.entries] == [0, 1]


def test_rejects_a_term_twice_and_a_second_recording(log):
    log.append_term(7, 0, 0, 1000)
    with pytest.raises(StateError, match="duplicate TERM entry for leadershipTermId=0"):
        log.append_term(7, 0, 0, 1000)
    with pytest.raises(StateError, match="invalid TERM recordingId=8, expected recordingId=7"):
        log.append_term(8, 1, 0, 1000)
    assert len(log.entries) == 1


def test_written_data_is_read_again(log, tmp_path):
    log.append_term(7, 0, 0, 1000)
    log.append_snapshot(8, 0, 0, 4096, 1001, 0)
    log.append_snapshot(9, 0, 0, 4096, 1001, -1)
    log.append_term(7, 1, 4096, 1002)
    log.invalidate_latest_snapshot()
    log.commit_log_position(1, 8192)
    with RecordingLog(SystemFiles(), str(tmp_path), writable=False) as again:
        assert again.entries == log.entries


def test_finds_the_newest_complete_snapshot_module_first(log):
    log.append_term(7, 0, 0, 1000)
    for position in (4096, 8192):
        log.append_snapshot(20, 0, 0, position, 1001, 1)
        log.append_snapshot(21, 0, 0, position, 1001, 0)
        log.append_snapshot(22, 0, 0, position, 1001, -1)
    log.append_snapshot(30, 0, 0, 9000, 1001, 1)
    found = log.find_latest_snapshots(2)
    assert [(entry.service_id, entry.log_position) for entry in found] == [
        (-1, 8192),
        (0, 8192),
        (1, 8192),
    ]


@pytest.mark.parametrize("written", [(1,), (1, 0)])
def test_a_set_started_twice_is_complete_once_its_last_entry_exists(log, written):
    # A member that ends inside a set takes the snapshot again when it replays the log's action.
    log.append_term(7, 0, 0, 1000)
    for service_id in written:
        log.append_snapshot(20, 0, 0, 4096, 1001, service_id)
    assert log.find_snapshots(2) == []
    for service_id in (1, 0, -1):
        log.append_snapshot(30 + service_id, 0, 0, 4096, 1001, service_id)
    ((*services, module),) = log.find_snapshots(2)
    assert (module, *reversed(services)) == log.find_latest_snapshots(2)
    assert [entry.recording_id for entry in (*services, module)] == [31, 30, 29]
    assert log.find_snapshots_at_or_below(5000, 2) == (*services, module)


def test_a_service_at_another_position_completes_no_set(log):
    log.append_term(7, 0, 0, 1000)
    for service_id in (0, -1):
        log.append_snapshot(20, 0, 0, 4096, 1001, service_id)
    log.append_snapshot(20, 0, 0, 8192, 1001, 1)
    assert log.find_snapshots(2) == []


@pytest.mark.parametrize("services", [(), (0,), (1,), (2,), (1, 0), (2, 0), (2, 1)])
def test_a_snapshot_is_not_completed_with_services_of_an_earlier_one(log, services):
    log.append_term(7, 0, 0, 1000)
    for service_id in (2, 1, 0, -1):
        log.append_snapshot(20, 0, 0, 4096, 1001, service_id)
    for service_id in (*services, -1):
        log.append_snapshot(30, 0, 0, 8192, 1001, service_id)
    with pytest.raises(StateError, match="snapshot at 8192: expected 3 services"):
        log.find_latest_snapshots(3)


def test_invalidating_goes_back_one_set_at_a_time(log):
    log.append_term(7, 0, 0, 1000)
    for position in (4096, 8192):
        log.append_snapshot(21, 0, 0, position, 1001, 0)
        log.append_snapshot(22, 0, 0, position, 1001, -1)
    assert log.invalidate_latest_snapshot()
    assert log.find_latest_snapshots(1)[0].log_position == 4096
    assert log.invalidate_latest_snapshot()
    assert log.find_latest_snapshots(1) == ()
    assert not log.invalidate_latest_snapshot()


def test_a_new_snapshot_replaces_an_invalidated_entry_in_place(log, tmp_path):
    log.append_term(7, 0, 0, 1000)
    log.append_snapshot(22, 0, 0, 4096, 1001, -1)
    log.invalidate_latest_snapshot()
    before = len(content(tmp_path))
    log.append_snapshot(40, 0, 0, 4096, 2001, -1)
    assert len(content(tmp_path)) == before
    (found,) = log.find_latest_snapshots(0)
    assert (found.recording_id, found.timestamp) == (40, 2001)


def test_missing_terms_are_filled_in_as_empty_ones(log):
    log.ensure_coherent(7, -1, 0, 2, 4096, -1, 1000)
    assert [
        (entry.leadership_term_id, entry.term_base_log_position, entry.log_position)
        for entry in log.entries
    ] == [(0, 0, 0), (1, 0, 4096), (2, 4096, -1)]


def test_coherence_closes_an_open_term_and_begins_the_next_at_its_end(log):
    log.append_term(7, 0, 0, 1000)
    log.ensure_coherent(7, -1, 0, 2, 4096, 8192, 1001)
    assert [
        (entry.leadership_term_id, entry.term_base_log_position, entry.log_position)
        for entry in log.entries
    ] == [(0, 0, 4096), (1, 4096, 4096), (2, 4096, 8192)]


def test_coherence_moves_an_end_that_the_log_has_outgrown(log):
    log.append_term(7, 0, 0, 1000)
    log.commit_log_position(0, 3456)
    log.ensure_coherent(7, -1, 0, 2, 4608, -1, 1001)
    assert [
        (entry.leadership_term_id, entry.term_base_log_position, entry.log_position)
        for entry in log.entries
    ] == [(0, 0, 4608), (1, 4608, 4608), (2, 4608, -1)]


def test_terms_in_which_nothing_was_appended_can_be_recorded_again(log):
    for term_id, base in ((0, 0), (1, 1024), (2, 1024)):
        log.append_term(7, term_id, base, 1000)
    log.invalidate_terms_after(0)
    assert log.find_last_term().leadership_term_id == 0
    log.ensure_coherent(7, -1, 0, 3, 2048, -1, 1001)
    assert [
        (entry.leadership_term_id, entry.term_base_log_position, entry.log_position)
        for entry in log.entries
        if entry.is_valid
    ] == [(0, 0, 2048), (1, 2048, 2048), (2, 2048, 2048), (3, 2048, -1)]


def test_coherence_keeps_a_known_end_without_a_base(log):
    log.append_term(7, 0, 0, 1000)
    log.commit_log_position(0, 3456)
    log.ensure_coherent(7, -1, 0, 1, -1, -1, 1001)
    assert log.get_term(1).term_base_log_position == 3456


def test_coherence_after_an_open_term_needs_a_base(log):
    log.append_term(7, 0, 0, 1000)
    with pytest.raises(StateError, match="term 0 is open"):
        log.ensure_coherent(7, -1, 0, 1, -1, -1, 1001)


def test_nothing_is_done_while_the_recording_is_unknown(log):
    log.ensure_coherent(-1, -1, 0, 2, 4096, -1, 1000)
    assert log.entries == ()


def test_an_invalid_term_does_not_count(tmp_path):
    write(tmp_path, (7, 0, 0, 64, 1, -1, 0), (7, 1, 64, -1, 1, -1, INVALID))
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        assert log.find_last_term().leadership_term_id == 0
        with pytest.raises(StateError, match="unknown leadershipTermId=1"):
            log.commit_log_position(1, 128)


def test_a_removed_entry_is_skipped_and_retains_its_number(tmp_path):
    write(tmp_path, (7, 0, 0, 64, 1, -1, -1), (7, 1, 64, -1, 1, -1, 0))
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        (entry,) = log.entries
        assert (entry.leadership_term_id, entry.entry_index, entry.offset) == (1, 1, 64)


def test_reads_a_standby_snapshot_with_an_endpoint_reaching_a_second_block(tmp_path):
    endpoint = b"archive-host:8010"
    standby = struct.pack("<qqqqqiii", 3, 0, 0, 64, 1, -1, 2, len(endpoint)) + endpoint
    tail = standby.ljust(128, b"\0") + ENTRY.pack(7, 0, 0, -1, 1, -1, 0)
    write(tmp_path, tail=tail)
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        term, snapshot = log.entries
        assert snapshot.entry_type is EntryType.STANDBY_SNAPSHOT
        assert snapshot.archive_endpoint == "archive-host:8010"
        assert (term.offset, term.entry_index) == (128, 1)


@pytest.mark.parametrize("size", [1, 16, 48, 49, 63])
def test_an_incomplete_last_entry_is_skipped_and_reported(tmp_path, size, caplog):
    whole = ENTRY.pack(7, 1, 64, -1, 2, -1, 0)
    write(tmp_path, (7, 0, 0, -1, 1, -1, 0), tail=whole[:size])
    before = content(tmp_path)
    with RecordingLog(SystemFiles(), str(tmp_path), writable=False) as log:
        assert len(log.entries) == 1
    assert f"recording.log at 64: skipped {size} bytes of an incomplete" in caplog.text
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        assert content(tmp_path) == before
        log.append_term(7, 1, 64, 2)
    assert content(tmp_path) == ENTRY.pack(7, 0, 0, 64, 1, -1, 0) + whole


@pytest.mark.parametrize("size", [64, 100, 192])
def test_zeros_at_the_end_are_an_incomplete_entry(tmp_path, size, caplog):
    write(tmp_path, (7, 0, 0, -1, 1, -1, 0), (3, 0, 0, 64, 1, 0, 1), tail=bytes(size))
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        assert [entry.offset for entry in log.entries] == [0, 64]
        assert f"recording.log at 128: skipped {size} bytes of an incomplete" in caplog.text
        log.append_term(7, 1, 64, 2)
        assert log.entries[-1].offset == 128
    assert len(content(tmp_path)) == 192


def test_log_of_zeros_is_empty(tmp_path):
    write(tmp_path, tail=bytes(128))
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        assert log.entries == ()
        log.append_term(7, 0, 0, 1)
    assert content(tmp_path) == ENTRY.pack(7, 0, 0, -1, 1, -1, 0)


@pytest.mark.parametrize(
    ("length", "size"), [(139, 64), (139, 100), (139, 190), (4044, 64), (4044, 128), (4044, 4095)]
)
def test_entry_ending_inside_its_endpoint_is_incomplete(tmp_path, length, size):
    endpoint = b"a" * length
    standby = struct.pack("<qqqqqiii", 3, 0, 0, 64, 1, -1, 2, len(endpoint)) + endpoint
    write(tmp_path, (7, 0, 0, -1, 1, -1, 0), tail=standby[:size])
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        assert len(log.entries) == 1
        log.append_term(7, 1, 64, 2)
    with RecordingLog(SystemFiles(), str(tmp_path), writable=False) as log:
        assert [entry.leadership_term_id for entry in log.entries] == [0, 1]
    assert len(content(tmp_path)) == 128


@pytest.mark.parametrize(
    ("rows", "offset", "what"),
    [
        ([(7, 0, 0, 64, 1, -1, 0), (8, 1, 64, -1, 1, -1, 0)], 64, "recording id"),
        ([(-1, 0, 0, 64, 1, -1, 0)], 0, "recording id"),
        ([(7, 0, 0, 64, 1, -1, 9)], 44, "entry type"),
        ([(7, -1, 0, 64, 1, -1, 0)], 8, "leadership term id"),
        ([(7, 0, 0, 64, 1, -1, 0), (8, 0, -2, 64, 1, 0, 1)], 80, "term base log position"),
        ([(7, 0, 0, -77, 1, -1, 0)], 24, "log position"),
        ([(7, 0, 0, 64, 1, -2, 0)], 40, "service id"),
    ],
)
def test_rejects_damage_with_its_offset_and_changes_nothing(tmp_path, rows, offset, what):
    write(tmp_path, *rows)
    before = content(tmp_path)
    with pytest.raises(CorruptError) as caught:
        RecordingLog(SystemFiles(), str(tmp_path))
    assert (caught.value.offset, caught.value.what) == (offset, what)
    assert content(tmp_path) == before


def test_rejects_an_endpoint_reaching_past_the_file(tmp_path):
    write(tmp_path, tail=struct.pack("<qqqqqiii12x", 3, 0, 0, 64, 1, -1, 2, 4000))
    with pytest.raises(CorruptError, match="archive endpoint length 4000"):
        RecordingLog(SystemFiles(), str(tmp_path))


def standby(log, position, services=(1, 0, -1), endpoint="a:1", first=20):
    for service_id in services:
        log.append_snapshot(first + service_id, 0, 0, position, 1001, service_id, endpoint)


def test_the_latest_of_each_standby_is_its_newest_complete_one(log):
    log.append_term(7, 0, 0, 1000)
    standby(log, 1024)
    standby(log, 2048, first=30)
    standby(log, 4096, services=(1, 0))
    standby(log, 512, endpoint="b:1")
    standby(log, 1024, endpoint="c:1", services=(0, -1))
    found = log.find_latest_standby_snapshots(2)
    assert {
        endpoint: [(each.log_position, each.service_id) for each in entries]
        for endpoint, entries in found.items()
    } == {
        "a:1": [(2048, 1), (2048, 0), (2048, -1)],
        "b:1": [(512, 1), (512, 0), (512, -1)],
    }


def test_invalidated_standby_snapshot_is_valid_again_at_its_own_endpoint(log, tmp_path):
    log.append_term(7, 0, 0, 1000)
    standby(log, 1024, services=(0, -1))
    standby(log, 1024, services=(0, -1), endpoint="b:1", first=40)
    for entry in log.entries[1:]:
        log.invalidate(entry)
    length = len(content(tmp_path))
    standby(log, 1024, services=(0, -1), endpoint="b:1", first=50)
    assert len(content(tmp_path)) == length
    (entries,) = log.find_latest_standby_snapshots(1).values()
    assert [(each.recording_id, each.archive_endpoint) for each in entries] == [
        (50, "b:1"),
        (49, "b:1"),
    ]
    with RecordingLog(SystemFiles(), str(tmp_path), writable=False) as again:
        assert again.entries == log.entries


@pytest.mark.parametrize("endpoint", ["", "x" * 4045, "ä:1"])
def test_a_standby_snapshot_names_where_it_is(log, endpoint):
    with pytest.raises(ValueError, match="archive endpoint"):
        log.append_snapshot(1, 0, 0, 0, 0, -1, endpoint)


def test_the_rest_of_a_failed_append_is_not_read_after_a_shorter_one():
    files = MemoryFiles(directories=["/data"])
    with RecordingLog(files, "/data", sync_level=1) as log:
        log.append_term(7, 0, 0, 1000)
        files.fail("sync", errno.EIO)
        with pytest.raises(OSError, match="Input/output"):
            log.append_snapshot(8, 0, 0, 4096, 1001, -1, "an.archive.whose.name.takes.two:8010")
        log.append_snapshot(9, 0, 0, 4096, 1001, -1)
        entries = log.entries
    with RecordingLog(files, "/data") as again:
        assert again.entries == entries


class CountedFile:
    """A file that counts its calls."""

    def __init__(self, file):
        self.file = file
        self.writes = []
        self.syncs = 0

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write_at(self, data, offset):
        self.writes.append((offset, len(data)))
        self.file.write_at(data, offset)

    def sync(self, level):
        self.syncs += 1
        self.file.sync(level)


def test_missing_terms_are_written_by_sectors(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path), sync_level=1) as log:
        log.append_term(7, 0, 0, 1000)
        log._file = counted = CountedFile(log._file)
        log.ensure_coherent(7, -1, 0, 1001, 4096, -1, 1001)
        assert counted.syncs == len(counted.writes) < 1000 // 7
        for offset, length in counted.writes:
            assert offset // 512 == (offset + length - 1) // 512
        entries = log.entries
    assert len(content(tmp_path)) == 1002 * 64
    with RecordingLog(SystemFiles(), str(tmp_path), writable=False) as again:
        assert again.entries == entries
    assert [each.entry_index for each in entries] == list(range(1002))
    assert {each.term_base_log_position for each in entries[1:]} == {4096}
    assert [each.log_position for each in entries] == [4096] * 1001 + [-1]


def test_a_failed_write_of_missing_terms_retains_those_before_it(tmp_path):
    class Full(CountedFile):
        def write_at(self, data, offset):
            if len(self.writes) == 3:
                raise OSError(28, "full")
            super().write_at(data, offset)

    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        log._file = full = Full(log._file)
        with pytest.raises(OSError, match="full"):
            log.ensure_coherent(7, -1, 0, 100, 4096, -1, 1001)
        assert [each.leadership_term_id for each in log.entries] == list(range(24))
        log._file = full.file
        log.ensure_coherent(7, -1, 0, 100, 4096, -1, 1001)
        assert [each.leadership_term_id for each in log.entries] == list(range(101))
        entries = log.entries
    with RecordingLog(SystemFiles(), str(tmp_path), writable=False) as again:
        assert again.entries == entries


@pytest.mark.parametrize("started", [True, False])
def test_more_missing_terms_than_elections_bring_are_rejected(log, started):
    if started:
        log.append_term(7, 0, 0, 1000)
    with pytest.raises(StateError, match="expected at most 1048576 terms to be missing"):
        log.ensure_coherent(7, -1, 0, 1 << 40, 0, -1, 1001)
    assert [each.leadership_term_id for each in log.entries] == [0] * started


def test_a_term_far_ahead_of_the_one_before_is_rejected_with_its_place(tmp_path):
    write(tmp_path, (7, 0, 0, 64, 1, -1, 0), (7, 1 << 40, 64, -1, 1, -1, 0))
    with pytest.raises(CorruptError, match="leadership term id") as raised:
        RecordingLog(SystemFiles(), str(tmp_path))
    assert raised.value.offset == 64 + 8
    write(tmp_path, (7, 0, 0, 64, 1, -1, 0), (7, 1 << 20, 64, -1, 1, -1, 0))
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        assert log.find_last_term().leadership_term_id == 1 << 20
