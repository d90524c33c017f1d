"""How fast a log comes through Spark, against what Spark makes of batches that are there already.

Stands for queries over `format("aeron_cluster")` in ``local[2]``. The ceiling is a source of the
same API that yields one prebuilt batch of the same columns again and again; the plain loop is that
of ``benchmarks.pipeline``, which makes no rows. A worse ratio to the ceiling means that building
batches became dearer, or that less of it runs beside Spark's own work.

Usage: ``python -m benchmarks.spark [--rounds 5] [--rows 4000000] [--length 100]``, after a build;
it needs Java. All ways take turns; figures are medians of wall time. A query costs a third of a
second however little it reads: take enough rows for several seconds.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from aeron_cluster.pipeline import read_log
from aeron_cluster.pipeline.spark import load, local_session
from aeron_cluster.pipeline.spark.schemas import output_schema
from benchmarks.build import ROOT
from benchmarks.pipeline import TERM_LENGTH, plain_loop, write
from tests.conftest import SHARED_MEMORY

COLUMNS = ("position", "timestamp", "cluster_session_id", "payload")
QUERIES: dict[str, Callable[[DataFrame, str], object]] = {
    "count": lambda frame, _: frame.count(),
    "aggregate": lambda frame, _: frame.selectExpr(
        "max(position)", "count(distinct cluster_session_id)", "sum(length(payload))"
    ).collect(),
    "parquet": lambda frame, place: frame.write.mode("overwrite").parquet(place),
}


class Prebuilt(DataSource):
    """Yields one batch again and again."""

    @classmethod
    def name(cls) -> str:
        """Return what `format` is called with."""
        return "prebuilt"

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return what yields it."""
        return PrebuiltReader(self.options["path"], schema, int(self.options["batches"]))


class PrebuiltReader(DataSourceReader):
    """Makes the batch once a task, of the first rows of a log."""

    def __init__(self, path: str, schema: StructType, batches: int) -> None:
        self._path, self._schema, self._batches = path, schema, batches

    def partitions(self) -> list[InputPartition]:
        """Return two halves."""
        half = self._batches // 2
        return [InputPartition(half), InputPartition(self._batches - half)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the batch."""
        rows = read_log(self._path, time_unit="ms", columns=self._schema.fieldNames())
        first = next(rows.batches())
        batch = type(first).from_arrays(first.columns, schema=output_schema(self._schema))
        for _ in range(partition.value):
            yield batch


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--length", type=int, default=100)
    arguments = parser.parse_args()
    os.environ["PYTHONPATH"] = str(ROOT)
    conf = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    spark = local_session("local[2]", "benchmark", conf)
    spark.dataSource.register(Prebuilt)
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as directory:
        measure(spark, Path(directory), arguments.rows, arguments.length, arguments.rounds)
    spark.stop()
    return 0


def measure(spark: SparkSession, path: Path, rows: int, length: int, rounds: int) -> None:
    """Measure all queries both ways, in turns."""
    written = write(path, rows, length)
    buffer = bytearray(b"\1") * TERM_LENGTH
    batch_rows = next(read_log(path, time_unit="ms", columns=COLUMNS).batches()).num_rows
    half = -(-written.position // 2 // TERM_LENGTH) * TERM_LENGTH
    found: dict[str, list[float]] = {}

    def take(name: str, way: Callable[[], object]) -> None:
        began = time.perf_counter()
        way()
        found.setdefault(name, []).append(time.perf_counter() - began)

    schema = load(spark, path, columns=COLUMNS, time_unit="ms").schema
    for _ in range(rounds + 1):
        take("plain loop", lambda: plain_loop(path, written, buffer))
        for query, run in QUERIES.items():
            source = load(spark, path, columns=COLUMNS, time_unit="ms", range_length=half)
            ceiling = (
                spark.read.format("prebuilt")
                .schema(schema)
                .options(path=str(path), batches=rows // batch_rows)
                .load()
            )
            for kind, frame in (("source", source), ("ceiling", ceiling)):
                place = f"{path}/out-{kind}"
                take(f"{query}, {kind}", lambda frame=frame, run=run, to=place: run(frame, to))  # type: ignore[misc]
    medians = {name: statistics.median(times[1:]) for name, times in found.items()}
    print(f"{rows} messages of {length} bytes, {written.position >> 20} MiB as recorded")
    print(f"  plain loop {rows / medians['plain loop'] / 1e6:6.2f} million messages a second")
    for query in QUERIES:
        taken = medians[f"{query}, source"]
        print(
            f"  {query:10} {rows / taken / 1e6:6.2f} million a second,"
            f" {medians[f'{query}, ceiling'] / taken:5.2f} of the ceiling,"
            f" {medians['plain loop'] / taken:5.2f} times the plain loop"
        )


if __name__ == "__main__":
    sys.exit(main())
