"""Publications and subscriptions for asyncio: instead of retrying, await.

No counterpart in Aeron. There is no thread: waits poll from the event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from aeron_cluster.client.async_loop import until
from aeron_cluster.config import Duration
from aeron_cluster.errors import ClosedError

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from aeron_cluster.client.fragment_handlers import FragmentHandler
    from aeron_cluster.client.publication import ExclusivePublication, Publication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.logbuffer.message_batch import MessageBatch
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["AsyncPublication", "AsyncSubscription"]


class AsyncPublication:
    """A publication whose offers are awaited.

    Parameters
    ----------
    publication : Publication or ExclusivePublication
        The code that added it closes it.
    """

    def __init__(self, publication: Publication | ExclusivePublication) -> None:
        self.publication = publication

    def __repr__(self) -> str:
        return f"<AsyncPublication {self.publication!r}>"

    async def offer(self, message: Buffer, timeout_ns: Duration = 0) -> int:
        """Send a message as soon as flow control allows.

        Returns
        -------
        int
            The position of the stream after the message.

        Raises
        ------
        TimeoutExpiredError
            Flow control did not allow it in time.
        ClosedError, MaxPositionExceededError, MessageError
            Retrying cannot succeed.
        """
        publication = self.publication
        return await until(
            lambda: publication.offer(message), timeout_ns, f"{publication!r}: offer"
        )

    async def connected(self, timeout_ns: Duration = 0) -> None:
        """Wait until there is a subscriber."""
        publication = self.publication
        await until(lambda: publication.is_connected, timeout_ns, f"{publication!r}: connected")


class AsyncSubscription:
    """A subscription whose messages are awaited.

    Parameters
    ----------
    subscription : Subscription
        The code that added it closes it.

    Examples
    --------
    >>> async for payload, header in AsyncSubscription(subscription):  # doctest: +SKIP
    ...     print(header.position, payload)
    """

    def __init__(self, subscription: Subscription) -> None:
        self.subscription = subscription

    def __repr__(self) -> str:
        return f"<AsyncSubscription {self.subscription!r}>"

    async def poll(
        self, handler: FragmentHandler, fragment_limit: int = 10, timeout_ns: Duration = 0
    ) -> int:
        """Wait for and poll at least one fragment; otherwise as `Subscription.poll`."""
        poll = self.subscription.poll
        what = f"{self.subscription!r}: a message"
        return await until(lambda: poll(handler, fragment_limit), timeout_ns, what)

    async def poll_batch(self, message_limit: int = 8192, timeout_ns: Duration = 0) -> MessageBatch:
        """Wait for and poll at least one message; otherwise as `Subscription.poll_batch`."""
        poll_batch = self.subscription.poll_batch
        what = f"{self.subscription!r}: a message"
        batch = await until(lambda: poll_batch(message_limit), timeout_ns, what)
        assert batch is not None
        return batch

    async def connected(self, timeout_ns: Duration = 0) -> None:
        """Wait until there is a publisher."""
        subscription = self.subscription
        await until(lambda: subscription.is_connected, timeout_ns, f"{subscription!r}: connected")

    def __aiter__(self) -> AsyncIterator[tuple[bytes, Header]]:
        """Yield each fragment as its payload and its header, until the subscription is closed."""
        return self._messages()

    async def _messages(self) -> AsyncIterator[tuple[bytes, Header]]:
        taken: list[tuple[bytes, Header]] = []

        def take(message: MessageView, header: Header) -> None:
            taken.append((bytes(message), header))

        while True:
            try:
                await self.poll(take, 1)  # one: polled fragments that are not yielded would be lost
            except ClosedError:
                return
            yield taken.pop()
