"""Only requested columns are built, and Spark accepts them."""

import pickle

import pytest

from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline.columns.column_definitions import LOG_COLUMNS, RECORDING_COLUMNS
from aeron_cluster.pipeline.scan.arrow import arrow_batches, arrow_schema
from tests.unit.pipeline.logs import log_of_every_kind

pytest.importorskip("pyspark")

from pyspark.sql.types import LongType, StructField, StructType

from aeron_cluster.pipeline.spark.schemas import as_spark, output_schema
from aeron_cluster.pipeline.spark.source import AeronClusterSource


@pytest.mark.parametrize("columns", [LOG_COLUMNS, RECORDING_COLUMNS])
def test_sparks_schema_is_arrows(columns):
    schema = arrow_schema(columns)
    assert output_schema(as_spark(schema)).equals(schema)


@pytest.mark.parametrize("is_given", [False, True])
def test_unrequested_columns_are_not_built(tmp_path, is_given):
    node = log_of_every_kind().write_node(tmp_path / "node0")
    options = {"path": str(node), "range_length": "300"}
    schema = StructType([StructField("position", LongType())])
    if not is_given:
        options["columns"] = "position"
        schema = AeronClusterSource(options).schema()
    # Spark sends it between processes like this.
    source = pickle.loads(pickle.dumps(AeronClusterSource(options)))
    reader = pickle.loads(pickle.dumps(source.reader(schema)))
    partitions = pickle.loads(pickle.dumps(reader.partitions()))
    assert len(partitions) > 3
    count = 0
    for partition in partitions:
        assert [column.name for column in partition.value.columns] == ["position"]
        for batch in reader.read(partition):
            assert batch.schema.equals(output_schema(schema))
            count += batch.num_rows
    assert count == 13


def test_batches_are_those_without_spark(tmp_path):
    node = log_of_every_kind().write_node(tmp_path / "node0")
    source = AeronClusterSource({"path": str(node)})
    reader = source.reader(source.schema())
    (partition,) = reader.partitions()
    plan = partition.value
    plain = list(arrow_batches(SystemFiles(), plan, plan.ranges[0], []))
    assert list(reader.read(partition)) == plain
