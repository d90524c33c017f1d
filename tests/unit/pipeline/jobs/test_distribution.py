"""Bulk counts of durations equal the commands' histogram, which counts one by one."""

import random

import numpy as np

from aeron_cluster.cli.latency import LatencyHistogram
from aeron_cluster.pipeline.jobs.figures.distribution import PERCENTILES, Distribution


def values(seed=5, count=2000):
    seeded = random.Random(seed)
    edges = [edge + off for bit in range(1, 62) for edge in (1 << bit,) for off in (-1, 0, 1)]
    return [0, 2**63 - 1, *edges, *(int(seeded.expovariate(1e-6)) for _ in range(count))]


def test_batch_counts_equal_single_counts():
    plain, counted = LatencyHistogram(), Distribution()
    for value in values():
        plain.record(value)
    counted.record(np.array(values(), np.int64))
    assert list(counted.buckets()) == list(plain.buckets())
    assert (counted.count, counted.max_ns) == (plain.count, plain.max_ns)
    for percentile in (0, *PERCENTILES, 100):
        assert counted.percentile_ns(percentile) == plain.percentile_ns(percentile)


def test_the_parts_cover_the_entire_range():
    whole, first, second = Distribution(), Distribution(), Distribution()
    found = np.array(values(), np.int64)
    whole.record(found)
    first.record(found[:700])
    second.record(found[700:])
    first.add(second)
    assert list(first.buckets()) == list(whole.buckets())
    assert (first.count, first.max_ns) == (whole.count, whole.max_ns)


def test_a_unit_is_stored_exactly():
    found = Distribution(1_000_000)
    found.record(np.array([0, 1, 1, 200], np.int64))
    assert list(found.buckets()) == [
        (0, 0, 1),
        (1_000_000, 1_000_000, 2),
        (200_000_000, 200_000_000, 1),
    ]


def test_empty_distribution_has_no_percentile():
    found = Distribution()
    found.record(np.array([], np.int64))
    assert (found.percentile_ns(99), found.max_ns, list(found.buckets())) == (0, 0, [])
