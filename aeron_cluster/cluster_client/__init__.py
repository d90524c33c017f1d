"""Clients of a cluster: a session's ingress and egress, and a client that outlives its sessions."""

from aeron_cluster.cluster_client.cluster_client import AeronCluster, AsyncConnect, ClientState
from aeron_cluster.cluster_client.context import ClusterClientContext
from aeron_cluster.cluster_client.egress_listener import EgressListener
from aeron_cluster.cluster_client.request_listener import RequestListener
from aeron_cluster.cluster_client.survival_state import SurvivalState
from aeron_cluster.cluster_client.surviving_client import SurvivingClient, SurvivingContext

__all__ = [
    "AeronCluster",
    "AsyncConnect",
    "ClientState",
    "ClusterClientContext",
    "EgressListener",
    "RequestListener",
    "SurvivalState",
    "SurvivingClient",
    "SurvivingContext",
]
