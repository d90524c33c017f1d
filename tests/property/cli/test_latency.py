"""The histogram compared with a sorted list."""

import math

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cli.latency import LatencyHistogram

durations = st.lists(
    st.one_of(st.integers(0, 2**12), st.integers(0, 2**63 - 1)), min_size=1, max_size=60
)


@given(durations, st.floats(0, 100))
def test_percentile_matches_the_sorted_values_to_one_in_128(values, percentile):
    counted = LatencyHistogram()
    for each in values:
        counted.record(each)
    exact = sorted(values)[max(1, math.ceil(len(values) * percentile / 100)) - 1]
    found = counted.percentile_ns(percentile)
    assert exact <= found <= exact + exact // 127
    assert sum(count for _, _, count in counted.buckets()) == counted.count == len(values)
