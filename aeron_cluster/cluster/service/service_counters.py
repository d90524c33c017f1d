"""The counters of a service container.

``io.aeron.cluster.service.ClusterCounters`` and ``SnapshotDurationTracker``.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.config import format_duration_ns
from aeron_cluster.errors import ClosedError
from aeron_cluster.memory.system.version import VERSION_TEXT

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.counter import Counter
    from aeron_cluster.cluster.service.container_context import ContainerContext

__all__ = ["ServiceCounters"]

_ERRORS: Final = 215
_MAX_CYCLE_TIME: Final = 218
_CYCLE_TIME_EXCEEDED: Final = 219
_MAX_SNAPSHOT_DURATION: Final = 236
_SNAPSHOT_DURATION_EXCEEDED: Final = 237
_KEY: Final = struct.Struct("<ii")


class ServiceCounters(NamedTuple):
    """The counters of one container, all closed with its client."""

    errors: Counter
    max_cycle_time: Counter
    cycle_time_exceeded: Counter
    max_snapshot_duration: Counter
    snapshot_duration_exceeded: Counter

    @classmethod
    def add(cls, context: ContainerContext, aeron: Aeron) -> ServiceCounters:
        """Request all counters from the driver; blocks until it has answered."""
        options = context.options
        key = _KEY.pack(context.cluster_id, context.service_id)
        suffix = f"clusterId={context.cluster_id} serviceId={context.service_id}"

        def add(type_id: int, name: str, end: str = "") -> Counter:
            return aeron.add_counter(type_id, f"{name} - {suffix}{end}", key)

        cycle = format_duration_ns(options.service_cycle_threshold_ns)
        snapshot = format_duration_ns(options.service_snapshot_threshold_ns)
        return cls(
            errors=add(_ERRORS, "Cluster Container Errors", f" {VERSION_TEXT}"),
            max_cycle_time=add(_MAX_CYCLE_TIME, "Cluster container max cycle time in ns"),
            cycle_time_exceeded=add(
                _CYCLE_TIME_EXCEEDED,
                f"Cluster container work cycle time exceeded count: threshold={cycle}",
            ),
            max_snapshot_duration=add(
                _MAX_SNAPSHOT_DURATION, "Clustered service max snapshot duration in ns"
            ),
            snapshot_duration_exceeded=add(
                _SNAPSHOT_DURATION_EXCEEDED,
                f"Clustered service max snapshot duration exceeded count: threshold={snapshot}",
            ),
        )

    def count_error(self) -> None:
        """Count one more error."""
        with suppress(ClosedError):
            self.errors.increment()

    def count_snapshot(self, duration_ns: int, threshold_ns: int) -> None:
        """Record the duration of a snapshot."""
        with suppress(ClosedError):
            self.max_snapshot_duration.propose_max(duration_ns)
            if duration_ns > threshold_ns:
                self.snapshot_duration_exceeded.increment()
