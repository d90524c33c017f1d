"""When sessions time out, by the log: not before their time, in order, and not much later.

A session times out once its leader has received nothing from it for the session timeout. A new
leader counts from the begin of its term. The log has the messages of a session and its close, with
the time of the leader's clock; clients recorded when they sent what is not in the log. Where a
leader works without a disturbance, what was sent has arrived soon after.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.role import Role
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.promises import Listener
from aeron_cluster.simulator.checks.unsynced_data import may_lose_what_is_committed
from aeron_cluster.simulator.cluster import Checker
from aeron_cluster.simulator.model.plain_messages import TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.codecs.cluster import NewLeadershipTerm
    from aeron_cluster.simulator.clients.client import Client, SessionLog
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.members.journal import Entry

__all__ = [
    "LoggedSession",
    "LoggedTerm",
    "Period",
    "SessionsTimeOutByTheLog",
    "check_not_early",
    "check_not_late",
    "check_order",
    "read_sessions",
    "timeout_count",
]

_MS: Final = 1_000_000
_PRECISION_NS: Final = 10 * _MS  # of timestamps, and of a duty cycle
_ARRIVAL_NS: Final = 250 * _MS  # of what was sent without losses, and after these had ended
_LATENESS_NS: Final = 300 * _MS
_DISTURBANCES: Final = ("lost", "blocked", "corrupted", "truncated", "discarded", "overflowed")
_CLOSED: Final = ElectionState.CLOSED  # looked up once, since it is read in each check
_ACTIVE: Final = ConsensusModuleState.ACTIVE
_SNAPSHOT: Final = ConsensusModuleState.SNAPSHOT


class LoggedTerm(NamedTuple):
    """A term of the log: its leader, and when it began by the leader's clock, in ns."""

    term_id: int
    leader_id: int
    begin_ns: int


@dataclass
class LoggedSession:
    """What the log has of a session; times in ns, -1 where there is none.

    Parameters
    ----------
    session_id : int
    opened : LoggedTerm
        The term in which it was opened.
    active_ns : int
        When the log has its last message, or its begin.
    active_in : LoggedTerm
        The term of that message.
    closed_ns, reason : int
    closed_in : LoggedTerm, optional
    """

    session_id: int
    opened: LoggedTerm
    active_ns: int
    active_in: LoggedTerm
    closed_ns: int = -1
    closed_in: LoggedTerm | None = None
    reason: int = -1

    @property
    def name(self) -> tuple[int, int]:
        """Its id and the term in which it was opened."""
        return self.session_id, self.opened.term_id

    @property
    def is_timed_out(self) -> bool:
        """Whether it was closed for its silence."""
        return self.closed_in is not None and self.reason == TIMEOUT


@dataclass
class Period:
    """A time in which one leader worked without a disturbance; times in ns.

    Parameters
    ----------
    member_id, start_count, term_id : int
        The leader, the start of its module, and its term.
    begin_ns, end_ns : int
    snapshot_ns : int
        How much of it passed in snapshots, which do not count for a timeout.
    """

    member_id: int
    start_count: int
    term_id: int
    begin_ns: int
    end_ns: int
    snapshot_ns: int = 0


@dataclass
class _Process:
    """A module's process: whether it was seen to follow, which terms it led, and its driver's."""

    has_followed: bool = False
    led: set[int] = field(default_factory=set)
    driver_starts: int = 0


class SessionsTimeOutByTheLog(Listener, Checker):
    """Sessions are closed for their silence in the order and at the time of their last activity.

    Also during faults, and around changes of the leader. Clocks of the leaders of judged terms are
    right.

    Attributes
    ----------
    periods : list of Period
        Where leaders worked without a disturbance.
    """

    def __init__(self) -> None:
        self.periods: list[Period] = []
        self._is_open = False
        self._disturbances = 0
        self._sampled_ns = 0
        self._processes: dict[tuple[int, int], _Process] = {}
        self._fresh: set[int] = set()
        self._terms: list[tuple[int, int]] = []  # sent since the last check
        self._seen: dict[int, tuple[int, bool, int]] = {}  # by member
        self._timeout_ns = 0

    def on_new_term(self, term: NewLeadershipTerm) -> None:
        """Record which member leads a term."""
        self._terms.append((term.leadership_term_id, term.leader_member_id))

    def check(self, cluster: Cluster) -> None:
        """Record whether a leader works."""
        if not cluster.is_joined:
            return
        now_ns = cluster.now_ns
        for term_id, leader_id in self._terms:
            starts = cluster.members[leader_id].process_of_module.start_count
            self._on_leader(term_id, leader_id, starts)
        self._terms.clear()
        joined_count = 0
        for member in cluster.members:
            counters = member.counters
            if counters is None or counters.election_state.get() != _CLOSED:
                continue
            joined_count += _is_complete(member) and self._has_its_driver(member)
            self._on_joined(member, counters)
        has_quorum = 2 * joined_count > len(cluster.members)
        self._sample(cluster, cluster.leader() if has_quorum else None, now_ns)
        self._sampled_ns = now_ns

    def _on_joined(self, member: Member, counters: ModuleCounters) -> None:
        """Record what a member does that is in no election."""
        is_leading, member_id = member.is_leading, member.member_id
        starts = member.process_of_module.start_count
        seen = starts, is_leading, counters.leadership_term_id.get()
        if self._seen.get(member_id) == seen:
            return
        if is_leading:
            self._on_leader(seen[2], member_id, starts)
        elif member.module.role is Role.FOLLOWER:
            self._process(member_id, starts).has_followed = True
        else:
            return
        self._seen[member_id] = seen

    def _process(self, member_id: int, starts: int) -> _Process:
        process = self._processes.get((member_id, starts))
        if process is None:
            process = self._processes[member_id, starts] = _Process()
        return process

    def _has_its_driver(self, member: Member) -> bool:
        """Return whether a member's driver is the one that its module had when it had joined.

        One whose driver was started again receives nothing, and ends when it notices.
        """
        if member.process_of_driver is member.process_of_module:
            return True
        process = self._process(member.member_id, member.process_of_module.start_count)
        driver_starts = member.process_of_driver.start_count
        process.driver_starts = process.driver_starts or driver_starts
        return process.driver_starts == driver_starts

    def _on_leader(self, term_id: int, member_id: int, starts: int) -> None:
        """Record a term of a leader: it is fresh if that followed before, and never led.

        One that leads in the first election after its start closes all sessions at once, and one
        that led before takes up again the closes that it had not committed, as upstream.
        """
        process = self._process(member_id, starts)
        if process.has_followed and not process.led:
            self._fresh.add(term_id)
        process.led.add(term_id)

    def _sample(self, cluster: Cluster, leader: Member | None, now_ns: int) -> None:
        counts = cluster.world.wire.counts
        disturbances = sum([counts[each] for each in _DISTURBANCES])
        is_calm = disturbances == self._disturbances
        self._disturbances = disturbances
        counters = None if leader is None else leader.counters
        # One without receivers appends nothing once its window is full: it is none here.
        if not is_calm or leader is None or counters is None or leader.machine.has_wrong_clock:
            self._is_open = False
            return
        state = leader.module.state
        starts = leader.process_of_module.start_count
        is_working = state in (_ACTIVE, _SNAPSHOT) and _is_complete(leader)
        if not is_working or not self._has_its_driver(leader):
            self._is_open = False
            return
        name = leader.member_id, starts, counters.leadership_term_id.get()
        last = self.periods[-1] if self._is_open else None
        if last is None or name != (last.member_id, last.start_count, last.term_id):
            self._timeout_ns = int(leader.module.context.options.session_timeout_ns)
            self.periods.append(Period(*name, now_ns, now_ns))
            self._is_open = True
            return
        last.end_ns = now_ns
        if state is _SNAPSHOT:
            last.snapshot_ns += now_ns - self._sampled_ns

    def conclude(self, cluster: Cluster) -> None:
        """Compare the closes of the log with what was recorded."""
        entries = cluster.journals[0].entries
        if not cluster.is_joined or not entries or not self._timeout_ns:
            return
        if may_lose_what_is_committed(cluster):
            return  # what was committed may be lost
        epochs = {
            each.member_id: each.machine.clock.epoch_nanos() - cluster.now_ns
            for each in cluster.members
            if not each.machine.has_wrong_clock
        }
        clients = client_sides(cluster.everyone)
        sessions, ends = read_sessions(entries, epochs)
        for session in sessions.values():
            client = clients.get(session.name)
            if client is None or session.opened.leader_id not in epochs:
                continue
            if session.is_timed_out:
                is_known = session.closed_in == session.opened or (
                    session.closed_in is not None and session.closed_in.term_id in self._fresh
                )
                if is_known:
                    check_not_early(session, client, self.periods, self._timeout_ns)
            check_not_late(session, client, self.periods, ends, self._timeout_ns)
        check_order(sessions.values(), clients, self.periods)


def _is_complete(member: Member) -> bool:
    for each in member.processes:  # noqa: SIM110 - called at each check: no generator
        if not each.is_running:
            return False
    return True


def client_sides(clients: Iterable[Client]) -> dict[tuple[int, int], SessionLog]:
    """Return what clients did, by session and the term in which it was opened."""
    return {
        (each.session_id, each.opened_in): each
        for client in clients
        for each in client.session_logs
    }


def has_given_up(client: SessionLog, closed: LoggedSession) -> bool:
    """Return whether a client ended its connection before the leader closed the session.

    A new leader knows the connection of a session once it has received something there.
    """
    term = closed.closed_in
    if term is None:
        return False
    if term != closed.opened and all(each.term_id != term.term_id for each in client.sent):
        return False
    departures = [client.lost_ns, client.departures.get(term.term_id)]
    return any(each is not None and each <= closed.closed_ns + _PRECISION_NS for each in departures)


def timeout_count(entries: Iterable[Entry]) -> int:
    """Return how many sessions the log has that were closed for their silence."""
    reason = b"%d" % TIMEOUT
    return sum(each.kind == "close" and each.payload == reason for each in entries)


def read_sessions(
    entries: Iterable[Entry], epochs: Mapping[int, int]
) -> tuple[dict[int, LoggedSession], dict[int, int]]:
    """Return the sessions of the log, and when each term has its last entry, in ns.

    Parameters
    ----------
    entries : iterable of Entry
        What a service saw.
    epochs : mapping of int to int
        By member, the time of its clock when the run began, in ns; none of members whose clocks
        were set: times in their terms are -1.

    Returns
    -------
    dict of int to LoggedSession
        By id.
    dict of int to int
        By term.
    """
    sessions: dict[int, LoggedSession] = {}
    ends: dict[int, int] = {}
    term = LoggedTerm(-1, -1, -1)
    for entry in entries:
        if entry.kind == "term":
            term = LoggedTerm(entry.key, int(entry.payload), -1)
        epoch_ns = epochs.get(term.leader_id)
        time_ns = -1 if epoch_ns is None else entry.timestamp * _MS - epoch_ns
        ends[term.term_id] = time_ns
        match entry.kind:
            case "term":
                term = term._replace(begin_ns=time_ns)
            case "open":
                sessions[entry.key] = LoggedSession(entry.key, term, time_ns, term)
            case "message" if entry.key in sessions:
                session = sessions[entry.key]
                session.active_ns, session.active_in = time_ns, term
            case "close" if entry.key in sessions:
                session = sessions[entry.key]
                session.closed_ns, session.closed_in = time_ns, term
                session.reason = int(entry.payload)
            case _:
                pass
    return sessions, ends


def _period_of(session: LoggedSession, periods: Sequence[Period]) -> Period | None:
    """Return the time without a disturbance in which a session was closed, if it was in one."""
    term = session.closed_in
    if term is None:
        return None
    return next(
        (
            each
            for each in periods
            if (each.term_id, each.member_id) == (term.term_id, term.leader_id)
            and each.begin_ns <= session.closed_ns <= each.end_ns
        ),
        None,
    )


def _last_arrived_ns(client: SessionLog, period: Period, until_ns: int) -> int:
    """Return when a client last sent what its leader received; -1 if that is not known."""
    sent = client.sent
    end = bisect_right(sent, until_ns - _ARRIVAL_NS, key=lambda each: each.time_ns)
    begin = bisect_left(sent, period.begin_ns + _ARRIVAL_NS, key=lambda each: each.time_ns)
    for each in reversed(sent[begin:end]):
        if each.term_id == period.term_id:
            return each.time_ns
    return -1


def check_not_early(
    session: LoggedSession, client: SessionLog, periods: Sequence[Period], timeout_ns: int
) -> None:
    """Check that a session was not closed for its silence before its timeout.

    Parameters
    ----------
    session : LoggedSession
        One that timed out.
    client : SessionLog
    periods : sequence of Period
    timeout_ns : int

    Raises
    ------
    InvariantError
    """
    term = session.closed_in
    if term is None or session.closed_ns < 0 or has_given_up(client, session):
        return
    active_ns = session.active_ns if session.active_in == term else term.begin_ns
    period = _period_of(session, periods)
    if period is not None:
        active_ns = max(active_ns, _last_arrived_ns(client, period, session.closed_ns))
    if session.closed_ns < active_ns + timeout_ns - _PRECISION_NS:
        raise InvariantError(
            "sessions time out by the log",
            f"{session} was active at {active_ns}, and closed before the timeout of {timeout_ns}",
        )


def check_not_late(
    session: LoggedSession,
    client: SessionLog,
    periods: Sequence[Period],
    ends: Mapping[int, int],
    timeout_ns: int,
) -> None:
    """Check that a silent session is closed by a leader that works for long enough.

    Parameters
    ----------
    session : LoggedSession
    client : SessionLog
    periods : sequence of Period
    ends : mapping of int to int
        When each term has its last entry, in ns.
    timeout_ns : int

    Raises
    ------
    InvariantError
    """
    sent = client.sent
    last_ns = max(sent[-1].time_ns if sent else -1, session.active_ns)
    for period in periods:
        if period.term_id < session.opened.term_id:
            continue
        active_ns = max(last_ns, period.begin_ns) + _ARRIVAL_NS
        due_ns = active_ns + timeout_ns + period.snapshot_ns + _LATENESS_NS
        # What the term has after that was appended after the close.
        if due_ns > period.end_ns or ends.get(period.term_id, -1) <= due_ns:
            continue
        closed_in = session.closed_in
        if closed_in is not None and closed_in.term_id < period.term_id:
            return
        if closed_in is None or not 0 <= session.closed_ns <= due_ns:
            raise InvariantError(
                "sessions time out by the log",
                f"{session} was active at {active_ns} or before, and not closed until {due_ns},"
                f" in {period}",
            )
        return


def check_order(
    sessions: Iterable[LoggedSession],
    clients: Mapping[tuple[int, int], SessionLog],
    periods: Sequence[Period],
) -> None:
    """Check that sessions were closed in the order of their last activity.

    Parameters
    ----------
    sessions : iterable of LoggedSession
    clients : mapping of tuple to SessionLog
        By session and the term in which it was opened
    periods : sequence of Period

    Raises
    ------
    InvariantError
    """
    by_term: dict[int, list[tuple[int, int, LoggedSession]]] = {}
    for session in sessions:
        client = clients.get(session.name)
        period = _period_of(session, periods)
        if client is None or period is None or not session.is_timed_out:
            continue
        if has_given_up(client, session):
            continue
        active_ns = _last_arrived_ns(client, period, session.closed_ns)
        if active_ns >= 0:
            closed = (session.closed_ns, active_ns, session)
            by_term.setdefault(period.term_id, []).append(closed)
    for closes in by_term.values():
        for before, after in pairwise(sorted(closes, key=lambda each: each[0])):
            is_behind = after[0] > before[0] + _PRECISION_NS
            if is_behind and after[1] + _ARRIVAL_NS < before[1]:
                raise InvariantError(
                    "sessions time out in order",
                    f"{after[2]}, active at {after[1]}, was closed after {before[2]}, active at"
                    f" {before[1]}",
                )
