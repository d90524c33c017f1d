"""Random schemas and payloads: the columns equal a slow reading with ``struct``."""

import math
import struct
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow")
sbe = pytest.importorskip("aeron_cluster.pipeline.payloads")

VERSION = 2
SCHEMA_ID = 5
# The struct code and the null value.
NUMBERS = {
    "int8": ("b", -(2**7)),
    "int16": ("h", -(2**15)),
    "int32": ("i", -(2**31)),
    "int64": ("q", -(2**63)),
    "uint8": ("B", 2**8 - 1),
    "uint16": ("H", 2**16 - 1),
    "uint32": ("I", 2**32 - 1),
    "uint64": ("Q", 2**64 - 1),
    "float": ("f", None),
    "double": ("d", None),
}
WHOLE = [name for name in NUMBERS if "int" in name]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]


@dataclass
class Item:
    """A field: a number, text, an array, an enum, a set or a composite."""

    name: str
    kind: str
    primitive: str
    count: int
    is_optional: bool
    since: int
    gap: int
    inner: list["Item"] = field(default_factory=list)

    @property
    def length(self):
        if self.kind == "composite":
            return sum(each.length for each in self.inner)
        if self.kind == "text":
            return self.count
        return struct.calcsize(f"<{NUMBERS[self.primitive][0]}") * self.count

    def types(self):
        """Return the XML of its type and the type's name."""
        name = f"t_{self.name}"
        presence = ' presence="optional"' if self.is_optional else ""
        match self.kind:
            case "number" if not self.is_optional:
                return "", self.primitive
            case "number" | "array":
                return (
                    f'<type name="{name}" primitiveType="{self.primitive}" length="{self.count}"'
                    f"{presence}/>",
                    name,
                )
            case "text":
                return (
                    f'<type name="{name}" primitiveType="char" length="{self.count}"{presence}/>',
                    name,
                )
            case "enum":
                values = "".join(f'<validValue name="V{n}">{n}</validValue>' for n in (0, 1, 7))
                return f'<enum name="{name}" encodingType="{self.primitive}">{values}</enum>', name
            case "set":
                bits = "".join(f'<choice name="b{n}">{n}</choice>' for n in (0, 3, 7))
                return f'<set name="{name}" encodingType="{self.primitive}">{bits}</set>', name
        types = "".join(each.types()[0] for each in self.inner)
        refs = "".join(f'<ref name="{each.name}" type="{each.types()[1]}"/>' for each in self.inner)
        return f'{types}<composite name="{name}">{refs}</composite>', name

    def read(self, data, at, order):
        """Return the value at an offset, read by struct."""
        if self.kind == "composite":
            found = {}
            for each in self.inner:
                found[each.name] = each.read(data, at, order)
                at += each.length
            return found
        if self.kind == "text":
            raw = data[at : at + self.count]
            if self.is_optional and raw[0] == 0:
                return None
            return raw.split(b"\0")[0].decode("ascii")
        code, null = NUMBERS[self.primitive]
        values = struct.unpack_from(f"{order}{self.count}{code}", data, at)
        if self.kind == "enum":
            (value,) = values
            return None if value == null else f"V{value}" if value in (0, 1, 7) else str(value)
        if self.kind == "set":
            return {f"b{bit}": bool(values[0] >> bit & 1) for bit in (0, 3, 7)}
        if self.kind == "array" and self.primitive == "uint8":
            return bytes(values)
        if self.is_optional:
            values = tuple(
                None if (math.isnan(value) if null is None else value == null) else value
                for value in values
            )
        return values[0] if self.kind == "number" else list(values)


@dataclass
class Part:
    """A block with groups and variable parts."""

    name: str
    items: list[Item]
    groups: list["Part"]
    data: list[tuple[str, bool, int]]
    since: int = 0

    def placed(self):
        """Yield each field with its offset."""
        at = 0
        for item in self.items:
            at += item.gap
            yield item, at
            at += item.length

    def length(self, version):
        ends = [at + item.length for item, at in self.placed() if item.since <= version]
        return max(ends, default=0)

    def xml(self):
        out = "".join(
            f'<field name="{item.name}" id="1" type="{item.types()[1]}" offset="{at}"'
            f' sinceVersion="{item.since}"/>'
            for item, at in self.placed()
        )
        out += "".join(
            f'<group name="{each.name}" id="1" sinceVersion="{each.since}">{each.xml()}</group>'
            for each in self.groups
        )
        return out + "".join(
            f'<data name="{name}" id="1" type="{"text" if is_text else "bytes"}"'
            f' sinceVersion="{since}"/>'
            for name, is_text, since in self.data
        )

    def types(self):
        return "".join(
            [item.types()[0] for item in self.items] + [each.types() for each in self.groups]
        )

    def write_block(self, draw, version):
        """Return random bytes, with text in text fields."""
        more = draw(st.integers(0, 5)) if version > VERSION else 0
        length = self.length(version) + more
        block = bytearray(draw(st.binary(min_size=length, max_size=length)))
        for item, at in self.placed():
            places = [(item, at)]
            if item.kind == "composite":
                ends = [sum(each.length for each in item.inner[:n]) for n in range(9)]
                places = [(each, at + end) for each, end in zip(item.inner, ends, strict=False)]
            for each, place in places:
                if each.kind == "text":
                    for index in range(place, min(place + each.count, length)):
                        block[index] &= 0x7F
        return bytes(block)

    def write_rest(self, draw, version, order):
        out = b""
        for group in self.groups:
            if group.since > version:
                continue
            first = group.write_block(draw, version)
            count = draw(st.integers(0, 3))
            out += struct.pack(f"{order}HH", len(first), count)
            for _ in range(count):
                again = group.write_block(draw, version)[: len(first)].ljust(len(first), b"\0")
                out += again + group.write_rest(draw, version, order)
        for _, is_text, since in self.data:
            if since <= version:
                text = (
                    draw(st.text(max_size=5)).encode() if is_text else draw(st.binary(max_size=5))
                )
                out += struct.pack(f"{order}I", len(text)) + text
        return out

    def read(self, data, at, acting_length, version, order):
        """Return the values of a block and of the data after it, and the end offset."""
        if at + acting_length > len(data):
            raise EOFError
        row = {
            item.name: item.read(data, at + place, order)
            if item.since <= version and place + item.length <= acting_length
            else None
            for item, place in self.placed()
        }
        at += acting_length
        for group in self.groups:
            row[group.name] = None
            if group.since <= version:
                length, count = struct.unpack_from(f"{order}HH", data, at)
                at += 4
                row[group.name] = []
                for _ in range(count):
                    entry, at = group.read(data, at, length, version, order)
                    row[group.name].append(entry)
        for name, is_text, since in self.data:
            row[name] = None
            if since <= version:
                (length,) = struct.unpack_from(f"{order}I", data, at)
                raw = data[at + 4 : at + 4 + length]
                if len(raw) < length:
                    raise EOFError
                row[name] = raw.decode() if is_text else raw
                at += 4 + length
        return row, at


@st.composite
def items(draw, name, depth=0):
    kinds = ["number", "number", "text", "array", "enum", "set"]
    kind = draw(st.sampled_from(kinds if depth else [*kinds, "composite"]))
    primitives = {"enum": ["uint8", "int8", "uint16", "int32", "uint64"], "set": UNSIGNED}
    return Item(
        name,
        kind,
        draw(st.sampled_from(primitives.get(kind, list(NUMBERS)))),
        draw(st.integers(2, 4)) if kind in ("text", "array") else 1,
        draw(st.booleans()) and kind in ("number", "text", "array"),
        0,
        0 if depth else draw(st.integers(0, 2)),
        [draw(items(f"{name}_{n}", 1)) for n in range(draw(st.integers(1, 3)))]
        if kind == "composite"
        else [],
    )


@st.composite
def parts(draw, name="M", depth=0):
    fields = [draw(items(f"{name}_f{n}")) for n in range(draw(st.integers(0, 4)))]
    versions = sorted(draw(st.integers(0, VERSION)) for _ in fields)
    for item, since in zip(fields, versions, strict=True):
        item.since = since
    groups = draw(st.integers(0, 2 if depth < 2 else 0))
    data = draw(st.integers(0, 2))
    return Part(
        name,
        fields,
        [draw(parts(f"{name}_g{n}", depth + 1)) for n in range(groups)],
        [(f"{name}_d{n}", draw(st.booleans()), draw(st.integers(0, 2))) for n in range(data)],
        draw(st.integers(0, VERSION)) if depth else 0,
    )


def schema_text(part, order):
    header = "".join(
        f'<type name="{name}" primitiveType="uint16"/>'
        for name in ("blockLength", "templateId", "schemaId", "version")
    )
    size = "".join(
        f'<type name="{name}" primitiveType="uint16"/>' for name in ("blockLength", "numInGroup")
    )
    parts_of = "".join(
        f'<composite name="{name}"><type name="length" primitiveType="uint32"/>'
        f'<type name="varData" primitiveType="uint8" length="0"{encoding}/></composite>'
        for name, encoding in (("text", ' characterEncoding="UTF-8"'), ("bytes", ""))
    )
    byte_order = "bigEndian" if order == ">" else "littleEndian"
    return (
        f'<messageSchema id="{SCHEMA_ID}" version="{VERSION}" byteOrder="{byte_order}"><types>'
        f'<composite name="messageHeader">{header}</composite>'
        f'<composite name="groupSizeEncoding">{size}</composite>{parts_of}{part.types()}</types>'
        f'<message name="M" id="1">{part.xml()}</message>'
        '<message name="Other" id="2"/></messageSchema>'
    )


def write(draw, part, order):
    version = draw(st.integers(0, VERSION + 1))
    block = part.write_block(draw, version)
    payload = struct.pack(f"{order}HHHH", len(block), 1, SCHEMA_ID, version) + block
    payload += part.write_rest(draw, version, order)
    cut = draw(st.one_of(st.just(0), st.integers(0, 12)))
    return payload[: len(payload) - cut]


def expected(part, payload, order):
    """Return a payload's values, or None if it cannot be read."""
    try:
        length, _, _, version = struct.unpack_from(f"{order}HHHH", payload)
        return part.read(payload, 8, length, version, order)[0]
    except (EOFError, struct.error):
        return None


def comparable(value):
    """Return a value that equals itself, even for NaN."""
    match value:
        case float() if math.isnan(value):
            return "nan"
        case dict():
            return {name: comparable(each) for name, each in value.items()}
        case list():
            return [comparable(each) for each in value]
    return value


@settings(max_examples=120)
@given(st.data(), parts(), st.sampled_from("<>"), st.integers(0, 4), st.booleans())
def test_columns_match_a_slow_reader(data, part, order, count, is_one):
    other = struct.pack(f"{order}HHHH", 0, 2, SCHEMA_ID, 0)
    payloads = [data.draw(st.sampled_from([None, other]))]
    payloads += [write(data.draw, part, order) for _ in range(count)]
    with TemporaryDirectory() as directory:
        path = Path(directory) / "schema.xml"
        path.write_text(schema_text(part, order))
        decoder = sbe.sbe_decoder(path, "M" if is_one and (part.items or part.groups) else None)
    bad = []
    arrays = decoder.decode(pa.array(payloads, pa.binary()), bad)
    fields = decoder.arrow_fields()
    for field_, array in zip(fields, arrays, strict=True):
        array.validate(full=True)
        assert array.type == field_.type
    columns = {each.name: array.to_pylist() for each, array in zip(fields, arrays, strict=True)}
    for index, payload in enumerate(payloads):
        row = expected(part, payload, order) if index else None
        assert (row is None) == (not index or any(it.index == index for it in bad))
        if decoder.message:
            found = {name: column[index] for name, column in columns.items()}
            row = row or dict.fromkeys(found)
        else:
            found = columns["M"][index]
        assert comparable(found) == comparable(row)
