"""A node is killed repeatedly at random moments under load: each acknowledged message is applied
once.

The service is a ledger: each number is sent once, in one message. A number that is in the ledger
twice was applied twice, and an acknowledged one that is missing was lost. ``AERON_CLUSTER_SEED``
repeats a run's choices, ``AERON_CLUSTER_KILLS`` sets how many kills.
"""

import os
import random
import struct
import time

import pytest

from aeron_cluster.client import Aeron
from aeron_cluster.cluster_client.cluster_client import AeronCluster
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from tests.conftest import SEED
from tests.interop.cluster_node import KINDS, ClusterNodes

TIMEOUT_S = 120.0
ENTER, COUNTS = 0, 1
HEAD = struct.Struct("<iiq")
PAGE = 30_000
WINDOW = 64
BODY_LENGTH = 1400
# A Java node starts slowly; it is included to validate the test.
KILLS = {"java": 3, "ours": 20}


class Ledger(EgressListener):
    """The numbers that a client sent, and the answers that it received."""

    def __init__(self):
        self.acknowledged = bytearray()
        self.acknowledged_count = 0
        self.rounds = []  # the numbers that each session sent, as a range
        self.page = None

    @property
    def entered(self):
        return len(self.acknowledged)

    def on_message(self, timestamp, message, header):  # noqa: ARG002
        data = bytes(message)
        command, count, number = HEAD.unpack_from(data)
        if command == ENTER:
            self.acknowledged[number] += 1
            self.acknowledged_count += 1
        else:
            assert len(data) == HEAD.size + count
            self.page = data[HEAD.size :]


@pytest.fixture
def aeron(shm_dir):
    """Yield a client with its own driver, both of which continue when the node is killed."""
    with (
        MediaDriver.launch(aeron_dir=shm_dir / "client", threading_mode="SHARED") as driver,
        Aeron.connect(aeron_dir=driver.aeron_dir) as client,
    ):
        yield client


@pytest.fixture(params=KINDS)
def nodes(request, shm_dir, tmp_path, free_port):
    java = request.getfixturevalue("java") if request.param == "java" else None
    with ClusterNodes(request.param, java, tmp_path, shm_dir, free_port(10)) as running:
        yield running


def until(condition, client, what):
    deadline = time.monotonic() + TIMEOUT_S
    idle = IdleStrategy("backoff")
    while not condition():
        assert time.monotonic() < deadline, f"expected {what} within {TIMEOUT_S} s"
        idle.idle(client.poll_egress(64))


def session(aeron, node, ledger):
    return AeronCluster.connect(
        aeron=aeron,
        ingress_channel="aeron:udp",
        ingress_endpoints=node.ingress_endpoints,
        egress_channel="aeron:udp?endpoint=localhost:0",
        message_timeout_ns=int(TIMEOUT_S * 1e9),
        listener=ledger,
    )


def check(client, ledger):
    """Check the whole ledger: acknowledged numbers once, others once or never, in order."""
    counts = b""
    while True:
        ledger.page = None
        request = HEAD.pack(COUNTS, PAGE, len(counts))
        until(lambda request=request: client.offer(request), client, "a sent query")
        until(lambda: ledger.page is not None, client, "a page")
        if not ledger.page:
            break
        counts += ledger.page
    assert len(counts) <= ledger.entered
    counts = counts.ljust(ledger.entered, b"\0")
    twice = [number for number, count in enumerate(counts) if count > 1]
    assert not twice, f"applied more than once: {twice[:10]}"
    pairs = zip(ledger.acknowledged, counts, strict=True)
    lost = [
        number
        for number, (is_acknowledged, count) in enumerate(pairs)
        if is_acknowledged and not count
    ]
    assert not lost, f"acknowledged and lost: {lost[:10]} of {ledger.entered}"
    for numbers in ledger.rounds:
        known = counts[numbers.start : numbers.stop]
        assert known == known.rstrip(b"\0").ljust(len(known), b"\0"), f"a gap in {numbers}"
        assert 0 not in known.rstrip(b"\0"), f"a gap in {numbers}"


def load(client, ledger, node, rng):
    """Send numbers until the time of the kill; request a snapshot before in some rounds."""
    body = rng.randbytes(BODY_LENGTH)
    first = ledger.entered
    acknowledged = ledger.acknowledged_count
    last = acknowledged + rng.randrange(1, 3000)
    snapshot = acknowledged + rng.randrange(1, 3000) if rng.random() < 0.5 else last + 1
    deadline = time.monotonic() + TIMEOUT_S
    idle = IdleStrategy("backoff")
    while ledger.acknowledged_count < last:
        assert time.monotonic() < deadline, f"{ledger.acknowledged_count} of {last} acknowledged"
        work = 0
        while first + ledger.acknowledged_count - acknowledged > ledger.entered - WINDOW:
            length = rng.randrange(BODY_LENGTH)
            if not client.offer(HEAD.pack(ENTER, 0, ledger.entered) + body[:length]):
                break
            ledger.acknowledged.append(0)
            work += 1
        if ledger.acknowledged_count >= snapshot:
            node.peer.emit("snapshot")
            snapshot = last + 1
        idle.idle(work + client.poll_egress(64))
    ledger.rounds.append(range(first, ledger.entered))


def receive_the_rest(client):
    """Read the messages that the node sent before the kill: they are acknowledgements too."""
    idle = IdleStrategy("backoff")
    silent = 0
    try:
        while silent < 100:
            fragments = client.poll_egress(64)
            idle.idle(fragments)
            silent = 0 if fragments else silent + 1
    except AeronClusterError:
        pass  # the session is closed


@pytest.mark.sampled(1)
@pytest.mark.timeout(900)
def test_every_acknowledged_message_is_applied_once(nodes, aeron):
    kills = int(os.environ.get("AERON_CLUSTER_KILLS", KILLS[nodes.kind.partition("-")[0]]))
    print(f"AERON_CLUSTER_SEED={SEED} AERON_CLUSTER_KILLS={kills}")  # noqa: T201 - to repeat it
    rng = random.Random(SEED)
    ledger = Ledger()
    for _ in range(kills):
        node = nodes.start(service="ledger", sessionTimeoutMs=20_000)
        if rng.random() < 0.25:  # during the recovery
            node.peer.read(rng.random())
            node.peer.kill()
            node = nodes.start(service="ledger", sessionTimeoutMs=20_000)
        node.await_leader()
        with session(aeron, node, ledger) as client:
            check(client, ledger)
            load(client, ledger, node, rng)
            node.peer.kill()
            receive_the_rest(client)
    node = nodes.start(service="ledger", sessionTimeoutMs=20_000).await_leader()
    with session(aeron, node, ledger) as client:
        check(client, ledger)
    assert ledger.acknowledged_count > kills
    node.peer.stop()
