"""A distinct error log in a part of a file, written through the file seam.

Upstream: Agrona's DistinctErrorLog over a mapped file; here a full disk is an error instead of a
SIGBUS.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from aeron_cluster.errors import InsufficientSpaceError
from aeron_cluster.memory.agents.report_limiter import ReportLimiter, kind_of_error
from aeron_cluster.memory.shared.error_log import DistinctErrorLog, read_error_log
from aeron_cluster.memory.shared.error_text import ErrorLogEntry, describe_error, saved_errors_path

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Clock, File, Files

__all__ = ["FileErrorLog", "save_errors"]

_log = logging.getLogger(__name__)
_RECORD_LENGTH = struct.Struct("<i")
_ALIGNMENT = 8
_BLOCK_LENGTH = 64 * 1024
_ZEROS = bytes(_BLOCK_LENGTH)
# The number of kinds that a limiter distinguishes; it counts further ones as one.
_MAX_KINDS = 256


def save_errors(files: Files, prefix: str, entries: Sequence[ErrorLogEntry], now_ms: int) -> None:
    """Save the errors of an earlier process's log in a separate file.

    Parameters
    ----------
    files : Files
    prefix : str
        The prefix of the file's path; a date and ``-error.log`` follow.
    entries : sequence of ErrorLogEntry
        The errors; without any no file is created.
    now_ms : int
        ms since 1970.

    Notes
    -----
    Without space for the file they go to the log of this process instead.
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
        # Freeing space may require this process to start.
        _log.warning("errors of an earlier process could not be saved: %s:\n%s", error, text)
    else:
        _log.warning("errors of an earlier process are saved in %s", path)


class FileErrorLog:
    """A distinct error log that begins empty.

    Parameters
    ----------
    file : File
        Open for writing; the caller closes it.
    offset, length : int
        The part of the file, in bytes.
    clock : Clock

    Notes
    -----
    The first errors of a kind have a record each and are written immediately. Later ones are
    counted in the record of the kind's first, and written once per interval, so that errors caused
    by a peer neither fill the log nor keep the disk busy.
    """

    def __init__(self, file: File, offset: int, length: int, clock: Clock) -> None:
        self._limiter = ReportLimiter(clock)
        self._first_texts: dict[Hashable, str] = {}
        self._file = file
        self._offset = offset
        self._length = length
        # Allocated lazily, since most logs stay empty.
        self._buffer = bytearray()
        self._log: DistinctErrorLog | None = None
        self._clear()

    def _clear(self) -> None:
        block = memoryview(bytearray(min(_BLOCK_LENGTH, self._length)))
        for begin in range(self._offset, self._offset + self._length, _BLOCK_LENGTH):
            length = min(_BLOCK_LENGTH, self._offset + self._length - begin)
            found = block[: self._file.read_into(block[:length], begin)]
            if not _ZEROS.startswith(found):
                self._file.write_at(_ZEROS[:length], begin)

    @staticmethod
    def read(file: File, offset: int) -> list[ErrorLogEntry]:
        """Return the errors of an earlier process in a file from an offset on, in bytes."""
        rest = max(file.length - offset, 0)
        length = min(rest, _BLOCK_LENGTH)
        found = file.read_at(length, offset)
        while length < rest and _used(found) + _RECORD_LENGTH.size > length:
            length = min(rest, 2 * length)
            found = file.read_at(length, offset)
        return read_error_log(found)

    def record(self, error: BaseException, now_ms: int) -> None:
        """Add an error, or count it again; ms since 1970."""
        kind = kind_of_error(error)
        admission = self._limiter.admit(kind)
        if self._log is None:
            self._buffer = bytearray(self._length)
            self._log = DistinctErrorLog(self._buffer)
        if admission.is_full:
            text = describe_error(error)
            if len(self._first_texts) < _MAX_KINDS:
                self._first_texts.setdefault(kind, text)
        else:
            text = self._first_texts.get(kind, "more kinds of errors than are stored")
        self._log.record(text, now_ms=now_ms)
        if admission.is_due:
            # The counts of earlier records change too.
            self._file.write_at(bytes(self._buffer[: _used(self._buffer)]), self._offset)


def _used(log: bytes | bytearray) -> int:
    """Return the end of its last record; beyond its length if that record is truncated."""
    end = 0
    while end + _RECORD_LENGTH.size <= len(log):
        (length,) = _RECORD_LENGTH.unpack_from(log, end)
        if length <= 0:
            break
        end += -(-length // _ALIGNMENT) * _ALIGNMENT
    return end
