"""Print, as JSON, what a cluster of Spark finds in an archive, and from how many processes."""

import json
import os
import sys

from aeron_cluster.pipeline.spark import load, local_session


def main() -> None:
    master, archive_dir, range_length = sys.argv[1:]
    conf = {"spark.ui.enabled": "false", "spark.executor.memory": "512m"}
    spark = local_session(master, "count", conf)
    os.chdir("/")  # nobody's working directory matters
    frame = load(spark, archive_dir, recording="all", range_length=range_length)
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
