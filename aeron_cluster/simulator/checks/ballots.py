"""Leaders are elected, as seen on the wire: by a majority, by members with logs that are not ahead.

Members compare logs twice, while canvassing and when a vote is requested, and a leader waits for a
majority twice more before it commits. An error in one of these steps may go unnoticed for long, so
each is checked separately. No code is shared with the product.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.promises import Listener
from aeron_cluster.simulator.checks.replicas import LogEnd, Replicas, is_majority
from aeron_cluster.simulator.checks.unsynced_data import may_lose_what_is_committed

if TYPE_CHECKING:
    from aeron_cluster.codecs.cluster import NewLeadershipTerm
    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.members.member import Member

__all__ = ["LeadersAreElected", "LeadersHaveWhatIsCommitted", "VotesAreFollowed"]

# What one pass of a member sends to several others may leave it in another order.
_ONE_PASS_NS: Final = 20_000_000

# Of a driver's counters: types, and what their keys have after the registration id.
_SENDER_LIMIT: Final = 9
_PUBLISHER_POSITION: Final = 12
_STREAM: Final = struct.Struct("<8xii")
_CONSENSUS_STREAM: Final = 108


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
        candidate_end = self._logs.get((term_id, candidate_id))
        if candidate_end is not None and log_end > candidate_end:
            raise InvariantError(
                "no member votes for less than it has",
                f"member {member_id}, with its log up to {log_end}, voted in {term_id} for"
                f" {candidate_id}, with its log up to {candidate_end}",
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


class LeadersHaveWhatIsCommitted(Listener):
    """The log of an elected leader has all that leaders of earlier terms have committed.

    A commit that arrives after the election counts as well: the members that it rests on had
    recorded it before they voted, or they would not have.

    Parameters
    ----------
    replicas : Replicas
        The logs of the members, which another checker keeps.
    """

    def __init__(self, replicas: Replicas) -> None:
        self._replicas = replicas
        self._requests: dict[tuple[int, int], LogEnd] = {}
        self._leaders: dict[int, tuple[int, LogEnd]] = {}  # by term, with its log before
        self._committed: dict[int, int] = {}
        self._new: set[int] = set()

    def on_request(self, term_id: int, candidate_id: int, log_end: LogEnd) -> None:
        """Record the log that a candidate names."""
        self._requests[term_id, candidate_id] = log_end

    def on_new_term(self, term: NewLeadershipTerm) -> None:
        """Record the leader of a term."""
        term_id, leader_id = term.leadership_term_id, term.leader_member_id
        log_end = self._requests.get((term_id, leader_id))
        if log_end is not None and term_id not in self._leaders:
            self._leaders[term_id] = leader_id, log_end
            self._new.update(each for each in self._committed if each < term_id)

    def on_commit(self, term_id: int, position: int, leader_id: int) -> None:  # noqa: ARG002
        """Record what a leader has committed."""
        if position > self._committed.get(term_id, 0):
            self._committed[term_id] = position
            self._new.add(term_id)

    def observe(self, cluster: Cluster) -> None:
        """Compare what was committed since with the logs of later leaders."""
        if not self._new:
            return
        found, self._new = self._new, set()
        if may_lose_what_is_committed(cluster):
            return  # nothing was promised
        for committed_term in found:
            committed = LogEnd(committed_term, self._committed[committed_term])
            for term_id, (leader_id, log_end) in self._leaders.items():
                if term_id <= committed_term:
                    continue
                common = self._replicas.common(log_end, committed)
                if common < committed.position and self._replicas.is_traced(log_end):
                    raise InvariantError(
                        "a leader has what is committed",
                        f"member {leader_id} leads term {term_id} with its log up to {log_end};"
                        f" {committed} is committed, the two are one up to {common}",
                    )


class VotesAreFollowed(Listener):
    """A member that has voted in a term votes, and acknowledges a leader, in none before it."""

    def __init__(self) -> None:
        self._voted: dict[int, tuple[int, int]] = {}  # by member: the highest term, and when
        self._votes: set[tuple[int, int]] = set()
        self._held_up: set[int] = set()  # those that will send what they did before they voted

    def on_vote(self, cluster: Cluster, term_id: int, member_id: int) -> None:
        """Handle a vote, for itself or another one."""
        if (term_id, member_id) in self._votes:
            return
        self._votes.add((term_id, member_id))
        self._check(cluster, "votes", term_id, member_id)
        if term_id > self._voted.get(member_id, (term_id - 1, 0))[0]:
            self._voted[member_id] = term_id, cluster.now_ns
            self._held_up.discard(member_id)
            if _is_held_up(cluster.members[member_id]):
                self._held_up.add(member_id)

    def on_new_append(
        self,
        cluster: Cluster,
        term_id: int,
        position: int,  # noqa: ARG002
        member_id: int,
    ) -> None:
        """Handle an append position for the leader of a term."""
        self._check(cluster, "acknowledges a leader", term_id, member_id)

    def _check(self, cluster: Cluster, what: str, term_id: int, member_id: int) -> None:
        voted, at_ns = self._voted.get(member_id, (term_id, 0))
        # A driver that is a process of its own may be paused, and send all of it later.
        if term_id >= voted or cluster.layout != "node" or cluster.now_ns - at_ns <= _ONE_PASS_NS:
            return
        power_lost = cluster.members[member_id].machine.power_loss_count
        if (power_lost and not cluster.sync_level) or member_id in self._held_up:
            return
        raise InvariantError(
            "a vote is followed",
            f"member {member_id} {what} in term {term_id}, and voted in {voted} before",
        )


def _is_held_up(member: Member) -> bool:
    """Return whether its driver has messages for another member that its receiver does not admit.

    They are sent as that member, or its next process, has room for them again.
    """
    positions: dict[int, dict[bytes, int]] = {_SENDER_LIMIT: {}, _PUBLISHER_POSITION: {}}
    for each in member.driver_counters():
        if each.type_id in positions and _STREAM.unpack_from(each.key)[1] == _CONSENSUS_STREAM:
            positions[each.type_id][each.key] = each.value
    limits = positions[_SENDER_LIMIT]
    return any(
        position > limits.get(key, position)
        for key, position in positions[_PUBLISHER_POSITION].items()
    )
