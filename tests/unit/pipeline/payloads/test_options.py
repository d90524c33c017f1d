"""Decoders from text options."""

import pytest

from aeron_cluster.errors import ConfigurationError, MissingFileError
from tests.unit.pipeline.payloads.market import ORDER, SCHEMA, order
from tests.unit.pipeline.payloads.test_other_decoders import split, stream
from tests.unit.pipeline.payloads.test_sbe_decoder import rows

pa = pytest.importorskip("pyarrow")
sbe = pytest.importorskip("aeron_cluster.pipeline.payloads")

# Types unknown to Spark.
FOREIGN = ("uint", "large_", "dictionary", "fixed_size")


def test_options_without_a_payload_create_no_decoder():
    assert sbe.decoder_from_options({}) is None
    assert sbe.decoder_from_options({"path": "x", "columns": "payload"}) is None


def test_an_sbe_schema():
    decoder = sbe.decoder_from_options(
        {
            "PAYLOAD": "SBE",
            "payload_schema": str(SCHEMA),
            "payload_message": "Order",
            "payload_prefix": "o_",
            "payload_unknown": "null",
            "payload_enums": "Values",
            "path": "elsewhere",
        }
    )
    found, nothing = rows(decoder, [order(), bytes(8)])
    assert found["o_state"] == 2
    assert found["o_symbol"] == ORDER["symbol"]
    assert set(nothing.values()) == {None}
    everything = sbe.decoder_from_options({"payload": "sbe", "payload_schema": str(SCHEMA)})
    assert everything.arrow_schema().names == ["Order", "Basket"]
    assert not any(word in str(everything.arrow_schema()) for word in FOREIGN)
    exact = sbe.decoder_from_options(
        {"payload": "sbe", "payload_schema": str(SCHEMA)}, widened=False
    )
    assert "uint64" in str(exact.arrow_schema())


def test_json_arrow_and_python_decoders_are_created():
    given = {"payload": "json", "payload_schema": "a int"}
    assert rows(sbe.decoder_from_options(given), [b'{"a": 1}']) == [{"a": 1}]
    given = {"payload": "arrow", "payload_schema": "a bigint", "payload_rows": "many"}
    payload = stream(pa.table({"a": [1, 2]}))
    assert rows(sbe.decoder_from_options(given), [payload]) == [{"rows": [{"a": 1}, {"a": 2}]}]
    given = {
        "payload": "python",
        "payload_schema": "first binary",
        "payload_function": f"{split.__module__}:split",
    }
    assert rows(sbe.decoder_from_options(given), [b"a:1"]) == [{"first": b"a"}]


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"payload": "xml"}, "payload"),
        ({"payload_schema": "a int"}, "payload"),
        ({"payload": "json"}, "payload_schema"),
        ({"payload": "json", "payload_schema": "a int", "payload_message": "x"}, "payload_message"),
        ({"payload": "json", "payload_schema": "a int", "payload_mesage": "x"}, "payload_mesage"),
        ({"payload": "sbe", "payload_schema": str(SCHEMA), "payload_message": "X"}, "message"),
        ({"payload": "sbe", "payload_schema": str(SCHEMA), "payload_enums": "x"}, "payload_enums"),
        ({"payload": "python", "payload_schema": "a int"}, "payload_function"),
        (
            {"payload": "python", "payload_schema": "a int", "payload_function": "json:nothing"},
            "payload_function",
        ),
        (
            {"payload": "python", "payload_schema": "a int", "payload_function": "json:__name__"},
            "payload_function",
        ),
        (
            {"payload": "python", "payload_schema": "a int", "payload_function": "no_such_xyz:f"},
            "payload_function",
        ),
    ],
)
def test_meaningless_options_are_rejected(options, name):
    with pytest.raises(ConfigurationError) as caught:
        sbe.decoder_from_options(options)
    assert caught.value.name == name


def test_a_missing_schema(tmp_path):
    with pytest.raises(MissingFileError, match=r"none\.xml"):
        sbe.decoder_from_options({"payload": "sbe", "payload_schema": str(tmp_path / "none.xml")})
