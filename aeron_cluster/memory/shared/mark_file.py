"""The file that identifies the owner of a directory, and shows that it is active.

Upstream: Agrona's MarkFile. A layout defines the other contents of the file; this module handles
only the version (stored last, after all other fields), the activity timestamp, the process id, and
a record of our own by which a killed process is distinguished from an active one immediately.
Everything is written through the file seam, nothing is mapped.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from aeron_cluster.errors import ClosedError, CorruptError, DirectoryInUseError, StateError
from aeron_cluster.memory.shared.activity_stamp import ActivityStamp
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.fork import generation, is_forked
from aeron_cluster.memory.system.process import Processes, ProcessIdentity, SystemProcesses
from aeron_cluster.memory.system.seams import Clock, File, Files

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["SILENT_AFTER_MS", "MarkFile", "MarkFileLayout", "OldForm", "Presence", "presence_of"]

_log = logging.getLogger(__name__)
_CLOSED = -1
"""The activity timestamp of a file whose owner closed it."""
SILENT_AFTER_MS = 10_000
"""The age of a mark file's activity, or a driver's heartbeat, from which its owner is gone."""


class Presence(IntEnum):
    """Whether the component that its mark file names uses the directory."""

    STARTING = 0
    RUNNING = 1
    SILENT = 2
    """No activity for ten seconds, or its process has ended: it was killed, or hangs."""
    CLOSED = 3
    FAILED_TO_START = 4

    @property
    def is_alive(self) -> bool:
        """Whether its process uses the directory now."""
        return self in (Presence.STARTING, Presence.RUNNING)


def presence_of(
    seams: Seams, version: int, activity_timestamp_ms: int, identity: ProcessIdentity | None
) -> Presence:
    """Return whether the owner of a mark file uses its directory, from the content of the file.

    Parameters
    ----------
    seams : Seams
        The wall clock and the processes.
    version : int
        0 while the owner starts.
    activity_timestamp_ms : int
        ms since 1970; -1 once closed.
    identity : ProcessIdentity, optional
        This project's record of the owner, if there is one.
    """
    if activity_timestamp_ms == _CLOSED:
        return Presence.CLOSED
    if identity is not None and seams.processes.is_alive(identity) is False:
        return Presence.SILENT
    age_ms = seams.clock.epoch_ms() - activity_timestamp_ms
    # Java marks a start in progress with a time in the future.
    if version == 0 or age_ms < -SILENT_AFTER_MS:
        return Presence.STARTING
    return Presence.RUNNING if age_ms < SILENT_AFTER_MS else Presence.SILENT


class MarkFileLayout(NamedTuple):
    """The offsets of the fields, in bytes from the beginning of the file.

    Parameters
    ----------
    header_length : int
        The length that contains all fields.
    version : int
        int32, stored last; 0 while the owner starts.
    activity_timestamp : int
        int64, ms since 1970; -1 once closed.
    pid : int
        int64.
    owner : int
        32 bytes that the format leaves unused, for our record of the owner.
    """

    header_length: int
    version: int
    activity_timestamp: int
    pid: int
    owner: int


class OldForm(NamedTuple):
    """An earlier form of the file, which `MarkFile.claim` converts.

    Parameters
    ----------
    is_used : callable
        Returns whether a header has this form.
    convert : callable
        Converts such a header to the current form, with the same length and fields.
    """

    is_used: Callable[[bytes], bool]
    convert: Callable[[bytes], bytes]


class MarkFile(Closeable):
    """A mark file that this process owns. Created by `claim`.

    Attributes
    ----------
    path : str
        The file.
    file : File
        The open file, until `close`.
    activity_stamp : ActivityStamp
        The stamp with which an agent updates the activity timestamp without the GIL.
    layout : MarkFileLayout
        The layout of the fields.
    previous_header : bytes
        The previous header, in the current form; empty if the file is new.
    """

    def __init__(
        self, file: File, layout: MarkFileLayout, clock: Clock, previous_header: bytes
    ) -> None:
        self.path = file.path
        self.file = file
        self.layout = layout
        self.activity_stamp = ActivityStamp(file, layout.activity_timestamp, clock)
        self.previous_header = previous_header
        self._clock = clock
        self._generation = generation()
        self._is_closed = False

    @classmethod
    def claim(
        cls,
        files: Files,
        path: str,
        length: int,
        layout: MarkFileLayout,
        *,
        clock: Clock,
        timeout_ms: int,
        check: Callable[[int, bytes], None],
        processes: Processes | None = None,
        old_form: OldForm | None = None,
        before_owner: Callable[[File, bytes], object] | None = None,
    ) -> MarkFile:
        """Create the file, or take it over from an ended owner.

        Parameters
        ----------
        files : Files
            The seam.
        path : str
            The file.
        length : int
            Its length, in bytes; an existing shorter file is extended.
        layout : MarkFileLayout
            The layout of the fields.
        clock : Clock
            The seam.
        timeout_ms : int
            The timeout of an owner without other information, in ms.
        check : callable
            Called with version and header of an existing file, before anything is written; raises
            if the file is not usable. The version is 0 if the last owner was killed while it
            claimed the file; the other fields are then its predecessor's, or zeros.
        processes : Processes, optional
            Left out, the machine's.
        old_form : OldForm, optional
            An old form that an existing file may have. It is converted in one write once its owner
            has ended; ``check`` is called with the converted header.
        before_owner : callable, optional
            Called with an existing file and its header once its owner has ended, before the fields
            of the new owner are written.

        Returns
        -------
        MarkFile
            The file with the owner's fields written and version 0: write the header, then call
            `signal_ready`.

        Raises
        ------
        DirectoryInUseError
            An active process has it.
        InsufficientSpaceError
            There is no space for it; a new file stays empty, and has no effect.
        CorruptError
            The existing file is not a mark file.
        """
        processes = SystemProcesses() if processes is None else processes
        # If two processes start at the same time, only the one with the lock checks and writes. It
        # is released afterwards, since a forked child would inherit it.
        with files.open(path, create=True) as gate:
            if not gate.lock():
                raise DirectoryInUseError(path, 0, "another process is taking it at this moment")
            before = b""
            is_old = False
            if gate.length > 0:
                before = gate.read_at(layout.header_length, 0)
                if len(before) < layout.header_length:
                    raise CorruptError(path, 0, "length", f">= {layout.header_length}", len(before))
                if old_form is not None and old_form.is_used(before):
                    is_old, before = True, old_form.convert(before)
                _check_not_in_use(path, before, layout, clock, timeout_ms, check, processes)
            file = files.open(path, write=True)
            try:
                file.allocate(0, max(length, file.length))
                if is_old:
                    file.write_at(before, 0)
                if before and before_owner is not None:
                    before_owner(file, before)
                mark = cls(file, layout, clock, before)
                mark._claim(processes.own_identity())
            except BaseException:
                if not before:
                    file.truncate(0)
                file.close()
                raise
        return mark

    def _claim(self, own: ProcessIdentity) -> None:
        # If it is killed in between, the record of the owner shows that it has ended.
        self._put("<i", 0, self.layout.version)
        # With one write: a record with another process id is that of an earlier owner.
        layout = self.layout
        begin = min(layout.pid, layout.owner)
        end = max(layout.pid + 8, layout.owner + ProcessIdentity.LENGTH)
        fields = bytearray(self.file.read_at(end - begin, begin))
        struct.pack_into("<q", fields, layout.pid - begin, own.pid)
        record = own.pack()
        fields[layout.owner - begin : layout.owner - begin + len(record)] = record
        self.file.write_at(fields, begin)
        self._put("<q", self._clock.epoch_ms(), layout.activity_timestamp)

    def _put(self, form: str, value: int, offset: int) -> None:
        if self._is_closed or is_forked(self._generation):
            raise ClosedError(f"{self.path}: closed, or inherited over a fork")
        self.file.write_at(struct.pack(form, value), offset)

    def write_header(self, data: bytes, offset: int) -> None:
        """Write a part of the header outside the fields of this class.

        Parameters
        ----------
        data : bytes
            The bytes.
        offset : int
            The offset, in bytes.

        Raises
        ------
        StateError
            It overlaps a field of this class.
        """
        end = offset + len(data)
        layout = self.layout
        for begin, length in (
            (layout.version, 4),
            (layout.activity_timestamp, 8),
            (layout.pid, 8),
            (layout.owner, ProcessIdentity.LENGTH),
        ):
            if offset < begin + length and begin < end:
                raise StateError(f"{self.path}: header {offset} to {end} overlaps {begin}")
        self.file.write_at(data, offset)

    def signal_ready(self, version: int) -> None:
        """Publish the header: write the activity timestamp, then the version, then sync."""
        self.update_activity(self._clock.epoch_ms())
        self._put("<i", version, self.layout.version)
        self.file.sync()

    def update_activity(self, now_ms: int) -> None:
        """Signal that the owner is active, in ms since 1970."""
        self._put("<q", now_ms, self.layout.activity_timestamp)

    @property
    def activity_timestamp_ms(self) -> int:
        """The time of the owner's last activity, in ms since 1970; -1 once closed."""
        return _field(self.file.read_at(8, self.layout.activity_timestamp), "<q", 0)

    def close(self) -> None:
        """Release the directory; calling it again, or after a fork, does nothing."""
        if self._is_closed:
            return
        self.activity_stamp.end()
        if not is_forked(self._generation):
            self._put("<q", _CLOSED, self.layout.activity_timestamp)
        self._is_closed = True
        self.file.close()


def _field(data: bytes, form: str, offset: int) -> int:
    (value,) = struct.unpack_from(form, data, offset)
    return int(value)


def _check_not_in_use(
    path: str,
    header: bytes,
    layout: MarkFileLayout,
    clock: Clock,
    timeout_ms: int,
    check: Callable[[int, bytes], None],
    processes: Processes,
) -> None:
    """Raise if the file is not a mark file, or its owner may be active."""
    version = _field(header, "<i", layout.version)
    check(version, header)
    timestamp_ms = _field(header, "<q", layout.activity_timestamp)
    pid = _field(header, "<q", layout.pid)
    record = header[layout.owner : layout.owner + ProcessIdentity.LENGTH]
    identity = ProcessIdentity.unpack(pid, record)
    if timestamp_ms in (_CLOSED, 0):
        return
    age_ms = clock.epoch_ms() - timestamp_ms
    if not _has_ended(pid, identity, age_ms, timeout_ms, processes):
        raise DirectoryInUseError(path, pid, f"last sign of life {max(0, age_ms)} ms ago")
    _log.warning("%s: taken over from process %d, which has ended", path, pid)


def _has_ended(
    pid: int,
    identity: ProcessIdentity | None,
    age_ms: int,
    timeout_ms: int,
    processes: Processes,
) -> bool:
    alive = None if identity is None else processes.is_alive(identity)
    if alive is not None:
        return not alive
    # Another program's, or from another container: only its heartbeat counts. Upstream stores the
    # largest number during a start, and leaves it if it is killed meanwhile.
    if age_ms >= timeout_ms:
        return True
    own = processes.own_identity()
    here = ProcessIdentity(pid, 0, own.namespace, own.boot)
    return age_ms < -timeout_ms and processes.is_alive(here) is False
