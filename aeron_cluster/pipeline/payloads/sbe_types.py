"""The content of an SBE schema as plain values that can be pickled.

Upstream: ``uk.co.real_logic.sbe.ir``. Offsets and lengths are in bytes; offsets are relative to the
enclosing block or composite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = [
    "HEADER_NUMBERS",
    "PRIMITIVES",
    "Block",
    "Choices",
    "Composite",
    "Constant",
    "Data",
    "Enumeration",
    "Group",
    "Layout",
    "Member",
    "Message",
    "Number",
    "Primitive",
    "Scalar",
    "Schema",
]

Constant: TypeAlias = int | float | str

HEADER_NUMBERS: Final = ("blockLength", "templateId", "schemaId", "version")


@dataclass(frozen=True, slots=True)
class Primitive:
    """A primitive type: its length, its NumPy code without byte order, its null value.

    The null value is None if it is NaN, which does not equal itself.
    """

    name: str
    length: int
    code: str
    null: int | float | None

    @property
    def is_integer(self) -> bool:
        """Whether it is a whole number."""
        return self.code[0] in "iu"


PRIMITIVES: Final = {
    each.name: each
    for each in (
        Primitive("char", 1, "S1", 0),
        Primitive("int8", 1, "i1", -(2**7)),
        Primitive("int16", 2, "i2", -(2**15)),
        Primitive("int32", 4, "i4", -(2**31)),
        Primitive("int64", 8, "i8", -(2**63)),
        Primitive("uint8", 1, "u1", 2**8 - 1),
        Primitive("uint16", 2, "u2", 2**16 - 1),
        Primitive("uint32", 4, "u4", 2**32 - 1),
        Primitive("uint64", 8, "u8", 2**64 - 1),
        Primitive("float", 4, "f4", None),
        Primitive("double", 8, "f8", None),
    )
}


@dataclass(frozen=True, slots=True)
class Scalar:
    """A primitive or an array of a primitive; characters have an encoding."""

    primitive: Primitive
    count: int
    null: int | float | None
    encoding: str = ""

    @property
    def length(self) -> int:
        """The length in bytes."""
        return self.primitive.length * self.count

    @property
    def is_text(self) -> bool:
        """Whether it consists of characters."""
        return self.primitive.name == "char"


@dataclass(frozen=True, slots=True)
class Enumeration:
    """An enum: its names and their values; values that are characters are stored as codes."""

    name: str
    primitive: Primitive
    values: tuple[tuple[str, int], ...]
    null: int | float | None

    @property
    def length(self) -> int:
        """The length in bytes."""
        return self.primitive.length


@dataclass(frozen=True, slots=True)
class Choices:
    """A set: its choices and their bits."""

    name: str
    primitive: Primitive
    bits: tuple[tuple[str, int], ...]

    @property
    def length(self) -> int:
        """The length in bytes."""
        return self.primitive.length


@dataclass(frozen=True, slots=True)
class Composite:
    """Several adjacent members."""

    name: str
    members: tuple[Member, ...]
    length: int


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a block or a member of a composite; a constant has length 0."""

    name: str
    type: Scalar | Enumeration | Choices | Composite
    offset: int
    since: int
    is_optional: bool
    constant: Constant | None = None

    @property
    def length(self) -> int:
        """The length in bytes."""
        return 0 if self.constant is not None else self.type.length

    @property
    def end(self) -> int:
        """The offset of its end."""
        return self.offset + self.length


@dataclass(frozen=True, slots=True)
class Number:
    """The offset and the size of a number in a header."""

    offset: int
    width: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A header: for a group with block length and count, for variable data with the length."""

    length: int
    numbers: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Data:
    """A variable part; it is text if it has an encoding."""

    name: str
    header: Layout
    since: int
    encoding: str


@dataclass(frozen=True, slots=True)
class Group:
    """A repeating group."""

    name: str
    header: Layout
    since: int
    block: Block


@dataclass(frozen=True, slots=True)
class Block:
    """Members at fixed offsets, then groups, then variable parts."""

    length: int
    members: tuple[Member, ...]
    groups: tuple[Group, ...]
    data: tuple[Data, ...]

    @property
    def items(self) -> tuple[Member | Group | Data, ...]:
        """All members, groups and variable parts, in order."""
        return (*self.members, *self.groups, *self.data)

    @property
    def names(self) -> tuple[str, ...]:
        """All members, in order."""
        return tuple(each.name for each in self.items)


@dataclass(frozen=True, slots=True)
class Message:
    """A message."""

    name: str
    template_id: int
    block: Block


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema; `header` is the message header, with the numbers in `HEADER_NUMBERS`."""

    name: str
    schema_id: int
    version: int
    is_big_endian: bool
    header: Layout
    messages: tuple[Message, ...]

    @property
    def byte_order(self) -> str:
        """NumPy's code for the byte order."""
        return ">" if self.is_big_endian else "<"

    def message(self, name: str) -> Message | None:
        """Return a message by its name; None without one."""
        return next((each for each in self.messages if each.name == name), None)
