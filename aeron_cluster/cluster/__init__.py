"""Consensus module, election, log, sessions, service container, backup, tools."""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "client.security": (
            "Authenticator",
            "AuthorisationService",
            "SimpleAuthenticator",
            "SimpleAuthorisationService",
        ),
        "cluster.assembly": (
            "ClusterNode",
            "in_pass_order",
            "local_member",
        ),
        "cluster.backup.cluster_backup": ("ClusterBackup",),
        "cluster.backup.context": ("BackupContext",),
        "cluster.backup.counters": ("BackupState",),
        "cluster.backup.events": ("BackupEventsListener",),
        "cluster.context.cluster_clock": ("ClusterClock",),
        "cluster.context.extension": (
            "ClusterClientSession",
            "ConsensusControlState",
            "ConsensusModuleControl",
            "ConsensusModuleExtension",
        ),
        "cluster.context.module_context": ("ConsensusModuleContext",),
        "cluster.context.timer_service": (
            "TimerService",
            "TimerServiceSupplier",
        ),
        "cluster.election.election_state": ("ElectionState",),
        "cluster.latency.latency_file": (
            "Stage",
            "StageLatency",
            "read_latencies",
        ),
        "cluster.members.members": (
            "Member",
            "parse_members",
        ),
        "cluster.members.role": ("Role",),
        "cluster.module.consensus_module": ("ConsensusModule",),
        "cluster.security.file_authenticator": ("FileAuthenticator",),
        "cluster.service.client_session": ("ClientSession",),
        "cluster.service.cluster": ("Cluster",),
        "cluster.service.clustered_service": (
            "ClusteredService",
            "LeadershipTerm",
        ),
        "cluster.service.container": ("ClusteredServiceContainer",),
        "cluster.service.container_context": ("ContainerContext",),
        "cluster.service.deduplication": (
            "Deduplication",
            "NotAccepted",
            "Request",
        ),
        "cluster.service.native_service": ("NativeService",),
        "cluster.state.app_version": ("AppVersionValidator",),
        "cluster.tools.cluster_directory": ("ClusterDirectory",),
        "cluster.tools.restore": (
            "Restored",
            "restore",
        ),
        "cluster.tools.status": (
            "NodeStatus",
            "read_status",
        ),
        "codecs.cluster": (
            "CloseReason",
            "ClusterTimeUnit",
        ),
    },
)
