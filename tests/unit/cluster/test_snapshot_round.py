"""The wait for the end of a snapshot's recording, which may never come."""

from types import SimpleNamespace

import pytest

from aeron_cluster.archive.recording_pos import POSITION_COUNTER_TYPE, position_key
from aeron_cluster.cluster.snapshot_round import _await_recorded
from aeron_cluster.errors import ClusterError
from aeron_cluster.memory.counters_layout import CounterState


class Counters:
    """One counter, of recording 8; the id of its registration stays when it is given back."""

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


def test_a_recording_that_stopped_is_awaited_no_longer(counters, steps):
    next(steps)
    counters.counter_state = CounterState.COUNTER_RECLAIMED
    with pytest.raises(ClusterError, match="recording 8 stopped before its end"):
        next(steps)


def test_the_position_of_another_recording_tells_nothing(counters, steps):
    next(steps)
    counters.recording_id, counters.position = 9, 1 << 20
    with pytest.raises(ClusterError, match="stopped before its end"):
        next(steps)
