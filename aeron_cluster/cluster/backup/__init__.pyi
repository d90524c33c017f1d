from aeron_cluster.cluster.backup.cluster_backup import ClusterBackup as ClusterBackup
from aeron_cluster.cluster.backup.context import BackupContext as BackupContext
from aeron_cluster.cluster.backup.counters import BackupState as BackupState
from aeron_cluster.cluster.backup.events import BackupEventsListener as BackupEventsListener

__all__ = [
    "BackupContext",
    "BackupEventsListener",
    "BackupState",
    "ClusterBackup",
]
