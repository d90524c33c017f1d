"""Messages as Python objects, for orchestration: one class that works from generated tables.

Upstream: the encoders and decoders that Aeron generates from its SBE schemas. A message is encoded
from keyword arguments and decoded into attributes; hot loops read and write in place through the
generated headers instead.

Reading follows the sender's header: a field that is newer than the sender's version, or beyond its
block, has its null value; variable parts newer than it are empty; fields that a newer sender added
to a block are skipped. Text is ASCII on the wire: as in Java, other characters are written as ``?``
and other bytes are read as U+FFFD.
"""

import struct
from collections.abc import Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

from aeron_cluster.errors import MessageError, UnknownMessageError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

MAX_DATA_LENGTH: Final = 1 << 30
_HEADER: Final = struct.Struct("<HHHH")
_FRAME_HEADER: Final = struct.Struct("<HHHHii")
_GROUP_HEADER: Final = struct.Struct("<HH")
_DATA_HEADER: Final = struct.Struct("<I")
_MAX_GROUP_COUNT: Final = 0xFFFF


class BooleanEnum(IntEnum):
    """A truth value on the wire; its null value is false."""

    def __bool__(self) -> bool:
        return self.value == 1


class Field(NamedTuple):
    """A field of a block: its offset, its ``struct`` code, and its null value."""

    name: str
    code: str
    offset: int
    null: int
    since: int = 0
    is_optional: bool = False
    enum: type[IntEnum] | None = None


class Data(NamedTuple):
    """A variable part."""

    name: str
    is_text: bool
    since: int = 0


class Source(NamedTuple):
    """The readable bytes, the end of the message in them, and the version that wrote them."""

    view: memoryview
    limit: int
    version: int


class Block:
    """The common part of messages and group entries: fixed fields, groups, variable parts."""

    __slots__ = ()

    name: ClassVar[str]
    schema: ClassVar["Schema"]
    block_length: ClassVar[int]
    fields: ClassVar[tuple[Field, ...]] = ()
    groups: ClassVar[tuple[tuple[str, "type[Entry]"], ...]] = ()
    data: ClassVar[tuple[Data, ...]] = ()

    _layout: ClassVar[struct.Struct]
    _newest_version: ClassVar[int]
    _defaults: ClassVar[dict[str, object]]
    _names: ClassVar[frozenset[str]]
    _required: ClassVar[frozenset[str]]
    # The names of `fields`, for callers that only iterate over them.
    _field_names: ClassVar[tuple[str, ...]] = ()
    _enum_fields: ClassVar[tuple[Field, ...]] = ()
    _enum_members: ClassVar[tuple[tuple[Field, dict[int, IntEnum]], ...]] = ()

    def __init_subclass__(cls) -> None:
        if "block_length" not in cls.__dict__:
            return
        end = 0
        layout = "<"
        for field in cls.fields:
            layout += f"{field.offset - end}x{field.code}"
            end = field.offset + struct.calcsize(f"<{field.code}")
        cls._layout = struct.Struct(f"{layout}{cls.block_length - end}x")
        cls._newest_version = max((field.since for field in cls.fields), default=0)
        cls._defaults = (
            {field.name: field.null for field in cls.fields if field.is_optional}
            | {name: () for name, _ in cls.groups}
            | {data.name: "" if data.is_text else b"" for data in cls.data}
        )
        cls._field_names = tuple(field.name for field in cls.fields)
        cls._enum_fields = tuple(field for field in cls.fields if field.enum is not None)
        cls._enum_members = tuple(
            (field, {int(each): each for each in field.enum})
            for field in cls.fields
            if field.enum is not None
        )
        cls._names = frozenset([*cls._field_names, *cls._defaults])
        cls._required = cls._names - cls._defaults.keys()

    def __init__(self, **values: object) -> None:
        given = values.keys()
        if not given <= self._names:
            unknown = sorted(given - self._names)
            raise MessageError(self._path(), f"fields {', '.join(sorted(self._names))}", unknown)
        if not given >= self._required:
            missing = next(name for name in self._field_names if name in self._required - given)
            raise MessageError(self._path(missing), "a value", None)
        for name, value in (self._defaults | values).items():
            setattr(self, name, value)

    @classmethod
    def _path(cls, name: str = "") -> str:
        path = f"{cls.schema.name}.{cls.name}"
        return f"{path}.{name}" if name else path

    # ---- encoding ----

    def append_to(self, out: bytearray) -> None:
        """Append block, groups and variable parts to `out`.

        Raises
        ------
        MessageError
            A value does not fit its field.
        """
        values = [getattr(self, name) for name in self._field_names]
        for field in self._enum_fields:
            self._check_enum(field, getattr(self, field.name))
        try:
            out += self._layout.pack(*values)
        except struct.error:
            raise self._range_error(values) from None
        for name, entry_type in self.groups:
            self._append_group(out, name, entry_type)
        for data in self.data:
            self._append_data(out, data)

    def _check_enum(self, field: Field, value: object) -> None:
        enum = field.enum
        assert enum is not None
        if not isinstance(value, enum) and value not in list(enum):
            names = ", ".join(member.name for member in enum)
            raise MessageError(self._path(field.name), f"{enum.__name__}: {names}", value)

    def _range_error(self, values: list[object]) -> MessageError:
        for field, value in zip(self.fields, values, strict=True):
            try:
                struct.pack(f"<{field.code}", value)
            except struct.error:
                bits = 8 * struct.calcsize(f"<{field.code}")
                kind = "an unsigned integer" if field.code.isupper() else "an integer"
                return MessageError(self._path(field.name), f"{kind} of {bits} bits", value)
        raise AssertionError(f"{self._path()}: the block did not pack though each field does")

    def _append_group(self, out: bytearray, name: str, entry_type: "type[Entry]") -> None:
        entries = list(getattr(self, name))
        if len(entries) > _MAX_GROUP_COUNT:
            raise MessageError(
                self._path(name), f"at most {_MAX_GROUP_COUNT} entries", len(entries)
            )
        out += _GROUP_HEADER.pack(entry_type.block_length, len(entries))
        for entry in entries:
            own = entry_type(**entry) if isinstance(entry, Mapping) else entry
            if not isinstance(own, entry_type):
                raise MessageError(self._path(name), f"entries of {entry_type.name}", own)
            own.append_to(out)

    def _append_data(self, out: bytearray, data: Data) -> None:
        value = getattr(self, data.name)
        if isinstance(value, str) and data.is_text:
            value = value.encode("ascii", "replace")
        try:
            view = memoryview(value)
        except TypeError:
            expected = "str or bytes" if data.is_text else "bytes"
            raise MessageError(self._path(data.name), expected, value) from None
        if view.nbytes > MAX_DATA_LENGTH:
            expected = f"at most {MAX_DATA_LENGTH} bytes"
            raise MessageError(self._path(data.name), expected, view.nbytes)
        out += _DATA_HEADER.pack(view.nbytes)
        out += view.tobytes()

    # ---- decoding ----

    @classmethod
    def read_from(cls, source: Source, offset: int, block_length: int) -> tuple[Self, int]:
        """Read at `offset` with the sender's `block_length`; return the object and its end."""
        if block_length > source.limit - offset:
            expected = f"a block of {block_length} bytes"
            raise MessageError(cls._path(), expected, source.limit - offset, offset)
        block = object.__new__(cls)
        if block_length >= cls.block_length and source.version >= cls._newest_version:
            values = cls._layout.unpack_from(source.view, offset)
        else:
            values = tuple(
                cls._read_field(field, source, offset, block_length) for field in cls.fields
            )
        for name, value in zip(cls._field_names, values, strict=True):
            setattr(block, name, value)
        for field, members in cls._enum_members:
            member = members.get(getattr(block, field.name))
            if member is None:
                raise cls._no_member(field, getattr(block, field.name), offset)
            setattr(block, field.name, member)
        at = offset + block_length
        for name, entry_type in cls.groups:
            entries, at = cls._read_group(source, at, name, entry_type)
            setattr(block, name, entries)
        for data in cls.data:
            part, at = cls._read_data(source, at, data)
            setattr(block, data.name, part)
        return block, at

    @classmethod
    def _read_field(cls, field: Field, source: Source, offset: int, block_length: int) -> int:
        layout = struct.Struct(f"<{field.code}")
        if source.version < field.since or block_length < field.offset + layout.size:
            return field.null
        value: int = layout.unpack_from(source.view, offset + field.offset)[0]
        return value

    @classmethod
    def _no_member(cls, field: Field, value: int, offset: int) -> MessageError:
        assert field.enum is not None
        where = offset + field.offset
        return MessageError(cls._path(field.name), field.enum.__name__, value, where)

    @classmethod
    def _read_group(
        cls, source: Source, at: int, name: str, entry_type: "type[Entry]"
    ) -> tuple[list["Entry"], int]:
        if source.limit - at < _GROUP_HEADER.size:
            raise MessageError(cls._path(name), "a group header", source.limit - at, at)
        block_length, count = _GROUP_HEADER.unpack_from(source.view, at)
        at += _GROUP_HEADER.size
        # Checked before anything is allocated: four bytes must not cause thousands of entries.
        least = count * max(1, block_length + _DATA_HEADER.size * len(entry_type.data))
        if least > source.limit - at:
            expected = f"{count} entries in at least {least} bytes"
            raise MessageError(cls._path(name), expected, source.limit - at, at)
        entries: list[Entry] = []
        for _ in range(count):
            entry, at = entry_type.read_from(source, at, block_length)
            entries.append(entry)
        return entries, at

    @classmethod
    def _read_data(cls, source: Source, at: int, data: Data) -> tuple[str | bytes, int]:
        if source.version < data.since:
            return "" if data.is_text else b"", at
        remaining = source.limit - at - _DATA_HEADER.size
        if remaining < 0:
            raise MessageError(cls._path(data.name), "a length", source.limit - at, at)
        (length,) = _DATA_HEADER.unpack_from(source.view, at)
        if length > min(remaining, MAX_DATA_LENGTH):
            raise MessageError(cls._path(data.name), f"{length} bytes", remaining, at)
        at += _DATA_HEADER.size
        part = bytes(source.view[at : at + length])
        return part.decode("ascii", "replace") if data.is_text else part, at + length

    # ---- as a value ----

    def as_dict(self) -> dict[str, Any]:
        """Return the fields, groups (as lists of dicts) and variable parts by name."""
        values = {name: getattr(self, name) for name in self._item_names()}
        for name, _ in self.groups:
            values[name] = [e.as_dict() if isinstance(e, Block) else dict(e) for e in values[name]]
        return values

    @classmethod
    def _item_names(cls) -> list[str]:
        return [
            *(field.name for field in cls.fields),
            *(name for name, _ in cls.groups),
            *(data.name for data in cls.data),
        ]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Block) or type(other) is not type(self):
            return NotImplemented
        return self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]  # its fields may be assigned

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._item_names())
        return f"{self.name}({values})"


class Entry(Block):
    """An entry of a repeating group."""

    __slots__ = ()


class Message(Block):
    """A message of a schema; each of its subclasses is one template.

    Attributes
    ----------
    name : str
        The name in the schema.
    template_id : int
        The template id in the schema.
    acting_version : int
        The schema version of the sender; of a message created here, that of this build.
    encoded_length : int
        The number of bytes read, including the header; 0 for a message created here.
    """

    __slots__ = ("acting_version", "encoded_length")

    template_id: ClassVar[int]
    acting_version: int
    encoded_length: int

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.schema.messages[cls.template_id] = cls

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        self.acting_version = self.schema.version
        self.encoded_length = 0

    @classmethod
    def encode(cls, **values: object) -> bytes:
        """Encode a message with its header.

        The fields; omitted are optional fields (null value), groups and variable parts (empty).

        Returns
        -------
        bytes

        Raises
        ------
        MessageError
            A required field is missing, a name is unknown, or a value does not fit its field.
        """
        return cls(**values).to_bytes()

    @classmethod
    def encode_into(cls, buffer: "WriteableBuffer", offset: int = 0, /, **values: object) -> int:
        """Encode a message with its header at `offset` of `buffer`; return its length in bytes.

        Raises
        ------
        MessageError
            As for `encode`, and if the message does not fit; then nothing is written.
        """
        encoded = cls(**values).to_bytes()
        view = memoryview(buffer).cast("B")
        if view.readonly:
            raise MessageError(cls._path(), "a writable buffer", type(buffer).__name__)
        if not 0 <= offset <= len(view) - len(encoded):
            raise MessageError(
                cls._path(), f"room for {len(encoded)} bytes", len(view) - offset, offset
            )
        view[offset : offset + len(encoded)] = encoded
        return len(encoded)

    @classmethod
    def encode_body(cls, **values: object) -> bytes:
        """Encode a message without a header, as in files such as the catalog."""
        out = bytearray()
        cls(**values).append_to(out)
        return bytes(out)

    def to_bytes(self) -> bytes:
        """Encode this message with a header of the version of this build.

        Raises
        ------
        MessageError
            A value does not fit its field.
        """
        out = bytearray(self.schema.header_length)
        self.append_to(out)
        head = (self.block_length, self.template_id, self.schema.schema_id, self.schema.version)
        if self.schema.has_frame_length:
            _FRAME_HEADER.pack_into(out, 0, *head, len(out), 0)
        else:
            _HEADER.pack_into(out, 0, *head)
        return bytes(out)

    @classmethod
    def decode(cls, buffer: "ReadableBuffer", offset: int = 0, length: int | None = None) -> Self:
        """Decode a message of this template from `length` bytes (all by default) at `offset`.

        Raises
        ------
        UnknownMessageError
            The message is of another template or schema.
        MessageError
            The bytes are not such a message.
        """
        message = cls.schema.decode(buffer, offset, length)
        if not isinstance(message, cls):
            raise UnknownMessageError(
                cls._path(), f"template id {cls.template_id}", message.template_id, offset
            )
        return message

    @classmethod
    def decode_body(
        cls,
        buffer: "ReadableBuffer",
        offset: int = 0,
        length: int | None = None,
        *,
        block_length: int | None = None,
        version: int | None = None,
    ) -> Self:
        """Decode a message that has no header; block length and version default to this build's.

        Raises
        ------
        MessageError
            The bytes are not such a message.
        """
        view, limit = _bounds(cls._path(), buffer, offset, length)
        acting_version = cls.schema.version if version is None else version
        acting_block_length = cls.block_length if block_length is None else block_length
        message, end = cls.read_from(
            Source(view, limit, acting_version), offset, acting_block_length
        )
        message.acting_version = acting_version
        message.encoded_length = end - offset
        return message


def _bounds(
    what: str, buffer: "ReadableBuffer", offset: int, length: int | None
) -> tuple[memoryview, int]:
    view = memoryview(buffer).cast("B")
    limit = len(view) if length is None else offset + length
    if not 0 <= offset <= limit <= len(view):
        expected = f"an offset and length within {len(view)} bytes"
        raise MessageError(what, expected, (offset, length))
    return view, limit


class Schema:
    """A schema: its ids and its messages by template id.

    Parameters
    ----------
    name : str
        Its name in error messages.
    schema_id, version : int
        Its id in message headers.
    semantic_version : str
        The version of the schema file.
    has_frame_length : bool
        Whether headers have 16 bytes: the length of the whole record and 4 unused bytes follow.
    """

    def __init__(
        self,
        *,
        name: str,
        schema_id: int,
        version: int,
        semantic_version: str,
        has_frame_length: bool,
    ) -> None:
        self.name = name
        self.schema_id = schema_id
        self.version = version
        self.semantic_version = semantic_version
        self.has_frame_length = has_frame_length
        self.header_length = _FRAME_HEADER.size if has_frame_length else _HEADER.size
        self.messages: dict[int, type[Message]] = {}

    def decode(
        self, buffer: "ReadableBuffer", offset: int = 0, length: int | None = None
    ) -> Message:
        """Decode the message in `length` bytes (all by default) at `offset` of `buffer`.

        Returns
        -------
        Message
            An instance of the class of its template.

        Raises
        ------
        UnknownMessageError
            The schema or the template is not known here.
        MessageError
            The bytes are not a complete message.
        """
        view, limit = _bounds(self.name, buffer, offset, length)
        block_length, template_id, version, limit = self._header(view, offset, limit)
        message_type = self.messages.get(template_id)
        if message_type is None:
            raise UnknownMessageError(self.name, "a known template id", template_id, offset)
        source = Source(view, limit, version)
        message, end = message_type.read_from(source, offset + self.header_length, block_length)
        message.acting_version = version
        message.encoded_length = end - offset
        return message

    def template_id_of(
        self, buffer: "ReadableBuffer", offset: int = 0, length: int | None = None
    ) -> int:
        """Return the template id of the message at `offset` without decoding it.

        Raises
        ------
        UnknownMessageError
            The message is of another schema.
        MessageError
            The bytes are shorter than a header.
        """
        view, limit = _bounds(self.name, buffer, offset, length)
        return self._header(view, offset, limit)[1]

    def _header(self, view: memoryview, offset: int, limit: int) -> tuple[int, int, int, int]:
        if limit - offset < self.header_length:
            expected = f"a header of {self.header_length} bytes"
            raise MessageError(self.name, expected, limit - offset, offset)
        block_length, template_id, schema_id, version = _HEADER.unpack_from(view, offset)
        if schema_id != self.schema_id:
            expected = f"schema id {self.schema_id}"
            raise UnknownMessageError(self.name, expected, schema_id, offset)
        if self.has_frame_length:
            frame_length = _FRAME_HEADER.unpack_from(view, offset)[4]
            if not self.header_length <= frame_length <= limit - offset:
                expected = f"a frame length from {self.header_length} to {limit - offset}"
                raise MessageError(self.name, expected, frame_length, offset)
            limit = offset + frame_length
        return block_length, template_id, version, limit
