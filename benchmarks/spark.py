"""The rate of reading a log through Spark, compared with Spark on prebuilt batches.

Represents queries over `format("aeron_cluster")` in ``local[2]``. The ceiling is a source of the
same API that yields one prebuilt batch of the same columns repeatedly; the plain loop is that of
``benchmarks.pipeline``, which makes no rows. A worse ratio to the ceiling means that building
batches became slower, or that less of it overlaps with Spark's own work. The speed-up of two tasks
over one shows whether tasks disturb each other; that of prebuilt batches shows Spark's own limit.
Large logs have the time per byte and the peak memory of small ones, as long as nothing is retained
or read twice.

Usage: ``python -m benchmarks.spark [--rounds 5] [--mib 1024] [--length 100] [--sweep
64,256,1024,2048]``, after a build; it needs Java, and shared memory for all logs at once. It prints
tables as ``RESULTS.md`` has them. All ways take turns; figures are medians of wall time, with the
range of all rounds except the first. A query takes at least a third of a second, so use logs that
take several seconds. The sweep reads a short log many times in one query, so that every query reads
as many bytes as the longest log has; the time of as many loads of two pages each is subtracted. The
processor time of workers and of the JVM shows where a query's time goes: two tasks can gain no more
than one of them left idle.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from itertools import pairwise
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from aeron_cluster.pipeline import read_log
from aeron_cluster.pipeline.spark import load, local_session
from aeron_cluster.pipeline.spark.schemas import output_schema
from benchmarks.build import ROOT
from benchmarks.large_log import LargeLog
from benchmarks.machine import machine
from benchmarks.pipeline import TERM_LENGTH, plain_loop
from benchmarks.spark_processes import jvms, peak, processor_time, workers
from tests.conftest import SHARED_MEMORY

COLUMNS = ("position", "timestamp", "cluster_session_id", "payload")
MIB = 1024 * 1024
TASKS = 2
OF_THE_CEILING, OF_THE_LOOP, OF_THE_SPEEDUP = 0.7, 3.0, 0.9
OF_THE_FASTEST_BYTE, OF_THE_LEAST_PEAK = 1.2, 1.1
A_FEW_PAGES = 8192

Query = Callable[[DataFrame, str], object]
QUERIES: dict[str, Query] = {
    "count": lambda frame, _: frame.count(),
    "aggregate": lambda frame, _: frame.selectExpr(
        "max(position)", "count(distinct cluster_session_id)", "sum(length(payload))"
    ).collect(),
    "parquet": lambda frame, place: frame.write.mode("overwrite").parquet(place),
}


class Prebuilt(DataSource):
    """Yields one batch repeatedly."""

    @classmethod
    def name(cls) -> str:
        """Return the name for `format`."""
        return "prebuilt"

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return the reader of the batch."""
        batches, tasks = int(self.options["batches"]), int(self.options["tasks"])
        return PrebuiltReader(self.options["path"], schema, batches, tasks)


class PrebuiltReader(DataSourceReader):
    """Builds the batch once per task, from the first rows of a log."""

    def __init__(self, path: str, schema: StructType, batches: int, tasks: int) -> None:
        self._path, self._schema, self._batches, self._tasks = path, schema, batches, tasks

    def partitions(self) -> list[InputPartition]:
        """Return equal parts."""
        borders = [self._batches * index // self._tasks for index in range(self._tasks + 1)]
        return [InputPartition(end - begin) for begin, end in pairwise(borders)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the batch."""
        rows = read_log(self._path, time_unit="ms", columns=self._schema.fieldNames())
        first = next(rows.batches())
        batch = type(first).from_arrays(first.columns, schema=output_schema(self._schema))
        for _ in range(partition.value):
            yield batch


class Stopwatch:
    """Stores the times of runs, by their names.

    Parameters
    ----------
    has_processors : bool
        Whether to store the processor time of workers and the JVM too.
    """

    def __init__(self, *, has_processors: bool = False) -> None:
        self._has_processors = has_processors
        self._times: dict[str, list[float]] = defaultdict(list)
        self._of_workers: dict[str, list[float]] = defaultdict(list)
        self._of_jvm: dict[str, list[float]] = defaultdict(list)

    def measure(self, name: str, run: Callable[[], object]) -> None:
        """Run something once, and store its time under a name."""
        of_workers, of_jvm = self._processor_times()
        began = time.perf_counter()
        run()
        self._times[name].append(time.perf_counter() - began)
        # A worker may begin in between; it runs longer than the query.
        workers_ran, jvm_ran = self._processor_times()
        self._of_workers[name].append(workers_ran - of_workers)
        self._of_jvm[name].append(jvm_ran - of_jvm)

    def _processor_times(self) -> tuple[float, float]:
        if not self._has_processors:
            return 0.0, 0.0
        return processor_time(workers(os.getpid())), processor_time(jvms(os.getpid()))

    def forget(self) -> None:
        """Discard the times so far, which include one-time setup."""
        for times in (self._times, self._of_workers, self._of_jvm):
            times.clear()

    def cost(self, name: str) -> str:
        """Return the processor times of workers and the JVM, and the number of busy processors."""
        of_workers, of_jvm = (
            statistics.median(times[name]) for times in (self._of_workers, self._of_jvm)
        )
        busy = (of_workers + of_jvm) / self.median(name)
        return f"{self.median(name):.2f} s | {of_workers:.2f} s | {of_jvm:.2f} s | {busy:.2f}"

    def median(self, name: str) -> float:
        """Return the median time of a name's runs, in seconds."""
        return statistics.median(self._times[name])

    def rate(self, name: str, rows: int, log: LargeLog) -> str:
        """Return the rate of a name's runs, in rows and in bytes of the log per second."""
        low, middle, high = (
            rows / each / 1e6
            for each in (max(self._times[name]), self.median(name), min(self._times[name]))
        )
        length = middle * 1e6 * log.position / log.rows / 1e6
        return f"{middle:.3g} M/s [{low:.3g}..{high:.3g}], {length:,.0f} MB/s"

    def spread(self, name: str) -> str:
        """Return the median and the range of the times of a name."""
        times = self._times[name]
        return f"{self.median(name):.2f} s [{min(times):.2f}..{max(times):.2f}]"


def verdict(ratio: float, goal: float, *, more_is_better: bool = True) -> str:
    """Return the last columns of a row: the ratio, its goal, and whether the goal is reached."""
    is_reached = ratio >= goal if more_is_better else ratio <= goal
    sign = ">=" if more_is_better else "<="
    return f"{ratio:.3f} | {sign} {goal} | {'reached' if is_reached else 'missed'} |"


class Logs:
    """DataFrames of logs, and of prebuilt batches of the same length.

    Parameters
    ----------
    spark : SparkSession
    place : Path
        The directory of the logs.
    message_length : int
    term_length : int
    """

    def __init__(
        self, spark: SparkSession, place: Path, message_length: int, term_length: int
    ) -> None:
        self._spark = spark
        self._place = place
        self._message_length = message_length
        self._term_length = term_length
        self._schema: StructType | None = None
        spark.dataSource.register(Prebuilt)

    def path(self, log: LargeLog) -> Path:
        """Return the path of a log."""
        return self._place / str(log.position)

    def make(self, length: int) -> LargeLog:
        """Write a log."""
        draft = self._place / "draft"
        log = LargeLog(draft, length, self._message_length, self._term_length)
        draft.rename(self.path(log))
        return log

    def source(self, log: LargeLog, tasks: int = TASKS, end: int | None = None) -> DataFrame:
        """Return a log, complete or up to an end, split into the given number of tasks."""
        length = -(-(end or log.position) // tasks)
        step = self._term_length if length > self._term_length else 1
        return load(
            self._spark,
            self.path(log),
            columns=COLUMNS,
            time_unit="ms",
            to_position=end,
            range_length=-(-length // step) * step,
        )

    def batch_rows(self, log: LargeLog) -> int:
        """Return the number of rows of a batch."""
        rows = read_log(self.path(log), time_unit="ms", columns=COLUMNS)
        return int(next(rows.batches()).num_rows)

    def loads(self, log: LargeLog, count: int, end: int | None = None) -> DataFrame:
        """Return a log repeated the given number of times, each up to an end."""
        return reduce(DataFrame.union, [self.source(log, end=end)] * count)

    def prebuilt(self, log: LargeLog, tasks: int = TASKS) -> DataFrame:
        """Return prebuilt batches with about as many rows as a log."""
        batches = max(log.rows // self.batch_rows(log), 1)
        self._schema = self._schema or self.source(log).schema
        return (
            self._spark.read.format("prebuilt")
            .schema(self._schema)
            .options(path=str(self.path(log)), batches=batches, tasks=tasks)
            .load()
        )


def measure_queries(
    logs: Logs, log: LargeLog, queries: Sequence[str], rounds: int
) -> Iterator[str]:
    """Yield a table of queries, both ways, by one task and by two."""
    watch = Stopwatch(has_processors=True)
    buffer = bytearray(b"\1") * log.term_length
    batch_rows = logs.batch_rows(log)
    prebuilt_rows = max(log.rows // batch_rows, 1) * batch_rows
    for index in range(rounds + 1):
        if index == 1:
            watch.forget()
        watch.measure("plain loop", lambda: plain_loop(logs.path(log), log, buffer))
        for query in queries:
            for tasks in (1, TASKS):
                for kind, make in (("source", logs.source), ("prebuilt", logs.prebuilt)):
                    frame = make(log, tasks)
                    place = f"{logs.path(log)}-{kind}"
                    name = f"{query}, {kind}, {tasks}"
                    watch.measure(name, partial(QUERIES[query], frame, place))

    yield f"{log.rows:,} messages, {log.position / MIB:,.0f} MiB as recorded; {TASKS} tasks.\n"
    yield "| query | source | prebuilt batches, or a plain loop | ratio | goal | |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for query in queries:
        ours, other = (f"{query}, {kind}, {TASKS}" for kind in ("source", "prebuilt"))
        rate = watch.rate(ours, log.rows, log)
        ratio = log.rows / watch.median(ours) / (prebuilt_rows / watch.median(other))
        ceiling = watch.rate(other, prebuilt_rows, log)
        yield f"| {query} | {rate} | {ceiling} | {verdict(ratio, OF_THE_CEILING)}"
    for query in queries:
        ours = f"{query}, source, {TASKS}"
        rate, plain = (watch.rate(name, log.rows, log) for name in (ours, "plain loop"))
        ratio = watch.median("plain loop") / watch.median(ours)
        yield f"| {query}, over a plain loop | {rate} | {plain} | {verdict(ratio, OF_THE_LOOP)}"
    for query in queries:
        faster, at_most = (
            watch.median(f"{query}, {kind}, 1") / watch.median(f"{query}, {kind}, {TASKS}")
            for kind in ("source", "prebuilt")
        )
        row = f"{query}, how much faster than one task | {faster:.2f} | {at_most:.2f}"
        yield f"| {row} | {verdict(faster / at_most, OF_THE_SPEEDUP)}"
    yield ""
    yield "| query, source, tasks | wall | workers ran | the JVM ran | processors busy |"
    yield "| --- | --- | --- | --- | --- |"
    for query in queries:
        for kind in ("source", "prebuilt"):
            for tasks in (1, TASKS):
                name = f"{query}, {kind}, {tasks}"
                yield f"| {name} | {watch.cost(name)} |"


def measure_sizes(logs: Logs, sizes: Sequence[LargeLog], rounds: int) -> Iterator[str]:
    """Yield a table of the time per byte for logs of several lengths, and of a worker's memory.

    Parameters
    ----------
    logs : Logs
    sizes : sequence of LargeLog
        The shortest first; workers have not read a longer one before.
    rounds : int
    """
    watch = Stopwatch()
    peaks: dict[int, int] = {}
    run = QUERIES["aggregate"]
    largest = max(each.position for each in sizes)
    counts = {each.position: max(largest // each.position, 1) for each in sizes}
    for log in sizes:
        run(logs.source(log), "")
        # A worker's peak includes all earlier work, so smaller logs are measured first.
        peaks[log.position] = peak(workers(os.getpid()))
    for index in range(rounds + 1):
        if index == 1:
            watch.forget()
        for log in sizes:
            count = counts[log.position]
            few = logs.loads(log, count, A_FEW_PAGES)
            watch.measure(f"{log.position}, nothing", partial(run, few, ""))
            watch.measure(str(log.position), partial(run, logs.loads(log, count), ""))

    a_byte = {
        log.position: (watch.median(str(log.position)) - watch.median(f"{log.position}, nothing"))
        / (counts[log.position] * log.position)
        * 1e9
        for log in sizes
    }
    yield "| log | loads | aggregate | of two pages each | per byte | peak of a worker's memory |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for log in sizes:
        length = f"{log.position / MIB:,.0f} MiB"
        taken, fixed = (
            watch.spread(name) for name in (str(log.position), f"{log.position}, nothing")
        )
        resident = f"{peaks[log.position] / MIB:,.1f} MiB"
        row = f"{length} | {counts[log.position]} | {taken} | {fixed}"
        yield f"| {row} | {a_byte[log.position]:.3f} ns | {resident} |"
    yield ""
    yield "| highest over lowest | ratio | goal | |"
    yield "| --- | --- | --- | --- |"
    least = min(a_byte.values())
    if least > 0:
        slowest = max(a_byte.values()) / least
        yield f"| time per byte | {verdict(slowest, OF_THE_FASTEST_BYTE, more_is_better=False)}"
    else:  # the fixed time of a query varied by more than that
        yield f"| time per byte | - | <= {OF_THE_FASTEST_BYTE} | a log is too short to measure |"
    grown = max(peaks.values()) / min(peaks.values())
    yield f"| peak of a worker | {verdict(grown, OF_THE_LEAST_PEAK, more_is_better=False)}"


def measure(
    spark: SparkSession,
    place: Path,
    *,
    length: int,
    sweep: Sequence[int],
    queries: Sequence[str] = tuple(QUERIES),
    message_length: int = 100,
    term_length: int = TERM_LENGTH,
    rounds: int = 5,
) -> Iterator[str]:
    """Measure one query on logs of several lengths, and several queries on one log; yield lines.

    Parameters
    ----------
    spark : SparkSession
    place : Path
        A directory for logs and output.
    length : int
        The length of the log for several queries, in bytes.
    sweep : sequence of int
        The lengths of the other logs; empty omits the table of one query.
    queries : sequence of str
        Some of `QUERIES`.
    message_length, term_length : int
    rounds : int
        The number of rounds after the first, which does not count; with 0 only the first one is
        run.
    """
    logs = Logs(spark, place, message_length, term_length)
    made = {each: logs.make(each) for each in {length, *sweep}}
    if sweep:
        yield from measure_sizes(logs, [made[each] for each in sorted(sweep)], rounds)
        yield ""
    yield from measure_queries(logs, made[length], queries, rounds)


def numbers(text: str) -> list[int]:
    """Parse numbers separated by commas; an empty text has none."""
    return [int(each) for each in text.split(",") if each]


def main() -> int:
    """Print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--mib", type=int, default=1024, help="length of the log that all queries read"
    )
    parser.add_argument("--length", type=int, default=100, help="length of a message, in bytes")
    parser.add_argument(
        "--sweep", type=numbers, default=[64, 256, 1024, 2048], help="lengths of logs, in MiB"
    )
    arguments = parser.parse_args()
    os.environ["PYTHONPATH"] = str(ROOT)
    conf = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    spark = local_session(f"local[{TASKS}]", "benchmark", conf)
    for name, value in machine().items():
        print(f"{name}: {value}")
    print()
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as directory:
        for line in measure(
            spark,
            Path(directory),
            length=arguments.mib * MIB,
            sweep=[each * MIB for each in arguments.sweep],
            message_length=arguments.length,
            rounds=arguments.rounds,
        ):
            print(line, flush=True)
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
