"""The latency histogram: small values are exact, others are off by at most one in 128."""

import pytest

from aeron_cluster.cli.latency import LatencyHistogram


def histogram(*durations_ns):
    counted = LatencyHistogram()
    for each in durations_ns:
        counted.record(each)
    return counted


def test_nothing_recorded_is_zero_everywhere():
    empty = histogram()
    assert (empty.count, empty.max_ns, empty.percentile_ns(50), list(empty.buckets())) == (
        0,
        0,
        0,
        [],
    )


def test_small_values_are_exact():
    counted = histogram(*range(256))
    assert list(counted.buckets()) == [(value, value, 1) for value in range(256)]


def test_percentiles_are_those_of_the_sorted_values():
    counted = histogram(*range(1, 101))
    assert [counted.percentile_ns(p) for p in (0, 50, 90, 99, 99.9, 100)] == [
        1,
        50,
        90,
        99,
        100,
        100,
    ]


def test_the_longest_is_exact_and_no_percentile_exceeds_it():
    counted = histogram(10, 1_000_003)
    assert counted.max_ns == 1_000_003
    assert counted.percentile_ns(100) == 1_000_003


@pytest.mark.parametrize("duration_ns", [256, 257, 511, 512, 99_999, 2**40 + 1, 2**63 - 1])
def test_a_bucket_holds_its_value_and_is_narrow(duration_ns):
    counted = histogram(duration_ns, 2**63 - 1)
    lower_ns, upper_ns, _ = next(iter(counted.buckets()))
    assert lower_ns <= duration_ns <= upper_ns
    assert upper_ns - lower_ns < lower_ns / 127


def test_negative_latency_counts_as_zero():
    assert histogram(-5).percentile_ns(100) == 0
