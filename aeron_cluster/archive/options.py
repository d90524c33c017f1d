# Generated from config.py by tools/generate_options.py. Edit config.py, run it again.
"""The types of options, by keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import Literal

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.security import Authenticator, AuthorisationService
    from aeron_cluster.config import Duration, Size
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["ArchiveOptions"]


class ArchiveOptions(TypedDict, total=False):
    """What `Archive.launch` and `ArchiveContext.of` take."""

    aeron_dir: str | os.PathLike[str] | None
    """Directory in which the driver and its clients meet: aeron.dir (default: that of this
    user)."""
    file_page_size: Size | None
    """To which file lengths are rounded up: aeron.file.page.size (default: 4k)."""
    archive_dir: str | os.PathLike[str] | None
    """Recordings and catalog: aeron.archive.dir (default: aeron-archive)."""
    dir_delete_on_start: bool | None
    """Begin with an empty archive: aeron.archive.dir.delete.on.start (default: False)."""
    mark_file_dir: str | os.PathLike[str] | None
    """Of the mark file; unset: the archive's: aeron.archive.mark.file.dir."""
    archive_id: int | None
    """Unset: the Aeron client's id: aeron.archive.id."""
    control_channel: str | None
    """Channel of requests to an archive: aeron.archive.control.channel."""
    control_stream_id: int | None
    """And their stream: aeron.archive.control.stream.id (default: 10)."""
    control_channel_enabled: bool | None
    """Whether that channel is open: aeron.archive.control.channel.enabled (default: True)."""
    local_control_channel: str | None
    """Requests of the same driver's clients: aeron.archive.local.control.channel (default:
    aeron:ipc?term-length=64k)."""
    local_control_stream_id: int | None
    """And their stream: aeron.archive.local.control.stream.id (default: 10)."""
    control_term_buffer_length: Size | None
    """Terms of requests and responses: aeron.archive.control.term.buffer.length (default: 64k)."""
    control_term_buffer_sparse: bool | None
    """Whether those are sparse: aeron.archive.control.term.buffer.sparse (default: True)."""
    control_mtu_length: Size | None
    """Longest frame of requests and responses: aeron.archive.control.mtu.length (default: 1408)."""
    recording_events_enabled: bool | None
    """Publish recording events: aeron.archive.recording.events.enabled (default: False)."""
    recording_events_channel: str | None
    """Channel of recording events: aeron.archive.recording.events.channel."""
    recording_events_stream_id: int | None
    """And its stream: aeron.archive.recording.events.stream.id (default: 30)."""
    replication_channel: str | None
    """Where replicated streams come in: aeron.archive.replication.channel."""
    segment_file_length: Size | None
    """Each segment of a recording: aeron.archive.segment.file.length (default: 128m)."""
    file_io_max_length: Size | None
    """Bytes of one read or write: aeron.archive.file.io.max.length (default: 1m)."""
    file_sync_level: int | None
    """0 none, 1 data, 2 all, after each block: aeron.archive.file.sync.level (default: 0)."""
    catalog_file_sync_level: int | None
    """The same for the catalog: aeron.archive.catalog.file.sync.level (default: 0)."""
    catalog_capacity: Size | None
    """The catalog's first length: aeron.archive.catalog.capacity (default: 1m)."""
    low_storage_space_threshold: Size | None
    """Less stops recordings: aeron.archive.low.storage.space.threshold (default: 128m)."""
    max_concurrent_recordings: int | None
    """Recordings at a time: aeron.archive.max.concurrent.recordings (default: 20)."""
    max_concurrent_replays: int | None
    """Replays at a time: aeron.archive.max.concurrent.replays (default: 20)."""
    connect_timeout_ns: Duration | None
    """A client that connects must answer: aeron.archive.connect.timeout (default: 5s)."""
    session_liveness_check_interval_ns: Duration | None
    """Between checks of clients: aeron.archive.session.liveness.check.interval (default: 1s)."""
    replay_linger_timeout_ns: Duration | None
    """A replay's end stays: aeron.archive.replay.linger.timeout (default: 5s)."""
    conductor_cycle_threshold_ns: Duration | None
    """A longer pass is counted: aeron.archive.conductor.cycle.threshold (default: 100ms)."""
    recorder_cycle_threshold_ns: Duration | None
    """A longer pass is counted: aeron.archive.recorder.cycle.threshold (default: 100ms)."""
    replayer_cycle_threshold_ns: Duration | None
    """A longer pass is counted: aeron.archive.replayer.cycle.threshold (default: 100ms)."""
    threading_mode: Literal["DEDICATED", "SHARED", "INVOKER"] | None
    """Threads of the archive: aeron.archive.threading.mode (default: DEDICATED)."""
    idle_strategy: str | None
    """How the archive's agents wait: aeron.archive.idle.strategy (default: backoff)."""
    recorder_idle_strategy: str | None
    """Unset: the archive's: aeron.archive.recorder.idle.strategy."""
    replayer_idle_strategy: str | None
    """Unset: the archive's: aeron.archive.replayer.idle.strategy."""
    error_buffer_length: Size | None
    """Distinct error log: aeron.archive.error.buffer.length (default: 1m)."""
    record_checksum: str | None
    """Checksum of what is recorded: CRC-32C, CRC-32, none; unset: none, in a cluster's CRC-32C:
    aeron.archive.record.checksum."""
    replay_checksum: str | None
    """To verify on replay: recorded (where there is one), a checksum, none; unset: none, in a
    cluster's recorded: aeron.archive.replay.checksum."""
    authenticator_supplier: Callable[[], Authenticator]
    """Who may connect: aeron.archive.authenticator.supplier (default:
    io.aeron.security.DefaultAuthenticatorSupplier)."""
    authorisation_service_supplier: str | None
    """Who may do what; unset: all: aeron.archive.authorisation.service.supplier."""
    max_catalog_entries: int | None
    """Read for old files, not used: aeron.archive.max.catalog.entries (default: 8192)."""
    seams: Seams
    aeron: Aeron | None
    driver_invoker: Callable[[], object] | None
    authorisation_service: AuthorisationService
    error_handler: Callable[[Exception], object]
    archive_client: Mapping[str, object]
