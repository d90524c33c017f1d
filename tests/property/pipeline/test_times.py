"""A search by time finds the same rows as a scan, within the stated clock steps."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.pipeline import read_log
from tests.unit.pipeline.logs import TIME, LogBuilder

pytest.importorskip("pyarrow")

SLACK_MS = 3000


@settings(max_examples=40)
@given(
    steps=st.lists(st.tuples(st.integers(0, 2000), st.integers(0, SLACK_MS)), max_size=60),
    size=st.integers(1000, 9000),
    bounds=st.tuples(st.integers(-100, 70_000), st.integers(-100, 70_000)),
    has_start=st.booleans(),
    has_end=st.booleans(),
)
def test_a_search_by_time_misses_nothing(steps, size, bounds, has_start, has_end):
    log = LogBuilder(terms_per_segment=1)
    log.begin_term(0)
    expected = [log.time]
    highest = log.time
    for ahead, behind in steps:
        highest += ahead
        log.time = max(TIME, highest - behind)
        log.emit(1, bytes(size))
        expected.append(log.time)
    begin, end = sorted(TIME + bound for bound in bounds)
    with tempfile.TemporaryDirectory() as directory:
        node = log.write_node(Path(directory))
        reading = read_log(
            node,
            columns=["timestamp_raw"],
            from_time=begin if has_start else None,
            to_time=end if has_end else None,
            time_slack_s=SLACK_MS / 1000,
        )
        assert reading.table()["timestamp_raw"].to_pylist() == [
            time
            for time in expected
            if (time >= begin or not has_start) and (time < end or not has_end)
        ]
