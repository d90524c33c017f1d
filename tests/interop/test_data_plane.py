"""Our sender and receiver against Java's over a wire that loses datagrams, and over multicast."""

import contextlib
import random
import selectors
import socket
import struct
import threading

import pytest

from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from tests.interop.multicast import has_multicast

OURS, THEIRS = "127.0.0.1", "127.0.0.2"  # two loopback addresses, which stand for two hosts


class LossyWire:
    """Forwards datagrams between the ports of two hosts, and drops some."""

    def __init__(self, seed: int, loss: float) -> None:
        self.random = random.Random(seed)
        self.loss = loss
        self.lost: dict[int, int] = {}
        self.selector = selectors.DefaultSelector()
        self.sockets: list[socket.socket] = []
        self.ways: dict[tuple[socket.socket, tuple[str, int]], socket.socket] = {}
        self.is_stopped = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def open(self, address: tuple[str, int], handler) -> socket.socket:
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.bind(address)
        one.setblocking(False)
        self.sockets.append(one)
        self.selector.register(one, selectors.EVENT_READ, handler)
        return one

    def forward(self, listen: tuple[str, int], target: tuple[str, int]) -> None:
        def from_sender(data: bytes, source: tuple[str, int]) -> None:
            way = self.ways.get((front, source))
            if way is None:
                way = self.open((target[0], 0), lambda answer, _: self.carry(front, answer, source))
                self.ways[front, source] = way
            self.carry(way, data, target)

        front = self.open(listen, from_sender)

    def carry(self, way: socket.socket, data: bytes, target: tuple[str, int]) -> None:
        if self.random.random() < self.loss:
            kind = struct.unpack_from("<H", data, 6)[0]
            self.lost[kind] = self.lost.get(kind, 0) + 1
        else:
            with contextlib.suppress(BlockingIOError):  # no room in the buffer: lost too
                way.sendto(data, target)

    def run(self) -> None:
        while not self.is_stopped.is_set():
            for key, _ in self.selector.select(0.05):
                try:
                    data, source = key.fileobj.recvfrom(65536)
                except OSError:
                    continue
                key.data(data, source)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *exc_info) -> None:
        self.is_stopped.set()
        self.thread.join()
        for one in self.sockets:
            one.close()
        self.selector.close()


@pytest.fixture
def driver(shm_dir):
    with MediaDriver.launch(
        aeron_dir=shm_dir / "driver", threading_mode="SHARED", shared_idle_strategy="yield"
    ) as running:
        yield running


@pytest.mark.parametrize("ours", ["ping", "pong"])
def test_java_and_ours_recover_from_loss(java, driver, free_port, shm_dir, ours):
    port = free_port(2)
    theirs = "pong" if ours == "ping" else "ping"
    # Each host publishes to the wire's port on its own address, which forwards to the other one.
    hosts = {ours: OURS, theirs: THEIRS}
    where = {
        ours: {"dir": driver.aeron_dir},
        theirs: {"dir": shm_dir / "java", "embedded": True, "threading": "SHARED"},
    }
    arguments = {
        "transport": "udp",
        "port": port,
        "size": 3000,  # three datagrams per message, so that a gap is detected before a heartbeat
        "count": 1000,
        "warmup": 0,
        "runs": 1,
        "wait": "yield",
    }
    with LossyWire(7, 0.02) as wire:
        wire.forward((hosts["ping"], port), (hosts["pong"], port))
        wire.forward((hosts["pong"], port + 1), (hosts["ping"], port + 1))
        pong = java.start("PingPong", role="pong", host=hosts["pong"], **arguments, **where["pong"])
        pong.await_event("READY")
        ping = java.run("PingPong", role="ping", host=hosts["ping"], **arguments, **where["ping"])
        assert [event["count"] for event in ping.events if event["event"] == "result"] == [1000]
        pong.stop()
    assert wire.lost[1] > 50
    for counter in (
        SystemCounter.SYSTEM_NAKS_SENT,
        SystemCounter.SYSTEM_NAKS_RECEIVED,
        SystemCounter.SYSTEM_RETRANSMITS_SENT,
    ):
        assert driver.counters.value(counter) > 5, counter
    assert driver.counters.value(SystemCounter.SYSTEM_INVALID_PACKETS) == 0
    assert driver.counters.value(SystemCounter.SYSTEM_ERRORS) == 0


@pytest.mark.parametrize("ours", ["ping", "pong", "both"])
def test_multicast_with_java(java, driver, free_port, shm_dir, ours):
    if not has_multicast():
        pytest.skip("no multicast on the loopback interface")
    mine = {"dir": driver.aeron_dir}
    java_driver = {"dir": shm_dir / "java", "embedded": True, "threading": "SHARED"}
    arguments = {
        "transport": "udp",
        "host": "224.20.30.39",
        "port": free_port(2),
        "params": "interface=127.0.0.1",
        "count": 1000,
        "warmup": 100,
        "runs": 1,
        "wait": "yield",
    }
    ends = {role: mine if ours in (role, "both") else java_driver for role in ("ping", "pong")}
    pong = java.start("PingPong", role="pong", **arguments, **ends["pong"])
    pong.await_event("READY")
    ping = java.run("PingPong", role="ping", **arguments, **ends["ping"])
    assert [event["count"] for event in ping.events if event["event"] == "result"] == [1000]
    pong.stop()
    assert driver.counters.value(SystemCounter.SYSTEM_ERRORS) == 0
