"""Members end where the leader of their term requested it, and acknowledge that only to it.

A leader that was deposed may have sent such a request, which arrives late. A member that follows
another leader by then must not end.
"""

from __future__ import annotations

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.promises import Listener

__all__ = ["EndsAreRequestedInTheirTerm"]


class EndsAreRequestedInTheirTerm(Listener):
    """The term of an acknowledged end has a request for it, at this position or before it."""

    def __init__(self) -> None:
        self._requested: dict[int, int] = {}  # the lowest position, by term

    def on_termination_position(self, term_id: int, position: int) -> None:
        """Record the position at which a leader requests the members to end."""
        self._requested[term_id] = min(position, self._requested.get(term_id, position))

    def on_termination_ack(self, term_id: int, position: int, member_id: int) -> None:
        """Compare the end of a member with the request of its term."""
        requested = self._requested.get(term_id)
        if requested is None or position < requested:
            raise InvariantError(
                "members end as the leader of their term requests",
                f"member {member_id} ends at {position} in term {term_id}, whose leader requested"
                f" {'no end' if requested is None else requested}",
            )
