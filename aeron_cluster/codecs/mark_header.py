"""The message header of mark files, and their older form without it.

Aeron up to 1.46.7, and services of other clients, write the same block and strings eight bytes
earlier, without a message header: ``headerOffset`` of ClusterMarkFile and ArchiveMarkFile.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from aeron_cluster.codecs.message import Message

__all__ = [
    "MESSAGE_HEADER_LENGTH",
    "add_message_header",
    "decode_mark_header",
    "has_message_header",
    "message_header",
]

MESSAGE_HEADER_LENGTH: Final = 8
OLD_BLOCK_LENGTH: Final = 128

_HEADER: Final = struct.Struct("<HHHH")
_Header = TypeVar("_Header", bound="Message")


def message_header(kind: type[Message], version: int | None = None) -> bytes:
    """Return the message header of a mark file, of this build's schema version if none is given."""
    schema = kind.schema
    acting_version = schema.version if version is None else version
    return _HEADER.pack(kind.block_length, kind.template_id, schema.schema_id, acting_version)


def has_message_header(head: bytes, kind: type[Message]) -> bool:
    """Return whether a file begins with a mark file's message header, of any schema version."""
    if len(head) < _HEADER.size:
        return False
    _, template_id, schema_id, _ = _HEADER.unpack_from(head)
    return (template_id, schema_id) == (kind.template_id, kind.schema.schema_id)


def add_message_header(head: bytes, kind: type[Message], version: int) -> bytes:
    """Return the beginning of a file of the old form in the current one, as long as it was.

    Parameters
    ----------
    head : bytes
        Its last eight bytes, which no header uses, are dropped.
    kind : type of Message
        The MarkFileHeader of the schema.
    version : int
        The schema version that the file was written with.
    """
    return message_header(kind, version) + head[:-MESSAGE_HEADER_LENGTH]


def decode_mark_header(head: bytes, kind: type[_Header], old_version: int) -> _Header:
    """Decode the beginning of a mark file in either form.

    Parameters
    ----------
    head : bytes
    kind : type of Message
        The MarkFileHeader of the schema.
    old_version : int
        The schema version that files of the old form were written with.

    Raises
    ------
    MessageError
        It is truncated, or contains an invalid value.
    """
    if has_message_header(head, kind):
        return kind.decode(head)
    return kind.decode_body(head, block_length=OLD_BLOCK_LENGTH, version=old_version)
