"""The Spark format ``aeron_cluster``: reads recordings and logs, and writes rows into a cluster.

No counterpart in Aeron. Spark creates an instance when a frame is loaded or written, and may pickle
it. The called method shows whether it reads or writes.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING

from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceReader,
    DataSourceStreamArrowWriter,
    DataSourceStreamReader,
)

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.files.members import MemberDirectories
from aeron_cluster.pipeline.files.url_files import any_files
from aeron_cluster.pipeline.files.urls import is_url
from aeron_cluster.pipeline.scan.arrow import left_out_schema
from aeron_cluster.pipeline.spark.batch_reader import BatchReader, LeftOutReader
from aeron_cluster.pipeline.spark.frozen import freeze
from aeron_cluster.pipeline.spark.options import parse_options
from aeron_cluster.pipeline.spark.planning import row_schema
from aeron_cluster.pipeline.spark.replay_reader import ReplayReader
from aeron_cluster.pipeline.spark.schemas import as_spark, check_schema
from aeron_cluster.pipeline.spark.sink_options import parse_sink_options
from aeron_cluster.pipeline.spark.stream_reader import StreamReader
from aeron_cluster.pipeline.spark.writers import BatchWriter, StreamWriter, prepare

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from aeron_cluster.pipeline.spark.option_values import Ends
    from aeron_cluster.pipeline.spark.options import SourceOptions

__all__ = ["AeronClusterSource"]


class AeronClusterSource(DataSource):
    """Creates readers and writers by options.

    Parameters
    ----------
    options : mapping of str
        The options of `options.OPTION_NAMES` or `sink_options.SINK_OPTION_NAMES`.
    """

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self._parsed: tuple[SourceOptions, Ends] | None = None

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "aeron_cluster"

    def schema(self) -> StructType:
        """Return the columns that options request."""
        options, _ = self._source()
        if options.table == "left_out":
            return as_spark(left_out_schema())
        return as_spark(row_schema(options, options.columns))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return the reader of a batch query."""
        options, ends = self._source()
        if options.remote is not None:
            raise ConfigurationError("control_channel", "a stream: readStream", "a batch")
        if options.table == "left_out":
            check_schema(schema, self.schema())
            return LeftOutReader(options, ends, schema)
        _check_columns(options, schema)
        return BatchReader(options, ends, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's
        """Return the reader of a stream, which follows growing recordings."""
        options, _ = self._source()
        if options.table == "left_out":
            raise ConfigurationError("table", "rows for a stream", "left_out", "give report_dir")
        for member in options.members:
            place = member.archive_dir if isinstance(member, MemberDirectories) else member
            if is_url(place):
                # A stream reads the writer's counters, which are files on its machine.
                expected = "a directory, or control_channel, for a stream"
                raise ConfigurationError("path", expected, place, "a batch reads by URL")
        _check_columns(options, schema)
        reader = StreamReader if options.remote is None else ReplayReader
        return reader(options, schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        """Return the writer of a frame."""
        return BatchWriter(prepare(parse_sink_options(self.options), schema, overwrite=overwrite))

    def streamWriter(  # noqa: N802 - Spark's
        self, schema: StructType, overwrite: bool
    ) -> DataSourceStreamArrowWriter:
        """Return the writer of a stream's batches."""
        return StreamWriter(prepare(parse_sink_options(self.options), schema, overwrite=overwrite))

    def _source(self) -> tuple[SourceOptions, Ends]:
        """Return the source of reads; the first call freezes the ends."""
        if self._parsed is None:
            options = parse_options(self.options)
            # Only streams read from a remote archive, and they query the ends themselves.
            ends = () if options.remote is not None else freeze(any_files(), options)
            self._parsed = options, ends
        return self._parsed


def _check_columns(options: SourceOptions, schema: StructType) -> None:
    names, wanted = schema.fieldNames(), options.columns
    if wanted is not None and set(wanted) != set(names):
        raise ConfigurationError("schema", f"columns={','.join(wanted)}", ", ".join(names))
    check_schema(schema, as_spark(row_schema(options, names)))
