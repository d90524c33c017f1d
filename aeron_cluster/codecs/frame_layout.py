"""Lengths and limits of frames and logs, and the null value.

Upstream: DataHeaderFlyweight, FrameDescriptor, LogBufferDescriptor and ``Aeron.NULL_VALUE``.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "BEGIN_FLAG",
    "DATA_TYPE",
    "END_FLAG",
    "EOS_FLAG",
    "FRAME_ALIGNMENT",
    "FRAME_HEADER_LENGTH",
    "MAX_MTU_LENGTH",
    "MAX_POSITION",
    "MAX_TERM_LENGTH",
    "MIN_TERM_LENGTH",
    "NULL_VALUE",
    "PADDING_TYPE",
    "PAGE_LENGTH",
]

NULL_VALUE: Final = -1
"""The null value of ids, positions, lengths and times."""

FRAME_HEADER_LENGTH: Final = 32
FRAME_ALIGNMENT: Final = 32
BEGIN_FLAG: Final = 0x80
END_FLAG: Final = 0x40
EOS_FLAG: Final = 0x20
PADDING_TYPE: Final = 0
DATA_TYPE: Final = 1

MIN_TERM_LENGTH: Final = 64 * 1024
MAX_TERM_LENGTH: Final = 1024 * 1024 * 1024
MAX_MTU_LENGTH: Final = 65504
MAX_POSITION: Final = 2**63 - 1
PAGE_LENGTH: Final = 4096
