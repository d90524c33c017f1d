"""What docs/pipeline.md shows runs, and it names every column."""

import re

import pytest

from aeron_cluster.pipeline.columns import LOG_COLUMNS, RECORDING_COLUMNS
from tests.conftest import ROOT
from tests.unit.pipeline.logs import day
from tests.unit.pipeline.payloads.market import SCHEMA, log_of_orders

PAGE = (ROOT / "docs/pipeline.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
# Those are run by tests/spark.
ON_SPARK = [block for block in BLOCKS if "pipeline.spark" in block]


def test_each_block_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyarrow")
    day().put_node(tmp_path / "node0")
    log_of_orders(3).put_node(tmp_path / "exchange0")
    (tmp_path / "market.xml").write_bytes(SCHEMA.read_bytes())
    monkeypatch.chdir(tmp_path)
    for block in BLOCKS:
        if block in ON_SPARK:
            continue
        exec(compile(block, "docs/pipeline.md", "exec"), {})
    said = capsys.readouterr().out
    assert "cluster_session_id: int64" in said
    assert "'symbol': 'ABC'" in said


def test_it_names_every_option_of_payloads():
    payloads = pytest.importorskip("aeron_cluster.pipeline.payloads.options")
    for names in payloads.PAYLOAD_OPTIONS.values():
        for name in ("payload_prefix", *names):
            assert f"`{name}`" in PAGE


def test_it_names_every_column():
    for column in (*RECORDING_COLUMNS, *LOG_COLUMNS):
        assert f"`{column.name}`" in PAGE
