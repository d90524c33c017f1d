"""Catalog, recorder, replayer, control sessions, and the archive client."""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "archive.archive": ("Archive",),
        "archive.assembly": ("ArchivingMediaDriver",),
        "archive.async_archive": ("AsyncAeronArchive",),
        "archive.client.archive_client": ("AeronArchive",),
        "archive.client.async_connect": ("AsyncConnect",),
        "archive.client.client_connect": (
            "ArchiveConnect",
            "ArchiveConnectStep",
        ),
        "archive.client.client_context": ("ArchiveClientContext",),
        "archive.client.recording_events": (
            "RecordingEventsAdapter",
            "RecordingEventsListener",
            "RecordingEventsPoller",
        ),
        "archive.client.replay_merge": (
            "ReplayMerge",
            "ReplayMergeState",
        ),
        "archive.client.replication_params": ("ReplicationParams",),
        "archive.context": ("ArchiveContext",),
        "archive.persistent.context": (
            "FROM_LIVE",
            "FROM_START",
            "PersistentSubscriptionContext",
        ),
        "archive.persistent.listener": ("PersistentSubscriptionListener",),
        "archive.persistent.persistent_subscription": ("PersistentSubscription",),
        "archive.persistent.state": ("PersistentSubscriptionState",),
        "archive.protocol.error_codes": ("ArchiveErrorCode",),
        "archive.storage.checksum": ("Checksum",),
        "codecs.archive": (
            "RecordingDescriptor",
            "RecordingProgress",
            "RecordingStarted",
            "RecordingStopped",
        ),
    },
)
