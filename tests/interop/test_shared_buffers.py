"""Java at one end of a shared buffer and our code at the other, concurrently."""

from pathlib import Path

import pytest

from aeron_cluster.memory.shared.broadcast import BroadcastReceiver, BroadcastTransmitter
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.shared.ring_buffer import ManyToOneRingBuffer, OneToOneRingBuffer
from aeron_cluster.memory.system.seams import SystemFiles
from tests.native.conftest import build_extension  # noqa: F401
from tests.native.test_shared_structures import run

COUNT = 100_000
SECONDS = 110  # the longest that Java accepts
MAX_YIELDS = 400_000_000
SOURCE = Path(__file__).parents[1] / "native" / "shared_structures.pyx"


@pytest.fixture(scope="module")
def native(build_extension):  # noqa: F811
    return build_extension(SOURCE)


def mapped(shm_dir, length):
    return MappedFile.create(SystemFiles(), shm_dir / "buffer", length)


@pytest.mark.parametrize("capacity", [1024, 64 * 1024])
def test_java_and_our_producers_share_a_ring_read_by_us(java, native, shm_dir, capacity):
    ring = ManyToOneRingBuffer(mapped(shm_dir, capacity + 768))
    common = {"what": "produce", "file": shm_dir / "buffer", "count": COUNT, "seconds": SECONDS}
    peers = [java.start("SharedBuffers", producer=i, **common) for i in range(2)]

    consumed, ours = run(
        (native.consume, ring, 3 * COUNT, MAX_YIELDS),
        (native.produce, ring, 2, COUNT, MAX_YIELDS),
    )
    assert ours == COUNT
    assert consumed == (3 * COUNT, 0)
    assert [peer.await_event("result")["seen"] for peer in peers] == [COUNT, COUNT]


@pytest.mark.parametrize("capacity", [1024, 64 * 1024])
def test_our_producers_fill_a_ring_read_by_java(java, native, shm_dir, capacity):
    ring = ManyToOneRingBuffer(mapped(shm_dir, capacity + 768))
    peer = java.start(
        "SharedBuffers", what="consume", file=shm_dir / "buffer", count=2 * COUNT, seconds=SECONDS
    )
    peer.await_event("READY")

    ours = run(*((native.produce, ring, i, COUNT, MAX_YIELDS) for i in range(2)))
    assert ours == [COUNT, COUNT]
    result = peer.await_event("result")
    assert (result["seen"], result["wrong"]) == (2 * COUNT, 0)


@pytest.mark.parametrize("java_writes", [True, False])
@pytest.mark.parametrize("capacity", [1024, 64 * 1024])
def test_one_producer_and_one_consumer(java, native, shm_dir, capacity, java_writes):
    ring = OneToOneRingBuffer(mapped(shm_dir, capacity + 768))
    what = "produce" if java_writes else "consume"
    peer = java.start(
        "SharedBuffers",
        what=what,
        kind="one",
        file=shm_dir / "buffer",
        count=COUNT,
        seconds=SECONDS,
    )
    peer.await_event("READY")

    if java_writes:
        assert run((native.consume, ring, COUNT, MAX_YIELDS)) == [(COUNT, 0)]
    else:
        assert run((native.produce, ring, 0, COUNT, MAX_YIELDS)) == [COUNT]
    result = peer.await_event("result")
    assert (result["seen"], result["wrong"]) == (COUNT, 0)


@pytest.mark.parametrize("capacity", [2048, 64 * 1024])
def test_our_receiver_reads_javas_broadcasts(java, native, shm_dir, capacity):
    receiver = BroadcastReceiver(mapped(shm_dir, capacity + 128))
    peer = java.start("SharedBuffers", what="transmit", file=shm_dir / "buffer", count=COUNT)

    ((seen, wrong, laps, last),) = run((native.receive, receiver, COUNT, MAX_YIELDS))
    assert (wrong, last) == (0, COUNT - 1)
    assert 0 < seen <= COUNT + laps
    assert peer.await_event("result")["seen"] == COUNT


def test_java_receives_our_broadcasts(java, native, shm_dir):
    transmitter = BroadcastTransmitter(mapped(shm_dir, 64 * 1024 + 128))
    count = 60_000
    peer = java.start(
        "SharedBuffers", what="receive", file=shm_dir / "buffer", count=count, seconds=SECONDS
    )
    peer.await_event("READY")

    for first in range(0, count, 500):  # at most 60 KiB are unread
        since = len(peer.events)
        assert native.transmit(transmitter, first, 500, 20) == first + 500
        if first + 500 < count:
            peer.await_event("progress", since=since)
    result = peer.await_event("result")
    assert (result["seen"], result["wrong"]) == (count, 0)
