import struct
import zlib

import pytest

from aeron_cluster.archive.storage import catalog as storage
from aeron_cluster.archive.storage.catalog import (
    CATALOG_VERSION,
    Catalog,
    CatalogFullError,
    FrameChecksums,
    joined_checksums,
)
from aeron_cluster.codecs.archive import RecordingState
from aeron_cluster.errors import CorruptError, OperationError, VersionError
from aeron_cluster.memory.system.seams import SystemFiles

DESCRIPTION = {
    "start_position": 64,
    "start_timestamp": 1000,
    "initial_term_id": -7,
    "segment_file_length": 128 * 1024,
    "term_buffer_length": 64 * 1024,
    "mtu_length": 1408,
    "session_id": 5,
    "stream_id": 33,
    "stripped_channel": "aeron:ipc",
    "original_channel": "aeron:ipc?alias=orders",
    "source_identity": "aeron:ipc",
}


@pytest.fixture
def catalog(tmp_path):
    with Catalog(SystemFiles(), str(tmp_path), capacity=4096) as opened:
        yield opened


def content(tmp_path):
    return (tmp_path / "archive.catalog").read_bytes()


def test_a_new_catalog_is_a_header_and_holes(catalog, tmp_path):
    data = content(tmp_path)
    assert struct.unpack_from("<iiqi", data) == (CATALOG_VERSION, 32, 0, 64)
    assert data[20:] == bytes(4096 - 20)
    assert len(catalog) == 0


def test_lays_a_recording_out_as_the_format_defines(catalog, tmp_path):
    assert catalog.add(**DESCRIPTION) == 0
    data = content(tmp_path)
    length, state, checksum = struct.unpack_from("<iii", data, 32)
    assert (length, state, checksum) == (160, 1, 0)
    values = struct.unpack_from("<8q6i", data, 64)
    assert values == (
        *(0, 0, 0, 1000, -1, 64, -1),
        struct.unpack("<q", struct.pack("<ii", -7, 128 * 1024))[0],
        *(64 * 1024, 1408, 5, 33),
        *(9, struct.unpack("<i", b"aero")[0]),
    )
    assert struct.unpack_from("<q", data, 8) == (1,)


def test_added_entries_survive_a_reopen(catalog, tmp_path):
    catalog.add(**DESCRIPTION)
    catalog.add(**{**DESCRIPTION, "stream_id": 34})
    catalog.stop(0, 4096, 2000)
    with Catalog(SystemFiles(), str(tmp_path), writable=False) as again:
        assert [entry.descriptor for entry in again] == [entry.descriptor for entry in catalog]
        assert again.get(0).descriptor.stop_position == 4096
        assert again.get(1).descriptor.stop_position == -1
        assert again.next_recording_id == 2


def test_an_extended_recording_is_active_under_its_new_session(catalog):
    catalog.add(**DESCRIPTION)
    catalog.stop(0, 4096, 2000)
    catalog.extend(0, control_session_id=11, correlation_id=12, session_id=13)
    descriptor = catalog.get(0).descriptor
    assert (descriptor.control_session_id, descriptor.correlation_id) == (11, 12)
    assert descriptor.session_id == 13
    assert (descriptor.stop_position, descriptor.stop_timestamp) == (-1, -1)


def test_a_deleted_recording_is_unknown_and_its_id_is_not_used_again(catalog, tmp_path):
    catalog.add(**DESCRIPTION)
    catalog.set_state(0, RecordingState.DELETED)
    with pytest.raises(OperationError, match="unknown recording id: 0") as caught:
        catalog.get(0)
    assert caught.value.code == 5
    with Catalog(SystemFiles(), str(tmp_path)) as again:
        assert 0 not in again
        assert again.add(**DESCRIPTION) == 1
        assert [entry.state for entry in again.scan()] == [
            RecordingState.DELETED,
            RecordingState.VALID,
        ]


def test_grows_by_half_until_a_recording_fits(tmp_path):
    with Catalog(SystemFiles(), str(tmp_path), capacity=256) as catalog:
        for _ in range(4):
            catalog.add(**DESCRIPTION)
        assert catalog.capacity == len(content(tmp_path)) == 864
        assert len(catalog) == 4


def test_a_full_catalog_rejects_a_recording_and_retains_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "MAX_CAPACITY", 700)
    with Catalog(SystemFiles(), str(tmp_path), capacity=256) as catalog:
        for _ in range(3):
            catalog.add(**DESCRIPTION)
        before = content(tmp_path)
        for _ in range(2):
            with pytest.raises(CatalogFullError, match="max capacity reached: 700"):
                catalog.add(**DESCRIPTION)
        assert content(tmp_path) == before
        assert (len(catalog), catalog.next_recording_id) == (3, 3)
        assert repr(catalog) == f"Catalog('{tmp_path}/archive.catalog', recordings=3)"


def test_recordings_deleted_during_an_iteration_are_omitted(catalog):
    for _ in range(4):
        catalog.add(**DESCRIPTION)
    found = []
    for each in catalog:
        found.append(each.descriptor.recording_id)
        if found == [0]:
            catalog.set_state(2, RecordingState.DELETED)
    assert found == [0, 1, 3]


def test_an_entry_erased_by_another_process_is_corrupt(catalog, tmp_path):
    catalog.add(**DESCRIPTION)
    with (tmp_path / "archive.catalog").open("r+b") as file:
        file.seek(32)
        file.write(bytes(4))
    with pytest.raises(CorruptError, match="frame length") as raised:
        catalog.get(0)
    assert raised.value.offset == 32


def test_finds_the_last_match_by_session_stream_and_fragment(catalog):
    for session_id in (5, 6, 5):
        catalog.add(**{**DESCRIPTION, "session_id": session_id})
    assert catalog.find_last(0, 5, 33, "alias=orders") == 2
    assert catalog.find_last(0, 6, 33, "") == 1
    assert catalog.find_last(2, 6, 33, "") == -1
    assert catalog.find_last(0, 5, 33, "alias=other") == -1


def test_a_checksum_covers_descriptor_and_padding_after_each_change(tmp_path):
    def crc(data):
        return struct.unpack("<i", struct.pack("<I", zlib.crc32(data)))[0]

    with Catalog(SystemFiles(), str(tmp_path), checksum=crc) as catalog:
        catalog.add(**DESCRIPTION)
        catalog.stop(0, 4096, 2000)
        length, _, stored = struct.unpack_from("<iii", content(tmp_path), 32)
        assert stored == crc(content(tmp_path)[64 : 64 + length])


def damage(tmp_path, offset, data):
    path = tmp_path / "archive.catalog"
    whole = bytearray(path.read_bytes())
    whole[offset : offset + len(data)] = data
    path.write_bytes(whole)
    return bytes(whole)


@pytest.mark.parametrize(
    ("offset", "data", "error", "at", "what"),
    [
        (0, struct.pack("<i", 2 << 16), VersionError, 0, "version"),
        (4, struct.pack("<i", 31), CorruptError, 4, "header length"),
        (16, struct.pack("<i", 48), CorruptError, 16, "alignment"),
        (8, struct.pack("<q", 1), CorruptError, 8, "next recording id"),
        (32, struct.pack("<i", 79), CorruptError, 32, "frame length"),
        (36, struct.pack("<i", 7), CorruptError, 32, "frame header"),
        (32, struct.pack("<i", 1 << 30), CorruptError, 32, "frame length"),
        (64 + 80, struct.pack("<I", 1 << 20), CorruptError, 64, "descriptor"),
        (224 + 32 + 16, struct.pack("<q", 0), CorruptError, 224, "recording id"),
    ],
)
def test_rejects_damage_with_its_offset_and_changes_nothing(
    tmp_path, offset, data, error, at, what
):
    with Catalog(SystemFiles(), str(tmp_path), capacity=4096) as catalog:
        catalog.add(**DESCRIPTION)
        catalog.add(**DESCRIPTION)
    damaged = damage(tmp_path, offset, data)
    with pytest.raises(error) as caught:
        Catalog(SystemFiles(), str(tmp_path))
    assert (caught.value.offset, caught.value.what) == (at, what)
    assert content(tmp_path) == damaged


class Watched(SystemFiles):
    """Files with a callback at the first read of a catalog."""

    def __init__(self, then):
        self.then = [then]

    def open(self, path, **options):
        return WatchedFile(super().open(path, **options), self.then)


class WatchedFile:
    def __init__(self, file, then):
        self.file = file
        self.then = then
        self.length = file.length

    def close(self):
        self.file.close()

    def read_at(self, length, offset):
        found = self.file.read_at(length, offset)
        if self.then:
            self.then.pop()()
        return found


@pytest.mark.parametrize("count", [1, 3])
def test_recordings_added_during_a_read_are_not_damage(tmp_path, count):
    with Catalog(SystemFiles(), str(tmp_path), capacity=4096) as catalog:
        catalog.add(**DESCRIPTION)
        files = Watched(lambda: [catalog.add(**DESCRIPTION) for _ in range(count)])
        with Catalog(files, str(tmp_path), writable=False) as read:
            assert [each.descriptor.recording_id for each in read] == list(range(count + 1))


def test_recording_id_not_counted_by_java_yet_is_not_damage_to_readers(tmp_path):
    with Catalog(SystemFiles(), str(tmp_path), capacity=4096) as catalog:
        catalog.add(**DESCRIPTION)
        catalog.add(**DESCRIPTION)
    damage(tmp_path, 8, struct.pack("<q", 1))
    with Catalog(SystemFiles(), str(tmp_path), writable=False) as read:
        assert (len(read), read.next_recording_id) == (2, 2)
    (tmp_path / "other").mkdir()
    with Catalog(SystemFiles(), str(tmp_path / "other"), capacity=4096) as catalog:
        for _ in range(3):
            catalog.add(**DESCRIPTION)
    damage(tmp_path / "other", 8, struct.pack("<q", 1))
    with pytest.raises(CorruptError, match="next recording id 1, expected more than 2"):
        Catalog(SystemFiles(), str(tmp_path / "other"), writable=False)


def test_rejects_a_file_shorter_than_its_header(tmp_path):
    (tmp_path / "archive.catalog").write_bytes(b"not a catalog")
    with pytest.raises(CorruptError, match="length 13"):
        Catalog(SystemFiles(), str(tmp_path))
    assert content(tmp_path) == b"not a catalog"


@pytest.mark.parametrize("lost", ["the file", "its content", "the newest recording"])
def test_rejects_reuse_of_ids_with_existing_segments(tmp_path, lost):
    path = tmp_path / "archive.catalog"
    with Catalog(SystemFiles(), str(tmp_path), capacity=4096) as catalog:
        catalog.add(**DESCRIPTION)
        older = path.read_bytes()
        catalog.add(**DESCRIPTION)
    (tmp_path / "1-65536.rec").write_bytes(bytes(100))
    (tmp_path / "2-0.rec.new").write_bytes(b"")
    if lost == "the file":
        path.unlink()
    else:
        path.write_bytes(older if lost == "the newest recording" else b"")
    before = path.read_bytes() if path.exists() else b""
    with pytest.raises(CorruptError, match="expected more than 1, which has segments"):
        Catalog(SystemFiles(), str(tmp_path))
    assert content(tmp_path) == before


@pytest.mark.parametrize("count", [0, 1, 2])
def test_rejects_a_file_truncated_between_two_recordings(tmp_path, count):
    path = tmp_path / "archive.catalog"
    with Catalog(SystemFiles(), str(tmp_path), capacity=4096) as catalog:
        offsets = []
        for recording_id in range(3):
            catalog.add(**DESCRIPTION)
            offsets.append(catalog.get(recording_id).offset)
            (tmp_path / f"{recording_id}-0.rec").write_bytes(b"")
    cut = path.read_bytes()[: offsets[count]]
    path.write_bytes(cut)
    with pytest.raises(CorruptError, match=f"expected the frame of recording {count}") as caught:
        Catalog(SystemFiles(), str(tmp_path))
    assert caught.value.offset == len(cut)
    assert content(tmp_path) == cut
    for recording_id in range(count, 3):
        (tmp_path / f"{recording_id}-0.rec").unlink()
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:  # as after a compaction
        assert catalog.add(**DESCRIPTION) == 3


def test_a_catalog_without_a_header_is_created_again(tmp_path):
    (tmp_path / "archive.catalog").write_bytes(bytes(4096))
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        assert catalog.add(**DESCRIPTION) == 0


def test_catalog_records_the_start_of_checksums(tmp_path):
    files = SystemFiles()
    with Catalog(files, str(tmp_path), capacity=4096, frame_checksum_code=2) as catalog:
        assert catalog.get(catalog.add(**DESCRIPTION)).frames == FrameChecksums(2, 64, 64)
        catalog.stop(0, 640, 1)
        catalog.extend(0, 1, 2, 77)
        assert catalog.get(0).frames == FrameChecksums(2, 64, 640)
        catalog.stop(0, 1280, 1)
        catalog.replace(0, original_channel="aeron:ipc?alias=" + "a" * 200)
        assert catalog.get(0).frames == FrameChecksums(2, 64, 640)
    with Catalog(files, str(tmp_path), writable=False) as catalog:
        assert catalog.get(0).frames == FrameChecksums(2, 64, 640)


def test_an_older_recording_has_checksums_from_its_extension_on(tmp_path):
    files = SystemFiles()
    with Catalog(files, str(tmp_path), capacity=4096) as catalog:
        assert catalog.get(catalog.add(**DESCRIPTION)).frames is None
        catalog.stop(0, 640, 1)
    with Catalog(files, str(tmp_path), frame_checksum_code=2) as catalog:
        assert catalog.get(0).frames is None
        catalog.extend(0, 1, 2, 77)
        assert catalog.get(0).frames == FrameChecksums(2, 640, 640)


@pytest.mark.parametrize("code", [0, 1])
def test_a_recording_extended_by_another_archive_has_no_known_checksums_before(tmp_path, code):
    files = SystemFiles()
    with Catalog(files, str(tmp_path), capacity=4096, frame_checksum_code=2) as catalog:
        catalog.add(**DESCRIPTION)
        catalog.stop(0, 640, 1)
    with Catalog(files, str(tmp_path), frame_checksum_code=code) as catalog:
        catalog.extend(0, 1, 2, 77)
        assert catalog.get(0).frames == (FrameChecksums(1, 640, 640) if code else None)


def test_extension_by_java_with_unchanged_bytes_is_detected(tmp_path):
    files = SystemFiles()
    with Catalog(files, str(tmp_path), capacity=4096, frame_checksum_code=2) as catalog:
        catalog.add(**DESCRIPTION)
        catalog.stop(0, 640, 1)
    with (tmp_path / "archive.catalog").open("r+b") as file:
        file.seek(32 + 32 + 72)
        file.write(struct.pack("<i", 78))
    with Catalog(files, str(tmp_path), frame_checksum_code=2) as catalog:
        assert catalog.get(0).frames is None
        catalog.extend(0, 1, 2, 79)
        assert catalog.get(0).frames == FrameChecksums(2, 640, 640)


def test_a_truncated_recording_has_checksums_from_its_new_end_on(tmp_path):
    files = SystemFiles()
    with Catalog(files, str(tmp_path), capacity=4096) as catalog:
        catalog.add(**DESCRIPTION)
        catalog.stop(0, 640, 1)
    with Catalog(files, str(tmp_path), frame_checksum_code=2) as catalog:
        catalog.extend(0, 1, 2, 77)
        catalog.stop(0, 1280, 1)
        catalog.set_stop_position(0, 320)
        catalog.extend(0, 1, 2, 78)
        assert catalog.get(0).frames == FrameChecksums(2, 320, 320)


def test_older_catalog_does_not_record_the_start_of_the_last_stream(tmp_path):
    files = SystemFiles()
    with Catalog(files, str(tmp_path), capacity=4096, frame_checksum_code=2) as catalog:
        catalog.add(**DESCRIPTION)
    with (tmp_path / "archive.catalog").open("r+b") as file:
        file.seek(32 + 25)
        file.write(bytes(6))
    with Catalog(files, str(tmp_path)) as catalog:
        assert catalog.get(0).frames == FrameChecksums(2, 64)


def test_stream_beginning_beyond_the_checksums_range_is_unknown(tmp_path):
    begin = 2**31 * 2**30 - 32
    with Catalog(SystemFiles(), str(tmp_path), frame_checksum_code=2) as catalog:
        catalog.add(**DESCRIPTION | {"start_position": begin})
        assert catalog.get(0).frames == FrameChecksums(2, begin)


@pytest.mark.parametrize(
    ("field_offset", "form", "values", "what"),
    [
        (60, "<i", (0, -65536, 3 << 16, -(2**31), 2**31 - 1, 32 * 1024), "segment length"),
        (64, "<i", (0, 1, 32 * 1024, 65 * 1024, -65536, -(2**31)), "term length"),
        (68, "<i", (0, 31, 1409, 65504 + 32, -1408), "mtu"),
        (40, "<q", (-64, 65, -(2**63)), "start position"),
        (48, "<q", (32, 641, -2, -(2**63)), "stop position"),
    ],
)
def test_invalid_descriptor_is_rejected(tmp_path, field_offset, form, values, what):
    files = SystemFiles()
    with Catalog(files, str(tmp_path), capacity=4096) as catalog:
        catalog.add(**DESCRIPTION | {"segment_file_length": 64 * 1024})
        catalog.stop(0, 640, 1)
    good = content(tmp_path)
    for value in values:
        data = bytearray(good)
        struct.pack_into(form, data, 64 + field_offset, value)
        (tmp_path / "archive.catalog").write_bytes(data)
        with pytest.raises(CorruptError, match=f"{what} of recording 0") as raised:
            Catalog(files, str(tmp_path))
        assert (raised.value.offset, raised.value.found) == (64, value)
        assert "docs/operating.md" in str(raised.value)
        # Readers decide for themselves which entries they skip.
        Catalog(files, str(tmp_path), writable=False).close()
    (tmp_path / "archive.catalog").write_bytes(good)
    Catalog(files, str(tmp_path)).close()


def test_a_purged_descriptor_may_have_any_content(tmp_path):
    files = SystemFiles()
    with Catalog(files, str(tmp_path), capacity=4096) as catalog:
        catalog.add(**DESCRIPTION)
        catalog.set_state(0, RecordingState.DELETED)
    data = bytearray(content(tmp_path))
    struct.pack_into("<i", data, 64 + 64, 0)
    (tmp_path / "archive.catalog").write_bytes(data)
    with Catalog(files, str(tmp_path)) as catalog:
        assert len(catalog) == 0


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (None, None, None),
        (FrameChecksums(2, 0, 0), None, None),
        (None, FrameChecksums(2, 640, 640), FrameChecksums(2, 640, 640)),
        (None, FrameChecksums(2, 64), FrameChecksums(2, 640)),
        (FrameChecksums(2, 64, 320), FrameChecksums(2, 640, 640), FrameChecksums(2, 64, 640)),
        (FrameChecksums(2, 64, 64), FrameChecksums(2, 64, 64), FrameChecksums(2, 64, 640)),
        (FrameChecksums(2, 960, 64), FrameChecksums(2, 64, 960), FrameChecksums(2, 640, 960)),
        (FrameChecksums(2, 64, 64), FrameChecksums(2, 960, 960), FrameChecksums(2, 960, 960)),
        (FrameChecksums(1, 64, 64), FrameChecksums(2, 640, 640), FrameChecksums(2, 640, 640)),
    ],
)
def test_joined_recordings_retain_only_common_checksum_knowledge(first, second, expected, catalog):
    found = joined_checksums(first, second, 640)
    assert found == expected
    catalog.add(**DESCRIPTION)
    catalog.set_frames(0, found)
    assert catalog.get(0).frames == expected
