"""Our client on our driver, with a Java driver at the other end: destinations, spies, loss."""

import struct
import time

import pytest

from aeron_cluster.client import Aeron
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.shared.counters_layout import CounterType, SystemCounter
from tests.unit.driver.driver_rig import MS, DriverRig, MemoryNetwork

STREAM_ID = 1201  # as in Throughput.java
RUN = {"transport": "udp", "seconds": 1, "least": 1, "warmupSeconds": 0, "runs": 1, "wait": "yield"}
MTU_AND_TERM = "term-length=128k"


@pytest.fixture
def driver(shm_dir):
    with MediaDriver.launch(
        aeron_dir=shm_dir / "driver", threading_mode="SHARED", timer_interval_ns=50 * MS
    ) as running:
        yield running


@pytest.fixture
def aeron(driver):
    with Aeron.connect(aeron_dir=driver.aeron_dir) as client:
        yield client


def until(condition, timeout=120.0):
    deadline = time.monotonic() + timeout
    idle_strategy = IdleStrategy("backoff")
    while not (value := condition()):
        assert time.monotonic() < deadline, "timeout"
        idle_strategy.idle()
    return value


class Sequence:
    """Checks that messages arrive in the order of Throughput's numbers."""

    def __init__(self):
        self.next = 0
        self.out_of_order = 0

    def __call__(self, message, _header):
        [number] = struct.unpack_from("<q", message)
        self.out_of_order += number != self.next
        self.next = number + 1


def java_subscriber(java, shm_dir, name, port):
    peer = java.start(
        "Throughput",
        role="sub",
        port=port,
        embedded=True,
        dir=shm_dir / name,
        threading="SHARED",
        **RUN,
    )
    peer.await_event("READY")
    return peer


def publish_until_done(publication, peers):
    """Publish numbered messages until every subscriber has printed its result and ended."""
    number = 0
    deadline = time.monotonic() + 120
    payload = bytearray(32)
    while any(peer.read() for peer in peers):
        assert time.monotonic() < deadline, "timeout"
        for _ in range(64):
            struct.pack_into("<q", payload, 0, number)
            if publication.offer(payload) > 0:
                number += 1
    return number


def test_java_subscribers_receive_by_destination(java, driver, aeron, shm_dir, free_port):
    ports = [free_port(), free_port()]
    publication = aeron.add_exclusive_publication(
        f"aeron:udp?control-mode=manual|control=127.0.0.1:{free_port()}|{MTU_AND_TERM}|fc=min,g:/2",
        STREAM_ID,
    )
    for port in ports:
        publication.add_destination(f"aeron:udp?endpoint=localhost:{port}")
    peers = [
        java_subscriber(java, shm_dir, f"java{index}", port) for index, port in enumerate(ports)
    ]
    publish_until_done(publication, peers)
    for peer in peers:
        assert peer.wait() == 0, peer.report()
        [result] = [event for event in peer.events if event["event"] == "result"]
        assert result["outOfOrder"] == 0
        assert result["count"] > 0
    assert driver.counters.value(SystemCounter.SYSTEM_ERRORS) == 0


@pytest.mark.parametrize("is_multi_destination", [False, True])
def test_a_subscription_receives_from_a_java_publisher(
    java, driver, aeron, shm_dir, free_port, is_multi_destination
):
    port = free_port()
    endpoint = f"aeron:udp?endpoint=localhost:{port}"
    if is_multi_destination:
        subscription = aeron.add_subscription("aeron:udp?control-mode=manual", STREAM_ID)
        subscription.add_destination(endpoint)
    else:
        subscription = aeron.add_subscription(endpoint, STREAM_ID)
    peer = java.start(
        "Throughput",
        role="pub",
        port=port,
        embedded=True,
        dir=shm_dir / "java",
        threading="SHARED",
        pubWait="yield",
        params=MTU_AND_TERM,
        **RUN | {"seconds": 600},  # runs until it is killed
    )
    seen = Sequence()
    until(lambda: subscription.poll(seen, 100) and seen.next > 50_000)
    assert seen.out_of_order == 0
    peer.kill()
    assert driver.counters.value(SystemCounter.SYSTEM_ERRORS) == 0


def test_a_spy_receives_the_same_as_java(java, aeron, shm_dir, free_port):
    port = free_port()
    channel = f"aeron:udp?endpoint=localhost:{port}|{MTU_AND_TERM}"
    publication = aeron.add_exclusive_publication(channel, STREAM_ID)
    spy = aeron.add_subscription(f"aeron-spy:{channel}", STREAM_ID)
    until(lambda: spy.is_connected)
    assert not publication.is_connected
    peer = java_subscriber(java, shm_dir, "java", port)
    until(lambda: publication.is_connected)
    seen = Sequence()
    number = 0
    payload = bytearray(32)
    while peer.read():
        for _ in range(64):
            struct.pack_into("<q", payload, 0, number)
            if publication.offer(payload) > 0:
                number += 1
        spy.poll(seen, 1000)
    assert peer.wait() == 0, peer.report()
    until(lambda: (spy.poll(seen, 1000), seen.next == number)[1])
    assert seen.out_of_order == 0


def test_java_reads_our_loss_report(java, shm_dir):
    dropped = []

    def lose_one(_source, _target, data):
        is_data = len(data) > 64 and data[6:8] == b"\1\0"
        if is_data and not dropped:
            dropped.append(len(data))
            return []
        return [data]

    rig = DriverRig(shm_dir / "driver", network=MemoryNetwork(lose_one))
    try:
        channel = "aeron:udp?endpoint=127.0.0.1:4000"
        subscription = rig.add_subscription(channel)
        ready = rig.ready(rig.add_publication(channel))
        rig.run_until(lambda: rig.images(subscription))
        end = 0
        for _ in range(3):
            end = rig.publish(ready, bytes(1000))
            rig.run(10 * MS)
        position = rig.labels(CounterType.COUNTER_TYPE_RECEIVER_POSITION)
        assert len(position) == 1
        rig.run_until(
            lambda: any(
                each.value == end
                for each in rig.counters.counters()
                if each.type_id == CounterType.COUNTER_TYPE_RECEIVER_POSITION
            )
        )
        seen = java.run("Inspect", what="loss", dir=rig.driver.aeron_dir)
    finally:
        rig.close()
    [loss] = [event for event in seen.events if event["event"] == "loss"]
    assert loss["bytes"] == dropped[0] == 1056
    assert loss["sessionId"] == ready[2]
    assert loss["streamId"] == 10
    assert loss["channel"] == channel
