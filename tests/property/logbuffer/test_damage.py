"""For any content of a log, every reader ends within it, with a number or an error."""

import contextlib
import struct

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.errors import CorruptError
from aeron_cluster.logbuffer.fragment_assembler import (
    ControlledFragmentAssembler,
    FragmentAssembler,
)
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.logbuffer.local_log import LocalLog

TERM_LENGTH = 65536
SLOTS = 3 * TERM_LENGTH // 32
LENGTHS = st.one_of(
    st.integers(-(2**31), 2**31 - 1),
    st.sampled_from(
        [1, 31, 32, 33, 64, TERM_LENGTH - 64, TERM_LENGTH, TERM_LENGTH + 1, 2**30, 2**30 + 1,
         2**31 - 1, 2**31 - 31, -1, -32, -TERM_LENGTH, -(2**31)]
    ),
)  # fmt: skip
DAMAGE = st.lists(
    st.tuples(
        st.one_of(st.integers(0, 9), st.integers(0, SLOTS - 1)),  # from the start
        LENGTHS,
        st.sampled_from([0, 1, 5, 0xFFFF]),
        st.integers(0, 255),
    ),
    max_size=40,
)
STARTS = st.sampled_from([0, 32, TERM_LENGTH - 32, 2 * TERM_LENGTH, 3 * TERM_LENGTH - 64])


@given(STARTS, DAMAGE, st.sampled_from(["exclusive", "concurrent"]), st.integers(0, 300))
def test_damage_is_never_followed(start, damage, kind, offered):
    log = LocalLog(kind, position=start, mtu_length=128)
    log.offer(bytes(offered))
    log.offer(bytes(offered))
    with memoryview(log) as memory:
        for slot, length, frame_type, flags in damage:
            at = (start // 32 + slot) % SLOTS * 32
            struct.pack_into("<iBBH", memory, at, length, 0, flags, frame_type)
    end = start // TERM_LENGTH * TERM_LENGTH + TERM_LENGTH
    for poll in (
        lambda: log.poll(lambda message, _: bytes(message)),
        lambda: log.poll(FragmentAssembler(lambda message, _: bytes(message))),
        lambda: log.controlled_poll(
            ControlledFragmentAssembler(lambda message, _: Action(3 + len(bytes(message)) % 2))
        ),
        lambda: log.block_poll(lambda *_: None, 4096),
        lambda: log.raw_poll(lambda *_: None, TERM_LENGTH),
        lambda: log.controlled_peek(log.subscriber_position, lambda *_: Action.CONTINUE, end),
    ):
        with contextlib.suppress(CorruptError):
            poll()
        assert start <= log.subscriber_position <= end
        log.subscriber_position = start
    available, padding = log.scan_for_availability(start, 1408)
    assert start + max(available, 0) + padding <= end
    assert available >= -TERM_LENGTH
    rebuilt, gap = log.scan_loss(start, end)
    assert start <= rebuilt <= end
    if gap is not None:
        assert rebuilt % TERM_LENGTH == gap[1]
        assert gap[1] + gap[2] <= TERM_LENGTH
        log.fill_gap(*gap)
    log.unblock(start)
    for _ in range(3):
        log.offer(bytes(offered))
    assert log.clean(start, end) == end
