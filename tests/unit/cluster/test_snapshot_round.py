"""The stream a snapshot is written to, and the wait for its recording."""

from types import SimpleNamespace

import pytest

from aeron_cluster.archive.protocol.recording_pos import POSITION_COUNTER_TYPE, position_key
from aeron_cluster.cluster.snapshots.snapshot_round import _add_publication, _await_recorded
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import ClusterError
from aeron_cluster.memory.agents.waiting import Task
from aeron_cluster.memory.shared.counters_layout import CounterState


class Counters:
    """One counter, of recording 8; its registration id is unchanged after its release."""

    def __init__(self):
        self.position = 0
        self.counter_state = CounterState.COUNTER_ALLOCATED
        self.recording_id = 8

    def value(self, _):
        return self.position

    def state(self, _):
        return self.counter_state

    def type_id(self, _):
        return POSITION_COUNTER_TYPE

    def key(self, _):
        return position_key(self.recording_id, 1, "aeron:ipc", 0)

    def registration_id(self, _):
        return 168


@pytest.fixture
def counters():
    return Counters()


@pytest.fixture
def steps(counters):
    aeron = SimpleNamespace(counters_reader=counters)
    return _await_recorded(aeron, SimpleNamespace(position=1824), 164, 8)


def test_waits_until_the_snapshot_is_recorded(counters, steps):
    next(steps)
    counters.position = 1823
    next(steps)
    counters.position = 1824
    assert next(steps, "done") == "done"


def test_stopped_recording_is_awaited_no_longer(counters, steps):
    next(steps)
    counters.counter_state = CounterState.COUNTER_RECLAIMED
    with pytest.raises(ClusterError, match="recording has stopped unexpectedly: 8"):
        next(steps)


def test_the_position_of_another_recording_is_ignored(counters, steps):
    next(steps)
    counters.recording_id, counters.position = 9, 1 << 20
    with pytest.raises(ClusterError, match="has stopped unexpectedly"):
        next(steps)


class Driver:
    """Adds publications with the channel's term length, or 64 KiB."""

    def __init__(self):
        self.channels = []
        self.closed = []

    def async_add_exclusive_publication(self, channel, _):
        self.channels.append(str(channel))
        return len(self.channels)

    def get_exclusive_publication(self, registration_id):
        term_length = ChannelUri.parse(self.channels[registration_id - 1]).size(
            "term-length", 1 << 16
        )
        return SimpleNamespace(
            max_message_length=term_length // 8, close=lambda: self.closed.append(registration_id)
        )


@pytest.mark.parametrize(
    ("channel", "longest", "requested"),
    [
        ("aeron:ipc?alias=snapshot", 0, []),
        ("aeron:ipc?alias=snapshot", 8192, []),
        ("aeron:ipc?alias=snapshot", 8193, ["aeron:ipc?term-length=128k|alias=snapshot"]),
        ("aeron:ipc?alias=snapshot", 16 << 20, ["aeron:ipc?term-length=128m|alias=snapshot"]),
        ("aeron:ipc?term-length=64k", 8193, []),
    ],
)
def test_stream_accepts_the_logs_maximum_unless_its_term_length_is_set(channel, longest, requested):
    driver = Driver()
    task = Task(_add_publication(driver, ChannelUri.parse(channel), 107, longest))
    while not task.is_done:
        task.do_work()
    assert driver.channels == [channel, *requested]
    assert driver.closed == [1] * len(requested)
    assert task.result.max_message_length >= longest or "term-length" in channel
