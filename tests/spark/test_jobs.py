"""Jobs give the same files, states and errors with Spark's tasks as without."""

import pytest

pytest.importorskip("pyspark")

from aeron_cluster.errors import SegmentError
from aeron_cluster.pipeline.jobs.compaction import compact
from aeron_cluster.pipeline.jobs.compaction_check import verify
from aeron_cluster.pipeline.jobs.state_at import state_at
from tests.unit.pipeline.jobs.clusters import write_cluster
from tests.unit.pipeline.jobs.tally import Tally, sums
from tests.unit.pipeline.recording_builder import TERM


def files_in(directory):
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def test_parts_written_by_tasks_equal_local_ones(spark, tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 1)
    compact(*nodes, to=tmp_path / "here", part_length=TERM)
    done = compact(*nodes, to=tmp_path / "tasks", part_length=TERM, spark=spark)
    assert done.new_part_count > 2
    assert files_in(tmp_path / "tasks") == files_in(tmp_path / "here")
    assert verify(tmp_path / "tasks", *nodes).is_complete
    rows = spark.read.parquet(str(tmp_path / "tasks/data"))
    assert rows.count() == len(log.messages())
    assert rows.select("date").distinct().count() == 1


def test_states_written_by_tasks_equal_local_ones(spark, tmp_path):
    nodes, log, places = write_cluster(tmp_path, 1, snapshot_terms=())
    positions = [place[2] for place in places] + [log.position]
    here = state_at(*nodes, Tally, tmp_path / "here", positions=positions, export=sums)
    tasks = state_at(
        *nodes, Tally, tmp_path / "tasks", positions=positions, export=sums, spark=spark
    )
    assert [each.sha256 for each in tasks] == [each.sha256 for each in here]
    assert files_in(tmp_path / "tasks") == files_in(tmp_path / "here")


def test_damage_found_by_a_task_is_reported_by_kind(spark, tmp_path):
    nodes, log, _ = write_cluster(tmp_path, 1)
    log.damage(nodes[0] / "archive", TERM, bytes([7, 0, 0, 0]))
    with pytest.raises(SegmentError) as raised:
        compact(*nodes, to=tmp_path / "out", part_length=TERM, spark=spark)
    assert (raised.value.offset, raised.value.found) == (TERM, 7)
    checked = verify(tmp_path / "out")
    assert not checked.is_complete
    assert checked.to_position == TERM  # parts completed before are listed
