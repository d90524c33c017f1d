"""When a cluster backup asks the cluster next, and asking it to do so sooner or later.

Stands for ``nextBackupQueryDeadlineMs`` of ClusterToolOperator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.tools.node_counters import NodeCounters
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.errors import StateError

if TYPE_CHECKING:
    from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory

__all__ = ["next_backup_query_ms"]

_NEXT_QUERY_TYPE: Final = 210


def next_backup_query_ms(
    directory: ClusterDirectory, delay_ms: int | None = None, timeout_ns: int = 0
) -> int:
    """Return when a running backup asks next, after changing it if that is wanted.

    Parameters
    ----------
    directory : ClusterDirectory
        Of the backup.
    delay_ms : int, optional
        From now on, until it shall ask.
    timeout_ns : int
        How long to wait for its mark file.

    Returns
    -------
    int
        ms since 1970.

    Raises
    ------
    StateError
        It is no backup, or does not say when it asks.
    MissingFileError, DriverTimeoutError, TimeoutExpiredError, CorruptError, VersionError
        There is no backup that runs.
    """
    component = directory.started_component(timeout_ns)
    header = component.header
    if header.component_type is not ClusterComponentType.BACKUP:
        raise StateError(
            f"{component.path}: expected a cluster backup, found {header.component_type.name}"
        )
    with NodeCounters(directory.seams, header.aeron_directory, header.cluster_id) as counters:
        deadline = counters.find(_NEXT_QUERY_TYPE)
        if deadline is None:
            raise StateError(f"{component.path}: the backup does not say when it asks next")
        if delay_ms is not None:
            deadline.set(directory.seams.clock.epoch_ms() + delay_ms)
        return deadline.get()
