"""Clients that fall silent and return: their sessions time out one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.simulator.clients.client import Client, Load
from aeron_cluster.simulator.clients.reference import Request, Verb

if TYPE_CHECKING:
    from aeron_cluster.cluster_client.cluster_client import AeronCluster
    from aeron_cluster.memory.system.seams import Random

__all__ = ["QuietClient", "RareReads"]

_FIRST_CLIENT: Final = 1 << 17  # of requests: other clients have smaller numbers


class RareReads(Load):
    """Sends a request now and then, of which no answer is awaited.

    Parameters
    ----------
    number : int
        The number of the client.
    random : Random
    interval_ns : int
        The average time between two requests.
    """

    is_answered = False

    def __init__(self, number: int, random: Random, interval_ns: int) -> None:
        self._client = _FIRST_CLIENT + number
        self._random = random
        self._interval_ns = interval_ns
        self._number = 0
        self._next_ns = 0

    @property
    def next_due_ns(self) -> int:
        """The time of the next request, in ns."""
        return self._next_ns

    def next_request(self, now_ns: int) -> bytes | None:
        """Return the request to send now, or None."""
        if now_ns < self._next_ns:
            return None
        self._next_ns = now_ns + 1 + self._random.below(2 * self._interval_ns)
        self._number += 1
        return Request(self._client, self._number, Verb.READ).encode()


class QuietClient(Client):
    """A client that mostly sends keep-alives, and in some sessions falls silent after a while.

    It is not answered, and returns in another session once the silent one has ended.

    Parameters are those of `Client`, and:

    Parameters
    ----------
    random : Random, optional
        Draws how long it stays before it falls silent; without it, it stays.
    stay_ns : int
        The longest time that it stays, in ns.
    """

    def __init__(
        self,
        *arguments: Any,  # noqa: ANN401 - as of Client
        random: Random | None = None,
        stay_ns: int = 0,
        **options: Any,  # noqa: ANN401 - as of Client
    ) -> None:
        super().__init__(*arguments, **options)
        self._random = random
        self._stay_ns = stay_ns
        self._silent_in = 0  # which of its sessions ends in silence next
        self._silent_at_ns = 0

    def __repr__(self) -> str:
        return f"<QuietClient {self.number} {self.session!r}>"

    def _work_session(self, session: AeronCluster, now_ns: int) -> int:
        if self._random is not None and not (self.is_silent or self.is_stopped):
            if self._silent_in != self.session_count:
                self._silent_in = self.session_count
                self._silent_at_ns = now_ns + self._random.below(self._stay_ns)
            if now_ns >= self._silent_at_ns:
                self.fall_silent()
        return super()._work_session(session, now_ns)
