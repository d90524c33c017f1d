"""Generate the codecs of every schema in ``aeron_cluster/codecs/schemas``.

From each ``<schema>.xml`` come

- ``aeron_cluster/codecs/<schema>.py``, the tables that ``message.py`` uses, with their types,

and from the items listed in ``c_codecs.toml``

- ``include/aeron_cluster/codecs/<schema>.h``, inline functions over a pointer, for C and Cython;
- ``aeron_cluster/codecs/<schema>_codecs.pxd``, the same functions with plain names.

Without arguments the files are written; with ``--check`` they are compared, and a difference is
printed and fails. clang-format and ruff format them; if one is missing, ``--check`` ignores white
space, and writing is rejected.
"""
# ruff: noqa: D102, D103 - a script: nothing imports these, and their names explain them

import argparse
import difflib
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parent.parent
CODECS = Path("aeron_cluster/codecs")
SCHEMAS = CODECS / "schemas"
INCLUDE = Path("include/aeron_cluster/codecs")
SBE = "{http://fixprotocol.io/2016/sbe}"
STANDARD_HEADER = ["blockLength", "templateId", "schemaId", "version"]
C_CODECS = SCHEMAS / "c_codecs.toml"
WIDTH = 100
NOTICE = "by tools/generate_codecs.py. Edit"


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
    def is_boolean(self) -> bool:
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
        return f"Generated from schemas/{self.name}.xml {NOTICE} it, run the tool."

    @property
    def c_notice(self) -> str:
        return f"Generated from {self.name}.xml and {C_CODECS.name} {NOTICE} them, run it."


@dataclass(frozen=True)
class CMessage:
    """The C functions of a message: accessors of some fields and variable parts, and the writer."""

    block: Block
    read: list[str]
    is_written: bool

    @property
    def name(self) -> str:
        return snake(self.block.name)

    @property
    def fields(self) -> list[FixedField]:
        """The fields that are read or written."""
        return [f for f in self.block.fields if self.is_written or f.name in self.read]

    @property
    def data(self) -> list[VarData]:
        return [d for d in self.block.data if self.is_written or d.name in self.read]

    @property
    def constants(self) -> list[tuple[str, int]]:
        found = [("TEMPLATE_ID", self.block.number), ("BLOCK_LENGTH", self.block.block_length)]
        found += [(f"{snake(f.name)}_OFFSET", f.offset) for f in self.fields]
        return [(f"{self.name}_{name}".upper(), value) for name, value in found]


@dataclass(frozen=True)
class CCodecs:
    """The C functions of a schema."""

    enums: list[Enum]
    messages: list[CMessage]


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


def reject(path: Path, what: str) -> None:
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
    """Reads messages and groups with the types of their schema."""

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
                reject(self.path, f"{name}.{item.get('name')}: offset {offset}, expected >= {end}")
            fields.append(self.read_field(item, offset))
            end = offset + fields[-1].primitive.length
        block_length = int(element.get("blockLength", end))
        if block_length < end:
            reject(self.path, f"{name}: blockLength {block_length}, expected >= {end}")
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
        """Reject content that the generated files do not support."""
        names = [snake(item.name) for item in block.items]
        taken = {"name", "schema", "template_id", "block_length", "fields", "groups", "data"}
        taken |= {"acting_version", "encoded_length", "encode", "decode", "as_dict", "to_bytes"}
        for name in names:
            if names.count(name) > 1 or name in taken:
                reject(self.path, f"{block.name}: the name {name} is used twice or is taken")
        for group in block.groups:
            if group.since:
                reject(self.path, f"{block.name}.{group.name}: groups have no sinceVersion here")


def read_c_codecs(path: Path, schema: Schema, listed: dict[str, Any]) -> CCodecs:
    """Return the C functions of `schema` that `listed`, a table of `path`, selects."""
    messages = {message.name: message for message in schema.messages}
    enums = {enum.name: enum for enum in schema.enums}
    named, written, read = listed["named"], listed["written"], listed["read"]
    for name in {*named, *written, *read} - messages.keys() | {*listed["enums"]} - enums.keys():
        reject(path, f"{schema.name} has no {name}")
    for name in {*named} & {*written, *read}:
        reject(path, f"{schema.name}.{name}: it has more than its name, expected it once")
    for name in sorted({*written, *read}):
        check_c_message(path, schema, messages[name], read.get(name, []))
    return CCodecs(
        enums=[enums[name] for name in enums if name in listed["enums"]],
        messages=[
            CMessage(message, read.get(name, []), is_written=name in written)
            for name, message in messages.items()
            if name in {*named, *written, *read}
        ],
    )


def check_c_message(path: Path, schema: Schema, message: Block, read: list[str]) -> None:
    """Reject items that the generated C does not support."""
    where = f"{schema.name}.{message.name}"
    if schema.has_frame_length or message.groups:
        reject(path, f"{where}: C has no messages with frame lengths or groups")
    for name in {*read} - {item.name for item in message.items}:
        reject(path, f"{where} has no {name}")
    parts = [data.name for data in message.data]
    if [name for name in read if name in parts] != parts[: len({*read} & {*parts})]:
        reject(path, f"{where}: variable parts are read from the first one on, in their order")


# ---- C ----


def c_integer(value: int, primitive: Primitive) -> str:
    if value == primitive.null:
        limit = "MAX" if primitive.name.startswith("u") else "MIN"
        return f"{primitive.name.upper()}_{limit}"
    return str(value)


def emit_header(schema: Schema, codecs: CCodecs) -> str:
    ac = f"ac_{schema.name}"
    guard = f"AERON_CLUSTER_CODECS_{schema.name.upper()}_H"
    out = [
        f"/* {schema.c_notice} */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        '#include "aeron_cluster/codecs/sbe.h"',
        "",
        "enum {",
        f"{ac.upper()}_SCHEMA_ID = {schema.schema_id},",
        f"{ac.upper()}_SCHEMA_VERSION = {schema.version},",
        "};",
        "",
    ]
    for enum in codecs.enums:
        name = f"{ac}_{snake(enum.name)}"
        out += [f"enum {name} {{"]
        for value_name, value in enum.all_values:
            out += [f"{name.upper()}_{value_name} = {c_integer(value, enum.primitive)},"]
        out += ["};", ""]
    for message in codecs.messages:
        out += c_message(message, ac)
    return "\n".join([*out, "#endif", ""])


def c_message(message: CMessage, ac: str) -> list[str]:
    block, name = message.block, f"{ac}_{message.name}"
    about = f": {block.description}" if block.description else ""
    since = f", since version {block.since}" if block.since else ""
    deprecated = f", deprecated since version {block.deprecated}" if block.deprecated else ""
    out = [f"/* {block.name}{about}{since}{deprecated} */", "enum {"]
    out += [f"{ac.upper()}_{constant} = {value}," for constant, value in message.constants]
    out += ["};", ""]
    for f in message.fields:
        out += c_getter(f, name) if f.name in message.read else []
        out += c_putter(f, name) if message.is_written else []
    for data in message.data:
        out += c_reader(data, name) if data.name in message.read else []
        out += c_writer(data, name) if message.is_written else []
    return out + (c_begin(name, ac.upper()) if message.is_written else [])


def c_offset(f: FixedField, name: str) -> str:
    return f"{name.upper()}_{snake(f.name).upper()}_OFFSET"


def c_getter(f: FixedField, name: str) -> list[str]:
    versioned = f"acting_version >= {f.since} && " if f.since else ""
    return [
        f"static inline {f.primitive.c_type} {name}_{snake(f.name)}(const uint8_t *body,"
        " uint16_t acting_block_length, uint16_t acting_version) {",
        "" if f.since else "(void)acting_version;",
        f"return {versioned}acting_block_length >= {f.offset + f.primitive.length}"
        f" ? ac_get_{f.primitive.name}(body + {c_offset(f, name)})"
        f" : {c_integer(f.null, f.primitive)};",
        "}",
        "",
    ]


def c_putter(f: FixedField, name: str) -> list[str]:
    return [
        f"static inline void {name}_put_{snake(f.name)}(uint8_t *body,"
        f" {f.primitive.c_type} value) {{",
        f"ac_put_{f.primitive.name}(body + {c_offset(f, name)}, value);",
        "}",
        "",
    ]


def c_reader(data: VarData, name: str) -> list[str]:
    absent = [f"if (acting_version < {data.since}) {{", "*data = NULL;", "return 0;", "}"]
    return [
        f"static inline int64_t {name}_read_{snake(data.name)}(ac_sbe_reader *reader,"
        " uint16_t acting_version, const uint8_t **data) {",
        *(absent if data.since else ["(void)acting_version;"]),
        "return ac_sbe_read_data(reader, data);",
        "}",
        "",
    ]


def c_writer(data: VarData, name: str) -> list[str]:
    return [
        f"static inline bool {name}_write_{snake(data.name)}(ac_sbe_writer *writer,"
        " const void *data, uint32_t length) {",
        "return ac_sbe_write_data(writer, data, length);",
        "}",
        "",
    ]


def c_begin(name: str, ac: str) -> list[str]:
    return [
        f"static inline uint8_t *{name}_begin(ac_sbe_writer *writer) {{",
        "return ac_sbe_begin(writer, (ac_message_header){",
        f".block_length = {name.upper()}_BLOCK_LENGTH,",
        f".template_id = {name.upper()}_TEMPLATE_ID,",
        f".schema_id = {ac}_SCHEMA_ID,",
        f".version = {ac}_SCHEMA_VERSION,",
        "});",
        "}",
        "",
    ]


# ---- Cython ----


def emit_pxd(schema: Schema, codecs: CCodecs) -> str:
    ac = f"ac_{schema.name}_"
    out = [
        f"# {schema.c_notice}",
        "from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t",
        "",
        "from aeron_cluster.codecs.sbe cimport sbe_reader, sbe_writer",
        "",
        "",
        f'cdef extern from "aeron_cluster/codecs/{schema.name}.h" nogil:',
        *pxd_enum(["SCHEMA_ID", "SCHEMA_VERSION"], ac),
    ]
    for enum in codecs.enums:
        prefix = snake(enum.name).upper()
        out += pxd_enum([f"{prefix}_{name}" for name, _ in enum.all_values], ac)
    for message in codecs.messages:
        out += pxd_message(message, ac)
    return "\n".join(out).rstrip() + "\n"


def pxd_enum(names: Iterable[str], ac: str) -> list[str]:
    out = ["    enum:"]
    for name in names:
        out += fold(f"        {name} ", f'"{ac.upper()}{name}"')
    return [*out, ""]


def fold(*parts: str) -> list[str]:
    """Return one line of `parts`, or several if it would be too long."""
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


def pxd_message(message: CMessage, ac: str) -> list[str]:
    name = message.name
    out = pxd_enum([constant for constant, _ in message.constants], ac)
    acting = "const uint8_t *body, uint16_t acting_block_length, uint16_t acting_version"
    read = "sbe_reader *reader, uint16_t acting_version, const uint8_t **data"
    write = "sbe_writer *writer, const void *data, uint32_t length"
    for f in message.fields:
        own, kind = snake(f.name), f.primitive.c_type
        if f.name in message.read:
            out += pxd_function(kind, f"{name}_{own}", ac, acting)
        if message.is_written:
            out += pxd_function("void", f"{name}_put_{own}", ac, f"uint8_t *body, {kind} value")
    for data in message.data:
        own = snake(data.name)
        if data.name in message.read:
            out += pxd_function("int64_t", f"{name}_read_{own}", ac, read)
        if message.is_written:
            out += pxd_function("bint", f"{name}_write_{own}", ac, write)
    if message.is_written:
        out += pxd_function("uint8_t *", f"{name}_begin", ac, "sbe_writer *writer")
    return [*out, ""] if out[-1] else out


# ---- Python ----


def public_names(schema: Schema) -> list[str]:
    classes = [enum.name for enum in schema.enums] + [pascal(m.name) for m in schema.messages]
    return ["SCHEMA", *sorted(classes), "decode", "template_id_of"]


def used_bases(schema: Schema) -> list[str]:
    blocks = [block for message in schema.messages for block, _ in walk(message, "")]
    used = {
        "BooleanEnum": any(enum.is_boolean for enum in schema.enums),
        "Data": any(block.data for block in blocks),
        "Entry": any(block.groups for block in blocks),
        "Field": any(block.fields for block in blocks),
        "Message": True,
        "Schema": True,
    }
    return [name for name, is_used in used.items() if is_used]


def py_enums(schema: Schema) -> list[str]:
    out = []
    for enum in schema.enums:
        out += [f"class {enum.name}({'BooleanEnum' if enum.is_boolean else 'IntEnum'}):"]
        out += [f"    {name} = {value}" for name, value in enum.all_values]
        out += [""]
    return out


def emit_python(schema: Schema) -> str:
    has_enums = any(not enum.is_boolean for enum in schema.enums)
    out = [
        f"# {schema.notice}",
        '# mypy: disable-error-code="override"',
        f'"""The messages of schema {schema.schema_id}, version {schema.version}."""',
        "",
        "from __future__ import annotations",
        "",
        *(["from enum import IntEnum"] if has_enums else []),
        f"from typing import TYPE_CHECKING{', ClassVar' if 'Entry' in used_bases(schema) else ''}",
        "",
        f"from aeron_cluster.codecs.message import {', '.join(used_bases(schema))}",
        "",
        *py_inputs(schema),
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
        out += py_block(message, "", "", is_message=True)
    return "\n".join(out)


def py_inputs(schema: Schema) -> list[str]:
    """Return the types of the arguments of messages, for type checkers."""
    blocks = [block for message in schema.messages for block, _ in walk(message, "")]
    has_optional = any(is_optional(item) for block in blocks for item in block.items)
    is_buffer = any(not data.is_text for block in blocks for data in block.data)
    buffers = "ReadableBuffer, WriteableBuffer" if is_buffer else "WriteableBuffer"
    out = ["from collections.abc import Iterable"] if any(block.groups for block in blocks) else []
    out += [f"from typing import {'NotRequired, ' if has_optional else ''}TypedDict, Unpack"]
    out += ["", f"from _typeshed import {buffers}", ""]
    for message in schema.messages:
        for block, name in walk(message, ""):
            out += py_values(block, name, pascal(message.name))
    return ["if TYPE_CHECKING:", textwrap.indent("\n".join(out), "    "), ""]


def is_optional(item: FixedField | VarData | Block) -> bool:
    return not isinstance(item, FixedField) or item.is_optional


def py_type(item: FixedField | VarData | Block, path: str, *, is_input: bool) -> str:
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


def py_values(block: Block, name: str, path: str) -> list[str]:
    out = [f"class {values_name(name)}(TypedDict):"] if block.items else []
    for item in block.items:
        kind = py_type(item, path, is_input=True)
        kind = f"NotRequired[{kind}]" if is_optional(item) else kind
        out += [f"    {snake(item.name)}: {kind}"]
    return [*out, ""]


def py_block(block: Block, path: str, prefix: str, *, is_message: bool) -> list[str]:
    name, own = f"{path}{pascal(block.name)}", f"{prefix}{snake(block.name)}"
    slots = "".join(f"{snake(item.name)!r}, " for item in block.items)
    body = [py_about(block), "", f"__slots__ = ({slots})", f"name = {name!r}", "schema = SCHEMA"]
    body += [f"template_id = {block.number}"] if is_message else []
    body += [f"block_length = {block.block_length}"]
    if block.fields:
        body += ["fields = (", *(py_field(f) for f in block.fields), ")"]
    for group in block.groups:
        body += ["", *py_block(group, f"{name}.", f"{own}_", is_message=False)]
    if block.groups:
        body += [
            "groups: ClassVar[tuple[tuple[str, type[Entry]], ...]] = (",
            *(f"({snake(g.name)!r}, {pascal(g.name)})," for g in block.groups),
            ")",
        ]
    if block.data:
        body += ["data = (", *(py_data(d) for d in block.data), ")"]
    body += [f"{snake(item.name)}: {py_type(item, name, is_input=False)}" for item in block.items]
    if block.items:
        makers = py_makers(f"**values: Unpack[{values_name(own)}]", is_message=is_message)
        body += ["", "if TYPE_CHECKING:", textwrap.indent("\n".join(makers), "    ")]
    head = f"class {pascal(block.name)}({'Message' if is_message else 'Entry'}):"
    return [head, textwrap.indent("\n".join(body), "    "), ""]


def py_makers(values: str, *, is_message: bool) -> list[str]:
    out = [f"def __init__(self, {values}) -> None: ..."]
    if is_message:
        into = f"cls, buffer: WriteableBuffer, offset: int = 0, /, {values}"
        out += ["@classmethod", f"def encode(cls, {values}) -> bytes: ..."]
        out += ["@classmethod", f"def encode_into({into}) -> int: ..."]
        out += ["@classmethod", f"def encode_body(cls, {values}) -> bytes: ..."]
    return out


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


# ---- products ----


def products() -> dict[Path, str]:
    """Return the text of each generated file, before formatting."""
    found = {}
    listed = tomllib.loads((ROOT / C_CODECS).read_text(encoding="utf-8"))
    for source in sorted((ROOT / SCHEMAS).glob("*.xml")):
        schema = read_schema(source)
        found[CODECS / f"{schema.name}.py"] = emit_python(schema)
        if schema.name in listed:
            codecs = read_c_codecs(C_CODECS, schema, listed[schema.name])
            found[INCLUDE / f"{schema.name}.h"] = emit_header(schema, codecs)
            found[CODECS / f"{schema.name}_codecs.pxd"] = emit_pxd(schema, codecs)
    return found


def stale(wanted: Iterable[Path]) -> list[Path]:
    """Return generated files that no schema generates any more."""
    paths = [*(ROOT / CODECS).glob("*.p*"), *(ROOT / INCLUDE).glob("*.h")]
    made = [path for path in paths if NOTICE in path.read_text(encoding="utf-8")[:100]]
    return sorted({path.relative_to(ROOT) for path in made} - {*wanted})


def layout_tool(path: Path) -> str:
    return {".pxd": "", ".h": "clang-format"}.get(path.suffix, "ruff")


def lay_out(path: Path, text: str) -> tuple[str, bool]:
    """Return `text` after formatting, and whether the formatter was found."""
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
    """Return the difference between the file at `path` and `text`; [] without one."""
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
    wanted = products()
    for path, raw in wanted.items():
        text, is_laid_out = lay_out(path, raw)
        if is_check:
            differences += compare(path, text, is_laid_out=is_laid_out)
        elif is_laid_out:
            (ROOT / path).write_text(text, encoding="utf-8")
        else:
            sys.exit(f"{path}: expected {layout_tool(path)} to be installed")
    for path in stale(wanted):
        if is_check:
            differences += [f"{path}: no schema and no line of {C_CODECS} makes it\n"]
        else:
            (ROOT / path).unlink()
    sys.stdout.writelines(differences)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
