"""The batches of a stream between two offsets, without Spark."""

import itertools
import json
import pickle
import struct

import pytest

from aeron_cluster.errors import PurgedError, SegmentError
from tests.unit.pipeline.growing import Growing
from tests.unit.pipeline.recording_builder import TERM, RecordingBuilder

pytest.importorskip("pyspark")

from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes
from pyspark.sql.types import LongType, StructField, StructType

from aeron_cluster.pipeline.spark.offsets import offset_of
from aeron_cluster.pipeline.spark.options import parse_options
from aeron_cluster.pipeline.spark.stream_reader import StreamReader

SCHEMA = StructType([StructField("position", LongType(), nullable=False)])


@pytest.mark.parametrize("what", ["frame", "segment"])
def test_damage_across_batches_is_reported_once(tmp_path, what):
    written = RecordingBuilder(terms_per_segment=1)
    while written.position < 3 * TERM:
        written.message(bytes(1000))
    written.put(tmp_path / "archive")
    place = next(frame.position for frame in written.frames if frame.position > TERM + 9000)
    if what == "frame":
        written.damage(tmp_path / "archive", place, struct.pack("<i", 17))
    else:
        place = TERM
        written.segment(tmp_path / "archive", TERM).unlink()
    options = {"path": str(tmp_path / "archive"), "recording": "0", "mode": "permissive"}
    reader = StreamReader(
        parse_options({**options, "report_dir": str(tmp_path / "report")}), SCHEMA
    )
    # Inside damage, batches end anywhere; elsewhere, where messages end.
    ends = [0, TERM + 5 * 1056, TERM + 12_345, 2 * TERM - 5, 2 * TERM + 1056, written.position]
    found = []
    for begin, end in itertools.pairwise(ends):
        for partition in reader.partitions(offset_of({0: begin}), offset_of({0: end})):
            for batch in reader.read(partition):
                found += batch["position"].to_pylist()
    assert found == [row[0] for row in written.messages() if row[1] <= place or row[0] >= 2 * TERM]
    ranges = sorted(
        (each["from_position"], each["to_position"])
        for path in (tmp_path / "report").iterdir()
        for each in map(json.loads, path.read_text().splitlines())
    )
    assert (ranges[0][0], ranges[-1][1]) == (place, 2 * TERM)
    assert [begin for begin, _ in ranges[1:]] == [end for _, end in ranges[:-1]]
    assert len(ranges) == (4 if what == "segment" else 3)
    reader.stop()


@pytest.mark.parametrize("limit", [ReadAllAvailable(), ReadMaxBytes(1)])
@pytest.mark.parametrize("last", [TERM + 500, TERM + 1056, TERM + 1057, 2 * TERM])
def test_a_wanted_end_may_be_inside_a_frame(tmp_path, limit, last):
    written = RecordingBuilder(terms_per_segment=1)
    while written.position < 3 * TERM:
        written.message(bytes(1000))
    written.put(tmp_path)
    reader = StreamReader(
        parse_options({"path": str(tmp_path), "recording": "0", "to_position": str(last)}), SCHEMA
    )
    found = []
    begin = reader.initialOffset()
    while (end := reader.latestOffset(begin, limit)) != begin:
        for partition in reader.partitions(begin, end):
            for batch in reader.read(partition):
                found += batch["position"].to_pylist()
        begin = end
    reader.stop()
    assert found == [row[0] for row in written.messages() if row[1] <= last]
    assert reader.reportLatestOffset() == offset_of({0: last})


def test_one_recording_does_not_block_others_from_being_read(tmp_path):
    for _ in range(3):
        written = RecordingBuilder()
        for _ in range(10):
            written.message(bytes(100))
        written.put(tmp_path)
    reader = StreamReader(parse_options({"path": str(tmp_path), "recording": "all"}), SCHEMA)
    begin = reader.initialOffset()
    for count in (0, 1, 2, 3):
        assert begin == offset_of(dict.fromkeys(range(3), 160 * count))
        for _ in range(3):
            begin = reader.latestOffset(begin, ReadMaxBytes(1))
    assert reader.latestOffset(begin, ReadMaxBytes(400)) == offset_of({0: 960, 1: 640, 2: 640})
    assert reader.latestOffset(begin, ReadMaxBytes(400)) == offset_of({0: 640, 1: 960, 2: 640})
    reader.stop()


@pytest.mark.parametrize("first", [1, 1056, 1057, TERM - 5, 2 * TERM + 7, 9 * TERM])
def test_a_wanted_begin_may_be_inside_a_frame_or_missing(tmp_path, first):
    written = RecordingBuilder(terms_per_segment=1)
    while written.position < 3 * TERM:
        written.message(bytes(1000))
    written.put(tmp_path)
    reader = StreamReader(
        parse_options({"path": str(tmp_path), "recording": "0", "from_position": str(first)}),
        SCHEMA,
    )
    # A new query, a checkpoint, and one of other recordings.
    for start in (reader.initialOffset(), offset_of({0: 0}), offset_of({})):
        end = reader.latestOffset(start, ReadAllAvailable())
        found = [
            position
            for partition in reader.partitions(start, end)
            for batch in reader.read(partition)
            for position in batch["position"].to_pylist()
        ]
        assert found == [row[0] for row in written.messages() if row[0] >= first]
    reader.stop()


@pytest.fixture
def archive(tmp_path):
    written = RecordingBuilder(terms_per_segment=1)
    while written.position < 3 * TERM:
        written.message(bytes(1000))
    written.put(tmp_path / "archive")
    return written, tmp_path / "archive"


def reader_of(path, **options):
    return StreamReader(parse_options({"path": str(path), "recording": "0", **options}), SCHEMA)


def read(reader, partitions):
    return [
        position
        for partition in partitions
        for batch in reader.read(partition)
        for position in batch["position"].to_pylist()
    ]


def test_batch_is_limited_if_the_options_say_so(archive):
    assert isinstance(reader_of(archive[1]).getDefaultReadLimit(), ReadAllAvailable)
    limit = reader_of(archive[1], max_bytes_per_batch="5000").getDefaultReadLimit()
    assert isinstance(limit, ReadMaxBytes)
    assert limit.max_bytes == 5000


def test_copy_of_a_reader_in_a_task_has_the_same_rows(archive):
    written, path = archive
    reader = reader_of(path)
    partitions = reader.partitions(reader.initialOffset(), offset_of({0: written.position}))
    copy = pickle.loads(pickle.dumps(reader))
    assert read(copy, partitions) == [row[0] for row in written.messages()]
    end = offset_of({0: written.position})
    assert reader.partitions(end, end) == []
    assert list(copy.read(None)) == []  # Spark's own object, if there are no partitions
    reader.stop()


def test_trigger_for_available_data_reads_nothing_that_arrives_later(tmp_path):
    written = RecordingBuilder()
    written.message(b"first")
    written.put(tmp_path, is_stopped=False)
    growing = Growing(written, tmp_path)
    reader = reader_of(tmp_path)
    reader.prepareForTriggerAvailableNow()
    first = written.position
    written.message(b"later")
    growing.write()
    start = reader.initialOffset()
    assert reader.latestOffset(start, ReadAllAvailable()) == offset_of({0: first})
    reader.stop()
    reader = reader_of(tmp_path)
    assert reader.latestOffset(start, ReadAllAvailable()) == offset_of({0: written.position})
    reader.stop()


@pytest.mark.parametrize("is_whole", [True, False])
def test_part_purged_before_a_task_reads_it_is_an_error_or_skipped(archive, tmp_path, is_whole):
    written, path = archive
    begin, end = offset_of({0: 0}), offset_of({0: 2 * TERM if is_whole else 3 * TERM})
    report = tmp_path / "report"
    skip = reader_of(path, on_purge="skip", report_dir=str(report))
    partitions = skip.partitions(begin, end)
    written.start = 2 * TERM
    written.frames = [each for each in written.frames if each.position >= 2 * TERM]
    for file in path.iterdir():
        file.unlink()
    written.put(path)
    with pytest.raises(PurgedError):
        read(reader_of(path), partitions)
    rest = [] if is_whole else [row[0] for row in written.messages()]
    assert read(skip, partitions) == [each for each in rest if each < 3 * TERM]
    (file,) = report.iterdir()
    reported = json.loads(file.read_text())
    assert (reported["from_position"], reported["to_position"]) == (0, 2 * TERM)
    # The whole batch, for a task that is planned again.
    assert read(skip, skip.partitions(begin, end)) == [each for each in rest if each < 3 * TERM]


def test_missing_segment_of_a_task_is_damage_where_nothing_was_purged(archive):
    written, path = archive
    skip = reader_of(path, on_purge="skip")
    partitions = skip.partitions(offset_of({0: 0}), offset_of({0: 3 * TERM}))
    written.segment(path, TERM).unlink()
    with pytest.raises(SegmentError, match="segment file"):
        read(skip, partitions)
