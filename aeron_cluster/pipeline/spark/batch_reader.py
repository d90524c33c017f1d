"""Reads a plan on Spark, with a task for each range.

The reader and a range are pickled for each task; both are plain values.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, InputPartition

from aeron_cluster.pipeline.files.url_files import any_files
from aeron_cluster.pipeline.scan.arrow import arrow_batches, left_out_table
from aeron_cluster.pipeline.spark.planning import decoder_of, plan_rows
from aeron_cluster.pipeline.spark.range_rows import read_range, report_recordings
from aeron_cluster.pipeline.spark.schemas import output_schema

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from aeron_cluster.pipeline.scan.scan_plan import Plan
    from aeron_cluster.pipeline.spark.option_values import Ends
    from aeron_cluster.pipeline.spark.options import SourceOptions

__all__ = ["BatchReader", "LeftOutReader", "PlanPartition"]


class PlanPartition(InputPartition):
    """A plan of one range, or without ranges for omitted recordings.

    Parameters
    ----------
    plan : Plan
    """

    value: Plan

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)


class BatchReader(DataSourceReader):
    """Reads rows.

    Parameters
    ----------
    options : SourceOptions
    ends : Ends
        The ends of recordings when the frame was loaded.
    schema : StructType
        The columns of the rows; others are not read.
    """

    def __init__(self, options: SourceOptions, ends: Ends, schema: StructType) -> None:
        self._options = options
        self._ends = ends
        self._schema = schema

    def partitions(self) -> list[InputPartition]:
        """Create the plan; return a partition for each range."""
        plan = plan_rows(any_files(), self._options, self._names(), self._ends)
        if self._options.report_dir is not None:
            report_recordings(Path(self._options.report_dir), plan.left_out)
        return [PlanPartition(part) for part in plan.parts()]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the rows of a partition as `pyarrow.RecordBatch`."""
        if isinstance(partition, PlanPartition):  # without partitions Spark passes its own object
            schema = output_schema(self._schema)
            yield from read_range(partition.value, schema, self._options.report_dir)

    def _names(self) -> list[str]:
        return self._schema.fieldNames()


class LeftOutReader(BatchReader):
    """Reads the parts that a permissive pass over the same plan skips."""

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the skipped parts of a partition."""
        if not isinstance(partition, PlanPartition):
            return
        plan = partition.value
        left_out = list(plan.left_out)
        for part in plan.ranges:
            for _ in arrow_batches(any_files(), plan, part, left_out):
                pass
        table = left_out_table(left_out).cast(output_schema(self._schema))
        yield from table.to_batches()

    def _names(self) -> list[str]:
        """Return columns that make the pass read everything that rows need."""
        columns = self._options.columns or ()
        decoder = decoder_of(self._options)
        fields = [] if decoder is None else [each.name for each in decoder.arrow_fields()]
        wanted = [name for name in fields if not columns or name in columns]
        return ["position", *wanted]
