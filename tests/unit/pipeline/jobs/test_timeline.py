"""Statistics by intervals, for logs of any length."""

import random

import numpy as np
import pytest

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.jobs.figures.timeline import Timeline


def put(timeline, times):
    found = np.array(times, np.int64)
    timeline.put(found, count=np.ones_like(found), most=found % 97)


def create_timeline(interval_s=None, units=1000):
    return Timeline(units, ("count",), ("most",), interval_s)


def plain(times, interval):
    rows = {}
    for time in times:
        row = rows.setdefault(time // interval * interval, [0, 0])
        row[0] += 1
        row[1] = max(row[1], time % 97)
    return sorted(rows.items())


@pytest.mark.parametrize("length", [10, 5_000, 3_000_000, 10**10])
def test_rows_are_those_of_a_plain_count(length):
    seeded = random.Random(length)
    times = [1_700_000_000_000 + seeded.randrange(length) for _ in range(3000)]
    found = create_timeline()
    for begin in range(0, len(times), 400):
        put(found, times[begin : begin + 400])
    assert found.rows() == plain(times, found.interval)
    assert found.breadth <= 1000
    assert found.interval == 1 or found.breadth > 90


def test_parts_of_different_intervals_are_put_together():
    near, far = list(range(0, 900, 3)), [10**7 * each for each in range(300)]
    first, second = create_timeline(), create_timeline()
    put(first, near)
    put(second, far)
    assert first.interval < second.interval
    for one, other in ((first, second), (second, first)):
        both = create_timeline()
        both.add(one)
        both.add(other)
        assert both.rows() == plain([*near, *far], both.interval)


def test_requested_interval_is_retained():
    found = create_timeline(0.01)
    put(found, list(range(0, 100_000, 7)))
    assert found.interval == 10
    assert found.rows() == plain(range(0, 100_000, 7), 10)
    assert found.drawn().breadth <= 1000


def test_drawn_shapes_have_no_holes():
    found = create_timeline(1.0)
    put(found, [0, 5_000])
    assert [row for _, (row, _) in found.drawn().rows()] == [1, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("interval_s", [float("nan"), float("inf"), -float("inf"), 1e12])
def test_an_interval_is_a_number(interval_s):
    with pytest.raises(ConfigurationError, match="interval_s: expected a number below"):
        Timeline(1000, interval_s=interval_s)


@pytest.mark.parametrize("interval_s", [0.0005, 0.0015, 0])
def test_an_interval_has_complete_units(interval_s):
    with pytest.raises(ConfigurationError, match="interval_s: expected a multiple"):
        create_timeline(interval_s)


def test_names_of_the_figures_are_sums_then_maxima():
    assert Timeline(1000, ("a", "b"), ("c",)).names == ("a", "b", "c")


def test_times_of_centuries_are_not_filled():
    """Beyond the longest interval, of a day, there would be too many rows to draw."""
    found = create_timeline()
    put(found, [0, 365_000 * 86_400_000])
    drawn = found.drawn()
    assert drawn.interval_ns == 86_400 * 10**9
    assert drawn.breadth == 365_001
    assert len(drawn.rows()) == 3
    assert not drawn.coarsen()


@pytest.mark.parametrize(("interval_s", "interval"), [(None, 86_400_000), (7.0, 7_000)])
def test_a_figure_ends_with_its_interval_also_where_holes_are_not_filled(interval_s, interval):
    found = create_timeline(interval_s)
    put(found, [0, interval, 5000 * interval])
    assert [(begin, count) for begin, (count, _) in found.drawn().rows()] == [
        (0, 1),
        (interval, 1),
        (2 * interval, 0),
        (5000 * interval, 1),
    ]
