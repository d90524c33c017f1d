"""Clients beyond the limit of sessions: they come together, and leave again soon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.simulator.clients.client import Client

if TYPE_CHECKING:
    from aeron_cluster.cluster_client.cluster_client import AeronCluster
    from aeron_cluster.memory.system.seams import Random

__all__ = ["Visitor"]

_SILENT_ONE_IN: Final = 6
_SHORTEST_RETRY_NS: Final = 30_000_000
_LONGEST_RETRY_NS: Final = 250_000_000


class Visitor(Client):
    """A client that comes at fixed times, with other ones, and leaves its session after a while.

    A rejected one comes back soon, for half of the time until the next visit, and sends messages
    in sessions that it does not have. Most leave in order, some fall silent.

    Parameters are those of `Client`, and:

    Parameters
    ----------
    random : Random
        Draws how long it stays, and when a rejected one comes back.
    interval_ns : int
        From one visit to the next, in ns.
    """

    intrudes = True

    def __init__(
        self,
        *arguments: Any,  # noqa: ANN401 - as of Client
        random: Random,
        interval_ns: int,
        **options: Any,  # noqa: ANN401 - as of Client
    ) -> None:
        super().__init__(*arguments, **options)
        self._random = random
        self._interval_ns = interval_ns
        self._stays_in = 0  # which of its sessions it leaves next
        self._leave_at_ns = 0
        self._connect_at_ns = self._next_visit_ns()

    def __repr__(self) -> str:
        return f"<Visitor {self.number} {self.session!r}>"

    def _next_visit_ns(self) -> int:
        """Return when all visitors come next, in ns."""
        return (self._cluster.now_ns // self._interval_ns + 1) * self._interval_ns

    def _work_session(self, session: AeronCluster, now_ns: int) -> int:
        if self._stays_in != self.session_count:
            self._stays_in = self.session_count
            self._leave_at_ns = now_ns + self._random.below(self._interval_ns)
        if now_ns >= self._leave_at_ns and self.is_connected and not self.is_silent:
            if self._random.below(_SILENT_ONE_IN):
                self.end_session()
                return 1
            self.fall_silent()
        return super()._work_session(session, now_ns)

    def _lose(self) -> None:
        was_open = self.session is not None
        super()._lose()
        now_ns, visit_ns = self._cluster.now_ns, self._next_visit_ns()
        retry_ns = now_ns + _SHORTEST_RETRY_NS + self._random.below(_LONGEST_RETRY_NS)
        is_over = was_open or 2 * (visit_ns - retry_ns) < self._interval_ns
        self._connect_at_ns = visit_ns if is_over else retry_ns
