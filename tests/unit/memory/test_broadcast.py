"""Broadcast buffers: receivers get every message in order, or an error about missed ones."""

import struct

import pytest

from aeron_cluster.errors import (
    ClosedError,
    ConfigurationError,
    CorruptError,
    LappedError,
    MessageError,
)
from aeron_cluster.memory.shared.broadcast import BroadcastReceiver, BroadcastTransmitter

TRAILER = 128
CAPACITY = 1024


def create_broadcast(capacity=CAPACITY):
    memory = bytearray(capacity + TRAILER)
    return memory, BroadcastTransmitter(memory), BroadcastReceiver(memory)


def receive_all(receiver):
    messages = []
    while (message := receiver.receive()) is not None:
        messages.append(message)
    return messages


def test_capacity_is_without_the_trailer():
    memory, transmitter, receiver = create_broadcast()
    assert transmitter.capacity == receiver.capacity == CAPACITY
    for buffer in (transmitter, receiver):
        with pytest.raises(RuntimeError, match="initialised once"):
            buffer.__init__(memory)


def test_messages_arrive_in_order_at_every_receiver():
    memory, transmitter, receiver = create_broadcast()
    other = BroadcastReceiver(memory)
    transmitter.transmit(1, b"first")
    transmitter.transmit(2, b"")
    transmitter.transmit(3, memoryview(b"x" * 128))

    expected = [(1, b"first"), (2, b""), (3, b"x" * 128)]
    assert receive_all(receiver) == expected
    assert receive_all(other) == expected
    assert receiver.receive() is None


def test_record_has_aerons_layout():
    memory, transmitter, _ = create_broadcast()
    transmitter.transmit(9, b"first")
    transmitter.transmit(5, b"abcdefghi")

    assert memory[16:40] == struct.pack("<ii9s7x", 17, 5, b"abcdefghi")
    tail_intent, tail, latest = struct.unpack_from("<qqq", memory, CAPACITY)
    assert (tail_intent, tail, latest) == (40, 40, 16)


def test_message_too_long_for_the_rest_starts_at_the_front():
    memory, transmitter, receiver = create_broadcast()
    for i in range(8):
        transmitter.transmit(1, bytes([i]) * 100)
    receive_all(receiver)

    transmitter.transmit(2, b"z" * 128)
    transmitter.transmit(3, b"w" * 100)

    position = 8 * 112
    assert position + 136 > CAPACITY
    assert struct.unpack_from("<ii", memory, position) == (CAPACITY - position, -1)
    assert receive_all(receiver) == [(2, b"z" * 128), (3, b"w" * 100)]


def test_a_new_receiver_gets_the_newest_message_again():
    memory, transmitter, _ = create_broadcast()
    transmitter.transmit(1, b"old")
    transmitter.transmit(2, b"newest")

    assert receive_all(BroadcastReceiver(memory)) == [(2, b"newest")]


def test_a_slow_receiver_is_notified_and_continues_with_the_newest():
    _, transmitter, receiver = create_broadcast()
    for i in range(100):
        transmitter.transmit(1, i.to_bytes(100, "little"))

    with pytest.raises(LappedError, match="too slow to keep up"):
        receiver.receive()
    assert receiver.lapped_count == 1
    assert receive_all(receiver) == [(1, (99).to_bytes(100, "little"))]


def test_receiver_lapped_by_nobody_loses_nothing():
    _, transmitter, receiver = create_broadcast()
    for i in range(8):
        transmitter.transmit(1, bytes([i]) * 120)

    assert [data[0] for _, data in receive_all(receiver)] == list(range(8))


def test_announced_overwrite_counts_as_lapped():
    memory, transmitter, receiver = create_broadcast()
    transmitter.transmit(1, b"x")
    struct.pack_into("<q", memory, CAPACITY, CAPACITY + 8)

    with pytest.raises(LappedError):
        receiver.receive()


def test_rejects_messages_it_cannot_send():
    _, transmitter, receiver = create_broadcast()
    for message_type in (0, -1):
        with pytest.raises(MessageError, match="message type"):
            transmitter.transmit(message_type, b"")
    with pytest.raises(MessageError, match="0 to 128 bytes"):
        transmitter.transmit(1, b"x" * 129)
    assert receiver.receive() is None


@pytest.mark.parametrize("length", [0, TRAILER, TRAILER + 32, TRAILER + 1000, TRAILER - 64])
@pytest.mark.parametrize("kind", [BroadcastTransmitter, BroadcastReceiver])
def test_rejects_a_buffer_of_the_wrong_length(kind, length):
    with pytest.raises(ConfigurationError) as raised:
        kind(bytearray(length))
    assert raised.value.found == length


def test_a_receiver_needs_no_writable_buffer():
    memory, transmitter, _ = create_broadcast()
    transmitter.transmit(1, b"x")
    assert receive_all(BroadcastReceiver(bytes(memory))) == [(1, b"x")]
    with pytest.raises(BufferError):
        BroadcastTransmitter(bytes(memory))


def test_closed_ends_reject_and_keep_their_memory():
    memory, transmitter, receiver = create_broadcast()
    transmitter.close()
    receiver.close()

    with pytest.raises(ClosedError):
        transmitter.transmit(1, b"")
    with pytest.raises(ClosedError):
        receiver.receive()
    with pytest.raises(BufferError):
        memory.append(0)
    del transmitter, receiver
    memory.append(0)


@pytest.mark.parametrize(
    ("length", "message_type"),
    [(0, 1), (-8, 1), (7, 1), (-(2**31), 1), (2**31 - 1, 1), (CAPACITY + 8, 1), (500, 1), (8, -1)],
)
def test_invalid_record_is_reported_and_not_followed(length, message_type):
    memory, transmitter, receiver = create_broadcast()
    transmitter.transmit(1, b"x")
    struct.pack_into("<ii", memory, 0, length, message_type)

    for _ in range(2):
        with pytest.raises(CorruptError, match="broadcast buffer at 0") as found:
            receiver.receive()
        assert found.value.found == length


def test_positions_between_records_are_reported():
    memory, transmitter, receiver = create_broadcast()
    transmitter.transmit(1, b"x")
    struct.pack_into("<qqq", memory, CAPACITY, 20, 20, 4)
    with pytest.raises(CorruptError):
        BroadcastReceiver(memory).receive()
    with pytest.raises(CorruptError, match="tail position 20"):
        transmitter.transmit(1, b"x")
    assert receiver.receive() == (1, b"x")
