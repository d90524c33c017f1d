"""Aeron's own schemas read as columns, compared with the real Java codecs on the same bytes.

The vectors have messages of older and newer senders, null values, groups and variable parts.
"""

from enum import Enum
from pathlib import Path

import pytest

import aeron_cluster
from aeron_cluster.codecs.message import Message
from tests.golden.vectors import codec_vectors

pa = pytest.importorskip("pyarrow")
sbe = pytest.importorskip("aeron_cluster.pipeline.payloads")

SCHEMAS = Path(aeron_cluster.__file__).parent / "codecs" / "schemas"
# The other headers begin with a record length, which SBE's header does not have.
NAMES = ("archive", "cluster")


def snake(name):
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def message(name):
    """Return the name of a message's Java class, as in the vectors."""
    return name[0].upper() + name[1:]


def plain(value):
    """Return a column's value with the field names of the vectors."""
    match value:
        case dict():
            return {snake(name): plain(item) for name, item in value.items()}
        case list():
            return [plain(item) for item in value]
    return value


def same(block, found, read):
    """Return whether a row equals Java's values; a null value is null here."""
    if set(found) != set(read):
        return False
    fields = {field.name: field for field in block.fields}
    groups = dict(block.groups)
    for name, value in read.items():
        column = found[name]
        if name in groups:
            if column is None:
                column = []
            if len(column) != len(value):
                return False
            entries = zip(column, value, strict=True)
            if not all(same(groups[name], *entry) for entry in entries):
                return False
        elif name in fields:
            field = fields[name]
            is_null = value == field.null and (field.is_optional or field.enum is not None)
            if column is None:
                # For a field missing in a version, Java reads the null value.
                if not is_null and value != field.null:
                    return False
            elif column != value or is_null:
                return False
        elif (column or type(value)()) != value:
            return False
    return True


@pytest.mark.parametrize("name", NAMES)
def test_every_vector_equals_javas_reading(name):
    vectors = [vector for vector in codec_vectors() if vector.schema == name]
    decoder = sbe.sbe_decoder(SCHEMAS / f"{name}.xml", enums="values")
    columns = decoder.decode(pa.array([vector.encoded for vector in vectors]))
    by_message = {
        message(field.name): column.to_pylist()
        for field, column in zip(decoder.arrow_fields(), columns, strict=True)
    }
    assert len(vectors) > 100
    for index, vector in enumerate(vectors):
        row = plain(by_message[vector.message][index])
        block: type[Message] = vector.message_type
        assert same(block, row, vector.read), (str(vector), row, vector.read)
        others = [column[index] for other, column in by_message.items() if other != vector.message]
        assert others == [None] * len(others)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_those_of_the_values(name):
    vectors = [vector for vector in codec_vectors() if vector.schema == name]
    payloads = pa.array([vector.encoded for vector in vectors])
    decoder = sbe.sbe_decoder(SCHEMAS / f"{name}.xml")
    seen = 0
    for field, column in zip(decoder.arrow_fields(), decoder.decode(payloads), strict=True):
        for vector, row in zip(vectors, column.to_pylist(), strict=True):
            if row is None:
                continue
            assert vector.message == message(field.name)
            for each in vector.message_type.fields:
                decoded = plain(row)[each.name]
                if each.enum is None or not issubclass(each.enum, Enum) or decoded is None:
                    continue
                assert decoded == each.enum(vector.read[each.name]).name
                seen += 1
    assert seen > 10
