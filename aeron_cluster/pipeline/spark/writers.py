"""Writes frames and streams into a cluster, with a session for each task.

A writer is created on Spark's driver and pickled for tasks, which return their reports as messages.
A retried task or batch uses the same client id, so that the service knows how many of its rows it
has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from pyspark import TaskContext
from pyspark.sql.datasource import (
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)
from pyspark.sql.types import (
    BinaryType,
    ByteType,
    DataType,
    DateType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    TimestampType,
)

from aeron_cluster.errors import AeronClusterError, ConfigurationError, RowsRejectedError
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.pipeline.sink.applied_rows import AppliedRows, forget_clients
from aeron_cluster.pipeline.sink.last_batches import LastBatches
from aeron_cluster.pipeline.sink.offered_rows import OfferedRows
from aeron_cluster.pipeline.sink.reports import PartReport, WriteReport, combine_reports
from aeron_cluster.pipeline.sink.row_ids import client_id_of
from aeron_cluster.pipeline.sink.row_payloads import chunks
from aeron_cluster.pipeline.sink.target import locate

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from aeron_cluster.pipeline.spark.sink_options import SinkOptions

__all__ = ["BatchWriter", "PartMessage", "StreamWriter", "prepare"]

_NO_BATCH: Final = -1
# Spark creates a writer for each batch and another for its commit, usually in the same process of
# its driver; only global state persists between batches.
_LAST_BATCHES: Final = LastBatches()
_QUERY_ID: Final = "sql.streaming.queryId"
_BATCH_ID: Final = "streaming.sql.batchId"
_PAYLOAD_TYPES: Final = (BinaryType, StringType)
# The types that Spark sorts in the same order as Arrow.
_KEY_TYPES: Final = (
    ByteType,
    ShortType,
    IntegerType,
    LongType,
    StringType,
    BinaryType,
    DateType,
    TimestampType,
)


@dataclass
class PartMessage(WriterCommitMessage):
    """The report of a task about its rows.

    Parameters
    ----------
    report : PartReport
    """

    report: PartReport


def prepare(options: SinkOptions, schema: StructType, *, overwrite: bool) -> SinkOptions:
    """Check options and schema before tasks start; return options with the endpoints.

    Raises
    ------
    ConfigurationError
        Rows are to be overwritten, or have columns that cannot be sent.
    TimeoutExpiredError, MissingFileError, DriverTimeoutError
        As for `locate`.
    """
    if overwrite:
        raise ConfigurationError(
            "mode", "append", "overwrite", "rows that were sent to a cluster cannot be removed"
        )
    _check_columns(options, schema)
    if options.cluster_dir is None:
        return options
    return replace(options, target=locate(Seams(), options.cluster_dir, options.target))


def _check_columns(options: SinkOptions, schema: StructType) -> None:
    wanted: dict[str, tuple[type[DataType], ...]] = {options.columns.payload: _PAYLOAD_TYPES}
    if options.columns.key is not None:
        wanted.setdefault(options.columns.key, _KEY_TYPES)
    found = {each.name: each.dataType for each in schema}
    if set(found) != set(wanted) or len(found) != len(schema):
        names = ", ".join(each.name for each in schema)
        raise ConfigurationError(
            "columns", " and ".join(wanted), names, "select the columns to send"
        )
    for name, types in wanted.items():
        if type(found[name]) not in types:
            known = ", ".join(each.typeName() for each in types)
            raise ConfigurationError(name, f"a column of {known}", found[name].simpleString())


def _write(
    options: SinkOptions, write_id: str, batch_id: int, batches: Iterator[Any]
) -> PartReport:
    """Write the rows of a task."""
    context = TaskContext.get()
    assert context is not None
    partition, attempt = context.partitionId(), context.attemptNumber()
    rows = chunks(batches, options.columns, partition)
    if options.promise == "offered":
        return OfferedRows(options.target, write_id, partition, attempt).write(rows)
    # When Spark begins a batch, it never retries the previous one.
    forgotten_id = client_id_of(write_id, batch_id - 1, partition) if batch_id > 0 else 0
    return AppliedRows(
        options.target,
        write_id,
        partition,
        attempt,
        client_id_of(write_id, batch_id, partition),
        forgotten_id,
        options.window_length,
    ).write(rows)


def _parts(messages: Sequence[WriterCommitMessage | None]) -> list[PartReport]:
    """Return the reports of completed tasks."""
    return [cast("PartMessage", each).report for each in messages if each is not None]


def _report(
    options: SinkOptions,
    messages: Sequence[WriterCommitMessage | None],
    batch_id: int,
    *,
    is_complete: bool,
) -> WriteReport | None:
    """Write the tasks' reports; return None if there are no tasks.

    It includes rejected rows of earlier attempts that were not reported.
    """
    parts = _parts(messages)
    if not parts:
        return None
    report = combine_reports(parts, batch_id, options.promise, is_complete=is_complete)
    if options.report_dir is not None:
        report = report.write(Path(options.report_dir))
    return report


def _report_partial(
    options: SinkOptions, messages: Sequence[WriterCommitMessage | None], batch_id: int
) -> None:
    # If all tasks completed, the commit failed and has already reported.
    if None in messages:
        _report(options, messages, batch_id, is_complete=False)


def _forget(options: SinkOptions, client_ids: Sequence[int]) -> None:
    """Request the service to forget the clients of partitions that will not be written again."""
    # If the request fails, the service forgets them later.
    with suppress(AeronClusterError):
        if client_ids:
            forget_clients(options.target, client_ids)


def _reject(options: SinkOptions, report: WriteReport | None) -> None:
    if report is not None and report.rejected and options.rejected == "fail":
        raise RowsRejectedError(report.rejected, [str(each) for each in report.first_rejected])


class BatchWriter(DataSourceArrowWriter):
    """Writes the rows of a frame.

    Parameters
    ----------
    options : SinkOptions
        The result of `prepare`.
    """

    def __init__(self, options: SinkOptions) -> None:
        self._options = options
        # The same for all tasks and retries.
        self._write_id = options.write_id or f"{Seams().random.next():016x}"

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        """Write the rows of a task.

        Parameters
        ----------
        iterator : iterator of pyarrow.RecordBatch

        Raises
        ------
        RowError, MissingDeduplicationError, TimeoutExpiredError
            As for `AppliedRows.write` and `OfferedRows.write`.
        """
        return PartMessage(_write(self._options, self._write_id, _NO_BATCH, iterator))

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Write the report, and request the service to forget tasks, which will not be retried.

        Raises
        ------
        RowsRejectedError
            The service rejected rows, and the option ``rejected`` is ``fail``.
        """
        report = _report(self._options, messages, _NO_BATCH, is_complete=True)
        if self._options.write_id is None:
            parts = _parts(messages)
            _forget(self._options, [part.client_id for part in parts if part.client_id])
        _reject(self._options, report)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Write the report of the completed tasks."""
        _report_partial(self._options, messages, _NO_BATCH)


class StreamWriter(DataSourceStreamArrowWriter):
    """Writes the batches of a stream.

    Parameters
    ----------
    options : SinkOptions
        The result of `prepare`.
    """

    def __init__(self, options: SinkOptions) -> None:
        self._options = options

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        """Write the rows of a task; see `BatchWriter.write`."""
        context = TaskContext.get()
        assert context is not None
        # The query's id is stored in its checkpoint.
        write_id = self._options.write_id or context.getLocalProperty(_QUERY_ID)
        batch_id = context.getLocalProperty(_BATCH_ID)
        assert write_id is not None
        assert batch_id is not None
        return PartMessage(_write(self._options, write_id, int(batch_id), iterator))

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Write the report of a batch; request the service to forget the previous clients.

        Raises
        ------
        RowsRejectedError
            As for `BatchWriter.commit`.
        """
        report = _report(self._options, messages, batchId, is_complete=True)
        _forget(self._options, _LAST_BATCHES.follow(batchId, _parts(messages)))
        _reject(self._options, report)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Write the report of the completed tasks."""
        _report_partial(self._options, messages, batchId)
