"""The frames of a segment file, one after the other, without checking them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.frame_layout import FRAME_ALIGNMENT, FRAME_HEADER_LENGTH

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import File

__all__ = ["walk_frames"]

_BLOCK: Final = 1024 * 1024
_LENGTH: Final = struct.Struct("<i")


def walk_frames(file: File, offset: int, limit: int) -> Iterator[tuple[int, memoryview]]:
    """Yield each frame's offset, and its bytes with header and alignment.

    It ends at the first place without a frame. A frame cut by the limit or the end of the file is
    yielded partly, as the last one.

    Parameters
    ----------
    file : File
    offset, limit : int
        The range in the file, in bytes.
    """
    block, begin = memoryview(b""), offset
    while offset < limit:
        at = offset - begin
        if len(block) - at < FRAME_HEADER_LENGTH:
            block = memoryview(file.read_at(min(_BLOCK, limit - offset), offset))
            begin, at = offset, 0
            if len(block) < FRAME_HEADER_LENGTH:
                if block:
                    yield offset, block
                return
        (length,) = _LENGTH.unpack_from(block, at)
        if length <= 0:
            return
        length = -(-length // FRAME_ALIGNMENT) * FRAME_ALIGNMENT
        if at + length > len(block):
            needed = min(max(length, _BLOCK), limit - offset)
            block, begin, at = memoryview(file.read_at(needed, offset)), offset, 0
        yield offset, block[at : at + length]
        offset += length
