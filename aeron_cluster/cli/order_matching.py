"""The order book as a clustered service: ``aeron_cluster.cli.order_matching:OrderMatching``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cli.order_book import OrderBook, SnapshotLoader
from aeron_cluster.client.not_sent import ADMIN_ACTION, BACK_PRESSURED
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.errors import CorruptError

if TYPE_CHECKING:
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.service.client_session import ClientSession
    from aeron_cluster.cluster.service.cluster import Cluster
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["OrderMatching"]

_FRAGMENT_LIMIT = 50


class OrderMatching(ClusteredService):
    """Matches orders of the cluster's clients, with the protocol of `OrderBook`."""

    def __init__(self) -> None:
        self._book = OrderBook()
        self._cluster: Cluster

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        """Begin with an empty book, or with the book in the snapshot."""
        self._cluster = cluster
        if snapshot_image is None:
            return
        loader = SnapshotLoader()
        while not loader.is_done:
            fragments = snapshot_image.poll(
                lambda message, _: loader.on_message(message), _FRAGMENT_LIMIT
            )
            if not fragments and (snapshot_image.is_closed or snapshot_image.is_end_of_stream):
                raise CorruptError(
                    "order book snapshot",
                    snapshot_image.position,
                    "end",
                    "its last message",
                    "none",
                )
            cluster.idle(fragments)
        self._book = loader.book

    def on_session_message(
        self,
        session: ClientSession | None,
        timestamp: int,  # noqa: ARG002 - time plays no part in a book
        message: MessageView,
        header: Header,  # noqa: ARG002
    ) -> None:
        """Handle a request; messages of services are ignored."""
        if session is not None:
            self._book.apply(session.id, message, self._reply)

    def _reply(self, session_id: int, reply: bytes) -> None:
        session = self._cluster.get_client_session(session_id)
        if session is None:
            return
        # If the client is no longer connected, the reply is dropped.
        while session.offer(reply) in {BACK_PRESSURED, ADMIN_ACTION}:
            self._cluster.idle()

    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        """Write the whole book."""
        for message in self._book.snapshot():
            while not snapshot_publication.offer(message):
                self._cluster.idle()
