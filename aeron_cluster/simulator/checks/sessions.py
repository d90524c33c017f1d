"""Sessions as services saw them open and close: ids, order, and which remain open at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.cluster import Checker
from aeron_cluster.simulator.model.plain_messages import TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.members.journal import Entry, Journal

__all__ = [
    "SeenClose",
    "SessionsAreGivenOnce",
    "Silence",
    "check_left_sessions",
    "check_requested_closes",
    "check_timed_out",
    "closed_by_returned_leader",
    "open_sessions",
]

_DRIFT: Final = 64  # clocks are wrong by one part in so many, at most
_MAX_LATENESS_NS: Final = 300_000_000


class Silence(NamedTuple):
    """When a session was last active, in ns: between two times where that is not known."""

    session_id: int
    earliest_ns: int
    latest_ns: int


class SeenClose(NamedTuple):
    """When services saw a session close, at most, in ns, and the reason."""

    time_ns: int
    reason: int


class SessionsAreGivenOnce(Checker):
    """No session id is used twice, and nothing comes from a session that is not open."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}  # by the identity of a journal
        self._sessions: dict[int, dict[int, bool]] = {}

    def check(self, cluster: Cluster) -> None:
        """Check what must hold at all times."""
        for journal in cluster.journals:
            begin = self._seen.get(id(journal), 0)
            if begin == len(journal.entries):
                continue
            sessions = self._sessions.setdefault(id(journal), {})
            for entry in journal.entries[begin:]:
                _check_session(entry, sessions)
            self._seen[id(journal)] = len(journal.entries)


def _check_session(entry: Entry, sessions: dict[int, bool]) -> None:
    """Check an event of a session; `sessions` maps each id to whether it is open."""
    match entry.kind:
        case "open":
            if entry.key in sessions:
                raise InvariantError("session ids are given once", f"{entry} is another one")
            sessions[entry.key] = True
        case "close":
            if not sessions.get(entry.key):
                raise InvariantError("sessions are closed once", f"{entry} is not open")
            sessions[entry.key] = False
        case "message" if entry.key >= 0 and not sessions.get(entry.key):
            raise InvariantError("nothing comes from a closed session", f"{entry}")
        case _:
            pass


def open_sessions(entries: Iterable[Entry]) -> dict[int, bool]:
    """Return whether each session that was opened is still open, by its id."""
    return {each.key: each.kind == "open" for each in entries if each.kind in ("open", "close")}


def closed_by_returned_leader(journal: Journal) -> set[int]:
    """Return the sessions that the present leader closed, if it led an earlier term.

    It takes up again the closes that it had not committed then, as upstream: it is not connected to
    the clients of these sessions, which are not notified, and may be connected by their own view.
    """
    terms = [(index, each) for index, each in enumerate(journal.entries) if each.kind == "term"]
    leaders = [each.payload for _, each in terms]
    if not leaders or leaders.count(leaders[-1]) == 1:
        return set()
    return {each.key for each in journal.entries[terms[-1][0] :] if each.kind == "close"}


def check_requested_closes(journal: Journal) -> None:
    """Check that the sessions are closed whose end a service requested.

    Raises
    ------
    InvariantError
        One is open.
    """
    opened = open_sessions(journal.entries)
    left = [each for each in journal.closes if opened.get(each)]
    if left:
        raise InvariantError(
            "services close sessions", f"service {journal.service_id}: {sorted(left)} are open"
        )


def check_left_sessions(
    journal: Journal, held: Collection[int], unknown: int, silent_ns: int
) -> None:
    """Compare the open sessions with those of clients, after a time without faults.

    Parameters
    ----------
    journal : Journal
        The journal of a service.
    held : collection of int
        The sessions of clients that were connected during all of that time.
    unknown : int
        The number of further clients that have sessions with unknown ids.
    silent_ns : int
        The length of that time: longer than the session timeout.

    Raises
    ------
    InvariantError
        The session of a connected client was closed, or a session without a client is still open.
    """
    left = {key for key, is_open in open_sessions(journal.entries).items() if is_open}
    lost = [each for each in held if each not in left]
    if lost:
        raise InvariantError("sessions of clients stay open", f"{sorted(lost)} were closed")
    without = left.difference(held)
    if len(without) > unknown:
        raise InvariantError(
            "sessions without a client time out",
            f"{sorted(without)} are open after {silent_ns / 1e9:.1f} s, {unknown} may be",
        )


def check_timed_out(
    silences: Iterable[Silence],
    closes: Mapping[int, SeenClose],
    timeout_ns: int,
    precision_ns: int,
) -> None:
    """Check that sessions end for their silence, each in its time and so in the order of these.

    Parameters
    ----------
    silences : iterable of Silence
    closes : mapping of int to SeenClose
        By session.
    timeout_ns : int
        How long a session may be silent.
    precision_ns : int
        How much earlier than it was seen a session may have closed.

    Raises
    ------
    InvariantError
        One did not end, or too early or too late, or for another reason.
    """
    drift_ns = timeout_ns // _DRIFT
    for silence in silences:
        earliest_ns = silence.earliest_ns + timeout_ns - drift_ns
        latest_ns = silence.latest_ns + timeout_ns + drift_ns + _MAX_LATENESS_NS + precision_ns
        close = closes.get(silence.session_id)
        if close is None or not earliest_ns <= close.time_ns <= latest_ns:
            raise InvariantError(
                "sessions time out in their time",
                f"{silence}: {close or 'not closed'}, expected from {earliest_ns} to {latest_ns}",
            )
        if close.reason != TIMEOUT:
            raise InvariantError("closes have their reason", f"{silence}: {close}")
