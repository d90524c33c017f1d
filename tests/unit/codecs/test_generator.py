"""The generator rejects unsupported schemas and prints differences."""

from pathlib import Path

import pytest

from tools import generate_codecs as generator

TEMPLATE = """<sbe:messageSchema xmlns:sbe="http://fixprotocol.io/2016/sbe" id="1" version="2"
    semanticVersion="1.0" byteOrder="{order}">
  <types>
    <composite name="messageHeader">
      <type name="blockLength" primitiveType="uint16"/>
      <type name="templateId" primitiveType="uint16"/>
      <type name="schemaId" primitiveType="uint16"/>
      <type name="version" primitiveType="uint16"/>
    </composite>
    <type name="none_t" primitiveType="int32" presence="optional" nullValue="-1"/>
  </types>
  <sbe:message name="OneThing" id="7"{attributes}>{body}</sbe:message>
</sbe:messageSchema>
"""
TWO = '<field name="{}" id="1" type="int64"/><field name="{}" id="2" type="int8" offset="4"/>'


def schema(folder, body, attributes="", order="littleEndian") -> Path:
    path = folder / "sample.xml"
    path.write_text(TEMPLATE.format(body=body, attributes=attributes, order=order))
    return path


def test_reads_offsets_nulls_and_presence(tmp_path):
    body = """<field name="aFieldNs" id="1" type="none_t"/>
        <field name="other2Id" id="2" type="int64" offset="8" sinceVersion="2"/>"""
    (message,) = generator.read_schema(schema(tmp_path, body, ' blockLength="32"')).messages
    first, second = message.fields
    assert (first.offset, first.null, first.is_optional) == (0, -1, True)
    assert (second.offset, second.since, second.is_optional) == (8, 2, False)
    assert second.null == -(2**63)
    assert message.block_length == 32


@pytest.mark.parametrize(
    ("body", "attributes", "order", "expected"),
    [
        ("", "", "bigEndian", "little-endian"),
        (TWO.format("a", "b"), "", "littleEndian", "offset 4, expected >= 8"),
        (
            '<field name="a" id="1" type="int64"/>',
            ' blockLength="4"',
            "littleEndian",
            "blockLength 4",
        ),
        (
            '<field name="name" id="1" type="int64"/>',
            "",
            "littleEndian",
            "name is used twice or is taken",
        ),
        (TWO.format("aB", "a_b").replace('"4"', '"8"'), "", "littleEndian", "a_b is used twice"),
        ('<group name="g" id="1" sinceVersion="2"/>', "", "littleEndian", "no sinceVersion"),
    ],
)
def test_rejects_unsupported_products(tmp_path, body, attributes, order, expected):
    with pytest.raises(SystemExit, match=expected):
        generator.read_schema(schema(tmp_path, body, attributes, order))


def c_codecs(folder, body, **listed):
    read = generator.read_schema(schema(folder, body))
    listed_codecs = {"enums": [], "named": [], "written": [], "read": {}, **listed}
    return generator.read_c_codecs(Path("listed_codecs.toml"), read, listed_codecs)


BODY = """<field name="a" id="1" type="int64"/><field name="b" id="2" type="int32"/>
    <data name="c" id="3" type="varData"/><data name="d" id="4" type="varData"/>"""


def test_c_face_has_the_listed_items(tmp_path):
    (message,) = c_codecs(tmp_path, BODY, read={"OneThing": ["b", "c"]}).messages
    assert [each.name for each in (*message.fields, *message.data)] == ["b", "c"]
    (message,) = c_codecs(tmp_path, BODY, written=["OneThing"]).messages
    assert [each.name for each in (*message.fields, *message.data)] == ["a", "b", "c", "d"]
    (message,) = c_codecs(tmp_path, BODY, named=["OneThing"]).messages
    assert [*message.fields, *message.data] == []
    assert message.constants == [("ONE_THING_TEMPLATE_ID", 7), ("ONE_THING_BLOCK_LENGTH", 12)]
    assert c_codecs(tmp_path, BODY).messages == []


@pytest.mark.parametrize(
    ("body", "listed", "expected"),
    [
        (BODY, {"named": ["Other"]}, "sample has no Other"),
        (BODY, {"enums": ["Other"]}, "sample has no Other"),
        (BODY, {"read": {"OneThing": ["e"]}}, "sample.OneThing has no e"),
        (BODY, {"read": {"OneThing": ["d"]}}, "from the first one on"),
        (BODY, {"read": {"OneThing": ["d", "c"]}}, "in their order"),
        (BODY, {"named": ["OneThing"], "written": ["OneThing"]}, "more than its name"),
        ('<group name="g" id="1"/>', {"written": ["OneThing"]}, "or groups"),
    ],
)
def test_rejects_items_unfit_for_the_c_face(tmp_path, body, listed, expected):
    with pytest.raises(SystemExit, match=expected):
        c_codecs(tmp_path, body, **listed)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("leaderHeartbeatTimeoutNs", "leader_heartbeat_timeout_ns"),
        ("StartRecordingRequest2", "start_recording_request2"),
        ("requestServiceAck", "request_service_ack"),
        ("fileIoMaxLength", "file_io_max_length"),
    ],
)
def test_names_in_snake_case(name, expected):
    assert generator.snake(name) == expected


def test_comparison_ignores_layout_only_without_a_formatter(tmp_path, monkeypatch):
    monkeypatch.setattr(generator, "ROOT", tmp_path)
    (tmp_path / "a.h").write_text("int a;\n")
    path = Path("a.h")
    assert generator.compare(path, "int a;\n", is_laid_out=True) == []
    assert generator.compare(path, "int\na;\n", is_laid_out=False) == []
    assert generator.compare(path, "int\na;\n", is_laid_out=True) != []
    assert "+int b;\n" in generator.compare(path, "int b;\n", is_laid_out=False)
    assert generator.compare(Path("absent.h"), "int b;\n", is_laid_out=True) != []
