"""Timer events assigned to requests as they come: one without a request is found immediately."""

from types import SimpleNamespace

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.timer_events import TimersFireOnce
from aeron_cluster.simulator.members.journal import Entry, Journal


class Run:
    """A journal, and a checker that is called after each change of it."""

    def __init__(self):
        self.journal = Journal(0)
        self.checker = TimersFireOnce()

    def check(self):
        self.checker.check(SimpleNamespace(journals=[self.journal]))

    def request(self, position, deadline, correlation_id=7):
        self.journal.settings[position, correlation_id] = deadline
        self.check()

    def fire(self, position, timestamp, correlation_id=7):
        entry = Entry(position, "timer", correlation_id, timestamp, b"")
        self.journal.add(len(self.journal.entries), entry, "member 0")
        self.check()


@pytest.fixture
def run():
    return Run()


def test_each_request_has_one_event(run):
    run.request(96, 10)
    run.fire(192, 10)
    run.request(192, 20)
    run.fire(288, 25)
    with pytest.raises(InvariantError, match="timers fire once: timer 7 of 30"):
        run.fire(384, 30)


def test_an_event_before_its_time_or_its_request_is_detected(run):
    run.request(96, 10)
    with pytest.raises(InvariantError, match="timers fire once"):
        run.fire(192, 9)
    run = Run()
    run.request(192, 10)
    with pytest.raises(InvariantError, match="timers fire once"):
        run.fire(192, 10)


def test_an_event_of_another_timer_is_detected(run):
    run.request(96, 10)
    with pytest.raises(InvariantError, match="timers fire once: timer 8"):
        run.fire(192, 10, correlation_id=8)


def test_an_event_is_of_the_latest_possible_request(run):
    run.request(96, 10)
    run.request(128, 20)
    run.fire(192, 20)
    run.fire(224, 10)  # a clock was set back


def test_a_request_that_another_member_completes_counts(run):
    """The first member was killed between the cancellation and the next request."""
    run.request(96, None)
    run.request(112, 1, correlation_id=8)
    run.fire(160, 5, correlation_id=8)
    run.request(96, 10)
    run.fire(192, 10)
