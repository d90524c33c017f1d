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
    from aeron_cluster.cluster.service.clustered_service import ClusteredService
    from aeron_cluster.cluster.service.native_service import NativeService
    from aeron_cluster.cluster.state.app_version import AppVersionValidator
    from aeron_cluster.codecs.channel_uri import ChannelUri
    from aeron_cluster.config import Duration, Size
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["ServiceContainerOptions"]


class ServiceContainerOptions(TypedDict, total=False):
    """The options of `ClusteredServiceContainer.launch` and `ContainerContext.of`."""

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
    replay_channel: str | ChannelUri | None
    """Channel for replays of log and snapshots: aeron.cluster.replay.channel (default:
    aeron:ipc)."""
    replay_stream_id: int | None
    """Stream of these replays: aeron.cluster.replay.stream.id (default: 103)."""
    control_channel: str | ChannelUri | None
    """Channel between module and services: aeron.cluster.control.channel (default: aeron:ipc?term-
    length=128k)."""
    service_stream_id: int | None
    """Stream from the module to services: aeron.cluster.service.stream.id (default: 104)."""
    consensus_module_stream_id: int | None
    """Stream from services to the module: aeron.cluster.consensus.module.stream.id (default:
    105)."""
    snapshot_channel: str | ChannelUri | None
    """Channel for writing snapshots: aeron.cluster.snapshot.channel (default:
    aeron:ipc?alias=snapshot)."""
    log_fragment_limit: int | None
    """Fragments of the log polled per pass: aeron.cluster.log.fragment.limit (default: 50)."""
    idle_strategy: str | None
    """Idle strategy of the cluster's agents: aeron.cluster.idle.strategy (default: backoff)."""
    service_id: int | None
    """Id of this service: aeron.cluster.service.id (default: 0)."""
    service_name: str | None
    """Name of the service; unset: clustered-service-<cluster id>-<service id>:
    aeron.cluster.service.name."""
    service_class_name: str | None
    """The service as module:Class: aeron.cluster.service.class.name."""
    service_responder: bool | None
    """Connect egress while leader: aeron.cluster.service.responder (default: True)."""
    snapshot_stream_id: int | None
    """Of the services' snapshots: aeron.cluster.snapshot.stream.id (default: 106)."""
    service_error_buffer_length: Size | None
    """Length of the distinct error log: aeron.cluster.service.error.buffer.length (default: 1m)."""
    service_cycle_threshold_ns: Duration | None
    """Duration above which a pass is counted: aeron.cluster.service.cycle.threshold (default:
    100ms)."""
    service_snapshot_threshold_ns: Duration | None
    """Duration above which a snapshot is counted: aeron.cluster.service.snapshot.threshold
    (default: 1s)."""
    service_delegating_error_handler: str | None
    """Module:function that is called with each error:
    aeron.cluster.service.delegating.error.handler."""
    divergence_interval: Size | None
    """Bytes of log between checkpoints of the service's effects; 0: none (not Aeron's):
    aeron.cluster.service.divergence.interval (default: 0)."""
    service: ClusteredService | NativeService
    seams: Seams
    threading_mode: Literal["SHARED", "INVOKER"]
    on_callback_error: Literal["continue", "terminate"]
    check_determinism: bool
    app_version: int
    app_version_validator: AppVersionValidator
    aeron: Aeron | None
    archive: ArchiveClientOptions
    driver_invoker: Callable[[], object] | None
    error_handler: Callable[[Exception], object]
    termination_hook: Callable[[], object] | None
