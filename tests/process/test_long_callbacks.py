"""Slow callbacks: in every thread layout the rest of the node continues meanwhile."""

import contextlib
import zlib

import pytest

from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from tests.waiting import await_true

MIB = 1024 * 1024
SNAPSHOT_LENGTH = 256 * MIB
PIECE_LENGTH = 64 * 1024
LAYOUTS = ["one", "two", "each"]


class Hoard(ClusteredService):
    """Has a state of 256 MiB, which it writes and reads within callbacks."""

    def __init__(self):
        self.loaded_length = 0
        self.checksum = 0
        self.snapshot_checksum = 0

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster
        if snapshot_image is None:
            return

        def take(message, _):
            self.loaded_length += len(message)
            self.checksum = zlib.crc32(message, self.checksum)

        while not snapshot_image.is_end_of_stream:
            cluster.idle(snapshot_image.poll(take, 100))

    def on_take_snapshot(self, snapshot_publication):
        piece = bytes(range(256)) * (1024 // 256)
        written = 0
        while written < SNAPSHOT_LENGTH:
            message = written.to_bytes(8, "little") + piece
            if snapshot_publication.offer(message):
                self.snapshot_checksum = zlib.crc32(message, self.snapshot_checksum)
                written += len(message)
                self.snapshot_length = written
            else:
                self.cluster.idle()


class Echo(ClusteredService):
    """Replies to every message, and retries while the client does not poll."""

    def __init__(self):
        self.rejections = 0

    def on_start(self, cluster, snapshot_image):
        assert snapshot_image is None
        self.cluster = cluster

    def on_session_message(self, session, timestamp, message, header):  # noqa: ARG002
        while not session.offer(message):
            self.rejections += 1
            self.cluster.idle()


class Count(EgressListener):
    def __init__(self):
        self.count = 0

    def on_message(self, timestamp, message, header):  # noqa: ARG002
        self.count += 1


@pytest.fixture
def launch(tmp_path, shm_dir, free_port):
    """Return a function that starts a node in a ``with``, on the same directory and port each
    time.
    """
    port = free_port(10)
    errors = []

    @contextlib.contextmanager
    def run(service, threads, **driver):
        member = local_member(0, base_port=port)
        with ClusterNode.launch(
            service,
            directory=tmp_path / "node",
            members=member,
            threads=threads,
            driver={"aeron_dir": str(shm_dir / "driver"), **driver},
            consensus_module={
                "error_handler": errors.append,
                "session_timeout_ns": 120_000_000_000,
            },
            container={"error_handler": errors.append},
        ) as node:
            await_true(lambda: node.consensus_module.is_leading, "an election")
            yield node
        assert errors == []

    return run


@pytest.mark.sampled(1)
@pytest.mark.parametrize("threads", LAYOUTS)
def test_a_large_snapshot_is_taken_and_loaded(launch, threads):
    service = Hoard()
    with launch(service, threads) as node:
        module = node.consensus_module
        assert module.try_toggle(ControlToggle.SNAPSHOT)
        await_true(lambda: module.counters.snapshot_count.get() == 1, "a snapshot", 120)
    again = Hoard()
    with launch(again, threads):
        assert again.loaded_length == service.snapshot_length >= SNAPSHOT_LENGTH
        assert again.checksum == service.snapshot_checksum


@pytest.mark.sampled(1)
@pytest.mark.parametrize("threads", LAYOUTS)
def test_service_may_offer_repeatedly_to_a_client_that_does_not_poll(launch, threads):
    service, listener = Echo(), Count()
    with (
        launch(service, threads) as node,
        AeronCluster.connect(
            aeron_dir=node.driver.aeron_dir,
            ingress_channel="aeron:udp",
            ingress_endpoints=f"0={node.member.ingress_endpoint}",
            egress_channel="aeron:udp?endpoint=localhost:0|rcv-wnd=64k",
            message_timeout_ns=120_000_000_000,
            listener=listener,
        ) as client,
    ):
        sent = 0

        def is_stuck():
            nonlocal sent
            sent += bool(client.offer(bytes(1000)))
            return service.rejections > 100

        await_true(is_stuck, "a closed window")
        assert node.consensus_module.is_leading

        def is_answered():
            client.poll_egress()
            return listener.count == sent

        await_true(is_answered, "every answer")
