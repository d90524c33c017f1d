from aeron_cluster.client.security import (
    Authenticator as Authenticator,
)
from aeron_cluster.client.security import (
    AuthorisationService as AuthorisationService,
)
from aeron_cluster.client.security import (
    SimpleAuthenticator as SimpleAuthenticator,
)
from aeron_cluster.client.security import (
    SimpleAuthorisationService as SimpleAuthorisationService,
)
from aeron_cluster.cluster.assembly import (
    ClusterNode as ClusterNode,
)
from aeron_cluster.cluster.assembly import (
    in_pass_order as in_pass_order,
)
from aeron_cluster.cluster.assembly import (
    local_member as local_member,
)
from aeron_cluster.cluster.backup.cluster_backup import ClusterBackup as ClusterBackup
from aeron_cluster.cluster.backup.context import BackupContext as BackupContext
from aeron_cluster.cluster.backup.counters import BackupState as BackupState
from aeron_cluster.cluster.backup.events import BackupEventsListener as BackupEventsListener
from aeron_cluster.cluster.context.cluster_clock import ClusterClock as ClusterClock
from aeron_cluster.cluster.context.extension import (
    ClusterClientSession as ClusterClientSession,
)
from aeron_cluster.cluster.context.extension import (
    ConsensusControlState as ConsensusControlState,
)
from aeron_cluster.cluster.context.extension import (
    ConsensusModuleControl as ConsensusModuleControl,
)
from aeron_cluster.cluster.context.extension import (
    ConsensusModuleExtension as ConsensusModuleExtension,
)
from aeron_cluster.cluster.context.module_context import (
    ConsensusModuleContext as ConsensusModuleContext,
)
from aeron_cluster.cluster.context.timer_service import (
    TimerService as TimerService,
)
from aeron_cluster.cluster.context.timer_service import (
    TimerServiceSupplier as TimerServiceSupplier,
)
from aeron_cluster.cluster.election.election_state import ElectionState as ElectionState
from aeron_cluster.cluster.latency.latency_file import (
    Stage as Stage,
)
from aeron_cluster.cluster.latency.latency_file import (
    StageLatency as StageLatency,
)
from aeron_cluster.cluster.latency.latency_file import (
    read_latencies as read_latencies,
)
from aeron_cluster.cluster.members.members import (
    Member as Member,
)
from aeron_cluster.cluster.members.members import (
    parse_members as parse_members,
)
from aeron_cluster.cluster.members.role import Role as Role
from aeron_cluster.cluster.module.consensus_module import ConsensusModule as ConsensusModule
from aeron_cluster.cluster.security.file_authenticator import FileAuthenticator as FileAuthenticator
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
from aeron_cluster.cluster.service.native_service import NativeService as NativeService
from aeron_cluster.cluster.state.app_version import AppVersionValidator as AppVersionValidator
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory as ClusterDirectory
from aeron_cluster.cluster.tools.restore import (
    Restored as Restored,
)
from aeron_cluster.cluster.tools.restore import (
    restore as restore,
)
from aeron_cluster.cluster.tools.status import (
    NodeStatus as NodeStatus,
)
from aeron_cluster.cluster.tools.status import (
    read_status as read_status,
)
from aeron_cluster.codecs.cluster import (
    CloseReason as CloseReason,
)
from aeron_cluster.codecs.cluster import (
    ClusterTimeUnit as ClusterTimeUnit,
)

__all__ = [
    "AppVersionValidator",
    "Authenticator",
    "AuthorisationService",
    "BackupContext",
    "BackupEventsListener",
    "BackupState",
    "ClientSession",
    "CloseReason",
    "Cluster",
    "ClusterBackup",
    "ClusterClientSession",
    "ClusterClock",
    "ClusterDirectory",
    "ClusterNode",
    "ClusterTimeUnit",
    "ClusteredService",
    "ClusteredServiceContainer",
    "ConsensusControlState",
    "ConsensusModule",
    "ConsensusModuleContext",
    "ConsensusModuleControl",
    "ConsensusModuleExtension",
    "ContainerContext",
    "Deduplication",
    "ElectionState",
    "FileAuthenticator",
    "LeadershipTerm",
    "Member",
    "NativeService",
    "NodeStatus",
    "NotAccepted",
    "Request",
    "Restored",
    "Role",
    "SimpleAuthenticator",
    "SimpleAuthorisationService",
    "Stage",
    "StageLatency",
    "TimerService",
    "TimerServiceSupplier",
    "in_pass_order",
    "local_member",
    "parse_members",
    "read_latencies",
    "read_status",
    "restore",
]
