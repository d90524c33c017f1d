"""Run a service over a recorded log without a cluster, and compare members' services."""

from aeron_cluster.cluster.service.offline.host import EffectRecord, OfflineHost
from aeron_cluster.cluster.service.offline.source import OfflineSource, SnapshotPlace

__all__ = ["EffectRecord", "OfflineHost", "OfflineSource", "SnapshotPlace"]
