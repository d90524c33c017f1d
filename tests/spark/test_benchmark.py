"""The benchmark of queries prints all its figures for a small log too."""

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("numpy")

from benchmarks.spark import measure

TERM_LENGTH = 256 * 1024


def test_query_benchmark_measures_everything_requested(spark, tmp_path):
    lines = list(
        measure(
            spark,
            tmp_path,
            length=2 * TERM_LENGTH,
            sweep=[TERM_LENGTH, 4 * TERM_LENGTH],
            queries=["parquet"],
            term_length=TERM_LENGTH,
            rounds=0,
        )
    )
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
    assert [row[0] for row in rows if row[0] not in ("---", "")] == [
        "log",
        "0 MiB",
        "1 MiB",
        "highest over lowest",
        "time per byte",
        "peak of a worker",
        "query",
        "parquet",
        "parquet, over a plain loop",
        "parquet, how much faster than one task",
        "query, source, tasks",
        "parquet, source, 1",
        "parquet, source, 2",
        "parquet, prebuilt, 1",
        "parquet, prebuilt, 2",
    ]
    assert all(row[-1] in ("reached", "missed") for row in rows if ">=" in row[-2])
    peaks = [float(row[-1].removesuffix(" MiB")) for row in rows if row[-1].endswith("MiB")]
    assert len(peaks) == 2
    assert min(peaks) > 20
    assert [row[1] for row in rows if row[0].endswith(" MiB")] == ["4", "1"]
    busy = [float(row[-1]) for row in rows if row[0].startswith(("parquet, s", "parquet, p"))]
    assert len(busy) == 4
    assert min(busy) > 0
