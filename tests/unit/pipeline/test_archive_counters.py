"""Recorded and commit positions of a running node, from its counters."""

import shutil

import pytest

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.archive.control.mark_file import ARCHIVE_MARK_FILE, LINK_FILE, VERSION
from aeron_cluster.archive.protocol.recording_pos import POSITION_COUNTER_TYPE, position_key
from aeron_cluster.codecs.archive_mark import MarkFileHeader
from aeron_cluster.errors import SegmentError
from aeron_cluster.memory.system.seams import Seams, SystemClock, SystemFiles
from aeron_cluster.pipeline import read_log, read_recording
from aeron_cluster.pipeline.sources.archive_counters import ArchiveCounters, find_archive
from tests.unit.cluster.tools.conftest import (  # noqa: F401 - fixtures
    Member,
    driver,
    member,
)
from tests.unit.pipeline.logs import log_of_every_kind
from tests.unit.pipeline.recording_builder import TERM
from tests.unit.pipeline.test_read_log import committed, grown
from tests.waiting import await_true

pytest.importorskip("pyarrow")
pytest.importorskip("fsspec")

CONTROL = {"control_channel": "aeron:ipc", "control_response_channel": "aeron:ipc"}
SEGMENT = 2 * TERM
COMMIT_POSITION = 203


@pytest.fixture
def archive_dir(tmp_path):
    return tmp_path / "archive"


@pytest.fixture
def publication(archive_dir, shm_dir):
    """Return a publication that a running archive records as recording 0."""
    options = {
        "archive_dir": str(archive_dir),
        "segment_file_length": SEGMENT,
        "control_channel_enabled": False,
        "replication_channel": "aeron:udp?endpoint=localhost:0",
        "threading_mode": "SHARED",
    }
    driver_options = {"aeron_dir": str(shm_dir / "driver"), "threading_mode": "SHARED"}
    with (
        ArchivingMediaDriver.launch(driver=driver_options, archive=options) as both,
        AeronArchive.connect(aeron_dir=both.driver.aeron_dir, **CONTROL) as archive,
        archive.add_recorded_publication("aeron:ipc?term-length=64k", 7) as recorded,
    ):
        yield recorded


def offer(publication, payloads):
    for payload in payloads:
        await_true(lambda payload=payload: publication.offer(payload) > 0, "room")


def end_of(directory):
    plan = read_recording(directory).plan
    return plan.ranges[0].to_position if plan.ranges else 0


def session_of(publication):
    return (publication.session_id + 2**31) % 2**32 - 2**31


def damage(directory, position, data):
    base = position // SEGMENT * SEGMENT
    with (directory / f"0-{base}.rec").open("r+b") as file:
        file.seek(position - base)
        file.write(data)


def test_a_segment_being_written_is_not_read(archive_dir, publication):
    payloads = [bytes([number]) * 3000 for number in range(1, 60)]
    offer(publication, payloads)
    await_true(lambda: end_of(archive_dir) == publication.position, "the messages are recorded")
    damage(archive_dir, publication.position, b"\7")  # part of a frame
    reading = read_recording(archive_dir, columns=["payload"])
    assert reading.table()["payload"].to_pylist() == payloads
    # Under another path no counter applies, so the partial frame is damage.
    with pytest.raises(SegmentError, match="frame length 7"):
        read_recording(f"local://{archive_dir}")


def test_a_written_frame_is_not_considered_torn(archive_dir, publication):
    offer(publication, [b"first", bytes(8000)])
    await_true(lambda: end_of(archive_dir) == publication.position, "the messages are recorded")
    assert read_recording(archive_dir).table().num_rows == 2


def test_damage_below_is_damage(archive_dir, publication):
    offer(publication, [b"first", b"second", b"third"])
    await_true(lambda: end_of(archive_dir) == publication.position, "the messages are recorded")
    damage(archive_dir, 64, bytes(32))
    with pytest.raises(SegmentError, match="frame length 0"):
        read_recording(archive_dir).table()


def test_a_copy_of_a_growing_archive_ends_where_it_was_copied(tmp_path, archive_dir, publication):
    offer(publication, [b"first"] * 100)
    position = publication.position
    await_true(lambda: end_of(archive_dir) == position, "the messages are recorded")
    shutil.copytree(archive_dir, tmp_path / "copy")
    offer(publication, [b"second"] * 1500)
    await_true(lambda: end_of(archive_dir) == publication.position, "the rest is recorded")
    assert read_recording(tmp_path / "copy").table().num_rows == 100


def test_a_counter_of_another_nodes_stream_is_ignored(archive_dir, publication):
    offer(publication, [b"first"])
    await_true(lambda: end_of(archive_dir) == publication.position, "the messages are recorded")
    session_id = session_of(publication)
    with ArchiveCounters(SystemFiles(), str(archive_dir)) as counters:
        assert counters.recorded(0, session_id) == publication.position
        assert counters.recorded(1, session_id) is None
        assert counters.recorded(0, session_id ^ 1) is None
        # No consensus module runs here.
        assert counters.committed(str(archive_dir)) is None


def test_counters_without_a_running_driver_are_none(tmp_path):
    for place in (str(tmp_path), f"local://{tmp_path}"):
        with ArchiveCounters(SystemFiles(), place) as counters:
            assert counters.recorded(0, 11) is None


def test_mark_file_may_be_in_another_directory(tmp_path):
    archive, marks = tmp_path / "archive", tmp_path / "marks"
    archive.mkdir()
    marks.mkdir()
    assert find_archive(Seams(), str(archive)) is None
    mark_archive(marks, "/dev/shm/driver", 3)
    (archive / LINK_FILE).write_text(f"{marks}\n")
    assert find_archive(Seams(), str(archive)) == ("/dev/shm/driver", 3)
    (marks / ARCHIVE_MARK_FILE).unlink()
    assert find_archive(Seams(), str(archive)) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"version": 0},
        {"activity_timestamp": 0},
        {"activity_timestamp": SystemClock().epoch_ms() - 11_000},
    ],
    ids=["starting", "ended", "silent"],
)
def test_archive_that_is_not_running_has_no_driver(tmp_path, changed):
    mark_archive(tmp_path, "/dev/shm/driver", 3)
    assert find_archive(Seams(), str(tmp_path)) is not None
    mark_archive(tmp_path, "/dev/shm/driver", 3, **changed)
    assert find_archive(Seams(), str(tmp_path)) is None


@pytest.mark.parametrize("data", [b"", bytes(100), b"\xff" * 8192], ids=["empty", "short", "odd"])
def test_mark_file_that_is_none_has_no_driver(tmp_path, data):
    (tmp_path / ARCHIVE_MARK_FILE).write_bytes(data)
    assert find_archive(Seams(), str(tmp_path)) is None


def test_driver_that_is_missing_has_no_counters(tmp_path):
    mark_archive(tmp_path, tmp_path / "driver", 3)
    with ArchiveCounters(SystemFiles(), str(tmp_path)) as counters:
        assert counters.recorded(0, 11) is None
        assert counters.committed(str(tmp_path)) is None


# ---- commit positions -------------------------------------------------------------------------


@pytest.fixture
def node(tmp_path, member, driver):  # noqa: F811 - fixtures
    """Return a function that writes a log to a running member's directories, with counters."""
    assert driver.aeron_dir == str(member.aeron_dir)

    def put(name, log, *, recorded, committed, archive_id, session_id=11):
        path = log.write_node(tmp_path / name, is_stopped=False)
        mark_archive(path / "archive", member.aeron_dir, archive_id)
        one = Member(path / "cluster", member.aeron_dir)
        one.mark(member_id=archive_id, cluster_id=archive_id)
        one.count(COMMIT_POSITION, committed, cluster_id=archive_id)
        key = position_key(0, session_id, "aeron:ipc", archive_id)
        one.aeron.add_counter(POSITION_COUNTER_TYPE, "", key).set(recorded)
        members.append(one)
        return path

    members = []
    yield put
    for each in members:
        each.close()


def mark_archive(directory, aeron_dir, archive_id, **changed):
    given = {"version": VERSION, "activity_timestamp": SystemClock().epoch_ms()}
    header = MarkFileHeader.encode(
        **given | changed,
        start_timestamp=1,
        pid=1,
        control_stream_id=10,
        local_control_stream_id=11,
        events_stream_id=30,
        header_length=8192,
        error_buffer_length=0,
        archive_id=archive_id,
        control_channel="",
        local_control_channel="",
        events_channel="",
        aeron_directory=str(aeron_dir),
    )
    (directory / "archive-mark.dat").write_bytes(header.ljust(8192, b"\0"))


def test_a_running_members_counter_has_the_commit_position(node):
    log = log_of_every_kind()
    place = log.frames[-4].position
    path = node("a", log, recorded=log.position, committed=place, archive_id=3)
    found = committed(path, member=3)
    assert found == {end: True if end <= place else None for end in found}
    only = read_log(path, only_committed=True, columns=["end_position"]).table()
    assert only["end_position"].to_pylist() == [end for end in found if end <= place]


def test_the_recording_log_proves_the_commit_position_regardless_of_counters(node):
    log = log_of_every_kind()
    path = node("a", log, recorded=log.position, committed=0, archive_id=3)
    base = log.bases[1][1]
    found = committed(path, member=3)
    assert found == {end: True if end <= base else None for end in found}


def test_counters_of_a_driver_recording_another_stream_are_ignored(node):
    log = log_of_every_kind()
    end = log.position
    path = node("a", log, recorded=end, committed=end, archive_id=3, session_id=12)
    base = log.bases[1][1]
    found = committed(path, member=3)
    assert found == {end: True if end <= base else None for end in found}


def test_counter_of_a_node_that_is_not_on_the_archives_driver_is_ignored(tmp_path, node):
    log = log_of_every_kind()
    path = node("a", log, recorded=log.position, committed=96, archive_id=3)
    other = tmp_path / "other"
    other.mkdir()
    with ArchiveCounters(SystemFiles(), str(path / "archive")) as counters:
        assert counters.committed(str(path / "cluster")) == 96
        # The mark file of a remote directory is not this machine's.
        assert counters.committed(f"local://{path}/cluster") is None
        elsewhere = Member(other, "/dev/shm/another driver")
        elsewhere.mark(cluster_id=3)
        assert counters.committed(str(other)) is None
        elsewhere.close()
        assert counters.committed(str(other)) is None


def test_counter_of_an_ended_node_is_ignored(tmp_path, member, driver):  # noqa: F811
    """Its driver may still be running, with the counters of another node."""
    assert driver.aeron_dir == str(member.aeron_dir)
    mark_archive(tmp_path, member.aeron_dir, 3)
    member.count(COMMIT_POSITION, 96)
    mark = member.mark()
    with ArchiveCounters(SystemFiles(), str(tmp_path)) as counters:
        assert counters.committed(str(member.directory)) == 96
        mark.close()
        assert counters.committed(str(member.directory)) is None


def test_of_several_members_each_counter_counts_up_to_where_logs_differ(node):
    logs = [grown(20), grown(12), grown(20, change=5)]
    ends = [log.position for log in logs]
    running = [
        node(str(index), log, recorded=end, committed=ends[0] - 96, archive_id=index)
        for index, (log, end) in enumerate(zip(logs, ends, strict=True))
    ]
    # The second member lags, as if it had been read first: its missing part is not decided yet.
    found = committed(running[0], running[1])
    assert found == {end: True if end <= ends[0] - 96 else None for end in found}
    # A different byte is not a matter of lag.
    differs = grown(5).position
    found = committed(running[0], running[2])
    assert found == {end: True if end <= differs else None for end in found}
