"""The log as its leader writes it: layouts, positions, and results of a full window."""

import mmap

import pytest

from aeron_cluster.cluster.log.log_publisher import LogPublisher
from aeron_cluster.codecs.cluster import (
    CloseReason,
    ClusterAction,
    ClusterActionRequest,
    ClusterTimeUnit,
    NewLeadershipTermEvent,
    SessionCloseEvent,
    SessionMessageHeader,
    SessionOpenEvent,
    TimerEvent,
)
from aeron_cluster.errors import (
    ClosedError,
    MaxPositionExceededError,
    MessageError,
    StateError,
)
from aeron_cluster.logbuffer.term_appender import AppendStatus
from tests.unit.cluster.streams import TERM_LENGTH, messages


@pytest.fixture
def stream(streams):
    return streams.stream(session_id=42, stream_id=100)


@pytest.fixture
def log(stream):
    made = LogPublisher()
    made.connect(stream.publication)
    made.leadership_term_id = 3
    return made


def test_a_session_message_follows_its_header(log, stream):
    # Positions: a session message takes align32(64 + payload).
    assert log.append_session_message(17, 1234, b"hello") == 96
    assert messages(stream.image()) == [
        (
            SessionMessageHeader.encode(leadership_term_id=3, cluster_session_id=17, timestamp=1234)
            + b"hello",
            96,
        )
    ]


@pytest.mark.parametrize("length", [0, 1, 1344, 1345, 4096, 8160])
def test_a_message_of_any_length_is_delivered_completely(length, log, stream):
    payload = bytes(index & 0xFF for index in range(length))
    position = log.append_session_message(-5, -1, payload)
    ((message, end),) = messages(stream.image())
    assert end == position
    assert message[32:] == payload
    assert SessionMessageHeader.decode(message).cluster_session_id == -5


def test_message_too_long_for_a_term_is_an_error(log):
    with pytest.raises(MessageError):
        log.append_session_message(1, 1, bytes(8161))
    assert log.append_session_message(1, 1, b"next") == 96


def test_events_have_the_layout_and_length_of_the_facts(log, stream):
    # "Frame sizes incl. 32-byte data header, aligned: NewLeadershipTermEvent 96, TimerEvent 64,
    # SessionCloseEvent 96, ClusterActionRequest 96, SessionOpenEvent align32(84 + channel +
    # principal)."
    positions = [
        log.append_new_leadership_term(1000, 0, 2, 42, ClusterTimeUnit.MILLIS, 1),
        log.append_session_open(5, 17, 1001, 102, "aeron:udp?endpoint=a:1", b"who"),
        log.append_timer(77, 1002),
        log.append_cluster_action(1003, ClusterAction.SNAPSHOT),
        log.append_session_close(17, 1004, CloseReason.TIMEOUT),
    ]
    assert positions == [96, 96 + 128, 96 + 128 + 64, 288 + 96, 384 + 96]
    assert [message for message, _ in messages(stream.image())] == [
        NewLeadershipTermEvent.encode(
            leadership_term_id=3,
            log_position=96,
            timestamp=1000,
            term_base_log_position=0,
            leader_member_id=2,
            log_session_id=42,
            time_unit=ClusterTimeUnit.MILLIS,
            app_version=1,
        ),
        SessionOpenEvent.encode(
            leadership_term_id=3,
            correlation_id=5,
            cluster_session_id=17,
            timestamp=1001,
            response_stream_id=102,
            response_channel="aeron:udp?endpoint=a:1",
            encoded_principal=b"who",
        ),
        TimerEvent.encode(leadership_term_id=3, correlation_id=77, timestamp=1002),
        ClusterActionRequest.encode(
            leadership_term_id=3,
            log_position=384,
            timestamp=1003,
            action=ClusterAction.SNAPSHOT,
            flags=0,
        ),
        SessionCloseEvent.encode(
            leadership_term_id=3,
            cluster_session_id=17,
            timestamp=1004,
            close_reason=CloseReason.TIMEOUT,
        ),
    ]


def test_a_long_session_open_event_spans_several_frames(log, stream):
    log.append_session_open(5, 17, 1001, 102, "aeron:udp?endpoint=a:1", bytes(4096))
    ((message, _),) = messages(stream.image())
    assert SessionOpenEvent.decode(message).encoded_principal == bytes(4096)


@pytest.mark.parametrize("room", [32, 64])
def test_the_position_in_an_action_is_after_the_padding_of_a_term(room, streams):
    # "recompute per claim attempt because a term-end pad moves it"
    stream = streams.stream(position=TERM_LENGTH - room)
    log = LogPublisher()
    log.connect(stream.publication)
    assert log.append_cluster_action(1, ClusterAction.SUSPEND) == TERM_LENGTH + 96
    assert log.append_new_leadership_term(1, 0, 0, 0, 0, 1) == TERM_LENGTH + 192
    found = [message for message, _ in messages(stream.image())]
    assert ClusterActionRequest.decode(found[0]).log_position == TERM_LENGTH + 96
    assert NewLeadershipTermEvent.decode(found[1]).log_position == TERM_LENGTH + 192


def test_a_full_window_is_a_status(log, stream):
    stream.limit.set(64)
    assert log.append_session_message(1, 1, b"x") == 96
    for append in (
        lambda: log.append_session_message(1, 1, b"x"),
        lambda: log.append_session_message(1, 1, bytes(5000)),
        lambda: log.append_session_open(1, 1, 1, 1, "aeron:ipc", b""),
        lambda: log.append_session_close(1, 1, 0),
        lambda: log.append_timer(1, 1),
        lambda: log.append_cluster_action(1, 0),
        lambda: log.append_new_leadership_term(1, 0, 0, 0, 0, 1),
    ):
        assert append() == AppendStatus.BACK_PRESSURED
    assert log.position == 96


def test_a_closed_log_and_one_at_its_end_are_errors(log, streams, stream):
    last = streams.stream(position=(TERM_LENGTH << 31) - 32)
    ended = LogPublisher()
    ended.connect(last.publication)
    with pytest.raises(MaxPositionExceededError):
        ended.append_timer(1, 1)
    with pytest.raises(MaxPositionExceededError):
        ended.append_session_message(1, 1, b"x")
    stream.publication.close()
    with pytest.raises(ClosedError):
        log.append_timer(1, 1)
    with pytest.raises(ClosedError):
        log.append_session_message(1, 1, b"x")
    with pytest.raises(ClosedError):
        log.append_session_open(1, 1, 1, 1, "aeron:ipc", b"")
    with pytest.raises(ClosedError):
        _ = log.position


@pytest.mark.parametrize("length", [TERM_LENGTH // 8 - 31, (1 << 24) + 1, 1 << 31])
def test_a_message_that_no_log_can_hold_is_rejected_and_the_next_one_appended(log, length):
    with mmap.mmap(-1, length) as message, pytest.raises(MessageError, match="fits a term"):
        log.append_session_message(1, 1, message)
    assert log.append_session_message(1, 1, b"x") == 96


def test_a_log_is_connected_between_connect_and_disconnect(stream):
    log = LogPublisher()
    assert (log.is_connected, log.position, log.publication) == (False, 0, None)
    assert log.leadership_term_id == -1
    with pytest.raises(StateError):
        _ = log.session_id
    with pytest.raises(ClosedError):
        log.append_timer(1, 1)
    log.connect(stream.publication)
    assert (log.is_connected, log.session_id) == (True, 42)
    log.append_timer(1, 1)
    assert log.position == 64
    log.disconnect()
    log.disconnect()
    assert stream.publication.is_closed
    assert not log.is_connected
    with pytest.raises(ClosedError):
        log.connect(stream.publication)
