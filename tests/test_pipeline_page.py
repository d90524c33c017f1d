"""What docs/pipeline.md shows runs, and it names every column."""

import re

import pytest

from aeron_cluster.pipeline.columns import LOG_COLUMNS, RECORDING_COLUMNS
from tests.conftest import ROOT
from tests.unit.pipeline.logs import day

PAGE = (ROOT / "docs/pipeline.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
# Those are run by tests/spark.
ON_SPARK = [block for block in BLOCKS if "pipeline.spark" in block]


def test_each_block_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyarrow")
    day().put_node(tmp_path / "node0")
    monkeypatch.chdir(tmp_path)
    for block in BLOCKS:
        if block in ON_SPARK:
            continue
        exec(compile(block, "docs/pipeline.md", "exec"), {})
    assert "cluster_session_id: int64" in capsys.readouterr().out


def test_it_names_every_column():
    for column in (*RECORDING_COLUMNS, *LOG_COLUMNS):
        assert f"`{column.name}`" in PAGE
