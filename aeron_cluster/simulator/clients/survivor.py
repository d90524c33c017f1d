"""A client of a simulated cluster that outlives its sessions: each request is answered once."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.simulator.clients.client import Client, Response
from aeron_cluster.simulator.clients.earlier_process import EarlierProcess

if TYPE_CHECKING:
    from typing import Any

__all__ = ["Survivor"]

_STEP_NS: Final = 5_000_000


class _Answers(RequestListener):
    """Passes the answers of one process, and its requests, to the client."""

    def __init__(self, survivor: Survivor) -> None:
        self._survivor = survivor
        self._pending = survivor.pending

    def on_answer(self, sequence: int, body: bytes) -> None:
        self._survivor.on_answer(sequence, body, self._pending)

    def on_failure(self, sequence: int, reason: str) -> None:
        self._fail(sequence, reason, is_rejected=False)

    def on_rejection(self, sequence: int, reason: str) -> None:
        self._fail(sequence, reason, is_rejected=True)

    def _fail(self, sequence: int, reason: str, *, is_rejected: bool) -> None:
        self._survivor.on_failure(sequence, reason, self._pending, is_rejected=is_rejected)


class Survivor(Client):
    """A client on a separate machine that uses a `SurvivingClient`.

    Parameters are those of `Client`. The service has to use `Deduplication`. The requests of a
    killed process stay in doubt: the next process is another client, or the same one again. Another
    process may also take over the id while this one works; then this one sends requests until the
    service rejects it, and its requests without an answer are in doubt.

    Attributes
    ----------
    pending : dict of int to bytes
        The requests of this process that have no answer, by their sequence.
    is_resumed : bool
        Whether the next process is the same client, which has stored its id and what was answered.
    violations : list of str
        Violations: a request answered twice, a rejected request of a load that must not be
        rejected, a failed client, or a superseded one that is given other requests in doubt than
        those without an answer.
    superseded_count : int
        The number of processes that ended since another one had taken over their id.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - as of Client
        super().__init__(*arguments, **options)
        self.pending: dict[int, bytes] = {}
        self.is_resumed = False
        self._stored: dict[str, Any] = {}
        self.violations: list[str] = []
        self._surviving: SurvivingClient | None = None
        self._earlier_session_count = 0
        self._earlier: list[EarlierProcess] = []
        self._is_taken_over = False
        self.superseded_count = 0

    def __repr__(self) -> str:
        return f"<Survivor {self.number} {self._surviving!r}>"

    @property
    def is_connected(self) -> bool:
        """Whether a session is open, and the service knows the client."""
        return self._surviving is not None and self._surviving.is_connected

    @property
    def process_count(self) -> int:
        """The number of its processes that may have a session: also of those superseded."""
        return 1 + len(self._earlier)

    @property
    def leader_id(self) -> int:
        """The leader of its session; -1 without one."""
        return -1 if self._surviving is None else self._surviving.leader_member_id

    @property
    def is_waiting(self) -> bool:
        """Whether a process has requests without an answer, also one that is superseded."""
        return bool(self.pending) or any(each.pending for each in self._earlier)

    def take_over(self) -> None:
        """Have another process take over the id of this one, which continues."""
        self._is_taken_over = True

    def do_work(self) -> int:
        """Advance, and send as far as possible."""
        now_ns = self._cluster.now_ns
        assert self._agent is not None
        if self._surviving is None:
            self._earlier_session_count = self.session_count
            self._surviving = self._reconnect(self._stored if self.is_resumed else {})
        elif self._is_taken_over:
            self._replace(self._surviving)
        self._is_taken_over = False
        surviving = self._surviving
        try:
            self._work_earlier()
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

    def _reconnect(self, stored: dict[str, Any]) -> SurvivingClient:
        return SurvivingClient.start(**self._options(), listener=_Answers(self), **stored)

    def _replace(self, surviving: SurvivingClient) -> None:
        """Start another process with the id of this one."""
        self._earlier.append(EarlierProcess(surviving, self.pending))
        self._earlier_session_count = self.session_count
        self.pending = {}
        self._surviving = self._reconnect(_state_of(surviving))

    def _work_earlier(self) -> None:
        """Advance the processes that are superseded, until they are notified of it."""
        for process in [*self._earlier]:
            error = process.do_work()
            if error is None:
                continue
            violation = process.violation(error)
            if violation:
                self.violations.append(violation)
            self._earlier.remove(process)
            process.close()
            self.superseded_count += 1

    def _send(self, surviving: SurvivingClient, now_ns: int) -> int:
        def offer(request: bytes) -> int:
            if surviving.is_connected:
                earlier = next((each for each in self._earlier if each.is_to_send), None)
                if earlier is not None:
                    return earlier.send(request)
            sequence = surviving.send(request)
            if sequence:
                self.pending[sequence] = request
            return sequence

        return self._send_requests(offer, now_ns)

    def on_answer(self, sequence: int, body: bytes, pending: dict[int, bytes]) -> None:
        """Store the answer to a request of a process, which has those that are pending."""
        self.load.on_response(body, self._end(sequence, body, pending))

    def on_failure(
        self, sequence: int, reason: str, pending: dict[int, bytes], *, is_rejected: bool
    ) -> None:
        """Record why the service rejected a request of a process, or failed to handle it."""
        if not self.load.may_be_rejected:
            self.violations.append(f"request {sequence} failed: {reason}")
            return
        request = pending.get(sequence)
        now_ns = self._end(sequence, reason.encode(), pending)
        if request is not None:
            self.load.on_failed(request, reason, now_ns, is_rejected=is_rejected)

    def _end(self, sequence: int, body: bytes, pending: dict[int, bytes]) -> int:
        now_ns = self._cluster.now_ns
        if pending.pop(sequence, None) is None:
            self.violations.append(f"request {sequence} was answered twice, or never sent")
        self.responses.append(Response(now_ns, -1, body))
        return now_ns

    def _lose(self) -> None:
        for process in self._earlier:
            process.close()
        if self._surviving is not None:
            with contextlib.suppress(AeronClusterError):
                self._surviving.close()

    def _forget(self) -> None:
        super()._forget()
        surviving = self._surviving
        if surviving is not None:
            self._stored = _state_of(surviving)
        self._surviving = None
        self._earlier.clear()
        self.pending.clear()


def _state_of(surviving: SurvivingClient) -> dict[str, Any]:
    """Return what a later process needs to continue as the same client."""
    return {"client_id": surviving.client_id, "last_sequence": surviving.last_answered}
