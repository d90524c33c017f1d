from aeron_cluster.cluster.backup.cluster_backup import ClusterBackup as ClusterBackup
from aeron_cluster.cluster.backup.context import BackupContext as BackupContext
from aeron_cluster.cluster.backup.counters import BackupState as BackupState

__all__ = [
    "BackupContext",
    "BackupState",
    "ClusterBackup",
]
