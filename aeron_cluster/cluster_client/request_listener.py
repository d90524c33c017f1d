"""The callbacks of a surviving client."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.cluster_client.survival_state import SurvivalState

__all__ = ["RequestListener"]


class RequestListener:
    """Override what you want to handle; every method does nothing here.

    Notes
    -----
    Called at the end of `SurvivingClient.do_work`, on its thread. Exceptions propagate
    to the caller; further callbacks come with the next call. The client may be used from
    here, except for calls that wait.
    """

    def on_answer(self, sequence: int, body: bytes) -> None:
        """Take the answer to a request: it was applied, once.

        Parameters
        ----------
        sequence : int
            What `SurvivingClient.send` returned.
        body : bytes
            What the service answered.
        """

    def on_failure(self, sequence: int, reason: str) -> None:
        """Handle a request at which the service failed; it counts as applied."""

    def on_message(self, timestamp: int, message: bytes) -> None:
        """Take a message of the service that answers no request.

        Parameters
        ----------
        timestamp : int
            The cluster's time when it was sent, in the cluster's time unit.
        message : bytes

        Notes
        -----
        These are not sent again: one that comes while no session is open is lost.
        """

    def on_state_change(self, state: SurvivalState, reason: str) -> None:
        """Handle a change of the client's state, and why."""
