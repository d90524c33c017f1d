"""Generate the codecs of every schema in ``aeron_cluster/codecs/schemas``.

From each ``<schema>.xml`` come

- ``include/aeron_cluster/codecs/<schema>.h``, inline functions over a pointer, for C and Cython;
- ``aeron_cluster/codecs/<schema>_codecs.pxd``, the same under plain names;
- ``aeron_cluster/codecs/<schema>.py``, the tables that ``message.py`` works from, and its ``.pyi``.

Without arguments they are written; with ``--check`` they are compared, and a difference is printed
and fails. clang-format and ruff lay the products out; where one of them is missing ``--check``
compares without regard to white space, and writing is refused.
"""
# ruff: noqa: D102, D103 - a script: nothing imports these, and their names say it

import argparse
import difflib
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parent.parent
CODECS = Path("aeron_cluster/codecs")
SCHEMAS = CODECS / "schemas"
INCLUDE = Path("include/aeron_cluster/codecs")
SBE = "{http://fixprotocol.io/2016/sbe}"
STANDARD_HEADER = ["blockLength", "templateId", "schemaId", "version"]
WIDTH = 100


@dataclass(frozen=True)
class Primitive:
    """A primitive type of SBE: its length in bytes, its null value, its code in ``struct``."""

    name: str
    length: int
    null: int
    struct: str

    @property
    def c_type(self) -> str:
        return f"{self.name}_t"


PRIMITIVES = {
    p.name: p
    for p in [
        Primitive("int8", 1, -(2**7), "b"),
        Primitive("uint8", 1, 2**8 - 1, "B"),
        Primitive("uint16", 2, 2**16 - 1, "H"),
        Primitive("int32", 4, -(2**31), "i"),
        Primitive("uint32", 4, 2**32 - 1, "I"),
        Primitive("int64", 8, -(2**63), "q"),
    ]
}


@dataclass(frozen=True)
class Enum:
    """An enumeration and its values in order."""

    name: str
    primitive: Primitive
    values: list[tuple[str, int]]

    @property
    def is_truth(self) -> bool:
        return self.name == "BooleanType"

    @property
    def all_values(self) -> list[tuple[str, int]]:
        return [*self.values, ("NULL_VALUE", self.primitive.null)]


@dataclass(frozen=True)
class FixedField:
    """A field of a block."""

    name: str
    primitive: Primitive
    offset: int
    null: int
    since: int
    is_optional: bool
    enum: Enum | None


@dataclass(frozen=True)
class VarData:
    """A variable part."""

    name: str
    is_text: bool
    since: int


@dataclass(frozen=True)
class Block:
    """A message or the entry of a group: fixed fields, then groups, then variable parts."""

    name: str
    number: int
    block_length: int
    since: int
    deprecated: int
    description: str
    fields: list[FixedField]
    groups: list["Block"]
    data: list[VarData]

    @property
    def items(self) -> list["FixedField | Block | VarData"]:
        return [*self.fields, *self.groups, *self.data]


@dataclass(frozen=True)
class Schema:
    """A schema file."""

    name: str
    schema_id: int
    version: int
    semantic_version: str
    header: list[tuple[str, Primitive]]
    enums: list[Enum]
    messages: list[Block] = field(default_factory=list)

    @property
    def header_length(self) -> int:
        return sum(primitive.length for _, primitive in self.header)

    @property
    def has_frame_length(self) -> bool:
        return [name for name, _ in self.header] != STANDARD_HEADER

    @property
    def notice(self) -> str:
        return (
            f"Generated from schemas/{self.name}.xml by tools/generate_codecs.py."
            " Edit it, run the tool."
        )


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def pascal(name: str) -> str:
    return name[0].upper() + name[1:]


def walk(block: Block, prefix: str) -> Iterator[tuple[Block, str]]:
    """Yield `block` and every group below it, each with its snake-case name after `prefix`."""
    name = f"{prefix}{snake(block.name)}"
    yield block, name
    for group in block.groups:
        yield from walk(group, f"{name}_")


def refuse(path: Path, what: str) -> None:
    sys.exit(f"{path}: {what}")


# ---- reading a schema ----


def read_schema(path: Path) -> Schema:
    root = ET.parse(path).getroot()
    types = root.find("types")
    if types is None or root.get("byteOrder") != "littleEndian":
        sys.exit(f"{path}: expected a little-endian schema with types")
    composites = {c.attrib["name"]: c for c in types.findall("composite")}
    enums = [
        Enum(
            e.attrib["name"],
            PRIMITIVES[e.attrib["encodingType"]],
            [(v.attrib["name"], int(v.text or "")) for v in e.findall("validValue")],
        )
        for e in types.findall("enum")
    ]
    reader = BlockReader(
        path,
        {t.attrib["name"]: t for t in types.findall("type")},
        {e.name: e for e in enums},
        {
            name
            for name, composite in composites.items()
            if any(t.get("characterEncoding") == "US-ASCII" for t in composite)
        },
    )
    return Schema(
        name=path.stem,
        schema_id=int(root.attrib["id"]),
        version=int(root.attrib["version"]),
        semantic_version=root.attrib["semanticVersion"],
        header=[
            (t.attrib["name"], PRIMITIVES[t.attrib["primitiveType"]])
            for t in composites["messageHeader"]
        ],
        enums=enums,
        messages=[reader.read(message) for message in root.findall(f"{SBE}message")],
    )


@dataclass
class BlockReader:
    """Reads messages and groups, with the types of their schema at hand."""

    path: Path
    types: dict[str, ET.Element]
    enums: dict[str, Enum]
    text_types: set[str]

    def read(self, element: ET.Element) -> Block:
        name = element.attrib["name"]
        fields: list[FixedField] = []
        end = 0
        for item in element.findall("field"):
            offset = int(item.get("offset", end))
            if offset < end:
                refuse(self.path, f"{name}.{item.get('name')}: offset {offset}, expected >= {end}")
            fields.append(self.read_field(item, offset))
            end = offset + fields[-1].primitive.length
        block_length = int(element.get("blockLength", end))
        if block_length < end:
            refuse(self.path, f"{name}: blockLength {block_length}, expected >= {end}")
        block = Block(
            name=name,
            number=int(element.attrib["id"]),
            block_length=block_length,
            since=int(element.get("sinceVersion", 0)),
            deprecated=int(element.get("deprecated", 0)),
            description=element.get("description", ""),
            fields=fields,
            groups=[self.read(group) for group in element.findall("group")],
            data=[
                VarData(
                    d.attrib["name"],
                    d.attrib["type"] in self.text_types,
                    int(d.get("sinceVersion", 0)),
                )
                for d in element.findall("data")
            ],
        )
        self.check(block)
        return block

    def read_field(self, item: ET.Element, offset: int) -> FixedField:
        kind = item.attrib["type"]
        named = self.types.get(kind, item)
        enum = self.enums.get(kind)
        primitive = enum.primitive if enum else PRIMITIVES[named.get("primitiveType", kind)]
        presence = item.get("presence", named.get("presence"))
        return FixedField(
            name=item.attrib["name"],
            primitive=primitive,
            offset=offset,
            null=int(named.get("nullValue", primitive.null)),
            since=int(item.get("sinceVersion", 0)),
            is_optional=presence == "optional",
            enum=enum,
        )

    def check(self, block: Block) -> None:
        """Refuse what the products have no place for."""
        names = [snake(item.name) for item in block.items]
        taken = {"name", "schema", "template_id", "block_length", "fields", "groups", "data"}
        taken |= {"acting_version", "encoded_length", "encode", "decode", "as_dict", "to_bytes"}
        for name in names:
            if names.count(name) > 1 or name in taken:
                refuse(self.path, f"{block.name}: the name {name} is used twice or is taken")
        for group in block.groups:
            if group.since:
                refuse(self.path, f"{block.name}.{group.name}: groups have no sinceVersion here")


# ---- C ----


def c_integer(value: int, primitive: Primitive) -> str:
    if value == primitive.null:
        limit = "MAX" if primitive.name.startswith("u") else "MIN"
        return f"{primitive.name.upper()}_{limit}"
    return str(value)


def emit_header(schema: Schema) -> str:
    ac = f"ac_{schema.name}"
    guard = f"AERON_CLUSTER_CODECS_{schema.name.upper()}_H"
    out = [
        f"/* {schema.notice} */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        '#include "aeron_cluster/codecs/sbe.h"',
        "",
        "enum {",
        f"{ac.upper()}_SCHEMA_ID = {schema.schema_id},",
        f"{ac.upper()}_SCHEMA_VERSION = {schema.version},",
        f"{ac.upper()}_HEADER_LENGTH = {schema.header_length},",
        "};",
        "",
        f'#define {ac.upper()}_SEMANTIC_VERSION "{schema.semantic_version}"',
        "",
    ]
    if schema.has_frame_length:
        out += c_frame_header(schema)
    for enum in schema.enums:
        name = f"{ac}_{snake(enum.name)}"
        out += [f"enum {name} {{"]
        for value_name, value in enum.all_values:
            out += [f"{name.upper()}_{value_name} = {c_integer(value, enum.primitive)},"]
        out += ["};", ""]
    for message in schema.messages:
        out += c_block(message, f"{ac}_{snake(message.name)}", is_message=True)
        out += c_begin(schema, f"{ac}_{snake(message.name)}")
    return "\n".join([*out, "#endif", ""])


def c_frame_header(schema: Schema) -> list[str]:
    name = f"ac_{schema.name}_message_header"
    out = [f"typedef struct {name} {{"]
    out += [f"{primitive.c_type} {snake(member)};" for member, primitive in schema.header]
    out += [f"}} {name};", "", f'_Static_assert(sizeof({name}) == {schema.header_length}, "file");']
    offset = 0
    for member, primitive in schema.header:
        out += [f'_Static_assert(offsetof({name}, {snake(member)}) == {offset}, "file");']
        offset += primitive.length
    return [
        *out,
        "",
        "/* As ac_sbe_wrap; false also when the record is longer than `length`. */",
        f"static inline bool ac_{schema.name}_wrap(ac_sbe_message *message, const uint8_t *buffer,"
        " size_t length) {",
        f"{name} header;",
        "if (length < sizeof(header)) {",
        "return false;",
        "}",
        "memcpy(&header, buffer, sizeof(header));",
        "if (header.frame_length < (int32_t)sizeof(header) ||",
        "(size_t)header.frame_length > length) {",
        "return false;",
        "}",
        "const size_t body_length = (size_t)header.frame_length - sizeof(header);",
        "const bool is_complete = ac_sbe_wrap_block(message, buffer + sizeof(header), body_length,"
        " header.block_length, header.version);",
        "message->template_id = header.template_id;",
        "message->schema_id = header.schema_id;",
        "return is_complete;",
        "}",
        "",
    ]


def c_block(block: Block, name: str, *, is_message: bool) -> list[str]:
    about = f": {block.description}" if block.description else ""
    since = f", since version {block.since}" if block.since else ""
    deprecated = f", deprecated since version {block.deprecated}" if block.deprecated else ""
    out = [f"/* {block.name}{about}{since}{deprecated} */", "enum {"]
    if is_message:
        out += [f"{name.upper()}_TEMPLATE_ID = {block.number},"]
    out += [f"{name.upper()}_BLOCK_LENGTH = {block.block_length},"]
    out += [f"{name.upper()}_{snake(f.name).upper()}_OFFSET = {f.offset}," for f in block.fields]
    out += ["};", ""]
    for f in block.fields:
        out += c_field(f, name)
    for group in block.groups:
        out += c_group(group, name)
    for data in block.data:
        out += c_data(data, name)
    return out


def c_field(f: FixedField, name: str) -> list[str]:
    versioned = f"acting_version >= {f.since} && " if f.since else ""
    end = f.offset + f.primitive.length
    offset = f"{name.upper()}_{snake(f.name).upper()}_OFFSET"
    return [
        f"static inline {f.primitive.c_type} {name}_{snake(f.name)}(const uint8_t *body,"
        " uint16_t acting_block_length, uint16_t acting_version) {",
        "" if f.since else "(void)acting_version;",
        f"return {versioned}acting_block_length >= {end}"
        f" ? ac_get_{f.primitive.name}(body + {offset}) : {c_integer(f.null, f.primitive)};",
        "}",
        "",
        f"static inline void {name}_put_{snake(f.name)}(uint8_t *body,"
        f" {f.primitive.c_type} value) {{",
        f"ac_put_{f.primitive.name}(body + {offset}, value);",
        "}",
        "",
    ]


def c_group(group: Block, name: str) -> list[str]:
    group_name = snake(group.name)
    length = f"{name.upper()}_{group_name.upper()}_BLOCK_LENGTH"
    return [
        *c_block(group, f"{name}_{group_name}", is_message=False),
        f"static inline bool {name}_read_{group_name}(ac_sbe_reader *reader,"
        " ac_sbe_group *group) {",
        "return ac_sbe_read_group(reader, group);",
        "}",
        "",
        f"static inline bool {name}_write_{group_name}(ac_sbe_writer *writer, uint16_t count) {{",
        f"return ac_sbe_write_group(writer, {length}, count);",
        "}",
        "",
        f"static inline uint8_t *{name}_{group_name}_next(ac_sbe_writer *writer) {{",
        f"return ac_sbe_reserve(writer, {length});",
        "}",
        "",
    ]


def c_data(data: VarData, name: str) -> list[str]:
    absent = [f"if (acting_version < {data.since}) {{", "*data = NULL;", "return 0;", "}"]
    return [
        f"static inline int64_t {name}_read_{snake(data.name)}(ac_sbe_reader *reader,"
        " uint16_t acting_version, const uint8_t **data) {",
        *(absent if data.since else ["(void)acting_version;"]),
        "return ac_sbe_read_data(reader, data);",
        "}",
        "",
        f"static inline bool {name}_write_{snake(data.name)}(ac_sbe_writer *writer,"
        " const void *data, uint32_t length) {",
        "return ac_sbe_write_data(writer, data, length);",
        "}",
        "",
    ]


def c_begin(schema: Schema, name: str) -> list[str]:
    ac = f"AC_{schema.name.upper()}"
    values = {
        "blockLength": f"{name.upper()}_BLOCK_LENGTH",
        "templateId": f"{name.upper()}_TEMPLATE_ID",
        "schemaId": f"{ac}_SCHEMA_ID",
        "version": f"{ac}_SCHEMA_VERSION",
        "frameLength": f"{ac}_HEADER_LENGTH + {name.upper()}_BLOCK_LENGTH",
    }
    members = [
        f".{snake(member)} = {values[member]}," for member, _ in schema.header if member in values
    ]
    signature = f"static inline uint8_t *{name}_begin(ac_sbe_writer *writer) {{"
    if not schema.has_frame_length:
        start = "return ac_sbe_begin(writer, (ac_message_header){"
        return [signature, start, *members, "});", "}", ""]
    return [
        signature,
        f"const ac_{schema.name}_message_header header = {{",
        *members,
        "};",
        f"uint8_t *at = ac_sbe_reserve(writer, sizeof(header) + {name.upper()}_BLOCK_LENGTH);",
        "if (at == NULL) {",
        "return NULL;",
        "}",
        "memcpy(at, &header, sizeof(header));",
        "return at + sizeof(header);",
        "}",
        "",
    ]


# ---- Cython ----


def emit_pxd(schema: Schema) -> str:
    ac = f"ac_{schema.name}_"
    cursors = "sbe_group, sbe_reader, sbe_writer"
    out = [
        f"# {schema.notice}",
        *(["from libc.stddef cimport size_t"] if schema.has_frame_length else []),
        "from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t",
        "",
        "from aeron_cluster.codecs.sbe cimport "
        + (
            cursors.replace("sbe_reader", "sbe_message, sbe_reader")
            if schema.has_frame_length
            else cursors
        ),
        "",
        "",
        f'cdef extern from "aeron_cluster/codecs/{schema.name}.h" nogil:',
        *pxd_enum(["SCHEMA_ID", "SCHEMA_VERSION", "HEADER_LENGTH"], ac),
    ]
    if schema.has_frame_length:
        out += [f'    ctypedef struct message_header "{ac}message_header":']
        out += [
            f"        {primitive.c_type} {snake(member)}" for member, primitive in schema.header
        ]
        parameters = "sbe_message *message, const uint8_t *buffer, size_t length"
        out += ["", *pxd_function("bint", "wrap", ac, parameters), ""]
    for enum in schema.enums:
        prefix = snake(enum.name).upper()
        out += pxd_enum([f"{prefix}_{name}" for name, _ in enum.all_values], ac)
    for message in schema.messages:
        for block, name in walk(message, ""):
            out += pxd_block(block, name, ac, is_message=block is message)
    return "\n".join(out).rstrip() + "\n"


def pxd_enum(names: Iterable[str], ac: str) -> list[str]:
    out = ["    enum:"]
    for name in names:
        out += fold(f"        {name} ", f'"{ac.upper()}{name}"')
    return [*out, ""]


def fold(*parts: str) -> list[str]:
    """Return one line of `parts`, or several where that would be too long."""
    line = "".join(parts)
    if len(line) <= WIDTH:
        return [line]
    if len(parts) == 1:
        return [f"{line}  # no-cython-lint"]
    head, *rest = parts
    indent = " " * (len(head) - len(head.lstrip()) + 4)
    joint = "" if head.rstrip().endswith("(") else "\\"
    return [f"{head.rstrip()} {joint}".rstrip(), *fold(indent + rest[0].lstrip(), *rest[1:])]


def pxd_function(result: str, name: str, ac: str, parameters: str) -> list[str]:
    space = "" if result.endswith("*") else " "
    head = f"    {result}{space}{name} "
    symbol = f'"{ac}{name}"('
    if len(head + symbol) <= WIDTH:
        return fold(head + symbol, f"{parameters}) noexcept")
    return fold(head, symbol, f"{parameters}) noexcept")


def pxd_block(block: Block, name: str, ac: str, *, is_message: bool) -> list[str]:
    constants = [f"{name.upper()}_TEMPLATE_ID"] if is_message else []
    constants += [f"{name.upper()}_BLOCK_LENGTH"]
    constants += [f"{name.upper()}_{snake(f.name).upper()}_OFFSET" for f in block.fields]
    out = pxd_enum(constants, ac)
    acting = "const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version"
    for f in block.fields:
        own, kind = snake(f.name), f.primitive.c_type
        out += pxd_function(kind, f"{name}_{own}", ac, acting)
        out += pxd_function("void", f"{name}_put_{own}", ac, f"uint8_t *body, {kind} value")
    for group in block.groups:
        own = snake(group.name)
        cursors = "sbe_reader *reader, sbe_group *group"
        out += pxd_function("bint", f"{name}_read_{own}", ac, cursors)
        out += pxd_function("bint", f"{name}_write_{own}", ac, "sbe_writer *writer, uint16_t count")
        out += pxd_function("uint8_t *", f"{name}_{own}_next", ac, "sbe_writer *writer")
    for data in block.data:
        own = snake(data.name)
        read = "sbe_reader *reader, uint16_t acting_version, const uint8_t **data"
        write = "sbe_writer *writer, const void *data, uint32_t length"
        out += pxd_function("int64_t", f"{name}_read_{own}", ac, read)
        out += pxd_function("bint", f"{name}_write_{own}", ac, write)
    if is_message:
        out += pxd_function("uint8_t *", f"{name}_begin", ac, "sbe_writer *writer")
    return [*out, ""]


# ---- Python ----


def public_names(schema: Schema) -> list[str]:
    classes = [enum.name for enum in schema.enums] + [pascal(m.name) for m in schema.messages]
    return ["SCHEMA", *sorted(classes), "decode", "template_id_of"]


def used_bases(schema: Schema) -> list[str]:
    blocks = [block for message in schema.messages for block, _ in walk(message, "")]
    used = {
        "Data": any(block.data for block in blocks),
        "Entry": any(block.groups for block in blocks),
        "Field": any(block.fields for block in blocks),
        "Message": True,
        "Schema": True,
        "Truth": any(enum.is_truth for enum in schema.enums),
    }
    return [name for name, is_used in used.items() if is_used]


def py_enums(schema: Schema) -> list[str]:
    out = []
    for enum in schema.enums:
        out += [f"class {enum.name}({'Truth' if enum.is_truth else 'IntEnum'}):"]
        out += [f"    {name} = {value}" for name, value in enum.all_values]
        out += [""]
    return out


def emit_tables(schema: Schema) -> str:
    has_enums = any(not enum.is_truth for enum in schema.enums)
    out = [
        f"# {schema.notice}",
        f'"""The messages of schema {schema.schema_id}, version {schema.version}."""',
        "",
        *(["from enum import IntEnum", ""] if has_enums else []),
        f"from aeron_cluster.codecs.message import {', '.join(used_bases(schema))}",
        "",
        f"__all__ = [{', '.join(repr(name) for name in public_names(schema))},]",
        "",
        "SCHEMA = Schema(",
        f"name={schema.name!r}, schema_id={schema.schema_id}, version={schema.version},",
        f"semantic_version={schema.semantic_version!r},",
        f"has_frame_length={schema.has_frame_length},",
        ")",
        "decode = SCHEMA.decode",
        "template_id_of = SCHEMA.template_id_of",
        "",
        *py_enums(schema),
    ]
    for message in schema.messages:
        out += py_block(message, "", is_message=True)
    return "\n".join(out)


def py_block(block: Block, path: str, *, is_message: bool) -> list[str]:
    name = f"{path}{pascal(block.name)}"
    slots = "".join(f"{snake(item.name)!r}, " for item in block.items)
    body = [py_about(block), "", f"__slots__ = ({slots})", f"name = {name!r}", "schema = SCHEMA"]
    body += [f"template_id = {block.number}"] if is_message else []
    body += [f"block_length = {block.block_length}"]
    if block.fields:
        body += ["fields = (", *(py_field(f) for f in block.fields), ")"]
    for group in block.groups:
        body += ["", *py_block(group, f"{name}.", is_message=False)]
    if block.groups:
        body += [
            "groups = (",
            *(f"({snake(g.name)!r}, {pascal(g.name)})," for g in block.groups),
            ")",
        ]
    if block.data:
        body += ["data = (", *(py_data(d) for d in block.data), ")"]
    head = f"class {pascal(block.name)}({'Message' if is_message else 'Entry'}):"
    return [head, textwrap.indent("\n".join(body), "    "), ""]


def py_about(block: Block) -> str:
    about = f", {block.description}" if block.description else ""
    since = f" Since version {block.since}." if block.since else ""
    deprecated = f" Deprecated since version {block.deprecated}." if block.deprecated else ""
    return f'"""``{block.name}``{about}.{since}{deprecated}"""'


def py_field(f: FixedField) -> str:
    more = f", since={f.since}" if f.since else ""
    more += ", is_optional=True" if f.is_optional else ""
    more += f", enum={f.enum.name}" if f.enum else ""
    return f"Field({snake(f.name)!r}, {f.primitive.struct!r}, {f.offset}, {f.null}{more}),"


def py_data(d: VarData) -> str:
    since = f", since={d.since}" if d.since else ""
    return f"Data({snake(d.name)!r}, is_text={d.is_text}{since}),"


def emit_stub(schema: Schema) -> str:
    blocks = [block for message in schema.messages for block, _ in walk(message, "")]
    has_enums = any(not enum.is_truth for enum in schema.enums)
    has_groups = any(block.groups for block in blocks)
    has_optional = any(is_optional(item) for block in blocks for item in block.items)
    bases = [base for base in used_bases(schema) if base not in {"Data", "Field"}]
    out = [
        f"# {schema.notice}",
        '# mypy: disable-error-code="override"',
        *(["from collections.abc import Iterable"] if has_groups else []),
        *(["from enum import IntEnum"] if has_enums else []),
        f"from typing import {'NotRequired, ' if has_optional else ''}TypedDict, Unpack",
        "",
        "from _typeshed import ReadableBuffer, WriteableBuffer",
        "",
        f"from aeron_cluster.codecs.message import {', '.join(bases)}",
        "",
        f"__all__ = [{', '.join(repr(name) for name in public_names(schema))},]",
        "",
        "SCHEMA: Schema",
        "",
        "def decode(buffer: ReadableBuffer, offset: int = 0, length: int | None = None)"
        " -> Message: ...",
        "def template_id_of(buffer: ReadableBuffer, offset: int = 0, length: int | None = None)"
        " -> int: ...",
        "",
        *py_enums(schema),
    ]
    for message in schema.messages:
        for block, name in walk(message, ""):
            out += stub_values(block, name, pascal(message.name))
        out += stub_block(message, pascal(message.name), "", is_message=True)
    return "\n".join(out)


def is_optional(item: FixedField | VarData | Block) -> bool:
    return not isinstance(item, FixedField) or item.is_optional


def stub_type(item: FixedField | VarData | Block, path: str, *, is_input: bool) -> str:
    match item:
        case FixedField(enum=enum):
            own = enum.name if enum else ""
            return f"{own} | int" if own and is_input else own or "int"
        case VarData(is_text=True):
            return "str | bytes" if is_input else "str"
        case VarData():
            return "ReadableBuffer" if is_input else "bytes"
        case Block():
            entry = f"{path}.{pascal(item.name)}"
            return f"Iterable[{entry}]" if is_input else f"list[{entry}]"


def values_name(name: str) -> str:
    return f"_{''.join(part.capitalize() for part in name.split('_'))}Values"


def stub_values(block: Block, name: str, path: str) -> list[str]:
    out = [f"class {values_name(name)}(TypedDict):"] if block.items else []
    for item in block.items:
        kind = stub_type(item, path, is_input=True)
        kind = f"NotRequired[{kind}]" if is_optional(item) else kind
        out += [f"    {snake(item.name)}: {kind}"]
    return [*out, ""]


def stub_block(block: Block, path: str, prefix: str, *, is_message: bool) -> list[str]:
    name = f"{prefix}{snake(block.name)}"
    values = f"**values: Unpack[{values_name(name)}]"
    body: list[str] = []
    for group in block.groups:
        body += stub_block(group, f"{path}.{pascal(group.name)}", f"{name}_", is_message=False)
    body += [f"{snake(item.name)}: {stub_type(item, path, is_input=False)}" for item in block.items]
    if block.items:
        body += [f"def __init__(self, {values}) -> None: ..."]
    if block.items and is_message:
        into = f"cls, buffer: WriteableBuffer, offset: int = 0, /, {values}"
        body += ["@classmethod", f"def encode(cls, {values}) -> bytes: ..."]
        body += ["@classmethod", f"def encode_into({into}) -> int: ..."]
        body += ["@classmethod", f"def encode_body(cls, {values}) -> bytes: ..."]
    head = f"class {pascal(block.name)}({'Message' if is_message else 'Entry'}):"
    return [head, textwrap.indent("\n".join(body or ["..."]), "    "), ""]


# ---- products ----


def products(schema: Schema) -> dict[Path, str]:
    return {
        INCLUDE / f"{schema.name}.h": emit_header(schema),
        CODECS / f"{schema.name}_codecs.pxd": emit_pxd(schema),
        CODECS / f"{schema.name}.py": emit_tables(schema),
        CODECS / f"{schema.name}.pyi": emit_stub(schema),
    }


def layout_tool(path: Path) -> str:
    return {".pxd": "", ".h": "clang-format"}.get(path.suffix, "ruff")


def lay_out(path: Path, text: str) -> tuple[str, bool]:
    """Return `text` in its final layout, and whether the tool for that was there."""
    name = layout_tool(path)
    if not name:
        return text, True
    beside = Path(sys.executable).parent / name
    tool = str(beside) if beside.exists() else shutil.which(name)
    if tool is None:
        return text, False
    options = {
        "clang-format": [f"--style=file:{ROOT / '.clang-format'}"],
        "ruff": [
            "format",
            "-q",
            f"--config={ROOT / 'pyproject.toml'}",
            f"--stdin-filename={path.name}",
        ],
    }
    command = [tool, *options[name], *(["-"] if name == "ruff" else [])]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{path}: {' '.join(command)}: {done.stderr}")
    return done.stdout, True


def compare(path: Path, text: str, *, is_laid_out: bool) -> list[str]:
    """Return the difference between the file at `path` and `text`; [] when there is none."""
    target = ROOT / path
    found = target.read_text(encoding="utf-8") if target.exists() else ""
    if found == text or (not is_laid_out and "".join(found.split()) == "".join(text.split())):
        return []
    lines = (found.splitlines(keepends=True), text.splitlines(keepends=True))
    return list(difflib.unified_diff(*lines, str(path), f"{path} (generated)"))


def main() -> int:
    parser = argparse.ArgumentParser(description="Generate the codecs of every schema.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    is_check = parser.parse_args().check
    differences: list[str] = []
    for source in sorted((ROOT / SCHEMAS).glob("*.xml")):
        for path, raw in products(read_schema(source)).items():
            text, is_laid_out = lay_out(path, raw)
            if is_check:
                differences += compare(path, text, is_laid_out=is_laid_out)
            elif is_laid_out:
                (ROOT / path).write_text(text, encoding="utf-8")
            else:
                sys.exit(f"{path}: expected {layout_tool(path)} to be installed")
    sys.stdout.writelines(differences)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
