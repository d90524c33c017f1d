"""Every message with any values is read back in any version, or rejected."""

import contextlib
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.codecs.message import Block, Field
from aeron_cluster.errors import MessageError
from tests.golden.vectors import SCHEMAS

MESSAGES = [message for schema in SCHEMAS.values() for message in schema.messages.values()]
TEXT = st.text(st.characters(max_codepoint=127), max_size=20)


def field_values(field: Field) -> st.SearchStrategy:
    if field.enum is not None:
        return st.sampled_from(field.enum)
    bits = 8 * struct.calcsize(field.code)
    low, high = (0, 2**bits) if field.code.isupper() else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    return st.integers(low, high - 1)


def values_of(block: type[Block]) -> st.SearchStrategy:
    items = {field.name: field_values(field) for field in block.fields}
    items |= {name: st.lists(values_of(entry), max_size=3) for name, entry in block.groups}
    items |= {d.name: TEXT if d.is_text else st.binary(max_size=20) for d in block.data}
    return st.fixed_dictionaries(items)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda m: f"{m.schema.name}.{m.name}")
@settings(max_examples=10)
@given(data=st.data())
def test_written_data_is_read_back(message, data):
    values = data.draw(values_of(message))
    offset = data.draw(st.integers(0, 9))
    encoded = message.encode(**values)
    buffer = bytearray(offset + len(encoded) + 3)
    assert message.encode_into(buffer, offset, **values) == len(encoded)
    decoded = message.schema.decode(buffer, offset)
    assert decoded.as_dict() == values
    assert decoded == message(**values)
    assert decoded.encoded_length == len(encoded)
    assert decoded.to_bytes() == encoded
    body = message.encode_body(**values)
    assert body == encoded[message.schema.header_length :]
    assert message.decode_body(body) == decoded


@pytest.mark.parametrize("message", MESSAGES, ids=lambda m: f"{m.schema.name}.{m.name}")
@settings(max_examples=10)
@given(data=st.data(), version=st.integers(0, 20), block_length=st.integers(0, 140))
def test_fields_the_sender_did_not_have_are_null(message, data, version, block_length):
    values = data.draw(values_of(message))
    body = message.encode_body(**values | {name: [] for name, _ in message.groups})
    known = body[: message.block_length].ljust(block_length, b"\xee")[:block_length]
    parts = body[message.block_length :]
    for newer in [d for d in message.data if d.since > version]:
        value = values[newer.name]
        parts = parts[: -4 - len(value)]
    read = message.decode_body(known + parts, block_length=block_length, version=version)
    for field in message.fields:
        is_there = version >= field.since and block_length >= field.offset + struct.calcsize(
            field.code
        )
        assert getattr(read, field.name) == (values[field.name] if is_there else field.null)
    for item in message.data:
        expected = values[item.name] if version >= item.since else values[item.name][:0]
        assert getattr(read, item.name) == expected


@given(st.sampled_from(list(SCHEMAS.values())), st.binary(max_size=200), st.data())
def test_any_bytes_are_a_message_or_rejected(schema, noise, data):
    template_id = data.draw(st.sampled_from(list(schema.messages)))
    block_length = data.draw(st.integers(0, 80))
    version = data.draw(st.integers(0, schema.version + 1))
    header = struct.pack("<HHHH", block_length, template_id, schema.schema_id, version)
    if schema.has_frame_length:
        header += struct.pack("<ii", 16 + len(noise), 0)
    with contextlib.suppress(MessageError):
        message = schema.decode(header + noise)
        assert message.encoded_length <= len(header) + len(noise)
        assert schema.decode(message.to_bytes()) == message
