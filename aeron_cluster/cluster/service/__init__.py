"""The clustered service container and what it hosts: services in Python and native ones."""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "cluster.members.role": ("Role",),
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
        "cluster.service.native_service": (
            "NativeService",
            "abi_version",
        ),
        "cluster.service.offline.host": ("OfflineHost",),
        "cluster.service.offline.source": ("OfflineSource",),
        "cluster.service.session_batch": ("SessionMessageBatch",),
        "codecs.cluster": (
            "CloseReason",
            "ClusterTimeUnit",
        ),
        "errors": ("RejectedRequestError",),
    },
)
