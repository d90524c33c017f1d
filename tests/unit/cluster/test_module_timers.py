"""The timers of the consensus module, against a log that may be full or lag."""

import pytest

from aeron_cluster.cluster.agent.module_timers import ModuleTimers
from aeron_cluster.cluster.context.timers import HeapTimers, WheelTimers
from aeron_cluster.errors import UserComponentError


class Log:
    def __init__(self):
        self.events = []
        self.times = []
        self.is_full = False

    def append(self, correlation_id, timestamp):
        if self.is_full:
            return -2
        self.events.append(correlation_id)
        self.times.append(timestamp)
        return 64 * len(self.events)


@pytest.fixture
def log():
    return Log()


@pytest.fixture(params=[HeapTimers, lambda: WheelTimers(0, 1)])
def timers(request, log):
    return ModuleTimers(request.param(), log.append)


def test_appends_an_event_for_an_expired_timer(timers, log):
    timers.schedule(7, 100)
    assert timers.poll(99) == 0
    assert timers.poll(100) == 1
    assert log.events == [7]


def test_without_a_timer_the_next_deadline_is_the_largest_number(timers):
    # The native half stores it in 64 bits, and compares no time with it.
    never = 2**63 - 1
    assert timers.next_deadline == never
    timers.schedule(7, 100)
    timers.schedule(8, 50)
    assert timers.next_deadline == 50
    timers.cancel(8)
    assert timers.next_deadline == 100
    timers.poll(100)
    assert timers.next_deadline == never


def test_events_have_the_time_of_their_poll(timers, log):
    timers.schedule(7, 100)
    timers.schedule(8, 101)
    timers.poll(103)
    assert log.times == [103, 103]


def test_retains_a_timer_if_its_event_does_not_fit_the_log(timers, log):
    timers.schedule(7, 100)
    log.is_full = True
    assert timers.poll(200) == 0
    log.is_full = False
    assert timers.poll(200) == 1


def test_ignores_a_request_for_a_timer_already_fired_in_the_log(timers):
    timers.on_replay(7, 100, 64)
    timers.schedule(7, 100)
    assert timers.poll(200) == 0
    timers.schedule(7, 100)
    assert timers.poll(200) == 1


def test_the_log_removes_a_timer(timers):
    timers.schedule(7, 100)
    timers.on_replay(7, 100, 64)
    assert timers.poll(200) == 0
    assert timers.items() == []


def test_the_next_timer_of_an_id_is_not_confused_with_a_cancelled_one(timers):
    timers.schedule(7, 100)
    timers.cancel(7)
    timers.on_replay(7, 150, 64)  # the leader's service had not reached the cancellation
    timers.schedule(7, 200)
    assert timers.items() == [(7, 200)]


def test_a_timer_rescheduled_while_its_event_was_appended_remains(timers):
    timers.schedule(7, 100)
    timers.schedule(7, 200)
    timers.on_replay(7, 150, 64)
    assert timers.items() == [(7, 200)]
    timers.on_replay(7, 200, 64)
    assert timers.items() == []


def test_a_lagging_services_late_request_for_a_fired_timer_is_dropped(timers):
    timers.on_replay(7, 150, 64)
    timers.schedule(7, 1000)
    timers.schedule(7, 100)
    assert timers.items() == []
    timers.schedule(7, 120)
    assert timers.items() == [(7, 120)]


def test_events_of_one_id_before_its_requests_count_each_once(timers):
    for deadline in (100, 200, 300):
        timers.on_replay(7, deadline, 64)
    for deadline in (100, 200, 300, 400):
        timers.schedule(7, deadline)
    assert timers.items() == [(7, 400)]


def test_an_event_fires_a_timer_that_a_lagging_service_had_moved_before_it(timers):
    timers.on_replay(7, 150, 640)
    timers.schedule(7, 100, 320)
    timers.schedule(7, 120, 320)
    assert timers.items() == []


def test_an_event_fires_no_timer_requested_before_it_for_a_later_time(timers):
    timers.schedule(7, 100, 64)
    timers.cancel(7)
    timers.on_replay(7, 150, 640)  # the leader's service had not reached the cancellation
    timers.schedule(7, 200, 128)
    assert timers.items() == [(7, 200)]


def test_an_event_fires_no_timer_that_was_requested_in_its_handler(timers):
    timers.on_replay(7, 150, 640)
    timers.schedule(7, 100, 320)
    timers.schedule(7, 150, 640)  # due immediately, but requested after the event
    assert timers.items() == [(7, 150)]


def test_an_event_fires_no_timer_of_a_service_that_has_read_it(timers):
    timers.schedule(7, 100, 320)
    timers.schedule(7, 150, 640)
    timers.on_replay(7, 150, 640)
    assert timers.items() == [(7, 150)]


def test_an_event_fires_a_timer_that_the_service_moves_to_an_earlier_time_later(timers):
    timers.load([(7, 500)], 60)
    timers.on_replay(7, 150, 640)
    assert timers.items() == [(7, 500)]
    timers.schedule(7, 100, 320)
    assert timers.items() == []


def test_events_that_a_service_has_read_fire_nothing(timers):
    timers.on_replay(7, 150, 640)
    timers.on_replay(7, 160, 960)
    timers.schedule(7, 100, 1280)
    assert timers.items() == [(7, 100)]


def test_an_own_event_fires_a_timer_that_was_moved_before_it(timers):
    timers.schedule(7, 100, 0)
    timers.poll(150)  # its event ends at 64
    timers.schedule(7, 120, 32)
    assert timers.items() == []
    timers.on_committed(64)
    timers.restore_uncommitted(64)
    assert timers.items() == []
    timers.schedule(7, 130, 64)
    assert timers.items() == [(7, 130)]


def test_a_timer_moved_before_an_uncommitted_event_is_restored_as_moved(timers):
    timers.schedule(7, 100, 0)
    timers.poll(150)
    timers.schedule(7, 120, 32)
    timers.restore_uncommitted(0)
    assert timers.items() == [(7, 120)]
    timers.schedule(7, 110, 32)  # the event is not in the log any more
    assert timers.items() == [(7, 110)]
    timers.on_replay(7, 150, 64)
    assert timers.items() == []


def test_a_limited_number_of_events_is_retained_for_services_that_lag(timers):
    for each in range(20_000):
        timers.on_replay(each, 150, 640)
        timers.schedule(each, 100, 320)
    assert timers.items() == []
    timers.schedule(19_999, 100, 320)
    assert timers.items() == []
    assert len(timers._fired) < 20_000


def test_timer_is_scheduled_again_after_early_firings_are_cleared(timers):
    timers.on_replay(7, 150, 64)
    timers.clear_early()
    timers.schedule(7, 100)
    assert timers.items() == [(7, 100)]


def test_uncommitted_event_of_a_cancelled_or_moved_timer_is_not_undone(timers):
    for correlation_id in (6, 7, 8):
        timers.schedule(correlation_id, 100)
    assert timers.poll(200) == 3
    timers.cancel(6)
    timers.schedule(7, 300)
    timers.restore_uncommitted(0)
    assert sorted(timers.items()) == [(7, 300), (8, 100)]


def test_the_last_uncommitted_event_of_an_id_is_undone(timers, log):
    timers.schedule(7, 100)
    timers.poll(200)
    timers.schedule(7, 300)
    timers.poll(300)
    assert log.events == [7, 7]
    timers.on_committed(64)
    timers.restore_uncommitted(64)
    assert timers.items() == [(7, 300)]


def test_timers_with_uncommitted_events_fire_again(timers, log):
    timers.schedule(7, 100)
    timers.schedule(8, 100)
    timers.poll(200)
    assert timers.first_uncommitted_position == 64
    timers.on_committed(64)
    timers.restore_uncommitted(64)
    assert timers.items() == [(log.events[1], 100)]
    assert timers.poll(200) == 1
    assert log.events[2] == log.events[1]


class FailingTimers(HeapTimers):
    """A timer service of the user that raises once."""

    is_failing = False

    def schedule(self, correlation_id, deadline):
        if self.is_failing:
            self.is_failing = False
            raise UserComponentError("timer service", "schedule", "no exception", "one")
        super().schedule(correlation_id, deadline)


def test_a_timer_that_could_not_be_restored_is_restored_by_the_next_attempt(log):
    service = FailingTimers()
    timers = ModuleTimers(service, log.append)
    for correlation_id in (7, 8):
        timers.schedule(correlation_id, 100)
    timers.poll(100)
    service.is_failing = True
    with pytest.raises(UserComponentError):
        timers.restore_uncommitted(0)
    timers.restore_uncommitted(0)
    assert sorted(timers.items()) == [(7, 100), (8, 100)]


def test_loads_a_snapshots_timers(timers):
    timers.load([(1, 50), (2, 500)], 60)
    assert sorted(timers.items()) == [(1, 50), (2, 500)]
    assert timers.next_deadline == 50
    assert timers.poll(100) == 1
