"""Tasks run in sequence and on Spark: results, progress and failures."""

import pytest

from aeron_cluster.errors import SegmentError, StateError
from aeron_cluster.pipeline.jobs.running.tasks import run_tasks
from tests.unit.pipeline.jobs.in_process_spark import InProcessSpark


def double(number):
    if number == 7:
        raise SegmentError(3, "3-0.rec", 4096, "frame length", ">= 32", 0, 65536)
    return 2 * number


def run(things, spark, progress):
    return run_tasks(double, things, "double", lambda *each: progress.append(each), spark)


@pytest.mark.parametrize("on_spark", [False, True])
def test_results_arrive_in_order_and_progress_with_each(on_spark):
    spark, progress = InProcessSpark() if on_spark else None, []
    things = list(range(10, 60))
    results = run(things, spark, progress)
    for index, thing in enumerate(things):
        assert next(results) == 2 * thing
        assert progress[-1] == ("double", index + 1, 50)
    assert list(results) == []
    assert progress[0] == ("double", 0, 50)
    if spark is not None:
        assert spark.counts == [1] * 50
        assert not spark.is_cancelled


@pytest.mark.parametrize("on_spark", [False, True])
def test_data_before_an_error_is_returned(on_spark):
    spark, progress = InProcessSpark() if on_spark else None, []
    results = run([1, 2, 7, 3, *range(100, 200)], spark, progress)
    assert [next(results), next(results)] == [2, 4]
    with pytest.raises(SegmentError) as raised:
        next(results)
    assert (raised.value.offset, raised.value.found) == (4096, 0)
    assert progress[-1] == ("double", 2, 104)
    if spark is not None:
        assert spark.is_cancelled


def test_a_closed_iterator_ends_the_remaining_tasks():
    spark = InProcessSpark()
    results = run(range(100, 200), spark, [])
    assert next(results) == 200
    with pytest.raises(StateError):
        results.throw(StateError("enough"))
    assert spark.is_cancelled


@pytest.mark.parametrize("on_spark", [False, True])
def test_no_tasks_give_no_results(on_spark):
    assert list(run([], InProcessSpark() if on_spark else None, [])) == []
