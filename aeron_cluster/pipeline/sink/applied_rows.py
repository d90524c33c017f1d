"""Sends rows as requests of a surviving client; the service applies each one once.

A later writer of the same partition uses the same client id. It learns from the service how many
rows were applied and skips them, so a partition can be written repeatedly.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.cluster.tools.node_counters import open_driver
from aeron_cluster.cluster_client.context import ClusterClientContext
from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.errors import (
    ClusterError,
    MessageError,
    MissingDeduplicationError,
    RowError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.pipeline.sink.idle_timeout import IdleTimeout
from aeron_cluster.pipeline.sink.reports import MAX_REJECTED_ROWS, PartReport, RejectedRow

if TYPE_CHECKING:
    from aeron_cluster.pipeline.sink.row_payloads import Chunk
    from aeron_cluster.pipeline.sink.target import ClusterTarget

__all__ = ["AppliedRows", "forget_clients"]

_IN_ORDER: Final = "a partition must have the same rows in the same order in each attempt"


class AppliedRows(RequestListener):
    """Writes a partition of the rows.

    Parameters
    ----------
    target : ClusterTarget
    write_id : str
    partition, attempt : int
    client_id : int
        The client id of the partition.
    forgotten_id : int
        The id of an earlier client that the service may forget; 0 for none.
    window_length : int, optional
        The highest number of unanswered rows.
    client_options : dict, optional
        Further arguments of the client.
    seams : Seams, optional
    """

    def __init__(
        self,
        target: ClusterTarget,
        write_id: str,
        partition: int,
        attempt: int,
        client_id: int,
        forgotten_id: int = 0,
        window_length: int | None = None,
        client_options: dict[str, Any] | None = None,
        seams: Seams | None = None,
    ) -> None:
        self._seams = seams or Seams()
        self._target = target
        self._write_id = write_id
        self._partition = partition
        self._attempt = attempt
        self._client_id = client_id
        self._forgotten_id = forgotten_id
        self._options = dict(client_options or {})
        if window_length is not None:
            self._options["window_length"] = window_length
        self._idle_timeout = IdleTimeout(self._seams.clock, target.timeout_ns)
        self._idle = IdleStrategy("backoff")
        self._chunk: Chunk | None = None
        self._rows = 0
        # The number of rows that the service had when the client connected.
        self._last_applied = 0
        self._acknowledged = 0
        self._applied_before = 0
        self._rejected: list[RejectedRow] = []
        self._rejected_count = 0

    def on_answer(self, sequence: int, body: bytes) -> None:  # noqa: ARG002 - no body is needed
        """Count an applied row."""
        self._acknowledged += 1
        self._idle_timeout.begin()

    def on_failure(self, sequence: int, reason: str) -> None:
        """Count a row that the service rejected."""
        self._acknowledged += 1
        self._rejected_count += 1
        self._idle_timeout.begin()
        row = sequence - 1
        if len(self._rejected) < MAX_REJECTED_ROWS:
            # All rows of a chunk are answered before the next chunk.
            assert self._chunk is not None
            key = self._chunk.key_of(row)
            text = "" if key is None else str(key)
            self._rejected.append(RejectedRow(self._partition, row, text, reason))

    def write(self, chunks: Iterable[Chunk]) -> PartReport:
        """Send rows and wait until each one is acknowledged.

        Parameters
        ----------
        chunks : iterable of Chunk
            The batches; none is read while rows wait for the service.

        Raises
        ------
        RowError
            A payload is too long for the cluster's ingress, or an earlier attempt had more rows.
        MissingDeduplicationError
            The service does not support surviving clients.
        TimeoutExpiredError
            The cluster did not answer in time.
        SupersededError
            Another task is writing the partition.
        Exception
            The error of the client.
        """
        client: SurvivingClient | None = None
        try:
            for chunk in chunks:
                if client is None:
                    # The service need not know a partition without rows.
                    client = self._start()
                self._send_chunk(client, chunk)
            if client is None and self._attempt > 0:
                client = self._start()  # an earlier attempt may have had rows
            if client is not None and self._rows < client.last_sequence:
                raise self._other_rows(client.last_sequence)
        finally:
            if client is not None:
                client.close()
        return PartReport(
            self._write_id,
            self._partition,
            self._attempt,
            self._client_id if client is not None else 0,
            rows=self._rows,
            acknowledged=self._acknowledged,
            applied_before=self._applied_before,
            rejected=self._rejected_count,
            first_rejected=tuple(self._rejected),
            sessions=0 if client is None else client.session_count,
            resends=0 if client is None else client.resend_count,
        )

    def _start(self) -> SurvivingClient:
        options = {**self._target.client_options(self._seams), **self._options}
        client = SurvivingClient.start(listener=self, client_id=self._client_id, **options)
        try:
            self._await_known(client)
        except BaseException:
            client.close()
            raise
        return client

    def _await_known(self, client: SurvivingClient) -> None:
        self._idle_timeout.begin()
        while not client.is_connected:
            if self._idle_timeout.is_over:
                raise self._unknown_rows_error(client)
            self._idle.idle(client.do_work())
        while self._forgotten_id and not client.forget(self._forgotten_id):
            self._pass(client, "room for a request to forget")
        self._last_applied = client.last_sequence

    def _unknown_rows_error(self, client: SurvivingClient) -> Exception:
        has_reached_cluster = client.session_count > 0 and not isinstance(
            client.last_error, ClusterError
        )
        if has_reached_cluster:  # the cluster answered, but not its service
            return MissingDeduplicationError(self._idle_timeout.timeout_s)
        return self._timeout(client, "a session")

    def _send_chunk(self, client: SurvivingClient, chunk: Chunk) -> None:
        self._chunk = chunk
        self._idle_timeout.begin()
        known = min(max(self._last_applied - self._rows, 0), len(chunk.payloads))
        self._rows += known
        self._applied_before += known
        for payload in chunk.payloads[known:]:
            self._send(client, payload)
            self._rows += 1
        # The next rows may arrive much later, and the client does not work meanwhile.
        while client.unanswered_count:
            self._pass(client, f"answers to {client.unanswered_count} rows")

    def _send(self, client: SurvivingClient, payload: bytes) -> None:
        try:
            while not (sequence := client.send(payload)):
                self._pass(client, "room for a row")
        except MessageError as error:
            raise RowError(
                self._partition, self._rows, "payload", error.expected, f"{error.found} bytes"
            ) from None
        assert sequence == self._rows + 1

    def _pass(self, client: SurvivingClient, what: str) -> None:
        if self._idle_timeout.is_over:
            raise self._timeout(client, what)
        self._idle.idle(client.do_work())

    def _timeout(self, client: SurvivingClient, what: str) -> TimeoutExpiredError:
        found = client.last_error or "nothing"
        error = TimeoutExpiredError(
            f"partition {self._partition}, row {self._rows}: expected {what} within"
            f" {self._idle_timeout.timeout_s:g} s, found {found}; {client!r}"
        )
        error.__cause__ = client.last_error
        return error

    def _other_rows(self, taken: int) -> RowError:
        found = f"{self._rows} rows"
        return RowError(
            self._partition,
            self._rows,
            "end",
            f"at least {taken} rows, which the service has",
            found,
            _IN_ORDER,
        )


def forget_clients(target: ClusterTarget, client_ids: Iterable[int]) -> None:
    """Request the service to forget partitions that will not be written again.

    Raises
    ------
    TimeoutExpiredError
        The cluster did not answer in time.
    MissingFileError, DriverTimeoutError
        No driver is running on this machine.
    Exception
        The error of the client.
    """
    seams = Seams()
    options = target.client_options(seams)
    # Fails at once without a driver; a client would keep retrying.
    open_driver(seams, ClusterClientContext.of(**options).aeron_dir).close()
    idle_timeout = IdleTimeout(seams.clock, target.timeout_ns)
    idle = IdleStrategy("backoff")
    with SurvivingClient.connect(connect_timeout_ns=target.timeout_ns, **options) as client:
        for client_id in client_ids:
            while not client.forget(client_id):
                if idle_timeout.is_over:
                    raise TimeoutExpiredError(f"{client!r}: no room for a request to forget")
                idle.idle(client.do_work())
