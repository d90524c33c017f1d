"""Aeron Cluster for Python.

Most programs need only the names exported here; the rest is in the subpackages:
``aeron_cluster.archive``, ``aeron_cluster.cluster``, ``aeron_cluster.simulator`` and so on.
"""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "archive.archive": ("Archive",),
        "archive.assembly": ("ArchivingMediaDriver",),
        "archive.client.archive_client": ("AeronArchive",),
        "archive.client.client_context": ("ArchiveClientContext",),
        "archive.client.replay_merge": ("ReplayMerge",),
        "archive.context": ("ArchiveContext",),
        "client.aeron": ("Aeron",),
        "client.async_streams": (
            "AsyncPublication",
            "AsyncSubscription",
        ),
        "client.context": ("ClientContext",),
        "client.counter": ("Counter",),
        "client.credentials": ("Credentials",),
        "client.image": ("Image",),
        "client.not_sent": (
            "ADMIN_ACTION",
            "BACK_PRESSURED",
            "NOT_CONNECTED",
            "NotSent",
        ),
        "client.publication": (
            "BufferClaim",
            "ExclusivePublication",
            "Publication",
        ),
        "client.subscription": ("Subscription",),
        "cluster.assembly": (
            "ClusterNode",
            "local_member",
        ),
        "cluster.backup.cluster_backup": ("ClusterBackup",),
        "cluster.backup.context": ("BackupContext",),
        "cluster.context.extension": ("ConsensusModuleExtension",),
        "cluster.context.module_context": ("ConsensusModuleContext",),
        "cluster.members.members": ("Member",),
        "cluster.members.role": ("Role",),
        "cluster.module.consensus_module": ("ConsensusModule",),
        "cluster.service.client_session": ("ClientSession",),
        "cluster.service.cluster": ("Cluster",),
        "cluster.service.clustered_service": (
            "ClusteredService",
            "LeadershipTerm",
        ),
        "cluster.service.container": ("ClusteredServiceContainer",),
        "cluster.service.container_context": ("ContainerContext",),
        "cluster.service.deduplication": ("Deduplication",),
        "cluster.service.native_service": ("NativeService",),
        "cluster_client.async_client": ("AsyncClusterClient",),
        "cluster_client.cluster_client": ("AeronCluster",),
        "cluster_client.context": ("ClusterClientContext",),
        "cluster_client.egress_listener": ("EgressListener",),
        "cluster_client.request_listener": ("RequestListener",),
        "cluster_client.surviving_client": (
            "SurvivingClient",
            "SurvivingContext",
        ),
        "codecs.channel_uri": ("ChannelUri",),
        "codecs.cluster": ("CloseReason",),
        "config": ("parse_properties",),
        "driver.context": ("DriverContext",),
        "driver.media_driver": ("MediaDriver",),
        "errors": ("AeronClusterError",),
        "logbuffer.fragment_assembler": (
            "ControlledFragmentAssembler",
            "FragmentAssembler",
        ),
        "logbuffer.image_poller": ("Action",),
        "logbuffer.message_batch": ("MessageBatch",),
        "logbuffer.message_view": (
            "Header",
            "MessageView",
        ),
        "memory.agents.agent": ("AgentInvoker",),
        "memory.agents.agent_runner": ("AgentRunner",),
        "memory.agents.idle_strategy": ("IdleStrategy",),
        "native": ("get_include",),
        "version": ("__version__",),
    },
)
