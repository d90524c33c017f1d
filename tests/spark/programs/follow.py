"""Follow a recording, or the log of a node, into Parquet until the program is killed."""

import sys

from aeron_cluster.pipeline.spark import local_session


def follow(spark, path, recording, place, *, until_killed):
    """Resume the query; without `until_killed`, read only what is available now."""
    options = {"recording": recording, "columns": "position,payload"}
    options["max_bytes_per_batch"] = "60000"
    frame = spark.readStream.format("aeron_cluster").options(**options).load(path)
    writer = frame.writeStream.format("parquet")
    writer = writer.option("checkpointLocation", f"{place}/checkpoint")
    if not until_killed:
        writer = writer.trigger(availableNow=True)
    writer.start(f"{place}/out").awaitTermination()


if __name__ == "__main__":
    session = local_session("local[2]", "follow", {"spark.ui.enabled": "false"})
    follow(session, *sys.argv[1:4], until_killed=True)
