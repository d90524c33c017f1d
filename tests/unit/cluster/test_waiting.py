import struct
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.waiting import (
    Task,
    await_recording,
    await_subscription,
    find_recording_counter,
    until,
)
from aeron_cluster.errors import StateError, TimeoutExpiredError


def steps(log):
    log.append("first")
    yield
    log.append("second")
    return 7


def test_a_task_takes_one_step_a_pass():
    log = []
    task = Task(steps(log))
    assert log == []
    assert task.do_work() == 0  # it waits
    assert log == ["first"]
    assert not task.is_done
    assert task.do_work() == 1
    assert (task.is_done, task.result, log) == (True, 7, ["first", "second"])
    assert task.do_work() == 0


def test_a_task_that_raised_is_over_without_a_result():
    def failing():
        yield
        raise ValueError("no")

    task = Task(failing())
    task.do_work()
    with pytest.raises(ValueError, match="no"):
        task.do_work()
    assert task.is_done


def test_asks_for_no_result_before_the_end():
    with pytest.raises(StateError, match="expected it to be done"):
        _ = Task(steps([])).result


def test_closing_a_task_runs_the_clean_up_of_its_steps():
    closed = []

    def guarded():
        try:
            yield
        finally:
            closed.append(True)

    task = Task(guarded())
    task.do_work()
    task.close()
    assert closed == [True]
    assert task.is_done


def test_waits_until_there_is_a_value():
    values = iter([None, None, 0])
    task = Task(until(lambda: next(values)))
    work_counts = []
    while not task.is_done:
        work_counts.append(task.do_work())
    assert (work_counts, task.result) == ([0, 0, 1], 0)


def test_a_step_says_how_much_work_it_did():
    def counting():
        yield 5
        yield

    task = Task(counting())
    assert [task.do_work() for _ in range(4)] == [5, 0, 1, 0]


def counter(counter_id, type_id, recording_id, session_id, identity, archive_id):
    key = struct.pack("<qii", recording_id, session_id, len(identity)) + identity
    key += struct.pack("<q", archive_id)
    return SimpleNamespace(counter_id=counter_id, type_id=type_id, key=key.ljust(112, b"\0"))


def test_finds_the_position_counter_of_a_session_in_its_archive():
    counters = SimpleNamespace(
        counters=lambda _type_id: [
            counter(4, 100, 1, 6, b"aeron:ipc", 9),
            counter(5, 100, 2, 5, b"127.0.0.1:4000", 8),
            counter(6, 100, 3, 5, b"127.0.0.1:4000", 9),
        ]
    )
    assert find_recording_counter(counters, 5, 9) == (6, 3)
    assert find_recording_counter(counters, 5, 10) is None


def test_a_recording_that_never_begins_is_awaited_no_longer_than_an_answer():
    clock = SimpleNamespace(now_ns=0)
    found = []
    archive = SimpleNamespace(
        aeron=SimpleNamespace(
            context=SimpleNamespace(now_ns=lambda: clock.now_ns),
            counters_reader=SimpleNamespace(counters=lambda _type_id: found),
        ),
        archive_id=9,
        context=SimpleNamespace(message_timeout_ns=10),
        poll=lambda: 0,
    )
    late, in_time = Task(await_recording(archive, 5)), Task(await_recording(archive, 5))
    late.do_work()
    in_time.do_work()
    clock.now_ns = 10
    found.append(counter(6, 100, 3, 5, b"127.0.0.1:4000", 9))
    in_time.do_work()
    assert in_time.result == (6, 3)
    found.clear()
    late.do_work()
    clock.now_ns = 11
    with pytest.raises(TimeoutExpiredError, match="no recording of session 5 in time"):
        late.do_work()


def test_steps_that_end_before_the_driver_answers_give_the_request_up():
    abandoned = []
    aeron = SimpleNamespace(
        async_add_subscription=lambda *_: 7,
        get_subscription=lambda _: None,
        abandon=abandoned.append,
    )
    task = Task(await_subscription(aeron, "aeron:ipc", 1))
    task.do_work()
    assert abandoned == []
    task.close()
    assert abandoned == [7]
