"""Jobs that read a log by Spark's tasks, and rows of URLs that workers read."""

import pytest

from aeron_cluster.errors import SegmentError
from aeron_cluster.pipeline.jobs.latency import analyze_latency
from aeron_cluster.pipeline.jobs.running import passes
from aeron_cluster.pipeline.jobs.sessions import analyze_sessions
from aeron_cluster.pipeline.spark import load
from tests.unit.pipeline.jobs.days import BusyDay
from tests.unit.pipeline.recording_builder import TERM


def test_jobs_find_the_same_on_spark(spark, tmp_path, monkeypatch):
    node, egress = BusyDay().put(tmp_path)
    here = analyze_sessions(node), analyze_latency(node, egress=[egress])
    monkeypatch.setattr(passes, "_MAX_PARTS", 4)
    monkeypatch.setattr(passes, "_MIN_PART_LENGTH", 1)
    there = (
        analyze_sessions(node, spark=spark),
        analyze_latency(node, spark=spark, egress=[egress]),
    )
    for one, other in zip(here, there, strict=True):
        assert other.summary == one.summary
        for name in set(one.tables) - {"gaps", "longest"}:
            assert other.tables[name].equals(one.tables[name]), name


def test_damage_found_by_a_task_is_reported_like_a_local_one(spark, tmp_path):
    log = BusyDay(count=200).log
    node = log.write_node(tmp_path / "node0")
    log.damage(node / "archive", TERM, b"\x11\0\0\0")
    with pytest.raises(SegmentError, match="frame length 17") as caught:
        analyze_sessions(node, spark=spark)
    assert caught.value.offset == TERM


def test_rows_of_a_url_are_read_where_tasks_run(spark, tmp_path):
    node, _ = BusyDay(count=200).put(tmp_path)
    columns = ["position", "timestamp", "payload"]
    rows = load(spark, node.as_uri(), columns=columns, range_length=65536)
    assert rows.rdd.getNumPartitions() > 1
    assert rows.collect() == load(spark, node, columns=columns).collect()


def test_a_stream_of_a_url_is_rejected(spark, tmp_path):
    node, _ = BusyDay(count=20).put(tmp_path)
    with pytest.raises(Exception, match="path: expected a directory, or control_channel"):
        spark.readStream.format("aeron_cluster").load(node.as_uri()).writeStream.format(
            "noop"
        ).option("checkpointLocation", str(tmp_path / "checkpoint")).start().processAllAvailable()
