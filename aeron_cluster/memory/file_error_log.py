"""A distinct error log in a part of a file, written through the file seam.

FileErrorLog stands for Agrona's DistinctErrorLog over a mapped file; here a full disk is an error
and not a fault.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from aeron_cluster.errors import InsufficientSpaceError
from aeron_cluster.memory.error_log import DistinctErrorLog, read_error_log
from aeron_cluster.memory.error_text import ErrorLogEntry, saved_errors_path

if TYPE_CHECKING:
    from aeron_cluster.memory.seams import File, Files

__all__ = ["FileErrorLog", "save_errors"]

_log = logging.getLogger(__name__)
_RECORD_LENGTH = struct.Struct("<i")
_ALIGNMENT = 8


def save_errors(files: Files, prefix: str, entries: Sequence[ErrorLogEntry], now_ms: int) -> None:
    """Keep the errors that an earlier process left in its log, in a file of their own.

    Parameters
    ----------
    files : Files
    prefix : str
        What the file's path begins with; a date and ``-error.log`` follow.
    entries : sequence of ErrorLogEntry
        None of them: no file.
    now_ms : int
        ms since 1970.

    Notes
    -----
    Without room for the file they go to the log of this process instead.
    """
    if not entries:
        return
    path = saved_errors_path(prefix, now_ms)
    text = "".join(
        f"{entry.observation_count} observations from {entry.first_observation_ms} to "
        f"{entry.last_observation_ms} for:\n {entry.text}\n"
        for entry in entries
    )
    try:
        files.replace(path, text.encode())
    except InsufficientSpaceError as error:
        # Whoever is to make room may need this process for it.
        _log.warning("errors of before could not be kept: %s:\n%s", error, text)
    else:
        _log.warning("errors of before are kept in %s", path)


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

    @staticmethod
    def read(file: File, offset: int) -> list[ErrorLogEntry]:
        """Return what an earlier process left in the rest of a file from an offset on, in bytes."""
        return read_error_log(file.read_at(max(file.length - offset, 0), offset))

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
