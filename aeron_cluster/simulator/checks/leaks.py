"""Check that members and clients that closed in order leave nothing open.

A process releases its files, sockets and mappings. A driver in another process has no counter,
session, image or log of it left after the driver's timeouts.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Final

from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import InvariantError
from aeron_cluster.memory.shared.counters_layout import CounterType
from aeron_cluster.simulator.checks.invariants import Checker
from aeron_cluster.simulator.world.machine import AERON_DIR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.members.backup import Backup
    from aeron_cluster.simulator.members.member_process import MemberProcess
    from aeron_cluster.simulator.world.memory_files import MemoryFiles

__all__ = ["NothingLeaks", "end_clients_of_drivers", "remaining_in_driver"]

_YOUNGEST: Final = 0  # of the collector's generations
_OLDEST: Final = 2
# Three times the drivers' timeouts, after which they retain nothing of a client or a stream.
_FORGOTTEN_NS: Final = 30_000_000_000


class NothingLeaks(Checker):
    """Members and clients that closed in order have released everything they opened."""

    def conclude(self, cluster: Cluster) -> None:
        """Check, once the cluster's members and clients are closed."""
        _release_mappings(cluster)
        # Only this frees reference cycles. In a run they are young, and a full collection is slow.
        for generation in (_YOUNGEST, _OLDEST):
            if _has_mappings(cluster):
                gc.collect(generation)
        for member in cluster.members:
            for process in member.processes:
                self._check_process(f"member {member.member_id}, {process.name}", process)
        for backup in cluster.backups:
            self._check_process(backup.machine.name, backup.process)
        for standby in cluster.standbys:
            self._check_process(standby.machine.name, standby.process)
        for operator in cluster.operators:
            self._check_process(operator.machine.name, operator.process)
        for client in cluster.everyone:
            self._check_closed(client.machine.name, client.leaks)

    def _check_process(self, owner: str, process: MemberProcess) -> None:
        self._check_closed(owner, {**process.leaks, "mappings": process.map_count})

    @staticmethod
    def _check_closed(owner: str, found: Mapping[str, int]) -> None:
        left = {kind: count for kind, count in found.items() if count}
        if left:
            raise InvariantError("nothing leaks", f"{owner}: open {left}")


def remaining_in_driver(driver: MediaDriver, files: MemoryFiles) -> list[str]:
    """Return the labels of counters and the stream logs in a driver that belong to its clients.

    Parameters
    ----------
    driver : MediaDriver
    files : MemoryFiles
        The files of its machine.
    """
    found = [
        each.label
        for each in driver.counters.counters()
        if each.type_id != CounterType.COUNTER_TYPE_SYSTEM
    ]
    for kind in ("publications", "images"):
        found += files.list(f"{AERON_DIR}/{kind}")
    return found


def end_clients_of_drivers(cluster: Cluster) -> None:
    """Close everything except the drivers in order, and check that the drivers release it.

    Parameters
    ----------
    cluster : Cluster
        A cluster of layout ``apart``.

    Raises
    ------
    InvariantError
        A driver still has resources of a client.
    """
    for client in cluster.everyone:
        client.close()
    for member in cluster.members:
        for process in reversed(member.processes[1:]):
            process.close()
    cluster.run_for(_FORGOTTEN_NS)
    for member in cluster.members:
        driver = member.process("driver").part
        # A driver that ended meanwhile has no resources.
        if not isinstance(driver, MediaDriver):
            continue
        left = remaining_in_driver(driver, member.machine.files)
        if left:
            raise InvariantError("nothing leaks", f"driver of member {member.member_id}: {left}")


def _release_mappings(cluster: Cluster) -> None:
    """Release mappings that user objects, or the tracebacks of errors, keep alive."""
    cluster.latest_services.clear()
    for member in cluster.members:
        member.services = ()
    errors: list[BaseException | None] = []
    parties: list[Member | Backup] = [*cluster.members, *cluster.backups]
    for each in parties:
        errors += [*each.errors, *(process.failure for process in each.processes)]
    for client in cluster.everyone:
        errors += client.errors
    for error in errors:
        _drop_frames(error)


def _has_mappings(cluster: Cluster) -> bool:
    processes = [process for member in cluster.members for process in member.processes]
    processes += [each.process for each in cluster.backups]
    processes += [each.process for each in cluster.standbys]
    processes += [each.process for each in cluster.operators]
    return any(process.map_count for process in processes)


def _drop_frames(error: BaseException | None) -> None:
    """Drop the traceback of an error, and of its causes."""
    while error is not None:
        error.__traceback__ = None
        if error.__context__ is not error.__cause__:
            _drop_frames(error.__context__)
        error = error.__cause__
