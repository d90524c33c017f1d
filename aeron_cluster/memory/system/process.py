"""The identity of a process, and whether it has provably ended."""

from __future__ import annotations

import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

__all__ = ["ProcessIdentity", "Processes", "SystemProcesses"]

_PROC = Path("/proc")
_MAX_PID = 2**31 - 1


@dataclass(frozen=True)
class ProcessIdentity:
    """A process, distinct from a later one with its number and from one in another container.

    Parameters
    ----------
    pid : int
        The process id.
    start_ticks : int
        Its start time, in clock ticks since the boot; 0 if unknown.
    namespace : int
        The namespace of the id; 0 if unknown.
    boot : int
        The boot id of the machine, of 32 bits; 0 if unknown.
    """

    pid: int
    start_ticks: int = 0
    namespace: int = 0
    boot: int = 0

    _LAYOUT: ClassVar[struct.Struct] = struct.Struct("<8sqqIi")
    _MAGIC: ClassVar[bytes] = b"ac-owner"
    LENGTH: ClassVar[int] = _LAYOUT.size

    def pack(self) -> bytes:
        """Return the record that `unpack` reads."""
        return self._LAYOUT.pack(self._MAGIC, self.start_ticks, self.namespace, self.boot, self.pid)

    @classmethod
    def unpack(cls, pid: int, record: bytes) -> ProcessIdentity | None:
        """Return the identity in a record of the process ``pid``; None if it is not ours.

        Another program that takes over a file may leave the record of its predecessor there: that
        has another process id; 0 if it is of an earlier version of this package.
        """
        magic, start_ticks, namespace, boot, recorded = cls._LAYOUT.unpack(record)
        if magic != cls._MAGIC or recorded not in (0, pid):
            return None
        return cls(pid, start_ticks, namespace, boot)


class Processes(Protocol):
    """The processes that may share a directory: the machine's, or a simulation's."""

    def own_identity(self) -> ProcessIdentity:
        """Return the caller's own identity."""

    def is_alive(self, identity: ProcessIdentity) -> bool | None:
        """Return True if a process exists, False if provably not, None if that is unknown."""


class SystemProcesses:
    """The machine's processes."""

    def own_identity(self) -> ProcessIdentity:
        """Return this process's identity."""
        pid = os.getpid()
        try:
            namespace = (_PROC / "self" / "ns" / "pid").stat().st_ino
        except OSError:
            namespace = 0
        try:
            boot = zlib.crc32((_PROC / "sys/kernel/random/boot_id").read_bytes())
        except OSError:
            boot = 0
        return ProcessIdentity(pid, _start_ticks(pid) or 0, namespace, boot)

    def is_alive(self, identity: ProcessIdentity) -> bool | None:
        """Return True if a process exists, False if provably not, None if that is unknown.

        A process of another container or an earlier boot is unknown: its id is meaningless here.
        """
        own = self.own_identity()
        if (identity.namespace, identity.boot) != (own.namespace, own.boot):
            return None
        if not 0 < identity.pid <= _MAX_PID:
            return None
        try:
            os.kill(identity.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # it exists, and belongs to another user
        start_ticks = _start_ticks(identity.pid)
        if start_ticks is None or identity.start_ticks == 0:
            return None
        # A zombie's files are closed: it no longer uses anything.
        return start_ticks == identity.start_ticks and not _is_zombie(identity.pid)


def _stat_fields(pid: int) -> list[bytes]:
    try:
        text = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return []
    # The name in parentheses may hold blanks and parentheses itself.
    return text.rpartition(b")")[2].split()


def _start_ticks(pid: int) -> int | None:
    fields = _stat_fields(pid)
    return int(fields[19]) if fields else None


def _is_zombie(pid: int) -> bool:
    return _stat_fields(pid)[:1] in ([b"Z"], [b"X"])
