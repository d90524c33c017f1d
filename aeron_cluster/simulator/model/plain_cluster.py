"""A cluster's state as its log leads to it, entry by entry.

Terms rise and begin where the last one ended, each entry is of its leader's term, sessions are
opened once and closed once, messages come from open sessions alone, services' messages are
numbered without a gap. What a snapshot has to hold of a position is kept for each that was
requested.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.model.plain_messages import (
    REASONS,
    SNAPSHOT,
    ActionEvent,
    CloseEvent,
    LogEntry,
    LoggedMessage,
    OpenEvent,
    TermEvent,
    TimerFired,
    first_service_id,
    read_log_entry,
    schema_of,
)

__all__ = ["NO_EXTENSION", "OpenSession", "PlainCluster", "Requested", "Seen"]

_FRAME_HEADER_LENGTH: Final = 32
_FRAME_ALIGNMENT: Final = 32
_SHORTEST_TERM: Final = 64 * 1024
_OF_A_SERVICE: Final = -1
_NONE: Final = -1

NO_EXTENSION: Final = -1
"""For the schema of an extension in a cluster without one."""


class OpenSession(NamedTuple):
    """A session, and where it was opened: the position after its event."""

    position: int
    event: OpenEvent


Seen = tuple[int, str, int, int, bytes]
"""What a service sees of an entry: position after it, kind, key, timestamp, content."""


class Requested(NamedTuple):
    """The state at a position at which a snapshot was requested."""

    event: ActionEvent
    term: TermEvent
    sessions: dict[int, OpenSession]
    next_session_id: int
    logged: dict[int, int]


@dataclass(frozen=True, slots=True)
class _TimeRegression:
    """Where the timestamps fall: the leaders of the two entries and what they are."""

    position: int
    leader_ids: tuple[int, int]
    timestamps: tuple[int, int]


class PlainCluster:
    """The state of a cluster.

    Parameters
    ----------
    member_count : int
    extension_schema : int
        The schema of messages of an extension; -1 without one.

    Attributes
    ----------
    position : int
        After the last entry.
    terms : list of TermEvent
    sessions : dict of int to OpenSession
        Those that are open.
    opens : dict of int to OpenEvent
        Of all sessions.
    closes : dict of int to CloseEvent
    closed_at : dict of int to int
        After each of these, by session.
    logged : dict of int to int
        The number of the last message of each service.
    messages : dict of int to list
        What they are, in their order, by service.
    fired : dict of int to list
        Position and timestamp of each event of a timer, by its correlation id.
    seen : list of tuple
        What each service, or extension, sees of the log: messages of an extension are ``foreign``.
    requested : dict of int to Requested
        By the position of a request for a snapshot.
    time_regressions : list
        Where timestamps fall.
    """

    def __init__(self, member_count: int, extension_schema: int = NO_EXTENSION) -> None:
        self._member_count = member_count
        self._extension_schema = extension_schema
        self.position = 0
        self.terms: list[TermEvent] = []
        self.sessions: dict[int, OpenSession] = {}
        self.opens: dict[int, OpenEvent] = {}
        self.closes: dict[int, CloseEvent] = {}
        self.closed_at: dict[int, int] = {}
        self.logged: dict[int, int] = {}
        self.messages: dict[int, list[bytes]] = {}
        self.fired: dict[int, list[tuple[int, int]]] = {}
        self.seen: list[Seen] = []
        self.requested: dict[int, Requested] = {}
        self.time_regressions: list[_TimeRegression] = []
        self._last_timestamp = 0
        self._last_leader_id = _NONE
        self._last_session_id = 0

    @property
    def term_id(self) -> int:
        """The term of the last entry; -1 before there is one."""
        return self.terms[-1].term_id if self.terms else _NONE

    def leader_of(self, term_id: int) -> int:
        """Return the leader of a term that the log has; -1 of another."""
        return next((each.leader_id for each in self.terms if each.term_id == term_id), _NONE)

    def apply(self, data: bytes, position: int) -> None:
        """Take the next message of the log.

        Parameters
        ----------
        data : bytes
        position : int
            After it.

        Raises
        ------
        InvariantError
            No log has it there.
        """
        if position <= self.position:
            raise InvariantError("entries follow each other", f"{position} after {self.position}")
        if schema_of(data) == self._extension_schema:
            if not self.terms:
                raise InvariantError("entries are of their term", f"{position}, before any term")
            self.seen.append((position, "foreign", self._extension_schema, 0, data))
            self.position = position
            return
        entry = read_log_entry(data)
        match entry:
            case LoggedMessage():
                self._apply_message(entry, position)
            case TermEvent():
                self._apply_term(entry, position, len(data))
            case OpenEvent():
                self._apply_open(entry, position)
            case CloseEvent():
                self._apply_close(entry, position)
            case TimerFired():
                self._record_change(entry, position, "timer", entry.correlation_id, b"")
                fired = self.fired.setdefault(entry.correlation_id, [])
                fired.append((position, entry.timestamp))
            case ActionEvent():
                self._apply_action(entry, position)
        self.position = position

    def _record_change(
        self, entry: LogEntry, position: int, kind: str, key: int, content: bytes
    ) -> None:
        self._check_entry(entry, position)
        self.seen.append((position, kind, key, entry.timestamp, content))

    def _check_entry(self, entry: LogEntry, position: int) -> None:
        if not self.terms or entry.term_id != self.term_id:
            raise InvariantError(
                "entries are of their term", f"{entry} before {position}, in term {self.term_id}"
            )
        leader_id = self.terms[-1].leader_id
        if entry.timestamp < self._last_timestamp:
            self.time_regressions.append(
                _TimeRegression(
                    position,
                    (self._last_leader_id, leader_id),
                    (self._last_timestamp, entry.timestamp),
                )
            )
        self._last_timestamp = entry.timestamp
        self._last_leader_id = leader_id

    def _apply_term(self, entry: TermEvent, position: int, length: int) -> None:
        if entry.term_id <= self.term_id:
            raise InvariantError("terms rise", f"{entry} after term {self.term_id}")
        if not 0 <= entry.leader_id < self._member_count:
            raise InvariantError("members lead", f"{entry} of {self._member_count} members")
        frame_length = _FRAME_HEADER_LENGTH + length
        begin = position - frame_length - -frame_length % _FRAME_ALIGNMENT
        # Where a term of the log has no room for the event, it follows at the next one's begin.
        is_at_base = begin == entry.base_position or (
            entry.base_position < begin and begin % _SHORTEST_TERM == 0
        )
        if not is_at_base or entry.base_position < self.position or entry.log_position != position:
            raise InvariantError(
                "terms begin where the last one ended",
                f"{entry} from {begin} to {position}, after {self.position}",
            )
        before = self.terms[-1] if self.terms else entry
        if (before.time_unit, before.app_version) != (entry.time_unit, entry.app_version):
            raise InvariantError("terms have one unit of time", f"{entry} after {before}")
        self.terms.append(entry)
        self._record_change(entry, position, "term", entry.term_id, b"%d" % entry.leader_id)

    def _apply_open(self, entry: OpenEvent, position: int) -> None:
        session_id = entry.session_id
        if session_id <= 0 or session_id in self.opens:
            raise InvariantError("session ids are given once", f"{entry} before {position}")
        self.opens[session_id] = entry
        self.sessions[session_id] = OpenSession(position, entry)
        self._last_session_id = max(self._last_session_id, session_id)
        self._record_change(entry, position, "open", session_id, b"")

    def _apply_close(self, entry: CloseEvent, position: int) -> None:
        if self.sessions.pop(entry.session_id, None) is None:
            raise InvariantError("sessions are closed once", f"{entry} before {position}")
        if entry.reason not in REASONS:
            raise InvariantError("closes have a reason", f"{entry} before {position}")
        self.closes[entry.session_id] = entry
        self.closed_at[entry.session_id] = position
        self._record_change(entry, position, "close", entry.session_id, b"%d" % entry.reason)

    def _apply_message(self, entry: LoggedMessage, position: int) -> None:
        session_id = entry.session_id
        if session_id >= 0:
            if session_id not in self.sessions:
                raise InvariantError(
                    "nothing comes from a closed session", f"{entry} before {position}"
                )
            self._record_change(entry, position, "message", session_id, entry.payload)
            return
        service_id = entry.service_id
        number = session_id - first_service_id(service_id)
        if number != self.logged.get(service_id, 0) + 1:
            raise InvariantError(
                "a service's message is in the log once",
                f"{number} of service {service_id} before {position}, after"
                f" {self.logged.get(service_id, 0)}",
            )
        self.logged[service_id] = number
        self.messages.setdefault(service_id, []).append(entry.payload)
        self._record_change(entry, position, "message", _OF_A_SERVICE, entry.payload)

    def _apply_action(self, entry: ActionEvent, position: int) -> None:
        self._check_entry(entry, position)
        if entry.log_position != position:
            raise InvariantError("actions name their position", f"{entry} before {position}")
        if entry.action == SNAPSHOT and not entry.flags:
            self.requested[position] = Requested(
                entry,
                self.terms[-1],
                dict(self.sessions),
                self._last_session_id + 1,
                dict(self.logged),
            )
