"""Verify that a compaction contains its whole log.

No counterpart in Aeron.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aeron_cluster.errors import MissingFileError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline.columns.column_definitions import LOG_COLUMNS, select_columns
from aeron_cluster.pipeline.files.url_files import any_files
from aeron_cluster.pipeline.files.urls import local
from aeron_cluster.pipeline.jobs.compaction import stray_files
from aeron_cluster.pipeline.jobs.manifest import (
    MANIFEST_NAME,
    Manifest,
    Part,
    find_damage,
    read_manifest,
)
from aeron_cluster.pipeline.jobs.member_log import open_logs
from aeron_cluster.pipeline.jobs.running.progress import Progress, no_progress
from aeron_cluster.pipeline.optional_packages import require
from aeron_cluster.pipeline.scan.arrow import arrow_batches, plan_schema
from aeron_cluster.pipeline.scan.log_times import time_unit_named
from aeron_cluster.pipeline.scan.pieces import Piece, Range
from aeron_cluster.pipeline.scan.scan_plan import Plan

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.files.members import MemberPath
    from aeron_cluster.pipeline.jobs.member_log import MemberLog

__all__ = ["Problem", "Verification", "verify"]


@dataclass(frozen=True, slots=True)
class Problem:
    """A deviation from the manifest or the log.

    Parameters
    ----------
    where : str
        The file, or the positions of the part.
    what, expected, found : str
    """

    where: str
    what: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}: expected {self.expected}, found {self.found}"


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a verification.

    Parameters
    ----------
    directory : str
    from_position, to_position : int
        The part of the log that the manifest lists, in bytes.
    part_count, rows : int
    compared_rows : int
        The number of rows that were compared with the log.
    problems : tuple of Problem
    """

    directory: str
    from_position: int
    to_position: int
    part_count: int
    rows: int
    compared_rows: int
    problems: tuple[Problem, ...]

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return not self.problems


def verify(
    directory: str | os.PathLike[str],
    *members: MemberPath,
    recording_id: int | None = None,
    progress: Progress = no_progress,
    files: Files | None = None,
) -> Verification:
    """Check that a compaction has all files of its manifest, and that they contain the whole log.

    Parts must follow each other without a gap; their files must be unchanged; their rows must
    ascend. The total length of the rows must equal the counted length of the frames with data,
    except for incomplete messages.

    Parameters
    ----------
    directory : str or PathLike
        The output directory of `compact`.
    *members : str, PathLike or MemberDirectories
        The directories of the log, or URLs of them: each row is compared with the log, unless
        purged.
    recording_id : int, optional
        The recording of the log; by default from the recording log, or the only one of stream 100.
    progress : callable, optional
    files : Files, optional
        The file seam for reading the log.

    Raises
    ------
    ConfigurationError
        The directory is a URL, or there is no log.
    MissingFileError
        There is no manifest, or no archive.
    CorruptError, SegmentError
        The manifest is invalid, or the log is damaged.
    """
    place = local("directory", directory)
    files = files or any_files()
    manifest = read_manifest(SystemFiles(), place)
    if manifest is None:
        path = f"{place}/{MANIFEST_NAME}"
        raise MissingFileError(path, "a manifest", "name the directory of a compaction")
    logs = open_logs(files, members, recording_id) if members else []
    problems = [*_check_manifest(place, manifest)]
    for log in logs:
        problems += _check_log(manifest, log)
    pieces = [
        each.piece
        for each in logs
        # In another log, frames begin at other positions.
        if each.piece.term_length == manifest.term_length
    ]
    compared = 0
    for index, part in enumerate(manifest.parts):
        progress("verify parts", index, len(manifest.parts))
        found = [*_check_files(place, part)]
        problems += found
        if found:
            continue
        rows = _read(place, manifest, part)
        found = [*_check_rows(part, rows)]
        problems += found
        source = _holder(pieces, part)
        if source is not None and not found:
            if source.length < part.to_position - part.from_position:
                rows = _rows_in(rows, source)
            problems += _compare(files, manifest, part, source, rows)
            compared += rows.num_rows
    progress("verify parts", len(manifest.parts), len(manifest.parts))
    return Verification(
        place,
        manifest.from_position,
        manifest.to_position,
        len(manifest.parts),
        manifest.rows,
        compared,
        tuple(problems),
    )


def _name(part: Part) -> str:
    return f"part {part.from_position} to {part.to_position}"


def _check_manifest(directory: str, manifest: Manifest) -> Iterator[Problem]:
    if manifest.pending >= 0:
        expected = f"parts up to {manifest.pending}"
        yield Problem(MANIFEST_NAME, "end", expected, str(manifest.to_position))
    else:
        for path in stray_files(directory, manifest):
            yield Problem(path, "file", "one of a part", "one of no part")
    for damage in find_damage(manifest):
        yield Problem(*damage)
    for part in manifest.parts:
        length = part.to_position - part.from_position
        if part.frame_length + part.padding_length != length:
            counted = f"{part.frame_length} and {part.padding_length} of padding"
            yield Problem(_name(part), "bytes of the log", str(length), counted)
        if part.row_length + part.torn_length != part.frame_length:
            counted = f"{part.frame_length} bytes of frames with data"
            found = f"{part.row_length} and {part.torn_length} of messages in part"
            yield Problem(_name(part), "rows", counted, found)


def _check_files(directory: str, part: Part) -> Iterator[Problem]:
    for each in part.files:
        path = Path(directory, each.path)
        if not path.is_file():
            yield Problem(each.path, "file", f"one of {each.rows} rows", "none")
            continue
        length = path.stat().st_size
        if length != each.length:
            yield Problem(each.path, "length", str(each.length), str(length))
            continue
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        if digest != each.sha256:
            yield Problem(each.path, "SHA-256", each.sha256, digest)


def _read(directory: str, manifest: Manifest, part: Part) -> Any:
    """Return the rows of a part, in the order of the log."""
    pa = require("pyarrow", "arrow")
    parquet = require("pyarrow.parquet", "arrow")
    tables = [parquet.ParquetFile(str(Path(directory, it.path))).read() for it in part.files]
    if not tables:
        plan = Plan(
            (), select_columns(LOG_COLUMNS, manifest.columns), is_log=True, is_assembled=True
        )
        return plan_schema(plan).empty_table()
    rows = pa.concat_tables(tables)
    return rows.sort_by("position") if len(tables) > 1 else rows


def _check_rows(part: Part, rows: Any) -> Iterator[Problem]:
    compute = require("pyarrow.compute", "arrow")
    begins, ends, count = rows["position"], rows["end_position"], rows.num_rows
    if count != part.rows:
        yield Problem(_name(part), "rows", str(part.rows), str(count))
    if count == 0:
        return
    gaps = compute.subtract(begins.slice(1), ends.slice(0, count - 1))
    lengths = compute.subtract(ends, begins)
    if (count > 1 and compute.min(gaps).as_py() < 0) or compute.min(lengths).as_py() <= 0:
        yield Problem(_name(part), "order", "ascending rows", "some out of order")
    first, last = begins[0].as_py(), ends[-1].as_py()
    if first < part.from_position or last > part.to_position:
        yield Problem(_name(part), "rows", "rows of the part", f"{first} to {last}")
    length = compute.sum(lengths).as_py()
    if length != part.row_length:
        yield Problem(_name(part), "bytes of rows", str(part.row_length), str(length))


def _check_log(manifest: Manifest, log: MemberLog) -> Iterator[Problem]:
    """Yield the differences between a log and the written one."""
    for name in ("initial_term_id", "term_length"):
        written, found = getattr(manifest, name), getattr(log.piece, name)
        if written != found:
            what = name.replace("_", " ")
            yield Problem(MANIFEST_NAME, what, f"{found}, as {log.name} has it", str(written))


def _holder(pieces: Sequence[Piece], part: Part) -> Range | None:
    """Return the log that has most of a part, and that range; None if none has any."""
    found: Range | None = None
    for piece in pieces:
        begin = max(piece.start_position, part.from_position)
        held = Range(piece, begin, min(piece.end_position, part.to_position))
        if held.length > (0 if found is None else found.length):
            found = held
    return found


def _rows_in(rows: Any, source: Range) -> Any:
    """Return the rows of a part that are in a range of the log."""
    compute = require("pyarrow.compute", "arrow")
    is_behind = compute.greater_equal(rows["position"], source.from_position)
    is_before = compute.less_equal(rows["end_position"], source.to_position)
    return rows.filter(compute.and_(is_behind, is_before))


def _compare(
    files: Files, manifest: Manifest, part: Part, source: Range, rows: Any
) -> Iterator[Problem]:
    """Compare the rows of a part with those of the log, a batch at a time."""
    piece = replace(
        source.piece,
        end_position=source.to_position,
        committed_position=source.to_position,
        # The terms that define the unit may be purged.
        time_unit=time_unit_named(manifest.time_unit),
    )
    plan = Plan(
        (Range(piece, source.from_position, source.to_position),),
        select_columns(LOG_COLUMNS, manifest.columns),
        is_log=True,
        is_assembled=True,
    )
    done = 0
    pa = require("pyarrow", "arrow")
    for batch in arrow_batches(files, plan, plan.ranges[0], []):
        ours = rows.slice(done, batch.num_rows)
        theirs = pa.Table.from_batches([batch])
        for name in manifest.columns:
            if not ours[name].equals(theirs[name]):
                yield _difference(part, name, ours, theirs)
                return
        done += batch.num_rows
    if done != rows.num_rows:
        yield Problem(_name(part), "rows", f"{done}, as in the log", str(rows.num_rows))


def _difference(part: Part, name: str, ours: Any, theirs: Any) -> Problem:
    pairs = zip(ours[name].to_pylist(), theirs[name].to_pylist(), strict=False)
    at = next((at for at, (a, b) in enumerate(pairs) if a != b), len(ours))
    if at >= len(ours):
        return Problem(_name(part), "rows", f"at least {at + 1}, as in the log", str(len(ours)))
    position = theirs["position"][at].as_py()
    expected, found = repr(theirs[name][at].as_py()), repr(ours[name][at].as_py())
    what = f"{name} of the row at {position}"
    return Problem(_name(part), what, f"{expected}, as in the log", found)
