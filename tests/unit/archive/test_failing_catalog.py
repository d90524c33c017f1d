"""A recording that the catalog cannot store is rejected to its requester."""

import contextlib
import errno

import pytest

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.codecs.archive import PurgeRecordingRequest
from aeron_cluster.codecs.frame_layout import FRAME_HEADER_LENGTH, PAGE_LENGTH
from aeron_cluster.errors import ArchiveError
from aeron_cluster.memory.system.seams import SeededRandom, SystemFiles
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from tests.unit.archive.pair_rig import Pair, S
from tests.unit.archive.recordings_rig import DESCRIPTION


def at_end(recording):
    """Return the parameters of a publication that continues after a recording's first term."""
    return (
        f"init-term-id={recording.initial_term_id}|term-id={recording.initial_term_id}"
        f"|term-offset={recording.stop_position}|term-length={recording.term_buffer_length}"
        f"|mtu={recording.mtu_length}"
    )


@pytest.fixture
def side():
    made = Pair()
    yield made.src
    made.close()


@pytest.mark.parametrize(
    ("error_number", "code"),
    [(errno.EIO, ArchiveErrorCode.GENERIC), (errno.ENOSPC, ArchiveErrorCode.STORAGE_SPACE)],
)
def test_a_failed_recording_is_reported_to_its_requester_and_the_next_begins(
    side, error_number, code
):
    side.machine.files.fail("write_at", error_number)
    publication = side.archive.add_recorded_exclusive_publication("aeron:ipc", 1001)
    side.pair.run_until(lambda: side.late_errors)
    assert [each.code for each in side.late_errors] == [code]
    publication.close()
    assert side.finished(3, stream_id=1002)[0] == 0


def test_an_extension_is_rejected_and_the_recording_stays_as_it_was(side):
    recording_id, position = side.finished(3)
    before = side.archive.list_recording(recording_id)
    publication = side.aeron.add_exclusive_publication(f"aeron:ipc?{at_end(before)}", 1001)
    side.machine.files.fail("write_at", errno.EIO)
    channel = f"aeron:ipc?session-id={publication.session_id}"
    side.archive.extend_recording(recording_id, channel, 1001, auto_stop=True)
    side.pair.run_until(lambda: side.late_errors)
    assert not side.signals
    assert side.archive.get_stop_position(recording_id) == position
    side.archive.extend_recording(recording_id, channel, 1001, auto_stop=True)
    side.pair.run_until(lambda: side.signal_names() == ["EXTEND"])


def test_an_extension_waits_until_the_end_is_in_the_catalog(side):
    # Without it, nothing distinguishes the recording's own segments from files after its end.
    publication, recording_id = side.record()
    position = side.publish(publication, 3)
    side.await_recorded(recording_id, position)
    before = side.archive.list_recording(recording_id)
    side.machine.files.fail("write_at", errno.EIO, count=1 << 30)
    publication.close()
    side.pair.run_until(lambda: "STOP" in side.signal_names())
    assert side.archive.get_stop_position(recording_id) == -1
    channel = f"aeron:ipc?session-id={publication.session_id}"
    with pytest.raises(ArchiveError, match="its end is not in the catalog yet"):
        side.archive.extend_recording(recording_id, channel, 1001, auto_stop=True)
    side.machine.files.fail("write_at", errno.EIO, count=0)
    side.pair.run_until(lambda: side.archive.get_stop_position(recording_id) == position)
    ended = side.archive.list_recording(recording_id)
    assert ended.start_position == before.start_position
    publication = side.aeron.add_exclusive_publication(f"aeron:ipc?{at_end(ended)}", 1001)
    channel = f"aeron:ipc?session-id={publication.session_id}"
    side.archive.extend_recording(recording_id, channel, 1001, auto_stop=True)
    side.pair.run_until(lambda: "EXTEND" in side.signal_names())


@pytest.mark.parametrize("is_readable", [True, False])
def test_end_that_the_catalog_could_not_store_is_stored_without_a_request(side, is_readable):
    publication, recording_id = side.record()
    position = side.publish(publication, 3)
    side.await_recorded(recording_id, position)
    side.machine.files.fail("write_at", errno.EIO, count=1 << 30)
    publication.close()
    side.pair.run_until(lambda: "STOP" in side.signal_names())
    if not is_readable:
        side.machine.files.fail("read_at", errno.EIO, count=1 << 30)
        time = side.pair.world.time
        end_ns = time.now_ns + 3 * S
        side.pair.run_until(lambda: time.now_ns >= end_ns)
    side.machine.files.fail("read_at", errno.EIO, count=0)
    side.machine.files.fail("write_at", errno.EIO, count=0)

    def stored():
        with Catalog(side.machine.files, "/data", writable=False) as catalog:
            return catalog.get(recording_id).descriptor.stop_position

    assert stored() == -1
    side.pair.run_until(lambda: stored() == position)


def with_unsynced_end(side, count, stream_id):
    """Record messages, and fail to sync the end in the catalog; return the id and the positions."""
    publication, recording_id = side.record(stream_id)
    positions = [side.publish(publication, 1, start=each) for each in range(count)]
    side.await_recorded(recording_id, positions[-1])
    side.machine.files.fail("sync", errno.EIO, count=1 << 30)
    publication.close()
    side.pair.run_until(lambda: "STOP" in side.signal_names())
    assert side.archive.get_stop_position(recording_id) == positions[-1]
    return recording_id, positions


def test_end_that_was_not_synced_does_not_return_after_a_truncation():
    with contextlib.closing(Pair(src={"catalog_file_sync_level": 1})) as pair:
        side = pair.src
        recording_id, positions = with_unsynced_end(side, 3, 1001)
        side.machine.files.fail("sync", errno.EIO, count=0)
        side.archive.truncate_recording(recording_id, positions[0])
        side.await_signal("DELETE")
        pair.world.time.advance(5 * S)
        pair.drive()
        assert side.archive.get_stop_position(recording_id) == positions[0]


def test_purge_before_its_end_is_synced_delays_no_end_of_another_recording():
    with contextlib.closing(Pair(src={"catalog_file_sync_level": 1})) as pair:
        side = pair.src
        publication, recording_id = side.record(1002)
        position = side.publish(publication, 3)
        purged, _ = with_unsynced_end(side, 1, 1001)
        side.signals.clear()
        side.machine.files.fail("write_at", errno.EIO, count=1 << 30)
        side.machine.files.fail("sync", errno.EIO, count=0)
        publication.close()
        side.await_signal("STOP")
        # The next pass handles the request before it stores the ends.
        side.archive.request(PurgeRecordingRequest, recording_id=purged)
        side.machine.files.fail("write_at", errno.EIO, count=0)
        pair.run_until(lambda: side.archive.get_stop_position(recording_id) == position)
        with pytest.raises(ArchiveError, match="unknown recording"):
            side.archive.get_stop_position(purged)


@pytest.mark.parametrize("writes", range(3))
def test_a_catalog_is_complete_after_its_writer_was_killed(writes):
    files = MemoryFiles(directories=["/data"])
    with Catalog(files, "/data") as catalog:
        catalog.add(start_position=0, **DESCRIPTION)
        files.fail("write_at", errno.EIO, after=writes)
        with pytest.raises(OSError, match="Input/output"):
            catalog.add(start_position=0, **DESCRIPTION)
        killed = files.copy("/data")
    with Catalog(killed, "/data") as catalog:
        assert catalog.ids_from(0) == [0]
        recording_id = catalog.add(start_position=0, **DESCRIPTION)
        assert catalog.ids_from(0) == [0, recording_id]


@pytest.mark.parametrize("writes", range(1, 3))
def test_rest_of_a_longer_incomplete_entry_is_not_an_entry(writes):
    longer = DESCRIPTION | {"original_channel": f"aeron:ipc?alias={'x' * 600}"}
    files = MemoryFiles(directories=["/data"])
    with Catalog(files, "/data") as catalog:
        files.fail("write_at", errno.EIO, after=writes)
        with pytest.raises(OSError, match="Input/output"):
            catalog.add(start_position=0, **longer)
        killed = files.copy("/data")
    with Catalog(killed, "/data") as catalog:
        added = [catalog.add(start_position=0, **DESCRIPTION) for _ in range(2)]
        killed = killed.copy("/data")
    with Catalog(killed, "/data") as catalog:
        assert catalog.ids_from(0) == added


@pytest.mark.parametrize("writes", range(1, 3))
def test_header_of_an_entry_that_was_not_synced_does_not_cut_the_next_one(writes):
    longer = DESCRIPTION | {"original_channel": f"aeron:ipc?alias={'x' * 600}"}
    files = MemoryFiles(directories=["/data"])
    with Catalog(files, "/data", sync_level=1) as catalog:
        files.fail("sync", errno.EIO, after=1)
        with pytest.raises(OSError, match="Input/output"):
            catalog.add(start_position=0, **DESCRIPTION)
        files.fail("write_at", errno.EIO, after=writes)
        with pytest.raises(OSError, match="Input/output"):
            catalog.add(start_position=0, **longer)
        killed = files.copy("/data")
    with Catalog(killed, "/data") as catalog:
        assert catalog.ids_from(0) == []


@pytest.mark.parametrize("syncs", range(2))
@pytest.mark.parametrize("seed", range(16))
def test_a_catalog_is_complete_after_a_power_loss_during_a_write(seed, syncs):
    files = MemoryFiles(directories=["/data"], random=SeededRandom(seed))
    catalog = Catalog(files, "/data", sync_level=1)
    files.sync_directory("/data")
    for _ in range(24):  # the next entry is in another page than the catalog's header
        catalog.add(start_position=0, **DESCRIPTION)
    files.fail("sync", errno.EIO, after=syncs)
    with contextlib.suppress(OSError):
        catalog.add(start_position=0, **DESCRIPTION)
    files.fail("sync", errno.EIO, count=0)
    files.lose_power()
    with Catalog(files, "/data", sync_level=1) as again:
        ids = again.ids_from(0)
        assert ids[:24] == list(range(24))
        recording_id = again.add(start_position=0, **DESCRIPTION)
        assert again.ids_from(0) == [*ids, recording_id]


@pytest.mark.parametrize("syncs", range(4))
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("change", ["set_stop_position", "set_start_position"])
def test_power_loss_leaves_no_moved_position_with_a_wrong_checksum(change, seed, syncs):
    """With one, the frames after an end that was moved back would count as damage."""
    files = MemoryFiles(directories=["/data"], random=SeededRandom(seed))
    checksum = Checksum("CRC-32C")
    catalog = Catalog(files, "/data", sync_level=1, checksum=checksum)
    files.sync_directory("/data")
    for _ in range(22):
        last = catalog.add(start_position=0, stop_position=640, **DESCRIPTION)
    # The header of its frame is in another page than its positions.
    assert catalog.get(last).offset + FRAME_HEADER_LENGTH == PAGE_LENGTH
    files.fail("sync", errno.EIO, after=syncs)
    with contextlib.suppress(OSError):
        getattr(catalog, change)(last, 320)
    files.fail("sync", errno.EIO, count=0)
    files.lose_power()
    with Catalog(files, "/data", sync_level=1, checksum=checksum) as again:
        assert not again.has_wrong_checksum(again.get(last))


def test_extension_with_an_unsynced_descriptor_ends_again():
    pair = Pair(src={"catalog_file_sync_level": 1})
    side = pair.src
    recording_id, position = side.finished(3)
    before = side.archive.list_recording(recording_id)
    channel = f"aeron:ipc?{at_end(before)}"
    publication = side.aeron.add_exclusive_publication(channel, 1001)
    channel = f"aeron:ipc?session-id={publication.session_id}"
    side.machine.files.fail("sync", errno.EIO)
    side.archive.extend_recording(recording_id, channel, 1001, auto_stop=True)
    pair.run_until(lambda: side.late_errors)
    pair.run_until(lambda: side.archive.get_stop_position(recording_id) == position)
    side.archive.extend_recording(recording_id, channel, 1001, auto_stop=True)
    pair.run_until(lambda: side.signal_names() == ["EXTEND"])
    assert side.archive.get_stop_position(recording_id) == -1
    pair.close()


def test_catalog_is_whole_after_a_replacement_whose_directory_was_not_synced():
    files = MemoryFiles(directories=["/data"])
    catalog = Catalog(files, "/data")
    for _ in range(3):
        catalog.add(start_position=0, **DESCRIPTION)
    files.fail("sync_directory", errno.EIO)
    with pytest.raises(OSError, match=r"EIO|Input/output"):
        catalog.replace(0, original_channel="aeron:ipc?alias=" + "x" * 300)
    files.fail("sync_directory", 0)
    catalog.stop(1, 4096, 5)
    catalog.add(start_position=0, **DESCRIPTION)
    catalog.close()
    with Catalog(files, "/data") as again:
        assert [each.descriptor.recording_id for each in again] == [0, 1, 2, 3]
        assert again.get(1).descriptor.stop_position == 4096


def test_recording_extended_after_a_failed_purge_is_there_after_a_restart():
    with contextlib.closing(Pair(src={"catalog_file_sync_level": 1})) as pair:
        side = pair.src
        recording_id, _ = side.finished(3)
        ended = side.archive.list_recording(recording_id)
        side.machine.files.fail("sync", errno.EIO)
        with pytest.raises(ArchiveError, match="Input/output"):
            side.archive.purge_recording(recording_id)
        publication = side.aeron.add_exclusive_publication(f"aeron:ipc?{at_end(ended)}", 1001)
        channel = f"aeron:ipc?session-id={publication.session_id}"
        side.archive.extend_recording(recording_id, channel, 1001, auto_stop=True)
        pair.run_until(lambda: publication.is_connected)
        position = side.publish(publication, 3)
        side.await_recorded(recording_id, position)
        side.restart()
        side.connect()
        assert side.archive.get_stop_position(recording_id) == position


class Unclosable:
    """A file whose close reports an earlier error of the disk, as those of network file systems."""

    def __init__(self, file):
        self._file = file

    def __getattr__(self, name):
        return getattr(self._file, name)

    def close(self):
        self._file.close()
        raise OSError(errno.EIO, "Input/output error")


def test_catalog_is_complete_after_a_replacement_whose_old_file_cannot_be_closed(tmp_path):
    files = SystemFiles()
    catalog = Catalog(files, str(tmp_path))
    for _ in range(3):
        catalog.add(start_position=0, **DESCRIPTION)
    catalog._file = Unclosable(catalog._file)
    with pytest.raises(OSError, match="Input/output"):
        catalog.replace(0, original_channel="aeron:ipc?alias=" + "x" * 300)
    catalog.stop(1, 4096, 5)
    catalog.add(start_position=0, **DESCRIPTION)
    catalog.close()
    with Catalog(files, str(tmp_path)) as again:
        assert [each.descriptor.recording_id for each in again] == [0, 1, 2, 3]
        assert again.get(1).descriptor.stop_position == 4096


def test_a_failing_error_handler_does_not_keep_a_failed_recording_active():
    def fail(_):
        raise RuntimeError("handler")

    with contextlib.closing(Pair(src={"error_handler": fail})) as pair:
        side = pair.src
        publication, recording_id = side.record(1001, "aeron:ipc")
        position = side.publish(publication, 3)
        side.await_recorded(recording_id, position)
        side.machine.files.fail("write_at", errno.ENOSPC)
        publication.offer(b"x" * 100)
        pair.run_until(lambda: side.counter("Archive Recording Sessions") == 0)
        assert side.archive.get_stop_position(recording_id) == position
