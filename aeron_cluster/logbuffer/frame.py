"""A frame of a log or a segment, for tools.

Upstream: DataHeaderFlyweight.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from aeron_cluster.codecs.frame_layout import (
    BEGIN_FLAG,
    END_FLAG,
    EOS_FLAG,
    FRAME_HEADER_LENGTH,
)

__all__ = ["Frame", "decode_frame"]

_HEADER: Final = struct.Struct("<iBBHiiiiq")
_NAMES: Final = {0: "PAD", 1: "DATA", 2: "NAK", 3: "SM", 4: "ERR", 5: "SETUP", 6: "RTTM"}
_FLAGS: Final = ((BEGIN_FLAG, "BEGIN"), (END_FLAG, "END"), (EOS_FLAG, "EOS"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A frame with its header's fields.

    Parameters
    ----------
    offset : int
        Its offset in its term or file, in bytes.
    length : int
        Its length with the header, without alignment; below 0 while it is written.
    version, flags, kind : int
    term_offset, session_id, stream_id, term_id : int
    reserved_value : int
    payload : bytes
        The available part of the payload.
    """

    offset: int
    length: int
    version: int
    flags: int
    kind: int
    term_offset: int
    session_id: int
    stream_id: int
    term_id: int
    reserved_value: int
    payload: bytes

    @property
    def kind_name(self) -> str:
        """``DATA``, ``PAD``, or the number of another kind."""
        return _NAMES.get(self.kind, str(self.kind))

    @property
    def flag_names(self) -> list[str]:
        """The flags that are set: ``BEGIN``, ``END``, ``EOS``."""
        return [name for flag, name in _FLAGS if self.flags & flag]


def decode_frame(view: memoryview, offset: int) -> Frame:
    """Return the frame at the start of a view.

    Parameters
    ----------
    view : memoryview
        The bytes of the frame: at least the header, up to the end of the payload.
    offset : int
        The offset of the view in its term or file.
    """
    fields = _HEADER.unpack_from(view)
    length, version, flags, kind, term_offset, session_id, stream_id, term_id, reserved = fields
    return Frame(
        offset=offset,
        length=length,
        version=version,
        flags=flags,
        kind=kind,
        term_offset=term_offset,
        session_id=session_id,
        stream_id=stream_id,
        term_id=term_id,
        reserved_value=reserved,
        payload=bytes(view[FRAME_HEADER_LENGTH : max(length, FRAME_HEADER_LENGTH)]),
    )
