"""The callbacks of a surviving client."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.cluster_client.survival_state import SurvivalState

__all__ = ["RequestListener"]


class RequestListener:
    """Override the callbacks that you need; by default they do nothing.

    Notes
    -----
    Called at the end of `SurvivingClient.do_work`, on its thread. Exceptions propagate to the
    caller; the remaining callbacks are made by the next call. Callbacks may use the client, except
    for calls that wait.
    """

    def on_answer(self, sequence: int, body: bytes) -> None:
        """Handle the answer to a request, which was applied once.

        Parameters
        ----------
        sequence : int
            The number that `SurvivingClient.send` returned.
        body : bytes
            The answer of the service.
        """

    def on_failure(self, sequence: int, reason: str) -> None:
        """Handle the failure of a request in the service; it counts as applied.

        Also called if the service is of a version that does not send whether it rejected it.
        """

    def on_rejection(self, sequence: int, reason: str) -> None:
        """Handle a rejected request; it counts as applied. By default calls `on_failure`."""
        self.on_failure(sequence, reason)

    def on_message(self, timestamp: int, message: bytes) -> None:
        """Handle a message of the service that is not the answer to a request.

        Parameters
        ----------
        timestamp : int
            The cluster's time when it was sent, in the cluster's time unit.
        message : bytes

        Notes
        -----
        These are not resent: one that is sent while no session is open is lost.
        """

    def on_state_change(self, state: SurvivalState, reason: str) -> None:
        """Handle a change of the client's state, and why."""
