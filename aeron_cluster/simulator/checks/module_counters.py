"""Counters of consensus modules and containers when nothing is under way.

Each counter is there once, under the cluster's and the service's id, and has the value that follows
from the log, from the member's recording log, or from its start and its clocks.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.errors import InvariantError

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

__all__ = [
    "LOG_START",
    "AtRest",
    "Shown",
    "check_counters",
    "check_log_start",
    "check_session_counters",
    "expected_counters",
    "read_counter",
]

_STATE: Final = 200
_ROLE: Final = 201
_TOGGLE: Final = 202
_COMMIT: Final = 203
_SNAPSHOTS: Final = 205
_ELECTION: Final = 207
_ERRORS: Final = 212
_TIMED_OUT: Final = 213
_SERVICE_ERRORS: Final = 215
_CYCLE: Final = 216
_LONG_CYCLES: Final = 217
_SERVICE_CYCLE: Final = 218
_LONG_SERVICE_CYCLES: Final = 219
_STANDBY_SNAPSHOTS: Final = 232
_NODE_TOGGLE: Final = 233
_DURATION: Final = 234
_LONG_SNAPSHOTS: Final = 235
_SERVICE_DURATION: Final = 236
_LONG_SERVICE_SNAPSHOTS: Final = 237
_ELECTIONS: Final = 238
_TERM: Final = 239
_SESSION: Final = 241
_REJECTED_CONNECTS: Final = 1200
_REJECTED_SOURCES: Final = 1201
_NEXT_SNAPSHOT: Final = 1202
LOG_START: Final = 1203
"""The type of the counter of the position up to which a log was purged."""
_LEADER_ACTIVITY: Final = 1204
_TYPES: Final = (range(200, 300), range(1200, 1300))
_OF_SERVICES: Final = (
    _SERVICE_ERRORS,
    _SERVICE_CYCLE,
    _LONG_SERVICE_CYCLES,
    _SERVICE_DURATION,
    _LONG_SERVICE_SNAPSHOTS,
)
_KEY: Final = struct.Struct("<ii")
_SESSION_KEY: Final = struct.Struct("<iq")

_ACTIVE: Final = 1
_SNAPSHOT_STATE: Final = 3
_FOLLOWER: Final = 0
_LEADER: Final = 2
_INACTIVE: Final = 0
_NEUTRAL: Final = 1
_SNAPSHOT_TOGGLE: Final = 4
_NO_ELECTION: Final = 17
_UNKNOWN: Final = -1
_S: Final = 1_000_000_000
_CYCLE_NS: Final = _S // 10
_LATEST_MS: Final = 2_500  # what is shown of a leader is renewed once a second
_ANY: Final = range(1 << 62)
_MS: Final = 1_000_000


@dataclass(frozen=True)
class _OrUnknown:
    """Some values, and -1: it is not known yet."""

    values: range

    def __contains__(self, value: object) -> bool:
        return value == _UNKNOWN or value in self.values


class Shown(NamedTuple):
    """A counter of a module or container; of a session with its id."""

    type_id: int
    cluster_id: int
    service_id: int
    """-1 of a module."""
    session_id: int
    value: int


@dataclass(frozen=True, kw_only=True)
class AtRest:
    """What follows for the counters of a member.

    Parameters
    ----------
    term_id : int
        The last term of the log.
    is_leader : bool
        Whether the member leads in that.
    positions : range
        From the end of the last message to that of the recorded log, both included, in bytes.
    snapshot_count : int
        How many snapshots its module has taken since its start, at most.
    timed_out_counts, election_counts : range
        How many sessions its module has closed as timed out, and how many elections it had.
    error_count : int
        How many errors the member has reported.
    age_ns : int
        The time since its start, in ns.
    now_ms : int
        Its wall clock, in ms since 1970.
    service_count : int
    cluster_id : int
    snapshot_interval_ns : int
        0 without a schedule.
    keeps_some_snapshots, accepts_standbys, has_wrong_clock : bool
    """

    term_id: int
    is_leader: bool
    positions: range
    snapshot_count: int
    timed_out_counts: range
    election_counts: range
    error_count: int
    age_ns: int
    now_ms: int
    service_count: int = 1
    cluster_id: int = 0
    snapshot_interval_ns: int = 0
    keeps_some_snapshots: bool = False
    accepts_standbys: bool = False
    has_wrong_clock: bool = False


def read_counter(type_id: int, key: bytes, value: int) -> Shown | None:
    """Return a counter as a driver has it; None of one that is no module's or container's."""
    if not any(type_id in each for each in _TYPES):
        return None
    cluster_id, service_id = _KEY.unpack_from(key)
    if type_id == _SESSION:
        _, session_id = _SESSION_KEY.unpack_from(key)
        return Shown(type_id, cluster_id, _UNKNOWN, session_id, value)
    is_of_service = type_id in _OF_SERVICES
    return Shown(type_id, cluster_id, service_id if is_of_service else _UNKNOWN, _UNKNOWN, value)


def expected_counters(rest: AtRest) -> dict[tuple[int, int], Container[int]]:
    """Return the values that each counter may have, by its type and its service's id."""
    is_scheduled = rest.snapshot_interval_ns > 0
    errors = range(rest.error_count + 1)
    # The clock that measures durations may be fast.
    durations = range(rest.age_ns * 2)
    has_snapshot = rest.snapshot_count > 0
    values: dict[int, Container[int]] = {
        _STATE: (_ACTIVE, _SNAPSHOT_STATE) if is_scheduled else (_ACTIVE,),
        _ROLE: (_LEADER,) if rest.is_leader else (_FOLLOWER,),
        _TOGGLE: _toggles(rest),
        _COMMIT: rest.positions,
        # One whose entry was written before a failure does not count.
        _SNAPSHOTS: range(rest.snapshot_count + 1),
        _ELECTION: (_NO_ELECTION,),
        _ERRORS: errors,
        _TIMED_OUT: rest.timed_out_counts,
        _CYCLE: durations,
        _LONG_CYCLES: _ANY,
        _NODE_TOGGLE: (_NEUTRAL,),
        _DURATION: durations if has_snapshot else (0,),
        _LONG_SNAPSHOTS: range(rest.snapshot_count + 1),
        _ELECTIONS: rest.election_counts,
        _TERM: (rest.term_id,),
        _REJECTED_CONNECTS: _ANY,
        _REJECTED_SOURCES: _ANY,
        _LEADER_ACTIVITY: (_UNKNOWN,)
        if rest.is_leader
        else _OrUnknown(range(rest.now_ms - _LATEST_MS, rest.now_ms + 1)),
    }
    if is_scheduled:
        values[_NEXT_SNAPSHOT] = _deadlines(rest)
    if rest.keeps_some_snapshots:
        values[LOG_START] = range(_UNKNOWN, rest.positions[-1] + 1)
    if rest.accepts_standbys:
        values[_STANDBY_SNAPSHOTS] = _ANY
    expected = {(type_id, _UNKNOWN): allowed for type_id, allowed in values.items()}
    for service_id in range(rest.service_count):
        expected |= {
            (_SERVICE_ERRORS, service_id): errors,
            (_SERVICE_CYCLE, service_id): durations,
            (_LONG_SERVICE_CYCLES, service_id): _ANY,
            (_SERVICE_DURATION, service_id): durations,
            (_LONG_SERVICE_SNAPSHOTS, service_id): _ANY,
        }
    return expected


def _toggles(rest: AtRest) -> tuple[int, ...]:
    if not rest.is_leader:
        return (_INACTIVE,)
    return (_NEUTRAL, _SNAPSHOT_TOGGLE) if rest.snapshot_interval_ns else (_NEUTRAL,)


def _deadlines(rest: AtRest) -> Container[int]:
    """Return when the next scheduled snapshot may be due: only a leader requests it."""
    if not rest.is_leader:
        return (_UNKNOWN,)
    if rest.has_wrong_clock:
        return range(_UNKNOWN, 1 << 62)
    # One that is due is not taken before the log has grown.
    earliest_ms = rest.now_ms - rest.age_ns // _MS
    latest_ms = rest.now_ms + rest.snapshot_interval_ns // _MS + 2
    return _OrUnknown(range(earliest_ms, latest_ms))


def check_counters(name: str, shown: Iterable[Shown], rest: AtRest) -> None:
    """Check the counters of a member's module and containers, but for those of sessions.

    Parameters
    ----------
    name : str
        Whose they are, for the error.
    shown : iterable of Shown
    rest : AtRest

    Raises
    ------
    InvariantError
        One has another value, is missing, or should not be there.
    """
    found: dict[tuple[int, int], int] = {}
    for each in shown:
        if each.type_id == _SESSION:
            continue
        place = each.type_id, each.service_id
        if place in found or each.cluster_id != rest.cluster_id:
            raise InvariantError("counters are there once", f"{name}: {each}")
        found[place] = each.value
    expected = expected_counters(rest)
    strange = found.keys() ^ expected.keys()
    if strange:
        raise InvariantError(
            "counters are there once",
            f"{name}: of type and service {sorted(strange)}, found are {sorted(found)}",
        )
    for place, allowed in expected.items():
        if found[place] not in allowed:
            type_id, service_id = place
            of = "" if service_id == _UNKNOWN else f" of service {service_id}"
            raise InvariantError(
                "counters are right at rest",
                f"{name}: {found[place]} of type {type_id}{of}, expected {allowed}, in term"
                f" {rest.term_id}",
            )
    _check_excesses(name, found)


def _check_excesses(name: str, found: Mapping[tuple[int, int], int]) -> None:
    """Check that durations above their threshold were counted, and no others."""
    for (type_id, service_id), longest_ns in found.items():
        limit_ns = _THRESHOLDS.get(type_id)
        if limit_ns is None:
            continue
        count = found[type_id + 1, service_id]
        if (count > 0) != (longest_ns > limit_ns):
            raise InvariantError(
                "counters are right at rest",
                f"{name}: {count} of type {type_id + 1}, the longest was {longest_ns} ns, the"
                f" threshold is {limit_ns}",
            )


# Each is followed by the counter of what exceeded it.
_THRESHOLDS: Final = {
    _CYCLE: _CYCLE_NS,
    _SERVICE_CYCLE: _CYCLE_NS,
    _DURATION: _S,
    _SERVICE_DURATION: _S,
}


def check_session_counters(
    name: str, counters: Sequence[Shown], sessions: Iterable[int], cluster_id: int = 0
) -> None:
    """Check that a leader has a counter for each session that is open.

    Parameters
    ----------
    name : str
        Whose they are, for the error.
    counters : sequence of Shown
        Of the module; those of what is no client's session have the id -1.
    sessions : iterable of int
        That are open.
    cluster_id : int

    Raises
    ------
    InvariantError
        One is missing, or of another session than it shows.
    """
    shown = [each for each in counters if each.type_id == _SESSION and each.session_id > 0]
    found = sorted(each.session_id for each in shown)
    if found != sorted(sessions):
        raise InvariantError(
            "sessions have counters", f"{name}: {found}, open are {sorted(sessions)}"
        )
    wrong = [
        each for each in shown if each.value != each.session_id or each.cluster_id != cluster_id
    ]
    if wrong:
        raise InvariantError("sessions have counters", f"{name}: {wrong}")


def check_log_start(name: str, shown: int, start: int) -> None:
    """Check the counter of the position up to which the log was purged.

    Parameters
    ----------
    name : str
        Whose it is, for the error.
    shown : int
        Its value, in bytes; -1 before the first purge since the member's start.
    start : int
        Where the recording of the log starts, in bytes.

    Raises
    ------
    InvariantError
        It shows another position.
    """
    if shown not in (_UNKNOWN, start):
        raise InvariantError(
            "members show where their log starts", f"{name}: {shown}, expected {start}"
        )
