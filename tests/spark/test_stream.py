"""Streams of growing recordings: each row once, nothing uncommitted, in batches of limited size."""

import json

import pytest

from aeron_cluster.pipeline import read_log
from tests.unit.pipeline.growing import Growing
from tests.unit.pipeline.logs import LogBuilder, log_of_every_kind
from tests.unit.pipeline.recording_builder import TERM, RecordingBuilder

pytest.importorskip("pyspark")

from pyspark.errors import StreamingQueryException

from tests.spark.queries import run_to_end


class Follower:
    """A query that writes to Parquet, and resumes from its checkpoint at each run."""

    def __init__(self, spark, path, place):
        self.spark = spark
        self.path = str(path)
        self.place = place

    def run(self, **options):
        """Read what is available; return the query's progress."""
        given = {"columns": "position,payload", **options}
        frame = self.spark.readStream.format("aeron_cluster").options(**given).load(self.path)
        writer = (
            frame.writeStream.format("parquet")
            .option("checkpointLocation", str(self.place / "checkpoint"))
            .trigger(availableNow=True)
        )
        return run_to_end(lambda: writer.start(str(self.place / "out"))).recentProgress

    def rows(self):
        found = self.spark.read.parquet(str(self.place / "out")).collect()
        return sorted((row.position, bytes(row.payload)) for row in found)


@pytest.fixture
def follower(spark, tmp_path):
    return Follower(spark, tmp_path / "archive", tmp_path)


def some(count=50):
    written = RecordingBuilder(terms_per_segment=1)
    for index in range(count):
        written.message(bytes([index % 256]) * 2000)
    return written


def plain(written):
    return [(row[0], row[3]) for row in written.messages()]


def test_every_row_is_delivered_once_however_often_the_query_is_restarted(follower, tmp_path):
    written = some(30)
    written.put(tmp_path / "archive", is_stopped=False)
    growing = Growing(written, tmp_path / "archive")
    options = {"recording": "0", "max_bytes_per_batch": 30_000}
    progress = follower.run(**options)
    assert follower.rows() == plain(written)
    assert len(progress) >= 3
    assert sum(each.numInputRows for each in progress) == 30

    for index in range(20):
        written.message(bytes([index]) * 3000)
    whole = plain(written)
    # the last batch is partly written
    written.frames, rest = written.frames[:-1], written.frames[-1:]
    growing.write()
    follower.run(**options)
    assert follower.rows() == whole[:-1]
    written.frames += rest
    growing.write()
    for _ in range(2):
        follower.run(recording="0")
        assert follower.rows() == whole


def test_a_log_ends_at_the_proven_commit_position(spark, tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    first = log.emit(1, b"committed")
    log.begin_term(1)
    log.emit(1, b"not proven")
    node = log.write_node(tmp_path / "node0", is_stopped=False)
    follower = Follower(spark, node, tmp_path)
    follower.run(message_types="SessionMessage")
    assert follower.rows() == [(first, b"committed")]
    follower.run(message_types="SessionMessage", assume_committed="true")
    assert [payload for _, payload in follower.rows()] == [b"committed", b"not proven"]


def test_a_log_has_all_its_columns_in_a_stream(spark, tmp_path):
    node = log_of_every_kind().write_node(tmp_path / "node0", is_shut_down=True)
    found = []
    frame = spark.readStream.format("aeron_cluster").load(str(node))
    writer = (
        frame.writeStream.foreachBatch(lambda batch, _: found.extend(batch.collect()))
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
    )
    run_to_end(writer.start)
    wanted = read_log(node).table().to_pylist()
    assert [row.position for row in found] == [row["position"] for row in wanted]
    assert [row.timer for row in found if row.timer] == [(-77,)]
    assert {row.committed for row in found} == {True}


def test_a_stream_begins_and_ends_where_requested(follower, tmp_path):
    written = some()
    written.put(tmp_path / "archive")
    places = [row[0] for row in written.messages()]
    follower.run(recording="0", from_position=places[7] - 1, to_position=places[20])
    assert [position for position, _ in follower.rows()] == places[7:20]


def purge(written, path, segments):
    """Delete the first segments, as an archive does in a purge."""
    written.start = segments * TERM
    for index in range(segments):
        (path / f"0-{index * TERM}.rec").unlink(missing_ok=True)
    (path / "archive.catalog").unlink()
    written.put(path, is_stopped=False)


def test_purged_data_is_an_error_or_skipped_by_choice(follower, tmp_path):
    archive = tmp_path / "archive"
    written = some(20)
    written.put(archive, is_stopped=False)
    follower.run(recording="0")
    seen = written.position
    for index in range(100):
        written.message(bytes([index]) * 2000)
    written.frames = [frame for frame in written.frames if frame.position >= 2 * TERM]
    purge(written, archive, 2)
    before = follower.rows()
    text = f"PurgedError: recording 0: expected position {seen}, found that it is purged up to"
    with pytest.raises(StreamingQueryException, match=text):
        follower.run(recording="0")
    report = tmp_path / "report"
    follower.run(recording="0", on_purge="skip", report_dir=str(report))
    assert follower.rows() == before + plain(written)
    (path,) = report.iterdir()
    left_out = json.loads(path.read_text())
    assert (left_out["from_position"], left_out["to_position"]) == (seen, 2 * TERM)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"on_purge": "ignore"}, "on_purge: expected fail or skip"),
        ({"max_bytes_per_batch": "0"}, "max_bytes_per_batch: expected a number above 0"),
        ({"recording": "log:0"}, "cluster_dirs: expected the cluster directory"),
    ],
)
def test_an_invalid_option_ends_the_query(follower, tmp_path, options, text):
    some(2).put(tmp_path / "archive")
    with pytest.raises(Exception, match=text):
        follower.run(**{"recording": "0", **options})


def test_a_checkpoint_of_another_archive_is_rejected(follower, tmp_path):
    some(20).put(tmp_path / "archive", is_stopped=False)
    follower.run(recording="0")
    for path in (tmp_path / "archive").iterdir():
        path.unlink()
    some(3).put(tmp_path / "archive", is_stopped=False)
    with pytest.raises(StreamingQueryException, match="is the checkpoint of another archive"):
        follower.run(recording="0")


def test_the_unproven_log_of_a_killed_node_is_read(spark, tmp_path):
    log = LogBuilder()
    log.begin_term(0)
    log.emit(1, b"one")
    log.begin_term(1)
    log.emit(1, b"two")
    node = log.write_node(tmp_path / "node0", is_stopped=False)
    follower = Follower(spark, node, tmp_path)
    follower.run(message_types="SessionMessage", assume_committed="true")
    follower.run(message_types="SessionMessage")
    assert [payload for _, payload in follower.rows()] == [b"one", b"two"]
