"""Ring buffers: messages are read once and in order, and damage is rejected."""

import struct

import pytest

from aeron_cluster.errors import ClosedError, ConfigurationError, CorruptError, MessageError
from aeron_cluster.memory.shared.ring_buffer import (
    ControlledReadAction,
    ManyToOneRingBuffer,
    OneToOneRingBuffer,
    RingBuffer,
)

TRAILER = 768
CAPACITY = 1024
TAIL, HEAD = CAPACITY + 128, CAPACITY + 384

KINDS = pytest.mark.parametrize("kind", [ManyToOneRingBuffer, OneToOneRingBuffer])


def create_ring(kind=ManyToOneRingBuffer, capacity=CAPACITY):
    memory = bytearray(capacity + TRAILER)
    return memory, kind(memory)


def read_all(ring, limit=1000):
    messages = []
    position = -1
    while position != ring.consumer_position:  # a read may return after only padding
        position = ring.consumer_position
        ring.read(lambda message_type, data: messages.append((message_type, data)), limit)
    return messages


def put_i32(memory, offset, value):
    struct.pack_into("<i", memory, offset, value)


def put_i64(memory, offset, value):
    struct.pack_into("<q", memory, offset, value)


@KINDS
def test_messages_are_delivered_as_they_were_sent(kind):
    _, ring = create_ring(kind)

    assert ring.write(1, b"first")
    assert ring.write(7, b"")
    assert ring.write(2**31 - 1, memoryview(b"x" * 128))

    assert read_all(ring) == [(1, b"first"), (7, b""), (2**31 - 1, b"x" * 128)]
    assert read_all(ring) == []


@KINDS
def test_record_has_aerons_layout(kind):
    memory, ring = create_ring(kind)

    ring.write(5, b"abcde")

    assert memory[:16] == struct.pack("<ii5s3x", 13, 5, b"abcde")
    assert struct.unpack_from("<q", memory, TAIL) == (16,)
    assert ring.producer_position == ring.size == 16
    read_all(ring)
    assert struct.unpack_from("<q", memory, HEAD) == (16,)
    assert ring.size == 0


def test_many_to_one_consumer_zeroes_read_records():
    memory, ring = create_ring()
    ring.write(5, b"abcde")

    read_all(ring)

    assert not any(memory[:CAPACITY])


def test_one_to_one_producer_zeroes_the_next_header():
    memory, ring = create_ring(OneToOneRingBuffer)
    memory[16:24] = b"leftover"

    ring.write(5, b"abcde")

    assert not any(memory[16:24])


@KINDS
def test_message_too_long_for_the_rest_starts_at_the_front(kind):
    memory, ring = create_ring(kind)
    for _ in range(8):
        ring.write(1, b"x" * 120)
        if _ % 4 == 3:
            read_all(ring)
    assert ring.producer_position == 8 * 128
    for _ in range(7):
        ring.write(1, b"y" * 120)
    read_all(ring)
    ring.write(2, b"z" * 60)
    read_all(ring)

    assert ring.write(3, b"w" * 100)

    padding = 8 * 128 + 7 * 128 + 72 - CAPACITY
    assert struct.unpack_from("<ii", memory, padding) == (CAPACITY - padding, -1)
    assert struct.unpack_from("<ii", memory, 0) == (108, 3)
    assert read_all(ring) == [(3, b"w" * 100)]


@KINDS
def test_a_full_ring_accepts_nothing_and_loses_nothing(kind):
    _, ring = create_ring(kind)
    count = 0
    while ring.write(1, count.to_bytes(8, "little")):
        count += 1

    assert count >= CAPACITY // 16 - 1
    assert ring.size <= CAPACITY
    assert [int.from_bytes(data, "little") for _, data in read_all(ring)] == list(range(count))
    assert ring.write(1, b"again")


@KINDS
def test_the_limit_bounds_a_read(kind):
    _, ring = create_ring(kind)
    for i in range(5):
        ring.write(1, bytes([i]))

    seen = []
    assert ring.read(lambda _, data: seen.append(data[0]), 2) == 2
    assert seen == [0, 1]
    assert ring.read(lambda _, data: seen.append(data[0]), 0) == 0
    assert ring.read(lambda _, data: seen.append(data[0])) == 3


@KINDS
def test_rejects_message_types_below_one(kind):
    _, ring = create_ring(kind)
    for message_type in (0, -1, -(2**31)):
        with pytest.raises(MessageError, match="message type") as raised:
            ring.write(message_type, b"")
        assert raised.value.found == message_type
        with pytest.raises(MessageError, match="message type"):
            ring.try_claim(message_type, 1)
    assert ring.size == 0


@KINDS
def test_rejects_messages_longer_than_an_eighth_of_the_ring(kind):
    _, ring = create_ring(kind)
    assert ring.max_message_length == CAPACITY // 8
    assert ring.write(1, b"x" * 128)
    with pytest.raises(MessageError, match="0 to 128 bytes"):
        ring.write(1, b"x" * 129)
    with pytest.raises(MessageError):
        ring.try_claim(1, -1)
    with pytest.raises(MessageError):
        ring.try_claim(1, 2**31 - 1)


@KINDS
@pytest.mark.parametrize("length", [0, TRAILER, TRAILER + 32, TRAILER + 1000, TRAILER - 64])
def test_rejects_a_buffer_of_the_wrong_length(kind, length):
    with pytest.raises(ConfigurationError) as raised:
        kind(bytearray(length))
    assert raised.value.found == length


@KINDS
def test_rejects_a_misaligned_or_read_only_buffer(kind):
    with pytest.raises(ConfigurationError):
        kind(memoryview(bytearray(CAPACITY + TRAILER + 8))[4:-4])
    with pytest.raises(BufferError):
        kind(bytes(CAPACITY + TRAILER))


def test_the_common_base_is_no_ring_buffer():
    with pytest.raises(TypeError, match="ManyToOneRingBuffer"):
        RingBuffer(bytearray(CAPACITY + TRAILER))


@KINDS
def test_a_closed_ring_rejects_writes_and_retains_its_memory(kind):
    memory, ring = create_ring(kind)
    ring.close()
    ring.close()

    assert ring.closed
    calls = [
        (ring.write, 1, b""),
        (ring.try_claim, 1, 0),
        (ring.commit, 8),
        (ring.abort, 8),
        (ring.read, print),
        (ring.next_correlation_id,),
        (getattr, ring, "size"),
        (getattr, ring, "consumer_heartbeat_ms"),
    ]
    for call, *arguments in calls:
        with pytest.raises(ClosedError, match="RingBuffer"):
            call(*arguments)
    with pytest.raises(BufferError):
        memory.append(0)
    del calls, call, arguments, ring
    memory.append(0)


@KINDS
def test_a_claim_is_seen_when_committed(kind):
    memory, ring = create_ring(kind)
    offset = ring.try_claim(4, 3)
    memory[offset : offset + 3] = b"abc"

    assert struct.unpack_from("<ii", memory, offset - 8) == (-11, 4)
    assert read_all(ring) == []
    ring.commit(offset)
    assert read_all(ring) == [(4, b"abc")]


@KINDS
def test_an_aborted_claim_is_skipped(kind):
    _, ring = create_ring(kind)
    offset = ring.try_claim(4, 3)
    ring.write(5, b"next")
    ring.abort(offset)

    assert read_all(ring) == [(5, b"next")]


@KINDS
def test_only_an_open_claim_can_be_committed(kind):
    _, ring = create_ring(kind)
    offset = ring.try_claim(4, 3)
    ring.commit(offset)
    for wrong in (offset, offset + 8, offset + 1, 0, -8, CAPACITY, CAPACITY + 8, 2**40):
        with pytest.raises(MessageError, match="claim"):
            ring.commit(wrong)
        with pytest.raises(MessageError, match="claim"):
            ring.abort(wrong)


@KINDS
def test_raising_handler_ends_the_read_after_its_message(kind):
    _, ring = create_ring(kind)
    for i in range(3):
        ring.write(1, bytes([i]))

    def reject(_, data):
        if data[0] == 1:
            raise ZeroDivisionError("as asked")

    with pytest.raises(ZeroDivisionError, match="as asked"):
        ring.read(reject)
    assert read_all(ring) == [(1, b"\x02")]


@KINDS
def test_controlled_reads(kind):
    _, ring = create_ring(kind)
    for i in range(4):
        ring.write(1, bytes([i]))
    actions = iter(
        [
            ControlledReadAction.READ_CONTINUE,
            ControlledReadAction.READ_COMMIT,
            ControlledReadAction.READ_ABORT,
        ]
    )
    positions = []

    def handler(_, data):
        positions.append((data[0], ring.consumer_position))
        return next(actions)

    assert ring.controlled_read(handler) == 2
    assert positions == [(0, 0), (1, 0), (2, 32)]
    assert ring.consumer_position == 32

    actions = iter([ControlledReadAction.READ_BREAK])
    assert ring.controlled_read(handler) == 1
    assert positions[-1] == (2, 32)
    assert read_all(ring) == [(1, b"\x03")]


@KINDS
def test_correlation_ids_and_heartbeat_are_in_the_trailer(kind):
    memory, ring = create_ring(kind)
    other = kind(memory)

    assert [ring.next_correlation_id(), other.next_correlation_id()] == [0, 1]
    assert struct.unpack_from("<q", memory, CAPACITY + 512) == (2,)
    ring.consumer_heartbeat_ms = 1234
    assert other.consumer_heartbeat_ms == 1234
    assert struct.unpack_from("<q", memory, CAPACITY + 640) == (1234,)


def test_unblocks_a_record_of_a_producer_dead_while_writing():
    _, ring = create_ring()
    ring.try_claim(4, 3)
    ring.write(5, b"next")
    assert read_all(ring) == []

    assert ring.unblock()
    assert read_all(ring) == [(5, b"next")]
    assert not ring.unblock()


def test_unblocks_a_gap_of_a_producer_dead_before_writing():
    memory, ring = create_ring()
    put_i64(memory, TAIL, 48)
    assert not ring.unblock()  # no later record shows where it ends
    ring.write(5, b"next")

    assert ring.unblock()
    assert struct.unpack_from("<ii", memory, 0) == (48, -1)
    assert read_all(ring) == [(5, b"next")]


def test_unblocks_a_gap_reaching_the_end():
    memory, ring = create_ring()
    for position in (TAIL, HEAD, CAPACITY + 256):
        put_i64(memory, position, CAPACITY - 48)
    put_i64(memory, TAIL, CAPACITY)
    assert not ring.unblock()
    ring.write(5, b"next")

    assert ring.unblock()
    assert read_all(ring) == [(5, b"next")]


def test_does_not_unblock_an_empty_ring_or_a_finished_record():
    _, ring = create_ring()
    assert not ring.unblock()
    ring.write(1, b"x")
    assert not ring.unblock()


@KINDS
@pytest.mark.parametrize("length", [1, 7, 33, CAPACITY, CAPACITY + 1, 2**31 - 1])
def test_invalid_length_is_reported_and_not_followed(kind, length):
    memory, ring = create_ring(kind)
    ring.write(1, b"good")
    ring.write(2, b"bad")
    ring.write(3, b"lost")
    put_i32(memory, 16, length)

    messages = []
    assert ring.read(lambda *message: messages.append(message)) == 1
    assert messages == [(1, b"good")]
    with pytest.raises(CorruptError, match="record length") as found:
        ring.read(lambda *message: messages.append(message))
    assert found.value.offset == 16
    assert found.value.found == length

    assert ring.skip_corrupt() > 0
    assert ring.size == 0
    ring.write(4, b"after")
    assert read_all(ring) == [(4, b"after")]


@KINDS
@pytest.mark.parametrize("is_controlled", [False, True])
@pytest.mark.parametrize("length", [7, 24, 2**31 - 1], ids=["short", "unwritten", "long"])
def test_record_beyond_the_written_ones_is_reported_to_each_read(kind, is_controlled, length):
    memory, ring = create_ring(kind)
    ring.write(1, b"x")
    put_i32(memory, 0, length)
    messages = []

    def on_message(*message):
        messages.append(message)
        return ControlledReadAction.CONTINUE

    read = ring.controlled_read if is_controlled else ring.read
    with pytest.raises(CorruptError, match="record length") as found:
        read(on_message)
    assert (found.value.offset, found.value.found) == (0, length)
    assert messages == []


@KINDS
def test_a_head_between_records_is_reported(kind):
    memory, ring = create_ring(kind)
    ring.write(1, b"good")
    put_i64(memory, HEAD, 4)

    with pytest.raises(CorruptError, match="head position"):
        read_all(ring)
    assert ring.skip_corrupt() == CAPACITY
    ring.write(4, b"after")
    assert read_all(ring) == [(4, b"after")]


@KINDS
def test_a_tail_between_records_stops_producers(kind):
    memory, ring = create_ring(kind)
    put_i64(memory, TAIL, CAPACITY - 4)

    with pytest.raises(CorruptError, match="tail position"):
        ring.write(1, b"message")
    ring.skip_corrupt()
    assert ring.write(4, b"after")
    assert read_all(ring) == [(4, b"after")]


@pytest.mark.parametrize("length", [-(2**31), -7, -CAPACITY - 8, -(2**31) + 1])
def test_an_unfinished_record_of_impossible_length_is_reported(length):
    memory, ring = create_ring()
    ring.write(1, b"x")
    put_i32(memory, 0, length)

    assert read_all(ring) == []
    with pytest.raises(CorruptError, match="unfinished"):
        ring.unblock()
    assert ring.skip_corrupt() == 16


@pytest.mark.parametrize(("head", "tail"), [(64, 0), (4, 64), (0, CAPACITY + 64)])
def test_invalid_positions_are_reported(head, tail):
    memory, ring = create_ring()
    put_i64(memory, HEAD, head)
    put_i64(memory, TAIL, tail)

    if head == 4:
        with pytest.raises(CorruptError, match="head position 4, expected a multiple of 8"):
            read_all(ring)
    else:
        assert read_all(ring) == []
    with pytest.raises(CorruptError, match=f"head position {head}"):
        ring.unblock()
    assert ring.skip_corrupt() == CAPACITY
    assert ring.write(4, b"after")
    assert read_all(ring) == [(4, b"after")]


@KINDS
def test_head_cache_beyond_the_tail_is_ignored(kind):
    memory, ring = create_ring(kind)
    put_i64(memory, CAPACITY + 256, 2**40)
    count = 0
    while ring.write(1, bytes(8)):
        count += 1
    assert count * 16 <= CAPACITY
    assert len(read_all(ring)) == count


def test_a_tail_between_records_is_found_by_the_consumer():
    memory, ring = create_ring()
    put_i64(memory, TAIL, 20)
    with pytest.raises(CorruptError, match="tail position 20"):
        ring.unblock()
    ring.skip_corrupt()
    assert ring.write(4, b"after")
    assert read_all(ring) == [(4, b"after")]


def test_unknown_types_are_delivered():
    memory, ring = create_ring()
    ring.write(1, b"x")
    put_i32(memory, 4, -5)

    assert read_all(ring) == [(-5, b"x")]
