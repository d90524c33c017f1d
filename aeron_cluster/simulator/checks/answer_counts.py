"""The numbers of requests that a client sent and of answers that it received in a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from aeron_cluster.errors import InvariantError, ServiceInvariantError
from aeron_cluster.simulator.checks.replays import place_of_entry

if TYPE_CHECKING:
    from aeron_cluster.cluster_client.cluster_client import AeronCluster
    from aeron_cluster.simulator.clients.client import Client
    from aeron_cluster.simulator.cluster import Cluster

__all__ = ["AnswerCount"]

_INVARIANT: Final = "clients are answered once"


@dataclass(frozen=True)
class AnswerCount:
    """The numbers of messages that a client had sent and received while nothing was pending.

    Parameters
    ----------
    session : AeronCluster or None
    term_id : int
        The term of the leader that the client was connected to.
    sent_count, answer_count : int
    """

    session: AeronCluster | None
    term_id: int
    sent_count: int
    answer_count: int

    @classmethod
    def of(cls, client: Client) -> Self:
        """Return the current counts of a client.

        Parameters
        ----------
        client : Client
        """
        session = client.session
        term_id = -1 if session is None else session.leadership_term_id
        return cls(session, term_id, client.sent_count, len(client.responses))

    def check(self, client: Client, cluster: Cluster, begin: int) -> None:
        """Compare the counts since then, within one session and one term.

        Parameters
        ----------
        client : Client
        cluster : Cluster
        begin : int
            The end of the log at that time, in bytes.

        Raises
        ------
        InvariantError
            The number of answers differs from the number of requests.
        """
        now = self.of(client)
        if now.session is not self.session or now.term_id != self.term_id or now.session is None:
            return  # messages of a former leader may have been lost and sent again
        sent, answered = now.sent_count - self.sent_count, now.answer_count - self.answer_count
        if sent == answered:
            return
        found = f"client {client.number} sent {sent} requests and got {answered} answers"
        leader = cluster.leader()
        if len(cluster.journals) > 1 or leader is None:
            raise InvariantError(_INVARIANT, found)
        (journal,) = cluster.journals
        own = ("message", now.session.cluster_session_id)
        for entry in journal.entries[journal.index_after(begin) :]:
            if (entry.kind, entry.key) != own:
                continue
            further = journal.further_answers.get(entry.position)
            is_answered = any(each == entry.position for each, _ in journal.answers)
            if further is not None or not is_answered:
                place = place_of_entry(
                    cluster, journal, entry.position, leader.member_id, further or ("", 0)
                )
                count = "no message" if further is None else "more than one message"
                raise ServiceInvariantError(
                    _INVARIANT, f"{found}: {place.callback} sent {count} for one, {place}", place
                )
        raise InvariantError(_INVARIANT, found)
