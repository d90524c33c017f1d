"""Payloads as typed columns of a Spark DataFrame, by a schema given as an option."""

import json

import pytest

from aeron_cluster.pipeline import read_log
from tests.unit.pipeline.logs import LogBuilder
from tests.unit.pipeline.payloads.market import ORDER, SCHEMA, basket, order

pytest.importorskip("pyspark")

from pyspark.errors import AnalysisException, PythonException

from aeron_cluster.pipeline.payloads import decoder_from_options
from aeron_cluster.pipeline.spark import load
from tests.spark.queries import run_to_end

SBE = {"payload": "sbe", "payload_schema": str(SCHEMA), "payload_unknown": "null"}


def log_of(payloads, path):
    log = LogBuilder()
    log.begin_term(0)
    for payload in payloads:
        log.emit(1, payload)
    return log.write_node(path)


def test_messages_of_an_sbe_schema_are_columns(spark, tmp_path):
    node = log_of([order(), basket(legs=[(5, (1, 2), b"n")], tags=(3,)), order(id_=8)], tmp_path)
    decoder = decoder_from_options(SBE)
    names = [field.name for field in decoder.arrow_fields()]
    frame = load(spark, node, columns=["position", *names], **SBE)
    wanted = read_log(node, columns=frame.columns, payload=decoder).table().to_pylist()
    found = json.loads(json.dumps(plain(frame.collect()), default=str))
    assert found == json.loads(json.dumps(wanted, default=str))

    orders = load(spark, node, payload_message="Order", payload_prefix="order_", **SBE)
    assert "payload" not in orders.columns
    chosen = orders.where("order_id = 8").select("order_symbol", "order_price.mantissa")
    assert [tuple(row) for row in chosen.collect()] == [
        (ORDER["symbol"], ORDER["price"]["mantissa"])
    ]


def plain(rows):
    return [row.asDict(recursive=True) for row in rows]


def test_unfit_value_is_an_error_or_reported(spark, tmp_path):
    node = log_of([b'{"price": 1}', b"no JSON", b'{"price": 3}'], tmp_path)
    options = {"payload": "json", "payload_schema": "price int64", "from_position": 96}
    with pytest.raises(PythonException, match="PayloadError"):
        load(spark, node, columns=["price"], **options).collect()
    kept = load(spark, node, columns=["price"], mode="permissive", **options)
    assert [row.price for row in kept.collect()] == [1, None, 3]
    (left_out,) = load(spark, node, mode="permissive", table="left_out", **options).collect()
    assert left_out.from_position == 192


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"payload": "xml"}, "payload: expected one of"),
        ({"payload": "json"}, "payload_schema: expected one for json"),
        ({"payload_schemas": "a int64"}, "payload: expected one of"),
        ({**SBE, "schema": "position bigint, price double"}, "expected some of"),
    ],
)
def test_an_invalid_value_is_rejected(spark, tmp_path, options, text):
    with pytest.raises(AnalysisException, match=text):
        load(spark, log_of([], tmp_path), **options).collect()


def test_stream_has_payload_columns_too(spark, tmp_path):
    node = log_of([b'{"price": 1}', b'{"price": 2}'], tmp_path)
    found = []
    frame = (
        spark.readStream.format("aeron_cluster")
        .options(payload="json", payload_schema="price int64", columns="price")
        .options(assume_committed="true", message_types="SessionMessage")
        .load(str(node))
    )
    writer = (
        frame.writeStream.foreachBatch(lambda batch, _: found.extend(batch.collect()))
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
    )
    run_to_end(writer.start)
    assert [row.price for row in found] == [1, 2]
