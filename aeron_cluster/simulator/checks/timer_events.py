"""Timer events assigned to the requests of services, as they come."""

from __future__ import annotations

from bisect import insort
from itertools import islice
from typing import TYPE_CHECKING

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.cluster import Checker

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.members.journal import Entry, Journal

__all__ = ["TimerEvents", "TimersFireOnce"]


class TimersFireOnce(Checker):
    """No timer fires more often than it was scheduled, or before its deadline."""

    def __init__(self) -> None:
        self._events: dict[int, TimerEvents] = {}  # by the identity of a journal

    def check(self, cluster: Cluster) -> None:
        """Check the events since the last check."""
        for journal in cluster.journals:
            events = self._events.get(id(journal))
            if events is None:
                events = self._events[id(journal)] = TimerEvents()
            # A request that one member made may be found changed when another one has made it.
            if events.next_unexpected(journal) is not None:
                _check(journal)

    def conclude(self, cluster: Cluster) -> None:
        """Check at the end, when nothing is in progress."""
        for journal in cluster.journals:
            _check(journal)


def _check(journal: Journal) -> None:
    entry = journal.unexpected_timer()
    if entry is not None:
        raise InvariantError("timers fire once", f"{entry} was never scheduled")


class TimerEvents:
    """The requests of a journal for timers that have had no event so far."""

    def __init__(self) -> None:
        self._requests: dict[int, list[tuple[int, int]]] = {}  # deadline and position
        self._request_count = 0
        self._entry_count = 0

    def next_unexpected(self, journal: Journal) -> Entry | None:
        """Return the first of the journal's new timer events that no request is left for."""
        if len(journal.entries) == self._entry_count:
            return None
        events = [each for each in journal.entries[self._entry_count :] if each.kind == "timer"]
        self._entry_count = len(journal.entries)
        if events:
            self._read_requests(journal)
        return next((each for each in events if not self._assign(each)), None)

    def _read_requests(self, journal: Journal) -> None:
        new = islice(journal.settings.items(), self._request_count, None)
        for (position, correlation_id), deadline in new:
            if deadline is not None:
                insort(self._requests.setdefault(correlation_id, []), (deadline, position))
        self._request_count = len(journal.settings)

    def _assign(self, event: Entry) -> bool:
        """Assign the latest possible request to an event; clocks are set back."""
        own = self._requests.get(event.key, [])
        for deadline, position in reversed(own):
            if position < event.position and deadline <= event.timestamp:
                own.remove((deadline, position))
                return True
        return False
