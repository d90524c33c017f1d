"""The times of a log: their unit, and positions by time.

The event that begins a leadership term has the unit (``ClusterClock.map``). Times are from the
clocks of different leaders, and may step back.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.recording_reader import read_recording
from aeron_cluster.cluster.members.time_unit import time_unit_of
from aeron_cluster.codecs.cluster import ClusterTimeUnit, NewLeadershipTermEvent, SnapshotMarker
from aeron_cluster.errors import (
    AeronClusterError,
    ConfigurationError,
    SegmentError,
    UnreachableFileError,
)
from aeron_cluster.pipeline.columns.column_buffers import ColumnId
from aeron_cluster.pipeline.scan.pieces import MAX_POSITION, Piece, Range
from aeron_cluster.pipeline.scan.range_scan import open_scanner
from aeron_cluster.pipeline.scan.segment_reader import SegmentReader

if TYPE_CHECKING:
    from aeron_cluster.cluster.state.recording_log import Entry
    from aeron_cluster.memory.system.seams import Files

__all__ = [
    "NS_PER_S",
    "Time",
    "find_time_unit",
    "raw_slack",
    "raw_time",
    "require_time_unit",
    "seek_times",
    "time_unit_name",
    "time_unit_named",
    "units_in",
]

Time: TypeAlias = datetime | int | str

NS_PER_S: Final = 1_000_000_000
_PER_SECOND: Final = {
    ClusterTimeUnit.MILLIS: 1_000,
    ClusterTimeUnit.MICROS: 1_000_000,
    ClusterTimeUnit.NANOS: 1_000_000_000,
}
_NAMES: Final = {
    "ms": ClusterTimeUnit.MILLIS,
    "us": ClusterTimeUnit.MICROS,
    "ns": ClusterTimeUnit.NANOS,
}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_US: Final = timedelta(microseconds=1)
_LOWEST_TIME: Final = -(2**63) + 1


def time_unit_named(name: str) -> ClusterTimeUnit:
    """Return a unit by name: ``ms``, ``us`` or ``ns``."""
    if name not in _NAMES:
        raise ConfigurationError("time_unit", "ms, us or ns", name)
    return _NAMES[name]


def time_unit_name(unit: ClusterTimeUnit) -> str:
    """Return the name of a unit; empty if unknown."""
    return next((name for name, each in _NAMES.items() if each is unit), "")


def require_time_unit(unit: ClusterTimeUnit) -> ClusterTimeUnit:
    """Return a unit; raise if it is unknown.

    Raises
    ------
    ConfigurationError
        The unit is unknown: the caller must provide it.
    """
    if unit is ClusterTimeUnit.NULL_VALUE:
        hint = "the terms with the unit are purged: give time_unit"
        raise ConfigurationError("time_unit", "ms, us or ns", "nothing in the log", hint)
    return unit


def units_in(unit: ClusterTimeUnit) -> int:
    """Return the units per second; the highest possible number if the unit is unknown."""
    return _PER_SECOND.get(unit, max(_PER_SECOND.values()))


def raw_slack(time_slack_s: float, unit: ClusterTimeUnit) -> int:
    """Return the largest backward step of times in a log, in its unit.

    Parameters
    ----------
    time_slack_s : float
        In seconds.
    unit : ClusterTimeUnit

    Raises
    ------
    ConfigurationError
        It is negative, or not a number.
    """
    if not time_slack_s >= 0:
        raise ConfigurationError("time_slack_s", "0 seconds or more", time_slack_s)
    return int(min(time_slack_s * units_in(unit), MAX_POSITION))


def raw_time(name: str, value: Time, unit: ClusterTimeUnit) -> int:
    """Return a time in a cluster's unit, rounded up so that comparisons remain valid.

    Parameters
    ----------
    name : str
        The option, for the error.
    value : datetime, int or str
        A datetime with a time zone; a raw number, in the unit; or ISO 8601 with an offset.
    unit : ClusterTimeUnit

    Raises
    ------
    ConfigurationError
        The time is invalid, or the time unit is unknown.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise ConfigurationError(name, "ISO 8601 with an offset", value) from None
    if isinstance(value, int):
        return value
    if not isinstance(value, datetime):
        raise ConfigurationError(name, "a datetime, a whole number or ISO 8601", value)
    if value.tzinfo is None:
        raise ConfigurationError(name, "a time with a time zone", value.isoformat())
    if unit not in _PER_SECOND:
        hint = "give time_unit, or raw times"
        raise ConfigurationError(name, "a log whose unit of time is known", str(value), hint)
    return -(-((value - _EPOCH) // _US * _PER_SECOND[unit]) // 1_000_000)


def find_time_unit(files: Files, piece: Piece, entries: Sequence[Entry]) -> ClusterTimeUnit:
    """Return the unit of a log's times; `NULL_VALUE` if it cannot be determined.

    Parameters
    ----------
    files : Files
    piece : Piece
    entries : sequence of Entry
        Entries of the recording log: terms and snapshots. Without entries, the log is searched from
        its start.
    """
    bases = sorted({entry.term_base_log_position for entry in entries if entry.is_valid_term})
    for base in bases:
        if piece.start_position <= base < piece.end_position:
            unit = _unit_in_log(files, piece, base, base + 1)
            if unit is not None:
                return unit
    for entry in entries:
        if entry.is_valid_snapshot:
            unit = _unit_in_snapshot(files, piece.archive_dir, entry.recording_id)
            if unit is not None:
                return unit
    if not bases:
        unit = _unit_in_log(files, piece, piece.start_position, piece.end_position)
    else:
        unit = None
    return ClusterTimeUnit.NULL_VALUE if unit is None else unit


def _unit_in_log(files: Files, piece: Piece, begin: int, end: int) -> ClusterTimeUnit | None:
    with SegmentReader(files, piece) as reader:
        ids = [ColumnId.NEW_LEADERSHIP_TERM_TIME_UNIT]
        scanner, buffers = open_scanner(
            reader, Range(piece, begin, end), ids, is_log=True, max_rows=1
        )
        scanner.select(template_ids=1 << NewLeadershipTermEvent.template_id)
        try:
            scanner.next_batch()
        except SegmentError:
            return None
        if len(buffers) == 0:
            return None
        _, _, name, _ = buffers.take()[0]
        return _NAMES.get(bytes(memoryview(name)).decode("ascii"))


def _unit_in_snapshot(files: Files, archive_dir: str, recording_id: int) -> ClusterTimeUnit | None:
    try:
        with Catalog(files, archive_dir, writable=False) as catalog:
            descriptor = catalog.get(recording_id).descriptor
        message, _ = next(read_recording(files, archive_dir, descriptor))
        return time_unit_of(SnapshotMarker.decode(message).time_unit)
    except UnreachableFileError:
        raise
    except (AeronClusterError, OSError, StopIteration):
        return None  # another snapshot may have it


def seek_times(files: Files, part: Range, times: tuple[int, int], slack: int) -> Range:
    """Return a part of a log that contains all entries within some times.

    Parameters
    ----------
    files : Files
    part : Range
    times : tuple of int
        The raw begin and the excluded raw end.
    slack : int
        The largest backward step of times in the log, in its unit.

    Notes
    -----
    A binary search: it reads the first times of O(log n) terms.
    """
    piece = part.piece
    first = piece.term_begin(part.from_position) + piece.term_length
    terms = range(first, part.to_position, piece.term_length)

    begin = _last_before(files, piece, terms, times[0] - slack)
    end = _first_after(files, piece, terms, times[1] + slack)
    return Range(
        piece,
        part.from_position if begin is None else begin,
        part.to_position if end is None else max(end, begin or part.from_position),
    )


def _last_before(files: Files, piece: Piece, terms: range, time: int) -> int | None:
    """Return the last term known to begin before a time, or None."""
    low, high = 0, len(terms)  # terms below `low` do; a term without a known time is not skipped
    while low < high:
        middle = (low + high) // 2
        found = _time_at(files, piece, terms[middle])
        if found is not None and found < time:
            low = middle + 1
        else:
            high = middle
    return terms[low - 1] if low else None


def _first_after(files: Files, piece: Piece, terms: range, time: int) -> int | None:
    """Return the first term known to begin at or after a time, or None."""
    low, high = 0, len(terms)
    while low < high:
        middle = (low + high) // 2
        found = _time_at(files, piece, terms[middle])
        if found is not None and found >= time:
            high = middle
        else:
            low = middle + 1
    return terms[low] if low < len(terms) else None


def _time_at(files: Files, piece: Piece, term: int) -> int | None:
    """Return the first time in a term; None if it has no times, or damage precedes them."""
    with SegmentReader(files, piece) as reader:
        end = min(term + piece.term_length, piece.end_position)
        ids = [ColumnId.TIMESTAMP_RAW]
        scanner, buffers = open_scanner(
            reader, Range(piece, term, end), ids, is_log=True, max_rows=1
        )
        # All entries with a time.
        scanner.select(times=(_LOWEST_TIME, MAX_POSITION))
        try:
            scanner.next_batch()
        except SegmentError:
            return None
        if len(buffers) == 0:
            return None
        _, _, times, _ = buffers.take()[0]
        return int(memoryview(times).cast("q")[0])
