"""Sessions that outlive their leader: clients follow the next one and need no other session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.model.plain_messages import CLIENT_ACTION, REASONS, SERVICE_ACTION

if TYPE_CHECKING:
    from aeron_cluster.simulator.clients.client import Client

__all__ = ["HeldSession"]

_REQUESTED_CLOSES: Final = frozenset({REASONS[CLIENT_ACTION], REASONS[SERVICE_ACTION]})
"""The reasons of closes that a client or a service requested."""


@dataclass(frozen=True)
class HeldSession:
    """The session of a connected client before its leader is lost, with nothing else wrong.

    Parameters
    ----------
    client : Client
    session_id : int
    leader_id : int
        The leader that the client knows.
    session_count : int
        The number of sessions that the client has needed so far.
    """

    client: Client
    session_id: int
    leader_id: int
    session_count: int

    @classmethod
    def of(cls, client: Client) -> HeldSession | None:
        """Return the session of a client; None if it is not connected."""
        session, session_id = client.session, client.session_id
        if session is None or session_id is None:
            return None
        return cls(client, session_id, session.leader_member_id, client.session_count)

    def has_new_leader(self) -> bool:
        """Whether the client is connected to another leader, or in another session.

        A client is connected to the lost leader, as far as it knows, until its image closes.
        """
        now = HeldSession.of(self.client)
        return now is not None and (
            now.leader_id != self.leader_id or now.session_count != self.session_count
        )

    def check(self, invariant: str) -> None:
        """Check that the client needed no other session.

        Parameters
        ----------
        invariant : str
            The name of what is checked.

        Raises
        ------
        InvariantError
            It connected again although neither it nor a service requested the end of its session.
        """
        if self.client.closes.get(self.session_id, "") in _REQUESTED_CLOSES:
            return
        count = self.client.session_count - self.session_count
        if count or self.client.session_id != self.session_id:
            raise InvariantError(
                invariant,
                f"client {self.client.number} had session {self.session_id} with member"
                f" {self.leader_id}, then needed {count} more: {self.client}",
            )
