"""A node is killed at random moments under a surviving client's load: each request is booked once.

The answers are running totals of one account, so the n-th one is right only if the n requests
before it were booked once each and in order. ``AERON_CLUSTER_SEED`` repeats a run's choices.
"""

import os
import random
import time
from itertools import accumulate

import pytest

from aeron_cluster.cli.accounts import BALANCE, ENTRY
from aeron_cluster.client import Aeron
from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.cluster_client.surviving_client import SurvivingClient
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from tests.conftest import SEED
from tests.interop.cluster_node import ClusterNodes

TIMEOUT_S = 120.0
ACCOUNT = 1
KILLS = int(os.environ.get("AERON_CLUSTER_KILLS", "4"))
SESSION_TIMEOUT_MS = 2000


class Totals(RequestListener):
    """Collects the answer of each request."""

    def __init__(self):
        self.answers = {}

    def on_answer(self, sequence, body):
        assert sequence not in self.answers, "answered twice"
        (self.answers[sequence],) = BALANCE.unpack(body)


@pytest.fixture
def nodes(shm_dir, tmp_path, free_port):
    with ClusterNodes("ours-one-thread", None, tmp_path, shm_dir, free_port(10)) as running:
        yield running


@pytest.fixture
def aeron(shm_dir):
    """Yield a client with its own driver, both of which continue when the node is killed."""
    with (
        MediaDriver.launch(aeron_dir=shm_dir / "client", threading_mode="SHARED") as driver,
        Aeron.connect(aeron_dir=driver.aeron_dir) as client,
    ):
        yield client


class Load:
    """A client, and the amounts of its requests."""

    def __init__(self, aeron, node, source, **more):
        self.source = source
        self.amounts = []
        self.totals = Totals()
        self.client = SurvivingClient.connect(
            aeron=aeron,
            ingress_channel="aeron:udp",
            ingress_endpoints=node.ingress_endpoints,
            egress_channel="aeron:udp?endpoint=localhost:0",
            listener=self.totals,
            resend_timeout_ns=300_000_000,
            silence_timeout_ns=1_000_000_000,
            **more,
        )

    def book(self):
        amount = self.source.randrange(1, 1000)
        if not self.client.send(ENTRY.pack(ACCOUNT, amount)):
            return 0
        self.amounts.append(amount)
        return 1

    def run_until(self, condition, what):
        deadline = time.monotonic() + TIMEOUT_S
        idle = IdleStrategy("backoff")
        while not condition():
            error = self.client.last_error
            assert time.monotonic() < deadline, f"expected {what}: {self.client!r}, {error}"
            idle.idle(self.book() + self.client.do_work())

    def check(self):
        self.client.flush(int(TIMEOUT_S * 1e9))
        self.client.do_work()
        assert self.totals.answers == dict(enumerate(accumulate(self.amounts), 1))


def launch(nodes):
    return nodes.start(service="accounts", sessionTimeoutMs=SESSION_TIMEOUT_MS)


def test_each_request_is_booked_once_while_the_node_is_killed(nodes, aeron):
    source = random.Random(SEED)
    node = launch(nodes).await_leader()
    load = Load(aeron, node, source)
    with load.client:
        for _ in range(KILLS):
            end = len(load.totals.answers) + source.randrange(1, 3000)
            if source.random() < 0.5:
                load.run_until(lambda end=end: len(load.totals.answers) >= end // 2, "answers")
                node.peer.emit("snapshot")
            load.run_until(lambda end=end: len(load.totals.answers) >= end, "answers")
            node.peer.kill()
            node = launch(nodes)
            if source.random() < 0.25:  # during the recovery
                node.peer.read(source.random())
                node.peer.kill()
                node = launch(nodes)
            load.run_until(lambda: load.client.is_connected, "another session")
        load.check()
        # A second kill before the loss is detected costs no session.
        assert load.client.session_count > 1


def test_client_reconnecting_with_its_id_books_nothing_twice(nodes, aeron):
    node = launch(nodes).await_leader()
    source = random.Random(SEED)
    first = Load(aeron, node, source, client_id=99)
    first.run_until(lambda: len(first.totals.answers) >= 500, "answers")
    known = first.client.last_answered
    first.client.close()  # with requests in flight
    second = Load(aeron, node, source, client_id=99, last_sequence=known)
    with second.client as client:
        accepted = client.last_sequence
        assert known <= accepted <= len(first.amounts)
        booked = sum(first.amounts[:accepted])
        assert client.request(ENTRY.pack(ACCOUNT, 0)) == BALANCE.pack(booked)
