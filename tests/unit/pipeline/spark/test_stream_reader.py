"""The batches of a stream between two offsets, without Spark."""

import itertools
import json
import struct

import pytest

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
