from aeron_cluster.archive.archive import Archive as Archive
from aeron_cluster.archive.assembly import ArchivingMediaDriver as ArchivingMediaDriver
from aeron_cluster.archive.async_archive import AsyncAeronArchive as AsyncAeronArchive
from aeron_cluster.archive.client.archive_client import AeronArchive as AeronArchive
from aeron_cluster.archive.client.async_connect import AsyncConnect as AsyncConnect
from aeron_cluster.archive.client.client_connect import (
    ArchiveConnect as ArchiveConnect,
)
from aeron_cluster.archive.client.client_connect import (
    ArchiveConnectStep as ArchiveConnectStep,
)
from aeron_cluster.archive.client.client_context import ArchiveClientContext as ArchiveClientContext
from aeron_cluster.archive.client.recording_events import (
    RecordingEventsAdapter as RecordingEventsAdapter,
)
from aeron_cluster.archive.client.recording_events import (
    RecordingEventsListener as RecordingEventsListener,
)
from aeron_cluster.archive.client.recording_events import (
    RecordingEventsPoller as RecordingEventsPoller,
)
from aeron_cluster.archive.client.replay_merge import (
    ReplayMerge as ReplayMerge,
)
from aeron_cluster.archive.client.replay_merge import (
    ReplayMergeState as ReplayMergeState,
)
from aeron_cluster.archive.client.replication_params import ReplicationParams as ReplicationParams
from aeron_cluster.archive.context import ArchiveContext as ArchiveContext
from aeron_cluster.archive.persistent.context import FROM_LIVE as FROM_LIVE
from aeron_cluster.archive.persistent.context import FROM_START as FROM_START
from aeron_cluster.archive.persistent.context import (
    PersistentSubscriptionContext as PersistentSubscriptionContext,
)
from aeron_cluster.archive.persistent.listener import (
    PersistentSubscriptionListener as PersistentSubscriptionListener,
)
from aeron_cluster.archive.persistent.persistent_subscription import (
    PersistentSubscription as PersistentSubscription,
)
from aeron_cluster.archive.persistent.state import (
    PersistentSubscriptionState as PersistentSubscriptionState,
)
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode as ArchiveErrorCode
from aeron_cluster.archive.storage.checksum import Checksum as Checksum
from aeron_cluster.codecs.archive import RecordingDescriptor as RecordingDescriptor
from aeron_cluster.codecs.archive import RecordingProgress as RecordingProgress
from aeron_cluster.codecs.archive import RecordingStarted as RecordingStarted
from aeron_cluster.codecs.archive import RecordingStopped as RecordingStopped

__all__ = [
    "FROM_LIVE",
    "FROM_START",
    "AeronArchive",
    "Archive",
    "ArchiveClientContext",
    "ArchiveConnect",
    "ArchiveConnectStep",
    "ArchiveContext",
    "ArchiveErrorCode",
    "ArchivingMediaDriver",
    "AsyncAeronArchive",
    "AsyncConnect",
    "Checksum",
    "PersistentSubscription",
    "PersistentSubscriptionContext",
    "PersistentSubscriptionListener",
    "PersistentSubscriptionState",
    "RecordingDescriptor",
    "RecordingEventsAdapter",
    "RecordingEventsListener",
    "RecordingEventsPoller",
    "RecordingProgress",
    "RecordingStarted",
    "RecordingStopped",
    "ReplayMerge",
    "ReplayMergeState",
    "ReplicationParams",
]
