"""A session with an archive that is reopened when it is lost.

``io.aeron.archive.client.AsyncAeronArchive``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from aeron_cluster.archive.waiting import connect_archive
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.agents.waiting import Task
from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.archive.client.client_context import ArchiveClientContext
    from aeron_cluster.client.aeron import Aeron

__all__ = ["ReconnectingSession"]

# The interval between a rejected attempt and the next one.
_RETRY_INTERVAL_NS: Final = 100_000_000


class ReconnectingSession(Closeable):
    """A session that is open or is being opened.

    Parameters
    ----------
    context : ArchiveClientContext
    aeron : Aeron
        The transport client, which the caller must close.
    on_lost : Callable[[], object]
        Called when an open session was lost, before it is reopened.
    on_error : Callable[[Exception], object]
        Called with the error of a failed attempt to open a session; another attempt follows.

    Notes
    -----
    It must be polled by one thread; no method blocks. The first poll begins to connect.
    """

    def __init__(
        self,
        context: ArchiveClientContext,
        aeron: Aeron,
        on_lost: Callable[[], object],
        on_error: Callable[[Exception], object],
    ) -> None:
        self._context = context
        self._aeron = aeron
        self._on_lost = on_lost
        self._on_error = on_error
        self._archive: AeronArchive | None = None
        self._connect: Task[AeronArchive] | None = None
        self._not_before_ns = aeron.context.now_ns()
        self._is_closed = False

    def __repr__(self) -> str:
        state = "closed" if self._is_closed else repr(self._archive)
        return f"<ReconnectingSession {state}>"

    @property
    def archive(self) -> AeronArchive | None:
        """The client of the open session; None until it is open."""
        return self._archive

    def poll(self) -> int:
        """Receive responses, or continue to open a session; return the work count."""
        if self._is_closed:
            return 0
        archive = self._archive
        if archive is None:
            return self._poll_connect()
        if archive.is_connected:
            return archive.poll()
        self._archive = None
        archive.close()
        self._on_lost()
        return 1

    def _poll_connect(self) -> int:
        now_ns = self._aeron.context.now_ns()
        if self._connect is None:
            if now_ns < self._not_before_ns:
                return 0
            self._connect = Task(connect_archive(self._context, self._aeron))
        try:
            work_count = self._connect.do_work()
        except AeronClusterError as error:
            self._connect = None
            self._not_before_ns = now_ns + _RETRY_INTERVAL_NS
            self._on_error(error)
            return 1
        if self._connect.is_done:
            self._archive = self._connect.result
            self._connect = None
        return work_count

    def close(self) -> None:
        """Close the session, or end the attempt to open one. Calling it again does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._connect is not None:
            self._connect.close()
            self._connect = None
        if self._archive is not None:
            self._archive.close()
            self._archive = None
