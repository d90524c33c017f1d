"""Journals of services compared with the model step by step, as far as both have come."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from aeron_cluster.errors import InvariantError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.simulator.members.journal import Journal
    from aeron_cluster.simulator.model.plain_cluster import PlainCluster, Seen

__all__ = ["JournalProgress", "check_events"]


class JournalProgress:
    """Compares what services saw and offered since the last time with the log."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}  # by service id
        self._offered: dict[int, list[tuple[int, int]]] = {}
        self._logged: dict[int, int] = {}
        self._terms: dict[int, int] = {}
        self._opened: dict[int, int] = {}

    def check(self, journals: Sequence[Journal], model: PlainCluster) -> None:
        """Compare what is new in the journals of a cluster's services, and in its log.

        Raises
        ------
        InvariantError
            A service saw something that the log does not have there, or the log has a message that
            the service did not offer, or another one.
        """
        for journal in journals:
            begin = self._seen.get(journal.service_id, 0)
            self._seen[journal.service_id] = check_events(journal, model.seen, begin)
            self._check_terms(journal, model)
            self._check_opened(journal, model)
            if journal.entries:  # what native services offer is not observed
                self._check_offers(journal, model.messages.get(journal.service_id, ()))

    def _check_terms(self, journal: Journal, model: PlainCluster) -> None:
        service_id = journal.service_id
        for term in islice(model.terms, self._terms.get(service_id, 0), None):
            found = journal.terms.get(term.term_id)
            if found is None:
                break
            if found != term:
                raise InvariantError(
                    "services see the log",
                    f"service {service_id} was notified of {found}, the log has {term}",
                )
            self._terms[service_id] = self._terms.get(service_id, 0) + 1

    def _check_opened(self, journal: Journal, model: PlainCluster) -> None:
        service_id = journal.service_id
        for event in islice(model.opens.values(), self._opened.get(service_id, 0), None):
            found = journal.opened.get(event.session_id)
            if found is None:
                break
            if found != (event.stream_id, event.channel, event.principal):
                raise InvariantError(
                    "services see the log", f"service {service_id} saw {found}, the log has {event}"
                )
            self._opened[service_id] = self._opened.get(service_id, 0) + 1

    def _check_offers(self, journal: Journal, logged: Sequence[bytes]) -> None:
        service_id = journal.service_id
        begin = self._logged.get(service_id, 0)
        if begin == len(logged):
            return
        places = self._offered.setdefault(service_id, [])
        last = places[-1] if places else (-1, -1)
        places += sorted(each for each in journal.offers if each > last)
        for number in range(begin, len(logged)):
            offered = journal.offers[places[number]] if number < len(places) else None
            if offered != logged[number]:
                raise InvariantError(
                    "a service's message is in the log once",
                    f"service {service_id}: the log has {logged[number]!r} as its message"
                    f" {number + 1}, it offered {offered!r}",
                )
        self._logged[service_id] = len(logged)


def check_events(journal: Journal, seen: Sequence[Seen], begin: int = 0) -> int:
    """Compare what services saw with the log, as far as both have come.

    Parameters
    ----------
    journal : Journal
    seen : sequence of tuple
        What the log has for a service.
    begin : int
        How many events have been compared.

    Returns
    -------
    int
        How many have been compared now.

    Raises
    ------
    InvariantError
        One was not seen, or seen differently.
    """
    entries = journal.entries
    end = min(len(entries), len(seen))
    if entries[begin:end] != seen[begin:end]:
        one, other = next(
            (one, other)
            for one, other in zip(entries[begin:end], seen[begin:end], strict=True)
            if one != other
        )
        raise InvariantError(
            "services see the log", f"service {journal.service_id} saw {one}, the log has {other}"
        )
    return end
