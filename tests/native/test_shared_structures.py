"""Rings, broadcast, counters and the error log on real threads without the GIL.

Run them with ``AERON_CLUSTER_BUILD=tsan`` and the sanitizer's library preloaded to have the
orderings checked as well.
"""

import struct
import threading
from pathlib import Path

import pytest

from aeron_cluster.memory.shared.broadcast import BroadcastReceiver, BroadcastTransmitter
from aeron_cluster.memory.shared.counters import AtomicCounter, CountersManager, CountersStatus
from aeron_cluster.memory.shared.error_log import DistinctErrorLog, ErrorLogStatus
from aeron_cluster.memory.shared.ring_buffer import (
    ManyToOneRingBuffer,
    OneToOneRingBuffer,
    RingStatus,
)

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


# ---- what only callers in C can pass, or call ----


@pytest.fixture(params=[ManyToOneRingBuffer, OneToOneRingBuffer])
def ring(request):
    made = request.param(bytearray(1024 + 768))
    for message_type in (1, 2, 3):
        made.write(message_type, bytes(8))
    return made


@pytest.mark.parametrize(
    ("action", "seen", "left"),
    [("abort", [1, 2], [2, 3]), ("break", [1, 2], [3]), ("commit", [1, 2, 3], [])],
)
def test_a_handler_in_c_controls_a_read(native, ring, action, seen, left):
    result, types = native.read_until(ring, action, 2)
    assert types == seen
    assert result == 3 - len(left)
    assert native.read_types(ring, 16) == (len(left), left)
    assert ring.size == 0


def test_a_read_delivers_what_is_before_a_corrupt_record_and_then_rejects_it(native, ring):
    memory = bytearray(1024 + 768)
    damaged = type(ring)(memory)
    for message_type in (1, 2, 3):
        damaged.write(message_type, bytes(8))
    struct.pack_into("<i", memory, 16, 1 << 20)
    assert native.read_types(damaged, 16) == (1, [1])
    for _ in range(2):
        assert native.read_types(damaged, 16) == (RingStatus.RING_CORRUPT, [])
        assert native.read_until(damaged, "break", 2) == (RingStatus.RING_CORRUPT, [])


@pytest.mark.parametrize("length", [-1, 0, 8, (1 << 31) * 128 + 768])
def test_a_length_that_no_structure_can_have_is_rejected(native, length):
    assert native.init_with_lengths(bytearray(1024), length) == {
        "ring": RingStatus.RING_INVALID_CAPACITY,
        "error log": ErrorLogStatus.ERROR_LOG_INVALID_CAPACITY,
        "counters": CountersStatus.COUNTERS_INVALID_CAPACITY,
        "manager": CountersStatus.COUNTERS_INVALID_CAPACITY,
    }


@pytest.mark.parametrize(("length", "status"), [(-1, -4), (16, 0), (129, -4)])
def test_the_length_of_an_event_is_from_0_to_an_eighth_of_the_buffer(native, length, status):
    assert native.transmit_length(BroadcastTransmitter(bytearray(1024 + 128)), length) == status


def test_counters_are_visited_in_order_until_the_visitor_ends_it(native):
    manager = CountersManager(bytearray(512 * 8), bytearray(128 * 8))
    assert native.ids_up_to(manager, 9) == (0, [])
    for _ in range(5):
        manager.allocate("x", 1, now_ms=0)
    manager.free(1, now_ms=0)
    assert native.ids_up_to(manager, 9) == (4, [0, 2, 3, 4])
    assert native.ids_up_to(manager, 3) == (3, [0, 2, 3])
    full = CountersManager(bytearray(512), bytearray(128))
    full.allocate("x", 1, now_ms=0)
    assert native.ids_up_to(full, 9) == (1, [0])


@pytest.mark.parametrize("counter_id", [-1, 2, 1 << 30])
def test_a_counter_that_does_not_exist_is_unused_and_is_not_freed(native, counter_id):
    manager = CountersManager(bytearray(1024), bytearray(256))
    assert native.state_of(manager, counter_id) == 0
    assert native.free_counter(manager, counter_id) == CountersStatus.COUNTERS_NOT_ALLOCATED


@pytest.mark.parametrize("key_length", [-1, 113])
def test_a_key_of_another_length_allocates_no_counter(native, key_length):
    manager = CountersManager(bytearray(1024), bytearray(256))
    found = native.allocate_with_key(manager, key_length)
    assert found == CountersStatus.COUNTERS_KEY_TOO_LONG
    assert native.allocate_with_key(manager, 112) == 0
