from aeron_cluster.archive.archive import Archive as Archive
from aeron_cluster.archive.assembly import ArchivingMediaDriver as ArchivingMediaDriver
from aeron_cluster.archive.client.archive_client import AeronArchive as AeronArchive
from aeron_cluster.archive.client.client_context import ArchiveClientContext as ArchiveClientContext
from aeron_cluster.archive.client.replay_merge import ReplayMerge as ReplayMerge
from aeron_cluster.archive.context import ArchiveContext as ArchiveContext
from aeron_cluster.client.aeron import Aeron as Aeron
from aeron_cluster.client.async_streams import (
    AsyncPublication as AsyncPublication,
)
from aeron_cluster.client.async_streams import (
    AsyncSubscription as AsyncSubscription,
)
from aeron_cluster.client.context import ClientContext as ClientContext
from aeron_cluster.client.counter import Counter as Counter
from aeron_cluster.client.credentials import Credentials as Credentials
from aeron_cluster.client.image import Image as Image
from aeron_cluster.client.not_sent import (
    ADMIN_ACTION as ADMIN_ACTION,
)
from aeron_cluster.client.not_sent import (
    BACK_PRESSURED as BACK_PRESSURED,
)
from aeron_cluster.client.not_sent import (
    NOT_CONNECTED as NOT_CONNECTED,
)
from aeron_cluster.client.not_sent import (
    NotSent as NotSent,
)
from aeron_cluster.client.publication import (
    BufferClaim as BufferClaim,
)
from aeron_cluster.client.publication import (
    ExclusivePublication as ExclusivePublication,
)
from aeron_cluster.client.publication import (
    Publication as Publication,
)
from aeron_cluster.client.subscription import Subscription as Subscription
from aeron_cluster.cluster.assembly import (
    ClusterNode as ClusterNode,
)
from aeron_cluster.cluster.assembly import (
    local_member as local_member,
)
from aeron_cluster.cluster.backup.cluster_backup import ClusterBackup as ClusterBackup
from aeron_cluster.cluster.backup.context import BackupContext as BackupContext
from aeron_cluster.cluster.context.extension import (
    ConsensusModuleExtension as ConsensusModuleExtension,
)
from aeron_cluster.cluster.context.module_context import (
    ConsensusModuleContext as ConsensusModuleContext,
)
from aeron_cluster.cluster.members.members import Member as Member
from aeron_cluster.cluster.members.role import Role as Role
from aeron_cluster.cluster.module.consensus_module import ConsensusModule as ConsensusModule
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
from aeron_cluster.cluster.service.deduplication import Deduplication as Deduplication
from aeron_cluster.cluster.service.native_service import NativeService as NativeService
from aeron_cluster.cluster_client.async_client import AsyncClusterClient as AsyncClusterClient
from aeron_cluster.cluster_client.cluster_client import AeronCluster as AeronCluster
from aeron_cluster.cluster_client.context import ClusterClientContext as ClusterClientContext
from aeron_cluster.cluster_client.egress_listener import EgressListener as EgressListener
from aeron_cluster.cluster_client.request_listener import RequestListener as RequestListener
from aeron_cluster.cluster_client.surviving_client import (
    SurvivingClient as SurvivingClient,
)
from aeron_cluster.cluster_client.surviving_client import (
    SurvivingContext as SurvivingContext,
)
from aeron_cluster.codecs.channel_uri import ChannelUri as ChannelUri
from aeron_cluster.codecs.cluster import CloseReason as CloseReason
from aeron_cluster.config import parse_properties as parse_properties
from aeron_cluster.driver.context import DriverContext as DriverContext
from aeron_cluster.driver.media_driver import MediaDriver as MediaDriver
from aeron_cluster.errors import AeronClusterError as AeronClusterError
from aeron_cluster.logbuffer.fragment_assembler import (
    ControlledFragmentAssembler as ControlledFragmentAssembler,
)
from aeron_cluster.logbuffer.fragment_assembler import (
    FragmentAssembler as FragmentAssembler,
)
from aeron_cluster.logbuffer.image_poller import Action as Action
from aeron_cluster.logbuffer.message_batch import MessageBatch as MessageBatch
from aeron_cluster.logbuffer.message_view import (
    Header as Header,
)
from aeron_cluster.logbuffer.message_view import (
    MessageView as MessageView,
)
from aeron_cluster.memory.agents.agent import AgentInvoker as AgentInvoker
from aeron_cluster.memory.agents.agent_runner import AgentRunner as AgentRunner
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy as IdleStrategy
from aeron_cluster.native import get_include as get_include
from aeron_cluster.version import __version__ as __version__

__all__ = [
    "ADMIN_ACTION",
    "BACK_PRESSURED",
    "NOT_CONNECTED",
    "Action",
    "Aeron",
    "AeronArchive",
    "AeronCluster",
    "AeronClusterError",
    "AgentInvoker",
    "AgentRunner",
    "Archive",
    "ArchiveClientContext",
    "ArchiveContext",
    "ArchivingMediaDriver",
    "AsyncClusterClient",
    "AsyncPublication",
    "AsyncSubscription",
    "BackupContext",
    "BufferClaim",
    "ChannelUri",
    "ClientContext",
    "ClientSession",
    "CloseReason",
    "Cluster",
    "ClusterBackup",
    "ClusterClientContext",
    "ClusterNode",
    "ClusteredService",
    "ClusteredServiceContainer",
    "ConsensusModule",
    "ConsensusModuleContext",
    "ConsensusModuleExtension",
    "ContainerContext",
    "ControlledFragmentAssembler",
    "Counter",
    "Credentials",
    "Deduplication",
    "DriverContext",
    "EgressListener",
    "ExclusivePublication",
    "FragmentAssembler",
    "Header",
    "IdleStrategy",
    "Image",
    "LeadershipTerm",
    "MediaDriver",
    "Member",
    "MessageBatch",
    "MessageView",
    "NativeService",
    "NotSent",
    "Publication",
    "ReplayMerge",
    "RequestListener",
    "Role",
    "Subscription",
    "SurvivingClient",
    "SurvivingContext",
    "__version__",
    "get_include",
    "local_member",
    "parse_properties",
]
