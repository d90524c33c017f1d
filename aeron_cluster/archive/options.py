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
    from aeron_cluster.client.security import Authenticator, AuthorisationService
    from aeron_cluster.codecs.channel_uri import ChannelUri
    from aeron_cluster.config import Duration, Size
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["ArchiveOptions"]


class ArchiveOptions(TypedDict, total=False):
    """The options of `Archive.launch` and `ArchiveContext.of`."""

    aeron_dir: str | os.PathLike[str] | None
    """Directory of the driver, which its clients share: aeron.dir (default: that of this user)."""
    file_page_size: Size | None
    """Page size to which file lengths are rounded up: aeron.file.page.size (default: 4k)."""
    archive_dir: str | os.PathLike[str] | None
    """Recordings and catalog: aeron.archive.dir (default: aeron-archive)."""
    dir_delete_on_start: bool | None
    """Delete the archive's directory on start: aeron.archive.dir.delete.on.start (default:
    False)."""
    mark_file_dir: str | os.PathLike[str] | None
    """Directory of the mark file; unset: the archive's: aeron.archive.mark.file.dir."""
    archive_id: int | None
    """Id of the archive; unset: the Aeron client's id: aeron.archive.id."""
    control_channel: str | ChannelUri | None
    """Channel for requests to an archive: aeron.archive.control.channel."""
    control_stream_id: int | None
    """Stream of these requests: aeron.archive.control.stream.id (default: 10)."""
    control_channel_enabled: bool | None
    """Whether the control channel is open: aeron.archive.control.channel.enabled (default:
    True)."""
    local_control_channel: str | ChannelUri | None
    """Channel for requests of clients of the same driver: aeron.archive.local.control.channel
    (default: aeron:ipc?term-length=64k)."""
    local_control_stream_id: int | None
    """Stream of these requests: aeron.archive.local.control.stream.id (default: 10)."""
    control_term_buffer_length: Size | None
    """Term length of requests and responses: aeron.archive.control.term.buffer.length (default:
    64k)."""
    control_term_buffer_sparse: bool | None
    """Whether their logs are sparse: aeron.archive.control.term.buffer.sparse (default: True)."""
    control_mtu_length: Size | None
    """Longest frame of requests and responses: aeron.archive.control.mtu.length (default: 1408)."""
    recording_events_enabled: bool | None
    """Publish recording events: aeron.archive.recording.events.enabled (default: False)."""
    recording_events_channel: str | ChannelUri | None
    """Channel for recording events: aeron.archive.recording.events.channel."""
    recording_events_stream_id: int | None
    """Stream of recording events: aeron.archive.recording.events.stream.id (default: 30)."""
    replication_channel: str | ChannelUri | None
    """Channel on which replicated streams are received: aeron.archive.replication.channel."""
    segment_file_length: Size | None
    """Length of each segment of a recording: aeron.archive.segment.file.length (default: 128m)."""
    file_io_max_length: Size | None
    """Highest number of bytes of one read or write: aeron.archive.file.io.max.length (default:
    1m)."""
    file_sync_level: int | None
    """0 none, 1 data, 2 all, after each block: aeron.archive.file.sync.level (default: 0)."""
    catalog_file_sync_level: int | None
    """The same for the catalog: aeron.archive.catalog.file.sync.level (default: 0)."""
    catalog_capacity: Size | None
    """Initial length of the catalog: aeron.archive.catalog.capacity (default: 1m)."""
    low_storage_space_threshold: Size | None
    """Free space below which recordings are stopped: aeron.archive.low.storage.space.threshold
    (default: 128m)."""
    max_concurrent_recordings: int | None
    """Concurrent recordings: aeron.archive.max.concurrent.recordings (default: 20)."""
    max_concurrent_replays: int | None
    """Concurrent replays: aeron.archive.max.concurrent.replays (default: 20)."""
    connect_timeout_ns: Duration | None
    """How long a connecting client may take to answer: aeron.archive.connect.timeout (default:
    5s)."""
    session_liveness_check_interval_ns: Duration | None
    """Time between liveness checks of clients: aeron.archive.session.liveness.check.interval
    (default: 1s)."""
    replay_linger_timeout_ns: Duration | None
    """How long a finished replay lingers: aeron.archive.replay.linger.timeout (default: 5s)."""
    conductor_cycle_threshold_ns: Duration | None
    """Duration above which a pass is counted: aeron.archive.conductor.cycle.threshold (default:
    100ms)."""
    recorder_cycle_threshold_ns: Duration | None
    """Duration above which a pass is counted: aeron.archive.recorder.cycle.threshold (default:
    100ms)."""
    replayer_cycle_threshold_ns: Duration | None
    """Duration above which a pass is counted: aeron.archive.replayer.cycle.threshold (default:
    100ms)."""
    threading_mode: Literal["DEDICATED", "SHARED", "INVOKER"] | None
    """How the archive's agents share threads: aeron.archive.threading.mode (default: DEDICATED)."""
    idle_strategy: str | None
    """Idle strategy of the archive's agents: aeron.archive.idle.strategy (default: backoff)."""
    recorder_idle_strategy: str | None
    """Idle strategy of the recorder; unset: the archive's: aeron.archive.recorder.idle.strategy."""
    replayer_idle_strategy: str | None
    """Idle strategy of the replayer; unset: the archive's: aeron.archive.replayer.idle.strategy."""
    error_buffer_length: Size | None
    """Distinct error log: aeron.archive.error.buffer.length (default: 1m)."""
    record_checksum: str | None
    """Checksum of what is recorded: CRC-32C, CRC-32, none; unset: none, in a cluster's CRC-32C:
    aeron.archive.record.checksum."""
    replay_checksum: str | None
    """To verify on replay: recorded (where there is one), a checksum, none; unset: none, in a
    cluster's recorded: aeron.archive.replay.checksum."""
    authenticator_supplier: Callable[[], Authenticator]
    """Authenticates clients: module:function that returns an Authenticator:
    aeron.archive.authenticator.supplier (default:
    io.aeron.security.DefaultAuthenticatorSupplier)."""
    event_archive_log: str | None
    """Events to log: names and numbers, separated by commas, or all: aeron.event.archive.log."""
    event_archive_log_disable: str | None
    """Events to leave out of them: aeron.event.archive.log.disable."""
    event_log_filename: str | None
    """File to which logged events are appended; unset: standard output:
    aeron.event.log.filename."""
    event_buffer_length: Size | None
    """Buffer of logged events, from which other processes read the recent ones:
    aeron.event.buffer.length (default: 8m)."""
    authorisation_service_supplier: str | None
    """Authorises requests: ALLOW_ALL, DENY_ALL, or module:function that returns an
    AuthorisationService; unset: all are allowed: aeron.archive.authorisation.service.supplier."""
    max_catalog_entries: int | None
    """Accepted for compatibility, not used: aeron.archive.max.catalog.entries (default: 8192)."""
    seams: Seams
    aeron: Aeron | None
    driver_invoker: Callable[[], object] | None
    authorisation_service: AuthorisationService
    error_handler: Callable[[Exception], object]
    archive_client: ArchiveClientOptions
