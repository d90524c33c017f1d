"""Publishers die at every step of an append; the driver unblocks; others' messages arrive."""

import struct

from hypothesis import example, given
from hypothesis import strategies as st

from aeron_cluster.logbuffer.local_log import LocalClaim, LocalLog

TERM_LENGTH = 65536
COMMITTED, ABORTED, CLAIMED, TAIL_MOVED = range(4)
FATES = st.lists(
    st.tuples(st.sampled_from([COMMITTED, ABORTED, CLAIMED, TAIL_MOVED]), st.integers(0, 300)),
    max_size=12,
)


class Harbour:
    """A shared log, its publishers, some of them dying, and its consumer."""

    def __init__(self, position):
        self.log = LocalLog(position=position, initial_term_id=2**31 - 1)
        self.sent = []
        self.polled = []
        self.blocked = False

    def die_after_moving_the_tail(self, length):
        term_count = struct.unpack_from("<i", memoryview(self.log), self.metadata + 24)[0]
        at = self.metadata + term_count % 3 * 8
        with memoryview(self.log) as memory:
            (tail,) = struct.unpack_from("<q", memory, at)
            # A publisher that finds the term full adds once, and then pads, rotates or dies.
            struct.pack_into("<q", memory, at, tail + (length + 63) // 32 * 32)

    @property
    def metadata(self):
        return len(memoryview(self.log)) - 4096

    def append(self, fate, length):
        message = bytes([len(self.sent) % 256]) * length
        if fate == TAIL_MOVED:
            self.die_after_moving_the_tail(length)
            return
        for _ in range(2):
            if fate == COMMITTED:
                if self.log.offer(message) > 0:
                    self.sent.append(message)
                    return
            else:
                claim = self.log.try_claim(length)
                if isinstance(claim, LocalClaim):
                    if fate == ABORTED:
                        claim.abort()
                    return

    def consume(self):
        """Poll and unblock until neither makes progress."""
        for _ in range(200):
            before = self.log.subscriber_position
            self.log.poll(lambda message, _: self.polled.append(bytes(message)), 100)
            if self.log.subscriber_position == before and not self.log.unblock(before):
                return
        raise AssertionError("no end of it")


@given(st.sampled_from([0, TERM_LENGTH - 64, TERM_LENGTH - 320, 3 * TERM_LENGTH - 640]), FATES)
@example(TERM_LENGTH - 64, [(COMMITTED, 32), (TAIL_MOVED, 1), (TAIL_MOVED, 1), (COMMITTED, 1)])
@example(TERM_LENGTH - 64, [(TAIL_MOVED, 100), (CLAIMED, 1), (COMMITTED, 2)])
def test_the_stream_continues_after_every_death(position, fates):
    harbour = Harbour(position)
    for fate, length in fates:
        harbour.append(fate, length)
    harbour.consume()
    # Live publishers continue to append; frames after a gap make it detectable.
    for n in range(4):
        harbour.append(COMMITTED, 10 + n)
        harbour.consume()
    assert harbour.polled == harbour.sent
    assert harbour.log.subscriber_position == harbour.log.producer_position
    assert len(harbour.sent) >= 4
