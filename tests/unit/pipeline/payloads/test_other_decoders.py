"""Payloads of JSON, Arrow, and a user's function as columns."""

import json
import pickle
from decimal import Decimal

import pytest

from aeron_cluster.errors import ConfigurationError, PayloadError
from tests.unit.pipeline.payloads.test_sbe_decoder import rows

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")
sbe = pytest.importorskip("aeron_cluster.pipeline.payloads")

FIELDS = "id int64, legs list<struct<side string, quantity int32>>, ok bool"


def split(payload):
    """Return the parts before and after a colon; module-level, so that it can be pickled."""
    if payload == b"-":
        return None
    first, second = payload.split(b":")
    return {"first": first, "second": int(second), "third": "of no field"}


def lengths(payloads):
    compute = pytest.importorskip("pyarrow.compute")
    return {"length": compute.binary_length(payloads), "other": pa.nulls(len(payloads))}


def stream(*tables):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, tables[0].schema) as writer:
        for table in tables:
            writer.write_table(table)
    return sink.getvalue().to_pybytes()


def test_json_objects():
    decoder = sbe.json_decoder(FIELDS, prefix="j_")
    legs = [{"side": "é", "quantity": 3}, {"quantity": None, "more": 1}]
    payloads = [
        json.dumps({"id": 2**63 - 1, "legs": legs, "ok": True, "more": [1]}).encode(),
        None,
        b"{}",
    ]
    assert rows(decoder, payloads) == [
        {
            "j_id": 2**63 - 1,
            "j_legs": [{"side": "é", "quantity": 3}, {"side": None, "quantity": None}],
            "j_ok": True,
        },
        {"j_id": None, "j_legs": None, "j_ok": None},
        {"j_id": None, "j_legs": None, "j_ok": None},
    ]
    assert rows(decoder.select(["j_ok", "j_id"]), [b'{"id": 4}']) == [{"j_ok": None, "j_id": 4}]


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[1]",
        b"7",
        b'{"id": 1.5}',
        b'{"id": "4"}',
        b'{"id": 9223372036854775808}',
        b'{"legs": [{"quantity": 2.0}]}',
        b'{"legs": {}}',
        b'{"legs": [{"quantity": "x"}]}',
        b'{"legs": [{"side": "\\ud800"}]}',
        b"[" * 100_000,
        b'{"id": ' + b"9" * 5000 + b"}",
    ],
    ids=range(14),
)
def test_invalid_json_is_reported_or_left_out(payload):
    decoder = sbe.json_decoder(FIELDS)
    good = b'{"id": 1, "ok": false}'
    bad = []
    first, second, third = rows(decoder, [good, payload, good], bad)
    assert first == third == {"id": 1, "legs": None, "ok": False}
    assert second == dict.fromkeys(second)
    assert [it.index for it in bad] == [1]
    with pytest.raises(PayloadError, match="payload 1"):
        decoder.decode(pa.array([good, payload]))


@pytest.mark.parametrize(
    ("payload", "offset"),
    [(b'{"id":1, x}', 9), ('{"\u00e9":1, x}'.encode(), 9), (b'{"a":"\xff"}', 6)],
    ids=["ascii", "wide", "no text"],
)
def test_invalid_json_is_reported_by_its_byte(payload, offset):
    bad = []
    sbe.json_decoder(FIELDS).decode(pa.array([payload]), bad)
    assert [it.offset for it in bad] == [offset]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("timestamp", 1.5),
        ("date", 1.5),
        ("int64", Decimal("1.5")),
        ("list<int64>", {1.5}),
        ("list<int64>", np.array([0.5, 1.5])),
        ("struct<a int64>", [("a", 1.5)]),
    ],
)
def test_no_value_is_cut(kind, value):
    bad = []
    decoder = sbe.function_decoder(lambda _: {"a": value}, f"a {kind}")
    assert rows(decoder, [b"x"], bad) == [{"a": None}]
    assert [it.what for it in bad] == ["result: a"]
    decoder = sbe.function_decoder(lambda _: {"a": [value]}, f"a {kind}", per="batch")
    with pytest.raises(ConfigurationError, match="result of the function: a"):
        decoder.decode(pa.array([b"x"]))


@pytest.mark.parametrize("value", [[1.5], [(1, 2, 3)], 7], ids=["number", "three", "none"])
def test_struct_is_a_mapping_or_pairs(value):
    bad = []
    decoder = sbe.function_decoder(lambda _: {"a": value}, "a struct<b int64>")
    assert rows(decoder, [b"x"], bad) == [{"a": None}]
    assert [it.what for it in bad] == ["result: a"]


def test_first_problem_of_a_payload_is_reported():
    bad = []
    decoder = sbe.function_decoder(lambda _: {"a": "x", "b": "y"}, "a int64, b int64")
    assert rows(decoder, [b"x"], bad) == [{"a": None, "b": None}]
    assert [(it.index, it.what, it.found) for it in bad] == [(0, "result: a", "'x'")]


def test_every_exception_of_a_function_is_reported_in_a_table():
    def read(_payload):
        raise ValueError("half of a character: \ud800")

    bad = []
    sbe.function_decoder(read, "a int64").decode(pa.array([b"x"]), bad)
    assert pa.array([it.found for it in bad]).to_pylist()[0].endswith("\\ud800")


class WithoutTextError(Exception):
    """An exception whose text cannot be created."""

    def __str__(self):
        raise TypeError("no text")


def test_an_exception_without_a_text_is_reported_by_its_name():
    def read(payload):
        if payload == b"bad":
            raise WithoutTextError
        return {"a": len(payload)}

    bad = []
    decoder = sbe.function_decoder(read, "a int64")
    assert rows(decoder, [b"x", b"bad", b"xy"], bad) == [{"a": 1}, {"a": None}, {"a": 2}]
    assert [it.index for it in bad] == [1]
    assert "WithoutTextError" in bad[0].found


def test_streams_of_arrow_with_a_row_each():
    decoder = sbe.arrow_decoder("b string, a int64")
    payloads = [
        stream(pa.table({"a": [index], "more": [1.5], "b": [str(index)]})) for index in range(3)
    ]
    payloads.insert(1, None)
    found = rows(decoder, payloads)
    assert [row["a"] for row in found] == [0, None, 1, 2]
    assert [row["b"] for row in found] == ["0", None, "1", "2"]
    assert rows(decoder.select(["a"]), payloads[:1]) == [{"a": 0}]
    assert rows(decoder, []) == []
    assert rows(decoder, [None]) == [{"b": None, "a": None}]


def test_streams_of_arrow_with_any_number_of_rows():
    decoder = sbe.arrow_decoder(pa.schema([("a", pa.int64())]), rows="many", prefix="p_")
    table = pa.table({"a": [1, 2]})
    payloads = [stream(table, table), None, stream(table.slice(0, 0)), stream(table)]
    assert [row["p_rows"] for row in rows(decoder, payloads)] == [
        [{"a": 1}, {"a": 2}, {"a": 1}, {"a": 2}],
        None,
        [],
        [{"a": 1}, {"a": 2}],
    ]
    assert decoder.select(["p_rows"]) == decoder


@pytest.mark.parametrize(
    ("payload", "what"),
    [
        (b"", "payload"),
        (b"not a stream", "payload"),
        (stream(pa.table({"a": [1]}))[:-40], "payload"),
        (stream(pa.table({"b": [1]})), "payload"),
        (stream(pa.table({"a": ["text"]})), "type in the stream of Arrow"),
        (stream(pa.table({"a": [1, 2]})), "rows"),
    ],
    ids=["nothing", "no stream", "cut", "other columns", "other types", "two rows"],
)
def test_an_invalid_stream_is_reported_or_left_out(payload, what):
    decoder = sbe.arrow_decoder("a int64")
    good = stream(pa.table({"a": [7]}))
    bad = []
    assert [row["a"] for row in rows(decoder, [good, payload, good], bad)] == [7, None, 7]
    assert [(it.index, it.what) for it in bad] == [(1, what)]
    with pytest.raises(PayloadError, match=what):
        decoder.decode(pa.array([payload]))


def test_a_function_of_a_payload():
    decoder = pickle.loads(
        pickle.dumps(sbe.function_decoder(split, "second int64, first binary", prefix="f_"))
    )
    assert rows(decoder, [b"x:1", None, b"-", b":-2"]) == [
        {"f_second": 1, "f_first": b"x"},
        {"f_second": None, "f_first": None},
        {"f_second": None, "f_first": None},
        {"f_second": -2, "f_first": b""},
    ]
    bad = []
    found = rows(decoder.select(["f_second"]), [b"x:y", b"z", b"a:1"], bad)
    assert [row["f_second"] for row in found] == [None, None, 1]
    assert [it.index for it in bad] == [0, 1]
    assert "ValueError" in bad[0].found


NOT_NULL = pa.struct([pa.field("a", pa.int64(), nullable=False)])
LIST = pa.list_(pa.field("item", NOT_NULL, nullable=False))


@pytest.mark.parametrize(
    ("decoder", "payloads"),
    [
        (sbe.json_decoder(pa.schema([("s", NOT_NULL), ("l", LIST)])), [b'{"s":{},"l":[{}]}', b"-"]),
        (sbe.arrow_decoder(pa.schema([("s", NOT_NULL)])), [stream(pa.table({"s": [{"a": 1}]}))]),
        (
            sbe.arrow_decoder(pa.schema([("s", NOT_NULL)])),
            [stream(pa.table({"s": pa.array([{"a": 1}], NOT_NULL)})), b"-"],
        ),
        (
            sbe.function_decoder(
                lambda _: {"s": pa.chunked_array([pa.array([{"a": 1}], NOT_NULL)])},
                pa.schema([("s", NOT_NULL)]),
                per="batch",
            ),
            [b"x"],
        ),
    ],
    ids=["JSON", "Arrow", "Arrow, not null", "function of a batch"],
)
def test_fields_in_fields_may_be_null_too(decoder, payloads, tmp_path):
    """Parquet rejects a table with nulls where the type allows none."""
    parquet = pytest.importorskip("pyarrow.parquet")
    fields = decoder.arrow_fields()
    table = pa.table(decoder.decode(pa.array(payloads), []), pa.schema(fields))
    parquet.write_table(table, tmp_path / "table.parquet")
    assert parquet.read_table(tmp_path / "table.parquet").equals(table)


def test_a_functions_result_has_to_fit():
    bad = []
    decoder = sbe.function_decoder(lambda payload: payload, "a int64")
    assert rows(decoder, [b"x"], bad) == [{"a": None}]
    assert [it.what for it in bad] == ["result"]
    decoder = sbe.function_decoder(lambda payload: {"a": payload}, "a int64")
    with pytest.raises(PayloadError, match="result: a"):
        decoder.decode(pa.array([b"x"]))


def test_a_function_of_a_batch():
    decoder = sbe.function_decoder(lengths, "length int32, other string", per="batch")
    assert rows(decoder, [b"", None, b"abc"]) == [
        {"length": 0, "other": None},
        {"length": None, "other": None},
        {"length": 3, "other": None},
    ]
    decoder = sbe.function_decoder(lambda _: {"a": pa.array([1])}, "a int64", per="batch")
    with pytest.raises(ConfigurationError, match="2 values of type int64"):
        decoder.decode(pa.array([b"", b""]))


class Column:
    """A column of another library, in several chunks."""

    def __init__(self, chunks):
        self._chunks = chunks

    def __arrow_array__(self, type=None):  # noqa: A002 - the protocol of Arrow
        return self._chunks.cast(type)


@pytest.mark.parametrize("kind", [lambda chunks: chunks, Column], ids=["Arrow", "another"])
def test_function_of_a_batch_may_return_several_chunks(kind):
    chunks = pa.chunked_array([[1], [2, None]])
    decoder = sbe.function_decoder(lambda _: {"a": kind(chunks)}, "a int64", per="batch")
    (column,) = decoder.decode(pa.array([b"", b"", b""]))
    assert type(column) is pa.Int64Array
    assert column.to_pylist() == [1, 2, None]


def test_lists_of_a_batch_have_less_than_2_gib_entries():
    arrays = pytest.importorskip("aeron_cluster.pipeline.payloads.arrow_arrays")
    kind = pa.list_(pa.int8())
    with pytest.raises(ValueError, match="lists: expected at most 2147483647 entries a batch"):
        arrays.list_array(kind, np.array([1, 2**31]), pa.array([], pa.int8()))
    found = arrays.list_array(kind, np.array([1, 3]), pa.array([4, 5, 6], pa.int8()))
    assert found.to_pylist() == [[4], [5, 6]]


@pytest.mark.parametrize(
    "make",
    [
        lambda: sbe.arrow_decoder("a int64", rows="two"),
        lambda: sbe.arrow_decoder(pa.schema([])),
        lambda: sbe.function_decoder(split, "a int64", per="day"),
        lambda: sbe.json_decoder("a"),
        lambda: sbe.json_decoder("a int64").select(["b"]),
    ],
    ids=["rows", "no fields", "per", "text", "select"],
)
def test_invalid_options(make):
    with pytest.raises(ConfigurationError):
        make()
