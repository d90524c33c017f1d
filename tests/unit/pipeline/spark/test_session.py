"""Spark sessions and loads, with a fake Spark: what is set, and what a frame reads."""

import json
import os
import sys
from datetime import UTC, datetime

import pytest

from aeron_cluster.errors import ConfigurationError, MissingJavaError
from aeron_cluster.pipeline.spark import load, local_session, register
from tests.unit.pipeline.logs import log_of_every_kind
from tests.unit.pipeline.spark.test_java import java

pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")

from aeron_cluster.pipeline.spark.source import AeronClusterSource


class Spark:
    """A fake session, its builder and its reader; each call is recorded."""

    def __init__(self):
        self.registered = []
        self.calls = []
        self.given = {}
        self.builder = self.dataSource = self.read = self

    def __getattr__(self, name):
        def call(*arguments):
            self.calls.append((name, *arguments))
            return self

        return call

    def register(self, source):
        self.registered.append(source)

    def options(self, **given):
        self.given = given
        return self

    def load(self):
        return self.given


@pytest.fixture
def spark():
    return Spark()


def test_a_session_knows_the_format_once_it_is_registered(spark):
    assert register(spark) is spark
    assert spark.registered == [AeronClusterSource]


@pytest.fixture
def builder(spark, monkeypatch):
    monkeypatch.setattr("pyspark.sql.SparkSession", spark)
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    yield spark
    os.environ.pop("PYSPARK_PYTHON", None)


def test_local_session_runs_tasks_with_this_python(builder, tmp_path, monkeypatch):
    java(tmp_path, 'openjdk version "17.0.15" 2025-04-15')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert local_session("local[2]", "me", {"a": "1", "b": "2"}) is builder
    assert builder.calls == [
        ("master", "local[2]"),
        ("appName", "me"),
        ("config", "a", "1"),
        ("config", "b", "2"),
        ("getOrCreate",),
    ]
    assert builder.registered == [AeronClusterSource]
    assert os.environ["PYSPARK_PYTHON"] == sys.executable
    monkeypatch.setenv("PYSPARK_PYTHON", "/another/python")
    local_session()
    assert builder.calls[5:] == [
        ("master", "local[*]"),
        ("appName", "aeron_cluster"),
        ("getOrCreate",),
    ]
    assert os.environ["PYSPARK_PYTHON"] == "/another/python"


def test_local_session_without_java_starts_nothing(builder, tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingJavaError):
        local_session()
    assert builder.calls == []


def test_python_values_become_options(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = load(
        spark,
        tmp_path / "node0",
        "node1",
        "s3://bucket/node2",
        columns=["position", "payload"],
        from_time=datetime(2026, 1, 1, tzinfo=UTC),
        only_committed=True,
        sessions=[3],
        range_length=None,
    )
    assert json.loads(given.pop("paths")) == [
        str(tmp_path / "node0"),
        str(tmp_path / "node1"),
        "s3://bucket/node2",
    ]
    assert given == {
        "columns": "position,payload",
        "from_time": "2026-01-01T00:00:00+00:00",
        "only_committed": "true",
        "sessions": "3",
    }
    assert spark.calls == [("format", "aeron_cluster")]


def test_load_with_a_schema_determines_the_ends(spark, tmp_path):
    log = log_of_every_kind()
    node = log.write_node(tmp_path)
    given = load(spark, node, schema="position bigint")
    assert json.loads(given["ends"]) == [[str(node / "archive"), 0, log.position]]
    assert spark.calls == [("format", "aeron_cluster"), ("schema", "position bigint")]
    ends = json.dumps([[str(node / "archive"), 0, 64]])
    assert load(spark, node, schema="position bigint", ends=ends)["ends"] == ends
    with pytest.raises(ConfigurationError, match=r"recording_id: expected one of .*: 0, found 9"):
        load(spark, node, schema="position bigint", recording="9")
