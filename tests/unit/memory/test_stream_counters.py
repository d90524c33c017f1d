"""The counters of a driver as streams with positions, and as backlogs."""

import struct

import pytest

from aeron_cluster.memory.shared.counters import CountersManager
from aeron_cluster.memory.shared.counters_layout import CounterType
from aeron_cluster.memory.shared.stream_counters import StreamKey, StreamPosition, backlogs, streams

COUNT = 32
UDP = "aeron:udp?endpoint=localhost:4000"


@pytest.fixture
def counters():
    return CountersManager(bytearray(512 * COUNT), bytearray(128 * COUNT))


def add(counters, name, kind, registration_id, value, label=None, stream=(7, 1001, UDP)):
    """Allocate a counter of a stream, as a driver does."""
    session_id, stream_id, channel = stream
    text = channel.encode()
    key = struct.pack("<qiii", registration_id, session_id, stream_id, len(text)) + text
    counters.allocate(
        label or f"{name}: {registration_id} {session_id} {stream_id} {channel}",
        CounterType[f"COUNTER_TYPE_{kind}"],
        key,
        now_ms=0,
        value=value,
    )


def test_backlogs_are_the_differences_of_the_positions_of_a_stream(counters):
    add(counters, "pub-pos", "PUBLISHER_POSITION", 1, 900)
    add(counters, "pub-lmt", "PUBLISHER_LIMIT", 1, 1000)
    add(counters, "snd-pos", "SENDER_POSITION", 2, 600)
    add(counters, "snd-lmt", "SENDER_LIMIT", 2, 650)
    add(counters, "sub-pos", "SUBSCRIBER_POSITION", 3, 400)
    counters.allocate("a system counter", 0, now_ms=0, value=77)
    (found,) = backlogs(counters.counters())
    assert found.key == StreamKey(7, 1001, UDP)
    assert (found.publisher_id, found.sender_id, found.receiver_id) == (1, 2, None)
    assert found.publisher_window == 100
    assert found.sender_backlog == 300
    assert found.sender_window == 50
    assert found.subscriber_backlog(3) == 500  # of what was published: there is no receiver


def test_backlog_of_a_subscriber_is_that_of_the_received_bytes(counters):
    add(counters, "rcv-hwm", "RECEIVER_HWM", 4, 800)
    add(counters, "rcv-pos", "RECEIVER_POSITION", 4, 700)
    add(counters, "sub-pos", "SUBSCRIBER_POSITION", 5, 500)
    add(counters, "sub-pos", "SUBSCRIBER_POSITION", 6, 800)
    add(counters, "rcv-cc-cwnd", "PER_IMAGE", 4, 128)  # not a position
    (found,) = backlogs(counters.counters())
    assert (found.receiver_id, found.receiver_position, found.receiver_hwm) == (4, 700, 800)
    assert [found.subscriber_backlog(each) for each in (5, 6)] == [300, 0]
    windows = (found.publisher_window, found.sender_backlog, found.sender_window)
    assert windows == (None, None, None)


def test_streams_have_the_longest_channel_of_their_labels(counters):
    long = f"{UDP}|alias={'x' * 60}"
    cut = (7, 1001, long[:40])
    add(counters, "pub-lmt", "PUBLISHER_LIMIT", 1, 10, "pub-lmt: 1 of no channel", cut)
    add(counters, "sub-pos", "SUBSCRIBER_POSITION", 3, 20, f"sub-pos: 3 7 1001 {long} @64", cut)
    add(counters, "snd-pos", "SENDER_POSITION", 2, 30, f"snd-pos: 2 6 1001 {UDP}", (6, 1001, UDP))
    counters.allocate("a system counter", 0, now_ms=0, value=77)
    first, second = streams(counters.counters())
    assert (first.key.session_id, first.channel) == (6, UDP)
    assert (second.key.session_id, second.channel) == (7, long)
    assert second.positions == [StreamPosition("pub-lmt", 1, 10), StreamPosition("sub-pos", 3, 20)]


def test_stream_without_a_channel_in_its_labels_has_that_of_its_key(counters):
    add(counters, "pub-lmt", "PUBLISHER_LIMIT", 1, 10, "pub-lmt: 1")
    (found,) = streams(counters.counters())
    assert found.channel == UDP
