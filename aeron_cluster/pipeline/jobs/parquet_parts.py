"""Write a part of a log as Parquet, with a file for each date, and count its frames.

No counterpart in Aeron.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self
from uuid import uuid4

import numpy as np

from aeron_cluster.codecs.frame_layout import BEGIN_FLAG, END_FLAG
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline.columns.column_definitions import RECORDING_COLUMNS, select_columns
from aeron_cluster.pipeline.files.url_files import any_files
from aeron_cluster.pipeline.jobs.figures.entries import numbers
from aeron_cluster.pipeline.jobs.manifest import Part, PartFile
from aeron_cluster.pipeline.optional_packages import require
from aeron_cluster.pipeline.scan.arrow import arrow_batches, plan_schema
from aeron_cluster.pipeline.scan.scan_plan import Plan

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files

__all__ = ["DATA_NAME", "FrameCount", "PartWriter", "count_frames", "is_part"]

DATA_NAME: Final = "data"
# The final and the temporary names of parts.
_PART: Final = re.compile(
    r"data/date=[^/]+/(?:part-\d{20}-\d{20}\.parquet"
    r"|\.part-\d{20}-\d{20}\.parquet\.[0-9a-f]{32}\.tmp)"
)
# Hive, Spark, DuckDB and PyArrow read it as null.
_NO_DATE: Final = "__HIVE_DEFAULT_PARTITION__"
# The days since 1970 with a year of four digits.
_FIRST_DAY: Final = (datetime.date.min - datetime.date(1970, 1, 1)).days
_LAST_DAY: Final = (datetime.date.max - datetime.date(1970, 1, 1)).days


@dataclass(frozen=True, slots=True)
class PartWriter:
    """Writes parts; it is pickled for tasks.

    Parameters
    ----------
    directory : str
        Of the compaction.
    compression : str
        Of Parquet.
    """

    directory: str
    compression: str

    def __call__(self, plan: Plan) -> Part:
        """Write the single range of a plan; existing files with the same names are replaced.

        Raises
        ------
        SegmentError
            The log is damaged.
        """
        files = any_files()
        (part,) = plan.ranges
        name = f"part-{part.from_position:020}-{part.to_position:020}.parquet"
        rows = row_length = 0
        last_position = -1
        with _Dates(self.directory, name, self.compression, plan_schema(plan)) as dates:
            for batch in arrow_batches(files, plan, part, []):
                rows += batch.num_rows
                row_length += _length(batch)
                last_position = batch.column("position")[-1].as_py()
                dates.write(batch)
            written = dates.finish()
        frames = count_frames(files, plan)
        return Part(
            part.from_position,
            part.to_position,
            rows,
            row_length,
            frames.count,
            frames.length,
            frames.torn_length,
            part.length - frames.length,
            last_position,
            written,
        )


def is_part(path: str) -> bool:
    """Return whether a relative path has the name of a part of a compaction."""
    return _PART.fullmatch(path) is not None


@dataclass(slots=True)
class FrameCount:
    """Counts frames with data without reassembling messages.

    Parameters
    ----------
    term_length : int
        The term length of the stream: no message crosses the end of a term.
    count, length : int
        The number of frames, and their length in the log.
    torn_length : int
        The same for incomplete messages, for example after the failure of a leader.
    """

    term_length: int
    count: int = 0
    length: int = 0
    torn_length: int = 0
    # A message that may continue in the next batch: the length so far, if complete up to here, and
    # the position at which it must continue.
    _begun: int = 0
    _has_begin: bool = False
    _end: int = -1

    def add(self, begins: Any, ends: Any, flags: Any) -> None:
        """Count the next frames.

        Parameters
        ----------
        begins, ends, flags : numpy.ndarray
            The frames; at least one.
        """
        lengths = ends - begins
        self.count += len(lengths)
        self.length += int(lengths.sum())
        is_last = np.append(self._begun == 0, flags[:-1] & END_FLAG != 0)
        is_apart = np.append(self._end, ends[:-1]) != begins
        is_first = (flags & BEGIN_FLAG != 0) | is_last | is_apart | (begins % self.term_length == 0)
        places = np.flatnonzero(is_first)
        if len(places) == 0 or places[0] > 0:  # the first frames continue the begun message
            places = np.append(0, places)
            has_begin = np.append(self._has_begin, flags[places[1:]] & BEGIN_FLAG != 0)
            taken = np.add.reduceat(lengths, places)
            taken[0] += self._begun
        else:
            self.torn_length += self._begun
            has_begin = flags[places] & BEGIN_FLAG != 0
            taken = np.add.reduceat(lengths, places)
        has_end = flags[np.append(places[1:], len(flags)) - 1] & END_FLAG != 0
        is_open = not has_end[-1]
        self._begun = int(taken[-1]) if is_open else 0
        self._has_begin = bool(has_begin[-1])
        self._end = int(ends[-1])
        is_torn = ~(has_begin & has_end)
        if is_open:
            is_torn[-1] = False  # it may still be completed
        self.torn_length += int(taken[is_torn].sum())

    def finish(self) -> None:
        """Count a begun message that has no end."""
        self.torn_length += self._begun
        self._begun = 0


def count_frames(files: Files, plan: Plan) -> FrameCount:
    """Return the number of frames with data in a plan's range, and their total length.

    All frames in the range are read: only padding may be between frames with data, otherwise the
    read fails.
    """
    (part,) = plan.ranges
    columns = select_columns(RECORDING_COLUMNS, ["position", "end_position", "flags"])
    frames = Plan((part,), columns, is_log=False, is_assembled=False)
    found = FrameCount(part.piece.term_length)
    for batch in arrow_batches(files, frames, part, []):
        found.add(*(numbers(batch, each) for each in ("position", "end_position", "flags")))
    found.finish()
    return found


def _length(batch: Any) -> int:
    compute = require("pyarrow.compute", "arrow")
    begins, ends = (
        compute.sum(batch.column(each)).as_py() for each in ("position", "end_position")
    )
    return int(ends or 0) - int(begins or 0)


class _Dates:
    """Writes the files of a part, one for each date."""

    def __init__(self, directory: str, name: str, compression: str, schema: Any) -> None:
        self._directory = Path(directory)
        self._name = name
        self._compression = compression
        self._schema = schema
        self._writers: dict[str, Any] = {}
        self._rows: dict[str, int] = {}
        self._stack = contextlib.ExitStack()
        # Another attempt at the same part may be running in another process.
        self._attempt = uuid4().hex

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def write(self, batch: Any) -> None:
        for date, rows in _by_date(batch):
            writer = self._writers.get(date) or self._open(date)
            writer.write_batch(rows)
            self._rows[date] += rows.num_rows

    def finish(self) -> tuple[PartFile, ...]:
        """Rename the files durably to their final names."""
        self._stack.close()
        written = []
        for date in sorted(self._writers):
            temporary, path = self._temporary(date), self._path(date)
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
                digest = file_digest(file, "sha256").hexdigest()
            length = temporary.stat().st_size
            temporary.replace(path)
            for folder in (path.parent, path.parent.parent):
                SystemFiles().sync_directory(str(folder))
            relative = str(path.relative_to(self._directory))
            written.append(PartFile(relative, self._rows[date], length, digest))
        return tuple(written)

    def _open(self, date: str) -> Any:
        parquet = require("pyarrow.parquet", "arrow")
        temporary = self._temporary(date)
        temporary.parent.mkdir(parents=True, exist_ok=True)
        writer = parquet.ParquetWriter(str(temporary), self._schema, compression=self._compression)
        self._stack.enter_context(writer)
        self._writers[date] = writer
        self._rows[date] = 0
        return writer

    def _path(self, date: str) -> Path:
        return self._directory / DATA_NAME / f"date={date}" / self._name

    def _temporary(self, date: str) -> Path:
        # Readers of such directories skip names with a leading dot.
        return self._path(date).with_name(f".{self._name}.{self._attempt}.tmp")


def _by_date(batch: Any) -> Iterator[tuple[str, Any]]:
    """Yield the rows of each date, in order."""
    pa = require("pyarrow", "arrow")
    compute = require("pyarrow.compute", "arrow")
    days = batch.column("timestamp").cast(pa.date32(), safe=False)
    numbers = days.cast(pa.int32())
    has_name = compute.and_(
        compute.greater_equal(numbers, _FIRST_DAY), compute.less_equal(numbers, _LAST_DAY)
    )
    days = compute.if_else(has_name, days, pa.scalar(None, pa.date32()))
    found = compute.unique(days)
    for day in found:
        if len(found) == 1:
            rows = batch
        elif day.is_valid:
            rows = batch.filter(compute.equal(days, day))
        else:
            rows = batch.filter(compute.is_null(days))
        yield (day.as_py().isoformat() if day.is_valid else _NO_DATE), rows
