"""Surviving clients send a request again only after a while, or when another member leads.

What they send again is in the log, too: a service applies it once.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.plain_requests import PlainRequests, RequestName
from aeron_cluster.simulator.cluster import Checker

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.members.journal import Entry

__all__ = ["RequestsAreResentWithPauses", "check_copies"]

# A request is resent up to eight times if the service only receives later ones, and after timeouts
# that become longer; see `SurvivingClient`.
_MOST_COPIES: Final = 16
# Sequences beyond every window ask a service what it has, and may be sent often.
_PROBE: Final = 1 << 62


class RequestsAreResentWithPauses(Checker):
    """No request of a surviving client is in a term of the log again and again."""

    def conclude(self, cluster: Cluster) -> None:
        """Count what the log has."""
        if cluster.is_joined:
            check_copies(cluster.journals[0].entries)


def check_copies(entries: Iterable[Entry]) -> None:
    """Check how often each request is in the log, by session and term.

    Parameters
    ----------
    entries : iterable of Entry
        What a service saw.

    Raises
    ------
    InvariantError
        A client resent one without end.
    """
    term_id = -1
    # A session may have requests of several clients: those of guests.
    copies: Counter[tuple[int, int, RequestName]] = Counter()
    for entry in entries:
        if entry.kind == "term":
            term_id = entry.key
        elif entry.kind == "message" and entry.key >= 0:
            name = PlainRequests.name_of(entry.payload)
            if name is not None and name.sequence < _PROBE:
                copies[term_id, entry.key, name] += 1
    for (term, session_id, name), count in copies.items():
        if count > _MOST_COPIES:
            raise InvariantError(
                "requests are resent with pauses",
                f"session {session_id}, client {name.client_id}, request {name.sequence}: {count}"
                f" times in term {term}",
            )
