"""What an append returns: a position, or a status."""

import pytest

from aeron_cluster.logbuffer.local_log import LocalClaim, LocalLog
from aeron_cluster.logbuffer.term_appender import AppendStatus

TERM_LENGTH = 65536
KINDS = ["concurrent", "exclusive"]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def appends(log):
    yield lambda: log.offer(b"x")
    yield lambda: log.offer(b"x" * 5000)
    yield lambda: log.offer_vectored([b"x", b"y"])
    yield lambda: log.try_claim(1)
    if log.type == 1:
        yield lambda: log.append_padding(1)
        yield lambda: log.offer_block(bytes(64))


def test_without_room_the_connection_decides_the_status(kind):
    log = LocalLog(kind)
    log.position_limit = 0
    for append in appends(log):
        assert append() == AppendStatus.NOT_CONNECTED
    log.is_connected = True
    for append in appends(log):
        assert append() == AppendStatus.BACK_PRESSURED
    assert log.producer_position == 0


def test_the_limit_is_compared_with_the_position_before_the_append(kind):
    log = LocalLog(kind)
    log.is_connected = True
    log.position_limit = 1
    assert log.offer(b"x" * 8192) > 8192
    assert log.offer(b"") == AppendStatus.BACK_PRESSURED


def test_message_ending_with_the_term_does_not_rotate(kind):
    log = LocalLog(kind, position=TERM_LENGTH - 64)
    assert log.offer(b"x" * 32) == TERM_LENGTH
    assert log.producer_position == TERM_LENGTH
    assert log.offer(b"x") == AppendStatus.ADMIN_ACTION
    assert log.offer(b"x") == TERM_LENGTH + 64


def test_rotation_pads_the_rest_of_the_term(kind):
    log = LocalLog(kind, position=TERM_LENGTH - 64)
    assert log.offer(b"x" * 33) == AppendStatus.ADMIN_ACTION
    assert log.offer(b"x" * 33) == TERM_LENGTH + 96
    assert log.poll(print) == 0
    assert log.subscriber_position == TERM_LENGTH


def test_a_stream_ends_at_its_largest_position(kind):
    end = TERM_LENGTH * 2**31
    log = LocalLog(kind, position=end - 64, initial_term_id=3)
    assert log.offer(b"x" * 100) == AppendStatus.MAX_POSITION_EXCEEDED
    for append in appends(log):
        assert append() == AppendStatus.MAX_POSITION_EXCEEDED
    assert log.producer_position == end
    log.position_limit = end - 64
    for append in appends(log):
        assert append() == AppendStatus.MAX_POSITION_EXCEEDED
    assert log.poll(print) == 0
    assert log.subscriber_position == end


def test_too_long_a_message_is_rejected_with_the_limit(kind):
    log = LocalLog(kind, mtu_length=1408)
    assert log.offer(bytes(8192)) > 0
    with pytest.raises(ValueError, match="8192, found 8193"):
        log.offer(bytes(8193))
    with pytest.raises(ValueError, match="8192"):
        log.offer_vectored([bytes(8192), b"x"])
    assert isinstance(log.try_claim(1376), LocalClaim)
    for length in (1377, -1, -(2**31), 2**31 - 1):
        with pytest.raises(ValueError, match="1376"):
            log.try_claim(length)


def test_a_length_beyond_an_int_is_not_truncated():
    log = LocalLog()
    with pytest.raises(ValueError, match="found more"):
        log.offer_vectored([bytes(1), bytes(2**31 - 1), bytes(2**31 - 1)])
    assert log.producer_position == 0


def test_an_empty_message_is_a_frame(kind):
    log = LocalLog(kind)
    assert log.offer(b"") == 32
    assert log.offer_vectored([]) == 64
    assert log.offer_vectored([b"", b""]) == 96
    polled = []
    assert log.poll(lambda m, h: polled.append((bytes(m), h.frame_length))) == 3
    assert polled == [(b"", 32)] * 3


@pytest.mark.parametrize("source", [bytes, bytearray, memoryview])
def test_accepts_any_buffer_and_copies_it(kind, source):
    log = LocalLog(kind)
    message = bytearray(b"copied")
    log.offer(message if source is bytearray else source(message))
    message[:] = b"later!"
    message.extend(b"not held")
    polled = []
    log.poll(lambda m, _: polled.append(bytes(m)))
    assert polled == [b"copied"]


def test_the_supplier_gives_each_fragment_its_reserved_value(kind):
    log = LocalLog(
        kind, mtu_length=64, reserved_value_supplier=lambda offset, length: offset * 1000 + length
    )
    log.offer(b"x" * 70)
    log.offer(b"y")
    polled = []
    log.poll(lambda _, h: polled.append((h.term_offset, h.frame_length, h.reserved_value)))
    assert polled == [(o, n, o * 1000 + n) for o, n in [(0, 64), (64, 64), (128, 38), (192, 33)]]


def test_appended_padding_is_skipped():
    log = LocalLog("exclusive")
    assert log.append_padding(100) == 160
    assert log.offer(b"x") == 224
    polled = []
    assert log.poll(lambda m, _: polled.append(bytes(m))) == 1
    with pytest.raises(ValueError, match="padding"):
        log.append_padding(-1)
    with pytest.raises(ValueError, match="padding"):
        log.append_padding(100_000)


def test_foreign_block_is_rejected_entirely():
    source = LocalLog("exclusive", session_id=5)
    for message in (b"one", b"two" * 30):
        source.offer(message)
    blocks = []
    source.block_poll(lambda block, *_: blocks.append(block), TERM_LENGTH)
    good = blocks[0]
    target = LocalLog("exclusive", session_id=5)
    for offset, size in ((6, 2), (8, 4), (12, 4), (16, 4), (20, 4)):
        bad = bytearray(good)
        bad[offset : offset + size] = b"\x07" * size
        with pytest.raises(ValueError, match="block"):
            target.offer_block(bad)
    for bad in (b"", good[:31], good[:-1], good + bytes(TERM_LENGTH)):
        with pytest.raises(ValueError, match="block"):
            target.offer_block(bad)
    assert target.producer_position == 0
    assert target.offer_block(good) == source.producer_position
    polled = []
    assert target.poll(lambda m, _: polled.append(bytes(m))) == 2
    assert polled == [b"one", b"two" * 30]


@pytest.mark.parametrize("position", [0, TERM_LENGTH - 128, 2 * TERM_LENGTH - 4096])
def test_block_has_a_frame_at_least_and_ends_within_its_term(position):
    """The buffer around it may have valid frames, and there is memory after the term."""
    source = LocalLog("exclusive", session_id=5, position=position)
    source.offer(b"one")
    source.offer(b"two")
    blocks = []
    source.block_poll(lambda block, *_: blocks.append(bytes(block)), TERM_LENGTH)
    good = blocks[0]
    rest = TERM_LENGTH - position % TERM_LENGTH
    target = LocalLog("exclusive", session_id=5, position=position)
    with memoryview(target) as memory:
        before = bytes(memory)
    padded = memoryview(good + bytes(TERM_LENGTH))
    for length in (0, 1, 31, 33, rest + 1, rest + 32, rest + 64, TERM_LENGTH + 32):
        with pytest.raises(ValueError, match="block"):
            target.offer_block(padded[:length])
    assert target.producer_position == position
    with memoryview(target) as memory:
        assert bytes(memory) == before
    assert target.offer_block(good) == source.producer_position
