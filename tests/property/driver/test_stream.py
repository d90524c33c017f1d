"""An image's messages equal its publication's, for any network behaviour."""

import random
import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.driver.receive.receive_events import ImageRequested
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from tests.unit.driver.harness import (
    DATA_PORT,
    LOCAL,
    TERM_LENGTH,
    Receiving,
    Sending,
    align,
)

WORST = 60_000  # passes; a stream that needs more has stopped
STEP_NS = 20_000


class Stream:
    """A sender and a receiver, with a network that loses, duplicates and reorders."""

    def __init__(
        self,
        seed: int,
        *,
        loss: float,
        double: float,
        delay: float,
        start_position: int,
        initial_term_id: int,
        recut: float = 0.0,
    ) -> None:
        self.recut = recut
        self.random = random.Random(seed)
        self.loss, self.double, self.delay = loss, double, delay
        self.sending = Sending(start_position=start_position, initial_term_id=initial_term_id)
        self.receiving = Receiving()
        self.receiving.stream = self.sending.log
        self.receiving.receiver.add_subscription(self.receiving.endpoint, 22)
        self.late: list[tuple[int, bool, bytes]] = []
        self.passes = 0
        self.status_positions: list[int] = []
        self.received: list[bytes] = []
        self.start_position = start_position

    def carry(self, to_receiver: bool, data: bytes) -> None:
        if self.random.random() < self.loss:
            return
        if self.random.random() < self.double:
            self.late.append((self.passes + self.random.randrange(1, 50), to_receiver, data))
        if self.random.random() < self.delay:
            self.late.append((self.passes + self.random.randrange(1, 50), to_receiver, data))
            return
        self.deliver(to_receiver, data)

    def cut_again(self, data: bytes) -> bytes:
        """Return the datagram from another of its frames on, up to another frame of the log."""
        log = self.sending.log
        term_id, offset = (
            struct.unpack_from("<ii", data, 20)[0],
            struct.unpack_from("<i", data, 8)[0],
        )
        count = (term_id - log.initial_term_id) & 0xFFFFFFFF
        position = count * TERM_LENGTH + offset
        frames: list[tuple[int, bytes]] = []
        while position < self.sending.sender_position and len(frames) < 8:
            at = log.at(position)
            length, _, _, kind = struct.unpack_from("<iBBH", log.memory, at)
            if length <= 0:
                break
            size = 32 if kind == 0 else align(length)
            frames.append((kind, bytes(log.memory[at : at + size])))
            position += align(length)
            if kind == 0 or position % TERM_LENGTH == 0:
                break
        if not frames:
            return data
        first = self.random.randrange(len(frames))
        last = self.random.randrange(first, len(frames))
        return b"".join(frame for _, frame in frames[first : last + 1])

    def deliver(self, to_receiver: bool, data: bytes) -> None:
        if to_receiver:
            self.receiving.network.deliver(self.receiving.source, (LOCAL, DATA_PORT), data)
        else:
            self.sending.network.deliver((LOCAL, DATA_PORT), self.sending.local, data)

    def run(self) -> None:
        self.passes += 1
        due = [each for each in self.late if each[0] <= self.passes]
        self.late = [each for each in self.late if each[0] > self.passes]
        for _, to_receiver, data in due:
            self.deliver(to_receiver, data)
        for data in self.sending.run(STEP_NS):
            is_data = len(data) > 32 and data[6] <= 1
            if is_data and self.random.random() < self.recut:
                self.carry(True, self.cut_again(data))
            else:
                self.carry(True, data)
        for data in self.receiving.run(STEP_NS):
            self.note(data)
            self.carry(False, data)
        for event in self.receiving.events():
            assert isinstance(event, ImageRequested)
            self.receiving.answer(event, self.start_position)
        self.check()

    def note(self, data: bytes) -> None:
        kind = struct.unpack_from("<H", data, 6)[0]
        image = self.receiving.image
        if kind == 3 and not data[5] & 0x80:
            term_id, offset = struct.unpack_from("<ii", data, 16)
            count = (term_id - self.sending.log.initial_term_id) & 0xFFFFFFFF
            self.status_positions.append(count * TERM_LENGTH + offset)
        elif kind == 2:
            term_id, offset, length = struct.unpack_from("<iii", data, 16)
            count = (term_id - self.sending.log.initial_term_id) & 0xFFFFFFFF
            begin = count * TERM_LENGTH + offset
            assert length > 0
            assert offset + length <= TERM_LENGTH
            assert begin + length <= image.high_water_mark

    def check(self) -> None:
        image = self.receiving.image
        if image is None:
            return
        assert image.rebuild_position <= self.sending.sender_position
        assert self.sending.log.position <= self.sending.publication.publisher_limit + 4096
        if image.rebuild_position > self.receiving.counters[self.receiving.subscriber]:
            self.received += self.receiving.consume()

    def send_all(self, messages: list[bytes]) -> None:
        pending = list(reversed(messages))
        while len(self.received) < len(messages):
            assert self.passes < WORST, (len(self.received), len(messages))
            for _ in range(self.random.randrange(1, 6)):
                if not pending or (
                    self.sending.log.position + len(pending[-1]) + 1500
                    > self.sending.publication.publisher_limit
                ):
                    break
                self.sending.log.append(pending.pop())
            self.run()


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 1 << 32),
    loss=st.sampled_from([0.0, 0.02, 0.2]),
    double=st.sampled_from([0.0, 0.1]),
    delay=st.sampled_from([0.0, 0.1, 0.5]),
    recut=st.sampled_from([0.0, 0.5, 1.0]),
    lengths=st.lists(st.integers(0, 1376), min_size=1, max_size=150),
    start_position=st.sampled_from([0, TERM_LENGTH - 64, 5 * TERM_LENGTH + 4096]),
    initial_term_id=st.sampled_from([0, -1, (1 << 31) - 1, 7]),
)
def test_received_data_equals_sent_data(
    seed, loss, double, delay, recut, lengths, start_position, initial_term_id
):
    stream = Stream(
        seed,
        loss=loss,
        double=double,
        delay=delay,
        start_position=start_position,
        initial_term_id=initial_term_id,
        recut=recut,
    )
    messages = [bytes([index % 251]) * length for index, length in enumerate(lengths)]
    stream.send_all(messages)
    assert stream.received == messages
    # No combination of cuts, duplicates and reordering counts as forged.
    assert stream.receiving.counters[SystemCounter.SYSTEM_INVALID_PACKETS] == 0
    assert stream.status_positions == sorted(stream.status_positions)


def test_terms_are_reused_repeatedly():
    stream = Stream(5, loss=0.01, double=0.01, delay=0.05, start_position=0, initial_term_id=-2)
    messages = [bytes([index % 251]) * (index % 1377) for index in range(900)]
    stream.send_all(messages)
    assert stream.received == messages
    assert stream.sending.sender_position > 6 * TERM_LENGTH


def test_no_nak_is_sent_without_loss():
    stream = Stream(1, loss=0, double=0, delay=0, start_position=0, initial_term_id=7)
    stream.send_all([b"x" * 700] * 300)
    assert stream.receiving.counters[SystemCounter.SYSTEM_NAKS_SENT] == 0
    assert stream.sending.counters[SystemCounter.SYSTEM_RETRANSMITS_SENT] == 0
