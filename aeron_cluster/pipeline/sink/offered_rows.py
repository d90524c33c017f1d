"""Offers rows to a cluster whose service does not acknowledge them.

An offered row is lost if the leader fails before the row is committed, or if the session has
already ended unnoticed. A row that is written again is applied twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.errors import (
    ClosedError,
    MaxPositionExceededError,
    MessageError,
    RowError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.pipeline.sink.idle_timeout import IdleTimeout
from aeron_cluster.pipeline.sink.reports import PartReport

if TYPE_CHECKING:
    from aeron_cluster.logbuffer.message_view import Header, MessageView
    from aeron_cluster.pipeline.sink.row_payloads import Chunk
    from aeron_cluster.pipeline.sink.target import ClusterTarget

__all__ = ["OfferedRows"]

_LOST: Final = (ClosedError, MaxPositionExceededError)
_FRAGMENT_LIMIT: Final = 64
_OFFERS_A_POLL: Final = 64
_QUIET_NS: Final = 200_000_000


class _IgnoredEgress(EgressListener):
    """Ignores the service's messages; they must be received to free their buffer."""

    def on_extension_message(self, message: MessageView, header: Header) -> None:
        """Ignore the message."""


class OfferedRows:
    """Writes a partition of the rows.

    Parameters
    ----------
    target : ClusterTarget
    write_id : str
    partition, attempt : int
    seams : Seams, optional
    """

    def __init__(
        self,
        target: ClusterTarget,
        write_id: str,
        partition: int,
        attempt: int,
        seams: Seams | None = None,
    ) -> None:
        self._seams = seams or Seams()
        self._target = target
        self._write_id = write_id
        self._partition = partition
        self._attempt = attempt
        self._idle_timeout = IdleTimeout(self._seams.clock, target.timeout_ns)
        self._idle = IdleStrategy("backoff")
        self._session: Any = None
        self._sessions = 0
        self._rows = 0

    def write(self, chunks: Iterable[Chunk]) -> PartReport:
        """Offer rows until the cluster's ingress has accepted them.

        Raises
        ------
        RowError
            A payload is too long for the cluster's ingress.
        TimeoutExpiredError
            No session was opened, or the ingress had no room in time.
        AuthenticationError, ClusterError
            The cluster rejected the session.
        """
        try:
            for chunk in chunks:
                self._notice()
                for payload in chunk.payloads:
                    self._offer(payload)
                    self._rows += 1
            self._await_answers()
        finally:
            self._close()
        return PartReport(
            self._write_id,
            self._partition,
            self._attempt,
            rows=self._rows,
            offered=self._rows,
            sessions=self._sessions,
        )

    def _open(self) -> AeronCluster:
        if self._session is None:
            self._session = AeronCluster.connect(
                None,
                listener=_IgnoredEgress(),
                message_timeout_ns=self._target.timeout_ns,
                **self._target.client_options(self._seams),
            )
            self._sessions += 1
        session: AeronCluster = self._session
        return session

    def _close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _notice(self) -> None:
        """Receive all messages that arrived while waiting for rows; one may end the session."""
        self._idle_timeout.begin()
        if self._session is None:
            return
        try:
            while self._session.poll_egress(_FRAGMENT_LIMIT):
                pass
        except _LOST:
            self._close()

    def _await_answers(self) -> None:
        """Poll until no more answers arrive: the service could block on a client that has ended."""
        quiet = IdleTimeout(self._seams.clock, _QUIET_NS)
        self._idle_timeout.begin()
        try:
            while self._session is not None and not (quiet.is_over or self._idle_timeout.is_over):
                work = self._session.poll_egress(_FRAGMENT_LIMIT)
                if work:
                    quiet.begin()
                self._idle.idle(work)
        except _LOST:
            self._close()

    def _offer(self, payload: bytes) -> None:
        while True:
            try:
                session = self._open()
                if self._rows % _OFFERS_A_POLL == 0:
                    session.poll_egress(_FRAGMENT_LIMIT)
                if session.offer(payload):
                    self._idle_timeout.begin()
                    return
                work = session.poll_egress(_FRAGMENT_LIMIT)
            except _LOST:
                self._close()
                work = 0
            except MessageError as error:
                raise RowError(
                    self._partition, self._rows, "payload", error.expected, f"{error.found} bytes"
                ) from None
            if self._idle_timeout.is_over:
                raise TimeoutExpiredError(
                    f"partition {self._partition}, row {self._rows}: expected room for a row"
                    f" within {self._idle_timeout.timeout_s:g} s, found none; {self._session!r}"
                )
            self._idle.idle(work)
