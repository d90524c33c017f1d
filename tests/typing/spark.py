"""Reading a log on Spark, as a user writes it."""

from datetime import UTC, datetime

from pyspark.sql import DataFrame, SparkSession

from aeron_cluster.errors import MissingJavaError
from aeron_cluster.pipeline.spark import load, local_session, register


def orders(node: str) -> int:
    try:
        spark: SparkSession = register(local_session("local[2]", conf={"spark.cores.max": "1"}))
    except MissingJavaError as error:
        return error.min_version
    rows: DataFrame = load(
        spark, node, columns=["position"], from_time=datetime(2026, 1, 1, tzinfo=UTC)
    )
    return rows.count()
