"""Randomly changed payloads: the readable ones become columns, the rest is reported."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.errors import AeronClusterError, PayloadError
from tests.unit.pipeline.payloads.market import SCHEMA, basket, order

pa = pytest.importorskip("pyarrow")
sbe = pytest.importorskip("aeron_cluster.pipeline.payloads")

WHOLE = [
    order(),
    basket(1, [(1, [1, 2], b"note"), (2, [], b"")], [5, 6], b"memo", b"proof"),
    basket(2, [(3,)] * 5, version=1),
]
STREAM = pa.BufferOutputStream()
with pa.ipc.new_stream(STREAM, pa.schema([("a", pa.int64()), ("b", pa.string())])) as writer:
    writer.write_batch(pa.record_batch({"a": [1], "b": ["text"]}))

DECODERS = [
    sbe.sbe_decoder(SCHEMA),
    sbe.sbe_decoder(SCHEMA, "Basket", widened=True),
    sbe.sbe_decoder(SCHEMA, "Basket", unknown="null").select(["tags", "legs"]),
    sbe.json_decoder("a int64, b list<string>"),
    sbe.function_decoder(lambda payload: {"a": payload[3]}, "a int8"),
]

changes = st.lists(st.tuples(st.integers(0, 80), st.binary(min_size=1, max_size=4)), max_size=4)
damaged = st.builds(
    lambda whole, changed, cut: damage(whole, changed)[:cut],
    st.sampled_from([*WHOLE, b'{"a": 12, "b": ["x", null]}']),
    changes,
    st.one_of(st.none(), st.integers(0, 80)),
)


def damage(whole, changed):
    data = bytearray(whole)
    for place, new in changed:
        data[place : place + len(new)] = new
    return bytes(data)


def check(decoder, payloads):
    bad = []
    columns = decoder.decode(payloads, bad)
    for field, column in zip(decoder.arrow_fields(), columns, strict=True):
        column.validate(full=True)
        assert column.type == field.type
        assert len(column) == len(payloads)
        assert all(not column[problem.index].is_valid for problem in bad)
    indices = [problem.index for problem in bad]
    assert indices == sorted(set(indices))
    if bad:
        with pytest.raises(PayloadError) as caught:
            decoder.decode(payloads)
        assert caught.value.index == indices[0]
    else:
        assert decoder.decode(payloads) == columns


@settings(max_examples=200)
@given(
    st.lists(st.one_of(damaged, st.binary(max_size=60), st.none()), max_size=8),
    st.sampled_from(DECODERS),
)
def test_damaged_payloads_are_reported_and_the_rest_is_read(payloads, decoder):
    check(decoder, pa.array(payloads, pa.binary()))


@settings(max_examples=60)
@given(st.lists(changes, min_size=1, max_size=4))
def test_damaged_arrow_streams_are_reported(changed):
    whole = STREAM.getvalue().to_pybytes()
    payloads = pa.array([damage(whole, each) for each in changed], pa.binary())
    for rows in ("one", "many"):
        decoder = sbe.arrow_decoder("a int64, b string", rows=rows)
        bad = []
        for column in decoder.decode(payloads, bad):
            column.validate(full=True)
            assert len(column) == len(payloads)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 4500), st.binary(min_size=1, max_size=3)), max_size=6))
def test_damaged_schema_is_rejected_or_used(changed):
    with TemporaryDirectory() as directory:
        path = Path(directory) / "schema.xml"
        path.write_bytes(damage(SCHEMA.read_bytes(), changed))
        try:
            decoder = sbe.sbe_decoder(path)
        except AeronClusterError:
            return
    check(decoder, pa.array(WHOLE))
