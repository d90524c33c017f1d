"""Native services in our container with a Java consensus module."""

import random
import time
from contextlib import contextmanager

import pytest

from aeron_cluster.cli.order_book import OrderBook
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from benchmarks.native.build import build_service
from tests.native import orders
from tests.native.conftest import counts_library, start_counted  # noqa: F401
from tests.native.counted import Counts

TIMEOUT_S = 120
WINDOW = 64
ECHOES = 100_000

CONTAINER = """
import json, sys
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.cluster.service.native_service import NativeService

library, aeron_dir, cluster_dir = sys.argv[1:]
errors = []
with ClusteredServiceContainer.launch(
    service=NativeService.load(library, "echo_service"),
    aeron_dir=aeron_dir,
    cluster_dir=cluster_dir,
    service_name="echo",
    error_handler=errors.append,
):
    print(json.dumps("up"), flush=True)
    sys.stdin.readline()
    print(json.dumps([str(error) for error in errors]), flush=True)
    sys.stdin.readline()
"""


class Replies(EgressListener):
    """Collects the cluster's messages."""

    def __init__(self):
        self.messages = []

    def on_message(self, timestamp, message, header):  # noqa: ARG002
        self.messages.append(bytes(message))


class Counter(EgressListener):
    """Counts the cluster's messages and the wrong ones among them."""

    def __init__(self):
        self.count = self.wrong = 0

    def on_message(self, timestamp, message, header):  # noqa: ARG002
        self.wrong += int.from_bytes(message[:8], "little") != self.count
        self.count += 1


def until(condition, client=None):
    deadline = time.monotonic() + TIMEOUT_S
    idle = IdleStrategy("backoff")
    while not condition():
        assert time.monotonic() < deadline, "timeout"
        idle.idle(0 if client is None else client.poll_egress(WINDOW))


class JavaNode:
    """A Java driver, archive and consensus module."""

    def __init__(self, java, directory, base, port):
        self._java = java
        self.directory = directory
        self.base = base
        self._port = port
        self.peer = None

    @property
    def cluster_dir(self):
        return self.base / "node0" / "cluster"

    def start(self):
        self.peer = self._java.start(
            "ClusterNode",
            dir=self.directory,
            base=self.base,
            portBase=self._port,
            parts="driver,archive,consensus",
            idle="backoff",
            log="aeron:udp?term-length=16m",
            # Long, since a busy machine may delay a client.
            sessionTimeoutMs=60_000,
        )
        self.peer.await_event("READY", TIMEOUT_S)

    def await_leader(self):
        self.peer.await_event("election", TIMEOUT_S, where=lambda event: event["state"] == "CLOSED")

    def snapshot(self):
        since = self.peer.emit("snapshot")
        self.peer.await_event("snapshotDone", TIMEOUT_S, since)

    def stop(self):
        if self.peer is not None:
            self.peer.stop()
            self.peer = None

    def connect(self, listener):
        return AeronCluster.connect(
            aeron_dir=self.directory,
            ingress_channel="aeron:udp",
            ingress_endpoints=f"0=localhost:{self._port + 1}",
            egress_channel="aeron:udp?endpoint=localhost:0",
            message_timeout_ns=120_000_000_000,
            listener=listener,
        )


@pytest.fixture
def node(java, shm_dir, free_port, tmp_path):
    """Yield a node that the test starts."""
    node = JavaNode(java, shm_dir / "node", tmp_path / "cluster", free_port(10))
    try:
        yield node
    finally:
        node.stop()


@contextmanager
def serving(node, library, symbol, **options):
    """Run a native service on the node."""
    errors = []
    node.start()
    with ClusteredServiceContainer.launch(
        service=NativeService.load(library, symbol, options),
        aeron_dir=node.directory,
        cluster_dir=node.cluster_dir,
        error_handler=errors.append,
    ):
        node.await_leader()
        yield
    assert errors == []


def echo(client, counter, count):
    """Send messages, each with the number of earlier ones, and receive each back."""
    end = counter.count + count
    sent = counter.count
    deadline = time.monotonic() + TIMEOUT_S
    while counter.count < end:
        if (
            sent < end
            and sent - counter.count < WINDOW
            and client.offer(sent.to_bytes(8, "little") + bytes(56))
        ):
            sent += 1
        client.poll_egress(WINDOW)
        assert time.monotonic() < deadline, f"{end - counter.count} echoes are missing"
    assert counter.wrong == 0


def test_hundred_thousand_echoes_use_neither_gil_nor_memory_in_the_services_agent(
    node,
    start_counted,  # noqa: F811
    tmp_path,
):
    library = build_service("echo_service", tmp_path)
    node.start()
    program = start_counted(
        "-c", CONTAINER, str(library), str(node.directory), str(node.cluster_dir)
    )
    assert program.receive() == "up"
    node.await_leader()
    counter = Counter()
    with node.connect(counter) as client:
        echo(client, counter, 2000)
        # Memory of the start is freed seconds later, during one of the runs.
        for _ in range(5):
            before = program.counts()["echo"]
            echo(client, counter, ECHOES)
            if not (moved := program.counts()["echo"] - before):
                break
        assert moved == Counts()
    program.emit("report")
    assert program.receive() == []


def requests(seed, count):
    source = random.Random(seed)
    for index in range(count):
        side = source.choice((orders.BUY, orders.SELL))
        yield source.choices(
            [
                orders.new_order(side, source.randint(1, 20), source.randint(95, 105), index),
                orders.cancel(source.randint(1, index + 1), index),
                orders.replace(
                    source.randint(1, index + 1), source.randint(1, 9), source.randint(95, 105)
                ),
            ],
            (6, 2, 2),
        )[0]


def trade(client, replies, book, seed, count):
    """Send requests, and compute the answer of each by the book in Python too."""
    expected = []
    for request in requests(seed, count):
        book.apply(1, request, lambda _, reply: expected.append(reply))
        until(lambda request=request: client.offer(request), client)
        until(lambda: len(expected) - len(replies.messages) < WINDOW, client)
    until(lambda: len(replies.messages) >= len(expected), client)
    assert replies.messages == expected
    replies.messages.clear()


def test_an_order_book_trades_and_is_restored_from_snapshot_and_log(node, tmp_path):
    library = build_service("order_matching", tmp_path)
    replies = Replies()
    book = OrderBook(1000)
    for start in range(3):
        with (
            serving(node, library, "order_matching", max_orders="1000"),
            node.connect(replies) as client,
        ):
            # In both books the orders of earlier sessions have no owner now.
            owner = client.cluster_session_id
            session_book = SessionBook(book, owner)
            trade(client, replies, session_book, 2 * start, 1500)
            if start == 1:
                node.snapshot()
            trade(client, replies, session_book, 2 * start + 1, 500)
            until(lambda: client.offer(orders.state()), client)
            until(lambda: replies.messages, client)
            found = orders.decode(replies.messages.pop())
            assert (found.hash, found.order_count) == (book.state.hash, book.state.order_count)
        node.stop()


class SessionBook:
    """The book for one session; replies to earlier sessions are dropped."""

    def __init__(self, book, session_id):
        self._book = book
        self._session_id = session_id

    def apply(self, _, request, reply):
        def to_own(session_id, message):
            if session_id == self._session_id:
                reply(session_id, message)

        self._book.apply(self._session_id, request, to_own)
