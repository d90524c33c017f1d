"""Messages offered by services and not yet in the log; the facts are those of Aeron 1.51.0."""

import mmap
import struct

import pytest

from aeron_cluster.cluster.log.log_publisher import LogPublisher
from aeron_cluster.cluster.log.pending_service_messages import PendingServiceMessages
from aeron_cluster.cluster.state.module_snapshot import TrackerState
from aeron_cluster.codecs.cluster import SessionMessageHeader
from aeron_cluster.errors import (
    ClosedError,
    CorruptError,
    InsufficientSpaceError,
    MessageError,
)
from tests.unit.cluster.streams import messages

NOT_APPENDED = 2**63 - 1
BASE_0 = -(2**63)
BASE_1 = -9151314442816847872  # taken from a snapshot written by 1.51.0
SMALLEST = 64 * 1024


def offered(payload=b"x", service_id=0):
    """Return a message as a service offers it: its header has the plain service id."""
    header = SessionMessageHeader.encode(
        leadership_term_id=5, cluster_session_id=service_id, timestamp=99
    )
    return header + payload


def headers(tracker):
    """Return id and timestamp of each retained message."""
    return [struct.unpack_from("<qq", message, 16) for message in tracker.state().messages]


def ids(tracker):
    return [cluster_session_id - BASE_0 for cluster_session_id, _ in headers(tracker)]


@pytest.fixture
def tracker():
    return PendingServiceMessages(0)


@pytest.fixture
def stream(streams):
    return streams.stream(session_id=42, stream_id=100)


@pytest.fixture
def log(stream):
    made = LogPublisher()
    made.connect(stream.publication)
    made.leadership_term_id = 3
    return made


def test_numbers_begin_with_the_service_id_under_the_sign_bit():
    # "service 0 starts at the smallest 64-bit value plus 1"
    for service_id, base in ((0, BASE_0), (1, BASE_1)):
        made = PendingServiceMessages(service_id)
        assert made.log_service_session_id == base
        assert made.next_service_session_id == base + 1
        assert made.service_id == service_id


def test_a_retained_message_gets_its_number_and_no_position(tracker):
    assert tracker.enqueue(offered(b"one"))
    assert tracker.enqueue(offered(b""))
    assert headers(tracker) == [(BASE_0 + 1, NOT_APPENDED), (BASE_0 + 2, NOT_APPENDED)]
    assert [message[32:] for message in tracker.state().messages] == [b"one", b""]
    assert len(tracker) == 2
    assert tracker.next_service_session_id == BASE_0 + 3


def test_drops_messages_found_in_the_log_before_the_service_offered_them(tracker):
    # "If the log already showed that id (or a higher one), the message is dropped"
    tracker.sweep_follower(BASE_0 + 2)
    assert [tracker.enqueue(offered()) for _ in range(3)] == [False, False, True]
    assert ids(tracker) == [3]


def test_the_leader_appends_up_to_twenty_and_continues_where_it_stopped(tracker, log, stream):
    for index in range(25):
        tracker.enqueue(offered(b"%d" % index))
    assert tracker.poll(log, 1000) == 20
    assert tracker.poll(log, 1001) == 5
    assert tracker.poll(log, 1002) == 0
    written = messages(stream.image())
    assert [message[32:] for message, _ in written] == [b"%d" % index for index in range(25)]
    first = SessionMessageHeader.decode(written[0][0])
    assert (first.leadership_term_id, first.cluster_session_id, first.timestamp) == (
        3,
        BASE_0 + 1,
        1000,
    )
    assert SessionMessageHeader.decode(written[20][0]).timestamp == 1001
    # "the stored append position is the resulting log position"
    assert [position for _, position in headers(tracker)] == [end for _, end in written]


def test_stops_at_a_full_window_and_continues_from_there(tracker, log, stream):
    for _ in range(3):
        tracker.enqueue(offered())
    stream.limit.set(96)
    assert tracker.poll(log, 0) == 1
    assert tracker.appended_count == 1
    assert tracker.poll(log, 0) == 0
    stream.limit.set(1 << 30)
    assert tracker.poll(log, 0) == 2
    assert len(messages(stream.image())) == 3


def test_a_closed_log_raises(tracker, log, stream):
    tracker.enqueue(offered())
    stream.publication.mark_closed()
    with pytest.raises(ClosedError):
        tracker.poll(log, 0)
    assert tracker.appended_count == 0


def test_a_message_too_long_for_the_log_raises(tracker, log):
    tracker.enqueue(offered(bytes(9000)))  # the maximum is an eighth of the term
    with pytest.raises(MessageError):
        tracker.poll(log, 0)


def test_leader_drops_committed_messages(tracker, log):
    for _ in range(4):
        tracker.enqueue(offered())
    tracker.poll(log, 0, 3)
    tracker.sweep_leader(191)  # each message takes 96 bytes
    assert ids(tracker) == [2, 3, 4]
    tracker.sweep_leader(192)
    assert ids(tracker) == [3, 4]
    assert tracker.log_service_session_id == BASE_0 + 2
    tracker.sweep_leader(1 << 40)
    assert ids(tracker) == [4]
    assert tracker.poll(log, 0) == 1


def test_a_follower_forgets_service_messages_found_in_the_log(tracker):
    for _ in range(4):
        tracker.enqueue(offered())
    tracker.sweep_follower(BASE_0 + 3)
    assert ids(tracker) == [4]
    assert tracker.log_service_session_id == BASE_0 + 3
    tracker.sweep_follower(BASE_0 + 9)
    assert ids(tracker) == []
    assert tracker.next_service_session_id == BASE_0 + 5


def test_uncommitted_messages_are_appended_again_by_the_next_leader(tracker, log, stream):
    for _ in range(4):
        tracker.enqueue(offered())
    tracker.poll(log, 0, 3)
    tracker.restore_uncommitted(96)
    assert headers(tracker) == [(BASE_0 + count, NOT_APPENDED) for count in (2, 3, 4)]
    assert tracker.appended_count == 0
    assert tracker.poll(log, 0) == 3
    found = [SessionMessageHeader.decode(message) for message, _ in messages(stream.image())]
    assert [header.cluster_session_id - BASE_0 for header in found] == [1, 2, 3, 2, 3, 4]


def test_ring_grows_and_separates_appended_messages(tracker, log):
    payload = bytes(4000)
    for count in range(10):
        tracker.enqueue(offered(payload + b"%d" % count))
    tracker.poll(log, 0, 4)
    for count in range(10, 60):
        tracker.enqueue(offered(payload + b"%d" % count))
    assert ids(tracker) == list(range(1, 61))
    assert [message[4032:] for message in tracker.state().messages] == [
        b"%d" % count for count in range(60)
    ]
    assert tracker.appended_count == 4
    assert tracker.poll(log, 0, 1) == 1
    assert [position < NOT_APPENDED for _, position in headers(tracker)] == [True] * 5 + [
        False
    ] * 55


def test_messages_wrap_around_a_ring_without_growth():
    tracker = PendingServiceMessages(0, max_capacity=SMALLEST)
    for count in range(1, 500):
        tracker.enqueue(offered(bytes(1000 + count)))
        if count > 20:
            tracker.sweep_follower(BASE_0 + count - 20)
            assert ids(tracker) == list(range(count - 19, count + 1))


def test_a_full_ring_raises_and_accepts_the_same_message_later():
    tracker = PendingServiceMessages(0, max_capacity=SMALLEST)
    for _ in range(16):
        tracker.enqueue(offered(bytes(4000)))
    with pytest.raises(InsufficientSpaceError, match="expected at most 65536 bytes"):
        tracker.enqueue(offered(bytes(4000)))
    assert len(tracker) == 16
    tracker.sweep_follower(BASE_0 + 2)
    assert tracker.enqueue(offered(bytes(4000)))
    assert ids(tracker)[-1] == 17


def test_a_ring_at_its_limit_does_not_grow_for_a_message_that_is_too_long_for_its_end():
    tracker = PendingServiceMessages(0, max_capacity=SMALLEST)
    for _ in range(16):
        tracker.enqueue(offered(bytes(4000)))
    longer = offered(bytes(4008))
    tracker.sweep_follower(BASE_0 + 1)
    # Enough bytes are free, but not in one piece: 896 at the end, and 4040 at the begin.
    assert not tracker.has_room(len(longer))
    with pytest.raises(InsufficientSpaceError, match="expected at most 65536 bytes"):
        tracker.enqueue(longer)
    tracker.sweep_follower(BASE_0 + 2)
    assert tracker.has_room(len(longer))
    assert tracker.enqueue(longer)
    assert ids(tracker) == list(range(3, 18))


def test_rejects_a_message_without_a_header(tracker):
    with pytest.raises(MessageError, match="at least 32"):
        tracker.enqueue(bytes(31))
    assert tracker.next_service_session_id == BASE_0 + 1


@pytest.mark.parametrize("service_id", [-1, 128])
def test_rejects_a_service_id_outside_of_the_range(service_id):
    with pytest.raises(ValueError, match="0 to 127"):
        PendingServiceMessages(service_id)


@pytest.mark.parametrize("capacity", [0, SMALLEST + 1, SMALLEST // 2, 1 << 31])
def test_rejects_an_invalid_ring_capacity(capacity):
    with pytest.raises(ValueError, match="power of two"):
        PendingServiceMessages(0, max_capacity=capacity)


def test_a_snapshot_replaces_the_entire_state(tracker, log):
    for _ in range(3):
        tracker.enqueue(offered(b"old"))
    tracker.poll(log, 0, 2)
    source = PendingServiceMessages(0)
    source.sweep_follower(BASE_0 + 6)
    for count in range(9):
        source.enqueue(offered(b"%d" % count))
    source.poll(log, 0, 1)
    state = source.state()
    tracker.load(state)
    assert ids(tracker) == [7, 8, 9]
    # "other values are reset to Long.MAX after load"
    assert [position for _, position in headers(tracker)] == [NOT_APPENDED] * 3
    assert tracker.appended_count == 0
    assert tracker.log_service_session_id == BASE_0 + 6
    assert tracker.next_service_session_id == BASE_0 + 10


def test_rejects_a_state_with_gaps_in_its_numbers(tracker):
    tracker.enqueue(offered())
    message = tracker.state().messages[0]
    for state in (
        TrackerState(
            service_id=0,
            next_service_session_id=BASE_0 + 2,
            log_service_session_id=BASE_0 + 1,
            messages=(message,),
        ),
        TrackerState(
            service_id=0,
            next_service_session_id=BASE_0 + 3,
            log_service_session_id=BASE_0,
            messages=(message,),
        ),
        TrackerState(
            service_id=0, next_service_session_id=BASE_0 + 2, log_service_session_id=BASE_0
        ),
    ):
        with pytest.raises(CorruptError, match="service 0"):
            tracker.load(state)
    assert ids(tracker) == [1]


def test_loads_no_other_services_messages(tracker):
    with pytest.raises(ValueError, match="expected 0, found 1"):
        tracker.load(PendingServiceMessages(1).state())


def test_describes_itself(tracker):
    tracker.enqueue(offered())
    assert repr(tracker) == "PendingServiceMessages(service_id=0, count=1, appended_count=0)"


def test_a_message_of_2_gib_is_rejected_and_nothing_retained():
    tracker = PendingServiceMessages(0)
    with mmap.mmap(-1, 1 << 31) as message, pytest.raises(MessageError, match="below 2 GiB"):
        tracker.enqueue(message)
    assert len(tracker) == 0


@pytest.mark.parametrize("before", [0, 3])
def test_the_ring_grows_as_far_as_a_message_needs(before):
    tracker = PendingServiceMessages(0)
    for _ in range(before):
        assert tracker.enqueue(offered(b"short"))
    assert tracker.enqueue(offered(bytes(40 * SMALLEST)))
    assert tracker.enqueue(offered(b"after"))
    lengths = [len(each) for each in tracker.state().messages]
    assert lengths == [37] * before + [32 + 40 * SMALLEST, 37]
