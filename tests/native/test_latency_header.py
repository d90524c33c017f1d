"""A C program tests the queues and histograms of ``aeron_cluster/latency.h``."""

import subprocess

import pytest

from aeron_cluster.cli.latency import LatencyHistogram
from aeron_cluster.cluster.latency.stage_agents import bucket_of
from tests.conftest import ROOT

PROGRAM = r"""
#include <assert.h>
#include <stdlib.h>
#include "aeron_cluster/latency.h"

static void put(ac_latency_file *file, int64_t position, int64_t time_ns) {
    ac_latency_stamp stamp = {position, time_ns, time_ns - 10, file->header.epoch};
    ac_latency_put(file, AC_STAGE_LOG, &stamp);
}

int main(void) {
    ac_latency_file *file = calloc(1, sizeof(ac_latency_file));
    ac_latency_histogram *recorded = &file->histograms[AC_STAGE_RECORDED];
    ac_latency_histogram *total = &file->histograms[AC_STAGE_TOTAL];
    assert(!ac_latency_is_awaited(file, AC_STAGE_RECORDED));
    put(file, 100, 1000);
    put(file, 200, 2000);
    assert(ac_latency_is_awaited(file, AC_STAGE_RECORDED));
    /* A stamp is taken once its position is reached, and moves to the next stage. */
    assert(ac_latency_take(file, AC_STAGE_RECORDED, 2, 99, 3000, false) == 0);
    assert(ac_latency_take(file, AC_STAGE_RECORDED, 2, 199, 3000, false) == 1);
    assert(recorded->count == 1 && recorded->longest_ns == 2000 && recorded->sum_ns == 2000);
    assert(recorded->buckets[ac_latency_bucket(2000)] == 1);
    assert(ac_latency_end(file, AC_STAGE_COMMITTED) == 1);
    /* At the last stage the total time is counted too. */
    assert(ac_latency_take(file, AC_STAGE_COMMITTED, 1, 100, 3500, true) == 1);
    assert(file->histograms[AC_STAGE_COMMITTED].sum_ns == 500);
    assert(total->count == 1 && total->sum_ns == 2510);
    /* Not beyond the given end. */
    put(file, 300, 2500);
    assert(ac_latency_take(file, AC_STAGE_RECORDED, 2, 1000, 4000, true) == 1);
    assert(ac_latency_take(file, AC_STAGE_RECORDED, 2, 1000, 4000, true) == 0);
    /* Stamps of an earlier leadership are dropped, whatever their position. */
    put(file, 1 << 20, 5000);
    file->header.epoch += 1;
    put(file, 400, 6000);
    assert(ac_latency_take(file, AC_STAGE_RECORDED, 5, 400, 7000, true) == 3);
    assert(recorded->count == 3 && recorded->longest_ns == 2000);
    /* A full queue drops the newest, and counts it. */
    for (int index = 0; index <= AC_LATENCY_QUEUE_LENGTH; index++) {
        put(file, 500 + index, 8000);
    }
    assert(file->histograms[AC_STAGE_LOG].dropped == 1);
    assert(ac_latency_take(file, AC_STAGE_RECORDED, 1 << 20, 500, 8000, true) == 1);
    put(file, 2000, 8000);
    assert(file->histograms[AC_STAGE_LOG].dropped == 1);
    /* A limited number per call. */
    assert(ac_latency_take(file, AC_STAGE_RECORDED, ac_latency_end(file, AC_STAGE_RECORDED), 5000,
                           9000, true) == AC_LATENCY_MAX_BATCH);
    /* A time beyond the last bucket is counted there; the longest time is exact. */
    ac_latency_record(total, INT64_MAX);
    assert(total->longest_ns == INT64_MAX);
    assert(total->buckets[AC_LATENCY_BUCKET_COUNT - 1] == 1);
    ac_latency_record(total, -5);
    assert(total->buckets[0] >= 1);
    free(file);
    return 0;
}
"""


def test_stamps_are_taken_in_order_and_of_one_leadership(tmp_path):
    (tmp_path / "program.c").write_text(PROGRAM)
    command = ["gcc", "-std=c11", "-O1", "-UNDEBUG", "-Wall", "-Werror", f"-I{ROOT / 'include'}"]
    subprocess.run(
        [*command, "-o", tmp_path / "program", tmp_path / "program.c"],
        check=True,
    )
    subprocess.run([tmp_path / "program"], check=True)


@pytest.mark.parametrize(
    "duration_ns",
    [0, 1, 127, 128, 255, 256, 257, 511, 512, 1000, 65_535, 10**6, 10**9, (1 << 35) - 1],
)
def test_buckets_are_those_that_percentiles_are_read_from(duration_ns):
    histogram = LatencyHistogram()
    histogram.record(duration_ns)
    (index,) = (index for index, _ in histogram._non_empty())
    assert bucket_of(duration_ns) == index


def test_a_negative_duration_is_in_the_first_bucket():
    """The clocks of two processors may differ by some nanoseconds."""
    assert [bucket_of(duration_ns) for duration_ns in (-(1 << 63), -1, 0)] == [0, 0, 0]
