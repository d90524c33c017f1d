"""A backup of a cluster: it queries members, copies snapshots and records the log."""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "cluster.backup.cluster_backup": ("ClusterBackup",),
        "cluster.backup.context": ("BackupContext",),
        "cluster.backup.counters": ("BackupState",),
        "cluster.backup.events": ("BackupEventsListener",),
    },
)
