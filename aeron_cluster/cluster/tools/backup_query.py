"""The time of a cluster backup's next query, and changing it.

Upstream: ``nextBackupQueryDeadlineMs`` of ClusterToolOperator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.backup.counters import NEXT_QUERY_TYPE
from aeron_cluster.cluster.tools.node_counters import NodeCounters
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.errors import ConfigurationError, StateError

if TYPE_CHECKING:
    from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory

__all__ = ["next_backup_query_ms"]

_MAX_TIME: Final = 2**63 - 1


def next_backup_query_ms(
    directory: ClusterDirectory, delay_ms: int | None = None, timeout_ns: int = 0
) -> int:
    """Return the time of a running backup's next query, after changing it if requested.

    Parameters
    ----------
    directory : ClusterDirectory
        The directory of the backup.
    delay_ms : int, optional
        The new delay from now, in ms.
    timeout_ns : int
        The longest wait for its mark file.

    Returns
    -------
    int
        ms since 1970.

    Raises
    ------
    ConfigurationError
        The time is out of range.
    StateError
        It is not a backup, or has no time of its next query.
    MissingFileError, DriverTimeoutError, TimeoutExpiredError, CorruptError, VersionError
        No backup is running.
    """
    component = directory.started_component(timeout_ns)
    header = component.header
    if header.component_type is not ClusterComponentType.BACKUP:
        raise StateError(
            f"{component.path}: expected a cluster backup, found {header.component_type.name}"
        )
    with NodeCounters(directory.seams, header.aeron_directory, header.cluster_id) as counters:
        deadline = counters.find(NEXT_QUERY_TYPE)
        if deadline is None:
            raise StateError(f"{component.path}: the backup has no time of its next query")
        if delay_ms is not None:
            next_ms = directory.seams.clock.epoch_ms() + delay_ms
            if next_ms > _MAX_TIME:
                raise ConfigurationError("delay", f"at most {_MAX_TIME} ms since 1970", next_ms)
            deadline.set(next_ms)
        return deadline.get()
