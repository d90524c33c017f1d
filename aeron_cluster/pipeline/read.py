"""Reads recordings and logs as Arrow, pandas, polars and DuckDB data, without Spark.

No counterpart in Aeron.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from aeron_cluster.pipeline.files.url_files import any_files
from aeron_cluster.pipeline.files.urls import absolute
from aeron_cluster.pipeline.optional_packages import require
from aeron_cluster.pipeline.scan.arrow import arrow_batches, left_out_table, plan_schema
from aeron_cluster.pipeline.scan.pieces import LeftOut, Mode
from aeron_cluster.pipeline.scan.scan_plan import Plan
from aeron_cluster.pipeline.sources.plans import plan_log, plan_recordings

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.files.members import MemberPath
    from aeron_cluster.pipeline.payloads.decoder import PayloadDecoder
    from aeron_cluster.pipeline.scan.log_times import Time

__all__ = ["Rows", "read_log", "read_recording"]


class Rows:
    """The rows of a plan; each consumer reads them again.

    Parameters
    ----------
    files : Files
        The file seam.
    plan : Plan

    Notes
    -----
    It supports Arrow's C stream interface: ``pyarrow.table(rows)``, ``polars.DataFrame(rows)``.
    """

    def __init__(self, files: Files, plan: Plan) -> None:
        self._files = files
        self._plan = plan
        self._schema = plan_schema(plan)
        self._left_out: list[LeftOut] = []

    def __repr__(self) -> str:
        names = ", ".join(self._schema.names)
        return f"Rows(ranges={len(self._plan.ranges)}, columns=[{names}])"

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows as an Arrow C stream."""
        return self.reader().__arrow_c_stream__(requested_schema)

    @property
    def plan(self) -> Plan:
        """The plan of the read; it can be pickled."""
        return self._plan

    @property
    def schema(self) -> Any:
        """The columns, as a `pyarrow.Schema`."""
        return self._schema

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The parts that the last pass could not read, so far; always empty in strict mode."""
        return tuple(self._left_out)

    def batches(self) -> Iterator[Any]:
        """Begin a pass: yield each `pyarrow.RecordBatch` in the order of the plan.

        Raises
        ------
        SegmentError, PayloadError
            The data are damaged, and the pass is strict.
        """
        left_out = list(self._plan.left_out)
        self._left_out = left_out
        for part in self._plan.ranges:
            yield from arrow_batches(self._files, self._plan, part, left_out, self._schema)

    def reader(self) -> Any:
        """Begin a pass: return a `pyarrow.RecordBatchReader` with one batch in memory at a time."""
        pa = require("pyarrow", "arrow")
        return pa.RecordBatchReader.from_batches(self._schema, self.batches())

    def table(self) -> Any:
        """Return all rows as a `pyarrow.Table`."""
        pa = require("pyarrow", "arrow")
        return pa.Table.from_batches(list(self.batches()), schema=self._schema)

    def left_out_table(self) -> Any:
        """Return the parts that the last pass could not read, as a `pyarrow.Table`."""
        return left_out_table(self._left_out)

    def pandas(self) -> Any:
        """Return all rows as a `pandas.DataFrame` with Arrow's types.

        NumPy's types have no null: integer columns with nulls would become floats, which are not
        exact beyond 2**53.
        """
        types = require("pandas", "pandas").ArrowDtype
        return self.table().to_pandas(types_mapper=types)

    def polars(self) -> Any:
        """Return all rows as a `polars.DataFrame`."""
        return require("polars", "polars").from_arrow(self.table())

    def duckdb(self, connection: Any = None) -> Any:
        """Return the rows as a `duckdb.DuckDBPyRelation`; each query is a pass.

        Parameters
        ----------
        connection : duckdb.DuckDBPyConnection, optional
            The connection; by default DuckDB's default one.
        """
        return (connection or require("duckdb", "duckdb")).from_arrow(self)


def read_recording(
    archive_dir: str | os.PathLike[str],
    recording_id: int | Iterable[int] | None = None,
    *,
    columns: Iterable[str] | None = None,
    assembled: bool = True,
    from_position: int | None = None,
    to_position: int | None = None,
    from_term: int | None = None,
    to_term: int | None = None,
    sessions: Iterable[int] | None = None,
    mode: Mode = "strict",
    payload: PayloadDecoder | None = None,
    checksum: str | None = None,
    files: Files | None = None,
) -> Rows:
    """Read recordings of an archive.

    Parameters
    ----------
    archive_dir : str or PathLike
        The directory of an archive, ours or Java's, which may be running; or a URL that fsspec or
        `pyarrow.fs` supports.
    recording_id : int or iterable of int, optional
        By default all valid recordings, ordered by id.
    columns : iterable of str, optional
        The columns to read: some of `columns.RECORDING_COLUMNS`.
    assembled : bool
        Return a row for each message, assembled from its fragments, instead of each frame.
    from_position, to_position : int, optional
        Return rows that begin at or after the first and before the second, in bytes of the stream.
    from_term, to_term : int, optional
        Terms of the stream (column `term_id`); the second is excluded.
    sessions : iterable of int, optional
        Sessions of the stream (column `session_id`).
    mode : str
        ``strict`` raises at the first damage; ``permissive`` skips damage (see `Rows.left_out`).
    payload : PayloadDecoder, optional
        Decodes payloads into columns (`aeron_cluster.pipeline.payloads`), which `columns` may also
        name; by default they follow the others, and ``payload`` is omitted.
    checksum : str, optional
        ``CRC-32`` or ``CRC-32C``: the archive's record checksum, to check each frame.
    files : Files, optional
        The file seam; by default the files of this machine.

    Returns
    -------
    Rows
        The rows up to the current end of the recordings.

    Raises
    ------
    ConfigurationError
        There is no such recording, column or mode.
    MissingFileError
        The archive is missing.
    SegmentError, CorruptError
        Files that the plan must read are damaged.
    MissingPackageError
        PyArrow is not installed.
    """
    files = files or any_files()
    ids = [recording_id] if isinstance(recording_id, int) else recording_id
    plan = plan_recordings(
        files,
        absolute(archive_dir),
        ids,
        columns=columns,
        is_assembled=assembled,
        from_position=from_position,
        to_position=to_position,
        from_term=from_term,
        to_term=to_term,
        sessions=sessions,
        mode=mode,
        payload=payload,
        checksum=checksum,
    )
    return Rows(files, plan)


def read_log(
    *members: MemberPath,
    recording_id: int | None = None,
    columns: Iterable[str] | None = None,
    from_position: int | None = None,
    to_position: int | None = None,
    from_term: int | None = None,
    to_term: int | None = None,
    from_time: Time | None = None,
    to_time: Time | None = None,
    time_unit: str | None = None,
    time_slack_s: float = 3600.0,
    sessions: Iterable[int] | None = None,
    message_types: Iterable[str] | None = None,
    only_committed: bool = False,
    assume_committed: bool = False,
    mode: Mode = "strict",
    payload: PayloadDecoder | None = None,
    files: Files | None = None,
) -> Rows:
    """Read the log of a cluster, from the directories of one or several members.

    Parameters
    ----------
    *members : str, PathLike or MemberDirectories
        A node's directory, an archive directory, or both directories of a member.
    recording_id : int, optional
        The recording of the log; by default from the recording log, or the only one of stream 100.
    columns : iterable of str, optional
        The columns to read: some of `columns.LOG_COLUMNS`. Without `committed`, the members' logs
        are not compared.
    from_position, to_position : int, optional
        Return rows that begin at or after the first and before the second, in bytes of the log.
    from_term, to_term : int, optional
        Leadership terms; the second is excluded.
    from_time, to_time : datetime, int or str, optional
        The second is excluded. A datetime with a time zone; a raw number, in the cluster's unit; or
        ISO 8601.
    time_unit : str, optional
        ``ms``, ``us`` or ``ns``; required only if the log no longer defines it.
    time_slack_s : float
        The largest backward step of times in the log, in seconds, for example because a new
        leader's clock is slow. The search by time depends on it.
    sessions : iterable of int, optional
        Cluster sessions; rows without a session, such as timers, are omitted.
    message_types : iterable of str, optional
        Some of `plans.MESSAGE_TYPES`.
    only_committed : bool
        Omit rows that are not known to be committed.
    assume_committed : bool
        Treat the end of each recording as committed.
    mode : str
        ``strict`` raises at the first damage; ``permissive`` skips damage (see `Rows.left_out`).
    payload : PayloadDecoder, optional
        Decodes payloads into columns (`aeron_cluster.pipeline.payloads`), which `columns` may also
        name; by default they follow the others, and ``payload`` is omitted.
    files : Files, optional
        The file seam; by default the files of this machine.

    Returns
    -------
    Rows
        The rows by member, then by position. `committed` is true for rows that a majority of the
        given members has with equal bytes. With one member, it is null beyond the part that
        recording log and snapshots prove. The commit counter of a node that runs on this machine is
        also used.

    Raises
    ------
    ConfigurationError
        There is no such recording, column, type or mode, or the time unit is unknown.
    MissingFileError
        The archive is missing.
    SegmentError, CorruptError
        Files that the plan must read are damaged.
    MissingPackageError
        PyArrow is not installed.
    """
    files = files or any_files()
    plan = plan_log(
        files,
        members,
        recording_id,
        columns=columns,
        from_position=from_position,
        to_position=to_position,
        from_term=from_term,
        to_term=to_term,
        from_time=from_time,
        to_time=to_time,
        time_unit=time_unit,
        time_slack_s=time_slack_s,
        sessions=sessions,
        message_types=message_types,
        only_committed=only_committed,
        assume_committed=assume_committed,
        mode=mode,
        payload=payload,
    )
    return Rows(files, plan)
