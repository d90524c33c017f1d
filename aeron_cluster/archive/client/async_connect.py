"""A control session that is being opened by its user's polls.

``io.aeron.archive.client.AeronArchive.AsyncConnect``.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Generic, TypeVar

from aeron_cluster.archive.client.client_connect import (
    ArchiveConnect,
    ArchiveConnectStep,
    transport_client,
)
from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.archive.client.client_context import ArchiveClientContext
    from aeron_cluster.client.aeron import Aeron

__all__ = ["AsyncConnect"]

C = TypeVar("C")


class AsyncConnect(Closeable, Generic[C]):
    """A session that is being opened, created by `AeronArchive.async_connect`.

    Parameters
    ----------
    make : callable
        ``make(context, aeron, connect)`` returns the client of a completed connect.
    context : ArchiveClientContext

    Attributes
    ----------
    context : ArchiveClientContext
    aeron : Aeron
        The transport client; the archive's client closes it if it was created for it.

    Notes
    -----
    For one thread; no call blocks. Closing it, or leaving a ``with``, cancels an incomplete
    connect.
    """

    def __init__(
        self,
        make: Callable[[ArchiveClientContext, Aeron, ArchiveConnect], C],
        context: ArchiveClientContext,
    ) -> None:
        self._make = make
        self.context = context
        self._client: C | None = None
        with ExitStack() as stack:
            aeron = transport_client(context, stack, driver_invoker=context.agent_invoker)
            self.aeron: Aeron = aeron
            session_id = aeron.next_session_id(context.control_stream_id)
            self._connect = ArchiveConnect(context, aeron, aeron.context.now_ns(), session_id)
            stack.callback(self._connect.close)
            self._resources = stack.pop_all()

    def __repr__(self) -> str:
        return f"<AsyncConnect {self._connect!r}>"

    @property
    def step(self) -> ArchiveConnectStep:
        """The current step."""
        return self._connect.step

    def poll(self) -> C | None:
        """Take the next step if it is possible now.

        Returns
        -------
        AeronArchive or None
            The client once its session is open, then always the same.

        Raises
        ------
        TimeoutExpiredError
            It was not open within the message timeout; the text has the last step.
        AuthenticationError, ArchiveError
            The archive rejected the session.
        RegistrationError
            The driver rejected a channel.
        """
        if self._client is None and self._connect.poll(self.aeron.context.now_ns()):
            self._client = self._make(self.context, self.aeron, self._connect)
            # From now on the client owns the resources of the connect.
            self._resources.pop_all()
        return self._client

    def close(self) -> None:
        """Cancel the connect; once there is a client, this does nothing."""
        self._resources.close()
