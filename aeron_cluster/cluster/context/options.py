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
    from aeron_cluster.cluster.context.cluster_clock import ClusterClock
    from aeron_cluster.cluster.context.extension import ConsensusModuleExtension
    from aeron_cluster.cluster.context.timer_service import TimerServiceSupplier
    from aeron_cluster.cluster.security import Authenticator, AuthorisationService
    from aeron_cluster.cluster.state.app_version import AppVersionValidator
    from aeron_cluster.codecs.channel_uri import ChannelUri
    from aeron_cluster.config import Duration, Size
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["ConsensusModuleOptions"]


class ConsensusModuleOptions(TypedDict, total=False):
    """The options of `ConsensusModule.launch` and `ConsensusModuleContext.of`."""

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
    ingress_channel: str | ChannelUri | None
    """Channel from clients to the leader: aeron.cluster.ingress.channel."""
    ingress_stream_id: int | None
    """Stream of ingress: aeron.cluster.ingress.stream.id (default: 101)."""
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
    member_endpoints: str | None
    """Endpoints of this member, compared with the list: aeron.cluster.member.endpoints."""
    appointed_leader_id: int | None
    """Only this member becomes a candidate; -1: all: aeron.cluster.appointed.leader.id (default:
    -1)."""
    services_dir: str | os.PathLike[str] | None
    """Directory of the services' mark files; unset: the cluster's: aeron.cluster.services.dir."""
    ingress_ipc_allowed: bool | None
    """Accept IPC clients at the leader: aeron.cluster.ingress.ipc.allowed (default: False)."""
    ingress_fragment_limit: int | None
    """Fragments of ingress polled per pass: aeron.cluster.ingress.fragment.limit (default: 50)."""
    egress_channel: str | ChannelUri | None
    """Replaces the clients' response channels: aeron.cluster.egress.channel."""
    log_channel: str | ChannelUri | None
    """Channel of the log from leader to followers: aeron.cluster.log.channel (default:
    aeron:udp?term-length=64m)."""
    log_stream_id: int | None
    """Stream of the log: aeron.cluster.log.stream.id (default: 100)."""
    log_control_enable: bool | None
    """Bind the log's control address: aeron.cluster.log.control.enable (default: True)."""
    consensus_control_enable: bool | None
    """Bind members' control addresses: aeron.cluster.consensus.control.enable (default: True)."""
    consensus_source_check: bool | None
    """Accept consensus messages from the members' hosts only: aeron.cluster.consensus.source.check
    (default: True)."""
    consensus_source_hosts: str | None
    """Hosts and networks of backups and standbys, which send requests to members (not Aeron's):
    aeron.cluster.consensus.source.hosts."""
    consensus_source_resolution_interval_ns: Duration | None
    """Shortest time between resolutions of the members' names:
    aeron.cluster.consensus.source.resolution.interval (default: 1s)."""
    replication_channel: str | ChannelUri | None
    """Channel on which snapshots and logs are replicated: aeron.cluster.replication.channel."""
    follower_catchup_channel: str | ChannelUri | None
    """Channel of replays to a lagging member: aeron.cluster.follower.catchup.channel (default:
    aeron:udp)."""
    leader_archive_control_channel: str | ChannelUri | None
    """Channel for requests to the leader's archive: aeron.cluster.leader.archive.control.channel
    (default: aeron:udp?term-length=64k)."""
    snapshot_stream_id: int | None
    """Stream of the module's snapshots: aeron.cluster.snapshot.stream.id (default: 107)."""
    service_count: int | None
    """Number of services of each member: aeron.cluster.service.count (default: 1)."""
    max_sessions: int | None
    """Highest number of concurrent sessions: aeron.cluster.max.sessions (default: 10)."""
    max_pending_sessions: int | None
    """Pending connect requests; unset: twice the sessions, at least 256:
    aeron.cluster.max.pending.sessions."""
    max_pending_sessions_per_source: int | None
    """Pending connect requests of one host; unset: the sessions, at least 64:
    aeron.cluster.max.pending.sessions.per.source."""
    session_timeout_ns: Duration | None
    """Timeout of an inactive client: aeron.cluster.session.timeout (default: 10s)."""
    leader_heartbeat_timeout_ns: Duration | None
    """Timeout of an inactive leader: aeron.cluster.leader.heartbeat.timeout (default: 10s)."""
    leader_heartbeat_interval_ns: Duration | None
    """Interval of a leader's heartbeats: aeron.cluster.leader.heartbeat.interval (default:
    200ms)."""
    startup_canvass_timeout_ns: Duration | None
    """How long to wait for all members on start: aeron.cluster.startup.canvass.timeout (default:
    60s)."""
    election_timeout_ns: Duration | None
    """Timeout of a ballot: aeron.cluster.election.timeout (default: 1s)."""
    election_status_interval_ns: Duration | None
    """Interval of sending positions in an election: aeron.cluster.election.status.interval
    (default: 100ms)."""
    termination_timeout_ns: Duration | None
    """How long members and services may take to end: aeron.cluster.termination.timeout (default:
    10s)."""
    cycle_threshold_ns: Duration | None
    """Duration above which a pass is counted: aeron.cluster.cycle.threshold (default: 100ms)."""
    total_snapshot_threshold_ns: Duration | None
    """Duration above which a snapshot is counted: aeron.cluster.total.snapshot.threshold (default:
    1s)."""
    snapshot_interval_ns: Duration | None
    """Time between scheduled snapshots; 0: only on request (not Aeron's):
    aeron.cluster.snapshot.interval (default: 0ns)."""
    snapshots_kept: int | None
    """Snapshots kept: older ones and the log before them are purged; 0: all stay (not Aeron's):
    aeron.cluster.snapshots.kept (default: 0)."""
    purge_backups: str | None
    """Consensus endpoints of backups that must have the log before it is purged (not Aeron's):
    aeron.cluster.purge.backups."""
    wheel_tick_resolution_ns: Duration | None
    """Duration of a tick of the timer wheel: aeron.cluster.wheel.tick.resolution (default: 8ms)."""
    ticks_per_wheel: int | None
    """Ticks of the timer wheel: aeron.cluster.ticks.per.wheel (default: 128)."""
    timer_service_supplier: str | TimerServiceSupplier | None
    """Keeps timers in a wheel, a heap, or module:function, a TimerServiceSupplier:
    aeron.cluster.timer.service.supplier (default: io.aeron.cluster.WheelTimerServiceSupplier)."""
    clock: str | ClusterClock | None
    """Unit of cluster time, or module:Class of a ClusterClock: aeron.cluster.clock (default:
    io.aeron.cluster.MillisecondClusterClock)."""
    authenticator_supplier: Callable[[], Authenticator]
    """Authenticates clients: module:function that returns an Authenticator:
    aeron.cluster.authenticator.supplier (default:
    io.aeron.security.DefaultAuthenticatorSupplier)."""
    authenticator_file: str | os.PathLike[str] | None
    """File of users and hashes of their passwords: aeron.cluster.authenticator.file."""
    authorisation_service_supplier: str | None
    """Authorises requests: ALLOW_ALL, DENY_ALL, or module:function that returns an
    AuthorisationService; unset: those of backups: aeron.cluster.authorisation.service.supplier."""
    authorisation_file: str | os.PathLike[str] | None
    """File of each principal's permissions: aeron.cluster.authorisation.file."""
    accept_standby_snapshots: bool | None
    """Use snapshots that standbys took: aeron.cluster.accept.standby.snapshots (default: False)."""
    standby_snapshot_notification_processing_delay_ns: Duration | None
    """Delay before a standby's snapshot is checked:
    aeron.cluster.standby.snapshot.notification.processing.delay (default: 0ns)."""
    consensus_module_agent_role_name: str | None
    """Name of the agent; unset: consensus-module-<cluster id>-<member id>:
    aeron.cluster.consensus.module.agent.role.name."""
    consensus_module_extension: str | None
    """Module:Class of a ConsensusModuleExtension, instead of services:
    aeron.cluster.consensus.module.extension."""
    file_sync_level: int | None
    """Sync of the recording log: 0 none, 1 data, 2 all: aeron.cluster.file.sync.level (default:
    0)."""
    seams: Seams
    aeron: Aeron | None
    driver_invoker: Callable[[], object] | None
    archive: ArchiveClientOptions
    threading_mode: Literal["SHARED", "INVOKER"]
    delete_dir_on_start: bool
    authorisation_service: AuthorisationService
    credentials: Credentials
    extension: ConsensusModuleExtension | None
    app_version: int
    app_version_validator: AppVersionValidator
    cluster_time_consumer: Callable[[int], object] | None
    error_handler: Callable[[Exception], object]
    termination_hook: Callable[[], object] | None
