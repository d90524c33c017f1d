"""Our service container under a real Java consensus module, with our client."""

import random
import time
from contextlib import ExitStack

import pytest

from aeron_cluster.cluster.cluster_client import AeronCluster
from aeron_cluster.cluster.egress_listener import EgressListener
from aeron_cluster.cluster.service.clustered_service import Role
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.memory.idle_strategy import IdleStrategy
from tests.interop.echo_service import COMMAND, ECHO, EchoService

TIMEOUT_S = 60


class Echoes(EgressListener):
    """Keeps what the cluster said."""

    def __init__(self):
        self.messages = []
        self.events = []

    def on_message(self, timestamp, message, _):
        assert timestamp > 0
        self.messages.append(bytes(message))

    def on_session_event(self, event):
        self.events.append(event)


class Node:
    """A Java driver, archive and consensus module, and our container beside it."""

    def __init__(self, java, directory, base, port):
        self.java = java
        self.directory = directory
        self.base = base
        self.port = port
        self.peer = None
        self.container = None
        self.errors = []

    def start(self, service, *, java_options=None, **options):
        self.peer = self.java.start(
            "ClusterNode",
            dir=self.directory,
            base=self.base,
            portBase=self.port,
            parts="driver,archive,consensus",
            idle="backoff",
            log="aeron:udp?term-length=16m",
            **(java_options or {}),
        )
        self.peer.await_event("READY", TIMEOUT_S)
        self.container = self.launch(service, **options)
        self.peer.await_event("election", TIMEOUT_S, where=lambda event: event["state"] == "CLOSED")

    def launch(self, service, **options):
        return ClusteredServiceContainer.launch(
            service=service,
            aeron_dir=self.directory,
            cluster_dir=self.base / "node0" / "cluster",
            error_handler=self.errors.append,
            **options,
        )

    def connect(self, listener=None):
        return AeronCluster.connect(
            aeron_dir=self.directory,
            ingress_channel="aeron:udp",
            ingress_endpoints=f"0=localhost:{self.port + 1}",
            egress_channel="aeron:udp?endpoint=localhost:0",
            message_timeout_ns=20_000_000_000,
            listener=listener,
        )

    def close(self):
        if self.container is not None:
            self.container.close()
        if self.peer is not None:
            self.peer.stop()


@pytest.fixture
def node(java, shm_dir, free_port, tmp_path):
    """Give a node that the test starts."""
    node = Node(java, shm_dir / "node", tmp_path / "cluster", free_port(10))
    try:
        yield node
    finally:
        node.close()


@pytest.fixture
def stack():
    with ExitStack() as stack:
        yield stack


def until(condition, *clients):
    deadline = time.monotonic() + TIMEOUT_S
    idle = IdleStrategy("backoff")
    while not condition():
        assert time.monotonic() < deadline, "the time is over"
        idle.idle(sum(client.poll_egress(64) for client in clients))


def exchange(client, echoes, messages, window=64):
    """Send messages with at most `window` unanswered, and wait for every echo."""
    for sent, message in enumerate(messages):
        until(lambda sent=sent: sent - len(echoes.messages) < window, client)
        until(lambda message=message: client.offer(message), client)
    until(lambda: len(echoes.messages) == len(messages), client)
    assert echoes.messages == messages


def test_messages_of_all_lengths_are_echoed_in_order(node, stack):
    service = EchoService()
    node.start(service)
    echoes = Echoes()
    client = stack.enter_context(node.connect(echoes))
    chance = random.Random(7)
    messages = [
        COMMAND.pack(ECHO, 0, number, 0) + chance.randbytes(chance.randint(0, 1376))
        for number in range(5000)
    ]
    messages += [
        COMMAND.pack(ECHO, 0, number, 0) + chance.randbytes(chance.randint(1400, 1_000_000))
        for number in range(10)
    ]
    exchange(client, echoes, messages, window=8)
    assert service.calls[0] == ("start", False, Role.FOLLOWER)
    assert service.messages == len(messages)
    assert node.errors == []
