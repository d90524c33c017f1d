# Generated from config.py by tools/generate_options.py. Edit config.py, run it again.
"""The types of options, by keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import Literal

    from aeron_cluster.archive.client.options import ArchiveClientOptions
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.credentials import Credentials
    from aeron_cluster.cluster.backup.events import BackupEventsListener
    from aeron_cluster.codecs.channel_uri import ChannelUri
    from aeron_cluster.config import Duration, Size
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["BackupOptions"]


class BackupOptions(TypedDict, total=False):
    """The options of `ClusterBackup.launch` and `BackupContext.of`."""

    aeron_dir: str | os.PathLike[str] | None
    """Directory of the driver, which its clients share: aeron.dir (default: that of this user)."""
    file_page_size: Size | None
    """Page size to which file lengths are rounded up: aeron.file.page.size (default: 4k)."""
    cluster_id: int | None
    """Id of the cluster among clusters: aeron.cluster.id (default: 0)."""
    cluster_dir: str | os.PathLike[str] | None
    """Directory of a member: aeron.cluster.dir (default: aeron-cluster)."""
    mark_file_dir: str | os.PathLike[str] | None
    """Directory of the mark files; unset: the cluster's: aeron.cluster.mark.file.dir."""
    consensus_channel: str | ChannelUri | None
    """Channel between members: aeron.cluster.consensus.channel (default: aeron:udp)."""
    consensus_stream_id: int | None
    """Stream between members: aeron.cluster.consensus.stream.id (default: 108)."""
    replication_progress_timeout_ns: Duration | None
    """Time without progress after which a replication fails:
    aeron.cluster.replication.progress.timeout (default: 10s)."""
    replication_progress_interval_ns: Duration | None
    """Time between checks of its progress; unset: a tenth of the timeout:
    aeron.cluster.replication.progress.interval."""
    error_buffer_length: Size | None
    """Distinct error log: aeron.cluster.error.buffer.length (default: 1m)."""
    cluster_members: str | None
    """Endpoints of all members: aeron.cluster.members."""
    member_id: int | None
    """Id of this member: aeron.cluster.member.id (default: 0)."""
    event_cluster_log: str | None
    """Events to log: names and numbers, separated by commas, or all: aeron.event.cluster.log."""
    event_cluster_log_disable: str | None
    """Events to leave out of them: aeron.event.cluster.log.disable."""
    event_log_filename: str | None
    """File to which logged events are appended; unset: standard output:
    aeron.event.log.filename."""
    event_buffer_length: Size | None
    """Buffer of logged events, from which other processes read the recent ones:
    aeron.event.buffer.length (default: 8m)."""
    idle_strategy: str | None
    """Idle strategy of the backup's agent: aeron.cluster.idle.strategy (default: backoff)."""
    replication_channel: str | ChannelUri | None
    """Channel on which snapshots are replicated: aeron.cluster.replication.channel."""
    log_stream_id: int | None
    """Stream of the replayed log: aeron.cluster.log.stream.id (default: 100)."""
    consensus_endpoints: str | None
    """Consensus endpoints of the members to query: aeron.cluster.consensus.endpoints."""
    backup_catchup_endpoint: str | None
    """Endpoint that receives log and snapshots: aeron.cluster.backup.catchup.endpoint."""
    backup_catchup_channel: str | ChannelUri | None
    """Template of the channel for that endpoint: aeron.cluster.backup.catchup.channel (default:
    aeron:udp?alias=backup|cc=cubic|so-sndbuf=512k|so-rcvbuf=512k|rcv-wnd=512k)."""
    backup_interval_ns: Duration | None
    """Time between queries: aeron.cluster.backup.interval (default: 3600s)."""
    backup_response_timeout_ns: Duration | None
    """How long to wait for the response to a query: aeron.cluster.backup.response.timeout (default:
    5s)."""
    backup_progress_timeout_ns: Duration | None
    """Time without progress after which a step fails: aeron.cluster.backup.progress.timeout
    (default: 10s)."""
    backup_cool_down_interval_ns: Duration | None
    """Delay after a failure: aeron.cluster.backup.cool.down.interval (default: 30s)."""
    backup_source_type: Literal["ANY", "LEADER", "FOLLOWER"] | None
    """Which members to query: aeron.cluster.backup.source.type (default: ANY)."""
    backup_initial_replay_start: Literal["BEGINNING", "LATEST_SNAPSHOT"] | None
    """Position at which a first backup starts: cluster.backup.initial.replay.start (default:
    BEGINNING)."""
    seams: Seams
    aeron: Aeron | None
    driver_invoker: Callable[[], object] | None
    archive: ArchiveClientOptions
    cluster_archive: ArchiveClientOptions
    threading_mode: Literal["SHARED", "INVOKER"]
    delete_dir_on_start: bool
    credentials: Credentials
    error_handler: Callable[[Exception], object]
    events_listener: BackupEventsListener | None
    termination_hook: Callable[[], object] | None
