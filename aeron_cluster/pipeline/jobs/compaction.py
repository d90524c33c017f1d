"""Write the committed part of a log as Parquet, incrementally.

No counterpart in Aeron. The end of new parts is recorded before they are written, so that after a
kill the next run writes the same files.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.errors import (
    ConfigurationError,
    CorruptError,
    DirectoryInUseError,
    StateError,
)
from aeron_cluster.memory.system.seams import Seams, SystemFiles
from aeron_cluster.pipeline.columns.column_definitions import LOG_COLUMNS, select_columns
from aeron_cluster.pipeline.files.url_files import any_files
from aeron_cluster.pipeline.files.urls import is_url, local
from aeron_cluster.pipeline.jobs.manifest import (
    MANIFEST_NAME,
    Manifest,
    find_damage,
    read_manifest,
    write_manifest,
)
from aeron_cluster.pipeline.jobs.member_log import open_logs
from aeron_cluster.pipeline.jobs.parquet_parts import DATA_NAME, PartWriter, is_part
from aeron_cluster.pipeline.jobs.running.progress import Progress, no_progress
from aeron_cluster.pipeline.jobs.running.tasks import run_tasks
from aeron_cluster.pipeline.optional_packages import require
from aeron_cluster.pipeline.scan.arrow import arrow_batches
from aeron_cluster.pipeline.scan.frame_boundaries import cut
from aeron_cluster.pipeline.scan.log_times import (
    require_time_unit,
    time_unit_name,
    time_unit_named,
)
from aeron_cluster.pipeline.scan.message_boundaries import last_boundary
from aeron_cluster.pipeline.scan.pieces import Piece, Range
from aeron_cluster.pipeline.scan.scan_plan import Plan
from aeron_cluster.pipeline.sources.commit import committed_by_majority, proven_position
from aeron_cluster.pipeline.sources.live_ends import CommittedEnd

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.files.members import MemberPath
    from aeron_cluster.pipeline.jobs.member_log import MemberLog

__all__ = ["COMPRESSIONS", "Compaction", "compact", "stray_files"]

_PART_LENGTH: Final = 64 * 1024 * 1024
_COMPRESSION: Final = "zstd"
COMPRESSIONS: Final = ("zstd", "snappy", "gzip", "lz4", "none")
_LOCK_NAME: Final = "_lock"
# Required for verification and partitioning.
_NEEDED: Final = ("position", "end_position", "timestamp")
# These differ between members; without them the output does not depend on the member.
_OWN: Final = ("member", "recording_id", "session_id", "stream_id", "committed")
_BEGUN_WITH: Final = (
    "columns",
    "part_length",
    "compression",
    "time_unit",
    "initial_term_id",
    "term_length",
)
_BOUNDARY_COLUMNS: Final = (
    "position",
    "end_position",
    "leadership_term_id",
    "cluster_session_id",
    "timestamp_raw",
    "payload",
)


@dataclass(frozen=True, slots=True)
class Compaction:
    """The result of a compaction.

    Parameters
    ----------
    directory : str
    from_position, to_position : int
        The written part of the log, in bytes.
    committed_position : int
        The commit position.
    rows : int
        The numbers of all written rows and parts.
    part_count : int
    new_rows, new_part_count : int
        The numbers of rows and parts written by this run.
    removed : tuple of str
        The removed files of an interrupted run; other files are not touched.
    """

    directory: str
    from_position: int
    to_position: int
    committed_position: int
    rows: int
    part_count: int
    new_rows: int
    new_part_count: int
    removed: tuple[str, ...]


def compact(
    *members: MemberPath,
    to: str | os.PathLike[str],
    columns: Iterable[str] | None = None,
    part_length: int | None = None,
    compression: str | None = None,
    time_unit: str | None = None,
    recording_id: int | None = None,
    assume_committed: bool = False,
    spark: SparkSession | None = None,
    progress: Progress = no_progress,
    files: Files | None = None,
) -> Compaction:
    """Write the committed part of a log as Parquet, continuing after the last run.

    Parameters
    ----------
    *members : str, PathLike or MemberDirectories
        A node's directory, or a URL of it, for each member. With several members, the part that a
        majority has is committed; with one, the part up to its commit counter if it runs on this
        machine, or else the part that its recording log and snapshots prove.
    to : str or PathLike
        The output directory, for ``manifest.json`` and ``data/date=YYYY-MM-DD/part-*.parquet``.
    columns : iterable of str, optional
        Some of `columns.LOG_COLUMNS`; ``position``, ``end_position`` and ``timestamp`` are added.
        By default all but those that differ between members.
    part_length : int, optional
        The length of log in a part, rounded up to whole terms of the stream; by default 64 MiB.
    compression : str, optional
        The compression of Parquet; by default ``zstd``.
    time_unit : str, optional
        The unit of the log's times if the log no longer has the terms that define it: ``ms``,
        ``us`` or ``ns``.
    recording_id : int, optional
        The recording of the log; by default from the recording log, or the only one of stream 100.
    assume_committed : bool
        Treat the end of the recording as committed.
    spark : SparkSession, optional
        Writes parts in parallel; the workers need the directories under the same paths.
    progress : callable, optional
    files : Files, optional
        The file seam for reading the log in this process.

    Raises
    ------
    ConfigurationError
        There is no log, or its commit position or time unit cannot be determined; or `to` is a URL,
        or was begun for another log or with other columns, parts, compression or unit.
    StateError
        The next part is purged from the archive, or the commit position is lower than before; or
        parts exist without a manifest.
    DirectoryInUseError
        Another compaction is using the directory.
    SegmentError, CorruptError
        The log or the manifest is damaged.
    """
    require("pyarrow.parquet", "arrow")
    directory = local("to", to)
    files = files or any_files()
    own = SystemFiles()
    logs = open_logs(files, members, recording_id)
    committed = _committed(files, logs, assume_committed=assume_committed)
    Path(directory, DATA_NAME).mkdir(parents=True, exist_ok=True)
    with _alone(directory):
        manifest = read_manifest(own, directory)
        if manifest is not None:
            _check_complete(manifest, directory)
        log, end = _choose(logs, committed, manifest)
        unit = time_unit or _unit_of([log, *logs], manifest)
        wanted = _wanted(log.piece, columns, part_length, compression, unit, manifest)
        piece = replace(log.piece, time_unit=_unit_named(unit))
        if end > (manifest or wanted).to_position:
            require_time_unit(piece.time_unit)
        if manifest is None:
            _check_empty(directory, wanted)
            manifest = wanted
            write_manifest(own, directory, manifest)
        _check(files, piece, manifest, wanted, directory)
        removed = tuple(each for each in stray_files(directory, manifest) if is_part(each))
        for each in removed:
            Path(directory, each).unlink()
        before = manifest
        while (found := _next_end(files, piece, manifest, end)) is not None:
            manifest = replace(manifest, pending=found, time_unit=unit)
            write_manifest(own, directory, manifest)
            manifest = _write(files, piece, manifest, directory, progress, spark)
    return Compaction(
        directory,
        manifest.from_position,
        manifest.to_position,
        end,
        manifest.rows,
        len(manifest.parts),
        manifest.rows - before.rows,
        len(manifest.parts) - len(before.parts),
        removed,
    )


def stray_files(directory: str, manifest: Manifest) -> Iterator[str]:
    """Yield the paths of data files that belong to no part, relative to the directory."""
    known = {file.path for part in manifest.parts for file in part.files}
    for path in sorted(Path(directory, DATA_NAME).glob("date=*/*")):
        relative = str(path.relative_to(directory))
        if relative not in known:
            yield relative


@contextlib.contextmanager
def _alone(directory: str) -> Iterator[None]:
    """Lock the directory; the system releases the lock of a killed process."""
    with Path(directory, _LOCK_NAME).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DirectoryInUseError(directory, 0, "another compaction") from None
        yield


def _committed(files: Files, logs: Sequence[MemberLog], *, assume_committed: bool) -> list[int]:
    """Return the known commit position of each log."""
    pieces = [each.piece for each in logs]
    if assume_committed:
        return [each.end_position for each in pieces]
    if len(logs) > 1:
        return [each.committed_position for each in committed_by_majority(files, pieces)]
    cluster_dir = logs[0].directories.cluster_dir
    if cluster_dir is None:
        raise ConfigurationError(
            "cluster_dir",
            "one with a known commit position",
            "none",
            "name a node's directory, several members, or give assume_committed",
        )
    end = pieces[0].end_position
    if is_url(cluster_dir):  # the counters of a remote node are not available
        return [min(proven_position(logs[0].entries, end), end)]
    with contextlib.closing(CommittedEnd(Seams(), cluster_dir)) as committed_end:
        return [committed_end.position(end)]


def _choose(
    logs: Sequence[MemberLog], committed: Sequence[int], manifest: Manifest | None
) -> tuple[MemberLog, int]:
    """Return the log with the highest committed end, and that end."""

    def preference(index: int) -> tuple[bool, int, int]:
        start = logs[index].piece.start_position
        return manifest is None or start <= manifest.to_position, committed[index], -start

    index = max(range(len(logs)), key=preference)
    return logs[index], committed[index]


def _unit_of(logs: Sequence[MemberLog], manifest: Manifest | None) -> str:
    """Return the time unit of an earlier compaction or of a log; empty if unknown."""
    if manifest is not None and manifest.time_unit:
        return manifest.time_unit
    return next((it for each in logs if (it := time_unit_name(each.piece.time_unit))), "")


def _unit_named(name: str) -> ClusterTimeUnit:
    return time_unit_named(name) if name else ClusterTimeUnit.NULL_VALUE


def _wanted(
    piece: Piece,
    columns: Iterable[str] | None,
    part_length: int | None,
    compression: str | None,
    time_unit: str,
    known: Manifest | None,
) -> Manifest:
    """Return the manifest of a new compaction, with given or known values."""
    if columns is None:
        names = known.columns if known else [it.name for it in LOG_COLUMNS if it.name not in _OWN]
    else:
        given = [each.name for each in select_columns(LOG_COLUMNS, columns)]
        names = [*given, *(each for each in _NEEDED if each not in given)]
    if part_length is None:
        part_length = known.part_length if known else _PART_LENGTH
    if part_length <= 0:
        raise ConfigurationError("part_length", "at least a byte", part_length)
    if compression is None:
        compression = known.compression if known else _COMPRESSION
    if compression not in COMPRESSIONS:
        raise ConfigurationError("compression", f"one of {', '.join(COMPRESSIONS)}", compression)
    rounded = -(-part_length // piece.term_length) * piece.term_length
    return Manifest(
        piece.start_position,
        piece.initial_term_id,
        piece.term_length,
        tuple(names),
        rounded,
        compression,
        time_unit,
    )


def _check_complete(manifest: Manifest, directory: str) -> None:
    """Reject an inconsistent manifest: files that it fails to list must not be removed."""
    for where, what, expected, found in find_damage(manifest):
        path = f"{directory}/{MANIFEST_NAME}"
        raise CorruptError(path, 0, f"{where}: {what}", expected, found)


def _check_empty(directory: str, wanted: Manifest) -> None:
    """Reject a directory with parts but no manifest: the log of those parts may be purged."""
    for path in stray_files(directory, wanted):
        if is_part(path):
            raise StateError(
                f"{directory}/{MANIFEST_NAME}: expected a manifest, since parts exist, found none"
                f" next to {path}: restore it, or use another directory"
            )


def _check(
    files: Files, piece: Piece, manifest: Manifest, wanted: Manifest, directory: str
) -> None:
    """Reject settings that differ from those of the compaction's first run."""
    for name in _BEGUN_WITH:
        earlier, found = getattr(manifest, name), getattr(wanted, name)
        if earlier not in ("", found):
            raise ConfigurationError(name, f"{earlier}, as {directory} was begun with", found)
    begin = manifest.to_position
    if piece.start_position > begin:
        raise StateError(
            f"recording {piece.recording_id}: expected position {begin}, where {directory}"
            f" continues, found that it is purged up to {piece.start_position}: begin a new one"
        )
    place = manifest.border_position
    if piece.start_position <= place and _border(files, piece, place) != manifest.border:
        raise ConfigurationError(
            "members", f"the log that {directory} was begun with", f"another one at {place}"
        )


def _border(files: Files, piece: Piece, position: int) -> str:
    """Return the digest of the message at a position; empty without a message."""
    if position < 0 or position >= piece.end_position:
        return ""
    plan = Plan(
        (Range(piece, position, position + 1),),
        select_columns(LOG_COLUMNS, _BOUNDARY_COLUMNS),
        is_log=True,
        is_assembled=True,
    )
    (part,) = plan.ranges
    rows = [row for batch in arrow_batches(files, plan, part, []) for row in batch.to_pylist()]
    return sha256(repr(rows).encode()).hexdigest()


def _next_end(files: Files, piece: Piece, manifest: Manifest, committed: int) -> int | None:
    """Return the end of the next parts; None if there is nothing to write."""
    begin = manifest.to_position
    if manifest.pending >= 0:
        if manifest.pending > committed:
            raise StateError(
                f"recording {piece.recording_id}: expected it to be committed up to"
                f" {manifest.pending}, the end of an interrupted run, found {committed}"
            )
        return manifest.pending
    if committed <= begin:
        return None
    end = last_boundary(files, replace(piece, end_position=committed), begin, committed)
    return end if begin < end <= committed else None


def _write(
    files: Files,
    piece: Piece,
    manifest: Manifest,
    directory: str,
    progress: Progress,
    spark: SparkSession | None,
) -> Manifest:
    """Write the parts up to the pending position; return the manifest with them."""
    begin, end = manifest.to_position, manifest.pending
    # Fix the end, so that the plan is the same for every reader.
    piece = replace(piece, end_position=end, committed_position=end, is_rest_uncommitted=True)
    plan = Plan(
        (Range(piece, begin, end),),
        select_columns(LOG_COLUMNS, manifest.columns),
        is_log=True,
        is_assembled=True,
    )
    plans = [plan.with_ranges((part,)) for part in cut(files, plan.ranges[0], manifest.part_length)]
    writer = PartWriter(directory, manifest.compression)
    for part in run_tasks(writer, plans, "write parts", progress, spark):
        manifest = manifest.with_part(part)
        if part.last_position >= 0:
            border = _border(files, piece, part.last_position)
            manifest = replace(manifest, border=border, border_position=part.last_position)
        if part.to_position == end:
            manifest = replace(manifest, pending=-1)
        write_manifest(SystemFiles(), directory, manifest)
    return manifest
