"""The default length of a task's range."""

import pytest

pytest.importorskip("pyarrow")

from aeron_cluster.pipeline.columns.column_definitions import LOG_COLUMNS
from aeron_cluster.pipeline.scan.pieces import Piece, Range
from aeron_cluster.pipeline.scan.scan_plan import Plan
from aeron_cluster.pipeline.spark.planning import range_length

MIB = 1 << 20


def plan(length, term_length):
    piece = Piece("archive", 0, 0, length, 0, term_length, term_length, 1, 100)
    return Plan((Range(piece, 0, length),), LOG_COLUMNS, is_log=True, is_assembled=True)


@pytest.mark.parametrize(
    ("length", "term_length", "expected"),
    [
        (100, 64 * MIB, 32 * MIB),
        (1024 * MIB, 64 * MIB, 32 * MIB),  # cut within terms, since there are fewer terms
        (1025 * MIB, 64 * MIB, 64 * MIB),
        (4096 * MIB, MIB, 32 * MIB),
        (256 * 100 * MIB, 64 * MIB, 128 * MIB),  # at most some hundreds of tasks
    ],
)
def test_range_length_follows_the_plan(length, term_length, expected):
    assert range_length(plan(length, term_length)) == expected
