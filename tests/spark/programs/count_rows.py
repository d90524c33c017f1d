"""Print as JSON the rows that a Spark cluster counts in an archive, and the number of its
processes.
"""

import json
import sys

from pyspark.sql import SparkSession


def main() -> None:
    master, archive_dir, range_length = sys.argv[1:]
    builder = SparkSession.builder.master(master).appName("count")
    builder = builder.config("spark.ui.enabled", "false").config("spark.executor.memory", "512m")
    spark = builder.getOrCreate()
    # The format is not registered: it is found by the name of a module.
    reader = spark.read.format("aeron_cluster").option("recording", "all")
    frame = reader.option("range_length", range_length).load(archive_dir)
    total = frame.selectExpr(
        "count(*)",
        "sum(position)",
        "sum(length(payload))",
        "count(distinct recording_id, position)",
    ).first()
    hosts = frame.sparkSession.sparkContext._jsc.sc().getExecutorMemoryStatus().size()
    result = {"found": list(total), "partitions": frame.rdd.getNumPartitions(), "hosts": hosts}
    sys.stdout.write(json.dumps(result) + "\n")
    spark.stop()


main()
