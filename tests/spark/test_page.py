"""The Spark examples of docs/pipeline.md run, and the page names every option."""

import json

import pytest

from tests.interop.cluster_node import ClusterNodes
from tests.test_pipeline_page import ON_SPARK, PAGE
from tests.unit.pipeline.logs import log_of_every_kind

pytest.importorskip("pyspark")

from aeron_cluster.pipeline.spark.options import OPTION_NAMES
from aeron_cluster.pipeline.spark.sink_options import SINK_OPTION_NAMES

INTO_A_CLUSTER = [block for block in ON_SPARK if ".write." in block]


def test_each_block_runs(spark, tmp_path, monkeypatch, capsys):
    log_of_every_kind().write_node(tmp_path / "node0", is_shut_down=True)
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in ON_SPARK:
        if block in INTO_A_CLUSTER:
            continue
        # Spark's JVM has its own working directory.
        text = block.replace('"checkpoint")', f'"{tmp_path}/checkpoint")')
        text = text.replace('load("node0")', f'load("{tmp_path}/node0")')
        text = text.replace('"rows")', f'"{tmp_path}/rows")')
        exec(compile(text, "docs/pipeline.md", "exec"), names)
        assert names["spark"].sparkContext is spark.sparkContext
    assert "SessionMessage|    5|" in capsys.readouterr().out
    assert spark.read.parquet(str(tmp_path / "rows")).count() == 13


def test_rows_written_into_a_cluster_are_applied(spark, shm_dir, tmp_path, free_port):
    (block,) = INTO_A_CLUSTER
    with ClusterNodes("ours-one-thread", None, tmp_path, shm_dir, free_port(10)) as nodes:
        node = nodes.start(service="accounts").await_leader()
        text = block.replace('"node0/cluster"', f'"{node.cluster_dir}"')
        text = text.replace('"reports"', f'"{tmp_path}/reports"')
        names = {}
        exec(compile(text, "docs/pipeline.md", "exec"), names)
        assert names["spark"].sparkContext is spark.sparkContext
        assert node.state()["balances"] == {"7": 120, "8": 50}
    (path,) = (tmp_path / "reports").iterdir()
    report = json.loads(path.read_text())
    assert (report["rows"], report["acknowledged"], report["is_complete"]) == (3, 3, True)
    for name in report:
        assert f"`{name}`" in PAGE, name


def test_the_page_names_every_option():
    for name in (*OPTION_NAMES, *SINK_OPTION_NAMES):
        assert f"`{name}`" in PAGE or name == "ends", name
