"""The format ``aeron_cluster`` of Spark: recordings and logs as rows.

Stands for nothing of Java's. Instances are made where a frame is loaded, and pickled from there.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.arrow import left_out_schema
from aeron_cluster.pipeline.members import MemberDirectories
from aeron_cluster.pipeline.spark.batch_reader import BatchReader, LeftOutReader
from aeron_cluster.pipeline.spark.frozen import freeze
from aeron_cluster.pipeline.spark.options import parse_options
from aeron_cluster.pipeline.spark.planning import row_schema
from aeron_cluster.pipeline.spark.pushed_reader import PushedReader
from aeron_cluster.pipeline.spark.replay_reader import ReplayReader
from aeron_cluster.pipeline.spark.schemas import as_spark, check_schema
from aeron_cluster.pipeline.spark.stream_reader import StreamReader
from aeron_cluster.pipeline.url_files import any_files
from aeron_cluster.pipeline.urls import is_url

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

__all__ = ["AeronClusterSource"]


class AeronClusterSource(DataSource):
    """Makes readers for what options name.

    Parameters
    ----------
    options : mapping of str
        Those of `options.OPTION_NAMES`.
    """

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self._options = parse_options(options)
        # Of an archive that is elsewhere, streams alone read, and these ask for themselves.
        is_remote = self._options.remote is not None
        self._ends = () if is_remote else freeze(any_files(), self._options)

    @classmethod
    def name(cls) -> str:
        """Return what `format` is called with."""
        return "aeron_cluster"

    def schema(self) -> StructType:
        """Return the columns that options ask for."""
        if self._options.table == "left_out":
            return as_spark(left_out_schema())
        return as_spark(row_schema(self._options, self._options.columns))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return what plans and reads the columns of a schema."""
        options = self._options
        if options.remote is not None:
            raise ConfigurationError("control_channel", "a stream: readStream", "a batch")
        if options.table == "left_out":
            check_schema(schema, self.schema())
            return LeftOutReader(options, self._ends, schema)
        self._check_columns(schema)
        reader = PushedReader if options.pushdown else BatchReader
        return reader(options, self._ends, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's
        """Return what follows recordings that grow."""
        if self._options.table == "left_out":
            raise ConfigurationError("table", "rows for a stream", "left_out", "say report_dir")
        for member in self._options.members:
            place = member.archive_dir if isinstance(member, MemberDirectories) else member
            if is_url(place):
                # What follows looks at counters of who writes, which are in files of its machine.
                expected = "a directory, or control_channel, for a stream"
                raise ConfigurationError("path", expected, place, "a batch reads by URL")
        self._check_columns(schema)
        reader = StreamReader if self._options.remote is None else ReplayReader
        return reader(self._options, schema)

    def _check_columns(self, schema: StructType) -> None:
        names, wanted = schema.fieldNames(), self._options.columns
        if wanted is not None and set(wanted) != set(names):
            raise ConfigurationError("schema", f"columns={','.join(wanted)}", ", ".join(names))
        check_schema(schema, as_spark(row_schema(self._options, names)))
