# Generated from config.py by tools/generate_options.py. Edit config.py, run it again.
"""The types of options, by keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import Any, Literal

    from aeron_cluster.client.credentials import Credentials
    from aeron_cluster.config import Duration, Size
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["BackupOptions"]


class BackupOptions(TypedDict, total=False):
    """What `ClusterBackup.launch` and `BackupContext.of` take."""

    aeron_dir: str | os.PathLike[str] | None
    """Directory in which the driver and its clients meet: aeron.dir (default: that of this
    user)."""
    file_page_size: Size | None
    """To which file lengths are rounded up: aeron.file.page.size (default: 4k)."""
    cluster_id: int | None
    """Cluster among clusters: aeron.cluster.id (default: 0)."""
    cluster_dir: str | os.PathLike[str] | None
    """Of a member: aeron.cluster.dir (default: aeron-cluster)."""
    mark_file_dir: str | os.PathLike[str] | None
    """Of the mark files; unset: the cluster's: aeron.cluster.mark.file.dir."""
    consensus_channel: str | None
    """Members talk: aeron.cluster.consensus.channel (default: aeron:udp)."""
    consensus_stream_id: int | None
    """And their stream: aeron.cluster.consensus.stream.id (default: 108)."""
    replication_progress_timeout_ns: Duration | None
    """A replication must move: aeron.cluster.replication.progress.timeout (default: 10s)."""
    replication_progress_interval_ns: Duration | None
    """Unset: a tenth of the timeout: aeron.cluster.replication.progress.interval."""
    error_buffer_length: Size | None
    """Distinct error log: aeron.cluster.error.buffer.length (default: 1m)."""
    cluster_members: str | None
    """All members' endpoints: aeron.cluster.members."""
    member_id: int | None
    """Own id among the members: aeron.cluster.member.id (default: 0)."""
    idle_strategy: str | None
    """How the backup's agent waits: aeron.cluster.idle.strategy (default: backoff)."""
    replication_channel: str | None
    """Snapshots are replicated: aeron.cluster.replication.channel."""
    log_stream_id: int | None
    """The replayed log's: aeron.cluster.log.stream.id (default: 100)."""
    consensus_endpoints: str | None
    """Members to ask: aeron.cluster.consensus.endpoints."""
    backup_catchup_endpoint: str | None
    """Where log and snapshots come in: aeron.cluster.backup.catchup.endpoint."""
    backup_catchup_channel: str | None
    """Template of that channel: aeron.cluster.backup.catchup.channel (default:
    aeron:udp?alias=backup|cc=cubic|so-sndbuf=512k|so-rcvbuf=512k|rcv-wnd=512k)."""
    backup_interval_ns: Duration | None
    """Between queries: aeron.cluster.backup.interval (default: 3600s)."""
    backup_response_timeout_ns: Duration | None
    """A query is answered: aeron.cluster.backup.response.timeout (default: 5s)."""
    backup_progress_timeout_ns: Duration | None
    """A step must move: aeron.cluster.backup.progress.timeout (default: 10s)."""
    backup_cool_down_interval_ns: Duration | None
    """After a failure: aeron.cluster.backup.cool.down.interval (default: 30s)."""
    backup_source_type: Literal["ANY", "LEADER", "FOLLOWER"] | None
    """Which members to ask: aeron.cluster.backup.source.type (default: ANY)."""
    backup_initial_replay_start: Literal["BEGINNING", "LATEST_SNAPSHOT"] | None
    """Where a first one starts: cluster.backup.initial.replay.start (default: BEGINNING)."""
    seams: Seams
    driver_invoker: Callable[[], object] | None
    archive: Mapping[str, Any]
    cluster_archive: Mapping[str, Any]
    threading_mode: Literal["SHARED", "INVOKER"]
    credentials: Credentials
    error_handler: Callable[[Exception], object]
    termination_hook: Callable[[], object] | None
