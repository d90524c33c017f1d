"""Payloads decoded while a log or a recording is read."""

import pickle

import pytest

from aeron_cluster.errors import ConfigurationError, PayloadError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline import read_log, read_recording
from aeron_cluster.pipeline.columns.column_definitions import LOG_COLUMNS, RECORDING_COLUMNS
from aeron_cluster.pipeline.read import Rows
from aeron_cluster.pipeline.scan.pieces import LeftOut
from aeron_cluster.pipeline.sources.plans import cut_plan
from tests.unit.pipeline.payloads.market import ORDER, SCHEMA, log_of_orders, order
from tests.unit.pipeline.recording_builder import RecordingBuilder

pytest.importorskip("pyarrow")
sbe = pytest.importorskip("aeron_cluster.pipeline.payloads")


@pytest.fixture
def node(tmp_path):
    return log_of_orders().write_node(tmp_path / "node")


@pytest.fixture
def orders():
    return sbe.sbe_decoder(SCHEMA, "Order")


def test_the_columns_of_payloads_follow_the_others(node, orders):
    rows = read_log(node, payload=orders)
    table = rows.table()
    expected = [each.name for each in LOG_COLUMNS if each.name != "payload"] + list(ORDER)
    assert table.schema.names == expected
    assert rows.schema == table.schema
    by_id = {row["id"]: row for row in table.to_pylist() if row["id"] is not None}
    assert list(by_id) == list(range(100))
    assert {name: by_id[7][name] for name in ORDER} == ORDER
    # Entries without a sender have no payload, and baskets are not orders.
    others = [row["message_type"] for row in table.to_pylist() if row["id"] is None]
    assert others.count("SessionMessage") == 10
    assert len(others) == 22
    assert "id, quantity" in repr(rows)


def test_only_requested_columns_are_built(node, orders):
    rows = read_log(node, columns=["symbol", "position", "id"], payload=orders)
    assert rows.table().schema.names == ["symbol", "position", "id"]
    plain = read_log(node, columns=["position", "payload"]).table()
    assert rows.table()["position"] == plain["position"]
    both = read_log(node, columns=["payload", "id"], payload=orders).table()
    assert both["payload"] == plain["payload"]
    without = read_log(node, columns=["position"], payload=orders)
    assert without.plan.payload is None
    assert without.table().schema.names == ["position"]


def test_recordings_have_payload_columns_too(tmp_path, orders):
    written = RecordingBuilder()
    for index in range(50):
        written.message(order(id_=index))
    written.put(tmp_path)
    table = read_recording(tmp_path, payload=orders).table()
    names = [each.name for each in RECORDING_COLUMNS if each.name != "payload"]
    assert table.schema.names == names + list(ORDER)
    assert table["id"].to_pylist() == list(range(50))


def test_a_plan_with_a_decoder_is_pickled_and_cut(node):
    rows = read_log(node, payload=sbe.sbe_decoder(SCHEMA))
    files = SystemFiles()
    plan = pickle.loads(pickle.dumps(cut_plan(files, rows.plan, 2000)))
    assert len(plan.ranges) > 5
    assert Rows(files, plan).table() == rows.table()
    legs = [row["Basket"]["legs"] for row in rows.table().to_pylist() if row["Basket"]]
    assert [leg["quantity"] for (leg,) in legs] == list(range(0, 100, 10))


def test_other_libraries_accept_payload_columns(node, orders):
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    pandas = pytest.importorskip("pandas")
    rows = read_log(node, columns=["position", "id", "price", "depth"], payload=orders)
    expected = rows.table().to_pylist()
    assert polars.DataFrame(rows).to_dicts() == expected
    assert rows.pandas()["price"].tolist() == [row["price"] or pandas.NA for row in expected]
    connection = duckdb.connect()
    rows.duckdb(connection).create_view("log")
    query = "select count(id), sum(price.mantissa), max(depth[1]) from log"
    assert connection.execute(query).fetchall() == [(100, 1234500, 3)]


def damaged():
    """Return a log with unreadable payloads, and their positions."""
    log = log_of_orders(3)
    places = [log.emit(1, order()[:-1]), log.emit(1, order()[:-1]), log.emit(1, b"?")]
    log.emit(1, order(id_=99))
    return log, places


def test_strict_pass_ends_at_the_first_unreadable_payload(tmp_path, orders):
    log, places = damaged()
    rows = read_log(log.write_node(tmp_path), payload=orders)
    with pytest.raises(PayloadError) as caught:
        rows.table()
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.recording_id, error.position, error.what) == (
        0,
        places[0],
        "Order: block length",
    )
    assert error.segment.endswith("0-0.rec")
    assert f"payload of position {places[0]}" in str(error)
    assert read_log(tmp_path, columns=["position", "payload"], payload=orders).table().num_rows


def test_a_permissive_pass_retains_the_rows_and_reports_it(tmp_path, orders):
    log, places = damaged()
    rows = read_log(log.write_node(tmp_path), payload=orders, mode="permissive")
    table = rows.table()
    found = dict(zip(table["position"].to_pylist(), table.to_pylist(), strict=True))
    for place in places:
        assert all(found[place][name] is None for name in ORDER)
        assert found[place]["cluster_session_id"] == 1
    assert [row["id"] for row in found.values() if row["id"] is not None] == [0, 1, 2, 99]
    block, short = rows.left_out
    # Adjacent payloads with the same error are reported as one.
    assert (block.from_position, block.to_position) == (places[0], places[2])
    assert (short.from_position, short.what) == (places[2], "message header")
    assert short.to_position == found[places[2]]["end_position"]
    assert isinstance(block, LeftOut)
    assert (block.recording_id, block.member, block.offset) == (0, 0, places[0])
    assert block.segment.endswith("0-0.rec")
    assert rows.left_out_table().num_rows == 2


def test_each_name_occurs_once(node, orders):
    clash = sbe.json_decoder("position int64, id int64")
    with pytest.raises(ConfigurationError, match="give a prefix"):
        read_log(node, payload=clash)
    prefixed = sbe.json_decoder("position int64", prefix="my_")
    assert "my_position" in read_log(node, payload=prefixed).schema.names
    for columns in (["id", "id"], ["position", "nothing"]):
        with pytest.raises(ConfigurationError, match="columns"):
            read_log(node, columns=columns, payload=orders)


@pytest.mark.parametrize("has_decoder", [False, True])
def test_rows_without_columns_are_rejected(node, orders, has_decoder):
    decoder = orders if has_decoder else None
    with pytest.raises(ConfigurationError, match="columns: expected at least one"):
        read_log(node, columns=[], payload=decoder)
