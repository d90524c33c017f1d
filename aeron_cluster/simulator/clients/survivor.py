"""A client of a simulated cluster that outlives its sessions: each request is answered once."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.simulator.clients.client import Client, Response

if TYPE_CHECKING:
    from typing import Any

__all__ = ["Survivor"]

_STEP_NS: Final = 5_000_000


class _Answers(RequestListener):
    """Passes the answers of one process to the client."""

    def __init__(self, survivor: Survivor) -> None:
        self._survivor = survivor

    def on_answer(self, sequence: int, body: bytes) -> None:
        self._survivor.on_answer(sequence, body)

    def on_failure(self, sequence: int, reason: str) -> None:
        self._survivor.on_failure(sequence, reason, is_rejected=False)

    def on_rejection(self, sequence: int, reason: str) -> None:
        self._survivor.on_failure(sequence, reason, is_rejected=True)


class Survivor(Client):
    """A client on a separate machine that uses a `SurvivingClient`.

    Parameters are those of `Client`. The service has to use `Deduplication`. The requests of a
    killed process stay in doubt: the next process is another client, or the same one again.

    Attributes
    ----------
    pending : dict of int to bytes
        The requests of this process that have no answer, by their sequence.
    is_resumed : bool
        Whether the next process is the same client, which has stored its id and what was answered.
    violations : list of str
        Violations: a request answered twice, a rejected request of a load that must not be
        rejected, or a failed client.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - as of Client
        super().__init__(*arguments, **options)
        self.pending: dict[int, bytes] = {}
        self.is_resumed = False
        self._stored: dict[str, Any] = {}
        self.violations: list[str] = []
        self._surviving: SurvivingClient | None = None
        self._earlier_session_count = 0

    def __repr__(self) -> str:
        return f"<Survivor {self.number} {self._surviving!r}>"

    @property
    def is_connected(self) -> bool:
        """Whether a session is open, and the service knows the client."""
        return self._surviving is not None and self._surviving.is_connected

    @property
    def leader_id(self) -> int:
        """The leader of its session; -1 without one."""
        return -1 if self._surviving is None else self._surviving.leader_member_id

    def do_work(self) -> int:
        """Advance, and send as far as possible."""
        now_ns = self._cluster.now_ns
        assert self._agent is not None
        if self._surviving is None:
            self._earlier_session_count = self.session_count
            self._surviving = self._reconnect()
        surviving = self._surviving
        try:
            work_count = surviving.do_work() + self._send(surviving, now_ns)
        except AeronClusterError as error:
            self.errors.append(error)
            self.violations.append(f"the client ended: {error!r}")
            raise
        self.session_count = self._earlier_session_count + surviving.session_count
        next_ns = now_ns + _STEP_NS
        if not self.is_stopped and surviving.is_connected and not self.outbox:
            next_ns = min(next_ns, max(self.load.next_due_ns, now_ns + 1))
        self._agent.set_next(next_ns, is_busy=False)
        return work_count

    def _reconnect(self) -> SurvivingClient:
        stored: dict[str, Any] = self._stored if self.is_resumed else {}
        return SurvivingClient.start(**self._options(), listener=_Answers(self), **stored)

    def _send(self, surviving: SurvivingClient, now_ns: int) -> int:
        def offer(request: bytes) -> int:
            sequence = surviving.send(request)
            if sequence:
                self.pending[sequence] = request
            return sequence

        return self._send_requests(offer, now_ns)

    def on_answer(self, sequence: int, body: bytes) -> None:
        """Store the answer to a request."""
        self.load.on_response(body, self._end(sequence, body))

    def on_failure(self, sequence: int, reason: str, *, is_rejected: bool) -> None:
        """Record why the service rejected a request, or failed to handle it."""
        if not self.load.may_be_rejected:
            self.violations.append(f"request {sequence} failed: {reason}")
            return
        request = self.pending.get(sequence)
        now_ns = self._end(sequence, reason.encode())
        if request is not None:
            self.load.on_failed(request, reason, now_ns, is_rejected=is_rejected)

    def _end(self, sequence: int, body: bytes) -> int:
        now_ns = self._cluster.now_ns
        if self.pending.pop(sequence, None) is None:
            self.violations.append(f"request {sequence} was answered twice, or never sent")
        self.responses.append(Response(now_ns, -1, body))
        return now_ns

    def _lose(self) -> None:
        if self._surviving is not None:
            with contextlib.suppress(AeronClusterError):
                self._surviving.close()

    def _forget(self) -> None:
        super()._forget()
        surviving = self._surviving
        if surviving is not None:
            self._stored = {
                "client_id": surviving.client_id,
                "last_sequence": surviving.last_answered,
            }
        self._surviving = None
        self.pending.clear()
