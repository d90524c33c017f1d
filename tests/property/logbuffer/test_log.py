"""The log compared with a list of frames, for any order of appends, commits, polls and cleaning."""

import struct

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from aeron_cluster.logbuffer.local_log import LocalClaim, LocalLog
from tests.property.logbuffer.model import DATA, HEADER, PAD, ModelLog

TERM_LENGTH = 65536
lengths = st.one_of(st.integers(0, 200), st.integers(0, 8192))


def payload(length):
    return bytes((i * 7 + length) % 256 for i in range(min(length, 16))) + bytes(
        max(length - 16, 0)
    )


class LogMachine(RuleBasedStateMachine):
    kind = "concurrent"

    @initialize(
        initial_term_id=st.sampled_from([0, 7, 2**31 - 1, -(2**31), -1]),
        begin=st.sampled_from([0, 1, 2, 3, 2**31 - 2, 2**31 - 1]),
        offset=st.integers(0, TERM_LENGTH // 32 - 1),
        mtu_length=st.sampled_from([64, 256, 1408, 8192]),
    )
    def make(self, initial_term_id, begin, offset, mtu_length):
        position = begin * TERM_LENGTH + offset * 32
        self.log = LocalLog(
            self.kind,
            term_length=TERM_LENGTH,
            mtu_length=mtu_length,
            session_id=-5,
            stream_id=1001,
            initial_term_id=initial_term_id,
            position=position,
        )
        self.model = ModelLog(TERM_LENGTH, mtu_length, position)
        self.initial_term_id = initial_term_id
        self.clean_position = position
        self.claims = []
        self.raise_limit()

    def raise_limit(self):
        """Clean, and move the publisher's limit half a term ahead, as a driver does."""
        while self.clean_position < self.model.subscriber:
            self.clean_position = self.log.clean(self.clean_position, self.model.subscriber)
        self.model.limit = self.model.subscriber + TERM_LENGTH // 2
        self.log.position_limit = self.model.limit

    @rule(length=lengths)
    def offer(self, length):
        message = payload(length)
        assert self.log.offer(message) == self.model.offer(message)

    @rule(parts=st.lists(st.integers(0, 3000), max_size=5))
    def offer_vectored(self, parts):
        vectors = [payload(length) for length in parts]
        message = b"".join(vectors)
        if len(message) <= 8192:
            assert self.log.offer_vectored(vectors) == self.model.offer(message)

    @rule(length=st.integers(0, 8192))
    def claim(self, length):
        length %= self.model.max_payload + 1
        claim = self.log.try_claim(length)
        expected = self.model.try_claim(length)
        if isinstance(claim, LocalClaim):
            assert len(claim) == length
            self.claims.append((claim, expected))
        else:
            assert claim == expected

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), commit=st.booleans())
    def settle(self, data, commit):
        claim, frame = self.claims.pop(data.draw(st.integers(0, len(self.claims) - 1)))
        frame.payload = payload(frame.length - HEADER)
        with memoryview(claim) as view:
            view[:] = frame.payload
        if commit:
            frame.kind = DATA
            claim.commit()
        else:
            frame.kind = PAD
            claim.abort()

    @rule(is_connected=st.booleans())
    def connect(self, is_connected):
        self.log.is_connected = self.model.is_connected = is_connected

    @rule()
    def more_room(self):
        self.raise_limit()

    def expect(self, delivered, count, frames):
        assert count == len(frames)
        assert delivered == [
            (frame.payload, frame.flags, frame.end, -5, 1001, self.term_id(frame))
            for frame in frames
        ]
        assert self.log.subscriber_position == self.model.subscriber

    def term_id(self, frame):
        term_id = (self.initial_term_id + frame.start // TERM_LENGTH) % 2**32
        return term_id - 2**32 if term_id >= 2**31 else term_id

    def handler(self, delivered):
        def handle(message, header):
            delivered.append(
                (
                    bytes(message),
                    header.flags,
                    header.position,
                    header.session_id,
                    header.stream_id,
                    header.term_id,
                )
            )

        return handle

    @rule(fragment_limit=st.one_of(st.integers(1, 10), st.integers(60, 300)))
    def poll(self, fragment_limit):
        delivered = []
        count = self.log.poll(self.handler(delivered), fragment_limit)
        self.expect(delivered, count, self.model.poll(fragment_limit))

    @rule(fragment_limit=st.integers(1, 100), ahead=st.integers(-100, 20000))
    def bounded_poll(self, fragment_limit, ahead):
        delivered = []
        limit = self.model.subscriber + ahead
        count = self.log.poll(self.handler(delivered), fragment_limit, limit_position=limit)
        self.expect(delivered, count, self.model.poll(fragment_limit, limit))

    @rule(limit=st.integers(32, 20000))
    def block_poll(self, limit):
        blocks = []
        length = self.log.block_poll(lambda *block: blocks.append(block), limit)
        start, end = self.model.block(limit)
        assert length == end - start
        assert self.log.subscriber_position == end
        if length:
            ((block, session_id, _),) = blocks
            assert (len(block), session_id) == (length, -5)
            offset = 0
            for frame in self.model.frames:
                if start <= frame.start < end:
                    assert struct.unpack_from("<i", block, offset)[0] == frame.length
                    offset += frame.end - frame.start

    @rule()
    def peek(self):
        """Return the fragments a poll would deliver, without moving."""
        before = self.model.subscriber
        frames = self.model.poll(10**6)
        after = self.model.subscriber
        self.model.subscriber = before
        delivered = []
        handle = self.handler(delivered)
        found = self.log.controlled_peek(
            before, lambda message, header: handle(message, header) or 4, 2**63 - 1
        )
        self.expect(delivered, len(delivered), frames)
        ends = [frame.end for frame in frames if frame.flags & 0x40]
        if after == before or (frames and after == frames[-1].end):
            assert found == (ends[-1] if ends else max([before, self.last_pad_before(after)]))

    def last_pad_before(self, position):
        pads = [f.end for f in self.model.frames if f.kind == PAD and f.end <= position]
        return max(pads, default=0)

    @invariant()
    def says_where_the_publisher_is(self):
        if hasattr(self, "log"):
            assert self.log.producer_position == self.model.position


class ExclusiveLogMachine(LogMachine):
    kind = "exclusive"

    @rule(length=st.integers(0, 8192))
    def pad(self, length):
        assert self.log.append_padding(length) == self.model.pad(length)


LogMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=60)
ExclusiveLogMachine.TestCase.settings = LogMachine.TestCase.settings
TestConcurrentLog = LogMachine.TestCase
TestExclusiveLog = ExclusiveLogMachine.TestCase
