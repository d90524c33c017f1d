"""A user's service applies each request once, for a surviving client; mypy accepts it."""

from aeron_cluster.client.image import Image
from aeron_cluster.client.publication import ExclusivePublication
from aeron_cluster.cluster.service.client_session import ClientSession
from aeron_cluster.cluster.service.cluster import Cluster
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.deduplication import Deduplication, Request
from aeron_cluster.cluster_client import (
    AeronCluster,
    RequestListener,
    SurvivalState,
    SurvivingClient,
)
from aeron_cluster.logbuffer.message_view import Header, MessageView


class UpperCase(ClusteredService):
    def __init__(self) -> None:
        self._requests: Deduplication | None = None
        self._later: list[Request] = []

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        self._requests = Deduplication(cluster, max_clients=10)
        if snapshot_image is not None:
            self._requests.load_all(snapshot_image)

    def on_session_message(
        self,
        session: ClientSession | None,
        timestamp: int,
        message: MessageView,
        header: Header,  # noqa: ARG002
    ) -> None:
        assert self._requests is not None
        if len(message) < 100:
            self._requests.handle(session, timestamp, message, self._reply_in_upper_case)
        elif request := self._requests.accept(session, timestamp, message):
            self._later.append(request)

    @staticmethod
    def _reply_in_upper_case(request: Request) -> bytes:
        return request.payload.upper()

    def on_timer_event(self, correlation_id: int, timestamp: int) -> None:  # noqa: ARG002
        assert self._requests is not None
        for request in self._later:
            self._requests.answer(request, memoryview(request.payload))

    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        assert self._requests is not None
        self._requests.write_snapshot(snapshot_publication)


class Answers(RequestListener):
    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.names: list[str] = []

    def on_answer(self, sequence: int, body: bytes) -> None:
        self.bodies.insert(sequence, body)

    def on_state_change(self, state: SurvivalState, reason: str) -> None:
        self.names.append(state.name + reason)


def main() -> None:
    with SurvivingClient.connect(client_id=7, listener=Answers()) as client:
        answer: bytes = client.request(bytearray(b"hello"), 1_000_000_000)
        sequence: int = client.send(memoryview(answer))
        while sequence in client.unanswered:
            client.do_work()
    with AeronCluster.async_connect(egress_channel="aeron:ipc") as connect:
        session: AeronCluster | None = connect.poll()
        assert session is None
