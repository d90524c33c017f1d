"""How often an error that a peer can cause repeatedly is reported."""

import logging

import pytest

from aeron_cluster.errors import ElectionRestartError
from aeron_cluster.memory.agents.report_limiter import ErrorLogger, ReportLimiter, kind_of_error
from aeron_cluster.simulator.world.virtual_clock import VirtualClock

SECOND = 1_000_000_000
MINUTE = 60 * SECOND


def limiter(**options):
    clock = VirtualClock()
    return clock, ReportLimiter(clock, **{"burst": 2, "interval_ns": MINUTE, **options})


def test_the_first_of_a_kind_are_reported_in_full_and_the_next_only_counted():
    _, limits = limiter()
    assert [limits.admit("a") for _ in range(4)] == [(True, 0), (True, 0), (False, 0), (False, 0)]
    assert limits.admit("b") == (True, 0)


def test_a_count_is_due_once_in_an_interval():
    clock, limits = limiter(burst=1)
    limits.admit("a")
    due = []
    for _ in range(600):
        clock.advance(SECOND)
        admission = limits.admit("a")
        assert not admission.is_full
        if admission.is_due:
            due.append(admission.suppressed)
    assert due == [60] * 10


def test_kind_quiet_for_ten_intervals_restarts_and_reports_its_suppressed_count():
    clock, limits = limiter(burst=1)
    limits.admit("a")
    limits.admit("a")
    clock.advance(10 * MINUTE - 1)
    assert limits.admit("a") == (False, 2)
    limits.admit("a")
    clock.advance(10 * MINUTE)
    assert limits.admit("a") == (True, 1)


def test_keys_beyond_the_maximum_count_as_one():
    _, limits = limiter(burst=1, max_keys=8)
    full = sum(limits.admit(number).is_full for number in range(1000))
    assert len(limits) == 8
    assert full == 9


def test_quiet_keys_are_replaced_by_new_ones():
    clock, limits = limiter(burst=1, max_keys=8)
    for number in range(9):
        limits.admit(number)
    clock.advance(10 * MINUTE)
    assert limits.admit("new") == (True, 0)
    assert len(limits) == 1


def fail(text, cause):
    raise ValueError(text) from cause


def raised(text, cause=None):
    with pytest.raises(ValueError, match=text) as caught:
        fail(text, cause)
    return caught.value


def test_errors_of_one_place_are_one_kind_with_any_text():
    assert kind_of_error(raised("a")) == kind_of_error(raised("b"))
    assert kind_of_error(raised("a")) != kind_of_error(KeyError("a"))
    assert kind_of_error(raised("a")) != kind_of_error(raised("a", KeyError("b")))


def test_unraised_errors_differing_only_in_numbers_are_one_kind():
    assert kind_of_error(ValueError("session 12")) == kind_of_error(ValueError("session 345"))
    assert kind_of_error(ValueError("session 12")) != kind_of_error(ValueError("image 12"))


def test_a_logger_names_the_first_with_traceback_and_later_ones_as_a_count(caplog):
    clock = VirtualClock()
    report = ErrorLogger(logging.getLogger("aeron_cluster.test"), clock)
    for _ in range(600):
        for _ in range(1000):
            report(raised("bad frame of session 7"))
        clock.advance(SECOND)
    with_traceback = [each for each in caplog.records if each.exc_info]
    assert len(with_traceback) == 3
    assert 10 <= len(caplog.records) <= 3 + 2 * 10
    assert "59999 more errors like the next were not logged" in caplog.text
    assert len(caplog.text) < 10_000


def test_an_unraised_error_is_one_line(caplog):
    report = ErrorLogger(logging.getLogger("aeron_cluster.test"), VirtualClock())
    report(ValueError("WARN - leader heartbeat timeout"))
    (record,) = caplog.records
    assert record.getMessage() == "WARN - leader heartbeat timeout"
    assert record.exc_info is None


def test_a_raised_event_of_a_cluster_is_one_line(caplog):
    report = ErrorLogger(logging.getLogger("aeron_cluster.test"), VirtualClock())
    with pytest.raises(ElectionRestartError) as caught:
        raise ElectionRestartError(
            "WARN - followerLogAwait - joinPosition=608 greater than logPosition=512"
        )
    report(caught.value)
    (record,) = caplog.records
    assert record.getMessage() == str(caught.value)
    assert record.exc_info is None


def test_long_texts_of_an_error_and_its_cause_are_cut(caplog):
    report = ErrorLogger(logging.getLogger("aeron_cluster.test"), VirtualClock())

    def fail(payload):
        raise RuntimeError("y" * 100_000) from ValueError(f"cannot parse {payload!r}")

    with pytest.raises(RuntimeError) as raised:
        fail(b"x" * 1_000_000)
    report(raised.value)
    (record,) = caplog.records
    text = record.getMessage()
    assert len(text) + len(record.exc_text or "") < 10_000
    assert "ValueError: cannot parse b'xxx" in text
    assert "RuntimeError: yyy" in text
    assert text.count(" characters)") == 2
    assert "in fail" in text
