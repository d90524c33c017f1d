"""Frames in which drivers announce names to each other.

``io.aeron.protocol.ResolutionEntryFlyweight``. After the common header of a frame (its length, a
version, flags and the type 7) come entries, each padded to a multiple of 8 bytes:

     0                   1                   2                   3
     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
    +---------------+-+-------------+-------------------------------+
    |   Res Type    |S|             |           UDP Port            |
    +---------------+-+-------------+-------------------------------+
    |                          Age in ms                            |
    +---------------------------------------------------------------+
    |           Address: 4 (Res Type 1) or 16 bytes (2)           ...
    +-------------------------------+-------------------------------+
    |          Name Length          |            Name             ...
    +-------------------------------+-------------------------------+

Integers are little-endian; the address is in network order. S: the entry is about its sender.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["MAX_NAME_LENGTH", "ResolutionEntry", "decode_frame", "encode_frames", "is_valid_name"]

MAX_NAME_LENGTH: Final = 512

_HEADER: Final = struct.Struct("<iBBH")
_ENTRY: Final = struct.Struct("<BBHi")
_NAME_LENGTH: Final = struct.Struct("<h")
_VERSION: Final = 0
_RESOLUTION: Final = 7
_SELF_FLAG: Final = 0x80
_ALIGNMENT: Final = 8
_ADDRESS_LENGTHS: Final = {1: 4, 2: 16}
_TYPES: Final = {length: kind for kind, length in _ADDRESS_LENGTHS.items()}


class ResolutionEntry(NamedTuple):
    """A name, and the address of the driver that has it.

    Parameters
    ----------
    name : str
        Printable ASCII, at most `MAX_NAME_LENGTH` characters.
    host : bytes
        The 4 or 16 bytes of the address, in network order.
    port : int
        The port of the driver's resolver.
    age_ms : int
        The time since the driver was active, in ms.
    is_self : bool
        Whether the sender announces itself.
    """

    name: str
    host: bytes
    port: int
    age_ms: int = 0
    is_self: bool = False


def is_valid_name(name: str) -> bool:
    """Return whether a driver can have the name."""
    return 0 < len(name) <= MAX_NAME_LENGTH and name.isascii() and name.isprintable()


def encode_frames(entries: Iterable[ResolutionEntry], mtu_length: int) -> Iterator[bytes]:
    """Yield frames of at most `mtu_length` bytes with the entries, in their order.

    An entry that is too long for any frame is left out.
    """
    parts: list[bytes] = []
    length = _HEADER.size
    for entry in entries:
        part = _encode(entry)
        if _HEADER.size + len(part) > mtu_length:
            continue
        if length + len(part) > mtu_length:
            yield _frame(parts, length)
            parts, length = [], _HEADER.size
        parts.append(part)
        length += len(part)
    if parts:
        yield _frame(parts, length)


def _encode(entry: ResolutionEntry) -> bytes:
    flags = _SELF_FLAG if entry.is_self else 0
    name = entry.name.encode("ascii")
    part = b"".join(
        (
            _ENTRY.pack(_TYPES[len(entry.host)], flags, entry.port, entry.age_ms),
            entry.host,
            _NAME_LENGTH.pack(len(name)),
            name,
        )
    )
    return part + bytes(-len(part) % _ALIGNMENT)


def _frame(parts: list[bytes], length: int) -> bytes:
    return b"".join((_HEADER.pack(length, _VERSION, 0, _RESOLUTION), *parts))


def decode_frame(data: bytes, limit: int) -> list[ResolutionEntry]:
    """Return the entries of a frame.

    Parameters
    ----------
    data : bytes
        A datagram.
    limit : int
        The number of entries to read; the rest is ignored.

    Raises
    ------
    MessageError
        It is not a frame of names.
    """
    if len(data) < _HEADER.size:
        raise MessageError("RES frame", f"at least {_HEADER.size} bytes", len(data))
    frame_length, version, _, frame_type = _HEADER.unpack_from(data)
    if version != _VERSION:
        raise MessageError("RES frame: version", _VERSION, version)
    if frame_type != _RESOLUTION:
        raise MessageError("RES frame: type", _RESOLUTION, frame_type)
    if frame_length != len(data):
        raise MessageError("RES frame: length", f"that of the datagram, {len(data)}", frame_length)
    entries: list[ResolutionEntry] = []
    offset = _HEADER.size
    while offset < len(data) and len(entries) < limit:
        entry, offset = _decode(data, offset)
        entries.append(entry)
    return entries


def _decode(data: bytes, offset: int) -> tuple[ResolutionEntry, int]:
    """Return the entry at an offset, and the offset after it."""
    left = len(data) - offset
    address_length = _ADDRESS_LENGTHS.get(data[offset])
    if address_length is None:
        raise MessageError("RES entry: type", "1 (IPv4) or 2 (IPv6)", data[offset], offset)
    fixed_length = _ENTRY.size + address_length + _NAME_LENGTH.size
    if left < fixed_length:
        raise MessageError("RES entry", f"at least {fixed_length} bytes", left, offset)
    _, flags, port, age_ms = _ENTRY.unpack_from(data, offset)
    at = offset + _ENTRY.size
    host = data[at : at + address_length]
    (name_length,) = _NAME_LENGTH.unpack_from(data, at + address_length)
    end = offset + fixed_length + name_length
    next_offset = end + -end % _ALIGNMENT
    if not 0 < name_length <= MAX_NAME_LENGTH or next_offset > len(data):
        longest = min(MAX_NAME_LENGTH, left - fixed_length)
        raise MessageError("RES entry: name length", f"1 to {longest}", name_length, offset)
    # Latin-1 keeps bytes outside of ASCII, which no valid name has.
    name = data[end - name_length : end].decode("latin-1")
    return ResolutionEntry(name, host, port, age_ms, bool(flags & _SELF_FLAG)), next_offset
