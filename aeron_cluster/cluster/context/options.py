# Generated from config.py by tools/generate_options.py. Edit config.py, run it again.
"""The types of options, by keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import Any, Literal

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.credentials import Credentials
    from aeron_cluster.cluster.context.extension import ConsensusModuleExtension
    from aeron_cluster.cluster.security import Authenticator, AuthorisationService
    from aeron_cluster.config import Duration, Size
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["ConsensusModuleOptions"]


class ConsensusModuleOptions(TypedDict, total=False):
    """What `ConsensusModule.launch` and `ConsensusModuleContext.of` take."""

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
    replay_channel: str | None
    """Replays of log and snapshots: aeron.cluster.replay.channel (default: aeron:ipc)."""
    replay_stream_id: int | None
    """And their stream: aeron.cluster.replay.stream.id (default: 103)."""
    control_channel: str | None
    """Module and services talk: aeron.cluster.control.channel (default: aeron:ipc?term-
    length=128k)."""
    service_stream_id: int | None
    """From the module to services: aeron.cluster.service.stream.id (default: 104)."""
    consensus_module_stream_id: int | None
    """From services to the module: aeron.cluster.consensus.module.stream.id (default: 105)."""
    snapshot_channel: str | None
    """Snapshots are written: aeron.cluster.snapshot.channel (default: aeron:ipc?alias=snapshot)."""
    log_fragment_limit: int | None
    """Fragments of the log in a pass: aeron.cluster.log.fragment.limit (default: 50)."""
    idle_strategy: str | None
    """How the cluster's agents wait: aeron.cluster.idle.strategy (default: backoff)."""
    ingress_channel: str | None
    """Channel of clients to the leader: aeron.cluster.ingress.channel."""
    ingress_stream_id: int | None
    """And their stream: aeron.cluster.ingress.stream.id (default: 101)."""
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
    member_endpoints: str | None
    """Own endpoints, to check the list against: aeron.cluster.member.endpoints."""
    appointed_leader_id: int | None
    """Only this member stands; -1: all: aeron.cluster.appointed.leader.id (default: -1)."""
    services_dir: str | os.PathLike[str] | None
    """Of the services' mark files; unset: the cluster's: aeron.cluster.services.dir."""
    ingress_ipc_allowed: bool | None
    """Accept IPC clients at the leader: aeron.cluster.ingress.ipc.allowed (default: False)."""
    ingress_fragment_limit: int | None
    """Fragments of ingress in a pass: aeron.cluster.ingress.fragment.limit (default: 50)."""
    egress_channel: str | None
    """In place of the clients' response channels: aeron.cluster.egress.channel."""
    log_channel: str | None
    """Log from leader to members: aeron.cluster.log.channel (default: aeron:udp?term-
    length=64m)."""
    log_stream_id: int | None
    """And its stream: aeron.cluster.log.stream.id (default: 100)."""
    log_control_enable: bool | None
    """Bind the log's control address: aeron.cluster.log.control.enable (default: True)."""
    consensus_control_enable: bool | None
    """Bind members' control addresses: aeron.cluster.consensus.control.enable (default: True)."""
    consensus_source_check: bool | None
    """Accept members from their hosts only: aeron.cluster.consensus.source.check (default:
    True)."""
    consensus_source_hosts: str | None
    """Hosts and networks of backups and standbys, which ask members (not Aeron's):
    aeron.cluster.consensus.source.hosts."""
    consensus_source_resolution_interval_ns: Duration | None
    """Members' names are resolved again no sooner:
    aeron.cluster.consensus.source.resolution.interval (default: 1s)."""
    replication_channel: str | None
    """Archives replicate snapshots and logs: aeron.cluster.replication.channel."""
    follower_catchup_channel: str | None
    """Replay to a late member: aeron.cluster.follower.catchup.channel (default: aeron:udp)."""
    leader_archive_control_channel: str | None
    """To ask the leader's archive: aeron.cluster.leader.archive.control.channel (default:
    aeron:udp?term-length=64k)."""
    snapshot_stream_id: int | None
    """Of the module's snapshots: aeron.cluster.snapshot.stream.id (default: 107)."""
    service_count: int | None
    """Services of each member: aeron.cluster.service.count (default: 1)."""
    max_sessions: int | None
    """Clients at a time: aeron.cluster.max.sessions (default: 10)."""
    max_pending_sessions: int | None
    """Connect requests that wait; unset: twice the sessions, and at least 256:
    aeron.cluster.max.pending.sessions."""
    max_pending_sessions_per_source: int | None
    """Of them from one host; unset: the sessions, and at least 64:
    aeron.cluster.max.pending.sessions.per.source."""
    session_timeout_ns: Duration | None
    """Timeout of a silent client: aeron.cluster.session.timeout (default: 10s)."""
    leader_heartbeat_timeout_ns: Duration | None
    """Timeout of a silent leader: aeron.cluster.leader.heartbeat.timeout (default: 10s)."""
    leader_heartbeat_interval_ns: Duration | None
    """A leader speaks so often: aeron.cluster.leader.heartbeat.interval (default: 200ms)."""
    startup_canvass_timeout_ns: Duration | None
    """All members are waited for: aeron.cluster.startup.canvass.timeout (default: 60s)."""
    election_timeout_ns: Duration | None
    """A ballot takes no longer: aeron.cluster.election.timeout (default: 1s)."""
    election_status_interval_ns: Duration | None
    """How often positions are sent: aeron.cluster.election.status.interval (default: 100ms)."""
    termination_timeout_ns: Duration | None
    """Members and services may take to end: aeron.cluster.termination.timeout (default: 10s)."""
    cycle_threshold_ns: Duration | None
    """A longer pass is counted: aeron.cluster.cycle.threshold (default: 100ms)."""
    total_snapshot_threshold_ns: Duration | None
    """A longer snapshot is counted: aeron.cluster.total.snapshot.threshold (default: 1s)."""
    snapshot_interval_ns: Duration | None
    """From a snapshot to the next; 0: when asked (not Aeron's): aeron.cluster.snapshot.interval
    (default: 0ns)."""
    snapshots_kept: int | None
    """Of older ones and the log before them nothing stays; 0: all stays (not Aeron's):
    aeron.cluster.snapshots.kept (default: 0)."""
    purge_backups: str | None
    """Consensus endpoints of backups that must have it before it goes (not Aeron's):
    aeron.cluster.purge.backups."""
    wheel_tick_resolution_ns: Duration | None
    """Of the timer wheel: aeron.cluster.wheel.tick.resolution (default: 8ms)."""
    ticks_per_wheel: int | None
    """Of the timer wheel: aeron.cluster.ticks.per.wheel (default: 128)."""
    timer_service_supplier: str | None
    """Wheel or heap of timers: aeron.cluster.timer.service.supplier (default:
    io.aeron.cluster.WheelTimerServiceSupplier)."""
    clock: str | None
    """Unit of cluster time: aeron.cluster.clock (default:
    io.aeron.cluster.MillisecondClusterClock)."""
    authenticator_supplier: Callable[[], Authenticator]
    """Who may connect: aeron.cluster.authenticator.supplier (default:
    io.aeron.security.DefaultAuthenticatorSupplier)."""
    authenticator_file: str | os.PathLike[str] | None
    """Users and hashes of their passwords: aeron.cluster.authenticator.file."""
    authorisation_service_supplier: str | None
    """Who may request what: aeron.cluster.authorisation.service.supplier."""
    authorisation_file: str | os.PathLike[str] | None
    """What each principal may do: aeron.cluster.authorisation.file."""
    accept_standby_snapshots: bool | None
    """Use snapshots that standbys took: aeron.cluster.accept.standby.snapshots (default: False)."""
    standby_snapshot_notification_processing_delay_ns: Duration | None
    """Before such a snapshot is checked:
    aeron.cluster.standby.snapshot.notification.processing.delay (default: 0ns)."""
    consensus_module_agent_role_name: str | None
    """Unset: consensus-module-<cluster id>-<member id>:
    aeron.cluster.consensus.module.agent.role.name."""
    consensus_module_extension: str | None
    """An extension instead of services: aeron.cluster.consensus.module.extension."""
    file_sync_level: int | None
    """0 none, 1 data, 2 all, of the log's records: aeron.cluster.file.sync.level (default: 0)."""
    seams: Seams
    aeron: Aeron | None
    driver_invoker: Callable[[], object] | None
    archive: Mapping[str, Any]
    threading_mode: Literal["SHARED", "INVOKER"]
    authorisation_service: AuthorisationService
    credentials: Credentials
    extension: ConsensusModuleExtension | None
    app_version: int
    error_handler: Callable[[Exception], object]
    termination_hook: Callable[[], object] | None
