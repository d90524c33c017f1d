"""Write rows into a cluster by a task whose process is killed at its first attempt."""

import os
import signal
import sys
from pathlib import Path

from pyspark import TaskContext

from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline.spark import local_session
from tests.waiting import await_true

COMMIT_POSITION = 203
LENGTH_OF_100_ROWS = 100 * 128


def committed(directory):
    with CncFile.open(SystemFiles(), f"{directory}/cnc.dat") as cnc:
        counters = cnc.counters_reader().counters()
        return next(each.value for each in counters if each.type_id == COMMIT_POSITION)


def writers(directory):
    """Return the process ids of Spark's workers that are clients of a driver."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal() and int(process.name) != os.getpid():
            try:
                is_client = f"{directory}/cnc.dat" in (process / "maps").read_text()
                if is_client and "pyspark" in (process / "cmdline").read_text():
                    found.append(int(process.name))
            except OSError:  # the process has ended, or belongs to another user
                continue
    return found


def entries(directory, count):
    """Return a function that makes entries from numbers, and kills the writer once after most of
    them.
    """

    def make(batches):
        import pyarrow as pa  # noqa: PLC0415 - the module cannot be pickled for the workers

        from aeron_cluster.cli.accounts import ENTRY  # noqa: PLC0415

        begin = committed(directory)
        is_first = TaskContext.get().attemptNumber() == 0
        for batch in batches:
            ids = batch.column(0).to_pylist()
            if is_first and ids[-1] >= count * 3 // 4:
                is_first = False
                await_true(
                    lambda: committed(directory) > begin + LENGTH_OF_100_ROWS, "rows committed"
                )
                for process in writers(directory):
                    os.kill(process, signal.SIGKILL)
            payloads = [ENTRY.pack(each, each + 1) for each in ids]
            yield pa.record_batch({"id": batch.column(0), "payload": payloads})

    return make


def main():
    """Write the given number of rows."""
    directory, cluster_dir, report_dir, count = *sys.argv[1:4], int(sys.argv[4])
    small = {
        # Slow, so that the first rows are sent while the last ones are made.
        "spark.sql.execution.arrow.maxRecordsPerBatch": "50",
        "spark.buffer.size": "4096",
        "spark.ui.enabled": "false",
    }
    spark = local_session("local[2,3]", "write", small)
    spark.sparkContext.setLogLevel("OFF")
    rows = spark.range(0, count, 1, 1).mapInArrow(
        entries(directory, count), "id bigint, payload binary"
    )
    options = {"cluster_dir": cluster_dir, "key": "id", "report_dir": report_dir}
    rows.write.format("aeron_cluster").mode("append").options(**options).save()


if __name__ == "__main__":
    main()
