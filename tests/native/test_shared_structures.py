"""Rings, broadcast, counters and the error log on real threads without the GIL.

Run them with ``AERON_CLUSTER_BUILD=tsan`` and the sanitizer's library preloaded to have the
orderings checked as well.
"""

import threading
from pathlib import Path

import pytest

from aeron_cluster.memory.shared.broadcast import BroadcastReceiver, BroadcastTransmitter
from aeron_cluster.memory.shared.counters import AtomicCounter, CountersManager
from aeron_cluster.memory.shared.error_log import DistinctErrorLog
from aeron_cluster.memory.shared.ring_buffer import ManyToOneRingBuffer, OneToOneRingBuffer

MAX_YIELDS = 400_000_000
BOUND_S = 120.0


@pytest.fixture(scope="module")
def native(build_extension):
    return build_extension(Path(__file__).parent / "shared_structures.pyx")


def run(*calls):
    """Run each call in a thread; return their results."""
    results = [None] * len(calls)

    def call(index, function, arguments):
        results[index] = function(*arguments)

    threads = [
        threading.Thread(target=call, args=(i, function, arguments), daemon=True)
        for i, (function, *arguments) in enumerate(calls)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(BOUND_S)
        assert not thread.is_alive(), "timeout"
    return results


@pytest.mark.parametrize("producers", [1, 2, 4])
@pytest.mark.parametrize("capacity", [1024, 64 * 1024])
def test_many_producers_lose_and_reorder_nothing(native, producers, capacity):
    count = 240_000 // producers
    ring = ManyToOneRingBuffer(bytearray(capacity + 768))

    consumed, *produced = run(
        (native.consume, ring, count * producers, MAX_YIELDS),
        *((native.produce, ring, i, count, MAX_YIELDS) for i in range(producers)),
    )
    assert produced == [count] * producers
    assert consumed == (count * producers, 0)
    assert ring.size in range(1024)  # only padding or aborted claims remain


@pytest.mark.parametrize("capacity", [1024, 64 * 1024])
def test_one_producer_loses_and_reorders_nothing(native, capacity):
    count = 400_000
    ring = OneToOneRingBuffer(bytearray(capacity + 768))

    consumed, produced = run(
        (native.consume, ring, count, MAX_YIELDS), (native.produce, ring, 0, count, MAX_YIELDS)
    )
    assert produced == count
    assert consumed == (count, 0)


@pytest.mark.parametrize(("capacity", "pause_each"), [(2048, 1000), (2048, 3), (64 * 1024, 50)])
def test_receivers_get_complete_messages_in_order_or_detect_a_gap(native, capacity, pause_each):
    count = 400_000
    memory = bytearray(capacity + 128)
    transmitter = BroadcastTransmitter(memory)
    receivers = [BroadcastReceiver(memory) for _ in range(2)]

    sent, *received = run(
        (native.transmit, transmitter, 0, count, pause_each),
        *((native.receive, receiver, count, MAX_YIELDS) for receiver in receivers),
    )
    assert sent == count
    for (seen, wrong, laps, last), receiver in zip(received, receivers, strict=True):
        assert wrong == 0
        assert last == count - 1
        assert laps == receiver.lapped_count
        assert seen == count if laps == 0 else 0 < seen <= count + laps


def test_no_increment_of_a_counter_is_lost(native):
    manager = CountersManager(bytearray(512), bytearray(128))
    counter = AtomicCounter(manager, manager.allocate("x", 1, now_ms=0))

    run(*((native.count_up, counter, 50_000) for _ in range(3)))
    assert counter.get() == 150_000


def test_errors_of_all_threads_are_counted(native):
    log = DistinctErrorLog(bytearray(4096))

    run(*((native.record_errors, log, i, 14_000) for i in range(3)))

    counts = {entry.text: entry.observation_count for entry in log.entries()}
    assert counts == {
        **{f"thread {i}": 7000 for i in range(3)},
        **{f"shared {i}": 3000 for i in range(0, 14, 2)},
    }
