import pytest

from aeron_cluster.errors import StateError
from aeron_cluster.memory.agents.waiting import Task, until


def steps(log):
    log.append("first")
    yield
    log.append("second")
    return 7


def test_a_task_runs_one_step_a_pass():
    log = []
    task = Task(steps(log))
    assert log == []
    assert task.do_work() == 0  # it waits
    assert log == ["first"]
    assert not task.is_done
    assert task.do_work() == 1
    assert (task.is_done, task.result, log) == (True, 7, ["first", "second"])
    assert task.do_work() == 0


def test_raising_task_is_done_without_a_result():
    def failing():
        yield
        raise ValueError("no")

    task = Task(failing())
    task.do_work()
    with pytest.raises(ValueError, match="no"):
        task.do_work()
    assert task.is_done


def test_requests_no_result_before_the_end():
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


def test_waits_for_a_value():
    values = iter([None, None, 0])
    task = Task(until(lambda: next(values)))
    work_counts = []
    while not task.is_done:
        work_counts.append(task.do_work())
    assert (work_counts, task.result) == ([0, 0, 1], 0)


def test_a_step_returns_its_work_count():
    def counting():
        yield 5
        yield

    task = Task(counting())
    assert [task.do_work() for _ in range(4)] == [5, 0, 1, 0]
