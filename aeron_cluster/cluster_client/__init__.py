"""Clients of a cluster: a session's ingress and egress, and a client that outlives its sessions."""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "client.credentials": ("Credentials",),
        "cluster_client.async_client": (
            "AsyncClusterClient",
            "ServiceMessage",
            "StateChange",
        ),
        "cluster_client.cluster_client": (
            "AeronCluster",
            "AsyncConnect",
            "ClientState",
        ),
        "cluster_client.context": ("ClusterClientContext",),
        "cluster_client.egress_adapter": ("EgressAdapter",),
        "cluster_client.egress_listener": ("EgressListener",),
        "cluster_client.egress_poller": ("EgressPoller",),
        "cluster_client.request_listener": ("RequestListener",),
        "cluster_client.session_ingress": ("SessionIngress",),
        "cluster_client.survival_state": ("SurvivalState",),
        "cluster_client.surviving_client": (
            "SurvivingClient",
            "SurvivingContext",
        ),
    },
)
