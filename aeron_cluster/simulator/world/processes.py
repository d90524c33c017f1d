"""Simulated processes: the owners of mark files, and whether they have ended."""

from __future__ import annotations

from typing import Protocol

from aeron_cluster.memory.system.process import ProcessIdentity

__all__ = ["Process", "ProcessTable", "SimulatedProcess"]


class Process(Protocol):
    """A process driven by a cluster's loop."""

    def on_stopped(self, error: BaseException | None) -> None:
        """Handle its end.

        Parameters
        ----------
        error : BaseException or None
            The error that ended it; None if it was killed at a simulated system call.
        """


class ProcessTable:
    """The processes of one simulated machine."""

    def __init__(self) -> None:
        self._alive: set[ProcessIdentity] = set()
        self._next_pid = 1000
        self._boot = 1

    def reboot(self) -> None:
        """Give the processes started from now on another boot id: the machine starts again."""
        self._boot += 1

    def spawn(self) -> SimulatedProcess:
        """Start a process and return its view of other processes."""
        identity = ProcessIdentity(
            self._next_pid, start_ticks=self._next_pid, namespace=1, boot=self._boot
        )
        self._next_pid += 1
        self._alive.add(identity)
        return SimulatedProcess(self, identity)

    def end(self, process: SimulatedProcess) -> None:
        """End a process; calling it again does nothing."""
        self._alive.discard(process.own_identity())

    def is_alive(self, identity: ProcessIdentity) -> bool:
        """Return whether a process exists."""
        return identity in self._alive


class SimulatedProcess:
    """A process's view of the machine's processes. Created by `ProcessTable.spawn`."""

    def __init__(self, table: ProcessTable, identity: ProcessIdentity) -> None:
        self._table = table
        self._identity = identity

    def own_identity(self) -> ProcessIdentity:
        """Return this process's identity."""
        return self._identity

    def is_alive(self, identity: ProcessIdentity) -> bool | None:
        """Return whether a process of this machine exists."""
        return self._table.is_alive(identity)
