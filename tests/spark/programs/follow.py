"""Follow a recording into Parquet, until it is killed; or, with ``drain``, to where it ends now."""

import sys

from aeron_cluster.pipeline.spark import local_session


def main() -> None:
    how, archive_dir, place = sys.argv[1:]
    conf = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    spark = local_session("local[2]", "follow", conf)
    options = {"recording": "0", "columns": "position,payload", "max_bytes_per_batch": "60000"}
    frame = spark.readStream.format("aeron_cluster").options(**options).load(archive_dir)
    writer = frame.writeStream.format("parquet")
    writer = writer.option("checkpointLocation", f"{place}/checkpoint")
    writer = writer.trigger(availableNow=True) if how == "drain" else writer
    writer.start(f"{place}/out").awaitTermination()
    spark.stop()


main()
