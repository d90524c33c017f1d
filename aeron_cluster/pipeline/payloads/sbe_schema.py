"""Reads SBE schema files.

Upstream: ``uk.co.real_logic.sbe.xml.XmlSchemaParser``. The generator of this project's own codecs
(``tools/generate_codecs.py``) reads only the features that Aeron's schemas use; this parser
supports those of other schemas too: byte order, composites, sets, arrays, constants, floats, and
headers of any kind.
"""

from __future__ import annotations

import codecs
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn
from xml.etree import ElementTree as ET

from aeron_cluster.errors import MissingFileError, SchemaError
from aeron_cluster.pipeline.payloads.sbe_types import (
    HEADER_NUMBERS,
    PRIMITIVES,
    Block,
    Choices,
    Composite,
    Constant,
    Data,
    Enumeration,
    Group,
    Layout,
    Member,
    Message,
    Number,
    Primitive,
    Scalar,
    Schema,
)

if TYPE_CHECKING:
    import os

__all__ = ["read_schema"]

_DEFAULT_ENCODING: Final = "US-ASCII"
_MAX_DEPTH: Final = 16
_MAX_LENGTH: Final = 1 << 24
# With nested composites, a few lines could define billions of members.
_MAX_MEMBERS: Final = 1 << 16
_MAX_VERSION: Final = 2**31 - 1
_MAX_ID: Final = 2**63 - 1


def read_schema(path: str | os.PathLike[str]) -> Schema:
    """Read a schema file and the files that it includes.

    Parameters
    ----------
    path : str or PathLike

    Raises
    ------
    MissingFileError
        The file or an included file is missing.
    SchemaError
        The file is not a valid schema.
    """
    root = _parse(Path(path), _MAX_DEPTH)
    return _Reader(str(path), root).schema()


def _local(element: ET.Element) -> str:
    """Return a tag without its namespace: versions of SBE have different ones."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _parse(path: Path, depth: int) -> ET.Element:
    """Return a file's root; each include is replaced by the elements of the included file."""
    try:
        # The caller trusts the schema; external entities are not resolved.
        root = ET.fromstring(path.read_bytes())  # noqa: S314
    except FileNotFoundError:
        raise MissingFileError(str(path), "an SBE schema", "name an XML file") from None
    except OSError as error:
        found = error.strerror or str(error)
        raise SchemaError(str(path), "the file", "one that can be read", found) from None
    except (ET.ParseError, LookupError, ValueError) as error:
        raise SchemaError(str(path), "the file", "XML", str(error)) from None
    try:
        _include(root, path, depth)
    except RecursionError:
        found = "elements in elements"
        raise SchemaError(str(path), "the file", "a schema", found) from None
    return root


def _include(element: ET.Element, path: Path, depth: int) -> None:
    for index, child in enumerate(list(element)):
        if _local(child) != "include":
            _include(child, path, depth)
            continue
        href = child.get("href", "")
        if not href or depth == 0:
            expected = f"a file, at most {_MAX_DEPTH} deep"
            raise SchemaError(str(path), "include", expected, href or "none")
        element[index] = _parse(path.parent / href, depth - 1)


def _is_fixed(kind: Scalar | Enumeration | Choices | Composite) -> bool:
    if isinstance(kind, Composite):
        return all(_is_fixed(member.type) for member in kind.members)
    return kind.length > 0


class _Reader:
    """Reads a schema; it knows the schema's types."""

    def __init__(self, path: str, root: ET.Element) -> None:
        self._path = path
        self._root = root
        self._types: dict[str, ET.Element] = {}
        self._member_count = 0

    def schema(self) -> Schema:
        root = self._root
        if _local(root) != "messageSchema":
            self._reject("the file", "a messageSchema", _local(root))
        for types in root.iter():
            if _local(types) == "types":
                for each in types:
                    if _local(each) in ("type", "composite", "enum", "set"):
                        self._types[self._name(each, "a type")] = each
        order = root.get("byteOrder", "littleEndian")
        if order not in ("littleEndian", "bigEndian"):
            self._reject("byteOrder", "littleEndian or bigEndian", order)
        messages = [self._message(each) for each in root.iter() if _local(each) == "message"]
        for what in ("name", "template_id"):
            known = [getattr(each, what) for each in messages]
            for each in known:
                if known.count(each) > 1:
                    self._reject("messages", f"each {what} once", each)
        return Schema(
            name=root.get("package", ""),
            schema_id=self._integer(root, "id", "the schema"),
            version=self._integer(root, "version", "the schema", "0"),
            is_big_endian=order == "bigEndian",
            header=self._layout(root.get("headerType", "messageHeader"), HEADER_NUMBERS),
            messages=tuple(messages),
        )

    # ---- messages ----

    def _message(self, element: ET.Element) -> Message:
        name = self._name(element, "a message")
        return Message(name, self._integer(element, "id", name), self._block(element, name, 0))

    def _block(self, element: ET.Element, where: str, depth: int) -> Block:
        if depth > _MAX_DEPTH:
            self._reject(where, f"groups at most {_MAX_DEPTH} deep", "deeper ones")
        members: list[Member] = []
        groups: list[Group] = []
        data: list[Data] = []
        end = 0
        for each in element:
            kind = _local(each)
            if kind not in ("field", "group", "data"):
                continue
            name = self._name(each, f"{where}: a {kind}")
            place = f"{where}.{name}"
            if (kind == "field" and (groups or data)) or (kind == "group" and data):
                self._reject(place, "fields, then groups, then data", f"a {kind} after these")
            since = self._since(each, place)
            if kind == "field":
                members.append(self._member(each, name, place, end))
                if not _is_fixed(members[-1].type):
                    self._reject(place, "a type of fixed length", each.get("type"))
                end = members[-1].end
            elif kind == "group":
                header = self._layout(
                    each.get("dimensionType", "groupSizeEncoding"), ("blockLength", "numInGroup")
                )
                groups.append(Group(name, header, since, self._block(each, place, depth + 1)))
            else:
                header, encoding = self._data_header(each.get("type", ""), place)
                data.append(Data(name, header, since, encoding))
        length = self._integer(element, "blockLength", where, str(end))
        if not end <= length <= _MAX_LENGTH:
            self._reject(where, f"a blockLength from {end} to {_MAX_LENGTH}", length)
        block = Block(length, tuple(members), tuple(groups), tuple(data))
        for name in block.names:
            if block.names.count(name) > 1:
                self._reject(where, "each name once", name)
        return block

    def _layout(self, type_name: str, names: tuple[str, ...]) -> Layout:
        """Return the offsets and sizes of a header's numbers."""
        composite = self._composite_of(type_name)
        members = {member.name: member for member in composite.members}
        numbers = []
        for name in names:
            match members.get(name):
                case Member(constant=None, type=Scalar(count=1) as kind, offset=offset) if (
                    kind.primitive.is_integer
                ):
                    numbers.append(Number(offset, kind.length))
                case found:
                    self._reject(f"{type_name}.{name}", "a whole number", found)
        return Layout(composite.length, tuple(numbers))

    def _data_header(self, type_name: str, where: str) -> tuple[Layout, str]:
        """Return the header of a variable part, and its encoding if it is text."""
        composite = self._composite_of(type_name)
        bytes_ = next((each for each in composite.members if each.name == "varData"), None)
        if bytes_ is None or not isinstance(bytes_.type, Scalar):
            self._reject(where, f"a composite {type_name} with varData", "none")
        layout = replace(self._layout(type_name, ("length",)), length=bytes_.offset)
        if layout.numbers[0].offset + layout.numbers[0].width > layout.length:
            self._reject(where, "varData after its length", type_name)
        return layout, bytes_.type.encoding

    # ---- types ----

    def _composite_of(self, name: str) -> Composite:
        element = self._types.get(name)
        if element is None or _local(element) != "composite":
            self._reject(name or "a header", "a composite", "none")
        return self._composite(element, name, 0)

    def _type(
        self, name: str, where: str, depth: int
    ) -> tuple[Scalar | Enumeration | Choices | Composite, ET.Element]:
        """Return a type by name, and its element."""
        element = self._types.get(name)
        if element is None:
            if name not in PRIMITIVES:
                self._reject(where, "a type of the schema", name or "none")
            element = ET.Element("type", {"name": name, "primitiveType": name})
        return self._type_of(element, where, depth), element

    def _type_of(
        self, element: ET.Element, where: str, depth: int
    ) -> Scalar | Enumeration | Choices | Composite:
        match _local(element):
            case "composite":
                return self._composite(element, where, depth)
            case "enum":
                return self._enumeration(element, where)
            case "set":
                return self._choices(element, where)
            case _:
                return self._scalar(element, where)

    def _member(
        self, element: ET.Element, name: str, where: str, end: int, depth: int = 0
    ) -> Member:
        """Read a field, a reference, or a type defined in a composite."""
        self._member_count += 1
        if self._member_count > _MAX_MEMBERS:
            self._reject(where, f"at most {_MAX_MEMBERS} members in a schema", "more")
        if _local(element) in ("field", "ref"):
            kind, named = self._type(element.get("type", ""), where, depth + 1)
        else:
            kind, named = self._type_of(element, where, depth + 1), element
        presence = element.get("presence", named.get("presence", "required"))
        if presence not in ("required", "optional", "constant"):
            self._reject(where, "a presence required, optional or constant", presence)
        constant = None
        offset = end
        if presence == "constant":
            constant = self._constant(element, named, kind, where)
        else:
            offset = self._integer(element, "offset", where, str(end))
            if not end <= offset <= _MAX_LENGTH:
                self._reject(where, f"an offset from {end} on", offset)
        return Member(
            name,
            kind,
            offset,
            self._since(element, where),
            is_optional=presence == "optional",
            constant=constant,
        )

    def _composite(self, element: ET.Element, where: str, depth: int) -> Composite:
        if depth > _MAX_DEPTH:
            self._reject(where, f"composites at most {_MAX_DEPTH} deep", "deeper ones")
        members: list[Member] = []
        end = 0
        for each in element:
            if _local(each) not in ("type", "enum", "set", "composite", "ref"):
                continue
            name = self._name(each, f"{where}: a member")
            if any(known.name == name for known in members):
                self._reject(where, "each name once", name)
            members.append(self._member(each, name, f"{where}.{name}", end, depth))
            end = members[-1].end
        return Composite(element.get("name", ""), tuple(members), end)

    def _scalar(self, element: ET.Element, where: str) -> Scalar:
        primitive = self._primitive(element.get("primitiveType", ""), where)
        count = self._integer(element, "length", where, "1")
        if not 0 <= count <= _MAX_LENGTH:
            self._reject(where, f"a length up to {_MAX_LENGTH}", count)
        encoding = element.get("characterEncoding", "").strip()
        if primitive.name == "char":
            encoding = encoding or _DEFAULT_ENCODING
        if encoding:
            try:
                "a".encode(encoding)  # rejects Python's codecs that are not for text
                encoding = codecs.lookup(encoding).name
            except (LookupError, ValueError):
                self._reject(where, "a known characterEncoding", encoding)
        null = self._null(element.get("nullValue"), primitive, where)
        return Scalar(primitive, count, null, encoding)

    def _enumeration(self, element: ET.Element, where: str) -> Enumeration:
        primitive, named = self._encoding(element, where)
        values = tuple(
            (self._name(each, where), int(self._number(each.text, primitive, where)))
            for each in element
            if _local(each) == "validValue"
        )
        null = self._null(element.get("nullValue", named.get("nullValue")), primitive, where)
        return Enumeration(self._name(element, where), primitive, values, null)

    def _choices(self, element: ET.Element, where: str) -> Choices:
        primitive, _ = self._encoding(element, where)
        bits: list[tuple[str, int]] = []
        for each in element:
            if _local(each) == "choice":
                bit = self._number(each.text, PRIMITIVES["uint8"], where)
                if not 0 <= bit < primitive.length * 8:
                    self._reject(where, f"a bit below {primitive.length * 8}", bit)
                name = self._name(each, where)
                if any(known == name for known, _ in bits):
                    self._reject(where, "each name once", name)
                bits.append((name, int(bit)))
        return Choices(self._name(element, where), primitive, tuple(bits))

    def _encoding(self, element: ET.Element, where: str) -> tuple[Primitive, ET.Element]:
        """Return the primitive of an enum or a set, and the type that refers to it."""
        name = element.get("encodingType", "")
        named = self._types.get(name, element)
        primitive = self._primitive(named.get("primitiveType", name), where)
        if primitive.code[0] == "f":
            self._reject(where, "an encodingType of whole numbers or char", name)
        return primitive, named

    # ---- values ----

    def _constant(
        self,
        element: ET.Element,
        named: ET.Element,
        kind: Scalar | Enumeration | Choices | Composite,
        where: str,
    ) -> Constant:
        """Return the value of a constant: a name for an enum, else a text or a number."""
        reference = element.get("valueRef", named.get("valueRef"))
        if reference is not None:
            enum_name, _, name = reference.partition(".")
            enum = self._types.get(enum_name)
            if enum is None or _local(enum) != "enum":
                self._reject(where, "a valueRef to an enum", reference)
            values = dict(self._enumeration(enum, where).values)
            if name not in values:
                self._reject(where, f"a value of {enum_name}", reference)
            if isinstance(kind, Scalar):
                return self._referred(values[name], kind, where)
            if not isinstance(kind, Enumeration) or name not in dict(kind.values):
                self._reject(where, "a valueRef to a value of the type", reference)
            return name
        text = (element.text or named.text or "").strip()
        if isinstance(kind, Scalar):
            return text if kind.is_text else self._number(text, kind.primitive, where)
        if not isinstance(kind, Enumeration) or text not in dict(kind.values):
            self._reject(where, "a value, or a valueRef", text or "none")
        return text

    def _referred(self, value: int, kind: Scalar, where: str) -> Constant:
        """Return a value of an enum, converted to a type."""
        if not kind.is_text:
            return self._number(str(value), kind.primitive, where)
        if not 0 <= value < 1 << 8:
            self._reject(where, "a valueRef to a character", value)
        return chr(value)

    def _null(self, text: str | None, primitive: Primitive, where: str) -> int | float | None:
        if text is None:
            return primitive.null
        value = self._number(text, primitive, where)
        return None if math.isnan(value) else value

    def _number(self, text: str | None, primitive: Primitive, where: str) -> int | float:
        text = (text or "").strip()
        if primitive.name == "char" and len(text) == 1:
            return ord(text)
        try:
            if primitive.code[0] == "f":
                return float(text)
            value = int(text, 0) if text[:2].lower() == "0x" else int(text)
        except ValueError:
            self._reject(where, f"a number of type {primitive.name}", text)
        bits = primitive.length * 8
        low = -(1 << bits - 1) if primitive.code[0] == "i" else 0
        high = (1 << bits - 1) if primitive.code[0] == "i" else 1 << bits
        if not low <= value < high:
            self._reject(where, f"a number of type {primitive.name}", value)
        return value

    def _primitive(self, name: str, where: str) -> Primitive:
        if name not in PRIMITIVES:
            self._reject(where, f"a primitive type: {', '.join(PRIMITIVES)}", name or "none")
        return PRIMITIVES[name]

    def _since(self, element: ET.Element, where: str) -> int:
        version = self._integer(element, "sinceVersion", where, "0")
        if not 0 <= version <= _MAX_VERSION:
            self._reject(where, f"a sinceVersion from 0 to {_MAX_VERSION}", version)
        return version

    def _integer(
        self, element: ET.Element, attribute: str, where: str, default: str | None = None
    ) -> int:
        text = element.get(attribute, default)
        try:
            value = int(text or "")
        except ValueError:
            self._reject(f"{where}: {attribute}", "a whole number", text or "none")
        if abs(value) > _MAX_ID:
            self._reject(f"{where}: {attribute}", f"at most {_MAX_ID}", value)
        return value

    def _name(self, element: ET.Element, where: str) -> str:
        name = element.get("name", "")
        if not name:
            self._reject(where, "a name", "none")
        return name

    def _reject(self, where: str, expected: object, found: object) -> NoReturn:
        raise SchemaError(self._path, where, expected, found)
