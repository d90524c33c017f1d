"""Counters: allocated, freed and reused as in Aeron, and found by readers of the file."""

import re
import struct
from pathlib import Path

import pytest

from aeron_cluster.errors import (
    ClosedError,
    ConfigurationError,
    InsufficientSpaceError,
    MessageError,
    StateError,
)
from aeron_cluster.memory.shared.counter_descriptor import MAX_KEY_LENGTH, MAX_LABEL_LENGTH
from aeron_cluster.memory.shared.counters import AtomicCounter, CountersManager, CountersReader
from aeron_cluster.memory.shared.counters_layout import CounterState, CounterType
from aeron_cluster.native import get_include

COUNT = 4
REUSE_MS = 1000
INT64_MAX = 2**63 - 1


def buffers(count=COUNT):
    return bytearray(512 * count), bytearray(128 * count)


def create_counters(count=COUNT):
    metadata, values = buffers(count)
    return metadata, values, CountersManager(metadata, values, REUSE_MS)


def test_owner_and_reference_of_a_counter_can_be_set():
    _, _, manager = create_counters()
    first, second = (manager.allocate(name, 1, now_ms=0) for name in ("first", "second"))
    manager.set_owner_id(second, 6)
    manager.set_reference_id(second, 2**62)
    assert [manager.owner_id(each) for each in (first, second)] == [0, 6]
    assert [manager.reference_id(each) for each in (first, second)] == [0, 2**62]
    for change in (manager.set_owner_id, manager.set_reference_id):
        with pytest.raises(MessageError):
            change(COUNT, 1)


@pytest.mark.parametrize("kind", [CountersReader, CountersManager])
def test_counters_are_initialised_once(kind):
    counters = kind(*buffers())
    with pytest.raises(RuntimeError, match="once"):
        counters.__init__(*buffers())


def test_allocated_counter_has_aerons_layout():
    metadata, values, manager = create_counters()
    manager.allocate("first", 1, now_ms=0)

    counter_id = manager.allocate(
        "snd-pos: 5",
        CounterType.COUNTER_TYPE_SENDER_POSITION,
        b"key",
        now_ms=0,
        registration_id=5,
        owner_id=6,
        reference_id=7,
        value=-8,
    )

    assert counter_id == 1
    assert struct.unpack_from("<qqqq", values, 128) == (-8, 5, 6, 7)
    state, type_id, deadline, key, length = struct.unpack_from("<iiq112si", metadata, 512)
    assert (state, type_id, deadline, length) == (1, 2, INT64_MAX, 10)
    assert key == b"key".ljust(112, b"\0")
    assert metadata[512 + 132 :][:11] == b"snd-pos: 5\0"


def test_a_reader_describes_allocated_counters():
    metadata, values, manager = create_counters()
    for i in range(3):
        manager.allocate(f"counter {i}", 100 + i, bytes([i]), now_ms=0, registration_id=10 * i)
    manager.free(1, now_ms=0)
    reader = CountersReader(metadata, values)

    found = reader.counters()
    assert [(one.counter_id, one.label, one.type_id) for one in found] == [
        (0, "counter 0", 100),
        (2, "counter 2", 102),
    ]
    assert found[1].registration_id == 20
    assert reader.counters(102) == found[1:]
    assert reader.counters(101) == []  # counter 1 was freed
    assert found[1].key == b"\x02".ljust(112, b"\0")
    assert reader.find(102, 20) == 2
    assert reader.find(101, 10) is None
    assert reader.find(102, 21) is None
    assert len(reader) == COUNT
    assert [reader.state(i) for i in range(4)] == [
        CounterState.COUNTER_ALLOCATED,
        CounterState.COUNTER_RECLAIMED,
        CounterState.COUNTER_ALLOCATED,
        CounterState.COUNTER_UNUSED,
    ]


def test_a_freed_counter_rests_before_it_is_used_again():
    _, _, manager = create_counters()
    first = manager.allocate("first", 1, b"key", now_ms=0, registration_id=9, value=3)
    manager.free(first, now_ms=500)

    assert manager.state(first) == CounterState.COUNTER_RECLAIMED
    assert manager.free_for_reuse_deadline_ms(first) == 1500
    assert manager.key(first) == bytes(112)
    assert manager.allocate("second", 1, now_ms=1499) == 1
    assert manager.allocate("third", 2, now_ms=1500) == first
    assert manager.label(first) == "third"
    assert manager.value(first) == manager.registration_id(first) == manager.owner_id(first) == 0
    assert manager.reference_id(first) == 0


def test_counters_freed_first_are_used_first():
    _, _, manager = create_counters()
    for _ in range(COUNT):
        manager.allocate("x", 1, now_ms=0)
    for counter_id in (2, 0, 3):
        manager.free(counter_id, now_ms=0)

    assert [manager.allocate("y", 1, now_ms=REUSE_MS) for _ in range(3)] == [2, 0, 3]


def test_counters_are_reused_after_the_wall_clock_was_set_back():
    _, _, manager = create_counters()
    for _ in range(COUNT):
        manager.allocate("x", 1, now_ms=0)
    manager.free(2, now_ms=3_600_000)
    manager.free(1, now_ms=5)  # after a step back by an hour

    with pytest.raises(InsufficientSpaceError):
        manager.allocate("too early", 1, now_ms=10)
    with pytest.raises(InsufficientSpaceError):
        manager.allocate("too early", 1, now_ms=9 + REUSE_MS)
    assert [manager.allocate("y", 1, now_ms=10 + REUSE_MS) for _ in range(2)] == [2, 1]


def test_a_full_table_raises():
    _, _, manager = create_counters()
    for _ in range(COUNT):
        manager.allocate("x", 1, now_ms=0)
    with pytest.raises(InsufficientSpaceError, match="all 4 counters in use"):
        manager.allocate("too many", 1, now_ms=0)
    manager.free(1, now_ms=0)
    with pytest.raises(InsufficientSpaceError):
        manager.allocate("too early", 1, now_ms=REUSE_MS - 1)
    assert manager.allocate("fits", 1, now_ms=REUSE_MS) == 1


def test_frees_only_allocated_counters():
    metadata, _, manager = create_counters()
    manager.allocate("x", 1, now_ms=0)
    manager.free(0, now_ms=0)
    with pytest.raises(StateError, match="counter 0"):
        manager.free(0, now_ms=0)
    struct.pack_into("<i", metadata, 0, 1)  # as if written by another process
    with pytest.raises(StateError):
        manager.free(0, now_ms=0)
    with pytest.raises(StateError):
        manager.free(1, now_ms=0)


@pytest.mark.parametrize("counter_id", [-1, COUNT, 2**31 - 1, -(2**31)])
def test_rejects_unknown_ids(counter_id):
    _, _, manager = create_counters()
    with pytest.raises(MessageError, match="counter id: expected 0 to 3"):
        manager.value(counter_id)
    with pytest.raises(MessageError):
        manager.free(counter_id, now_ms=0)
    with pytest.raises(MessageError):
        AtomicCounter(manager, counter_id)


def test_labels_are_cut_and_keys_rejected():
    _, _, manager = create_counters()
    assert manager.label(manager.allocate("é" + "x" * 400, 1, now_ms=0)) == "?" + "x" * 379
    manager.allocate("x", 1, b"k" * 112, now_ms=0)
    with pytest.raises(MessageError, match="0 to 112 bytes, found 113"):
        manager.allocate("x", 1, b"k" * 113, now_ms=0)


def test_labels_grow():
    _, _, manager = create_counters()
    counter_id = manager.allocate("client-heartbeat: id=1", 11, now_ms=0)

    assert manager.append_to_label(counter_id, " name=x") == 7
    assert manager.label(counter_id) == "client-heartbeat: id=1 name=x"
    assert manager.append_to_label(counter_id, "y" * 400) == 380 - 29
    assert manager.append_to_label(counter_id, "z") == 0
    manager.set_label(counter_id, "new")
    assert manager.label(counter_id) == "new"


@pytest.mark.parametrize("length", [-1, -(2**31), 381, 2**31 - 1])
def test_invalid_label_length_is_not_followed(length):
    metadata, _, manager = create_counters()
    manager.allocate("x", 1, now_ms=0)
    struct.pack_into("<i", metadata, 128, length)

    assert len(manager.label(0)) == (0 if length < 0 else 380)
    manager.append_to_label(0, "suffix")
    assert len(manager.label(0)) <= 380


def test_a_new_manager_adopts_existing_counters():
    metadata, values, manager = create_counters()
    for _ in range(3):
        manager.allocate("old", 1, now_ms=0)
    manager.free(1, now_ms=0)

    taken = CountersManager(metadata, values, REUSE_MS)
    assert taken.allocate("new", 1, now_ms=0) == 3
    assert taken.allocate("new", 1, now_ms=REUSE_MS) == 1
    taken.free(0, now_ms=0)


@pytest.mark.parametrize(
    ("metadata", "values"), [(0, 0), (512, 64), (511, 128), (512, 256), (1024, 384)]
)
def test_rejects_unfit_buffers(metadata, values):
    with pytest.raises(ConfigurationError, match="512 and 128 bytes a counter"):
        CountersReader(bytearray(metadata), bytearray(values))


def test_an_atomic_counter_is_the_value_in_place():
    _, values, manager = create_counters()
    manager.allocate("x", 7, now_ms=0, registration_id=3)
    counter = AtomicCounter(manager, 0)

    counter.set(5)
    counter.add(-2)
    assert counter.get() == 3
    assert counter.get_and_add(4) == 3
    assert struct.unpack_from("<q", values, 0) == (7,)
    assert not counter.compare_and_set(6, 0)
    assert counter.compare_and_set(7, 10)
    assert counter.propose_max(11)
    assert not counter.propose_max(11)
    assert counter.get() == 11
    assert (counter.label, counter.type_id, counter.registration_id) == ("x", 7, 3)


def test_atomic_counter_detects_reuse_of_its_id():
    _, _, manager = create_counters()
    manager.allocate("x", 7, now_ms=0, registration_id=3)
    counter = AtomicCounter(manager, 0)
    assert counter.is_current

    manager.free(0, now_ms=0)
    assert not counter.is_current
    manager.allocate("y", 7, now_ms=REUSE_MS, registration_id=4)
    assert not counter.is_current
    assert AtomicCounter(manager, 0).is_current


def test_a_counter_retains_its_memory():
    _, values, manager = create_counters()
    counter = AtomicCounter(manager, 0)
    manager.close()
    del manager

    with pytest.raises(ClosedError, match="CountersManager"):
        counter.get()
    with pytest.raises(BufferError):
        values.append(0)
    del counter
    values.append(0)


def test_closed_counters_reject():
    _, _, manager = create_counters()
    manager.allocate("x", 7, now_ms=0)
    manager.close()
    assert manager.closed
    with pytest.raises(ClosedError):
        manager.allocate("x", 1, now_ms=0)
    with pytest.raises(ClosedError):
        manager.free(0, now_ms=0)
    with pytest.raises(ClosedError):
        manager.counters()


def test_lengths_of_key_and_label_are_those_of_the_layout():
    header = (Path(get_include()) / "aeron_cluster" / "counters.h").read_text()
    lengths = dict(re.findall(r"AC_COUNTER_(MAX_\w+_LENGTH) = (\d+)", header))
    assert lengths == {
        "MAX_KEY_LENGTH": str(MAX_KEY_LENGTH),
        "MAX_LABEL_LENGTH": str(MAX_LABEL_LENGTH),
    }
