"""The polls: delivered messages and resulting positions."""

import struct

import pytest

from aeron_cluster.errors import CorruptError, InvariantViolatedError
from aeron_cluster.logbuffer.fragment_assembler import (
    ControlledFragmentAssembler,
    FragmentAssembler,
)
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.logbuffer.local_log import LocalLog

TERM_LENGTH = 65536
FAR = 2**63 - 1


@pytest.fixture
def log():
    """Ten messages of 96 bytes of log each."""
    log = LocalLog("exclusive")
    for n in range(10):
        log.offer(bytes([n]) * 64)
    return log


class InBatches:
    """Handlers in Python are called for batches of fragments."""

    @staticmethod
    def poll(log, handler, *limit, **bound):
        return log.poll(handler, *limit, **bound)

    @staticmethod
    def controlled_poll(log, handler, *limit, **bound):
        return log.controlled_poll(handler, *limit, **bound)


class OneByOne:
    """Handlers in C are called by other loops; an assembler is one and passes these messages on."""

    @staticmethod
    def poll(log, handler, *limit, **bound):
        return log.poll(FragmentAssembler(handler), *limit, **bound)

    @staticmethod
    def controlled_poll(log, handler, *limit, **bound):
        return log.controlled_poll(ControlledFragmentAssembler(handler), *limit, **bound)


@pytest.fixture(params=[InBatches, OneByOne])
def by(request):
    return request.param


class Recorder:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.seen = []
        self.positions = []
        self.log = None

    def __call__(self, message, _header):
        self.seen.append(message[0])
        if self.log is not None:
            self.positions.append(self.log.subscriber_position)
        return self.answers.pop(0) if self.answers else Action.CONTINUE


def test_a_poll_stops_at_its_limit(log, by):
    seen = Recorder()
    assert by.poll(log, seen, 3) == 3
    assert (seen.seen, log.subscriber_position) == ([0, 1, 2], 288)
    assert by.poll(log, seen, 0) == 0
    assert by.poll(log, seen, -1) == 0
    assert by.poll(log, seen, 100) == 7
    assert by.poll(log, seen, 100) == 0
    assert log.subscriber_position == 960


def test_more_than_a_batch_is_polled_at_once(by):
    log = LocalLog("exclusive")
    for n in range(300):
        log.offer(bytes([n % 256]))
    seen = Recorder()
    assert by.poll(log, seen, 200) == 200
    assert by.poll(log, seen, 200) == 100
    assert seen.seen == [n % 256 for n in range(300)]


def test_bounded_poll_delivers_frames_starting_below_its_limit(log, by):
    seen = Recorder()
    assert by.poll(log, seen, 100, limit_position=0) == 0
    assert by.poll(log, seen, 100, limit_position=1) == 1
    assert by.poll(log, seen, 100, limit_position=96) == 0
    assert by.poll(log, seen, 100, limit_position=193) == 2
    assert log.subscriber_position == 288


def test_a_poll_ends_with_the_term(by):
    log = LocalLog("exclusive", position=TERM_LENGTH - 64)
    for message in (b"a" * 32, b"b", b"b"):
        log.offer(message)
    seen = Recorder()
    assert by.poll(log, seen) == 1
    assert log.subscriber_position == TERM_LENGTH
    assert by.poll(log, seen) == 1


def test_an_aborted_fragment_is_delivered_again(log, by):
    seen = Recorder(Action.CONTINUE, Action.ABORT)
    assert by.controlled_poll(log, seen) == 1
    assert (seen.seen, log.subscriber_position) == ([0, 1], 96)
    assert by.controlled_poll(log, seen, 1) == 1
    assert seen.seen == [0, 1, 1]


def test_break_counts_the_fragment_and_stops(log, by):
    seen = Recorder(Action.CONTINUE, Action.BREAK)
    assert by.controlled_poll(log, seen) == 2
    assert log.subscriber_position == 192


def test_commit_stores_the_position_before_the_next_fragment(log, by):
    seen = Recorder(Action.CONTINUE, Action.COMMIT, Action.CONTINUE, Action.CONTINUE)
    seen.log = log
    assert by.controlled_poll(log, seen, 4) == 4
    assert seen.positions == [0, 0, 192, 192]
    assert log.subscriber_position == 384


def test_no_answer_continues(log, by):
    assert by.controlled_poll(log, lambda *_: None, 100) == 10


def test_a_controlled_poll_may_be_bounded(log, by):
    assert by.controlled_poll(log, Recorder(), 100, limit_position=97) == 2


def test_invalid_action_is_an_error(log, by):
    with pytest.raises(TypeError, match="found 'go on'"):
        by.controlled_poll(log, lambda *_: "go on")
    assert log.subscriber_position == 96
    for action in (0, 5):
        with pytest.raises(TypeError, match=f"found {action}"):
            by.controlled_poll(log, lambda *_, action=action: action)


@pytest.mark.parametrize("method", ["poll", "controlled_poll"])
def test_raising_handler_has_consumed_its_fragment(log, method, by):
    def handler(message, _):
        if message[0] == 2:
            raise KeyError(message[0])
        return Action.CONTINUE

    with pytest.raises(KeyError):
        getattr(by, method)(log, handler)
    assert log.subscriber_position == 288
    assert getattr(by, method)(log, handler) == 7


def test_a_subscriber_within_a_frame_ends_its_agent(log, by):
    """Its position is in memory that other processes write."""
    log.subscriber_position = 33
    seen = []

    def append(*_):
        seen.append(1)

    for poll in (
        lambda: by.poll(log, append, limit_position=FAR - 1),
        lambda: by.controlled_poll(log, append, limit_position=FAR - 1),
        lambda: log.block_poll(append, 1000),
        lambda: log.raw_poll(append, 1000),
    ):
        with pytest.raises(InvariantViolatedError, match="at the position of a frame: found 33"):
            poll()
    assert (seen, log.subscriber_position) == ([], 33)


def test_a_closed_image_stores_no_position(log, by):
    def handler(*_):
        log.close_image()

    assert by.poll(log, handler) == 1
    assert log.subscriber_position == 0
    assert by.poll(log, handler) == 0
    assert by.controlled_poll(log, handler) == 0
    assert by.poll(log, handler, limit_position=FAR - 1) == 0
    assert by.controlled_poll(log, handler, limit_position=FAR - 1) == 0
    assert log.block_poll(handler, 1000) == 0
    assert log.raw_poll(handler, 1000) == 0
    assert log.controlled_peek(0, handler, FAR) == 0


def test_a_peek_leaves_the_subscriber_where_it_is(log):
    seen = Recorder()
    assert log.controlled_peek(0, seen, FAR) == 960
    assert log.controlled_peek(96, seen, 97) == 192
    assert log.controlled_peek(96, seen, 96) == 96
    assert log.subscriber_position == 0
    assert seen.seen == [*range(10), 1]


def test_a_peek_may_only_begin_where_a_message_does():
    log = LocalLog("exclusive", mtu_length=64)
    log.offer(b"x" * 32)
    log.offer(b"y" * 96)
    seen = Recorder(Action.CONTINUE, Action.CONTINUE, Action.BREAK)
    assert log.controlled_peek(0, seen, FAR) == 64  # stopped within the second message
    assert log.controlled_peek(64, Recorder(), FAR) == 256
    assert log.controlled_peek(64, Recorder(Action.ABORT), FAR) == 64
    for position in (-32, 1, TERM_LENGTH + 32):
        with pytest.raises(ValueError, match="position"):
            log.controlled_peek(position, seen, FAR)


def test_peek_with_a_raising_handler_raises(log):
    with pytest.raises(ZeroDivisionError):
        log.controlled_peek(0, lambda *_: 1 // 0, FAR)


def test_a_block_holds_complete_frames(log):
    blocks = []
    assert log.block_poll(lambda *block: blocks.append(block), 95) == 0
    assert log.block_poll(lambda *block: blocks.append(block), 300) == 288
    ((block, session_id, term_id),) = blocks
    assert (len(block), session_id, term_id) == (288, 1, 0)
    assert log.subscriber_position == 288
    with pytest.raises(ZeroDivisionError):
        log.block_poll(lambda *_: 1 // 0, 96)
    assert log.subscriber_position == 384


def test_a_raw_block_has_its_file_offset():
    log = LocalLog("exclusive", position=5 * TERM_LENGTH + 64)
    log.offer(b"x")
    blocks = []
    assert log.raw_poll(lambda *block: blocks.append(block), 1000) == 64
    ((offset, block, session_id, term_id),) = blocks
    assert (offset, session_id, term_id) == (2 * TERM_LENGTH + 64, 1, 5)
    assert block == bytes(memoryview(log)[offset : offset + 64])


def test_padding_is_a_separate_block():
    log = LocalLog("exclusive")
    log.offer(b"x")
    log.append_padding(1000)
    log.offer(b"y")
    blocks = []
    lengths = [log.block_poll(lambda *block: blocks.append(block), 512) for _ in range(4)]
    assert lengths == [64, 1056, 64, 0]
    assert [struct.unpack_from("<H", block, 6)[0] for block, *_ in blocks] == [1, 0, 1]


@pytest.mark.parametrize("length", [1, 31, TERM_LENGTH + 1, 2**31 - 1])
def test_invalid_frame_is_an_error_with_its_place(log, length, by):
    struct.pack_into("<i", memoryview(log), 96, length)
    seen = Recorder()
    assert by.poll(log, seen, 1) == 1
    for poll in (by.poll, by.controlled_poll):
        with pytest.raises(CorruptError) as caught:
            poll(log, seen)
        assert (caught.value.offset, caught.value.found) == (96, length)
    with pytest.raises(CorruptError):
        log.controlled_peek(96, seen, FAR)
    assert seen.seen == [0]


def test_frames_before_such_a_frame_are_delivered(log, by):
    struct.pack_into("<i", memoryview(log), 192, 7)
    seen = Recorder()
    assert by.poll(log, seen) == 2
    with pytest.raises(CorruptError):
        by.poll(log, seen)
