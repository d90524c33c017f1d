"""Recordings as Arrow: all columns and selections, for any content of the segments."""

import itertools
import pickle
import struct
import zlib
from dataclasses import replace

import pytest

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.errors import ConfigurationError, CorruptError, MissingFileError, SegmentError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline import read_recording
from aeron_cluster.pipeline.columns.column_definitions import RECORDING_COLUMNS
from aeron_cluster.pipeline.read import Rows
from aeron_cluster.pipeline.scan import frame_boundaries
from aeron_cluster.pipeline.sources.plans import cut_plan
from tests.unit.pipeline.growing import Growing
from tests.unit.pipeline.recording_builder import BEGIN, DATA, END, TERM, RecordingBuilder, aligned

pa = pytest.importorskip("pyarrow")

PLACES = ["position", "end_position", "flags", "payload"]
SESSION_ID_OFFSET = 12


def rows(table):
    return list(zip(*(table[name].to_pylist() for name in PLACES), strict=True))


def some(start=0, count=300, **options):
    written = RecordingBuilder(start, **options)
    for index in range(count):
        written.message(bytes([index % 251]) * (index * 37 % 4000), reserved=index)
    return written


def test_every_column_equals_the_frames_values(tmp_path):
    written = some()
    written.put(tmp_path)
    table = read_recording(tmp_path).table()
    assert table.schema.names == [column.name for column in RECORDING_COLUMNS]
    assert table.schema.field("flags").type == pa.int16()
    assert not any(field.nullable for field in table.schema)
    expected = written.messages()
    assert rows(table) == expected
    by_position = {frame.position: frame for frame in written.frames}
    first = [by_position[position] for position, *_ in expected]
    assert table["reserved_value"].to_pylist() == [frame.reserved for frame in first]
    assert table["term_id"].to_pylist() == [7 + frame.position // TERM for frame in first]
    assert table["term_offset"].to_pylist() == [frame.position % TERM for frame in first]
    assert table["frame_length"].to_pylist() == [32 + len(payload) for *_, payload in expected]
    assert set(table["session_id"].to_pylist()) == {11}
    assert set(table["stream_id"].to_pylist()) == {100}
    assert set(table["recording_id"].to_pylist()) == {0}


def test_frames_are_rows_unless_messages_are_requested(tmp_path):
    written = some()
    written.put(tmp_path)
    table = read_recording(tmp_path, assembled=False, columns=[*PLACES, "frame_length"]).table()
    assert rows(table) == written.whole_frames()
    lengths = [frame.length for frame in written.frames if frame.kind == DATA]
    assert table["frame_length"].to_pylist() == lengths


def test_only_the_requested_columns_are_read_in_their_order(tmp_path):
    some().put(tmp_path)
    table = read_recording(tmp_path, columns=["payload", "position"]).table()
    assert table.schema.names == ["payload", "position"]
    with pytest.raises(ConfigurationError, match=r"columns: expected some of .*, found 'price'"):
        read_recording(tmp_path, columns=["price"])
    with pytest.raises(ConfigurationError, match="each name once"):
        read_recording(tmp_path, columns=["position", "position"])


def test_batches_are_bounded_in_rows_and_in_bytes(tmp_path):
    written = RecordingBuilder(terms_per_segment=16)
    for _ in range(20_000):
        written.message(b"x")
    written.put(tmp_path)
    counts = [batch.num_rows for batch in read_recording(tmp_path).batches()]
    assert counts == [16384, 20_000 - 16384]

    large = RecordingBuilder(term_length=4 * 1024 * 1024, max_payload=60_000)
    for _ in range(12):
        large.message(bytes(500_000))
    large.put(tmp_path)
    batches = [batch.num_rows for batch in read_recording(tmp_path, 1).batches()]
    assert batches == [8, 4]
    # Without payload columns, only the row count limits a batch.
    only = read_recording(tmp_path, 1, columns=["position"])
    assert [batch.num_rows for batch in only.batches()] == [12]


def test_a_message_longer_than_a_batch_is_a_batch(tmp_path):
    written = RecordingBuilder(
        term_length=64 * 1024 * 1024, terms_per_segment=1, max_payload=60_000
    )
    written.message(b"a").message(bytes(range(256)) * 24_000).message(b"b")
    written.put(tmp_path)
    reading = read_recording(tmp_path)
    assert [batch.num_rows for batch in reading.batches()] == [1, 1, 1]
    assert rows(reading.table()) == written.messages()


def test_padding_and_aborted_claims_are_skipped(tmp_path):
    written = RecordingBuilder()
    written.message(b"a").aborted(96).message(b"b").aborted(32)
    written.aborted(written.room).message(b"c")
    written.put(tmp_path)
    table = read_recording(tmp_path).table()
    assert table["payload"].to_pylist() == [b"a", b"b", b"c"]


def test_parts_of_messages_are_dropped_as_javas_readers_do(tmp_path):
    written = RecordingBuilder()
    written.frame(b"no begin", 0).frame(b"no begin", END).message(b"whole")
    written.frame(b"no end", BEGIN).frame(b"begins anew", BEGIN).frame(b", ends", END)
    written.frame(b"aborted", BEGIN).aborted(64).frame(b"too late", END)
    written.frame(b"interrupted", BEGIN).message(b"x").frame(b"too late", END)
    written.frame(b"over the end of the recording", BEGIN)
    written.put(tmp_path)
    table = read_recording(tmp_path).table()
    assert table["payload"].to_pylist() == [b"whole", b"begins anew, ends", b"x"]
    assert rows(table) == written.messages()
    frames = read_recording(tmp_path, assembled=False).table()
    assert rows(frames) == written.whole_frames()


def test_message_without_its_end_is_dropped_at_the_end_of_a_part(tmp_path):
    written = RecordingBuilder()
    written.message(b"first")
    written.frame(b"half", BEGIN)
    end = written.position
    written.message(b"after the part")
    written.put(tmp_path)
    reading = read_recording(tmp_path, to_position=end)
    assert reading.table()["payload"].to_pylist() == [b"first"]


def test_message_longer_than_any_publications_is_dropped(tmp_path):
    part = bytes(65_472)
    count = 2**24 // len(part)
    written = RecordingBuilder(term_length=2**25, terms_per_segment=1, max_payload=len(part))
    for more in (0, 1):
        written.frame(part, BEGIN)
        for _ in range(count - 1 + more):
            written.frame(part, 0)
        written.frame(b"end", END)
        written.aborted(written.room)
    written.message(b"after")
    written.put(tmp_path)
    lengths = [len(each) for each in read_recording(tmp_path).table()["payload"].to_pylist()]
    assert lengths == [count * len(part) + 3, 5]


@pytest.mark.parametrize(
    "lengths",
    [(5000, 300_000, 3, 5000, 600_000), (3000, 63_000, 5000, 3000)],
    ids=["long", "just too long together"],
)
def test_long_message_follows_those_of_the_same_batch(tmp_path, lengths):
    written = RecordingBuilder(term_length=16 * TERM)
    for length in lengths:
        written.message(bytes([length % 251]) * length)
    written.put(tmp_path)
    assert rows(read_recording(tmp_path).table()) == written.messages()


def test_a_message_may_be_of_two_sessions(tmp_path):
    """Such a message is partly from a replay, at a member that catches up."""
    written = RecordingBuilder().message(b"a").message(b"b" * 3000).message(b"c")
    written.put(tmp_path)
    _, begin, middle, end, _ = written.frames
    for frame in (middle, end):
        written.damage(tmp_path, frame.position + SESSION_ID_OFFSET, struct.pack("<i", 12))
    rows = read_recording(tmp_path).table()
    assert rows["payload"].to_pylist() == [b"a", b"b" * 3000, b"c"]
    assert rows["session_id"].to_pylist() == [11, 11, 11]
    assert rows["position"].to_pylist()[1] == begin.position
    frames = read_recording(tmp_path, assembled=False).table()
    assert frames["session_id"].to_pylist() == [11, 11, 12, 12, 11]


def test_no_message_crosses_the_end_of_a_term(tmp_path):
    written = RecordingBuilder()
    while written.room > 1408:
        written.frame(bytes(1376))
    written.frame(bytes(written.room - 32), BEGIN).frame(b"of the next term", END).message(b"x")
    written.put(tmp_path)
    assert rows(read_recording(tmp_path).table()) == written.messages()
    assert written.messages()[-1][3] == b"x"


@pytest.mark.parametrize("start", [0, 96, TERM, 3 * TERM + 4096])
def test_a_recording_may_begin_anywhere(tmp_path, start):
    written = some(start)
    written.put(tmp_path)
    assert rows(read_recording(tmp_path).table()) == written.messages()


def test_part_by_position_has_the_messages_beginning_in_it(tmp_path):
    written = some(96)
    written.put(tmp_path)
    places = sorted({frame.position for frame in written.frames})
    for begin, end in ((0, places[5]), (places[5] + 1, places[40]), (places[9], places[9] + 1)):
        table = read_recording(tmp_path, from_position=begin, to_position=end).table()
        assert rows(table) == written.messages(begin, end)
    assert read_recording(tmp_path, from_position=written.position).table().num_rows == 0
    with pytest.raises(ConfigurationError, match="to_position"):
        read_recording(tmp_path, from_position=64, to_position=32)


def test_a_part_by_terms_is_those_terms(tmp_path):
    written = some(96, initial_term_id=2**31 - 2)
    written.put(tmp_path)
    table = read_recording(tmp_path, from_term=2**31 - 1, to_term=-(2**31) + 1).table()
    assert rows(table) == written.messages(TERM, 3 * TERM)
    assert set(table["term_id"].to_pylist()) == {2**31 - 1, -(2**31)}
    with pytest.raises(ConfigurationError, match="term"):
        read_recording(tmp_path, from_term=2**31 - 3)


@pytest.mark.parametrize("term", [6, 7 + 2**40, -(2**31) - 1])
def test_term_outside_of_the_stream_is_rejected(tmp_path, term):
    some(count=20).put(tmp_path)
    with pytest.raises(ConfigurationError, match="term: expected an id"):
        read_recording(tmp_path, from_term=term)


def test_a_checksum_is_no_session_id(tmp_path):
    """T25: with checksums the session id field in files is not a session id."""
    written = some(count=30, session_id=-99)
    written.put(tmp_path, checksum=lambda data: zlib.crc32(data) - 2**31)
    for frame in written.frames:
        written.damage(tmp_path, frame.position + 12, struct.pack("<I", zlib.crc32(frame.payload)))
    table = read_recording(tmp_path, sessions=[-99]).table()
    assert table["session_id"].to_pylist() == [-99] * 30


def checked(tmp_path, name="CRC-32C"):
    """Write a recording like an archive with record checksums."""
    checksum = Checksum(name)
    written = some(count=60, session_id=-99)
    written.put(tmp_path, checksum=checksum)
    for frame in written.frames:
        if frame.kind == DATA:
            behind = frame.payload.ljust(aligned(frame.length) - 32, b"\0")
            written.damage(tmp_path, frame.position + 12, struct.pack("<i", checksum(behind)))
    return written


@pytest.mark.parametrize("name", ["CRC-32", "CRC-32C", "org.agrona.checksum.Crc32c"])
@pytest.mark.parametrize("assembled", [True, False])
def test_frames_are_checked_by_their_checksums(tmp_path, name, assembled):
    written = checked(tmp_path, name)
    reading = read_recording(tmp_path, checksum=name, assembled=assembled)
    assert rows(reading.table()) == (written.messages() if assembled else written.whole_frames())
    assert pickle.loads(pickle.dumps(reading.plan)) == reading.plan


def test_long_frames_are_checked_in_whole(tmp_path):
    checksum = Checksum("CRC-32C")
    written = RecordingBuilder(term_length=4 * TERM, max_payload=40_001)
    for index in range(12):
        written.message(bytes([index + 1]) * 40_001)
    written.put(tmp_path, checksum=checksum)
    for frame in written.frames:
        if frame.kind == DATA:
            covered = frame.payload.ljust(aligned(frame.length) - 32, b"\0")
            value = struct.pack("<i", checksum(covered))
            written.damage(tmp_path, frame.position + SESSION_ID_OFFSET, value)
    assert rows(read_recording(tmp_path, checksum="CRC-32C").table()) == written.messages()
    last = written.frames[-1]
    # The last byte of the alignment is covered, too.
    written.damage(tmp_path, written.position - 1, b"y")
    with pytest.raises(SegmentError, match="checksum") as caught:
        read_recording(tmp_path, checksum="CRC-32C").table()
    assert caught.value.resume_position == written.position
    assert written.position > last.position + last.length


def test_a_frame_with_another_checksum_is_damage(tmp_path):
    written = checked(tmp_path)
    first, bad, *_ = [f for f in written.frames if len(f.payload) == 1376]
    written.damage(tmp_path, bad.position + 32 + 1000, b"?")
    assert read_recording(tmp_path).table().num_rows == 60
    with pytest.raises(SegmentError) as caught:
        read_recording(tmp_path, checksum="CRC-32C").table()
    error = caught.value
    assert (error.what, error.offset, error.recording_id) == ("checksum", bad.position + 12, 0)
    assert error.resume_position == bad.position + 1408

    # The frame is left out, and with it the message it belongs to.
    reading = read_recording(tmp_path, checksum="CRC-32C", mode="permissive")
    found = rows(reading.table())
    rest = [row for row in written.messages() if not row[0] <= bad.position < row[1]]
    assert found == rest
    assert len(rest) == 59
    (gap,) = reading.left_out
    assert (gap.from_position, gap.to_position) == (bad.position, bad.position + 1408)
    for length in (100, 1500, 5000):
        parts = Rows(SystemFiles(), cut_plan(SystemFiles(), reading.plan, length))
        assert rows(parts.table()) == rest
        assert parts.left_out == (gap,)
    assert first.position < bad.position


def test_checksum_is_accepted_only_for_an_archive_with_it(tmp_path):
    some(count=3).put(tmp_path / "without")
    with pytest.raises(ConfigurationError, match="records with checksums"):
        read_recording(tmp_path / "without", checksum="CRC-32C")
    checked(tmp_path / "with")
    with pytest.raises(ConfigurationError, match="checksum"):
        read_recording(tmp_path / "with", checksum="CRC-64")
    with pytest.raises(SegmentError, match="checksum"):
        read_recording(tmp_path / "with", checksum="CRC-32").table()


def test_a_part_by_sessions(tmp_path):
    first = some(count=10)
    second = some(count=20, session_id=-5)
    first.put(tmp_path)
    second.put(tmp_path)
    assert read_recording(tmp_path, sessions=[-5]).table()["recording_id"].to_pylist() == [1] * 20
    assert read_recording(tmp_path, sessions=[]).table().num_rows == 0
    assert read_recording(tmp_path, [1, 0]).table().num_rows == 30
    with pytest.raises(
        ConfigurationError, match=r"recording_id: expected one of .*: 0, 1, found 2"
    ):
        read_recording(tmp_path, 2)


def test_a_growing_recording_ends_where_it_ended_when_planned(tmp_path):
    written = some(96)
    written.put(tmp_path, is_stopped=False)
    reading = read_recording(tmp_path)
    assert rows(reading.table()) == written.messages()
    assert reading.plan.ranges[0].to_position == written.position


@pytest.mark.parametrize("start", [0, 96, 5 * TERM])
def test_a_recording_without_frames_has_no_rows(tmp_path, start):
    RecordingBuilder(start).put(tmp_path, is_stopped=False)
    assert read_recording(tmp_path).table().num_rows == 0
    RecordingBuilder(start).put(tmp_path)
    assert read_recording(tmp_path).table().num_rows == 0


def test_possibly_torn_frame_is_the_end(tmp_path):
    written = RecordingBuilder(max_payload=16384)
    written.message(b"a").message(b"\1" * 10_000)
    written.put(tmp_path, is_stopped=False)
    assert read_recording(tmp_path).table().num_rows == 2
    written.damage(tmp_path, 4096, bytes(4096))
    assert read_recording(tmp_path).table()["payload"].to_pylist() == [b"a"]


def test_damage_at_the_end_of_an_unstopped_recording(tmp_path):
    written = some()
    written.put(tmp_path, is_stopped=False)
    place = written.frames[-3].position
    written.damage(tmp_path, place, struct.pack("<i", 7))
    with pytest.raises(SegmentError, match="frame length 7, expected"):
        read_recording(tmp_path)
    permissive = read_recording(tmp_path, mode="permissive")
    assert rows(permissive.table()) == [row for row in written.messages() if row[1] <= place]
    (left_out,) = permissive.left_out
    assert left_out.from_position == place
    assert left_out.to_position == place - place % TERM + TERM


@pytest.mark.parametrize("what", ["a frame", "a page", "a term's first frame", "the file's end"])
def test_zeros_before_frames_are_no_end_of_an_unstopped_recording(tmp_path, what):
    written = some()
    written.put(tmp_path, is_stopped=False)
    first = written.position - written.position % TERM
    places = [frame.position for frame in written.frames if frame.position > first]
    place, length, text = places[1], 32, "frame length 0, expected"
    match what:
        case "a page":
            length = 4096
        case "a term's first frame":
            place = first
    written.damage(tmp_path, place, bytes(length))
    if what == "the file's end":
        text = "length of the file"
        with written.segment(tmp_path, place).open("r+b") as file:
            file.truncate(place - written.base(place))
    with pytest.raises(SegmentError, match=text):
        read_recording(tmp_path)
    permissive = read_recording(tmp_path, mode="permissive")
    assert rows(permissive.table()) == [row for row in written.messages() if row[1] <= place]
    (left_out,) = permissive.left_out
    assert left_out.from_position == place
    assert left_out.to_position >= first + TERM


def test_data_written_during_the_search_for_its_end_is_no_damage(tmp_path, monkeypatch):
    """A walk found zeros, with frames after them at the next look."""
    written = some()
    written.put(tmp_path, is_stopped=False)
    growing = Growing(written, tmp_path)
    look = frame_boundaries._has_frame_after
    looks = []

    def look_later(*about):
        if not looks:
            written.message(b"a").message(b"b")
            growing.write()
        looks.append(look(*about))
        return looks[-1]

    monkeypatch.setattr(frame_boundaries, "_has_frame_after", look_later)
    assert rows(read_recording(tmp_path).table()) == written.messages()
    assert looks == [True, False]


def test_empty_segment_is_the_end(tmp_path):
    written = RecordingBuilder()
    while written.position < 2 * TERM:
        written.frame(bytes(1024 - 32))
    written.put(tmp_path, is_stopped=False)
    (tmp_path / f"0-{2 * TERM}.rec").touch()
    assert rows(read_recording(tmp_path).table()) == written.messages()


def test_recording_ending_with_a_segment_or_a_term_is_read(tmp_path):
    for terms in (1, 2):
        written = RecordingBuilder()
        while written.position < terms * TERM:
            written.frame(bytes(1024 - 32))
        path = tmp_path / str(terms)
        written.put(path, is_stopped=False)
        if terms == 2:  # the next segment is created immediately
            (path / f"0-{2 * TERM}.rec").write_bytes(bytes(2 * TERM))
        assert rows(read_recording(path).table()) == written.messages()


# ---- damage -----------------------------------------------------------------------------------


def test_a_url_of_no_archive_is_rejected(tmp_path):
    with pytest.raises(MissingFileError, match="the catalog of an archive"):
        read_recording(tmp_path)
    (tmp_path / "archive.catalog").write_bytes(b"not at all a catalog of any archive")
    with pytest.raises(CorruptError, match=r"archive\.catalog"):
        read_recording(tmp_path)


DAMAGES = {
    "frame length 0, expected 32 to": struct.pack("<i", 0),
    "frame length -64, expected 32 to": struct.pack("<i", -64),
    "frame length 65536, expected 32 to": struct.pack("<i", 65536),
    "frame type 9, expected 0 or 1": struct.pack("<iBBH", 64, 0, 0xC0, 9),
    "term offset 32, expected": struct.pack("<iBBHi", 64, 0, 0xC0, 1, 32),
    "term id 3, expected 8": struct.pack("<iBBHiiii", 64, 0, 0xC0, 1, 0, 0, 0, 3),
}


@pytest.mark.parametrize("text", DAMAGES)
def test_a_damaged_frame_is_named(tmp_path, text):
    written = some()
    written.put(tmp_path)
    place = next(frame.position for frame in written.frames if frame.position > TERM + 9000)
    data = bytearray(DAMAGES[text])
    if "term id" in text:
        data[8:12] = struct.pack("<i", place % TERM)
    written.damage(tmp_path, place, data)
    with pytest.raises(SegmentError, match=text) as caught:
        read_recording(tmp_path).table()
    error = caught.value
    assert (error.recording_id, error.segment) == (0, str(written.segment(tmp_path, place)))
    assert 0 <= error.offset - (place - written.base(place)) < 32
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.offset) == (str(error), error.offset)

    permissive = read_recording(tmp_path, mode="permissive")
    table = permissive.table()
    term_end = place - place % TERM + TERM
    expected = [row for row in written.messages() if row[1] <= place or row[0] >= term_end]
    assert rows(table) == expected
    (left_out,) = permissive.left_out
    assert (left_out.from_position, left_out.to_position) == (place, term_end)
    assert permissive.left_out_table().to_pylist()[0]["segment"] == error.segment


def test_data_frame_longer_than_a_datagram_is_damage(tmp_path):
    written = some(term_length=4 * TERM)
    written.put(tmp_path)
    written.damage(tmp_path, written.frames[3].position, struct.pack("<i", 70_000))
    with pytest.raises(SegmentError, match="frame length 70000, expected 32 to 65504"):
        read_recording(tmp_path).table()


@pytest.mark.parametrize("is_stopped", [True, False])
@pytest.mark.parametrize("mode", ["strict", "permissive"])
def test_unreadable_segment_is_damage(tmp_path, is_stopped, mode):
    written = some(count=200, terms_per_segment=1)
    written.put(tmp_path, is_stopped=is_stopped)
    segment = written.segment(tmp_path, written.position)
    segment.unlink()
    segment.mkdir()
    if mode == "strict":
        with pytest.raises(SegmentError, match=r"segment file .*expected one that can be read"):
            read_recording(tmp_path).table()
        return
    reading = read_recording(tmp_path, mode=mode)
    base = written.base(written.position)
    assert rows(reading.table()) == written.messages(0, base)
    (part,) = reading.left_out
    assert (part.what, part.from_position) == ("segment file", base)


def test_zeros_at_the_end_of_a_short_file_are_the_end(tmp_path):
    written = some(count=20)
    written.put(tmp_path, is_stopped=False)
    with written.segment(tmp_path, 0).open("r+b") as file:
        file.truncate(written.position + 32)
    assert rows(read_recording(tmp_path).table()) == written.messages()


def test_a_missing_segment_or_cut_short(tmp_path):
    written = some(count=400)
    written.put(tmp_path)
    second = written.segment(tmp_path, 2 * TERM)
    whole = second.read_bytes()
    second.unlink()
    with pytest.raises(SegmentError, match="segment file none, expected an existing one"):
        read_recording(tmp_path).table()
    permissive = read_recording(tmp_path, mode="permissive")
    expected = [row for row in written.messages() if not 2 * TERM <= row[0] < 4 * TERM]
    assert rows(permissive.table()) == expected
    assert permissive.left_out[0].from_position == 2 * TERM
    assert permissive.left_out[0].to_position == 4 * TERM

    second.write_bytes(whole[: TERM + 5000])
    with pytest.raises(SegmentError, match="length of the file"):
        read_recording(tmp_path).table()
    table = permissive.table()
    (left_out,) = permissive.left_out
    assert 0 <= 3 * TERM + 5000 - left_out.from_position < 1408
    assert left_out.to_position == 4 * TERM
    expected = [
        row for row in written.messages() if row[1] <= left_out.from_position or row[0] >= 4 * TERM
    ]
    assert rows(table) == expected


@pytest.mark.parametrize("mode", ["strict", "permissive"])
def test_segment_purged_during_a_read_is_damage(tmp_path, mode):
    written = some(count=4000)
    written.put(tmp_path)
    reading = read_recording(tmp_path, mode=mode)
    batches = reading.batches()
    first = next(batches).num_rows
    end = written.messages()[first][0]
    gone = [base for base in range(2 * TERM, written.position, 2 * TERM) if base > end]
    for base in gone:
        written.segment(tmp_path, base).unlink()
    if mode == "strict":
        with pytest.raises(SegmentError, match="segment file none"):
            list(batches)
    else:
        rest = sum(batch.num_rows for batch in batches)
        assert first + rest == len(written.messages(0, gone[0]))
        ranges = [(each.from_position, each.to_position) for each in reading.left_out]
        assert ranges == [(gone[0], written.position)]


def test_catalog_extending_beyond_its_files_is_damage(tmp_path):
    written = some(count=20)
    written.put(tmp_path)
    segment = written.segment(tmp_path, 0)
    written.frame(b"only in the catalog")
    other = tmp_path / "other"
    written.put(other)
    written.segment(other, 0).write_bytes(segment.read_bytes())
    with pytest.raises(SegmentError, match="frame length 0"):
        read_recording(other).table()
    assert read_recording(other, mode="permissive").table().num_rows == 20


def test_a_frame_over_the_end_of_the_recording(tmp_path):
    written = some(count=20)
    written.put(tmp_path)
    place = written.frames[-1].position
    written.damage(tmp_path, place, struct.pack("<i", 20_000))
    with pytest.raises(SegmentError, match=f"end of frame {place + 20_000}, expected up to"):
        read_recording(tmp_path).table()


def test_an_invalid_mode_is_rejected(tmp_path):
    some().put(tmp_path)
    with pytest.raises(ConfigurationError, match="strict or permissive"):
        read_recording(tmp_path, mode="lenient")


# ---- output -----------------------------------------------------------------------------------


def test_other_libraries_accept_the_rows(tmp_path):
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pandas")
    written = some()
    written.put(tmp_path)
    reading = read_recording(tmp_path)
    payloads = [payload for *_, payload in written.messages()]
    assert reading.pandas()["payload"].tolist() == payloads
    assert reading.polars()["payload"].to_list() == payloads
    assert polars.DataFrame(reading)["payload"].to_list() == payloads
    assert pa.table(reading)["payload"].to_pylist() == payloads
    assert reading.reader().read_all().num_rows == len(payloads)
    connection = duckdb.connect()
    relation = reading.duckdb(connection)
    for _ in range(2):
        lengths = relation.aggregate("sum(octet_length(payload))").fetchall()
        assert lengths == [(sum(map(len, payloads)),)]


def test_a_plan_can_be_pickled(tmp_path):
    some().put(tmp_path)
    plan = read_recording(tmp_path).plan
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_values_equal_in_each_row_are_in_memory_once(tmp_path):
    some().put(tmp_path)
    assert some(count=40).put(tmp_path) == 1
    read = read_recording(tmp_path, 1, columns=["recording_id", "position"])
    batches = list(Rows(SystemFiles(), replace(read.plan, max_rows=16)).batches())
    assert [batch.num_rows for batch in batches] == [16, 16, 8]
    places = [{batch.column(at).buffers()[1].address for batch in batches} for at in (0, 1)]
    assert [len(each) for each in places] == [1, 3]
    assert all(set(batch.column(0).to_pylist()) == {1} for batch in batches)


@pytest.mark.parametrize("stop", [2**62, 2**63 - 32])
def test_any_number_of_missing_segments_is_left_out_at_once(tmp_path, stop):
    written = some(count=200)
    written.put(tmp_path)
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        catalog.set_stop_position(0, stop)
    segment = written.segment_length
    written.segment(tmp_path, segment).rename(written.segment(tmp_path, 9 * segment))
    (tmp_path / f"0-{5 * segment + 7}.rec").touch()  # not a segment
    reading = read_recording(tmp_path, columns=["position"], mode="permissive")
    kept = [row[0] for row in written.messages() if not segment <= row[0] < 2 * segment]
    assert reading.table()["position"].to_pylist() == kept
    gone = [(each.from_position, each.to_position) for each in reading.left_out]
    assert gone[0] == (segment, 2 * segment)
    assert gone[-1] == (10 * segment, stop)
    assert all(before[1] == behind[0] for before, behind in itertools.pairwise(gone[1:]))
    with pytest.raises(ConfigurationError, match="range_length: expected at least"):
        cut_plan(SystemFiles(), reading.plan, 1 << 20)


@pytest.mark.parametrize("mode", ["strict", "permissive"])
def test_other_files_than_segments_are_skipped(tmp_path, mode):
    written = some(count=20)
    written.put(tmp_path, is_stopped=False)
    for base in (7, written.segment_length + 64, 2**63 - written.segment_length, 10**30):
        (tmp_path / f"0-{base}.rec").touch()
    assert read_recording(tmp_path, mode=mode).table().num_rows == 20


def test_permissive_pass_leaves_out_recordings_with_invalid_catalog_entries(tmp_path):
    for session in (3, 4):
        written = RecordingBuilder(session_id=session)
        written.message(b"an order")
        written.put(tmp_path)
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        catalog.set_stop_position(0, 33)
    with pytest.raises(CorruptError, match=r"recording 0: stop position 33, expected a multiple"):
        read_recording(tmp_path)
    for wanted, count in ((None, 1), ([0, 1], 1), (0, 0)):
        rows = read_recording(tmp_path, wanted, mode="permissive")
        for _ in range(2):  # each pass reports it once
            assert rows.table().num_rows == count
            (left_out,) = rows.left_out
            assert (left_out.recording_id, left_out.expected) == (0, "a multiple of 32, at least 0")
            assert left_out.segment == str(tmp_path / "archive.catalog")
