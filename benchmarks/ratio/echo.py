"""The service of the node's figures in Python, equivalent to Java's ``Plain`` and
``echo_service.c``.
"""

from typing import TYPE_CHECKING

from aeron_cluster.cluster.service.clustered_service import ClusteredService

if TYPE_CHECKING:
    from aeron_cluster.client.image import Image
    from aeron_cluster.cluster.service.client_session import ClientSession
    from aeron_cluster.cluster.service.cluster import Cluster
    from aeron_cluster.logbuffer.message_view import Header, MessageView


class Echo(ClusteredService):
    """Sends each message back to its session."""

    def on_start(self, cluster: "Cluster", snapshot_image: "Image | None") -> None:  # noqa: ARG002
        """Retain the cluster, for idling."""
        self._cluster = cluster

    def on_session_message(
        self,
        session: "ClientSession | None",
        timestamp: int,  # noqa: ARG002
        message: "MessageView",
        header: "Header",  # noqa: ARG002
    ) -> None:
        """Send it back."""
        if session is None:
            return
        while not session.offer(message):
            if session.is_closing:
                return
            self._cluster.idle()
