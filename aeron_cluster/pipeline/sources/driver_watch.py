"""Watches the counters of a driver while another component runs on it.

No counterpart in Aeron.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from aeron_cluster.cluster.tools.node_counters import open_driver
from aeron_cluster.errors import DriverTimeoutError, MissingFileError
from aeron_cluster.memory.shared.cnc_file import CNC_FILE_NAME, CncFile
from aeron_cluster.memory.shared.mark_file import SILENT_AFTER_MS

if TYPE_CHECKING:
    from aeron_cluster.memory.shared.counters import CountersReader
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["DriverWatch", "Runner"]

_RECHECK_INTERVAL_NS: Final = 250_000_000

# The directory of the component's driver, and the component's id.
Runner: TypeAlias = tuple[str, int]


class DriverWatch:
    """The counters of a driver; close it.

    Parameters
    ----------
    seams : Seams
    find : callable
        Returns the running component and its driver, or None. It is called again if it returned
        None or if the driver has ended.

    Attributes
    ----------
    is_missing : bool
        Whether a component was running without its driver at the last check.
    """

    def __init__(self, seams: Seams, find: Callable[[], Runner | None]) -> None:
        self._seams = seams
        self._find = find
        self._cnc: CncFile | None = None
        self._reader: CountersReader | None = None
        self._id = 0
        self._next_check_ns: int | None = None
        self.is_missing = False

    def close(self) -> None:
        """Unmap the driver's file. Calling it again does nothing."""
        cnc, reader = self._cnc, self._reader
        self._cnc = self._reader = None
        if reader is not None:
            reader.close()
        if cnc is not None:
            cnc.close()

    def counters(self) -> tuple[CountersReader, int] | None:
        """Return the counters and the id of the running component; None without one."""
        if self._is_stale():
            self.close()
        if self._reader is None and self._is_check_due():
            self._open()
        return None if self._reader is None else (self._reader, self._id)

    def _is_stale(self) -> bool:
        now_ms = self._seams.clock.epoch_ms()
        return self._cnc is not None and not self._cnc.is_driver_active(now_ms, SILENT_AFTER_MS)

    def _is_check_due(self) -> bool:
        now_ns = self._seams.clock.nano_time()
        if self._next_check_ns is not None and now_ns < self._next_check_ns:
            return False
        self._next_check_ns = now_ns + _RECHECK_INTERVAL_NS
        return True

    def _open(self) -> None:
        self.is_missing = False
        runner = self._find()
        if runner is None:
            return
        aeron_dir, self._id = runner
        path = f"{aeron_dir}/{CNC_FILE_NAME}"
        if self._seams.files.is_file(path) and not CncFile.is_ready(self._seams.files, path):
            self.is_missing = True
            return  # the file is being created
        try:
            self._cnc = open_driver(self._seams, aeron_dir)
        except (MissingFileError, DriverTimeoutError):
            self.is_missing = True
            return  # killed, starting, or not accessible
        self._reader = self._cnc.counters_reader()
