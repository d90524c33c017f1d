"""Limits, cleaning and unblocking of IPC streams, pass by pass."""

import struct

import pytest

from aeron_cluster.driver.control.stream_tracking import StreamTracking
from aeron_cluster.driver.streams.ipc_publication import IpcPublication
from aeron_cluster.driver.streams.stream_state import StreamState
from aeron_cluster.errors import ClosedError
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.system.seams import SystemClock
from tests.unit.driver.harness import TERM_LENGTH, Counters, Log

WINDOW = TERM_LENGTH // 2
SECOND = 1_000_000_000


class Stream:
    def __init__(self, *, start_position: int = 0, is_exclusive: bool = False) -> None:
        self.counters = Counters()
        self.log = Log(start_position=start_position)
        self.position_id = self.counters.new()
        self.limit_id = self.counters.new()
        self.publication = IpcPublication(
            self.log.raw,
            self.counters.manager,
            registration_id=5,
            session_id=11,
            stream_id=22,
            window_length=WINDOW,
            start_position=start_position,
            publisher_position_id=self.position_id,
            publisher_limit_id=self.limit_id,
            is_exclusive=is_exclusive,
            now_ns=0,
        )

    def subscribe(self) -> int:
        counter_id = self.counters.new(value=self.publication.join_position)
        self.publication.add_subscriber(counter_id)
        return counter_id

    @property
    def limit(self) -> int:
        assert self.counters[self.limit_id] == self.publication.publisher_limit
        return self.publication.publisher_limit


@pytest.fixture
def stream():
    return Stream()


def test_starts_closed_to_publishers(stream):
    assert stream.publication.update_limits() == 0
    assert stream.limit == 0
    assert not stream.log.is_connected
    assert stream.publication.state == StreamState.STREAM_ACTIVE


def test_the_first_subscriber_connects_and_opens_a_window(stream):
    stream.subscribe()
    assert stream.log.is_connected
    assert stream.publication.update_limits() == 1
    assert stream.limit == WINDOW


def test_the_limit_moves_once_an_eighth_of_the_window_was_consumed(stream):
    subscriber = stream.subscribe()
    stream.publication.update_limits()
    stream.counters[subscriber] = WINDOW // 8 - 32
    assert stream.publication.update_limits() == 0
    assert stream.limit == WINDOW
    stream.counters[subscriber] = WINDOW // 8
    assert stream.publication.update_limits() == 1
    assert stream.limit == WINDOW + WINDOW // 8


def test_the_slowest_subscriber_holds_the_limit(stream):
    fast, slow = stream.subscribe(), stream.subscribe()
    stream.publication.update_limits()
    stream.counters[fast] = WINDOW
    assert stream.publication.update_limits() == 0
    stream.counters[slow] = WINDOW // 2
    assert stream.publication.update_limits() == 1
    assert stream.limit == WINDOW // 2 + WINDOW
    assert stream.publication.consumer_position == WINDOW


def test_publishes_the_producer_position_each_pass(stream):
    stream.log.append(b"x" * 100)
    stream.publication.update_limits()
    assert stream.counters[stream.position_id] == 160
    assert stream.publication.producer_position == 160


def test_consumed_data_is_zeroed_before_the_limit_opens_it_again(stream):
    subscriber = stream.subscribe()
    for _ in range(3 * TERM_LENGTH // 1024):
        stream.log.append(b"x" * (1024 - 32))
        stream.counters[subscriber] = stream.log.position
        stream.publication.update_limits()
        limit = stream.limit
        for position in range(stream.log.position, limit, 32):
            where = stream.log.at(position)
            assert stream.log.memory[where : where + 32] == bytes(32)
        assert limit - TERM_LENGTH * 3 <= stream.publication.clean_position <= stream.log.position
    assert stream.log.position == 3 * TERM_LENGTH


def test_without_subscribers_the_limit_falls_back_to_the_consumed_position(stream):
    subscriber = stream.subscribe()
    stream.publication.update_limits()
    stream.log.append(b"x" * 1000)
    stream.counters[subscriber] = 512
    stream.publication.remove_subscriber(subscriber)
    assert not stream.log.is_connected
    assert stream.publication.update_limits() == 1
    assert stream.limit == 512
    assert stream.publication.join_position == 512


def test_a_late_subscriber_joins_at_the_slowest(stream):
    first = stream.subscribe()
    stream.counters[first] = 4096
    second = stream.subscribe()
    assert stream.counters[second] == 4096
    stream.counters[first] = 8192
    assert stream.publication.join_position == 4096
    assert stream.publication.subscriber_count == 2
    stream.publication.remove_subscriber(second)
    assert stream.publication.join_position == 8192
    assert stream.publication.subscriber_count == 1


def test_a_draining_publication_retains_its_limit(stream):
    subscriber = stream.subscribe()
    stream.publication.update_limits()
    stream.log.append(b"x" * 1000)
    stream.publication.state = StreamState.STREAM_DRAINING
    stream.publication.set_publisher_limit(stream.publication.producer_position)
    stream.counters[subscriber] = 1056
    assert stream.publication.are_subscribers_at(1056)
    assert stream.publication.update_limits() == 0
    assert stream.limit == 1056


def test_uncommitted_claim_is_unblocked_after_the_timeout(stream):
    subscriber = stream.subscribe()
    stream.publication.update_limits()
    struct.pack_into("<i", stream.log.memory, 0, -160)
    stream.log.position = 160
    stream.log.set_tail(160)
    assert not stream.publication.check_blocked_publisher(1 * SECOND)
    assert not stream.publication.check_blocked_publisher(15 * SECOND)
    assert stream.publication.check_blocked_publisher(17 * SECOND)
    length, _, _, kind = struct.unpack_from("<iBBH", stream.log.memory, 0)
    assert (length, kind) == (160, 0)
    assert stream.counters[SystemCounter.SYSTEM_UNBLOCKED_PUBLICATIONS] == 1
    stream.counters[subscriber] = 160
    assert not stream.publication.check_blocked_publisher(40 * SECOND)


def test_an_exclusive_publisher_is_never_unblocked():
    stream = Stream(is_exclusive=True)
    stream.subscribe()
    struct.pack_into("<i", stream.log.memory, 0, -160)
    stream.log.set_tail(160)
    assert not stream.publication.check_blocked_publisher(100 * SECOND)


def test_starts_where_configured():
    stream = Stream(start_position=5 * TERM_LENGTH + 640)
    assert stream.publication.producer_position == 5 * TERM_LENGTH + 640
    stream.subscribe()
    stream.publication.update_limits()
    assert stream.limit == 5 * TERM_LENGTH + 640 + WINDOW


def test_stream_tracking_updates_its_streams(stream):
    tracking = StreamTracking(SystemClock())
    tracking.add_ipc_publication(stream.publication)
    tracking.add_ipc_publication(stream.publication)  # added twice without an effect
    stream.subscribe()
    assert tracking.do_work() == 1
    assert tracking.do_work() == 0
    assert stream.limit == WINDOW
    tracking.remove_ipc_publication(stream.publication)
    stream.publication.set_publisher_limit(0)
    assert tracking.do_work() == 0


def test_closed_rejects_calls(stream):
    stream.publication.close()
    stream.publication.close()
    with pytest.raises(ClosedError):
        stream.publication.update_limits()
