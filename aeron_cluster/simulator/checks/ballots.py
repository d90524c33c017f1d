"""Leaders are elected, as seen on the wire: by a majority, by members with logs that are not ahead.

Members compare logs twice, while canvassing and when a vote is requested, and a leader waits for a
majority twice more before it commits. An error in one of these steps may go unnoticed for long, so
each is checked separately. No code is shared with the product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.promises import Listener
from aeron_cluster.simulator.checks.replicas import LogEnd, is_majority

if TYPE_CHECKING:
    from aeron_cluster.codecs.cluster import NewLeadershipTerm
    from aeron_cluster.simulator.cluster import Cluster

__all__ = ["LeadersAreElected"]


class LeadersAreElected(Listener):
    """A leader has the votes of a majority, and no member votes for a log behind its own."""

    def __init__(self) -> None:
        self._votes: dict[tuple[int, int], set[int]] = {}  # by term and candidate
        self._logs: dict[tuple[int, int], LogEnd] = {}
        self._leaders: set[tuple[int, int]] = set()
        self._elected: set[tuple[int, int]] = set()

    def on_request(self, term_id: int, candidate_id: int, log_end: LogEnd) -> None:
        """Handle a request for votes: the candidate has its own vote."""
        self._logs[term_id, candidate_id] = log_end
        self._votes.setdefault((term_id, candidate_id), set()).add(candidate_id)

    def on_ballot(self, term_id: int, member_id: int, candidate_id: int, log_end: LogEnd) -> None:
        """Handle a vote for a candidate, with the end of the voter's own log."""
        self._votes.setdefault((term_id, candidate_id), set()).add(member_id)
        asked = self._logs.get((term_id, candidate_id))
        if asked is not None and log_end > asked:
            raise InvariantError(
                "no member votes for less than it has",
                f"member {member_id}, with its log up to {log_end}, voted in {term_id} for"
                f" {candidate_id}, with its log up to {asked}",
            )

    def on_new_term(self, term: NewLeadershipTerm) -> None:
        """Record a leader's new leadership term."""
        self._leaders.add((term.leadership_term_id, term.leader_member_id))

    def observe(self, cluster: Cluster) -> None:
        """Count the votes of the leaders."""
        for name in self._leaders - self._elected:
            votes = self._votes.get(name, set())
            if not is_majority(len(votes), len(cluster.members)):
                term_id, leader_id = name
                raise InvariantError(
                    "a leader is elected",
                    f"member {leader_id} leads term {term_id} by the votes of {sorted(votes)}",
                )
            self._elected.add(name)
