"""Streams of recordings that a remote archive replays: its files are not accessible."""

import pytest

from tests.unit.pipeline.test_replayed_segments import COUNT, remote  # noqa: F401 - a fixture

pytest.importorskip("pyspark")

from tests.spark.queries import run_to_end


def run(spark, remote, place, **options):  # noqa: F811 - a fixture's value
    given = {
        "control_channel": remote.control_channel,
        "aeron_dir": remote.aeron_dir,
        "recording": "0",
        "columns": "position,payload",
        **options,
    }
    frame = spark.readStream.format("aeron_cluster").options(**given).load()
    writer = (
        frame.writeStream.format("parquet")
        .option("checkpointLocation", str(place / "checkpoint"))
        .trigger(availableNow=True)
    )
    return run_to_end(lambda: writer.start(str(place / "out"))).recentProgress


@pytest.mark.slow
def test_every_position_is_delivered_once(spark, remote, tmp_path):  # noqa: F811
    progress = run(spark, remote, tmp_path, max_bytes_per_batch="250000")
    assert len(progress) >= 2
    run(spark, remote, tmp_path)
    found = spark.read.parquet(str(tmp_path / "out")).collect()
    rows = sorted((row.position, bytes(row.payload)) for row in found)
    assert [payload for _, payload in rows] == [
        bytes([index % 256]) * (index * 11 % 3000) for index in range(COUNT)
    ]


def test_a_batch_is_not_read_by_replays(spark):
    frame = spark.read.format("aeron_cluster").option("control_channel", "aeron:ipc")
    with pytest.raises(Exception, match="control_channel: expected a stream: readStream"):
        frame.option("recording", "0").load().collect()
