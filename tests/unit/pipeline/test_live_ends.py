"""The readable end of a recording: from counters while the node runs, else proved by its files."""

import functools

import pytest

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.archive.protocol.recording_pos import POSITION_COUNTER_TYPE, position_key
from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.errors import ConfigurationError, CorruptError, MissingFileError
from aeron_cluster.memory.shared.counters import CountersManager
from aeron_cluster.memory.system.seams import Seams, SystemFiles
from aeron_cluster.pipeline.sources import archive_counters, driver_watch, live_ends
from aeron_cluster.pipeline.sources.live_ends import CommittedEnd, RecordedEnd
from tests.unit.cluster.tools.conftest import (  # noqa: F401 - fixtures
    driver,
    member,
)
from tests.unit.pipeline.logs import log_of_every_kind
from tests.unit.pipeline.recording_builder import RecordingBuilder
from tests.unit.pipeline.test_archive_counters import mark_archive
from tests.waiting import await_true

COMMIT_POSITION = 203
CONTROL = {"control_channel": "aeron:ipc", "control_response_channel": "aeron:ipc"}


@pytest.fixture
def log(member):  # noqa: F811 - a fixture
    """Return a log in the member's directories, partly proved by a snapshot."""
    written = log_of_every_kind()
    written.write_node(member.directory.parent / "node", snapshots=[320])
    for path in (member.directory.parent / "node/cluster").iterdir():
        path.rename(member.directory / path.name)
    return written


@pytest.fixture
def end(member):  # noqa: F811 - a fixture
    found = CommittedEnd(Seams(), str(member.directory))
    yield found
    found.close()


@pytest.mark.usefixtures("log")
def test_a_running_nodes_counter_has_the_commit_position(member, driver, end):  # noqa: F811
    assert driver.aeron_dir == str(member.aeron_dir)
    member.mark()
    member.count(COMMIT_POSITION, 99, cluster_id=5)  # of another cluster on the same driver
    counter = member.count(COMMIT_POSITION, 5000)
    assert end.position(6000) == 5000
    assert end.is_live
    assert end.position(4000) == 4000  # a follower may be notified past its own recording
    counter.set(5500)
    assert end.position(6000) == 5500
    counter.close()
    await_true(lambda: end.position(6000) == -1, "a module without counters, which begins or ends")
    member.count(COMMIT_POSITION, 5600)
    assert end.position(6000) == 5600


@pytest.mark.usefixtures("log")
def test_starting_node_has_nothing_committed_yet(member, driver, end):  # noqa: F811
    assert driver.aeron_dir == str(member.aeron_dir)
    member.mark(is_ready=False)
    assert end.position(6000) == -1


@pytest.mark.usefixtures("log")
def test_an_unreachable_driver_is_reported_in_the_end(member, end, monkeypatch):  # noqa: F811
    mark = member.mark()
    assert end.position(6000) == -1
    assert end.position(6000) == -1  # the driver may be starting
    monkeypatch.setattr(live_ends, "_UNSEEN_NS", 0)
    with pytest.raises(MissingFileError, match=f"{member.aeron_dir}/cnc.dat: expected the driver"):
        end.position(6000)
    mark.close()
    monkeypatch.setattr(driver_watch, "_RECHECK_INTERVAL_NS", 0)
    await_true(
        lambda: not end._watch.counters() and not end._watch.is_missing, "the end of the node"
    )
    assert end.position(320) == 320


@pytest.mark.usefixtures("log")
def test_a_driver_file_being_created_is_not_damage(member, end):  # noqa: F811
    member.mark()
    member.aeron_dir.mkdir()
    (member.aeron_dir / "cnc.dat").write_bytes(bytes(8192))
    assert end.position(6000) == -1


@pytest.mark.usefixtures("log")
def test_unfinished_mark_file_is_not_damage(member, driver, end, monkeypatch):  # noqa: F811
    assert driver.aeron_dir == str(member.aeron_dir)
    monkeypatch.setattr(driver_watch, "_RECHECK_INTERVAL_NS", 0)
    path = member.directory / "cluster-mark.dat"
    path.write_bytes(bytes(8192))
    assert end.position(6000) == -1
    path.write_bytes(bytes([128, 0, 200, 0, 110]).ljust(8192, b"\0"))  # the first part of a header
    assert end.position(6000) == -1
    # A file that stays like this was left by a killed process.
    with monkeypatch.context() as soon:
        soon.setattr(live_ends, "_UNSEEN_NS", -1)
        with pytest.raises(CorruptError, match="header"):
            end.position(6000)
    path.unlink()
    member.mark()
    member.count(COMMIT_POSITION, 5000)
    assert end.position(6000) == 5000
    path.write_bytes(bytes(8) + b"\1" * 8184)
    with pytest.raises(CorruptError):
        CommittedEnd(Seams(), str(member.directory)).position(6000)


def test_files_give_the_commit_position_of_a_stopped_node(log, member, end):  # noqa: F811
    begin_of_term_1 = log.bases[1][1]
    assert end.position(log.position) == begin_of_term_1
    assert end.position(320) == 320
    assert not end.is_live
    member.mark().close()  # the node has ended
    assert CommittedEnd(Seams(), str(member.directory)).position(log.position) == begin_of_term_1


def test_a_running_archives_counter_has_the_recorded_position(tmp_path, shm_dir):
    archive_dir = str(tmp_path / "archive")
    options = {
        "archive_dir": archive_dir,
        "segment_file_length": 128 * 1024,
        "control_channel_enabled": False,
        "replication_channel": "aeron:udp?endpoint=localhost:0",
        "threading_mode": "SHARED",
    }
    driver_options = {"aeron_dir": str(shm_dir / "driver"), "threading_mode": "SHARED"}
    with (
        ArchivingMediaDriver.launch(driver=driver_options, archive=options) as both,
        AeronArchive.connect(aeron_dir=both.driver.aeron_dir, **CONTROL) as archive,
        archive.add_recorded_publication("aeron:ipc?term-length=64k", 7) as publication,
    ):
        end = RecordedEnd(Seams(), archive_dir, 0)
        for count in range(1, 60):
            await_true(lambda: publication.offer(bytes(4000)) > 0, f"message {count}")
        await_true(lambda: end.position() == publication.position, "the messages are recorded")
        assert end.is_live
        position = publication.position
    # Zeros may be a torn frame if only files are read, but not if the position is known.
    assert end.position() == position
    assert not end.is_live
    end.close()


def test_a_counter_of_another_stream_is_ignored(tmp_path, member, driver):  # noqa: F811
    """Another machine's archive with the same id may use a driver in a directory of this name."""
    assert driver.aeron_dir == str(member.aeron_dir)
    written = RecordingBuilder()
    written.message(b"first")
    written.put(tmp_path, is_stopped=False)
    mark_archive(tmp_path, member.aeron_dir, 3)
    with Aeron.connect(aeron_dir=member.aeron_dir) as aeron:
        add_counter = functools.partial(aeron.add_counter, POSITION_COUNTER_TYPE, "")
        add_counter(position_key(0, written.session_id ^ 1, "aeron:ipc", 3)).set(6400)
        end = RecordedEnd(Seams(), str(tmp_path), 0)
        assert end.position() == written.position
        assert not end.is_live
        counter = add_counter(position_key(0, written.session_id, "aeron:ipc", 3))
        counter.set(written.position + 32)
        assert end.position() == written.position + 32
        assert end.is_live
        counter.close()
        await_true(lambda: end.position() == written.position, "the files have the data")
        end.close()


def test_counters_of_other_recordings_are_ignored(tmp_path, member, driver):  # noqa: F811
    assert driver.aeron_dir == str(member.aeron_dir)
    written = RecordingBuilder()
    written.message(b"first")
    written.put(tmp_path, is_stopped=False)
    mark_archive(tmp_path, member.aeron_dir, 3)
    with Aeron.connect(aeron_dir=member.aeron_dir) as aeron:
        key = position_key(1, written.session_id, "aeron:ipc", 3)
        aeron.add_counter(POSITION_COUNTER_TYPE, "", key).set(6400)
        end = RecordedEnd(Seams(), str(tmp_path), 0)
        assert end.position() == written.position
        assert not end.is_live
        end.close()
        # Another archive, with the same id, has a recording that this catalog does not.
        missing = RecordedEnd(Seams(), str(tmp_path), 1)
        with pytest.raises(ConfigurationError, match="recording_id"):
            missing.position()
        missing.close()


def allocate(counters, number, name, value):
    return counters.allocate(
        name, 100, name.encode(), now_ms=0, registration_id=number, value=value
    )


@pytest.fixture
def counters():
    return CountersManager(bytearray(8 * 512), bytearray(8 * 128), reuse_timeout_ms=0)


def find_ours(counters, _owner):
    ids = (each.counter_id for each in counters.counters(100) if each.label == "ours")
    return next(ids, None)


@pytest.mark.parametrize("registration_id", [2, 1], ids=["another registration", "the same one"])
def test_reused_counter_id_is_not_read(counters, registration_id):
    """Registration ids restart with each driver."""
    ours = allocate(counters, 1, "ours", 5000)
    counter = live_ends._Counter(find_ours)
    assert counter.value(counters, 0) == 5000
    counters.free(ours, now_ms=0)
    assert allocate(counters, registration_id, "another", 9000) == ours
    assert counter.value(counters, 0) is None


def test_an_id_reused_during_a_search_is_not_read(counters):
    allocate(counters, 1, "ours", 5000)

    def find(counters, owner):
        found = find_ours(counters, owner)
        if found is not None:
            counters.free(found, now_ms=0)
            assert allocate(counters, 2, "another", 9000) == found
        return found

    assert live_ends._Counter(find).value(counters, 0) is None
    allocate(counters, 3, "ours", 5000)
    assert archive_counters._value(counters, lambda: find(counters, 0)) is None


def test_files_give_the_recorded_position_of_a_stopped_archive(tmp_path):
    written = RecordingBuilder()
    written.message(b"first")
    written.put(tmp_path, is_stopped=False)
    end = RecordedEnd(Seams(), str(tmp_path), 0)
    assert end.position() == written.position
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        catalog.stop(0, 0, 1)
    end = RecordedEnd(Seams(), str(tmp_path), 0)
    assert end.position() == 0
