"""Columns written as text."""

import pytest

from aeron_cluster.errors import ConfigurationError

pa = pytest.importorskip("pyarrow")
field_text = pytest.importorskip("aeron_cluster.pipeline.payloads.field_text")


def test_every_form_of_a_field_is_parsed():
    text = "a: BIGINT, `b` list<struct<c string, d: decimal(20, 2)>> , e timestamp,f array<int>"
    found = pa.schema(field_text.fields_of(text, "fields"))
    assert found == pa.schema(
        [
            ("a", pa.int64()),
            ("b", pa.list_(pa.struct([("c", pa.string()), ("d", pa.decimal128(20, 2))]))),
            ("e", pa.timestamp("us", tz="UTC")),
            ("f", pa.list_(pa.int32())),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a int64,",
        "a int64 b int64",
        "a int64, a int32",
        "a nothing",
        "a list<int64",
        "a list int64",
        "a struct<>",
        "a decimal(x,2)",
        "a decimal(99,2)",
        "a int64;",
        ", int64",
        "a " + "list<" * 40 + "int" + ">" * 40,
    ],
)
def test_a_malformed_value_is_rejected(text):
    with pytest.raises(ConfigurationError, match="payload_schema"):
        field_text.fields_of(text, "payload_schema")
