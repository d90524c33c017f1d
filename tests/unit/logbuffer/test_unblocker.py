"""A publisher dies between claim and commit, and the driver unblocks the stream."""

import struct

import pytest

from aeron_cluster.logbuffer.local_log import LocalLog
from aeron_cluster.logbuffer.term_appender import AppendStatus

TERM_LENGTH = 65536


def tail_at(log, index):
    return len(memoryview(log)) - 4096 + index * 8


def move_tail(log, length, index=0):
    """Move the tail like an appender that dies right after its get-and-add."""
    at = tail_at(log, index)
    with memoryview(log) as memory:
        (tail,) = struct.unpack_from("<q", memory, at)
        struct.pack_into("<q", memory, at, tail + length)


def drain(log):
    polled = []
    for _ in range(100):
        log.poll(lambda message, _: polled.append(bytes(message)), 100)
    return polled


def test_uncommitted_claim_becomes_padding():
    log = LocalLog()
    log.offer(b"before")
    dead = log.try_claim(100)
    log.offer(b"after")
    assert len(dead) == 100
    assert drain(log) == [b"before"]
    assert log.subscriber_position == 64
    assert log.unblock(64)
    assert drain(log) == [b"after"]
    assert log.subscriber_position == log.producer_position == 64 + 160 + 64


def test_a_claim_without_a_header_becomes_padding_up_to_the_next_frame():
    log = LocalLog(initial_term_id=7, session_id=3, stream_id=4)
    move_tail(log, 160)
    log.offer(b"after")
    assert drain(log) == []
    assert log.unblock(0)
    header = struct.unpack_from("<iBBHiiiiq", memoryview(log))
    assert header == (160, 0, 0xC0, 0, 0, 3, 4, 7, 0)
    assert drain(log) == [b"after"]


def test_a_claim_of_unknown_length_is_not_unblocked():
    log = LocalLog()
    move_tail(log, 160)
    assert not log.unblock(0)  # no later frame shows its length
    assert not any(bytes(memoryview(log)[:TERM_LENGTH]))
    log.offer(b"")
    assert log.unblock(0)
    assert not log.unblock(160)
    assert drain(log) == [b""]


def test_complete_frame_is_not_unblocked():
    log = LocalLog()
    log.offer(b"there")
    assert not log.unblock(0)
    assert drain(log) == [b"there"]


def test_a_claim_at_the_end_of_a_term_is_padded_to_the_end_and_the_log_rotated():
    log = LocalLog(position=TERM_LENGTH - 64, initial_term_id=2**31 - 1)
    # a publisher reaches the end of the term, and dies before it writes the padding
    move_tail(log, 128)
    assert log.unblock(TERM_LENGTH - 64)
    assert log.offer(b"next term") == TERM_LENGTH + 64
    assert drain(log) == [b"next term"]


def test_unfinished_rotation_is_completed():
    log = LocalLog(position=TERM_LENGTH - 64)
    log.offer(b"x" * 32)
    move_tail(log, 64)  # a publisher found the term full, and died before it rotated the log
    assert drain(log) == [b"x" * 32]
    assert log.subscriber_position == TERM_LENGTH
    assert log.unblock(TERM_LENGTH)
    assert log.offer(b"next term") == TERM_LENGTH + 64
    assert drain(log) == [b"next term"]
    assert not log.unblock(TERM_LENGTH + 64)


@pytest.mark.parametrize("begin", [0, 1, 2, 3, 2**31 - 3])
def test_unblocks_in_every_partition(begin):
    log = LocalLog(position=begin * TERM_LENGTH + 320, initial_term_id=-(2**31) + 5)
    log.try_claim(32)
    log.offer(b"after")
    assert log.unblock(begin * TERM_LENGTH + 320)
    assert drain(log) == [b"after"]


END_OF_STREAM = TERM_LENGTH << 31


def test_a_stream_consumed_to_its_last_position_is_not_unblocked():
    log = LocalLog("concurrent", position=END_OF_STREAM - 64)
    assert log.offer(b"x" * 32) == END_OF_STREAM
    assert log.offer(b"more") == AppendStatus.MAX_POSITION_EXCEEDED
    drain(log)
    assert log.subscriber_position == END_OF_STREAM
    assert not log.unblock(END_OF_STREAM)
    assert log.producer_position == END_OF_STREAM
    assert log.offer(b"more") == AppendStatus.MAX_POSITION_EXCEEDED


def test_a_claim_without_a_header_at_the_end_of_the_last_term_becomes_padding():
    begin = END_OF_STREAM - 64
    log = LocalLog("concurrent", position=begin)
    move_tail(log, 64, index=(2**31 - 1) % 3)
    assert log.unblock(begin)
    drain(log)
    assert log.subscriber_position == log.producer_position == END_OF_STREAM
    assert log.offer(b"more") == AppendStatus.MAX_POSITION_EXCEEDED
