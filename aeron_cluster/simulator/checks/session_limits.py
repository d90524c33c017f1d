"""The limit of sessions: the log keeps it, and each client is answered, by name if it is beyond it.

A leader accepts clients as long as its log has fewer open sessions than the limit. Others get an
event with the code ERROR and upstream's text, and may come again. A client whose ingress, or
leader, is lost in the meantime gets one with the code CLOSED. Clients recorded what they
requested, and how that was answered. Where a leader works without a disturbance, an answer comes
soon, and a client is rejected only if the log had all sessions meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.unsynced_data import may_lose_what_is_committed
from aeron_cluster.simulator.cluster import Checker
from aeron_cluster.simulator.model.plain_messages import ERROR

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aeron_cluster.simulator.checks.session_timeouts import Period, SessionsTimeOutByTheLog
    from aeron_cluster.simulator.clients.attempts import Attempt
    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.members.journal import Entry

__all__ = [
    "LIMIT_TEXT",
    "OpenCounts",
    "SessionsAreLimited",
    "check_answer",
    "max_sessions_of",
    "read_open_counts",
    "until_disks_fail",
]

LIMIT_TEXT: Final = "concurrent session limit"
"""The text of the answer to a client beyond the limit."""

_MS: Final = 1_000_000
_DEFAULT_LIMIT: Final = 10
_PRECISION_NS: Final = 10 * _MS  # of timestamps, and of a duty cycle
_ARRIVAL_NS: Final = 250 * _MS  # after losses had ended
_ANSWER_NS: Final = 200 * _MS
_NO_ANSWER: Final = -1


@dataclass
class OpenCounts:
    """How many sessions the log of a term has, and when it changes by the leader's clock, in ns.

    Parameters
    ----------
    changes : list of tuple
        Time, and the number of open sessions from then on; the first one is the begin of the term.
    end_ns : int
        When the term has its last entry.
    """

    changes: list[tuple[int, int]] = field(default_factory=list)
    end_ns: int = -1

    def most(self, begin_ns: int, end_ns: int) -> int:
        """Return the highest number of open sessions between two times."""
        found = 0
        for at_ns, count in self.changes:
            if at_ns > end_ns:
                break
            found = count if at_ns <= begin_ns else max(found, count)
        return found


class SessionsAreLimited(Checker):
    """The log has at most as many open sessions as configured, and clients are answered.

    Parameters
    ----------
    timeouts : SessionsTimeOutByTheLog
        Has the times in which leaders work without a disturbance; it concludes before this one.
    """

    def __init__(self, timeouts: SessionsTimeOutByTheLog) -> None:
        self._timeouts = timeouts
        self._seen = 0
        self._open: set[int] = set()
        self._answered: dict[int, int] = {}

    def check(self, cluster: Cluster) -> None:
        """Check that the log has no more sessions than the limit."""
        if not cluster.is_joined:
            return
        entries = cluster.journals[0].entries
        if self._seen == len(entries):
            return
        limit = max_sessions_of(cluster)
        for entry in entries[self._seen :]:
            if entry.kind == "close":
                self._open.discard(entry.key)
            elif entry.kind == "open":
                self._open.add(entry.key)
                if len(self._open) > limit:
                    raise InvariantError(
                        "sessions are limited",
                        f"{entry}: {sorted(self._open)} are open, {limit} may be",
                    )
        self._seen = len(entries)

    def conclude(self, cluster: Cluster) -> None:
        """Compare the answers to clients with the log."""
        self.check(cluster)
        entries = cluster.journals[0].entries
        if not cluster.is_joined or not entries or may_lose_what_is_committed(cluster):
            return
        epochs = {
            each.member_id: each.machine.clock.epoch_nanos() - cluster.now_ns
            for each in cluster.members
            if not each.machine.has_wrong_clock
        }
        counts = read_open_counts(entries, epochs)
        limit = max_sessions_of(cluster)
        periods = until_disks_fail(
            self._timeouts.periods,
            {each.member_id: each.machine.disk_fails_from_ns for each in cluster.members},
        )
        for client in cluster.everyone:
            for attempt in client.attempts:
                code = attempt.code
                self._answered[code] = self._answered.get(code, 0) + 1
                check_answer(f"{client}", attempt, periods, counts, limit)

    def counts(self) -> dict[str, int]:
        """Return how many clients were beyond the limit."""
        return {"clients beyond the limit": self._answered.get(ERROR, 0)}


def max_sessions_of(cluster: Cluster) -> int:
    """Return how many sessions the members of a cluster may have open."""
    options = cluster.options.get("consensus_module", {})
    return int(options.get("max_sessions", _DEFAULT_LIMIT))


def read_open_counts(entries: Iterable[Entry], epochs: Mapping[int, int]) -> dict[int, OpenCounts]:
    """Return how many sessions the log has, by term.

    Parameters
    ----------
    entries : iterable of Entry
        What a service saw.
    epochs : mapping of int to int
        By member, the time of its clock when the run began, in ns; none of members whose clocks
        were set: their terms are left out.
    """
    found: dict[int, OpenCounts] = {}
    count = 0
    term: OpenCounts | None = None
    epoch_ns = 0
    for entry in entries:
        if entry.kind == "term":
            epoch = epochs.get(int(entry.payload))
            epoch_ns = epoch or 0
            term = None if epoch is None else found.setdefault(entry.key, OpenCounts())
        count += (entry.kind == "open") - (entry.kind == "close")
        if term is None:
            continue
        term.end_ns = entry.timestamp * _MS - epoch_ns
        if entry.kind in ("term", "open", "close"):
            term.changes.append((term.end_ns, count))
    return found


def until_disks_fail(periods: Iterable[Period], fails_from: Mapping[int, int]) -> list[Period]:
    """Return the parts of leaders' times in which they could answer new clients.

    A client is answered by a publication, which needs a file of its leader's driver.

    Parameters
    ----------
    periods : iterable of Period
    fails_from : mapping of int to int
        By member, when calls to its disk may first have failed, in ns.
    """
    return [replace(each, end_ns=min(each.end_ns, fails_from[each.member_id])) for each in periods]


def check_answer(
    name: str,
    attempt: Attempt,
    periods: Sequence[Period],
    counts: Mapping[int, OpenCounts],
    limit: int,
) -> None:
    """Check that a client got an answer soon, and was rejected only beyond the limit.

    Parameters
    ----------
    name : str
        Of the client.
    attempt : Attempt
        One that has ended, or that a run ended with.
    periods : sequence of Period
    counts : mapping of int to OpenCounts
        By term.
    limit : int
        How many sessions may be open.

    Raises
    ------
    InvariantError
    """
    if attempt.code == ERROR and attempt.detail != LIMIT_TEXT:
        raise InvariantError("clients beyond the limit are answered by name", f"{name}: {attempt}")
    if not attempt.requests:
        return
    member_id, sent_ns = attempt.requests[-1]
    period = next(
        (
            each
            for each in periods
            if each.member_id == member_id and each.begin_ns + _ARRIVAL_NS <= sent_ns < each.end_ns
        ),
        None,
    )
    if period is None:
        return
    term = counts.get(period.term_id)
    if term is None:
        return
    due_ns = sent_ns + _ANSWER_NS + period.snapshot_ns
    is_in_time = attempt.code != _NO_ANSWER and attempt.ended_ns <= due_ns
    has_waited = attempt.ended_ns < 0 or attempt.ended_ns > due_ns
    # What the term has after that shows that its leader could append, and commit.
    if not is_in_time and has_waited and due_ns <= period.end_ns and due_ns < term.end_ns:
        raise InvariantError(
            "clients are answered in time",
            f"{name}: {attempt}, expected until {due_ns} in {period}",
        )
    is_known = attempt.ended_ns <= period.end_ns and attempt.ended_ns + _PRECISION_NS < term.end_ns
    if attempt.code == ERROR and is_known:
        most = term.most(sent_ns - _PRECISION_NS, attempt.ended_ns + _PRECISION_NS)
        if most < limit:
            raise InvariantError(
                "clients are rejected only beyond the limit",
                f"{name}: {attempt}, the log had {most} of {limit} sessions",
            )
