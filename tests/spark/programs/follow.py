"""Follow a recording into Parquet until the program is killed."""

import sys

from aeron_cluster.pipeline.spark import local_session


def follow(spark, archive_dir, place, *, until_killed):
    """Go on where the query was; not until it is killed, then to where the recording ends now."""
    options = {"recording": "0", "columns": "position,payload", "max_bytes_per_batch": "60000"}
    frame = spark.readStream.format("aeron_cluster").options(**options).load(archive_dir)
    writer = frame.writeStream.format("parquet")
    writer = writer.option("checkpointLocation", f"{place}/checkpoint")
    if not until_killed:
        writer = writer.trigger(availableNow=True)
    writer.start(f"{place}/out").awaitTermination()


if __name__ == "__main__":
    session = local_session("local[2]", "follow", {"spark.ui.enabled": "false"})
    follow(session, sys.argv[1], sys.argv[2], until_killed=True)
