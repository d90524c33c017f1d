"""Ring buffers compared with a list of the written messages."""

import struct

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from aeron_cluster.errors import CorruptError
from aeron_cluster.memory.shared.ring_buffer import (
    ControlledReadAction,
    ManyToOneRingBuffer,
    OneToOneRingBuffer,
)

KINDS = st.sampled_from([ManyToOneRingBuffer, OneToOneRingBuffer])
TYPES = st.integers(1, 2**31 - 1)


def aligned(length):
    return (length + 7) & ~7


class RingModel(RuleBasedStateMachine):
    """A list of records: open ones block those after them, aborted ones disappear."""

    @initialize(kind=KINDS, exponent=st.integers(6, 12), start=st.integers(0, 2**40))
    def make(self, kind, exponent, start):
        self.capacity = 1 << exponent
        self.memory = bytearray(self.capacity + 768)
        # Positions only grow: begin far into the stream, at some record boundary.
        start = aligned(start)
        for offset in (128, 256, 384):
            struct.pack_into("<q", self.memory, self.capacity + offset, start)
        self.ring = kind(self.memory)
        self.records = []  # [state, type, payload, offset]; state: open, done, aborted

    @rule(message_type=TYPES, data=st.data())
    def write(self, message_type, data):
        payload = data.draw(st.binary(max_size=self.ring.max_message_length))
        used = self.ring.size
        taken = self.ring.write(message_type, payload)
        if taken:
            self.records.append(["done", message_type, payload, 0])
        else:
            # Twice a record's length covers padding to the end, plus the header after it.
            assert used + 2 * aligned(len(payload) + 8) + 8 > self.capacity

    @rule(message_type=TYPES, data=st.data())
    def claim(self, message_type, data):
        payload = data.draw(st.binary(max_size=self.ring.max_message_length))
        offset = self.ring.try_claim(message_type, len(payload))
        if offset >= 0:
            self.memory[offset : offset + len(payload)] = payload
            self.records.append(["open", message_type, payload, offset])

    @rule(data=st.data(), abort=st.booleans())
    def finish(self, data, abort):
        claims = [record for record in self.records if record[0] == "open"]
        if claims:
            record = data.draw(st.sampled_from(claims))
            record[0] = "aborted" if abort else "done"
            (self.ring.abort if abort else self.ring.commit)(record[3])

    def expected(self):
        readable = []
        for record in self.records:
            if record[0] == "open":
                break
            if record[0] == "done":
                readable.append((record[1], record[2]))
        return readable

    def forget(self, count):
        while self.records and self.records[0][0] != "open" and (count or not self.is_next_done()):
            count -= self.records.pop(0)[0] == "done"

    def is_next_done(self):
        return self.records[0][0] == "done"

    @rule(limit=st.integers(0, 20))
    def read(self, limit):
        seen = []
        expected = self.expected()
        count = self.ring.read(lambda *message: seen.append(message), limit)
        assert count == len(seen) <= limit
        assert seen == expected[:count]
        self.forget(count)

    @rule(data=st.data())
    def controlled_read(self, data):
        seen = []
        actions = st.sampled_from(ControlledReadAction)
        aborted = False

        def handler(*message):
            nonlocal aborted
            action = data.draw(actions)
            aborted = action == ControlledReadAction.READ_ABORT
            seen.append(message)
            return action

        expected = self.expected()
        count = self.ring.controlled_read(handler, 10)
        assert count == len(seen) - aborted
        assert seen == expected[: len(seen)]
        self.forget(count)

    @rule()
    def drain(self):
        position = -1
        seen = []
        expected = self.expected()
        while position != self.ring.consumer_position:
            position = self.ring.consumer_position
            self.ring.read(lambda *message: seen.append(message))
        assert seen == expected
        self.forget(len(seen))
        if not self.records:
            assert self.ring.size == 0

    @invariant()
    def positions_are_sane(self):
        if hasattr(self, "ring"):
            ring = self.ring
            assert 0 <= ring.producer_position - ring.consumer_position <= ring.capacity
            assert ring.size == ring.producer_position - ring.consumer_position


RingModel.TestCase.settings = settings(max_examples=60, stateful_step_count=60, deadline=None)
TestRingModel = RingModel.TestCase


@st.composite
def scribbles(draw, capacity):
    """Words a hostile process may write anywhere into a ring."""
    offsets = st.integers(0, (capacity + 768) // 4 - 1)
    lengths = st.one_of(
        st.integers(-(2**31), 2**31 - 1),
        st.integers(-16, 64),
        st.sampled_from([capacity, capacity - 8, -capacity, 2**31 - 1, -(2**31)]),
    )
    near = st.sampled_from([0, 4, 16, 24, *(capacity + i for i in (128, 256, 384, 388))])
    where = st.one_of(offsets.map(lambda i: 4 * i), near)
    return draw(st.lists(st.tuples(where, lengths), min_size=1, max_size=8))


CAPACITY = 512
GUARD = 64


@given(kind=KINDS, damage=scribbles(CAPACITY), filled=st.integers(0, 20))
@settings(max_examples=400, deadline=None)
def test_damage_is_never_followed_outside_the_ring(kind, damage, filled):
    guarded = bytearray(b"\xa5" * (GUARD + CAPACITY + 768 + GUARD))
    ring_memory = memoryview(guarded)[GUARD:-GUARD]
    ring_memory[:] = bytes(len(ring_memory))
    ring = kind(ring_memory)
    for i in range(filled):
        ring.write(1, bytes([i]) * 12)
    for offset, value in damage:
        struct.pack_into("<i", ring_memory, offset, value)

    correlation = bytes(ring_memory[CAPACITY + 512 : CAPACITY + 640])
    for _ in range(6):
        try:
            count = ring.read(lambda _, data: len(data) <= CAPACITY - 8 or 1 / 0, 100)
            assert count <= CAPACITY // 8
        except CorruptError:
            ring.skip_corrupt()
        if isinstance(ring, ManyToOneRingBuffer):
            try:
                ring.unblock()
            except CorruptError:
                ring.skip_corrupt()
        try:
            ring.write(1, b"x" * 20)
            offset = ring.try_claim(1, 10)
            if offset >= 0:
                assert offset + 10 <= CAPACITY
                ring.commit(offset)
        except CorruptError:
            ring.skip_corrupt()
        assert 0 <= ring.size <= CAPACITY
    assert guarded[:GUARD] == guarded[-GUARD:] == b"\xa5" * GUARD
    assert ring_memory[CAPACITY + 512 : CAPACITY + 640] == correlation


@given(
    exponent=st.integers(7, 10),
    steps=st.lists(
        st.tuples(
            st.sampled_from(["write", "write", "mark", "claim", "read"]), st.integers(0, 128)
        ),
        max_size=60,
    ),
)
@settings(max_examples=300, deadline=None)
def test_dying_producers_lose_only_their_own_messages(exponent, steps):
    """A producer dies after moving the tail ("claim") or after marking its record ("mark")."""
    capacity = 1 << exponent
    memory = bytearray(capacity + 768)
    ring = ManyToOneRingBuffer(memory)
    written, seen = [], []

    def read_what_can_be():
        position = -1
        while position != ring.consumer_position or ring.unblock():
            position = ring.consumer_position
            ring.read(lambda _, data: seen.append(data))

    for number, (step, length) in enumerate(steps):
        payload = number.to_bytes(8, "little") + bytes(min(length, ring.max_message_length - 8))
        if step == "write":
            if ring.write(1, payload):
                written.append(payload)
        elif step == "mark":
            ring.try_claim(1, length % ring.max_message_length)
        elif step == "claim":
            # The steps of try_claim up to the mark, including the padding before a record.
            before = ring.producer_position
            offset = ring.try_claim(1, length % ring.max_message_length)
            if offset >= 0:
                struct.pack_into("<q", memory, offset - 8, 0)
                if ring.producer_position % capacity < before % capacity:
                    struct.pack_into("<q", memory, before % capacity, 0)
        else:
            read_what_can_be()
    read_what_can_be()
    # The last dead producer is found when another writes after it, which needs space.
    last = b"last words"
    if ring.write(1, last):
        written.append(last)
        read_what_can_be()
        assert ring.size == 0
        assert not any(memory[:capacity])
    assert seen == written
