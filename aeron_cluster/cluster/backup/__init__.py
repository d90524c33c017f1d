"""A backup of a cluster: asks members what there is, copies snapshots, records the log."""

from aeron_cluster.cluster.backup.cluster_backup import ClusterBackup
from aeron_cluster.cluster.backup.context import BackupContext
from aeron_cluster.cluster.backup.counters import BackupState

__all__ = ["BackupContext", "BackupState", "ClusterBackup"]
