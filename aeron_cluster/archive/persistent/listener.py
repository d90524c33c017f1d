"""The callbacks of a persistent subscription.

``io.aeron.archive.client.PersistentSubscriptionListener``.
"""

from __future__ import annotations

__all__ = ["PersistentSubscriptionListener"]


class PersistentSubscriptionListener:
    """Override the callbacks that you need; by default they do nothing.

    Notes
    -----
    Called within a poll, on its thread. Exceptions propagate to the caller of the poll.
    """

    def on_live_joined(self) -> None:
        """Handle the join of the live stream."""

    def on_live_left(self) -> None:
        """Handle the loss of the live stream; the recording is replayed again."""

    def on_error(self, error: Exception) -> None:
        """Handle an error; after one that ends the subscription, `has_failed` is true.

        Parameters
        ----------
        error : Exception
            A `PersistentSubscriptionError` if the recording cannot be replayed; otherwise a
            rejection by the archive or the driver, or a `TimeoutExpiredError`.
        """
