"""Ends of recordings left open by a killed archive."""

import pytest

from aeron_cluster.archive import repair as archive_repair
from aeron_cluster.archive.recording.recorder import PositionSlots
from aeron_cluster.archive.repair import find_stop_position, repair
from aeron_cluster.archive.storage.catalog import Catalog, FrameChecksums
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.archive.storage.recording_reader import read_recording
from aeron_cluster.errors import CorruptError
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import SeededRandom, SystemFiles
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from tests.unit.archive.recordings_rig import DESCRIPTION, SEGMENT_LENGTH, TERM_LENGTH, Rig

PAGE = 4096


class Left:
    """The files left by a killed archive: a catalog and the segments of recording 0."""

    def __init__(self, path, start=0, checksum=None, files=None, mtu_length=1408, **options):
        self.path = path
        self.files = files or SystemFiles()
        self.checksum = checksum
        self.catalog = Catalog(self.files, str(path), capacity=4096, **options)
        self.catalog.add(start_position=start, **DESCRIPTION | {"mtu_length": mtu_length})
        self.rig = Rig(path, checksum=checksum, files=self.files)
        self.log = self.rig.log(position=start, mtu_length=mtu_length)
        self.session = self.rig.record(self.log, position=start)
        self.rig.drain()

    def offer(self, *messages):
        for message in messages:
            while self.log.offer(message) < 0:
                pass
            self.rig.drain()

    def repair(self, **known):
        self.rig.recorder.on_close()
        repair(self.files, str(self.path), self.catalog, 99, checksum=self.checksum, **known)
        return self.catalog.get(0).descriptor

    def tear(self, offset, base=0):
        """Zero everything from an offset on."""
        with (self.path / f"0-{base}.rec").open("r+b") as file:
            file.truncate(offset)
            file.truncate(SEGMENT_LENGTH)


@pytest.fixture
def left(tmp_path):
    made = Left(tmp_path)
    yield made
    made.catalog.close()


def test_a_recording_without_segments_ends_where_it_began(tmp_path):
    left = Left(tmp_path, start=64)
    left.rig.recorder.on_close()
    for segment in tmp_path.glob("*.rec"):
        segment.unlink()
    found = left.repair()
    assert (found.stop_position, found.stop_timestamp) == (64, 99)


@pytest.mark.parametrize("start", [0, 96, TERM_LENGTH + 32])
def test_a_recording_ends_after_its_last_frame(tmp_path, start):
    left = Left(tmp_path, start)
    left.offer(b"a" * 100, b"b" * 3000, b"c")
    assert left.repair().stop_position == left.session.position


def test_padding_and_segments_are_followed(left):
    while left.session.position < SEGMENT_LENGTH + 5000:
        left.offer(b"x" * 1300)
    assert left.repair().stop_position == left.session.position


def test_an_empty_last_segment_is_the_end(left):
    while left.session.position < SEGMENT_LENGTH:
        left.offer(b"x" * (1024 - 32))
    assert left.repair().stop_position == SEGMENT_LENGTH


def until_page(left):
    """Offer messages until a frame of 1024 bytes would cross a page boundary."""
    left.offer(b"1" * (512 - 32), *[b"x" * (1024 - 32)] * 3)
    return left.session.position


def test_a_last_frame_over_a_page_boundary_with_data_after_it_counts(left):
    until_page(left)
    left.offer(b"y" * (1024 - 32))
    assert left.repair().stop_position == left.session.position


def test_possibly_torn_last_frame_is_rejected_and_nothing_changes(left):
    begin = until_page(left)
    left.offer(b"y" * (1024 - 32))
    left.tear(PAGE)
    with pytest.raises(CorruptError) as raised:
        left.repair()
    assert (raised.value.path, raised.value.offset) == (f"{left.path}/0-0.rec", begin)
    assert left.catalog.get(0).descriptor.stop_position == -1


def test_unreported_torn_frame_is_truncated(left):
    begin = until_page(left)
    left.offer(b"y" * (1024 - 32))
    left.tear(PAGE)
    assert left.repair(acknowledged={0: begin}).stop_position == begin


def test_acknowledged_frame_of_zeros_is_retained(left):
    until_page(left)
    left.offer(bytes(1024 - 32))
    end = left.session.position
    assert left.repair(acknowledged={0: end}).stop_position == end


@pytest.mark.parametrize("length", [0, 1, 500, 2000, 4000])
@pytest.mark.parametrize("begin", [0, 32, 512, 2048, PAGE - 96, PAGE - 32, PAGE, PAGE + 64])
def test_last_frame_within_a_page_is_complete_with_any_data(tmp_path, begin, length):
    """A page is written completely, or not at all: zeros are data, too."""
    left = Left(tmp_path, begin, mtu_length=2 * PAGE)
    length = min(length, PAGE - begin % PAGE - 32)
    left.offer(bytes(length))
    assert left.repair().stop_position == left.session.position
    left.catalog.close()


@pytest.mark.parametrize("length", [PAGE, PAGE + 1000, 2 * PAGE - 32])
@pytest.mark.parametrize("begin", [0, 64, PAGE - 32, PAGE, PAGE + 512])
def test_long_last_frame_is_complete_if_each_of_its_pages_has_data(tmp_path, begin, length):
    left = Left(tmp_path, begin, mtu_length=2 * PAGE)
    payload = bytearray(length)
    for page in range(PAGE - begin % PAGE, 32 + length, PAGE):
        payload[page - 32] = 1
    left.offer(payload)
    assert left.repair().stop_position == left.session.position
    left.catalog.close()


# ---- frames that are missing ----


@pytest.mark.parametrize("lost", ["last-segment", "all-segments", "frames"])
def test_missing_frames_that_may_have_been_published_are_not_forgotten(left, lost):
    while left.session.position < SEGMENT_LENGTH + 5000:
        left.offer(b"x" * 1300)
    end = left.session.position
    left.rig.recorder.on_close()
    if lost == "frames":
        left.tear(0, SEGMENT_LENGTH)
    else:
        for base in (0, SEGMENT_LENGTH)[lost == "last-segment" :]:
            (left.path / f"0-{base}.rec").unlink()
    with pytest.raises(CorruptError, match=f"frames up to {end}, which may have been published"):
        left.repair(acknowledged={0: end})
    assert left.catalog.get(0).descriptor.stop_position == -1


@pytest.mark.parametrize("published", [0, 160, 320])
def test_frames_after_the_published_position_are_retained(left, published):
    left.offer(b"a" * 100, b"b" * 100, b"c" * 100)
    assert left.repair(acknowledged={0: published}).stop_position == 480


@pytest.mark.parametrize("is_complete", [True, False])
def test_a_checksum_distinguishes_a_torn_frame_from_zeros(tmp_path, is_complete):
    left = Left(tmp_path, checksum=Checksum("CRC-32"))
    begin = until_page(left)
    left.offer(bytes(1024 - 32) if is_complete else b"y" * (1024 - 32))
    if not is_complete:
        left.tear(PAGE)
    end = left.session.position
    assert left.repair(acknowledged={0: begin}).stop_position == (end if is_complete else begin)


@pytest.mark.parametrize("is_known", [True, False])
def test_a_frame_from_before_checksums_is_not_a_torn_one(tmp_path, is_known):
    left = Left(tmp_path, frame_checksum_code=2 if is_known else 0)
    begin = until_page(left)
    left.offer(b"y" * (1024 - 32))
    end = left.session.position
    left.checksum = Checksum("CRC-32C")  # of the archive that is starting now
    found = left.repair(acknowledged={0: begin}).stop_position
    assert found == (begin if is_known else end)


# ---- sectors lost with the power ----

SECTOR = 512


@pytest.fixture
def summed(tmp_path):
    """Frames with checksums, which the catalog names."""
    made = Left(tmp_path, checksum=Checksum("CRC-32C"), frame_checksum_code=2)
    yield made
    made.catalog.close()


def lose(left, begin, end):
    """Put zeros where sectors were not written."""
    with (left.path / "0-0.rec").open("r+b") as file:
        file.seek(begin)
        file.write(bytes(end - begin))


@pytest.mark.parametrize("following", [0, 3])
@pytest.mark.parametrize("lost", [1, 2], ids=["a sector", "two sectors"])
def test_a_frame_that_lacks_sectors_was_not_published_by_a_synced_archive(summed, lost, following):
    begin = until_page(summed)
    # Of its 1024 bytes half are in the page before the border.
    assert begin % PAGE == PAGE - SECTOR
    summed.offer(*[b"y" * (1024 - 32)] * (1 + following))
    if following:
        # Its first part is in a sector that was written: the second page's first sectors are lost,
        # up to the next frame.
        lose(summed, PAGE, PAGE + SECTOR)
    else:
        lose(summed, PAGE, PAGE + lost * SECTOR)
    with pytest.raises(CorruptError, match="last frame"):
        summed.repair()
    assert summed.repair(sync_level=1).stop_position == begin


def test_a_torn_page_is_detected_within_a_frame_that_crosses_no_border(summed):
    summed.offer(b"x" * (1024 - 32), b"y" * (1024 - 32))
    lose(summed, 1024 + SECTOR, PAGE)
    assert summed.repair(sync_level=1).stop_position == 1024


def test_a_damaged_frame_with_all_its_sectors_is_not_truncated(summed):
    summed.offer(b"x" * (1024 - 32), b"y" * (1024 - 32))
    lose(summed, 1024 + 64, 1024 + 128)
    with pytest.raises(CorruptError, match="a wrong checksum"):
        summed.repair(sync_level=1)


def test_a_published_frame_that_lacks_sectors_is_not_truncated(summed):
    summed.offer(*[b"y" * (1024 - 32)] * 3)
    end = summed.session.position
    lose(summed, 1024 + SECTOR, 2048)
    assert summed.repair(sync_level=1, acknowledged={0: end}).stop_position == end


def test_only_the_last_block_may_lack_sectors(tmp_path, monkeypatch):
    monkeypatch.setattr(archive_repair, "_BLOCK", 2048)
    left = Left(tmp_path, checksum=Checksum("CRC-32C"), frame_checksum_code=2)
    left.offer(*[b"y" * (1024 - 32)] * 6)
    lose(left, SECTOR, 1024)
    assert left.repair(sync_level=1).stop_position == left.session.position
    left.catalog.set_stop_position(0, -1)
    # Longer blocks were written by an archive with a higher limit.
    assert left.repair(sync_level=1, block_length_limit=8192).stop_position == 0
    left.catalog.set_stop_position(0, -1)
    lose(left, 4 * 1024 + SECTOR, 5 * 1024)
    assert left.repair(sync_level=1, block_length_limit=1024).stop_position == 4 * 1024
    left.catalog.close()


def test_an_archive_that_lost_power_in_a_write_starts_with_what_it_published():
    """For each seed of the disk, unsynced pages are new, old, or torn between sectors."""
    ends = set()
    for seed in range(40):
        files = MemoryFiles(directories=["/data"], random=SeededRandom(seed))
        left = Left(
            "/data",
            files=files,
            checksum=Checksum("CRC-32C"),
            frame_checksum_code=2,
            sync_level=1,
        )
        files.sync_directory("/data")
        left.offer(*[b"x" * 300] * 9)
        with files.open("/data/0-0.rec") as file:
            file.sync(1)
        published = left.session.position
        left.offer(*[bytes([each]) * 700 for each in range(1, 12)])
        files.lose_power()
        with Catalog(files, "/data", capacity=4096, frame_checksum_code=2) as catalog:
            repair(files, "/data", catalog, 99, sync_level=1)
            recording = catalog.get(0)
            end = recording.descriptor.stop_position
            read = [
                message
                for message, _ in read_recording(
                    files, "/data", recording.descriptor, recording.frames
                )
            ]
        assert end >= published
        assert len(read) >= 9
        ends.add(end)
    assert len(ends) > 2


@pytest.mark.parametrize("has_checksums", [False, True])
def test_padding_at_the_end_is_complete_with_its_header(tmp_path, has_checksums):
    """Nothing else of it is written: its second page has zeros alone."""
    checksum = Checksum("CRC-32C") if has_checksums else None
    left = Left(tmp_path, checksum=checksum, frame_checksum_code=2 if has_checksums else 0)
    until_page(left)
    assert left.log.append_padding(1000) > 0
    left.rig.drain()
    end = left.session.position
    assert end > PAGE
    assert left.repair(sync_level=1).stop_position == end
    left.catalog.close()


def test_frames_before_their_checksums_may_lack_sectors(summed):
    """They were recorded before an archive with checksums extended the recording."""
    summed.offer(*[b"x" * (1024 - 32)] * 6)
    summed.catalog.set_frames(0, FrameChecksums(2, 3 * 1024))
    lose(summed, 1024 + SECTOR, 2 * 1024)
    assert summed.repair(sync_level=1).stop_position == 6 * 1024
    summed.catalog.set_stop_position(0, -1)
    lose(summed, 4 * 1024 + SECTOR, 5 * 1024)
    assert summed.repair(sync_level=1).stop_position == 4 * 1024


@pytest.mark.parametrize("length", [7, TERM_LENGTH + 32])
def test_invalid_frame_length_is_rejected(left, length):
    left.offer(b"a" * 100)
    with (left.path / "0-0.rec").open("r+b") as file:
        file.write(length.to_bytes(4, "little"))
    with pytest.raises(CorruptError, match=r"0-0.rec at 0: frame length"):
        left.repair()


def test_a_detected_end_survives_a_power_loss():
    files = MemoryFiles(directories=["/data"])
    left = Left("/data", files=files, sync_level=1)
    files.sync_directory("/data")
    left.offer(*[b"x" * 1000] * 8)  # written by a process killed before it synced them
    assert files.unsynced("/data/0-0.rec") > 0
    end = left.repair(sync_level=1).stop_position
    assert end == left.session.position
    files.lose_power()
    with Catalog(files, "/data", capacity=4096) as catalog:
        descriptor = catalog.get(0).descriptor
    assert descriptor.stop_position == find_stop_position(files, "/data", descriptor) == end


def test_slots_retain_positions_until_the_end_is_stored(tmp_path):
    path = tmp_path / "slots"
    path.write_bytes(bytes(PAGE))
    with MappedFile.open(SystemFiles(), path, writable=True) as mapping:
        slots = PositionSlots(mapping, 0, 48)
        assert slots.count == 3
        rig = Rig(tmp_path)
        logs = [rig.log() for _ in range(4)]
        for number, log in enumerate(logs):
            rig.record(log, recording_id=number, slots=slots)
            log.offer(b"x" * 100 * number)
        rig.drain()
        # The fourth recording has no slot.
        assert PositionSlots.read(path.read_bytes()) == {0: 32, 1: 160, 2: 256}
        slots.note(3, 64)
        slots.release(3)
        assert PositionSlots.read(path.read_bytes()) == {0: 32, 1: 160, 2: 256}
        slots.release(1)
        assert PositionSlots.read(path.read_bytes()) == {0: 32, 2: 256}
        assert PositionSlots.read(path.read_bytes()[:15]) == {}
        rig.recorder.on_close()
        del rig, slots, logs


# ---- descriptors with a wrong checksum ----

STOP_OFFSET, STREAM_OFFSET = 32 + 32 + 48, 32 + 32 + 76
CRC = Checksum("CRC-32C")


@pytest.fixture
def stopped(tmp_path):
    """Eight messages and a stop position, all with checksums."""
    left = Left(tmp_path, checksum=CRC, frame_checksum_code=CRC.code)
    left.catalog.close()
    left.catalog = Catalog(left.files, str(tmp_path), checksum=CRC, frame_checksum_code=CRC.code)
    left.offer(*[b"%d" % number * 100 for number in range(8)])
    left.catalog.stop(0, left.session.position, 99)
    yield left
    left.catalog.close()


def patch(left, offset, data):
    left.catalog.close()
    with (left.path / "archive.catalog").open("r+b") as file:
        file.seek(offset)
        file.write(data)
    left.catalog = Catalog(left.files, str(left.path), checksum=CRC, frame_checksum_code=CRC.code)


def put_stop(left, position):
    patch(left, STOP_OFFSET, position.to_bytes(8, "little", signed=True))


@pytest.mark.parametrize("count", range(8))
def test_an_end_before_the_last_frame_is_rejected_where_its_checksum_is_wrong(stopped, count):
    put_stop(stopped, count * 160 if count else 0)
    with pytest.raises(CorruptError, match="stop position of recording 0 ") as raised:
        stopped.repair()
    assert raised.value.found == count * 160
    assert "0-0.rec" in str(raised.value)
    assert "aeron-cluster restore" in str(raised.value)
    assert stopped.catalog.get(0).descriptor.stop_position == count * 160


def test_wrong_checksum_in_the_last_frame_is_accepted_as_torn(
    stopped,
):
    end = stopped.session.position
    patch(stopped, 32 + 8, b"1234")
    assert stopped.repair().stop_position == end


@pytest.mark.parametrize("offset", [0, 20, 12, 50])
def test_incomplete_frame_after_the_end_is_ignored(stopped, offset):
    with (stopped.path / "0-0.rec").open("r+b") as file:
        file.seek(7 * 160 + offset)
        file.write(b"\xff\xff\xff\xff")
    put_stop(stopped, 7 * 160)
    assert stopped.repair().stop_position == 7 * 160


def test_stored_truncation_is_not_repeated(stopped):
    """The archive was killed before it truncated the segments; the stored end has its checksum."""
    stopped.catalog.set_stop_position(0, 320)
    assert stopped.repair().stop_position == 320


def test_a_catalog_end_without_checksums_is_accepted(stopped):
    patch(stopped, 32 + 8, bytes(4))
    put_stop(stopped, 320)
    assert stopped.repair().stop_position == 320


@pytest.mark.parametrize("length", [None, 0, 16])
def test_wrong_checksum_without_the_frames_to_check_it_is_accepted(stopped, length):
    """As after its segments were moved elsewhere."""
    end = stopped.session.position
    if length is None:
        (stopped.path / "0-0.rec").unlink()
    else:
        with (stopped.path / "0-0.rec").open("r+b") as file:
            file.truncate(length)
    patch(stopped, 32 + 8, b"1234")
    assert stopped.repair().stop_position == end


def test_stream_contradicted_by_the_first_frame_is_rejected(stopped):
    patch(stopped, STREAM_OFFSET, b"\x77")
    with pytest.raises(CorruptError, match=r"descriptor of recording 0 .*stream id"):
        stopped.repair()


def test_an_end_is_stored_with_its_checksum():
    files = MemoryFiles()
    files.make_directory("/archive", parents=True)
    with Catalog(files, "/archive", checksum=CRC) as catalog:
        catalog.add(start_position=0, **DESCRIPTION)
        before = files.read("/archive/archive.catalog")
        catalog.set_stop_position(0, 320)
        after = files.read("/archive/archive.catalog")
        assert not catalog.has_wrong_checksum(catalog.get(0))
    changed = [at for at, each in enumerate(after) if each != before[at]]
    assert set(changed) <= {*range(40, 44), *range(STOP_OFFSET, STOP_OFFSET + 8)}
