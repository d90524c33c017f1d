"""Schema files: accepted and rejected content."""

import pickle
import struct

import pytest

from aeron_cluster.errors import MissingFileError, SchemaError
from tests.unit.pipeline.payloads.market import SCHEMA
from tests.unit.pipeline.payloads.test_sbe_decoder import rows

pytest.importorskip("pyarrow")
sbe = pytest.importorskip("aeron_cluster.pipeline.payloads")

HEADER = """
    <composite name="messageHeader">
        <type name="blockLength" primitiveType="uint16"/>
        <type name="templateId" primitiveType="uint16"/>
        <type name="schemaId" primitiveType="uint16"/>
        <type name="version" primitiveType="uint16"/>
    </composite>
"""
GROUP = """
    <composite name="groupSizeEncoding">
        <type name="blockLength" primitiveType="uint16"/>
        <type name="numInGroup" primitiveType="uint16"/>
    </composite>
"""


def nested(depth):
    """Return a group that has a group, and so on."""
    inner = nested(depth - 1) if depth else ""
    return f'<group name="g">{inner}</group>'


def written(path, types="", body="", *, root='id="1" version="0"', header=HEADER):
    text = f"""<messageSchema package="p" {root}>
        <types>{header}{GROUP}{types}</types><message name="M" id="1">{body}</message>
        </messageSchema>"""
    file = path / "schema.xml"
    file.write_text(text)
    return file


def test_a_schema_is_read_completely():
    schema = sbe.read_schema(SCHEMA)
    assert (schema.name, schema.schema_id, schema.version) == ("market", 77, 2)
    assert [message.name for message in schema.messages] == ["Order", "Basket"]
    block = schema.message("Order").block
    offsets = {member.name: member.offset for member in block.members}
    assert (offsets["quantity"], offsets["price"], offsets["state"]) == (8, 16, 32)
    assert schema.message("Basket").block.length == 8
    assert schema.message("Nothing") is None
    assert pickle.loads(pickle.dumps(schema)) == schema


def test_a_big_endian_schema_is_read(tmp_path):
    body = """
        <field name="a" id="1" type="int32"/><field name="b" id="2" type="double"/>
        <group name="g" id="3"><field name="c" id="4" type="uint16"/></group>"""
    file = written(tmp_path, body=body, root='id="258" version="3" byteOrder="bigEndian"')
    payload = struct.pack(">HHHHid", 12, 1, 258, 3, -2, 0.5)
    payload += struct.pack(">HHHH", 2, 2, 500, 65535)
    found = {"a": -2, "b": 0.5, "g": [{"c": 500}, {"c": 65535}]}
    assert rows(sbe.sbe_decoder(file, "M"), [payload]) == [found]


def test_headers_of_any_kind(tmp_path):
    """Fields in another order, with other widths, with additional fields, under another name."""
    header = """
    <composite name="frame">
        <type name="length" primitiveType="uint32"/>
        <type name="version" primitiveType="uint8"/>
        <type name="templateId" primitiveType="uint32" offset="8"/>
        <type name="blockLength" primitiveType="uint64"/>
        <type name="schemaId" primitiveType="int16"/>
    </composite>"""
    types = """
    <composite name="size">
        <type name="numInGroup" primitiveType="uint32"/>
        <type name="more" primitiveType="uint8"/>
        <type name="blockLength" primitiveType="uint8"/>
    </composite>
    <composite name="long"><type name="length" primitiveType="uint64"/>
        <type name="varData" primitiveType="char" length="0"/></composite>"""
    body = """<field name="a" id="1" type="int8"/>
        <group name="g" id="2" dimensionType="size"><field name="b" id="3" type="int8"/></group>
        <data name="d" id="4" type="long"/>"""
    root = 'id="9" version="0" headerType="frame"'
    file = written(tmp_path, types, body, root=root, header=header)
    payload = struct.pack("<IB3xIQh", 99, 0, 1, 1, 9) + b"\x05"
    payload += struct.pack("<IBB", 2, 9, 1) + b"\x01\x02" + struct.pack("<Q", 3) + b"abc"
    decoder = sbe.sbe_decoder(file, "M")
    assert rows(decoder, [payload]) == [{"a": 5, "g": [{"b": 1}, {"b": 2}], "d": "abc"}]
    # Lengths beyond any payload are errors.
    bad = []
    huge = struct.pack("<IB3xIQh", 99, 0, 1, 2**64 - 1, 9) + b"\x05"
    rows(decoder, [huge, payload[:-11] + struct.pack("<Q", 2**64 - 1) + b"abc"], bad)
    assert [it.what for it in bad] == ["M: block length", "length of M.d"]


def test_included_files_are_read(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "types.xml").write_text(
        '<types><type name="T" primitiveType="int16"/></types>'
    )
    include = '<include xmlns="http://www.w3.org/2001/XInclude" href="more/types.xml"/>'
    file = written(tmp_path, f"</types>{include}<types>", '<field name="a" id="1" type="T"/>')
    payload = struct.pack("<HHHHh", 2, 1, 1, 0, -3)
    assert rows(sbe.sbe_decoder(file, "M"), [payload]) == [{"a": -3}]
    (tmp_path / "more" / "types.xml").unlink()
    with pytest.raises(MissingFileError, match=r"types\.xml"):
        sbe.read_schema(file)


def test_file_including_itself_is_rejected(tmp_path):
    file = written(tmp_path, '</types><include href="schema.xml"/><types>')
    with pytest.raises(SchemaError, match="deep"):
        sbe.read_schema(file)


def test_constants_of_any_kind(tmp_path):
    types = """
    <enum name="E" encodingType="uint8"><validValue name="ONE">1</validValue></enum>
    <enum name="C" encodingType="char"><validValue name="X">x</validValue></enum>
    <type name="K" primitiveType="double" presence="constant">1.5</type>
    <type name="L" primitiveType="uint64" presence="constant">0x10</type>"""
    body = """
    <field name="a" id="1" type="K"/><field name="b" id="2" type="L"/>
    <field name="c" id="3" type="E" presence="constant" valueRef="E.ONE"/>
    <field name="d" id="4" type="uint8" presence="constant" valueRef="E.ONE"/>
    <field name="e" id="5" type="char" presence="constant" valueRef="C.X"/>
    <field name="f" id="6" type="int8" presence="constant" valueRef="E.ONE" sinceVersion="2"/>"""
    decoder = sbe.sbe_decoder(written(tmp_path, types, body), "M")
    found = {"a": 1.5, "b": 16, "c": "ONE", "d": 1, "e": "x", "f": None}
    assert rows(decoder, [struct.pack("<HHHH", 0, 1, 1, 0)]) == [found]
    assert rows(decoder, [struct.pack("<HHHH", 0, 1, 1, 2)]) == [{**found, "f": 1}]


def test_a_constant_of_an_enum_may_be_the_text_of_the_field(tmp_path):
    types = '<enum name="E" encodingType="uint8"><validValue name="ONE">1</validValue></enum>'
    body = '<field name="a" type="E" presence="constant"> ONE </field>'
    decoder = sbe.sbe_decoder(written(tmp_path, types, body), "M")
    assert rows(decoder, [struct.pack("<HHHH", 0, 1, 1, 0)]) == [{"a": "ONE"}]


def test_elements_of_other_kinds_are_skipped(tmp_path):
    """Descriptions, and elements of later versions of SBE."""
    note = "<description>text</description>"
    types = f"""{note}
    <enum name="E" encodingType="uint8">{note}<validValue name="ONE">1</validValue></enum>
    <set name="S" encodingType="uint8">{note}<choice name="c">0</choice></set>
    <composite name="C">{note}<type name="x" primitiveType="int8"/></composite>"""
    body = f"""{note}<field name="e" type="E"/><field name="s" type="S"/>
    <field name="c" type="C"/>"""
    decoder = sbe.sbe_decoder(written(tmp_path, types, body), "M")
    payload = struct.pack("<HHHHBBb", 3, 1, 1, 0, 1, 1, -4)
    assert rows(decoder, [payload]) == [{"e": "ONE", "s": {"c": True}, "c": {"x": -4}}]


@pytest.mark.parametrize(("name", "number", "found"), [("M", 2, "M"), ("N", 1, "1")])
def test_messages_with_the_same_name_or_id_are_rejected(tmp_path, name, number, found):
    file = written(tmp_path)
    end = "</messageSchema>"
    more = f'<message name="{name}" id="{number}"/>{end}'
    file.write_text(file.read_text().replace(end, more))
    with pytest.raises(SchemaError, match=f"messages: expected each .* once, found '?{found}"):
        sbe.read_schema(file)


LARGE = """
    <enum name="E" encodingType="uint64">
        <validValue name="ONE">18446744073709551614</validValue></enum>"""
BAD = {
    "no type": ("", '<field name="a" id="1" type="Nothing"/>', "M.a"),
    "no primitive": (
        '<type name="T" primitiveType="int128"/>',
        '<field name="a" type="T"/>',
        "M.a",
    ),
    "no name": ("", '<field id="1" type="int8"/>', "M: a field"),
    "twice": ("", '<field name="a" type="int8"/><field name="a" type="int8"/>', "M"),
    "overlap": (
        "",
        '<field name="a" type="int64"/><field name="b" type="int8" offset="4"/>',
        "M.b",
    ),
    "no number": ("", '<field name="a" type="int8" offset="x"/>', "M.a: offset"),
    "order": (
        "",
        '<group name="g"><field name="b" type="int8"/></group><field name="a" type="int8"/>',
        "M.a",
    ),
    "no dimension": ("", '<group name="g" dimensionType="none"/>', "none"),
    "no data": ("", '<data name="d" type="groupSizeEncoding"/>', "M.d"),
    "endless": (
        '<composite name="C"><ref name="c" type="C"/></composite>',
        '<field name="a" type="C"/>',
        "M.a",
    ),
    "no value": ("", '<field name="a" type="int8" presence="constant"/>', "M.a"),
    "no reference": (
        "",
        '<field name="a" type="int8" presence="constant" valueRef="E.X"/>',
        "M.a",
    ),
    "too large": (
        '<type name="T" primitiveType="int8" nullValue="128"/>',
        '<field name="a" type="T"/>',
        "M.a",
    ),
    "no bit": (
        '<set name="S" encodingType="uint8"><choice name="c">8</choice></set>',
        '<field name="a" type="S"/>',
        "M.a",
    ),
    "enum of floats": (
        '<enum name="E" encodingType="float"/>',
        '<field name="a" type="E"/>',
        "M.a",
    ),
    "no presence": ("", '<field name="a" type="int8" presence="perhaps"/>', "M.a"),
    "no length": (
        '<type name="T" primitiveType="char" length="0"/>',
        '<field name="a" type="T"/>',
        "M.a",
    ),
    "encoding": (
        '<type name="T" primitiveType="char" characterEncoding="x-none"/>',
        '<field name="a" type="T"/>',
        "M.a",
    ),
    "no encoding of text": (
        '<type name="T" primitiveType="char" characterEncoding="base64"/>',
        '<field name="a" type="T"/>',
        "M.a",
    ),
    "no encoding at all": (
        '<type name="T" primitiveType="char" characterEncoding="undefined"/>',
        '<field name="a" type="T"/>',
        "M.a",
    ),
    "reference too large": (
        LARGE,
        '<field name="a" type="int8" presence="constant" valueRef="E.ONE"/>',
        "M.a",
    ),
    "reference to no character": (
        LARGE,
        '<field name="a" type="char" presence="constant" valueRef="E.ONE"/>',
        "M.a",
    ),
    "reference of a set": (
        LARGE + '<set name="S" encodingType="uint8"/>',
        '<field name="a" type="S" presence="constant" valueRef="E.ONE"/>',
        "M.a",
    ),
    "reference of a composite": (
        LARGE,
        '<field name="a" type="groupSizeEncoding" presence="constant" valueRef="E.ONE"/>',
        "M.a",
    ),
    "reference to another enum": (
        LARGE + '<enum name="F" encodingType="uint8"/>',
        '<field name="a" type="F" presence="constant" valueRef="E.ONE"/>',
        "M.a",
    ),
    "choice twice": (
        '<set name="S" encodingType="uint8"><choice name="c">1</choice>'
        '<choice name="c">2</choice></set>',
        '<field name="a" type="S"/>',
        "M.a",
    ),
    "version": ("", f'<group name="g" sinceVersion="{2**40}"/>', "M.g"),
    "version before the first": ("", '<field name="a" type="int8" sinceVersion="-1"/>', "M.a"),
    "huge number": ("", f'<field name="a" type="int8" offset="{2**70}"/>', "M.a: offset"),
    "deep groups": ("", nested(40), "M.g.g"),
    "member twice": (
        '<composite name="C"><type name="x" primitiveType="int8"/>'
        '<type name="x" primitiveType="int16"/></composite>',
        '<field name="a" type="C"/>',
        "M.a",
    ),
    "length": (
        f'<type name="T" primitiveType="uint8" length="{2**31}"/>',
        '<field name="a" type="T"/>',
        "M.a",
    ),
    "length below zero": (
        '<type name="T" primitiveType="uint8" length="-1"/>',
        '<field name="a" type="T"/>',
        "M.a",
    ),
    "no value of the enum": (
        LARGE,
        '<field name="a" type="E" presence="constant" valueRef="E.TWO"/>',
        "M.a",
    ),
    "no such text of the enum": (
        LARGE,
        '<field name="a" type="E" presence="constant">TWO</field>',
        "M.a",
    ),
    "no text of the enum": (LARGE, '<field name="a" type="E" presence="constant"/>', "M.a"),
    "text of a set": (
        '<set name="S" encodingType="uint8"/>',
        '<field name="a" type="S" presence="constant">1</field>',
        "M.a",
    ),
    "data before its length": (
        '<composite name="D"><type name="varData" primitiveType="uint8" length="0"/>'
        '<type name="length" primitiveType="uint16"/></composite>',
        '<data name="d" type="D"/>',
        "M.d",
    ),
    "length of data is an array": (
        '<composite name="D"><type name="length" primitiveType="uint8" length="2"/>'
        '<type name="varData" primitiveType="uint8" length="0"/></composite>',
        '<data name="d" type="D"/>',
        "D.length",
    ),
    "length of data is no whole number": (
        '<composite name="D"><type name="length" primitiveType="float"/>'
        '<type name="varData" primitiveType="uint8" length="0"/></composite>',
        '<data name="d" type="D"/>',
        "D.length",
    ),
    "length of data is constant": (
        '<composite name="D"><type name="length" primitiveType="uint8" presence="constant">1</type>'
        '<type name="varData" primitiveType="uint8" length="0"/></composite>',
        '<data name="d" type="D"/>',
        "D.length",
    ),
    "multiplied": (
        "".join(
            f'<composite name="C{depth}">'
            + "".join(f'<ref name="c{each}" type="C{depth + 1}"/>' for each in range(9))
            + "</composite>"
            for depth in range(12)
        )
        + '<composite name="C12"/>',
        '<field name="a" type="C0"/>',
        "M.a.c0",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_an_invalid_line_is_rejected_with_its_place(tmp_path, kind):
    types, body, where = BAD[kind]
    with pytest.raises(SchemaError) as caught:
        sbe.read_schema(written(tmp_path, types, body))
    error = pickle.loads(pickle.dumps(caught.value))
    assert error.where.startswith(where)
    assert error.path.endswith("schema.xml")


def test_a_block_shorter_than_its_fields_is_rejected(tmp_path):
    file = written(tmp_path, body='<field name="a" id="1" type="int64"/>')
    file.write_text(file.read_text().replace('id="1">', 'id="1" blockLength="7">'))
    with pytest.raises(SchemaError, match="M: expected a blockLength from 8"):
        sbe.read_schema(file)


def test_files_other_than_schemas_are_rejected(tmp_path):
    file = tmp_path / "none.xml"
    with pytest.raises(MissingFileError):
        sbe.read_schema(file)
    for text in ("", "<a>", "<types/>", "<messageSchema/>", '<messageSchema id="1"/>'):
        file.write_text(text)
        with pytest.raises(SchemaError):
            sbe.read_schema(file)
    written(tmp_path, root='id="1" version="0" byteOrder="middle"')
    with pytest.raises(SchemaError, match="byteOrder"):
        sbe.read_schema(tmp_path / "schema.xml")


def test_unreadable_schema_is_rejected(tmp_path):
    with pytest.raises(SchemaError, match="expected one that can be read"):
        sbe.read_schema(tmp_path)
    deep = written(tmp_path, "<a>" * 50_000 + "</a>" * 50_000)
    with pytest.raises(SchemaError, match="elements in elements"):
        sbe.read_schema(deep)


def test_id_too_large_for_a_header_is_rejected(tmp_path):
    file = written(tmp_path)
    file.write_text(file.read_text().replace('name="M" id="1"', f'name="M" id="{2**70}"'))
    with pytest.raises(SchemaError, match="M: id"):
        sbe.read_schema(file)


@pytest.mark.parametrize(
    ("encoding", "text"), [("utf-7", b"+2AA-x"), ("punycode", b"-.....")], ids=["half", "none"]
)
def test_text_accepted_by_a_lenient_encoding_is_reported(tmp_path, encoding, text):
    types = f'<type name="T" primitiveType="char" length="6" characterEncoding="{encoding}"/>'
    decoder = sbe.sbe_decoder(written(tmp_path, types, '<field name="a" id="1" type="T"/>'), "M")
    bad = []
    assert rows(decoder, [struct.pack("<HHHH", 6, 1, 1, 0) + text], bad) == [{"a": None}]
    assert [(it.what, it.expected) for it in bad] == [("M.a", f"text in {encoding}")]
