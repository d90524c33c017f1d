"""The instruction counts of the hot loops stay where they were committed."""

import os

import pytest

from benchmarks.micro import counts
from benchmarks.micro.counts import TOLERANCE, Change, compare


def test_a_dearer_loop_is_seen():
    at_limit = Change("x", 100.0 * (1 + TOLERANCE), 100.0)
    assert not at_limit.is_worse
    (worse,) = compare({"x": 104.0}, {"x": 100.0, "gone": 1.0})
    assert worse.is_worse
    assert str(worse).endswith("baseline    100.0 (+4.0 %)  WORSE")
    (new,) = compare({"y": 104.0}, {"x": 100.0})
    assert not new.is_worse


@pytest.mark.slow
def test_no_hot_loop_takes_more_instructions_than_its_baseline():
    if reason := counts.unavailable():
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI=true and {reason}")
        pytest.skip(reason)
    made_with, baseline = counts.recorded()
    if made_with != counts.tools():
        pytest.skip(f"the baseline holds for {made_with}, here is {counts.tools()}")
    counted = counts.count()
    assert set(counted) == set(baseline)
    assert [str(change) for change in compare(counted, baseline) if change.is_worse] == []
