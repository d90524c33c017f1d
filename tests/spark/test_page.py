"""What docs/pipeline.md shows on Spark runs, and it names every option."""

import pytest

from tests.test_pipeline_page import ON_SPARK, PAGE
from tests.unit.pipeline.logs import day

pytest.importorskip("pyspark")

from aeron_cluster.pipeline.spark.options import OPTION_NAMES


def test_each_block_runs(spark, tmp_path, monkeypatch, capsys):
    day().put_node(tmp_path / "node0", is_shut_down=True)
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in ON_SPARK:
        # Spark's JVM has a working directory of its own.
        text = block.replace('"checkpoint")', f'"{tmp_path}/checkpoint")')
        text = text.replace('load("node0")', f'load("{tmp_path}/node0")')
        text = text.replace('"rows")', f'"{tmp_path}/rows")')
        exec(compile(text, "docs/pipeline.md", "exec"), names)
        assert names["spark"].sparkContext is spark.sparkContext
    assert "SessionMessage|    5|" in capsys.readouterr().out
    assert spark.read.parquet(str(tmp_path / "rows")).count() == 13


def test_it_names_every_option():
    for name in OPTION_NAMES:
        assert f"`{name}`" in PAGE or name == "ends", name
