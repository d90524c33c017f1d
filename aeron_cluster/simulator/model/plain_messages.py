"""The messages of a cluster's log, snapshots and egress, read by hand.

An oracle must not read messages with the codecs that it judges. So this is a second reader of what
matters of schema 111: fixed offsets, as the formats define them.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Any, Final, NamedTuple

from aeron_cluster.errors import InvariantError

__all__ = [
    "ABSENT_REASON",
    "CLIENT_ACTION",
    "CLOSED",
    "ERROR",
    "OK",
    "REASONS",
    "REDIRECT",
    "REJECTED",
    "SERVICE_ACTION",
    "SNAPSHOT",
    "TIMEOUT",
    "ActionEvent",
    "CloseEvent",
    "LogEntry",
    "LoggedMessage",
    "NewLeader",
    "OpenEvent",
    "PlainModuleSnapshot",
    "PlainServiceSnapshot",
    "PlainSession",
    "SessionState",
    "Template",
    "TermEvent",
    "TimerFired",
    "first_service_id",
    "read_egress_event",
    "read_log_entry",
    "read_module_snapshot",
    "read_service_snapshot",
    "schema_of",
    "service_of",
]


class Template(IntEnum):
    """What messages are, by their template id."""

    MESSAGE = 1
    SESSION_EVENT = 2
    NEW_LEADER_EVENT = 6
    TIMER_EVENT = 20
    OPEN_EVENT = 21
    CLOSE_EVENT = 22
    ACTION = 23
    TERM_EVENT = 24
    MARKER = 100
    CLIENT_SESSION = 102
    CLUSTER_SESSION = 103
    TIMER = 104
    MODULE = 105
    TRACKER = 107


_SCHEMA: Final = 111
_NUMBER_BITS: Final = 56  # of the session id of a service's message
_HEADER: Final = struct.Struct("<HHHH")  # length of the block, template, schema, version
_LENGTH: Final = struct.Struct("<I")
_MESSAGE_LENGTH: Final = 32  # of a session's header, after which its payload begins

_SESSION_BLOCK: Final = struct.Struct("<qqq")
_OPEN: Final = struct.Struct("<qqqqi")
_CLOSE: Final = struct.Struct("<qqqi")
_ACTION_BLOCK: Final = struct.Struct("<qqqii")
_TERM_BLOCK: Final = struct.Struct("<qqqqiiii")
_MARKER_BLOCK: Final = struct.Struct("<qqqiiii")
_CLIENT_SESSION_BLOCK: Final = struct.Struct("<qi")
_CLUSTER_SESSION_BLOCK: Final = struct.Struct("<qqqqii")
_TIMER_BLOCK: Final = struct.Struct("<qq")
_MODULE_BLOCK: Final = struct.Struct("<qqqi")
_TRACKER_BLOCK: Final = struct.Struct("<qqii")
_SESSION_EVENT_BLOCK: Final = struct.Struct("<qqqii")
_NEW_LEADER_BLOCK: Final = struct.Struct("<qqi")

CLIENT_ACTION: Final = 0
SERVICE_ACTION: Final = 1
TIMEOUT: Final = 2
REASONS: Final = {
    CLIENT_ACTION: "CLIENT_ACTION",
    SERVICE_ACTION: "SERVICE_ACTION",
    TIMEOUT: "TIMEOUT",
}
ABSENT_REASON: Final = -(2**31)
"""Of a session in a snapshot that is open."""
SNAPSHOT: Final = 2
"""An action of the log; 0 is to suspend, 1 to resume."""
OK, ERROR, REDIRECT, REJECTED, CLOSED = range(5)
"""Codes of session events."""

_BEGIN: Final = 0
_END: Final = 2
_OF_MODULE: Final = 1
_OF_SERVICE: Final = 2


class TermEvent(NamedTuple):
    """A leader begins its term."""

    term_id: int
    log_position: int
    timestamp: int
    base_position: int
    leader_id: int
    log_session_id: int
    time_unit: int
    app_version: int


class OpenEvent(NamedTuple):
    """A client's session opens."""

    term_id: int
    correlation_id: int
    session_id: int
    timestamp: int
    stream_id: int
    channel: bytes
    principal: bytes


class CloseEvent(NamedTuple):
    """A client's session closes."""

    term_id: int
    session_id: int
    timestamp: int
    reason: int


class LoggedMessage(NamedTuple):
    """A message of a client's session, or of a service where the session's id is negative."""

    term_id: int
    session_id: int
    timestamp: int
    payload: bytes

    @property
    def service_id(self) -> int:
        """The service that offered it; -1 for a message of a client."""
        return service_of(self.session_id)


class TimerFired(NamedTuple):
    """A timer fires."""

    term_id: int
    correlation_id: int
    timestamp: int


class ActionEvent(NamedTuple):
    """An operator's request: to suspend, to resume, to take a snapshot."""

    term_id: int
    log_position: int
    timestamp: int
    action: int
    flags: int


LogEntry = TermEvent | OpenEvent | CloseEvent | LoggedMessage | TimerFired | ActionEvent


class PlainSession(NamedTuple):
    """A session in a module's snapshot."""

    session_id: int
    correlation_id: int
    opened_position: int
    reason: int
    stream_id: int
    channel: bytes


class PlainModuleSnapshot(NamedTuple):
    """A snapshot of a consensus module.

    Parameters
    ----------
    log_position, term_id : int
    next_session_id : int
    sessions : list of PlainSession
    timers : dict of int to int
        Deadlines by correlation id.
    trackers : dict of int to tuple
        By service: the id of its next message and of the last that the log has.
    messages : list of LoggedMessage
        What services offered and the log does not have.
    """

    log_position: int
    term_id: int
    next_session_id: int
    sessions: list[PlainSession]
    timers: dict[int, int]
    trackers: dict[int, tuple[int, int]]
    messages: list[LoggedMessage]


class PlainServiceSnapshot(NamedTuple):
    """A container's part of a service's snapshot: sessions, as id, stream, channel, principal."""

    log_position: int
    term_id: int
    sessions: list[tuple[int, int, bytes, bytes]]


class SessionState(NamedTuple):
    """A member's notice to a client of the state of its session."""

    session_id: int
    correlation_id: int
    term_id: int
    leader_id: int
    code: int
    detail: bytes


class NewLeader(NamedTuple):
    """A leader's notice to a client that it leads."""

    term_id: int
    session_id: int
    leader_id: int
    endpoints: bytes


def _parts(data: bytes, offset: int, count: int) -> list[Any]:
    """Return so many parts of which each has its length before it."""
    found = []
    for _ in range(count):
        (length,) = _LENGTH.unpack_from(data, offset)
        offset += _LENGTH.size
        found.append(data[offset : offset + length])
        offset += length
    return found


def _block(data: bytes, layout: struct.Struct) -> tuple[Any, ...]:
    block_length = int.from_bytes(data[:2], "little")
    if block_length < layout.size or len(data) < _HEADER.size + layout.size:
        raise InvariantError("messages have their format", f"{data[:64].hex()}: too short a block")
    return layout.unpack_from(data, _HEADER.size)


def _message(data: bytes) -> LoggedMessage:
    term_id, session_id, timestamp = _block(data, _SESSION_BLOCK)
    return LoggedMessage(term_id, session_id, timestamp, data[_MESSAGE_LENGTH:])


def first_service_id(service_id: int) -> int:
    """Return the session id before that of a service's first message."""
    return (service_id << _NUMBER_BITS) - (1 << 63)


def service_of(session_id: int) -> int:
    """Return the service whose message has a session id; -1 for that of a client's session."""
    return -1 if session_id >= 0 else (session_id + (1 << 63)) >> _NUMBER_BITS


def schema_of(data: bytes) -> int:
    """Return the id of the schema of a message."""
    return int(_HEADER.unpack_from(data)[2])


def read_log_entry(data: bytes) -> LogEntry:
    """Return what a message of the log is.

    Raises
    ------
    InvariantError
        None that a log has.
    """
    block_length, template, schema, _ = _HEADER.unpack_from(data)
    if schema != _SCHEMA:
        raise InvariantError("messages have their format", f"{data[:64].hex()} is of {schema}")
    after = _HEADER.size + block_length
    match template:
        case Template.MESSAGE:
            return _message(data)
        case Template.TIMER_EVENT:
            return TimerFired(*_block(data, _SESSION_BLOCK))
        case Template.OPEN_EVENT:
            return OpenEvent(*_block(data, _OPEN), *_parts(data, after, 2))
        case Template.CLOSE_EVENT:
            return CloseEvent(*_block(data, _CLOSE))
        case Template.ACTION:
            return ActionEvent(*_block(data, _ACTION_BLOCK))
        case Template.TERM_EVENT:
            return TermEvent(*_block(data, _TERM_BLOCK))
        case _:
            raise InvariantError("messages have their format", f"no log has one of {template}")


def _is_marked(messages: list[bytes], kind: int) -> tuple[int, int, int]:
    """Return position and term of a snapshot, and the index of the message that ends it."""
    is_marker = bool(messages) and _template(messages[0]) == Template.MARKER
    begin = _block(messages[0], _MARKER_BLOCK) if is_marker else ()
    if not begin or begin[0] != kind or begin[4] != _BEGIN:
        raise InvariantError("snapshots are complete", f"{begin} is no beginning of one of {kind}")
    for index, message in enumerate(messages):
        if _template(message) == Template.MARKER and index:
            end = _block(message, _MARKER_BLOCK)
            if (*end[:4], *end[5:]) == (*begin[:4], *begin[5:]) and end[4] == _END:
                return begin[1], begin[2], index
            break
    raise InvariantError("snapshots are complete", f"{begin} has no end")


def _template(data: bytes) -> int:
    _, template, schema, _ = _HEADER.unpack_from(data)
    return template if schema == _SCHEMA else -1


def read_module_snapshot(messages: list[bytes]) -> PlainModuleSnapshot:
    """Return what a module's snapshot has.

    Raises
    ------
    InvariantError
        It is not complete, or has a part twice.
    """
    position, term_id, end = _is_marked(messages, _OF_MODULE)
    found = PlainModuleSnapshot(position, term_id, -1, [], {}, {}, [])
    for message in messages[1:end]:
        match _template(message):
            case Template.MODULE:
                found = found._replace(next_session_id=_block(message, _MODULE_BLOCK)[0])
            case Template.CLUSTER_SESSION:
                block = _block(message, _CLUSTER_SESSION_BLOCK)
                (channel,) = _parts(message, _HEADER.size + _HEADER.unpack_from(message)[0], 1)
                session_id, correlation_id, opened, _, reason, stream_id = block
                found.sessions.append(
                    PlainSession(session_id, correlation_id, opened, reason, stream_id, channel)
                )
            case Template.TIMER:
                correlation_id, deadline = _block(message, _TIMER_BLOCK)
                if correlation_id in found.timers:
                    raise InvariantError("snapshots have a timer once", f"{correlation_id} twice")
                found.timers[correlation_id] = deadline
            case Template.TRACKER:
                next_id, logged_id, _, service_id = _block(message, _TRACKER_BLOCK)
                found.trackers[service_id] = next_id, logged_id
            case Template.MESSAGE:
                found.messages.append(_message(message))
            case template:
                raise InvariantError("snapshots are complete", f"{template} is of no module")
    return found


def read_service_snapshot(messages: list[bytes]) -> PlainServiceSnapshot:
    """Return what a container wrote of a service's snapshot.

    Raises
    ------
    InvariantError
        It is not complete.
    """
    position, term_id, end = _is_marked(messages, _OF_SERVICE)
    sessions = []
    for message in messages[1:end]:
        if _template(message) != Template.CLIENT_SESSION:
            raise InvariantError("snapshots are complete", f"{message[:64].hex()} is no session")
        session_id, stream_id = _block(message, _CLIENT_SESSION_BLOCK)
        after = _HEADER.size + _HEADER.unpack_from(message)[0]
        channel, principal = _parts(message, after, 2)
        sessions.append((session_id, stream_id, channel, principal))
    return PlainServiceSnapshot(position, term_id, sessions)


def read_egress_event(data: bytes) -> SessionState | NewLeader:
    """Return a notice of a member to a client: a session event, or a new leader's."""
    after = _HEADER.size + _HEADER.unpack_from(data)[0]
    if _template(data) == Template.NEW_LEADER_EVENT:
        return NewLeader(*_block(data, _NEW_LEADER_BLOCK), *_parts(data, after, 1))
    return SessionState(*_block(data, _SESSION_EVENT_BLOCK), *_parts(data, after, 1))
