"""The order book in our container under a Java consensus module, and the demo's client."""

from contextlib import contextmanager

import pytest

from aeron_cluster.cli.demo import order_client
from aeron_cluster.cli.demo.order_client import Measurement, OrderClient, Shadow, difference
from aeron_cluster.cli.order_matching import OrderMatching
from aeron_cluster.memory.system.seams import SystemClock
from tests.interop.test_service_container import TIMEOUT_S, Node
from tests.waiting import await_true

FEW_NS = 300_000_000


@pytest.fixture(autouse=True)
def long_timeouts(monkeypatch):
    """Set the client's timeout to that of a test, for a busy machine."""
    monkeypatch.setattr(order_client, "_ANSWER_TIMEOUT_NS", TIMEOUT_S * 1_000_000_000)


@pytest.fixture
def node(java, shm_dir, free_port, tmp_path):
    """Yield a node that the test starts."""
    node = Node(java, shm_dir / "node", tmp_path / "cluster", free_port(10))
    try:
        yield node
    finally:
        node.close()


@contextmanager
def session(node, client):
    with node.connect(client) as cluster:
        client.cluster = cluster
        yield cluster.cluster_session_id
        client.cluster = None


def test_orders_are_matched_and_the_book_survives_snapshot_and_restart(node):
    node.start(OrderMatching())
    client = OrderClient(SystemClock(), lambda: None)
    shadow = Shadow(lambda: None)
    with session(node, client) as first:
        client.measure(Measurement("one at a time", 1), FEW_NS)

        def has_many():
            client.measure(Measurement("many", 64), FEW_NS)
            return client.acknowledged > 100

        await_true(has_many, "orders enough")
        assert difference(client.state(), shadow, client, first) is None

        since = node.peer.emit("snapshot")
        node.peer.await_event("snapshotDone", TIMEOUT_S, since)
        client.measure(Measurement("after the snapshot", 64), FEW_NS)
        before = client.state()
        assert difference(before, shadow, client, first) is None
    node.close()

    node.start(OrderMatching())
    with session(node, client) as second:
        assert client.state() == before
        client.measure(Measurement("after the restart", 64), FEW_NS)
        assert difference(client.state(), shadow, client, second) is None
    assert node.errors == []
