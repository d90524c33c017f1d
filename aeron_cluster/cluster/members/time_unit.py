"""The time unit in messages of logs and snapshots.

``ClusterClock.map``.
"""

from __future__ import annotations

from aeron_cluster.codecs.cluster import ClusterTimeUnit

__all__ = ["time_unit_of"]


def time_unit_of(unit: ClusterTimeUnit) -> ClusterTimeUnit:
    """Return the unit of a message's field: ms if an older writer did not set it."""
    return ClusterTimeUnit.MILLIS if unit is ClusterTimeUnit.NULL_VALUE else unit
