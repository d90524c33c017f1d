"""Messages as a sender of an older schema version encodes them."""

import struct

_HEADER = struct.Struct("<HHHH")
_LENGTH = struct.Struct("<I")


def of_version(message: bytes, kind, version: int) -> bytes:
    """Return our message without the fields added after a version of its schema."""
    block_length, template_id, schema_id, _ = _HEADER.unpack_from(message)
    body = message[_HEADER.size :]
    newer = [field.offset for field in kind.fields if field.since > version]
    block = body[: min(newer, default=block_length)]
    rest = body[block_length:]
    newer_data = [data.name for data in kind.data if data.since > version]
    if newer_data:
        assert not kind.groups
        end = 0
        for data in kind.data:
            if data.name in newer_data:
                break
            (length,) = _LENGTH.unpack_from(rest, end)
            end += _LENGTH.size + length
        rest = rest[:end]
    return _HEADER.pack(len(block), template_id, schema_id, version) + block + rest
