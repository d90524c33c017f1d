"""Broadcast buffers compared with a list of all sent messages."""

import struct

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from aeron_cluster.errors import CorruptError, LappedError
from aeron_cluster.memory.shared.broadcast import BroadcastReceiver, BroadcastTransmitter

CAPACITY = 512
GUARD = 64


class BroadcastModel(RuleBasedStateMachine):
    """A receiver is the index of its next message; positions show which ones are overwritten."""

    @initialize(exponent=st.integers(6, 11))
    def make(self, exponent):
        self.capacity = 1 << exponent
        self.memory = bytearray(self.capacity + 128)
        self.transmitter = BroadcastTransmitter(self.memory)
        self.sent = []  # (required receiver position, type, payload)
        self.tail = 0
        self.receivers = []

    @rule(message_type=st.integers(1, 2**31 - 1), data=st.data())
    def transmit(self, message_type, data):
        payload = data.draw(st.binary(max_size=self.transmitter.max_message_length))
        self.transmitter.transmit(message_type, payload)
        length = (len(payload) + 15) & ~7
        to_end = self.capacity - self.tail % self.capacity
        start = self.tail
        if length > to_end:
            self.tail += to_end
        self.sent.append((start, self.tail, message_type, payload))
        self.tail += length
        assert struct.unpack_from("<q", self.memory, self.capacity + 8) == (self.tail,)

    @rule()
    def listen(self):
        if len(self.receivers) < 3:
            # It starts with the newest message, or with the first one later.
            index = max(len(self.sent) - 1, 0)
            cursor = self.sent[-1][1] if self.sent else 0
            self.receivers.append([BroadcastReceiver(self.memory), index, cursor])

    @rule(data=st.data(), count=st.integers(1, 30))
    def receive(self, data, count):
        if not self.receivers:
            return
        state = data.draw(st.sampled_from(self.receivers))
        receiver = state[0]
        for _ in range(count):
            if state[1] == len(self.sent):
                assert receiver.receive() is None
                return
            overrun = state[2] + self.capacity < self.tail
            lost = receiver.lapped_count
            try:
                got = receiver.receive()
            except LappedError:
                assert overrun
                assert receiver.lapped_count == lost + 1
                state[1] = len(self.sent) - 1
                state[2] = self.sent[-1][1]
                continue
            assert not overrun
            _, start, message_type, payload = self.sent[state[1]]
            assert got == (message_type, payload)
            state[1] += 1
            state[2] = start + ((len(payload) + 15) & ~7)


BroadcastModel.TestCase.settings = settings(max_examples=60, stateful_step_count=60, deadline=None)
TestBroadcastModel = BroadcastModel.TestCase

WORDS = st.one_of(
    st.integers(-(2**31), 2**31 - 1),
    st.integers(-16, 64),
    st.sampled_from([CAPACITY, CAPACITY - 8, -CAPACITY, 2**31 - 1, -(2**31)]),
)


@given(
    damage=st.lists(
        st.tuples(st.integers(0, (CAPACITY + 128) // 4 - 1), WORDS), min_size=1, max_size=8
    ),
    filled=st.integers(0, 40),
    late=st.booleans(),
)
@settings(max_examples=400, deadline=None)
def test_damage_is_never_followed_outside_the_buffer(damage, filled, late):
    guarded = bytearray(b"\xa5" * (GUARD + CAPACITY + 128 + GUARD))
    memory = memoryview(guarded)[GUARD:-GUARD]
    memory[:] = bytes(len(memory))
    transmitter = BroadcastTransmitter(memory)
    receiver = BroadcastReceiver(memory)
    for i in range(filled):
        transmitter.transmit(1, bytes([i]) * 12)
    for index, value in damage:
        struct.pack_into("<i", memory, 4 * index, value)
    if late:
        receiver = BroadcastReceiver(memory)
    for _ in range(40):
        try:
            message = receiver.receive()
            assert message is None or len(message[1]) <= CAPACITY // 8
            transmitter.transmit(1, b"x" * 20)
        except (LappedError, CorruptError):
            continue
    assert guarded[:GUARD] == guarded[-GUARD:] == b"\xa5" * GUARD
