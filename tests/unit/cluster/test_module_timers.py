import pytest

from aeron_cluster.cluster.module_timers import ModuleTimers
from aeron_cluster.cluster.timers import HeapTimers, WheelTimers


class Log:
    def __init__(self):
        self.events = []
        self.is_full = False

    def append(self, correlation_id):
        if self.is_full:
            return -2
        self.events.append(correlation_id)
        return 64 * len(self.events)


@pytest.fixture
def log():
    return Log()


@pytest.fixture(params=[HeapTimers, lambda: WheelTimers(0, 1)])
def timers(request, log):
    return ModuleTimers(request.param(), log.append)


def test_appends_an_event_for_a_timer_that_is_due(timers, log):
    timers.schedule(7, 100)
    assert timers.poll(99) == 0
    assert timers.poll(100) == 1
    assert log.events == [7]


def test_keeps_a_timer_whose_event_does_not_fit_the_log(timers, log):
    timers.schedule(7, 100)
    log.is_full = True
    assert timers.poll(200) == 0
    log.is_full = False
    assert timers.poll(200) == 1


def test_swallows_a_request_for_a_timer_that_the_log_showed_already(timers):
    timers.on_replay(7)
    timers.schedule(7, 100)
    assert timers.poll(200) == 0
    timers.schedule(7, 100)
    assert timers.poll(200) == 1


def test_the_log_takes_a_timer_away(timers):
    timers.schedule(7, 100)
    timers.on_replay(7)
    assert timers.poll(200) == 0
    assert timers.items() == []


def test_timers_that_fired_uncommitted_fire_again(timers, log):
    timers.schedule(7, 100)
    timers.schedule(8, 100)
    timers.poll(200)
    assert timers.first_uncommitted_position == 64
    timers.on_committed(64)
    timers.restore_uncommitted(64)
    assert timers.items() == [(log.events[1], 0)]
    assert timers.poll(200) == 1
    assert log.events[2] == log.events[1]


def test_loads_a_snapshots_timers(timers):
    timers.load([(1, 50), (2, 500)], 60)
    assert sorted(timers.items()) == [(1, 50), (2, 500)]
    assert timers.next_deadline == 50
    assert timers.poll(100) == 1
