"""A user writes a service and runs it; mypy accepts it."""

import struct

from aeron_cluster.client.image import Image
from aeron_cluster.client.publication import BufferClaim, ExclusivePublication
from aeron_cluster.cluster.service.client_session import ClientSession
from aeron_cluster.cluster.service.cluster import Cluster
from aeron_cluster.cluster.service.clustered_service import ClusteredService, LeadershipTerm, Role
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.codecs.cluster import CloseReason
from aeron_cluster.logbuffer.message_view import Header, MessageView


class Counting(ClusteredService):
    """Counts messages, and sends the count."""

    def __init__(self) -> None:
        self._count = 0
        self._cluster: Cluster | None = None

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        self._cluster = cluster
        while snapshot_image is not None and not snapshot_image.is_end_of_stream:
            cluster.idle(snapshot_image.poll(self._on_snapshot))

    def _on_snapshot(self, message: MessageView, _: Header) -> None:
        (self._count,) = struct.unpack("<q", message)

    def on_session_message(
        self,
        session: ClientSession | None,
        timestamp: int,
        message: MessageView,
        header: Header,
    ) -> None:
        assert self._cluster is not None
        self._count += 1
        if session is None:
            return
        while not session.offer(struct.pack("<qqq", self._count, timestamp, header.position)):
            self._cluster.idle()
        claim = BufferClaim()
        if self._cluster.try_claim(len(message), claim):
            claim.put(message, 32)
            claim.commit()
        self._cluster.schedule_timer(self._count, timestamp + 1000)

    def on_session_close(
        self, session: ClientSession, timestamp: int, close_reason: CloseReason
    ) -> None:
        if close_reason is CloseReason.TIMEOUT:
            print(session.id, session.encoded_principal, timestamp)  # noqa: T201

    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        assert self._cluster is not None
        while not snapshot_publication.offer(struct.pack("<q", self._count)):
            self._cluster.idle()

    def on_role_change(self, role: Role) -> None:
        assert role is not Role.CANDIDATE

    def on_new_leadership_term_event(self, term: LeadershipTerm) -> None:
        assert term.log_position > term.term_base_log_position


def run(library: str) -> bool:
    """Run one of each kind."""
    with (
        ClusteredServiceContainer.launch(service=Counting(), service_id=0) as container,
        ClusteredServiceContainer.launch(
            service=NativeService.load(library, "echo_service"),
            service_id=1,
            threading_mode="INVOKER",
        ) as native,
    ):
        native.invoker.start()
        native.invoker.invoke()
        return container.is_terminated or native.failure is not None
