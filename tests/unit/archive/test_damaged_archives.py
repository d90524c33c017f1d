"""The directory of a stopped archive with damaged or missing files: what its tools report."""

import struct

import pytest

from aeron_cluster.archive.storage.catalog import Catalog, FrameChecksums
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.archive.storage.segment_frames import walk_frames
from aeron_cluster.archive.tools import maintenance
from aeron_cluster.archive.tools.archive_directory import ArchiveDirectory
from aeron_cluster.archive.tools.migration import LATEST, migrate, plan_migration
from aeron_cluster.archive.tools.recorded_frames import recorded_frames
from aeron_cluster.archive.tools.verification import apply_verdicts, verify
from aeron_cluster.codecs.archive import CatalogHeader, RecordingState
from aeron_cluster.errors import (
    CorruptError,
    MissingFileError,
    OperationError,
    StateError,
    VersionError,
)
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.archive.archive_files import make_archive, write_mark
from tests.unit.archive.recordings_rig import SEGMENT_LENGTH, TERM_LENGTH

FRAME_LENGTH = 1056
HEADER_LENGTH = 32
CRC = Checksum("CRC-32C")
# Offsets in a descriptor.
START_POSITION, STOP_POSITION, TERM_LENGTH_AT = 40, 48, 64


@pytest.fixture
def ends(tmp_path):
    return make_archive(tmp_path)


@pytest.fixture
def directory(tmp_path):
    return ArchiveDirectory(str(tmp_path))


def patch(path, offset, data):
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def cut(path, length):
    with path.open("r+b") as file:
        file.truncate(length)


def offset_of(directory, recording_id):
    """Return where the catalog has the frame of a recording."""
    [found] = directory.recordings(recording_id)
    return found.offset


def problems(directory, **options):
    """Return the problem of each recording."""
    return [each.problem for each in verify(directory, **options)]


# ---- verification ----


@pytest.mark.usefixtures("ends")
@pytest.mark.parametrize(
    ("offset", "data", "problem"),
    [
        (START_POSITION, struct.pack("<q", -64), "Negative startPosition=-64"),
        (START_POSITION, struct.pack("<q", 33), "Non-aligned startPosition=33"),
        (START_POSITION, struct.pack("<q", 6400), "stopPosition=3168 is before startPosition=6400"),
        (STOP_POSITION, struct.pack("<q", 3169), "Non-aligned stopPosition=3169"),
        (TERM_LENGTH_AT, struct.pack("<i", 4096), "Invalid termBufferLength=4096"),
        (TERM_LENGTH_AT, struct.pack("<i", 3 << 16), "Invalid termBufferLength=196608"),
        (TERM_LENGTH_AT, struct.pack("<i", -(2**31)), "Invalid termBufferLength=-2147483648"),
    ],
)
def test_a_descriptor_with_impossible_positions_is_invalid(
    tmp_path, directory, offset, data, problem
):
    at = offset_of(directory, 1) + HEADER_LENGTH + offset
    patch(tmp_path / "archive.catalog", at, data)
    found = problems(directory)
    assert problem in found[1]
    assert (found[0], found[2]) == ("", "")
    apply_verdicts(directory, list(verify(directory)))
    assert [each.state for each in directory.recordings()] == [
        RecordingState.VALID,
        RecordingState.INVALID,
        RecordingState.VALID,
    ]


@pytest.mark.usefixtures("ends")
def test_a_segment_without_a_position_in_its_name_is_invalid(tmp_path, directory):
    (tmp_path / "1-x.rec").write_bytes(b"")
    assert problems(directory) == [
        "",
        "no position encoded in the segment file: 1-x.rec",
        "",
    ]


@pytest.mark.parametrize(
    ("length", "problem"),
    [
        (HEADER_LENGTH // 2, "failed to read fragment header"),
        (3 * FRAME_LENGTH + HEADER_LENGTH // 2, "at 3168: failed to read fragment header"),
        (3 * FRAME_LENGTH - 32, "at 2112: failed to read 1024 byte(s) of data"),
    ],
)
def test_a_segment_that_ends_within_a_frame_is_invalid(tmp_path, directory, length, problem):
    make_archive(tmp_path, [3, 1])
    cut(tmp_path / "0-0.rec", length)
    first, second = problems(directory)
    assert problem in first
    assert first.startswith(f"{tmp_path}/0-0.rec")
    assert second == ""


@pytest.mark.usefixtures("ends")
@pytest.mark.parametrize("length", [31, TERM_LENGTH + 32])
@pytest.mark.parametrize("base", [0, SEGMENT_LENGTH])
def test_a_frame_with_an_impossible_length_is_invalid(tmp_path, directory, base, length):
    # Of the last segment only the end is searched, before its frames are checked.
    patch(tmp_path / f"0-{base}.rec", 0, struct.pack("<i", length))
    found = problems(directory, all_segments=True)
    assert f"/0-{base}.rec at 0: frame length" in found[0]
    assert str(length) in found[0]
    assert found[1:] == ["", ""]


@pytest.mark.usefixtures("ends")
def test_a_deleted_recording_is_not_verified(tmp_path, directory):
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        catalog.set_state(1, RecordingState.DELETED)
    patch(tmp_path / "1-0.rec", 8, b"\7")
    before = (tmp_path / "archive.catalog").read_bytes()
    verdicts = list(verify(directory))
    assert [(each.is_ok, each.is_skipped) for each in verdicts] == [
        (True, False),
        (False, True),
        (True, False),
    ]
    assert apply_verdicts(directory, verdicts) == 0
    assert (tmp_path / "archive.catalog").read_bytes() == before


def test_a_corrected_end_has_the_descriptors_kind_of_checksum(tmp_path, directory):
    [end] = make_archive(tmp_path, [3], checksum=CRC)
    with Catalog(SystemFiles(), str(tmp_path), checksum=CRC) as catalog:
        catalog.set_stop_position(0, FRAME_LENGTH)
    assert apply_verdicts(directory, list(verify(directory))) == 1
    assert directory.recordings(0)[0].descriptor.stop_position == end
    assert problems(directory, checksum="CRC-32C") == [""]


def test_a_wrong_checksum_stays_wrong_when_the_end_is_corrected(tmp_path, directory):
    """It is the trace of a damage in other fields."""
    [end] = make_archive(tmp_path, [3], checksum=CRC)
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:  # without updating the checksum
        catalog.set_stop_position(0, FRAME_LENGTH)
    patch(tmp_path / "archive.catalog", offset_of(directory, 0) + 8, b"1234")
    assert apply_verdicts(directory, list(verify(directory))) == 1
    [found] = directory.recordings(0)
    assert found.descriptor.stop_position == end
    assert struct.pack("<i", found.checksum) == b"1234"


# ---- frames ----


def test_frames_end_at_a_missing_segment_and_at_the_end_of_a_cut_one(tmp_path, directory):
    make_archive(tmp_path, [400])

    def positions():
        [recording] = directory.recordings(0)
        segments = directory.segments().get(0, [])
        return [position for position, _ in recorded_frames(directory, recording, segments)]

    every = positions()
    assert every[-1] >= 3 * SEGMENT_LENGTH
    (tmp_path / f"0-{SEGMENT_LENGTH}.rec").unlink()
    assert positions() == [each for each in every if each < SEGMENT_LENGTH]
    cut(tmp_path / "0-0.rec", 2 * FRAME_LENGTH + HEADER_LENGTH // 2)
    assert positions() == [0, FRAME_LENGTH]


def test_frames_before_the_start_are_omitted(tmp_path, directory):
    """As after a start that was moved and whose older segments were not deleted."""
    make_archive(tmp_path, [400])

    def positions():
        [recording] = directory.recordings(0)
        segments = directory.segments()[0]
        return [position for position, _ in recorded_frames(directory, recording, segments)]

    every = positions()
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        catalog.set_start_position(0, SEGMENT_LENGTH)
    assert positions() == [each for each in every if each >= SEGMENT_LENGTH]


@pytest.mark.parametrize("rest", [0, 16, FRAME_LENGTH - 32])
def test_a_frame_that_is_cut_is_the_last_one_and_partial(tmp_path, rest):
    make_archive(tmp_path, [5])
    length = 3 * FRAME_LENGTH + rest
    cut(tmp_path / "0-0.rec", length)
    with SystemFiles().open(f"{tmp_path}/0-0.rec") as file:
        found = [(offset, len(frame)) for offset, frame in walk_frames(file, 0, SEGMENT_LENGTH)]
    whole = [(number * FRAME_LENGTH, FRAME_LENGTH) for number in range(3)]
    assert found == whole + ([(3 * FRAME_LENGTH, rest)] if rest else [])


# ---- the mark file ----


def test_a_missing_mark_file_is_named_and_means_that_no_archive_runs(tmp_path, directory, ends):
    (tmp_path / "archive-mark.dat").unlink()
    with pytest.raises(MissingFileError, match="an archive's mark file"):
        directory.mark()
    assert not directory.is_used
    maintenance.change_state(directory, 1, RecordingState.INVALID)
    assert directory.recordings(1)[0].state is RecordingState.INVALID
    assert directory.recordings(0)[0].descriptor.stop_position == ends[0]


@pytest.mark.parametrize(
    ("fields", "error", "what"),
    [
        ({"error_buffer_length": -1}, CorruptError, "error log length"),
        ({"error_buffer_length": 2**31 - 1}, CorruptError, "error log length"),
        ({"version": 2 << 16}, VersionError, "version"),
    ],
)
def test_a_mark_file_with_impossible_fields_is_rejected(tmp_path, directory, fields, error, what):
    write_mark(tmp_path, **fields)
    with pytest.raises(error, match=what) as raised:
        directory.mark()
    assert raised.value.path == f"{tmp_path}/archive-mark.dat"


@pytest.mark.parametrize("length", [0, 7, 40])
def test_a_mark_file_that_is_too_short_is_rejected(tmp_path, directory, length):
    write_mark(tmp_path)
    cut(tmp_path / "archive-mark.dat", length)
    with pytest.raises(CorruptError, match="header") as raised:
        directory.mark(any_version=True)
    assert raised.value.path == f"{tmp_path}/archive-mark.dat"


# ---- changes ----


@pytest.mark.usefixtures("ends")
def test_an_unfinished_catalog_of_an_interrupted_change_is_replaced(tmp_path, directory):
    (tmp_path / "archive.catalog.compact").write_bytes(b"x" * 100_000)
    maintenance.change_state(directory, 0, RecordingState.INVALID)
    plan = maintenance.plan_compaction(directory)
    maintenance.compact(directory, plan)
    assert (tmp_path / "archive.catalog").stat().st_size == plan.compact_length
    assert not (tmp_path / "archive.catalog.compact").exists()
    assert [each.descriptor.recording_id for each in directory.recordings()] == [1, 2]


@pytest.mark.usefixtures("ends")
def test_compaction_without_segments_to_remove_retains_all_others(tmp_path, directory):
    for each in tmp_path.glob("1-*.rec"):
        each.unlink()
    before = sorted(tmp_path.glob("*.rec"))
    maintenance.change_state(directory, 1, RecordingState.INVALID)
    maintenance.compact(directory, maintenance.plan_compaction(directory))
    assert sorted(tmp_path.glob("*.rec")) == before
    assert [each.descriptor.recording_id for each in directory.recordings()] == [0, 2]


@pytest.mark.usefixtures("ends")
def test_no_segment_after_the_start_of_an_open_recording_is_an_orphan(tmp_path, directory):
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        catalog.set_stop_position(0, -1)
        catalog.set_start_position(0, SEGMENT_LENGTH)
    (tmp_path / f"0-{4 * SEGMENT_LENGTH}.rec").write_bytes(b"x")
    found = maintenance.plan_orphans(directory, 0)
    assert [each.segment.name for each in found] == ["0-0.rec"]


@pytest.mark.parametrize("src", [0, 1])
def test_no_segment_of_an_incomplete_migration_is_an_orphan(tmp_path, directory, src):
    """It was moved before the positions were stored, and still belongs to its source."""
    make_archive(tmp_path, [300, 300])
    moved = [(0, 1), (0, 2)] if src else [(1, 0)]
    own = (1 - src, 1 - src)
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        catalog.set_stop_position(0, SEGMENT_LENGTH)
        catalog.set_start_position(1, SEGMENT_LENGTH)
        catalog.set_stop_position(1, 3 * SEGMENT_LENGTH)
    for path in tmp_path.glob("*.rec"):
        path.unlink()
    for recording_id, number in (*moved, own, (1, 4)):
        (tmp_path / f"{recording_id}-{number * SEGMENT_LENGTH}.rec").write_bytes(b"x")
    found = maintenance.plan_orphans(directory)
    assert [each.segment.name for each in found] == ["1-524288.rec"]


@pytest.mark.usefixtures("ends")
def test_an_invalid_recording_gets_no_checksums(directory):
    maintenance.change_state(directory, 1, RecordingState.INVALID)
    with pytest.raises(OperationError, match="no recording found with recordingId: 1"):
        maintenance.plan_checksums(directory, 1)


def test_checksums_of_more_segments_extend_the_known_ones(tmp_path, directory):
    make_archive(tmp_path, [300])
    maintenance.write_checksums(directory, maintenance.plan_checksums(directory), CRC)
    last = directory.segments()[0][-1].base
    assert directory.recordings(0)[0].frames == FrameChecksums(CRC.code, last)
    plan = maintenance.plan_checksums(directory, all_segments=True)
    maintenance.write_checksums(directory, plan, CRC)
    assert directory.recordings(0)[0].frames == FrameChecksums(CRC.code, 0)
    # Those of fewer segments leave the others as they are.
    maintenance.write_checksums(directory, maintenance.plan_checksums(directory), CRC)
    assert directory.recordings(0)[0].frames == FrameChecksums(CRC.code, 0)
    assert problems(directory, all_segments=True, checksum="recorded") == [""]


def test_checksums_are_written_up_to_the_end_of_a_cut_segment(tmp_path, directory):
    make_archive(tmp_path, [3])
    cut(tmp_path / "0-0.rec", 2 * FRAME_LENGTH + HEADER_LENGTH // 2)
    rest = (tmp_path / "0-0.rec").read_bytes()[2 * FRAME_LENGTH :]
    maintenance.write_checksums(directory, maintenance.plan_checksums(directory), CRC)
    data = (tmp_path / "0-0.rec").read_bytes()
    for begin in (0, FRAME_LENGTH):
        (found,) = struct.unpack_from("<i", data, begin + 12)
        assert found == CRC(data[begin + HEADER_LENGTH : begin + FRAME_LENGTH])
    assert data[2 * FRAME_LENGTH :] == rest


# ---- migration ----


def make_old(tmp_path, version, message_counts=(200,), spare=4096):
    """Write an archive with the catalog of an early version, allocated beyond its entries."""
    make_archive(tmp_path, message_counts)
    path = tmp_path / "archive.catalog"
    with Catalog(SystemFiles(), str(tmp_path), writable=False) as catalog:
        found = list(catalog.scan())
    data = path.read_bytes()
    old = bytearray(struct.pack("<ii", version << 16, 1024).ljust(1024, b"\0"))
    for each in found:
        frame = bytearray(data[each.offset : each.offset + HEADER_LENGTH + each.length])
        struct.pack_into("<i", frame, 0, 1024 - HEADER_LENGTH)
        old += frame.ljust(1024, b"\0")
    path.write_bytes(bytes(old) + bytes(spare))
    write_mark(tmp_path, version=version << 16)


@pytest.mark.parametrize("count", [0, 3])
def test_entries_of_an_allocated_catalog_are_migrated(tmp_path, directory, count):
    make_old(tmp_path, 2, [1] * count)
    plan = migrate(directory)
    assert (plan.steps, plan.recording_count) == ((LATEST,), count)
    with Catalog(SystemFiles(), str(tmp_path), writable=False) as catalog:
        assert len(catalog) == catalog.next_recording_id == count
    assert problems(directory) == [""] * count


def test_a_catalog_of_the_latest_layout_retains_its_next_id(tmp_path, directory):
    """As after an interruption before the mark file had the new version."""
    make_archive(tmp_path, [1, 1])
    path = tmp_path / "archive.catalog"
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        catalog.set_state(1, RecordingState.DELETED)
    header = CatalogHeader.decode_body(path.read_bytes()[:HEADER_LENGTH]).as_dict()
    patch(path, 0, CatalogHeader.encode_body(**header | {"next_recording_id": 9}))
    write_mark(tmp_path, version=2 << 16)
    migrate(directory)
    with Catalog(SystemFiles(), str(tmp_path), writable=False) as catalog:
        assert catalog.next_recording_id == 9
        assert catalog.ids_from(0) == [0]


def test_segments_of_invalid_recordings_are_not_renamed(tmp_path, directory):
    make_old(tmp_path, 0)
    (tmp_path / f"0-{SEGMENT_LENGTH}.rec").rename(tmp_path / "0-1.rec")
    assert plan_migration(directory).renames == (("0-1.rec", f"0-{SEGMENT_LENGTH}.rec"),)
    patch(tmp_path / "archive.catalog", 1024 + 4, struct.pack("<i", RecordingState.INVALID))
    assert plan_migration(directory).renames == ()


def test_migration_overwrites_no_segment(tmp_path, directory):
    make_old(tmp_path, 1)
    current = tmp_path / f"0-{SEGMENT_LENGTH}.rec"
    other = tmp_path / f"0-0{SEGMENT_LENGTH}.rec"  # the same position
    other.write_bytes(b"other")
    before = current.read_bytes()
    with pytest.raises(StateError, match=f"cannot be renamed to {current.name}, which exists"):
        migrate(directory)
    assert (current.read_bytes(), other.read_bytes()) == (before, b"other")


@pytest.mark.parametrize("damage", ["missing", "short", "descriptor", "name"])
def test_a_damaged_archive_is_not_migrated(tmp_path, directory, damage):
    make_old(tmp_path, 1)
    path = tmp_path / "archive.catalog"
    error, text = CorruptError, damage
    match damage:
        case "missing":
            path.unlink()
            error, text = MissingFileError, "an archive's catalog"
        case "short":
            cut(path, HEADER_LENGTH - 1)
            text = "length"
        case "descriptor":
            cut(path, 1024 + HEADER_LENGTH + 30)
        case "name":
            (tmp_path / "0-x.rec").write_bytes(b"")
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    with pytest.raises(error, match=text):
        plan_migration(directory)
    with pytest.raises(error, match=text):
        migrate(directory)
    changed = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    changed.pop("migration-65536-to-131072.dat", None)
    assert changed == before
