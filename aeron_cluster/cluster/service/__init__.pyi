from aeron_cluster.cluster.members.role import Role as Role
from aeron_cluster.cluster.service.client_session import ClientSession as ClientSession
from aeron_cluster.cluster.service.cluster import Cluster as Cluster
from aeron_cluster.cluster.service.clustered_service import (
    ClusteredService as ClusteredService,
)
from aeron_cluster.cluster.service.clustered_service import (
    LeadershipTerm as LeadershipTerm,
)
from aeron_cluster.cluster.service.container import (
    ClusteredServiceContainer as ClusteredServiceContainer,
)
from aeron_cluster.cluster.service.container_context import ContainerContext as ContainerContext
from aeron_cluster.cluster.service.deduplication import (
    Deduplication as Deduplication,
)
from aeron_cluster.cluster.service.deduplication import (
    NotAccepted as NotAccepted,
)
from aeron_cluster.cluster.service.deduplication import (
    Request as Request,
)
from aeron_cluster.cluster.service.native_service import (
    NativeService as NativeService,
)
from aeron_cluster.cluster.service.native_service import (
    abi_version as abi_version,
)
from aeron_cluster.cluster.service.offline.host import OfflineHost as OfflineHost
from aeron_cluster.cluster.service.offline.source import OfflineSource as OfflineSource
from aeron_cluster.cluster.service.session_batch import (
    SessionMessageBatch as SessionMessageBatch,
)
from aeron_cluster.codecs.cluster import (
    CloseReason as CloseReason,
)
from aeron_cluster.codecs.cluster import (
    ClusterTimeUnit as ClusterTimeUnit,
)
from aeron_cluster.errors import RejectedRequestError as RejectedRequestError

__all__ = [
    "ClientSession",
    "CloseReason",
    "Cluster",
    "ClusterTimeUnit",
    "ClusteredService",
    "ClusteredServiceContainer",
    "ContainerContext",
    "Deduplication",
    "LeadershipTerm",
    "NativeService",
    "NotAccepted",
    "OfflineHost",
    "OfflineSource",
    "RejectedRequestError",
    "Request",
    "Role",
    "SessionMessageBatch",
    "abi_version",
]
