"""Our driver and Java's exchange their names, and channels use them. Only on this machine."""

import contextlib
import struct
import time

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.driver.streams.driver_counters import (
    BOOTSTRAP_NEIGHBOR_TYPE,
    RESOLVER_NAMES_TYPE,
    RESOLVER_NEIGHBORS_TYPE,
)
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from tests.interop.java_peer import JavaPeers, quick_options

STREAM_ID = 1201  # as in Throughput.java
RUN = {"transport": "udp", "seconds": 1, "least": 1, "warmupSeconds": 0, "runs": 1, "wait": "yield"}
PREFIX = "aeron.driver.resolver"
INTERVALS = {
    f"{PREFIX}.self.resolution.interval": "100ms",
    f"{PREFIX}.neighbor.resolution.interval": "200ms",
    f"{PREFIX}.neighbor.timeout": "3s",
}


def until(condition, timeout=120.0):
    deadline = time.monotonic() + timeout
    idle_strategy = IdleStrategy("backoff")
    while not condition():
        assert time.monotonic() < deadline, "timeout"
        idle_strategy.idle()


class Driver:
    """A driver of either kind with a name, by a client of it."""

    def __init__(self, name, port, aeron, stop):
        self.name = name
        self.port = port
        self.aeron = aeron
        self.stop = stop

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def counters(self, *types):
        return [each for each in self.aeron.counters_reader.counters() if each.type_id in types]

    def sizes(self):
        """Return the numbers of neighbours and names."""
        return [each.value for each in self.counters(RESOLVER_NEIGHBORS_TYPE, RESOLVER_NAMES_TYPE)]


class Drivers:
    """Starts drivers whose names are those of their kinds."""

    def __init__(self, stack, class_path, logs, directory, free_port):
        self._stack = stack
        self._class_path = class_path
        self._logs = logs
        self._directory = directory
        self._free_port = free_port

    def start(self, name, bootstrap=None):
        """Start Java's driver if the name begins with java, otherwise ours."""
        port = self._free_port()
        options = INTERVALS | {f"{PREFIX}.name": name, f"{PREFIX}.interface": f"localhost:{port}"}
        if bootstrap is not None:
            options[f"{PREFIX}.bootstrap.neighbor"] = bootstrap.address
        directory = self._directory / name
        if name.startswith("java"):
            properties = [f"-D{key}={value}" for key, value in options.items()]
            logs = self._logs / name
            logs.mkdir()
            peers = JavaPeers(
                self._class_path, logs, [*quick_options(self._class_path), *properties]
            )
            self._stack.callback(peers.close)
            running = peers.start("Driver", dir=directory)
            running.await_event("READY")
            stop = running.stop
        else:
            running = self._stack.enter_context(
                MediaDriver.launch(aeron_dir=directory, threading_mode="SHARED", properties=options)
            )
            stop = running.close
        aeron = self._stack.enter_context(Aeron.connect(aeron_dir=directory))
        return Driver(name, port, aeron, stop)


@pytest.fixture
def drivers(java_class_path, tmp_path, shm_dir, free_port):
    with contextlib.ExitStack() as stack:
        yield Drivers(stack, java_class_path, tmp_path, shm_dir, free_port)


@pytest.fixture(params=["java", "ours"])
def pair(request, drivers):
    """Our driver and Java's; the parameter has the other as its bootstrap neighbour."""
    first = drivers.start("ours" if request.param == "java" else "java")
    second = drivers.start(request.param, first)
    until(lambda: first.sizes() == second.sizes() == [1, 1])
    return (first, second) if first.name == "ours" else (second, first)


def test_a_java_client_publishes_to_the_name_of_our_driver(java, pair, free_port):
    ours, theirs = pair
    port = free_port()
    subscription = ours.aeron.add_subscription(f"aeron:udp?endpoint=ours:{port}", STREAM_ID)
    received = []
    java.start(
        "Throughput",
        role="pub",
        host="ours",
        port=port,
        dir=theirs.aeron.context.aeron_dir,
        pubWait="yield",
        params="term-length=128k",
        **RUN,
    )
    until(lambda: subscription.poll(lambda *each: received.append(each), 100) and received)
    assert ours.aeron.counters_reader.value(SystemCounter.SYSTEM_ERRORS) == 0


def test_our_client_publishes_to_the_name_of_javas_driver(java, pair, free_port):
    ours, theirs = pair
    port = free_port()
    peer = java.start(
        "Throughput",
        role="sub",
        host="java",
        port=port,
        dir=theirs.aeron.context.aeron_dir,
        **RUN,
    )
    peer.await_event("READY")
    publication = ours.aeron.add_exclusive_publication(
        f"aeron:udp?endpoint=java:{port}|term-length=128k", STREAM_ID
    )
    number = 0
    deadline = time.monotonic() + 120
    while peer.read():
        assert time.monotonic() < deadline, "timeout"
        if publication.offer(struct.pack("<q24x", number)) > 0:
            number += 1
    assert peer.wait() == 0, peer.report()
    [result] = [event for event in peer.events if event["event"] == "result"]
    assert result["outOfOrder"] == 0
    assert result["count"] > 0
    assert ours.aeron.counters_reader.value(SystemCounter.SYSTEM_ERRORS) == 0


def test_names_pass_from_java_to_java_by_our_driver_until_they_time_out(drivers):
    first = drivers.start("java1")
    ours = drivers.start("ours", first)
    last = drivers.start("java2", ours)
    until(lambda: first.sizes() == ours.sizes() == last.sizes() == [2, 2])
    kinds = RESOLVER_NEIGHBORS_TYPE, RESOLVER_NAMES_TYPE, BOOTSTRAP_NEIGHBOR_TYPE

    def described(driver, bootstrap):
        """Return the counters, with the same addresses for every driver."""
        return [
            (
                each.type_id,
                each.label.replace(driver.address, "OWN")
                .replace(bootstrap.address, "OTHER")
                .replace(driver.name, "NAME"),
                each.key,
                each.registration_id,
                each.reference_id,
                each.value,
            )
            for each in driver.counters(*kinds)
        ]

    until(lambda: ours.counters(BOOTSTRAP_NEIGHBOR_TYPE)[0].value == 1)
    until(lambda: last.counters(BOOTSTRAP_NEIGHBOR_TYPE)[0].value == 1)
    assert described(ours, first) == described(last, ours)
    first.aeron.close()
    first.stop()
    until(lambda: ours.sizes() == last.sizes() == [1, 1])
