"""The service of ``JavaMember.java`` in Python: the same messages, answers and snapshot."""

import struct

from aeron_cluster import (
    ClientSession,
    Cluster,
    ClusteredService,
    ExclusivePublication,
    Header,
    Image,
    MessageView,
    NotSent,
)

AMOUNT = struct.Struct("<q")


class Total(ClusteredService):
    """Adds the amounts that clients send, and answers with the sum."""

    def __init__(self) -> None:
        self.sum = 0

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        """Begin with zero, or with the sum of the snapshot."""
        self.cluster = cluster
        if snapshot_image is not None:
            while not snapshot_image.is_end_of_stream and not snapshot_image.is_closed:
                cluster.idle(snapshot_image.poll(self.load, 1))

    def load(self, message: MessageView, header: Header) -> None:
        """Restore the sum."""
        (self.sum,) = AMOUNT.unpack(message)

    def on_session_message(
        self, session: ClientSession | None, timestamp: int, message: MessageView, header: Header
    ) -> None:
        """Add an amount."""
        self.sum += AMOUNT.unpack(message)[0]
        if session is not None:
            while session.offer(AMOUNT.pack(self.sum)) in {
                NotSent.BACK_PRESSURED,
                NotSent.ADMIN_ACTION,
            }:
                self.cluster.idle()

    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        """Write the sum."""
        while not snapshot_publication.offer(AMOUNT.pack(self.sum)):
            self.cluster.idle()
