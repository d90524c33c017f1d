"""Following the log of a node under load reads all of it, in order, and nothing uncommitted."""

import pytest

from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.pipeline import MemberDirectories, read_log
from aeron_cluster.pipeline.sources.live_ends import CommittedEnd
from tests.interop.cluster_node import ClusterNodes
from tests.waiting import await_true

pytest.importorskip("pyspark")


@pytest.fixture(params=["java", "ours-one-thread"])
def nodes(request, java, shm_dir, tmp_path, free_port):
    with ClusterNodes(request.param, java, tmp_path, shm_dir, free_port(10)) as started:
        yield started


@pytest.mark.sampled(1)
@pytest.mark.slow
def test_the_log_of_a_running_node_is_followed(spark, nodes, tmp_path):
    node = nodes.start(log="aeron:udp?term-length=64k", segment=128 * 1024).await_leader()
    nodes.run_client(count=200, size=32, maxSize=4000, window=64)
    end = CommittedEnd(Seams(), str(node.cluster_dir))
    seen, too_far = [], []

    def take(batch, _):
        rows = batch.collect()
        committed = end.position(2**62)
        too_far.extend(row for row in rows if row.end_position > committed)
        seen.extend((row.position, row.payload and bytes(row.payload)) for row in rows)

    frame = (
        spark.readStream.format("aeron_cluster")
        .option("cluster_dirs", str(node.cluster_dir))
        .option("columns", "position,end_position,payload")
        .load(str(node.archive_dir))
    )
    query = (
        frame.writeStream.foreachBatch(take)
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .start()
    )
    try:
        await_true(lambda: seen or query.exception(), "a first batch")
        assert query.exception() is None
        assert end.is_live
        nodes.run_client(count=300, size=32, maxSize=4000, window=64)
        member = MemberDirectories(str(node.archive_dir), str(node.cluster_dir))

        def whole():
            table = read_log(member, columns=["position", "payload"], assume_committed=True).table()
            return list(zip(*(column.to_pylist() for column in table.columns), strict=True))

        rows = whole()
        assert len(rows) > 500
        await_true(lambda: len(seen) >= len(rows) or query.exception(), "every entry")
        assert query.exception() is None
        assert seen[: len(rows)] == rows  # entries that arrived meanwhile
        assert too_far == []
    finally:
        query.stop()
        end.close()
