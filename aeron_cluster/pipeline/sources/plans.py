"""Plans a read: finds and checks all inputs once.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, get_args

from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.cluster.state.mark_file import member_id_in
from aeron_cluster.cluster.state.recording_log import Entry, RecordingLog
from aeron_cluster.codecs.cluster import (
    ClusterActionRequest,
    ClusterTimeUnit,
    NewLeadershipTermEvent,
    SessionCloseEvent,
    SessionMessageHeader,
    SessionOpenEvent,
    TimerEvent,
)
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.columns.column_definitions import LOG_COLUMNS, RECORDING_COLUMNS
from aeron_cluster.pipeline.files.members import MemberDirectories, MemberPath, find_member
from aeron_cluster.pipeline.scan.frame_boundaries import cut, find_frame
from aeron_cluster.pipeline.scan.log_times import (
    Time,
    find_time_unit,
    raw_slack,
    raw_time,
    seek_times,
    time_unit_named,
)
from aeron_cluster.pipeline.scan.payload_columns import pick_with_payload
from aeron_cluster.pipeline.scan.pieces import (
    MAX_POSITION,
    LeftOut,
    Mode,
    Piece,
    Range,
    Selection,
)
from aeron_cluster.pipeline.scan.scan_plan import Plan
from aeron_cluster.pipeline.sources.archive_counters import ArchiveCounters
from aeron_cluster.pipeline.sources.archive_pieces import read_pieces, recordings_of_stream
from aeron_cluster.pipeline.sources.commit import committed_by_majority, proven_position

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files
    from aeron_cluster.pipeline.payloads.decoder import PayloadDecoder

__all__ = ["MESSAGE_TYPES", "cut_plan", "find_log", "plan_log", "plan_pieces", "plan_recordings"]

LOG_STREAM_ID: Final = 100
_MIN_RANGE: Final = 64
_MAX_RANGES: Final = 1 << 17

# The values of the column `message_type`, with the bits that select rows.
MESSAGE_TYPES: Final = {
    "Unknown": 1,
    "SessionMessage": 1 << SessionMessageHeader.template_id,
    "TimerEvent": 1 << TimerEvent.template_id,
    "SessionOpenEvent": 1 << SessionOpenEvent.template_id,
    "SessionCloseEvent": 1 << SessionCloseEvent.template_id,
    "ClusterActionRequest": 1 << ClusterActionRequest.template_id,
    "NewLeadershipTermEvent": 1 << NewLeadershipTermEvent.template_id,
}


def plan_recordings(
    files: Files,
    archive_dir: str,
    recording_ids: Iterable[int] | None = None,
    *,
    columns: Iterable[str] | None = None,
    is_assembled: bool = True,
    from_position: int | None = None,
    to_position: int | None = None,
    from_term: int | None = None,
    to_term: int | None = None,
    sessions: Iterable[int] | None = None,
    mode: Mode = "strict",
    known_ends: Mapping[int, int] | None = None,
    payload: PayloadDecoder | None = None,
    checksum: str | None = None,
) -> Plan:
    """Plan to read recordings of an archive; one range each.

    Parameters are those of `aeron_cluster.pipeline.read.read_recording`, and of `read_pieces`.
    """
    _check_mode(mode)
    if checksum is not None:
        Checksum(checksum)  # rejects an unknown checksum
    left_out: list[LeftOut] = []
    rejected = left_out if mode == "permissive" else None
    pieces = read_pieces(files, archive_dir, recording_ids, mode, known_ends, rejected)
    for piece in pieces:
        if checksum is not None and not piece.has_checksums:
            expected = "an archive that records with checksums"
            raise ConfigurationError("checksum", expected, piece.archive_dir)
    plan = plan_pieces(
        files,
        pieces,
        columns=columns,
        is_assembled=is_assembled,
        from_position=from_position,
        to_position=to_position,
        from_term=from_term,
        to_term=to_term,
        sessions=sessions,
        mode=mode,
        payload=payload,
        checksum=checksum,
    )
    return replace(plan, left_out=tuple(left_out))


def plan_pieces(
    files: Files,
    pieces: Iterable[Piece],
    *,
    columns: Iterable[str] | None = None,
    is_assembled: bool = True,
    from_position: int | None = None,
    to_position: int | None = None,
    from_term: int | None = None,
    to_term: int | None = None,
    sessions: Iterable[int] | None = None,
    mode: Mode = "strict",
    payload: PayloadDecoder | None = None,
    checksum: str | None = None,
) -> Plan:
    """Plan to read given recordings; one range each.

    Parameters are those of `plan_recordings`.
    """
    picked, payload_columns = pick_with_payload(RECORDING_COLUMNS, columns, payload)
    ranges = []
    for piece in pieces:
        begin, end = _bounds(from_position, to_position)
        if from_term is not None:
            begin = max(begin, _term_position(piece, from_term))
        if to_term is not None:
            end = min(end, _term_position(piece, to_term))
        ranges += _range(files, piece, begin, end, mode)
    return Plan(
        tuple(ranges),
        picked,
        is_log=False,
        is_assembled=is_assembled,
        selection=Selection(sessions=_sessions(sessions)),
        mode=mode,
        payload=payload_columns,
        checksum=checksum or "",
    )


def plan_log(
    files: Files,
    members: Sequence[MemberPath],
    recording_id: int | None = None,
    *,
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
    known_ends: Mapping[int, int] | None = None,
    payload: PayloadDecoder | None = None,
) -> Plan:
    """Plan to read the log of a cluster; one range for each member.

    Parameters are those of `aeron_cluster.pipeline.read.read_log`, and of `read_pieces`.
    """
    _check_mode(mode)
    picked, payload_columns = pick_with_payload(LOG_COLUMNS, columns, payload)
    unit = None if time_unit is None else time_unit_named(time_unit)
    found = [_log_of(files, path, recording_id, unit, mode, known_ends) for path in members]
    if not found:
        raise ConfigurationError("members", "at least one directory", "none")
    pieces = _numbered([each.piece for each in found])
    found = [replace(each, piece=piece) for each, piece in zip(found, pieces, strict=True)]
    if only_committed or any(column.name == "committed" for column in picked):
        pieces = _with_commit(files, found, assume_committed=assume_committed)
    slack = raw_slack(time_slack_s, pieces[0].time_unit)
    times = _times(from_time, to_time, [piece.time_unit for piece in pieces])
    ranges: list[Range] = []
    for piece, log in zip(pieces, found, strict=True):
        begin, end = _bounds(from_position, to_position)
        begin = max(begin, _leadership_term_base(log.entries, from_term, piece.start_position))
        if to_term is not None:
            end = min(end, _leadership_term_base(log.entries, to_term, MAX_POSITION))
        if only_committed:
            end = min(end, piece.committed_position)
        for part in _range(files, piece, begin, end, mode):
            if times is None:
                ranges.append(part)
            else:
                ranges.append(seek_times(files, part, times, slack))
    selection = Selection(
        terms=_terms(from_term, to_term),
        times=times,
        template_ids=_template_ids(message_types),
        sessions=_sessions(sessions),
    )
    return Plan(
        tuple(part for part in ranges if part.length > 0),
        picked,
        is_log=True,
        is_assembled=True,
        selection=selection,
        mode=mode,
        payload=payload_columns,
    )


def cut_plan(files: Files, plan: Plan, length: int) -> Plan:
    """Split the ranges of a plan to about a length, for parallel reads.

    Parameters
    ----------
    files : Files
    plan : Plan
    length : int
        In bytes of the stream; at least 64. If it is below the length of a term, terms are walked
        once to find the begins of frames.

    Raises
    ------
    ConfigurationError
        The length is too short, or makes too many parts.
    """
    total = sum(part.length for part in plan.ranges)
    least = max(_MIN_RANGE, -(-total // _MAX_RANGES))
    if length < least:
        raise ConfigurationError("range_length", f"at least {least} bytes", length)
    ranges = [each for part in plan.ranges for each in cut(files, part, length)]
    return replace(plan, ranges=tuple(ranges))


def _check_mode(mode: str) -> None:
    if mode not in get_args(Mode):
        raise ConfigurationError("mode", "strict or permissive", mode)


def _bounds(from_position: int | None, to_position: int | None) -> tuple[int, int]:
    begin = 0 if from_position is None else from_position
    end = MAX_POSITION if to_position is None else to_position
    if begin < 0 or end < begin:
        raise ConfigurationError("to_position", f"at least from_position, {begin}", end)
    return begin, end


def _range(files: Files, piece: Piece, begin: int, end: int, mode: Mode) -> list[Range]:
    """Return the range of a piece between two positions, or nothing."""
    begin = max(begin, piece.start_position)
    end = min(end, piece.end_position)
    if begin >= end:
        return []
    return [Range(piece, find_frame(files, piece, begin, mode), end)]


def _term_position(piece: Piece, term_id: int) -> int:
    """Return the position of a stream's term; ids wrap around as in Java."""
    count = (term_id - piece.initial_term_id) & 0xFFFFFFFF
    if count >= 1 << 31 or not -(1 << 31) <= term_id < 1 << 31:
        raise ConfigurationError(
            "term", f"an id at or after the initial {piece.initial_term_id}", term_id
        )
    return count * piece.term_length


@dataclass(frozen=True, slots=True)
class _Log:
    """The log of a member.

    Parameters
    ----------
    piece : Piece
    entries : tuple of Entry
        The entries of its recording log.
    cluster_dir : str, optional
    """

    piece: Piece
    entries: tuple[Entry, ...]
    cluster_dir: str | None


def _log_of(
    files: Files,
    path: MemberPath,
    recording_id: int | None,
    unit: ClusterTimeUnit | None,
    mode: Mode,
    known_ends: Mapping[int, int] | None,
) -> _Log:
    """Return the log of a member."""
    member = find_member(files, path)
    entries: tuple[Entry, ...] = ()
    member_id = -1
    if member.cluster_dir is not None:
        with RecordingLog(files, member.cluster_dir, writable=False) as recording_log:
            entries = recording_log.entries
            known = recording_log.find_last_term_recording_id()
        if recording_id is None and known >= 0:
            recording_id = known
        member_id = member_id_in(files, member.cluster_dir)
    if recording_id is None:
        recording_id = _only_log(files, member.archive_dir)
    (piece,) = read_pieces(files, member.archive_dir, [recording_id], mode, known_ends)
    piece = replace(piece, member=member_id)
    if unit is None:
        unit = find_time_unit(files, piece, entries)
    return _Log(replace(piece, time_unit=unit), entries, member.cluster_dir)


def _numbered(pieces: Sequence[Piece]) -> list[Piece]:
    """Return logs; those whose directories have no member id are numbered.

    Raises
    ------
    ConfigurationError
        Two directories belong to the same member, so a majority cannot be determined.
    """
    known: dict[int, Piece] = {}
    places: set[str] = set()
    expected = "directories of different members"
    for piece in pieces:
        other = known.setdefault(piece.member, piece) if piece.member >= 0 else piece
        if other is not piece:
            found = f"member {piece.member} in {other.archive_dir} and in {piece.archive_dir}"
            raise ConfigurationError("members", expected, found)
        if piece.archive_dir in places:
            raise ConfigurationError("members", expected, f"{piece.archive_dir} twice")
        places.add(piece.archive_dir)
    taken = set(known)
    numbered = []
    for index, piece in enumerate(pieces):
        member = piece.member
        if member < 0:
            member = index if index not in taken else max(*taken, len(pieces) - 1) + 1
            taken.add(member)
        numbered.append(replace(piece, member=member))
    return numbered


def find_log(files: Files, member: MemberDirectories) -> int:
    """Return the recording of a member's log.

    Raises
    ------
    ConfigurationError
        The recording log does not have it, and the archive has none or several of the log's stream.
    """
    known = -1
    if member.cluster_dir is not None:
        with RecordingLog(files, member.cluster_dir, writable=False) as recording_log:
            known = recording_log.find_last_term_recording_id()
    return known if known >= 0 else _only_log(files, member.archive_dir)


def _only_log(files: Files, archive_dir: str) -> int:
    """Return the only recording of the stream that logs use."""
    logs = recordings_of_stream(files, archive_dir, LOG_STREAM_ID)
    if len(logs) != 1:
        raise ConfigurationError(
            "recording_id",
            f"one recording of stream {LOG_STREAM_ID} in {archive_dir}",
            ", ".join(map(str, logs)) or "none",
            "specify the recording of the log, or the cluster directory",
        )
    return logs[0]


def _with_commit(
    files: Files,
    found: Sequence[_Log],
    *,
    assume_committed: bool,
) -> list[Piece]:
    pieces = [each.piece for each in found]
    if assume_committed:
        return [replace(each, committed_position=each.end_position) for each in pieces]
    known = [_known_by_counter(files, each) for each in found]
    if len(pieces) > 1:
        return committed_by_majority(files, pieces, known)
    (log,) = found
    (by_counter,) = known
    proven = proven_position(log.entries, log.piece.end_position)
    return [
        replace(
            log.piece, committed_position=proven if by_counter is None else max(proven, by_counter)
        )
    ]


def _known_by_counter(files: Files, log: _Log) -> int | None:
    """Return the commit position of a running node; None if no node is running."""
    piece = log.piece
    if log.cluster_dir is None:
        return None
    with ArchiveCounters(files, piece.archive_dir) as counters:
        # Otherwise the driver belongs to another node.
        if counters.recorded(piece.recording_id, piece.session_id) is None:
            return None
        committed = counters.committed(log.cluster_dir)
    return None if committed is None else min(committed, piece.end_position)


def _leadership_term_base(entries: Sequence[Entry], term: int | None, unknown: int) -> int:
    """Return the base position of a leadership term from the recording log; else a default."""
    if term is None:
        return unknown
    bases = [
        entry.term_base_log_position
        for entry in entries
        if entry.is_valid_term and entry.leadership_term_id >= term
    ]
    is_noted = any(entry.is_valid_term and entry.leadership_term_id == term for entry in entries)
    return min(bases) if is_noted else unknown


def _terms(from_term: int | None, to_term: int | None) -> tuple[int, int] | None:
    if from_term is None and to_term is None:
        return None
    return (
        -MAX_POSITION if from_term is None else _within(from_term),
        MAX_POSITION if to_term is None else _within(to_term),
    )


def _times(
    from_time: Time | None, to_time: Time | None, units: Sequence[ClusterTimeUnit]
) -> tuple[int, int] | None:
    if from_time is None and to_time is None:
        return None
    if len(set(units)) > 1:
        raise ConfigurationError(
            "time_unit", "the same for all members", ", ".join(unit.name for unit in units)
        )
    return (
        -MAX_POSITION if from_time is None else _within(raw_time("from_time", from_time, units[0])),
        MAX_POSITION if to_time is None else _within(raw_time("to_time", to_time, units[0])),
    )


def _within(bound: int) -> int:
    """Return a bound limited to 64 bits; the year 9999 in ns, for example, exceeds them."""
    return min(max(bound, -MAX_POSITION), MAX_POSITION)


def _sessions(wanted: Iterable[int] | None) -> tuple[int, ...] | None:
    """Return the possible ids, ascending."""
    if wanted is None:
        return None
    return tuple(sorted({each for each in wanted if each == _within(each)}))


def _template_ids(message_types: Iterable[str] | None) -> int:
    """Return the bits of some message types."""
    if message_types is None:
        return 0
    bits = 0
    for name in message_types:
        if name not in MESSAGE_TYPES:
            raise ConfigurationError("message_types", f"some of {', '.join(MESSAGE_TYPES)}", name)
        bits |= MESSAGE_TYPES[name]
    if not bits:
        raise ConfigurationError("message_types", "at least one", "none")
    return bits
