"""The counters of a cluster component, read from the memory of its driver.

Upstream: ``ClusterCounters.find`` and ``ClusterControl.mapCounters``.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import DriverTimeoutError, MissingFileError
from aeron_cluster.memory.shared.cnc_file import CNC_FILE_NAME, CncFile
from aeron_cluster.memory.shared.counters import AtomicCounter
from aeron_cluster.memory.shared.mark_file import SILENT_AFTER_MS
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.process import ProcessIdentity

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor
    from aeron_cluster.memory.shared.error_text import ErrorLogEntry
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["NodeCounters", "has_cluster_id", "open_driver"]

_CLUSTER_ID: Final = struct.Struct("<i")
_CLUSTER_TYPES: Final = range(200, 250)


def open_driver(seams: Seams, aeron_dir: str, *, alive: bool = True) -> CncFile:
    """Map the file that a driver shares with its clients; the caller closes it.

    Parameters
    ----------
    seams : Seams
    aeron_dir : str
        The driver's directory.
    alive : bool
        Whether the driver must be running.

    Raises
    ------
    MissingFileError
        It is missing.
    DriverTimeoutError
        The driver is not running.
    CorruptError, VersionError
        It is not such a file, or has another version.
    """
    path = f"{aeron_dir}/{CNC_FILE_NAME}"
    try:
        cnc = CncFile.open(seams.files, path)
    except FileNotFoundError:
        raise MissingFileError(
            path, "a media driver's file", "the member's driver is not running; start the member"
        ) from None
    if alive:
        try:
            _check_alive(seams, cnc)
        except BaseException:
            cnc.close()
            raise
    return cnc


def _check_alive(seams: Seams, cnc: CncFile) -> None:
    heartbeat_ms = cnc.driver_heartbeat_ms
    now_ms = seams.clock.epoch_ms()
    own = seams.processes.own_identity()
    is_gone = seams.processes.is_alive(
        ProcessIdentity(cnc.pid, 0, own.namespace, own.boot)
    ) is False and not cnc.is_driver_active(now_ms, 2_000)
    if cnc.is_driver_active(now_ms, SILENT_AFTER_MS) and not is_gone:
        return
    found = (
        "that it closed"
        if heartbeat_ms < 0
        else f"one {max(0, now_ms - heartbeat_ms) / 1e3:.1f} s old"
    )
    raise DriverTimeoutError(
        f"{cnc.path}: expected a recent heartbeat of the driver, process {cnc.pid}, found {found};"
        " the member's driver is not running; start the member"
    )


def has_cluster_id(counter: CounterDescriptor, cluster_id: int) -> bool:
    """Return whether a component's counter belongs to the cluster with an id."""
    return counter.key[: _CLUSTER_ID.size] == _CLUSTER_ID.pack(cluster_id)


class NodeCounters(Closeable):
    """The counters of one cluster on one driver; close it, or use it in a ``with``.

    Parameters
    ----------
    seams : Seams
    aeron_dir : str
        The driver's directory.
    cluster_id : int

    Raises
    ------
    MissingFileError, DriverTimeoutError, CorruptError, VersionError
        As for `open_driver`.
    """

    def __init__(self, seams: Seams, aeron_dir: str, cluster_id: int) -> None:
        self._cluster_id = cluster_id
        self._cnc = open_driver(seams, aeron_dir)
        self._reader = self._cnc.counters_reader()

    def close(self) -> None:
        """Unmap the driver's file. Calling it again does nothing."""
        self._reader.close()
        self._cnc.close()

    @property
    def driver_pid(self) -> int:
        """The process id of the driver, also after its end."""
        return self._cnc.pid

    @property
    def driver_errors(self) -> list[ErrorLogEntry]:
        """The driver's distinct error log."""
        return self._cnc.error_log().entries()

    def all(self) -> list[CounterDescriptor]:
        """Return every counter of the driver."""
        return self._reader.counters()

    def of_cluster(self) -> list[CounterDescriptor]:
        """Return the counters of the cluster's components on this driver."""
        return self.where(
            lambda counter: (
                counter.type_id in _CLUSTER_TYPES and has_cluster_id(counter, self._cluster_id)
            )
        )

    def where(self, is_wanted: Callable[[CounterDescriptor], bool]) -> list[CounterDescriptor]:
        """Return the counters that a predicate accepts."""
        return [counter for counter in self._reader.counters() if is_wanted(counter)]

    def find(self, type_id: int) -> AtomicCounter | None:
        """Return the cluster's counter of a type, or None."""
        for counter in self.of_cluster():
            if counter.type_id == type_id:
                return AtomicCounter(self._reader, counter.counter_id)
        return None

    def value(self, type_id: int) -> int | None:
        """Return the value of the cluster's counter of a type, or None."""
        counter = self.find(type_id)
        return None if counter is None else counter.get()
