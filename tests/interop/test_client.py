"""Our client on a running Java driver."""

import time
from pathlib import Path

import pytest

from aeron_cluster.client import (
    Aeron,
    FragmentAssembler,
)
from tests.interop.java_peer import JavaPeer, JavaPeers

TIMEOUT_S = 20.0


@pytest.fixture
def driver(java: JavaPeers, shm_dir: Path) -> JavaPeer:
    peer = java.start("Driver", dir=shm_dir / "driver")
    peer.await_event("READY")
    return peer


@pytest.fixture
def aeron(driver, shm_dir):  # noqa: ARG001 - it runs there
    with Aeron.connect(aeron_dir=shm_dir / "driver", client_name="tested") as client:
        yield client


def until(condition, timeout=TIMEOUT_S):
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline, "the time is over"
        time.sleep(0.0005)
    return value


def connected(publication, subscription):
    until(lambda: publication.is_connected and subscription.is_connected)


class Receiver:
    """Collects whole messages."""

    def __init__(self, subscription):
        self.subscription = subscription
        self.messages = []
        self._assembler = FragmentAssembler(self._take)

    def _take(self, message, _header):
        self.messages.append(bytes(message))

    def poll(self):
        return self.subscription.poll(self._assembler)

    def await_count(self, count):
        deadline = time.monotonic() + TIMEOUT_S
        while len(self.messages) < count:
            if self.poll() == 0:
                assert time.monotonic() < deadline, f"{len(self.messages)} of {count}"
        return self.messages


def channels(free_port):
    port = free_port()
    return ["aeron:ipc?term-length=64k", f"aeron:udp?endpoint=localhost:{port}|term-length=64k"]


@pytest.mark.parametrize("kind", ["publication", "exclusive_publication"])
@pytest.mark.parametrize("transport", [0, 1], ids=["ipc", "udp"])
def test_messages_of_all_lengths_arrive_whole_and_in_order(aeron, free_port, kind, transport):
    channel = channels(free_port)[transport]
    subscription = aeron.add_subscription(channel, 1001)
    publication = getattr(aeron, f"add_{kind}")(channel, 1001)
    connected(publication, subscription)
    receiver = Receiver(subscription)
    sent = [b"%d," % n * (n * 7 % 500) for n in range(2000)]
    for message in sent:
        while not publication.offer(message):
            receiver.poll()
    assert receiver.await_count(len(sent)) == sent
    assert subscription.images[0].position == publication.position
