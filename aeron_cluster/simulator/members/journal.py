"""Journals of the events that the services of all members received, compared on the fly.

All services with one id must receive the same events at the same log positions, each once. The
first service to reach a position records its events; the others, and later processes of the same
member, are compared with them.
"""

from __future__ import annotations

import contextlib
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    NamedTuple,
    Protocol,
    TypeVar,
    cast,
)

from aeron_cluster.cluster.members.role import Role
from aeron_cluster.cluster.service.clustered_service import ClusteredService, handles_batches
from aeron_cluster.errors import AgentTerminationError, CallbackPlace
from aeron_cluster.simulator.members.service_faults import RaisedError
from aeron_cluster.simulator.members.source_lines import line_of_call, line_of_callback

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typing_extensions import Buffer

    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.service.client_session import ClientSession
    from aeron_cluster.cluster.service.cluster import Cluster
    from aeron_cluster.cluster.service.clustered_service import LeadershipTerm
    from aeron_cluster.cluster.service.session_batch import SessionMessageBatch
    from aeron_cluster.codecs.cluster import CloseReason
    from aeron_cluster.logbuffer.message_view import Header, MessageView
    from aeron_cluster.memory.system.determinism import DeterminismTrap
    from aeron_cluster.simulator.members.service_faults import ServiceFaults

__all__ = [
    "CALLBACKS",
    "Entry",
    "Journal",
    "LoadedSessions",
    "NativeHeader",
    "Violation",
    "journals_of_services",
    "observed",
]

_OF_A_SERVICE: Final = -1
_OF_SESSIONS: Final = ("on_session_open", "on_session_close", "on_session_message")
_SHOWN: Final = 32


CALLBACKS: Final = {
    "message": "on_session_message",
    "open": "on_session_open",
    "close": "on_session_close",
    "timer": "on_timer_event",
    "term": "on_new_leadership_term_event",
}
"""The callback for each kind of `Entry`."""


class Owner(Protocol):
    """The owner of a service: a member, or a replay of its log."""

    member_id: int
    on_service: Callable[[str], object]
    service_faults: ServiceFaults


class Violation(NamedTuple):
    """A difference between services."""

    text: str
    place: CallbackPlace | None = None
    """Its place in the service, if the service is the cause."""

    def __str__(self) -> str:
        return self.text


class Entry(NamedTuple):
    """An event of the log that a service received."""

    position: int
    """The log position after it, in bytes."""
    kind: str
    """``message``, ``open``, ``close``, ``timer`` or ``term``."""
    key: int
    """The cluster session, the timer's correlation id or the term; -1 for a service's message."""
    timestamp: int
    payload: bytes

    def __str__(self) -> str:
        what = f"{self.kind} {self.key} of {self.timestamp}"
        return f"{what} before {self.position}: {_shown(self.payload)}"


class NativeHeader(NamedTuple):
    """The place of a message in the log, as a native service gets it."""

    position: int
    leadership_term_id: int
    cluster_session_id: int


Term = tuple[int, int, int, int, int, int, int, int]
"""The fields of a `LeadershipTerm`, in their order."""

OpenedSession = tuple[int, bytes, bytes]
"""Stream, channel and principal of a session."""


class LoadedSessions(NamedTuple):
    """The sessions that a service had when it began from a snapshot."""

    position: int
    """Of the snapshot."""
    sessions: list[tuple[int, int, bytes, bytes]]
    """Id, stream, channel and principal of each, by id."""


Where = Callable[[], CallbackPlace]
"""Returns the place of the current call in the service; only called for violations."""

_Callback = TypeVar("_Callback", bound=Callable[..., None])
_PAST: Final = {"offer": "offered", "answer": "answered", "request": "requested"}


class Journal:
    """The log as received by the services with one id.

    Attributes
    ----------
    service_id : int
    entries : list of Entry
        The entries in the order of the log.
    violations : list of Violation
        Violations: differences between services, or timers that fired too early.
    is_judged : bool
        Whether timer requests and the number of effects per event are compared as well.
    timers : dict of int to int
        The deadline of each pending timer, by correlation id.
    settings : dict of tuple to int or None
        By position and correlation id, the deadline requested for a timer; None for a cancellation.
        All services of a cluster share one table of timers, and receive all events.
    answers : dict of tuple to tuple
        The service's offers to sessions, sent or not: session and message, by log position and
        index of the offer at that position.
    further_answers : dict of int to tuple
        By log position, the file and line that sent a session more than one message there, of a
        service that is judged.
    closes : dict of int to int
        The sessions that the service requested the end of, and at which log position it did first.
    offers : dict of tuple to bytes
        The service's offers to the log, by log position and index of the offer at that position.
    terms : dict of int to tuple
        What the service was notified of each term, by its id.
    opened : dict of int to tuple
        Stream, channel and principal of each session at its opening, by its id.
    """

    def __init__(
        self,
        service_id: int,
        settings: dict[tuple[int, int], int | None] | None = None,
        *,
        is_judged: bool = False,
    ) -> None:
        self.service_id = service_id
        self.is_judged = is_judged
        self.entries: list[Entry] = []
        self.violations: list[Violation] = []
        self.timers: dict[int, int] = {}
        self.settings = {} if settings is None else settings
        self.closes: dict[int, int] = {}
        self.offers: dict[tuple[int, int], bytes] = {}
        self.answers: dict[tuple[int, int], tuple[int, bytes]] = {}
        self.terms: dict[int, Term] = {}
        self.opened: dict[int, OpenedSession] = {}
        self._positions: list[int] = []
        self.further_answers: dict[int, tuple[str, int]] = {}
        self._timer_requests: dict[tuple[int, int], str] = {}
        self._effect_counts: dict[int, tuple[int, str]] = {}
        self._sources: dict[tuple[str, int, int], str] = {}

    @property
    def end_position(self) -> int:
        """The end of the journal, in bytes of the log."""
        return self._positions[-1] if self._positions else 0

    @property
    def service_message_count(self) -> int:
        """The number of messages of services in the log."""
        return sum(each.kind == "message" and each.key == _OF_A_SERVICE for each in self.entries)

    @property
    def last_term(self) -> int:
        """The id of the last term in the log; -1 without one."""
        return next((each.key for each in reversed(self.entries) if each.kind == "term"), -1)

    def index_after(self, position: int) -> int:
        """Return the index of the entry after a position."""
        return bisect_right(self._positions, position)

    def add(self, index: int, entry: Entry, source: str) -> bool:
        """Add an entry at an index, or compare it with the existing one.

        Returns
        -------
        bool
            Whether it is new.
        """
        if index < len(self.entries):
            known = self.entries[index]
            if known != entry:
                self._add(f"{source} saw {entry} where {known} was seen before")
            return False
        if entry.position < self.end_position:
            self._add(f"{source} saw {entry} after the end of what was seen, {self.end_position}")
        self.entries.append(entry)
        self._positions.append(entry.position)
        return True

    def deadlines_at(self, position: int) -> dict[int, int]:
        """Return the deadline of each pending timer at a log position, by its id.

        An event before a moved timer's deadline belongs to its earlier deadline, so the timer is
        still pending.
        """
        found: dict[int, tuple[int, int]] = {}
        for (at, correlation_id), deadline in sorted(
            self.settings.items(), key=lambda each: each[0]
        ):
            if at <= position:
                if deadline is None:
                    found.pop(correlation_id, None)
                else:
                    found[correlation_id] = at, deadline
        for entry in self.entries[: self.index_after(position)]:
            if entry.kind != "timer" or entry.key not in found:
                continue
            at, deadline = found[entry.key]
            # A timer scheduled while it fires is a new one.
            if at < entry.position and deadline <= entry.timestamp:
                del found[entry.key]
        return {correlation_id: deadline for correlation_id, (_, deadline) in found.items()}

    def timers_at(self, position: int) -> set[int]:
        """Return the correlation ids of the pending timers at a log position."""
        return set(self.deadlines_at(position))

    def unexpected_timer(self) -> Entry | None:
        """Return the first timer event without a request for its time or an earlier one.

        Each request has at most one event, even if it was moved or cancelled, since it may have
        been firing.
        """
        settings: dict[int, list[tuple[int, int]]] = {}
        for (at, correlation_id), deadline in sorted(
            self.settings.items(), key=lambda each: each[0]
        ):
            if deadline is not None:
                settings.setdefault(correlation_id, []).append((deadline, at))
        for each in settings.values():
            each.sort()
        for entry in self.entries:
            if entry.kind != "timer":
                continue
            # Use the latest possible request: clocks are set back, so other events may need the
            # earlier ones.
            own = settings.get(entry.key, [])
            for deadline, at in reversed(own):
                if at < entry.position and deadline <= entry.timestamp:
                    own.remove((deadline, at))
                    break
            else:
                return entry
        return None

    def on_member_id(self, found: int, expected: int, source: str) -> None:
        """Check the member id that a service sees at an event of the log."""
        if found != expected:
            self._add(f"{source}: its service is that of member {found}, expected {expected}")

    def on_term(self, term: Term, source: str) -> None:
        """Record what a service is notified of a term, or compare it with the recorded one."""
        known = self.terms.setdefault(term[0], term)
        if known != term:
            self._add(f"{source} saw the term {term} where {known} was seen before")

    def on_opened(self, session_id: int, opened: OpenedSession, source: str) -> None:
        """Record what a service sees of an opened session, or compare it with the recorded one."""
        known = self.opened.setdefault(session_id, opened)
        if known != opened:
            self._add(
                f"{source} saw session {session_id} as {opened} where {known} was seen before"
            )

    def on_state(self, what: str, found: object, expected: object, source: str) -> None:
        """Record that a service sees something else of the cluster than it should."""
        self._add(f"{source}: {what} is {found}, expected {expected}")

    def on_timer(self, correlation_id: int, timestamp: int, source: str) -> None:
        """Check whether a timer may fire."""
        deadline = self.timers.get(correlation_id)
        if deadline is None or deadline <= timestamp:
            self.timers.pop(correlation_id, None)
            return
        # It may have been firing when it was moved, and then fires for the later time as well.
        earlier = (
            known
            for (_, each), known in self.settings.items()
            if each == correlation_id and known is not None
        )
        if not any(each <= timestamp for each in earlier):
            self._add(f"{source}: timer {correlation_id} fired at {timestamp}, before {deadline}")

    def on_offer(
        self, position: int, place: int, message: bytes, source: str, where: Where | None = None
    ) -> None:
        """Record an offer of the service, or compare it with the recorded one."""
        known = self.offers.setdefault((position, place), message)
        if known != message:
            self._add_different(
                "offer", position, place, source, _shown(message), _shown(known), where
            )

    def on_answer(
        self,
        position: int,
        place: int,
        session_id: int,
        message: bytes,
        source: str,
        where: Where | None = None,
    ) -> None:
        """Record a message to a session, or compare it with the recorded one.

        An instance restored from a snapshot must send the same messages as one that replayed the
        log.
        """
        answer = session_id, message
        known = self.answers.setdefault((position, place), answer)
        if self.is_judged:
            self._sources.setdefault(("answer", position, place), source)
        if known != answer:
            self._add_different(
                "answer",
                position,
                place,
                source,
                f"session {session_id} with {_shown(message)}",
                f"session {known[0]} with {_shown(known[1])}",
                where,
            )

    def on_timer_request(
        self, position: int, place: int, request: str, source: str, where: Where
    ) -> None:
        """Record a timer request of the service, or compare it with the recorded one."""
        known = self._timer_requests.setdefault((position, place), request)
        self._sources.setdefault(("request", position, place), source)
        if known != request:
            self._add_different("request", position, place, source, request, known, where)

    def on_done(self, position: int, effect_count: int, source: str, where: Where) -> None:
        """Record the number of effects of an event, or compare it with the recorded one."""
        known, other = self._effect_counts.setdefault(position, (effect_count, source))
        if known != effect_count:
            place = where()
            self._add(
                f"{place.callback} had {_counted(effect_count)} in {source} and {_counted(known)}"
                f" in {other}, {place}",
                place,
            )

    def _add_different(
        self,
        verb: str,
        position: int,
        place: int,
        source: str,
        found: str,
        known: str,
        where: Where | None,
    ) -> None:
        other = self._sources.get((verb, position, place), "others")
        at = None if where is None else where()
        begin, end = (
            (f"{at.callback} of {source}", f", {at}")
            if at is not None
            else (source, f", at log position {position}")
        )
        self._add(
            f"{begin} {_PAST[verb]} {found} where {other} {_PAST[verb]} {known}{end}: services"
            " differ, or did not restore their snapshot",
            at,
        )

    def _add(self, text: str, place: CallbackPlace | None = None) -> None:
        self.violations.append(Violation(text, place))

    def offered(self) -> list[bytes]:
        """Return the messages that the service offered, in the order of the log."""
        return [self.offers[each] for each in sorted(self.offers)]


def _noting(callback: _Callback) -> _Callback:
    """Record what a callback raises."""

    @wraps(callback)
    def call(self: _Observed, *arguments: object) -> None:
        try:
            callback(self, *arguments)
        except (AgentTerminationError, KeyboardInterrupt):
            raise
        except BaseException as error:
            name = callback.__name__
            session_id = getattr(arguments[0], "id", None) if name in _OF_SESSIONS else None
            self.on_raised(name, session_id, error)
            raise

    return cast("_Callback", call)


class _Observed(ClusteredService):
    """A service that is observed by a journal."""

    def __init__(
        self,
        service: ClusteredService,
        journal: Journal,
        member: Owner,
        source: str,
        watched: ClusteredService | None,
    ) -> None:
        self.service = service
        self._watched = watched
        self._journal = journal
        self._source = source
        self._name = type(service).__name__
        self._member = member
        self._kind = ""
        self._index = 0
        self._offer_count = 0  # since the last event
        self._answer_count = 0
        self._request_count = 0
        self._last_session_id = _OF_A_SERVICE
        self._in_log = False  # whether it is in a callback for a log event
        self._sessions: dict[int, _ObservedSession] = {}
        self._is_first = False
        self._cluster: Cluster | None = None
        self._given: Any = None
        self._term_id: int | None = None  # unknown after a start from a snapshot
        self._leader_id: int | None = None
        self.loaded: LoadedSessions | None = None
        self.role: Role | None = None
        self.life = object()  # what names it without holding it

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the service has
        return getattr(self.service, name)

    @property
    def _called(self) -> ClusteredService:
        """The service to call: the first one to reach a log position is watched."""
        return self._watched if self._watched is not None and self._is_first else self.service

    @property
    def seen_count(self) -> int:
        """The number of journal entries that the service received or restored."""
        return self._index

    def _record_event(self, kind: str, key: int, timestamp: int, payload: bytes) -> None:
        assert self._cluster is not None
        entry = Entry(self._cluster.log_position, kind, key, timestamp, payload)
        self._journal.on_member_id(self._cluster.member_id, self._member.member_id, self._source)
        self._check_state(kind, timestamp)
        self._is_first = self._journal.add(self._index, entry, self._source)
        self._index += 1
        self._kind = kind
        self._offer_count = self._answer_count = self._request_count = 0
        self._last_session_id = _OF_A_SERVICE
        self._member.on_service(kind)

    def _check_state(self, kind: str, timestamp: int) -> None:
        """Check what the cluster's interface has at an event of the log."""
        cluster = self._cluster
        assert cluster is not None
        if cluster.time != timestamp:
            self._report_state(kind, "the time", cluster.time, timestamp)
        if self._term_id is not None and cluster.leadership_term_id != self._term_id:
            self._report_state(kind, "the term", cluster.leadership_term_id, self._term_id)
        # Before a new term is read, the service is notified that its member leads it.
        if self.role is Role.LEADER and self._leader_id not in (None, self._member.member_id):
            self._report_state(kind, "the leader", self._leader_id, self._member.member_id)

    def _report_state(self, kind: str, what: str, found: object, expected: object) -> None:
        self._journal.on_state(f"{what} at its {kind}", found, expected, self._source)

    def on_raised(self, callback: str, session_id: int | None, error: BaseException) -> None:
        """Record what a callback raises, which the container has to report."""
        assert self._cluster is not None
        self._member.service_faults.raised.append(
            RaisedError.of(
                error,
                life=self.life,
                service_id=self._journal.service_id,
                callback=callback,
                log_position=self._cluster.log_position,
                leadership_term_id=self._cluster.leadership_term_id,
                session_id=session_id,
            )
        )

    def session(self, session: ClientSession) -> _ObservedSession:
        """Return the observed wrapper of a session: the same object while it is open."""
        known = self._sessions.get(session.id)
        if known is None:
            known = self._sessions[session.id] = _ObservedSession(session, self)
        return known

    @contextlib.contextmanager
    def _callback(self) -> Iterator[None]:
        self._in_log = True
        try:
            yield
        finally:
            self._in_log = False
        self._on_done()

    def _on_done(self) -> None:
        """Record how much was done at an event."""
        if self._journal.is_judged:
            assert self._cluster is not None
            count = self._offer_count + self._answer_count + self._request_count
            self._journal.on_done(
                self._cluster.log_position, count, self._source, self._place_of_event
            )

    def _place_of_event(self) -> CallbackPlace:
        assert self._cluster is not None
        callback = CALLBACKS.get(self._kind, "on_start")
        if self._kind == "message" and handles_batches(self.service):
            callback = "on_session_messages"
        return CallbackPlace(
            self._name,
            callback,
            self._cluster.log_position,
            self._member.member_id,
            *line_of_callback(self.service, callback),
        )

    def _place_of_call(self) -> CallbackPlace:
        place = self._place_of_event()
        path, line = line_of_call(__file__)
        return replace(place, path=path, line=line) if path else place

    def on_answered(self, session_id: int, message: bytes) -> None:
        """Record a message of the service to a session."""
        if self._in_log:
            assert self._cluster is not None
            position, place = self._cluster.log_position, self._answer_count
            journal = self._journal
            if session_id == self._last_session_id:
                self.on_answered_again()
            self._last_session_id = session_id
            journal.on_answer(
                position, place, session_id, message, self._source, self._place_of_call
            )
            self._answer_count += 1

    def on_answered_again(self) -> None:
        """Record the place of another message to a session at the same event."""
        if self._journal.is_judged and self._is_first and self._in_log:
            assert self._cluster is not None
            position = self._cluster.log_position
            self._journal.further_answers[position] = line_of_call(__file__)

    def _check_header(self, session: ClientSession | None, header: Header | NativeHeader) -> None:
        """Check the place of a message in the log."""
        cluster = self._cluster
        assert cluster is not None
        if header.position != cluster.log_position:
            self._report_state("message", "the position", header.position, cluster.log_position)
        if not isinstance(header, NativeHeader):
            return
        found, expected = header.leadership_term_id, cluster.leadership_term_id
        if found != expected:
            self._report_state("message", "the term of the header", found, expected)
        logged = header.cluster_session_id
        # A message of a service is logged under a negative id.
        if logged >= 0 if session is None else logged != session.id:
            self._report_state("message", "the session of the header", logged, session)

    def _given_session(self, session: ClientSession) -> Any:  # noqa: ANN401 - as good as one
        return self.session(session)

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        self._cluster = cluster
        self._index = (
            0 if snapshot_image is None else self._journal.index_after(cluster.log_position)
        )
        self._given = _ObservedCluster(cluster, self)
        self._sessions.clear()
        self._term_id = self._leader_id = None
        self.role = None
        self.loaded = None if snapshot_image is None else _loaded_sessions(cluster)
        (self._watched or self.service).on_start(self._given, snapshot_image)

    @_noting
    def on_session_open(self, session: ClientSession, timestamp: int) -> None:
        self._record_event("open", session.id, timestamp, b"")
        self._journal.on_opened(
            session.id,
            (
                session.response_stream_id,
                session.response_channel.encode(),
                bytes(session.encoded_principal),
            ),
            self._source,
        )
        with self._callback():
            self._called.on_session_open(self._given_session(session), timestamp)
        self._member.service_faults.on_event("on_session_open")

    @_noting
    def on_session_close(
        self, session: ClientSession, timestamp: int, close_reason: CloseReason
    ) -> None:
        self._record_event("close", session.id, timestamp, b"%d" % close_reason)
        with self._callback():
            self._called.on_session_close(self._given_session(session), timestamp, close_reason)
        self._sessions.pop(session.id, None)
        self._member.service_faults.on_event("on_session_close")

    @_noting
    def on_session_message(
        self, session: ClientSession | None, timestamp: int, message: MessageView, header: Header
    ) -> None:
        self._check_header(session, header)
        key = _OF_A_SERVICE if session is None else session.id
        self._record_event("message", key, timestamp, bytes(message))
        given = None if session is None else self._given_session(session)
        with self._callback():
            self._called.on_session_message(given, timestamp, message, header)
        self._member.service_faults.on_callback(self._given)

    @_noting
    def on_timer_event(self, correlation_id: int, timestamp: int) -> None:
        self._record_event("timer", correlation_id, timestamp, b"")
        if self._is_first:
            self._journal.on_timer(correlation_id, timestamp, self._source)
        with self._callback():
            self._called.on_timer_event(correlation_id, timestamp)
        self._member.service_faults.on_callback(self._given)

    @_noting
    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        self._member.service_faults.on_snapshot()
        (self._watched or self.service).on_take_snapshot(snapshot_publication)

    @_noting
    def on_role_change(self, role: Role) -> None:
        assert self._cluster is not None
        if role is (self.role or Role.FOLLOWER) or role is not self._cluster.role:
            self._report_state("change of role", "the role", role, self._cluster.role)
        self.role = role
        self.service.on_role_change(role)
        self._member.service_faults.on_event("on_role_change")

    def on_terminate(self, cluster: Cluster) -> None:  # noqa: ARG002
        self.service.on_terminate(self._given)

    @_noting
    def on_new_leadership_term_event(self, term: LeadershipTerm) -> None:
        assert self._cluster is not None
        self._term_id, self._leader_id = term.leadership_term_id, term.leader_member_id
        self._record_event(
            "term", term.leadership_term_id, term.timestamp, b"%d" % term.leader_member_id
        )
        self._journal.on_term(_fields_of(term), self._source)
        if self._cluster.time_unit != term.time_unit:
            unit = self._cluster.time_unit
            self._report_state("term", "the unit of time", unit, term.time_unit)
        with self._callback():
            self._called.on_new_leadership_term_event(term)
        self._member.service_faults.on_event("on_new_leadership_term_event")

    def on_scheduled(self, correlation_id: int, deadline: int) -> None:
        """Record the deadline of a timer."""
        self._note_setting(correlation_id, deadline)
        if self._is_first:
            self._journal.timers[correlation_id] = deadline
        self._member.on_service("schedule")

    def on_cancelled(self, correlation_id: int) -> None:
        """Record the cancellation of a timer, which may already have fired."""
        self._note_setting(correlation_id, None)
        if self._is_first:
            self._journal.timers.pop(correlation_id, None)

    def _note_setting(self, correlation_id: int, deadline: int | None) -> None:
        # The first one may have been killed before it requested the timer.
        assert self._cluster is not None
        position = self._cluster.log_position
        if self._journal.is_judged:
            request = (
                f"no timer {correlation_id}"
                if deadline is None
                else f"timer {correlation_id} at {deadline}"
            )
            self._journal.on_timer_request(
                position, self._request_count, request, self._source, self._place_of_call
            )
            self._request_count += 1
        self._journal.settings[position, correlation_id] = deadline

    def on_closed(self, session_id: int) -> None:
        """Record a request to close a session."""
        assert self._cluster is not None
        self._journal.closes.setdefault(session_id, self._cluster.log_position)
        self._member.on_service("close request")

    def on_offered(self, message: bytes) -> None:
        """Record a message that the service offered to the log."""
        assert self._cluster is not None
        position = self._cluster.log_position
        self._journal.on_offer(
            position, self._offer_count, message, self._source, self._place_of_call
        )
        self._offer_count += 1
        self._member.on_service("offer")


class _ObservedInBackground(_Observed):
    def do_background_work(self, now_ns: int) -> int:
        return self.service.do_background_work(now_ns)


class _ObservedWithBatches(_Observed):
    def on_session_messages(self, batch: SessionMessageBatch) -> None:
        observed = _ObservedBatch(batch, self)
        with self._callback_of_batch():
            (self._watched or self.service).on_session_messages(cast("Any", observed))
            observed.move(len(batch) - 1)
        self._member.service_faults.on_callback(self._given)

    @contextlib.contextmanager
    def _callback_of_batch(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._in_log = False
        self._on_done()

    def on_message_end(self) -> None:
        """Record that the service is done with a message of a batch."""
        self._on_done()

    def on_message_of_batch(
        self, session: ClientSession | None, timestamp: int, message: memoryview
    ) -> _ObservedSession | None:
        """Record that the service comes to a message."""
        key = _OF_A_SERVICE if session is None else session.id
        self._record_event("message", key, timestamp, bytes(message))
        self._in_log = True
        return None if session is None else self.session(session)


class _ObservedWithBoth(_ObservedWithBatches, _ObservedInBackground):
    pass


class _ObservedBatch:
    """A batch of messages, which records each that the service comes to."""

    def __init__(self, batch: SessionMessageBatch, observer: _ObservedWithBatches) -> None:
        self._batch = batch
        self._observer = observer
        self._current = -1
        self._session: _ObservedSession | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the batch has
        return getattr(self._batch, name)

    def __len__(self) -> int:
        return len(self._batch)

    def __getitem__(self, index: int) -> memoryview:
        return self._batch[index]

    def __iter__(self) -> Iterator[tuple[_ObservedSession | None, int, memoryview]]:
        timestamps = self._batch.headers["timestamp"]
        for index in range(self._current + 1, len(self._batch)):
            yield self.at(index), int(timestamps[index]), self._batch[index]

    def at(self, index: int) -> _ObservedSession | None:
        place = index + len(self._batch) if index < 0 else index
        if place < self._current:
            self._batch.at(index)  # raises
        self.move(place)
        return self._session

    def move(self, index: int) -> None:
        timestamps = self._batch.headers["timestamp"]
        while self._current < index:
            is_first = self._current < 0
            self._current += 1
            if not is_first:
                self._observer.on_message_end()
            session = self._batch.at(self._current)
            self._session = self._observer.on_message_of_batch(
                session, int(timestamps[self._current]), self._batch[self._current]
            )


class _ObservedCluster:
    """The service's cluster interface, which records its calls."""

    def __init__(self, cluster: Cluster, observer: _Observed) -> None:
        self._cluster = cluster
        self._observer = observer

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the cluster has
        return getattr(self._cluster, name)

    @property
    def watch(self) -> DeterminismTrap | None:
        return self._cluster.watch

    @watch.setter
    def watch(self, watch: DeterminismTrap | None) -> None:
        self._cluster.watch = watch

    @property
    def client_sessions(self) -> tuple[_ObservedSession, ...]:
        return tuple(map(self._observer.session, self._cluster.client_sessions))

    def get_client_session(self, cluster_session_id: int) -> _ObservedSession | None:
        session = self._cluster.get_client_session(cluster_session_id)
        return None if session is None else self._observer.session(session)

    def schedule_timer(self, correlation_id: int, deadline: int) -> bool:
        is_accepted = self._cluster.schedule_timer(correlation_id, deadline)
        if is_accepted:
            self._observer.on_scheduled(correlation_id, deadline)
        return is_accepted

    def offer(self, message: Buffer) -> int:
        result = self._cluster.offer(message)
        if result > 0:
            self._observer.on_offered(bytes(message))
        return result

    def close_client_session(self, cluster_session_id: int) -> bool:
        is_accepted = self._cluster.close_client_session(cluster_session_id)
        if is_accepted:
            self._observer.on_closed(cluster_session_id)
        return is_accepted

    def offer_vectored(self, parts: Iterable[Buffer]) -> int:
        return self.offer(b"".join(parts))

    def cancel_timer(self, correlation_id: int) -> bool:
        is_accepted = self._cluster.cancel_timer(correlation_id)
        if is_accepted:
            self._observer.on_cancelled(correlation_id)
        return is_accepted


class _ObservedSession:
    """A client's session, which records the service's messages."""

    def __init__(self, session: ClientSession, observer: _Observed) -> None:
        self._session = session
        self._observer = observer
        self._attempt: tuple[int, bytes] | None = None
        self._is_sent = False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the session has
        return getattr(self._session, name)

    def close(self) -> bool:
        is_accepted = self._session.close()
        if is_accepted:
            self._observer.on_closed(self._session.id)
        return is_accepted

    def offer(self, message: Buffer) -> int:
        data = bytes(message)
        attempt = self._observer.seen_count, data
        # Only the leader sends, and it may retry within the callback: repeating the same message is
        # not another effect, as for the divergence guard.
        if attempt != self._attempt:
            self._observer.on_answered(self._session.id, data)
        elif self._is_sent:
            self._observer.on_answered_again()
        self._attempt = attempt
        result = self._session.offer(message)
        self._is_sent = result > 0
        return result

    def offer_vectored(self, parts: Iterable[Buffer]) -> int:
        return self.offer(b"".join(parts))


# By whether a service takes batches, and whether it has background work.
_KINDS: Final = {
    (False, False): _Observed,
    (False, True): _ObservedInBackground,
    (True, False): _ObservedWithBatches,
    (True, True): _ObservedWithBoth,
}


def _shown(message: bytes) -> str:
    more = f"... ({len(message)} bytes)" if len(message) > _SHOWN else ""
    return f"{message[:_SHOWN]!r}{more}"


def _loaded_sessions(cluster: Cluster) -> LoadedSessions:
    return LoadedSessions(
        cluster.log_position,
        sorted(
            (
                each.id,
                each.response_stream_id,
                each.response_channel.encode(),
                bytes(each.encoded_principal),
            )
            for each in cluster.client_sessions
        ),
    )


def _fields_of(term: LeadershipTerm) -> Term:
    return (
        term.leadership_term_id,
        term.log_position,
        term.timestamp,
        term.term_base_log_position,
        term.leader_member_id,
        term.log_session_id,
        int(term.time_unit),
        term.app_version,
    )


def _counted(effect_count: int) -> str:
    return f"{effect_count or 'no'} effect{'s' * (effect_count != 1)}"


def journals_of_services(count: int, *, is_judged: bool = False) -> tuple[Journal, ...]:
    """Return the journals of the services of one cluster."""
    settings: dict[tuple[int, int], int | None] = {}
    return tuple(Journal(service_id, settings, is_judged=is_judged) for service_id in range(count))


def observed(
    service: object,
    journal: Journal,
    owner: Owner,
    source: str = "",
    watched: ClusteredService | None = None,
) -> Any:  # noqa: ANN401 - either
    """Wrap a service so that its events are recorded in a journal.

    A native service is returned unchanged.

    Parameters
    ----------
    service : ClusteredService or NativeService
    journal : Journal
    owner : Owner
        What runs it.
    source : str
        Its name in reports; by default that of the member.
    watched : ClusteredService, optional
        The same service with watched calls, used when it is the first to reach a log position.
    """
    if not isinstance(service, ClusteredService):
        return service
    does_more = type(service).do_background_work is not ClusteredService.do_background_work
    kind = _KINDS[handles_batches(service), does_more]
    return kind(service, journal, owner, source or f"member {owner.member_id}", watched)
