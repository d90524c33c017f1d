"""The units of cluster time, and the unit in messages of logs and snapshots.

``ClusterClock.map``.
"""

from __future__ import annotations

from typing import Final

from aeron_cluster.codecs.cluster import ClusterTimeUnit

__all__ = ["NS_PER_UNIT", "time_unit_name", "time_unit_of"]

NS_PER_UNIT: Final = {
    ClusterTimeUnit.MILLIS: 1_000_000,
    ClusterTimeUnit.MICROS: 1_000,
    ClusterTimeUnit.NANOS: 1,
}
"""The length of each unit of cluster time, in ns."""
_NAMES: Final = {
    ClusterTimeUnit.MILLIS: "MILLISECONDS",
    ClusterTimeUnit.MICROS: "MICROSECONDS",
    ClusterTimeUnit.NANOS: "NANOSECONDS",
}


def time_unit_of(unit: ClusterTimeUnit) -> ClusterTimeUnit:
    """Return the unit of a message's field: ms if an older writer did not set it."""
    return ClusterTimeUnit.MILLIS if unit is ClusterTimeUnit.NULL_VALUE else unit


def time_unit_name(unit: ClusterTimeUnit) -> str:
    """Return the name of a unit in Java."""
    return _NAMES[time_unit_of(unit)]
