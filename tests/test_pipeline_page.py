"""The examples of docs/pipeline.md run, and the page names every column."""

import re

import pytest

from aeron_cluster.pipeline.columns.column_definitions import LOG_COLUMNS, RECORDING_COLUMNS
from aeron_cluster.pipeline.jobs.audits.findings import FindingKind
from tests.conftest import ROOT
from tests.unit.pipeline.jobs.clusters import write_cluster
from tests.unit.pipeline.logs import LogBuilder, log_of_every_kind
from tests.unit.pipeline.payloads.market import SCHEMA, log_of_orders

PAGE = (ROOT / "docs/pipeline.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
# tests/spark runs those.
ON_SPARK = [block for block in BLOCKS if "pipeline.spark" in block]


def test_each_block_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyarrow")
    log_of_every_kind().write_node(tmp_path / "node0")
    log_of_orders(3).write_node(tmp_path / "exchange0")
    nodes, log, _ = write_cluster(tmp_path / "cluster")
    for index, node in enumerate(nodes):
        node.rename(tmp_path / f"member{index}")
    bank = LogBuilder()
    bank.begin_term(0)
    bank.open(1)
    bank.write_node(tmp_path / "bank0")
    (tmp_path / "market.xml").write_bytes(SCHEMA.read_bytes())
    monkeypatch.chdir(tmp_path)
    for block in BLOCKS:
        if block in ON_SPARK:
            continue
        exec(compile(block, "docs/pipeline.md", "exec"), {})
    reported = capsys.readouterr().out
    assert "cluster_session_id: int64" in reported
    assert "'symbol': 'ABC'" in reported
    assert f"True {log.position}" in reported  # the audit's report
    assert f"{len(log.messages())} new rows" in reported
    assert "2100-01-01T00:00:00Z" in reported


def test_the_page_names_every_finding():
    for kind in FindingKind:
        assert f"`{kind}`" in PAGE


def test_the_page_names_every_option_of_payloads():
    payloads = pytest.importorskip("aeron_cluster.pipeline.payloads.options")
    for names in payloads.PAYLOAD_OPTIONS.values():
        for name in ("payload_prefix", *names):
            assert f"`{name}`" in PAGE


def test_the_page_names_every_column():
    for column in (*RECORDING_COLUMNS, *LOG_COLUMNS):
        assert f"`{column.name}`" in PAGE
