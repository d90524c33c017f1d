"""A client's attempts to open a session: what it requested of which member, and the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.cluster_client.connect import ClientConnect, ConnectStep
from aeron_cluster.codecs.cluster import EventCode, SessionMessageHeader

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.cluster_client.context import ClusterClientContext
    from aeron_cluster.codecs.cluster import SessionEvent

__all__ = ["Attempt", "RecordedConnect", "SentRequest"]

_NO_MEMBER: Final = -1


class SentRequest(NamedTuple):
    """A request for a session: to which member it was sent, -1 if unknown, and when, in ns."""

    member_id: int
    time_ns: int


@dataclass
class Attempt:
    """An attempt to open a session; times in ns.

    Parameters
    ----------
    requests : list of SentRequest
        The request, and that to the leader after each redirect.
    ended_ns : int
        When it was answered, or given up; -1 while it is in progress.
    code : int
        The code of the answer; -1 without an answer.
    detail : str
        The text of the answer.
    session_id : int
        The id that the answer has.
    """

    requests: list[SentRequest] = field(default_factory=list)
    ended_ns: int = -1
    code: int = -1
    detail: str = ""
    session_id: int = -1


class RecordedConnect(ClientConnect):
    """A connect in progress that records what it requests, and how it is answered.

    Parameters
    ----------
    context : ClusterClientContext
    aeron : Aeron
    now_ns : int
        By the clock of the client.
    clock : callable
        Returns the virtual time, in ns.
    intrudes : bool
        Whether a rejected client sends a message in the session that it does not have.

    Attributes
    ----------
    attempt : Attempt
    """

    def __init__(
        self,
        context: ClusterClientContext,
        aeron: Aeron,
        now_ns: int,
        clock: Callable[[], int],
        *,
        intrudes: bool = False,
    ) -> None:
        super().__init__(context, aeron, now_ns)
        self.attempt = Attempt()
        self._clock = clock
        self._intrudes = intrudes

    def _send(self) -> None:
        super()._send()
        if self.step is ConnectStep.AWAIT_RESPONSE:
            chosen = (key for key, each in self._members.items() if each is self._chosen)
            request = SentRequest(next(chosen, _NO_MEMBER), self._clock())
            self.attempt.requests.append(request)

    def _on_session_event(self, event: SessionEvent) -> None:
        if event.code is not EventCode.REDIRECT:
            attempt = self.attempt
            attempt.ended_ns = self._clock()
            attempt.code, attempt.detail = int(event.code), event.detail
            attempt.session_id = event.cluster_session_id
            if self._intrudes and event.code is EventCode.ERROR:
                self._intrude(event)
        super()._on_session_event(event)

    def _intrude(self, event: SessionEvent) -> None:
        """Send a message in the session of an answer, as if that had opened it."""
        publication = None if self._chosen is None else self._chosen.publication
        if publication is None or publication.is_closed:
            return
        header = SessionMessageHeader.encode(
            leadership_term_id=event.leadership_term_id,
            cluster_session_id=event.cluster_session_id,
            timestamp=0,
        )
        publication.offer(header + b"of a client without a session")
