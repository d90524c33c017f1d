from aeron_cluster.client.credentials import Credentials as Credentials
from aeron_cluster.cluster_client.async_client import (
    AsyncClusterClient as AsyncClusterClient,
)
from aeron_cluster.cluster_client.async_client import (
    ServiceMessage as ServiceMessage,
)
from aeron_cluster.cluster_client.async_client import (
    StateChange as StateChange,
)
from aeron_cluster.cluster_client.cluster_client import (
    AeronCluster as AeronCluster,
)
from aeron_cluster.cluster_client.cluster_client import (
    AsyncConnect as AsyncConnect,
)
from aeron_cluster.cluster_client.cluster_client import (
    ClientState as ClientState,
)
from aeron_cluster.cluster_client.context import ClusterClientContext as ClusterClientContext
from aeron_cluster.cluster_client.egress_adapter import EgressAdapter as EgressAdapter
from aeron_cluster.cluster_client.egress_listener import EgressListener as EgressListener
from aeron_cluster.cluster_client.egress_poller import EgressPoller as EgressPoller
from aeron_cluster.cluster_client.request_listener import RequestListener as RequestListener
from aeron_cluster.cluster_client.session_ingress import SessionIngress as SessionIngress
from aeron_cluster.cluster_client.survival_state import SurvivalState as SurvivalState
from aeron_cluster.cluster_client.surviving_client import (
    SurvivingClient as SurvivingClient,
)
from aeron_cluster.cluster_client.surviving_client import (
    SurvivingContext as SurvivingContext,
)

__all__ = [
    "AeronCluster",
    "AsyncClusterClient",
    "AsyncConnect",
    "ClientState",
    "ClusterClientContext",
    "Credentials",
    "EgressAdapter",
    "EgressListener",
    "EgressPoller",
    "RequestListener",
    "ServiceMessage",
    "SessionIngress",
    "StateChange",
    "SurvivalState",
    "SurvivingClient",
    "SurvivingContext",
]
