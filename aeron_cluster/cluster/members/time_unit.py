"""The unit of a log's or snapshot's times, as in its messages.

``ClusterClock.map``.
"""

from __future__ import annotations

from aeron_cluster.codecs.cluster import ClusterTimeUnit

__all__ = ["time_unit_of"]


def time_unit_of(unit: ClusterTimeUnit) -> ClusterTimeUnit:
    """Return the unit that a message's field stands for: ms where an older writer left it out."""
    return ClusterTimeUnit.MILLIS if unit is ClusterTimeUnit.NULL_VALUE else unit
