"""A distinct error log in a part of a file, written through the file seam.

FileErrorLog stands for Agrona's DistinctErrorLog over a mapped file; here a full disk is an error
and not a fault.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from aeron_cluster.memory.error_log import DistinctErrorLog

if TYPE_CHECKING:
    from aeron_cluster.memory.seams import File

__all__ = ["FileErrorLog"]

_RECORD_LENGTH = struct.Struct("<i")
_ALIGNMENT = 8


class FileErrorLog:
    """A distinct error log that begins empty.

    Parameters
    ----------
    file : File
        Open for writing; the caller closes it.
    offset, length : int
        The part of the file, in bytes.
    """

    def __init__(self, file: File, offset: int, length: int) -> None:
        self._file = file
        self._offset = offset
        self._buffer = bytearray(length)
        self._log = DistinctErrorLog(self._buffer)
        file.write_at(bytes(length), offset)

    def record(self, error: BaseException, now_ms: int) -> None:
        """Add an error, or count it again; ms since 1970."""
        self._log.record(error, now_ms=now_ms)
        # The counts of earlier records change too.
        self._file.write_at(bytes(self._buffer[: self._used()]), self._offset)

    def _used(self) -> int:
        end = 0
        while end + _RECORD_LENGTH.size <= len(self._buffer):
            (length,) = _RECORD_LENGTH.unpack_from(self._buffer, end)
            if length <= 0:
                break
            end += -(-length // _ALIGNMENT) * _ALIGNMENT
        return end
