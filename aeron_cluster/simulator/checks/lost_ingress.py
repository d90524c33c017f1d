"""A client that can send nothing to its leader waits for the next one from then on.

As upstream's: an offer that is not connected leads from ``CONNECTED`` to ``AWAIT_NEW_LEADER``, in
whichever way the message was offered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.cluster import Checker

if TYPE_CHECKING:
    from aeron_cluster.simulator.cluster import Cluster

__all__ = ["LossesOfIngressAreNoticed"]


class LossesOfIngressAreNoticed(Checker):
    """No session is connected right after an offer that found no connection."""

    def check(self, cluster: Cluster) -> None:
        """Check what must hold at all times."""
        for client in cluster.everyone:
            if client.unnoticed_losses:
                raise InvariantError(
                    "clients notice the loss of their ingress", client.unnoticed_losses[0]
                )

    def conclude(self, cluster: Cluster) -> None:
        """Check what was sent since the last check."""
        self.check(cluster)
