"""The configuration of a consensus module: options, seams, security.

``io.aeron.cluster.ConsensusModule.Context``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, Unpack

from aeron_cluster.archive.client.client_context import ArchiveClientContext
from aeron_cluster.archive.client.options import ArchiveClientOptions
from aeron_cluster.client.credentials import Credentials
from aeron_cluster.client.security import (
    named_authenticator_supplier,
    named_authorisation_service,
)
from aeron_cluster.cluster.context.archive_streams import stream_id_of_cluster
from aeron_cluster.cluster.context.cluster_clock import CLOCK_OPTION, ClusterClock, UserClock
from aeron_cluster.cluster.context.extension import ConsensusModuleExtension
from aeron_cluster.cluster.context.options import ConsensusModuleOptions
from aeron_cluster.cluster.context.response_channel import ResponseChannels
from aeron_cluster.cluster.context.timer_service import TimerServiceSupplier, UserTimers
from aeron_cluster.cluster.context.timers import HeapTimers, WheelTimers
from aeron_cluster.cluster.members.member_addresses import MemberAddresses
from aeron_cluster.cluster.members.members import (
    Member,
    check_endpoints,
    check_hosts,
    find_member,
    parse_members,
)
from aeron_cluster.cluster.members.time_unit import NS_PER_UNIT
from aeron_cluster.cluster.security import (
    AUTHORISATION_SERVICES,
    Authenticator,
    AuthorisationService,
    DefaultAuthenticator,
)
from aeron_cluster.cluster.security.connect_limits import ConnectLimits, default_limits
from aeron_cluster.cluster.security.policy_file import PolicyFile
from aeron_cluster.cluster.security.source_identity import host_of
from aeron_cluster.cluster.state.app_version import (
    SEMANTIC_VERSIONING_VALIDATOR,
    AppVersionValidator,
)
from aeron_cluster.cluster.state.mark_file import MarkFileContent
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.config import (
    ARCHIVE_CLIENT_OPTIONS,
    CONSENSUS_MODULE_OPTIONS,
    DEFAULT_AUTHENTICATOR,
    Configuration,
    WithOptions,
    check_keywords,
    format_duration_ns,
    named_object,
    resolve,
)
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.events.recorder import NO_EVENTS, EventRecorder
from aeron_cluster.memory.agents.idle_strategy import as_strategy
from aeron_cluster.memory.agents.report_limiter import ErrorLogger
from aeron_cluster.memory.system.seams import Seams, UdpNetwork

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.cluster.context.timers import Timers
    from aeron_cluster.codecs.archive import RecordingSignalEvent

__all__ = ["ConsensusModuleContext"]

_LOGGER: Final = logging.getLogger("aeron_cluster.cluster")
# The shortest canvass in leader heartbeat timeouts: a leader's failure is not detected earlier.
_MIN_CANVASS: Final = 2
_MAX_MEMBERS: Final = 64  # the size of the agent's table: member_progress.pxd
_MAX_APP_VERSION: Final = 0xFF_FF_FF

_CHANNELS: Final = (
    "follower_catchup",
    "leader_archive_control",
    "ingress",
    "egress",
    "log",
    "consensus",
    "control",
    "replay",
    "replication",
    "snapshot",
)

# By upstream's class name, or a short one: the unit of cluster time.
_CLOCKS: Final = {
    "io.aeron.cluster.MillisecondClusterClock": ClusterTimeUnit.MILLIS,
    "io.aeron.cluster.NanosecondClusterClock": ClusterTimeUnit.NANOS,
    "millis": ClusterTimeUnit.MILLIS,
    "micros": ClusterTimeUnit.MICROS,
    "nanos": ClusterTimeUnit.NANOS,
}
_TIMERS: Final = {
    "io.aeron.cluster.WheelTimerServiceSupplier": "wheel",
    "io.aeron.cluster.PriorityHeapTimerServiceSupplier": "heap",
    "wheel": "wheel",
    "heap": "heap",
}


def log_error(error: Exception) -> None:
    """Log an error that no caller receives: the default error handler."""
    _LOGGER.error("%s", error, exc_info=error)


@dataclass(kw_only=True)
class ConsensusModuleContext(WithOptions):
    """The options of a consensus module, with Aeron's defaults.

    Parameters
    ----------
    options : Configuration
        The values of `aeron_cluster.config.CONSENSUS_MODULE_OPTIONS`.
    seams : Seams
        Time, randomness and files.
    aeron : Aeron, optional
        The client, in invoker mode and only for this module; by default one is created, and closed
        with the module.
    driver_invoker : Callable[[], object], optional
        Called to drive an embedded driver while the module starts.
    archive : Mapping, optional
        Options of the client of the local archive that override the module's: keywords of
        `AeronArchive.connect`.
    properties : Mapping of str to str, optional
        Properties by Aeron's names, also for the archive's client.
    threading_mode : str
        ``"SHARED"`` (a thread of its own), or ``"INVOKER"`` (its user drives its agents).
    delete_dir_on_start : bool
        Begin with an empty cluster directory: remove what is in it, apart from the mark files of
        services, unless an active module uses it. Its archive must begin empty, too
        (``dir_delete_on_start``). A member without its log votes as a new one: only for tests.
    authenticator_supplier : Callable[[], Authenticator]
        Creates the authenticator of clients.
    authorisation_service : Callable[[int, int, object, bytes], bool]
        Authorises requests of clients; by default backups may send the requests that they need, and
        others none.
    credentials : Credentials
        The credentials for queries to other members and backups before this member purges its log.
    extension : ConsensusModuleExtension, optional
        Replaces the services.
    app_version : int
        The version of the services' messages, as ``major << 16 | minor << 8 | patch``: a log or
        snapshot of an incompatible version is rejected.
    app_version_validator : AppVersionValidator
        Decides which versions are compatible: by default those of the same major number.
    clock : str or ClusterClock, optional
        The clock of timestamps in the log and of timers: a name, or a clock of the user.
    timer_service_supplier : str or TimerServiceSupplier, optional
        The kind of timers: a name, or a function that creates a timer service of the user.
    cluster_time_consumer : Callable[[int], object], optional
        Called at the end of each duty cycle with its cluster time.
    error_handler : Callable[[Exception], object]
        Called with errors that no client receives, after the module's error log.
    termination_hook : Callable[[], object], optional
        Called when the module ends: on request, or after a fatal error.

    Attributes
    ----------
    members : tuple of Member
    member : Member
        The own member.
    time_unit : ClusterTimeUnit
    events : EventRecorder
        The event log of the member.
    """

    options: Configuration
    seams: Seams = field(default_factory=Seams)
    aeron: Aeron | None = None
    driver_invoker: Callable[[], object] | None = None
    archive: ArchiveClientOptions = field(default_factory=ArchiveClientOptions)
    properties: Mapping[str, str] = field(default_factory=dict)
    threading_mode: Literal["SHARED", "INVOKER"] = "SHARED"
    delete_dir_on_start: bool = False
    authenticator_supplier: Callable[[], Authenticator] = DefaultAuthenticator
    authorisation_service: AuthorisationService = AUTHORISATION_SERVICES[None]
    credentials: Credentials = field(default_factory=Credentials)
    extension: ConsensusModuleExtension | None = None
    app_version: int = 1
    app_version_validator: AppVersionValidator = SEMANTIC_VERSIONING_VALIDATOR
    clock: str | ClusterClock | None = None
    timer_service_supplier: str | TimerServiceSupplier | None = None
    cluster_time_consumer: Callable[[int], object] | None = None
    error_handler: Callable[[Exception], object] = log_error
    termination_hook: Callable[[], object] | None = None
    members: tuple[Member, ...] = field(default=(), init=False)
    time_unit: ClusterTimeUnit = field(default=ClusterTimeUnit.MILLIS, init=False)
    events: EventRecorder = field(default=NO_EVENTS, init=False)

    def __post_init__(self) -> None:
        """Limit what the default error handler logs."""
        if self.error_handler is log_error:
            self.error_handler = ErrorLogger(_LOGGER, self.seams.clock)

    @classmethod
    def of(
        cls,
        *,
        properties: Mapping[str, str] | None = None,
        **options: Unpack[ConsensusModuleOptions],
    ) -> Self:
        """Create a context from keyword arguments, properties, the environment and defaults.

        Raises
        ------
        ConfigurationError
            If an option is unknown or invalid, alone or combined with others.
        AccessFileError
            A file of users or permissions is unsafe.
        """
        check_keywords(options, ConsensusModuleOptions.__annotations__)
        own = {name for name, each in cls.__dataclass_fields__.items() if each.init}
        own -= {"options", "properties"}
        arguments: dict[str, Any] = {name: value for name, value in options.items() if name in own}
        table_options = {name: value for name, value in options.items() if name not in own}
        configuration = resolve(CONSENSUS_MODULE_OPTIONS, table_options, properties)
        is_authenticator_given = "authenticator_supplier" in arguments
        is_authorisation_given = "authorisation_service" in arguments
        if not is_authorisation_given:
            arguments["authorisation_service"] = _authorisation(configuration)
        supplier = configuration.authenticator_supplier
        if not is_authenticator_given and supplier != DEFAULT_AUTHENTICATOR:
            arguments["authenticator_supplier"] = named_authenticator_supplier(
                "aeron.cluster.authenticator.supplier", supplier
            )
            is_authenticator_given = True
        extension = configuration.consensus_module_extension
        if extension is not None and arguments.get("extension") is None:
            arguments["extension"] = _extension_of(extension)
        context = cls(options=configuration, properties=properties or {}, **arguments)
        context.check()
        context._read_access_files(
            is_authenticator_given=is_authenticator_given,
            is_authorisation_given=is_authorisation_given
            or configuration.authorisation_service_supplier is not None,
        )
        return context

    def _read_access_files(
        self, *, is_authenticator_given: bool, is_authorisation_given: bool
    ) -> None:
        """Create authenticator and authorisation service from the configured files."""
        seams, options = self.seams, self.options
        if (path := options.authenticator_file) is not None:
            if is_authenticator_given:
                raise ConfigurationError(
                    "aeron.cluster.authenticator.file", "no other authenticator beside it", path
                )
            # Imported only if needed: it imports the hashes of OpenSSL.
            from aeron_cluster.cluster.security.file_authenticator import (  # noqa: PLC0415
                FileAuthenticatorSupplier,
            )

            self.authenticator_supplier = supplier = FileAuthenticatorSupplier(
                path,
                seams.files,
                seams.clock,
                seams.random,
                self._report,
                # As for names: a simulation has no other threads.
                is_threaded=isinstance(seams.network, UdpNetwork),
            )
            supplier().close()  # invalid options are rejected now
        if (path := options.authorisation_file) is not None:
            if is_authorisation_given:
                raise ConfigurationError(
                    "aeron.cluster.authorisation.file", "no other service beside it", path
                )
            self.authorisation_service = PolicyFile(path, seams.files, seams.clock, self._report)

    def _report(self, error: Exception) -> None:
        """Pass later errors to the module's error log and then to the handler."""
        self.error_handler(error)

    def check(self) -> None:
        """Reject contradictory options, and parse those given as text.

        Raises
        ------
        ConfigurationError
            It names the property.
        """
        options = self.options
        self._check_members()
        self._check_channels()
        heartbeat_ns = options.leader_heartbeat_timeout_ns
        if heartbeat_ns <= 0:
            raise ConfigurationError(
                "aeron.cluster.leader.heartbeat.timeout", "longer than 0", heartbeat_ns
            )
        if options.startup_canvass_timeout_ns < _MIN_CANVASS * heartbeat_ns:
            raise ConfigurationError(
                "aeron.cluster.startup.canvass.timeout",
                f"at least twice the leader heartbeat timeout, {format_duration_ns(heartbeat_ns)}",
                format_duration_ns(options.startup_canvass_timeout_ns),
                upstream=f"startupCanvassTimeoutNs={options.startup_canvass_timeout_ns} must be a"
                f" multiple of leaderHeartbeatTimeoutNs={heartbeat_ns}",
            )
        as_strategy(options.idle_strategy, "aeron.cluster.idle.strategy")
        if options.snapshots_kept == 1:
            raise ConfigurationError(
                "aeron.cluster.snapshots.kept",
                "0, or at least 2: the last one may turn out to be unusable",
                1,
            )
        check_endpoints("aeron.cluster.purge.backups", self.purge_backups)
        check_hosts("aeron.cluster.consensus.source.hosts", self.consensus_source_hosts)
        if (options.service_count == 0) != (self.extension is not None):
            raise ConfigurationError(
                "aeron.cluster.service.count",
                "from 1 to 10" if self.extension is None else "0 beside an extension",
                options.service_count,
            )
        if self.threading_mode not in ("SHARED", "INVOKER"):
            raise ConfigurationError("threading_mode", "SHARED or INVOKER", self.threading_mode)
        if self.aeron is not None and not self.aeron.context.use_conductor_invoker:
            raise ConfigurationError(
                "aeron", "a client of the module alone, with use_conductor_invoker", self.aeron
            )
        if not 0 <= self.app_version <= _MAX_APP_VERSION:
            raise ConfigurationError(
                "app_version", f"from 0 to {_MAX_APP_VERSION:#x}, a byte a part", self.app_version
            )
        if options.ticks_per_wheel & (options.ticks_per_wheel - 1):
            raise ConfigurationError(
                "aeron.cluster.ticks.per.wheel", "a power of two", options.ticks_per_wheel
            )
        self._check_clock()
        self._check_components()

    def _check_clock(self) -> None:
        clock = self.options.clock if self.clock is None else self.clock
        self._user_clock: UserClock | None = None
        expected = f"one of {', '.join(_CLOCKS)}, module:Class of a ClusterClock, or a ClusterClock"
        if isinstance(clock, str) and clock not in _CLOCKS:
            named = named_object(CLOCK_OPTION, clock, expected)
            clock = named() if isinstance(named, type) else named
        if isinstance(clock, str):
            self.time_unit = _CLOCKS[clock]
        else:
            self._user_clock = UserClock(clock)
            self.time_unit = self._user_clock.time_unit
        self._ns_per_unit = NS_PER_UNIT[self.time_unit]

    def _check_components(self) -> None:
        name = "aeron.cluster.timer.service.supplier"
        supplier = self.timer_service_supplier or self.options.timer_service_supplier
        self._supplier: TimerServiceSupplier | None = None
        if isinstance(supplier, str) and supplier not in _TIMERS:
            expected = f"one of {', '.join(_TIMERS)}, module:function, or a TimerServiceSupplier"
            supplier = named_object(name, supplier, expected)
        if isinstance(supplier, str):
            self._timers = _TIMERS[supplier]
        elif callable(supplier):
            self._supplier = supplier
        else:
            raise ConfigurationError(name, "a known name or a TimerServiceSupplier", supplier)
        for keyword, value, expected in (
            (
                "app_version_validator",
                isinstance(self.app_version_validator, AppVersionValidator),
                "an AppVersionValidator",
            ),
            (
                "cluster_time_consumer",
                self.cluster_time_consumer is None or callable(self.cluster_time_consumer),
                "a function of the cluster time",
            ),
        ):
            if not value:
                raise ConfigurationError(keyword, expected, getattr(self, keyword))

    def _check_members(self) -> None:
        options = self.options
        if not options.cluster_members:
            raise ConfigurationError(
                "aeron.cluster.members",
                "id,ingress,consensus,log,catchup,archive of each member, separated by |",
                options.cluster_members,
                upstream="ConsensusModule.Context.clusterMembers must be set",
            )
        self.members = parse_members(options.cluster_members)
        self.member = find_member(self.members, options.member_id)
        if len(self.members) > _MAX_MEMBERS:
            raise ConfigurationError(
                "aeron.cluster.members", f"at most {_MAX_MEMBERS}", f"{len(self.members)} members"
            )
        if len(self.members) > 1 and not options.replication_channel:
            raise ConfigurationError(
                "aeron.cluster.replication.channel",
                "the channel of this member's catch-up, such as aeron:udp?endpoint=host:0",
                options.replication_channel,
            )
        listed = ",".join(self.member.endpoints.split(",")[:5])
        if options.member_endpoints and options.member_endpoints != listed:
            raise ConfigurationError(
                "aeron.cluster.member.endpoints",
                f"those of the own entry in the members, {listed}",
                options.member_endpoints,
            )

    def _check_channels(self) -> None:
        options = self.options
        if not options.ingress_channel:
            raise ConfigurationError(
                "aeron.cluster.ingress.channel",
                "a channel such as aeron:udp",
                None,
                upstream="ingressChannel must be specified",
            )
        log = ChannelUri.parse(options.log_channel)
        for parameter in ("init-term-id", "term-id", "term-offset"):
            if parameter in log:
                raise ConfigurationError(
                    "aeron.cluster.log.channel",
                    f"no {parameter}",
                    options.log_channel,
                    upstream=f"logChannel must not contain: {parameter}",
                )
        for name in _CHANNELS:
            channel = getattr(options, f"{name}_channel")
            if channel is not None:
                _check_template(ChannelUri.parse(channel))
        archive = self.archive_client_context()
        for channel in (archive.control_channel, archive.control_response_channel):
            if not ChannelUri.parse(channel).is_ipc:
                raise ConfigurationError(
                    "aeron.archive.local.control.channel", "a channel aeron:ipc", channel
                )

    # ---- time ----

    def epoch_ms(self) -> int:
        """Return the wall clock's time, in ms since 1970."""
        return self.seams.clock.epoch_ms()

    def cluster_time(self) -> int:
        """Return the cluster time, in the cluster's time unit.

        Raises
        ------
        UserComponentError
            The user's clock raised, or did not return a time.
        """
        if self._user_clock is not None:
            return self._user_clock.time()
        if self.time_unit is ClusterTimeUnit.MILLIS:
            return self.seams.clock.epoch_ms()
        return self.seams.clock.epoch_nanos() // self._ns_per_unit

    def cluster_time_ms(self, timestamp: int) -> int:
        """Convert a cluster time to ms since 1970."""
        return timestamp * self._ns_per_unit // 1_000_000

    @property
    def has_user_clock(self) -> bool:
        """Whether the cluster clock is the user's."""
        return self._user_clock is not None

    @property
    def purge_backups(self) -> list[str]:
        """The backups that must have the purged part of the log."""
        return _listed(self.options.purge_backups)

    @property
    def consensus_source_hosts(self) -> list[str]:
        """Hosts and networks of backups and standbys, which query members."""
        return [*_listed(self.options.consensus_source_hosts), *map(host_of, self.purge_backups)]

    def make_timers(self) -> Timers:
        """Create the services' timers.

        Raises
        ------
        UserComponentError
            The user's supplier raised, or returned no timer service.
        """
        if self._supplier is not None:
            return UserTimers(self._supplier, self.time_unit)
        if self._timers == "heap":
            return HeapTimers()
        resolution = max(1, self.options.wheel_tick_resolution_ns // self._ns_per_unit)
        return WheelTimers(self.cluster_time(), resolution, self.options.ticks_per_wheel)

    # ---- permitted senders ----

    def make_response_channels(self) -> ResponseChannels:
        """Create the rules for clients' response channels."""
        return self._make_response_channels(self.options.consensus_stream_id)

    def make_backup_response_channels(self) -> ResponseChannels:
        """Create the rules for backups' response channels.

        Notes
        -----
        Backups subscribe to the consensus stream themselves, often at the members' port on another
        host. Of messages for backups, a member accepts only the leader's answer to its own query.
        """
        return self._make_response_channels()

    def _make_response_channels(self, *own_stream_ids: int) -> ResponseChannels:
        options = self.options
        archive = self.archive_client_context()
        return ResponseChannels(
            self.members,
            (
                options.ingress_stream_id,
                options.log_stream_id,
                options.service_stream_id,
                options.consensus_module_stream_id,
                options.replay_stream_id,
                options.snapshot_stream_id,
                archive.control_stream_id,
                archive.control_response_stream_id,
                *own_stream_ids,
            ),
            egress_channel=options.egress_channel,
            is_ipc_allowed=options.ingress_ipc_allowed,
        )

    def make_connect_limits(self, count_rejected: Callable[[], object]) -> ConnectLimits:
        """Create the limits of pending connect requests.

        Parameters
        ----------
        count_rejected : Callable[[], object]
            Called for each rejected request.
        """
        options = self.options
        in_all, per_source = default_limits(options.max_sessions)
        return ConnectLimits(
            options.max_pending_sessions or in_all,
            options.max_pending_sessions_per_source or per_source,
            count_rejected,
            self.error_handler,
        )

    def make_member_addresses(self, log_place: Callable[[], tuple[int, int]]) -> MemberAddresses:
        """Create the filter that distinguishes members from other sources of consensus messages.

        Parameters
        ----------
        log_place : Callable[[], tuple[int, int]]
            Returns the member's leadership term and log position, in bytes.
        """
        options = self.options
        network = self.seams.network
        return MemberAddresses(
            self.members,
            network.resolve,
            self.seams.clock,
            self.error_handler,
            other_hosts=self.consensus_source_hosts,
            member_id=options.member_id,
            log_place=log_place,
            is_checked=options.consensus_source_check,
            # A simulated name resolves immediately, and a thread would not be deterministic.
            is_threaded=isinstance(network, UdpNetwork),
            resolution_interval_ns=options.consensus_source_resolution_interval_ns,
        )

    # ---- places and names ----

    @property
    def cluster_dir(self) -> str:
        """The directory of the member's files."""
        return str(Path(self.options.cluster_dir).resolve())

    @property
    def mark_file_dir(self) -> str:
        """The directory of the mark file."""
        return str(Path(self.options.mark_file_dir or self.options.cluster_dir).resolve())

    @property
    def agent_role_name(self) -> str:
        """The name of the module's thread."""
        options = self.options
        name = options.consensus_module_agent_role_name
        return name or f"consensus-module-{options.cluster_id}-{options.member_id}"

    def archive_client_context(
        self, on_signal: Callable[[RecordingSignalEvent], object] | None = None
    ) -> ArchiveClientContext:
        """Create the options of the local archive's client."""
        options = self.options
        place = f"cluster-{options.cluster_id}-member-{options.member_id}"
        local = resolve(ARCHIVE_CLIENT_OPTIONS, {}, self.properties)
        client_options: dict[str, Any] = {
            "control_channel": local.local_control_channel,
            "control_stream_id": local.local_control_stream_id,
            "control_response_channel": local.local_control_channel,
            # A separate stream for each cluster of the driver, and for each service of a cluster.
            "control_response_stream_id": stream_id_of_cluster(
                options.cluster_id, 100 + local.control_response_stream_id
            ),
            "aeron_dir": options.aeron_dir,
            "client_name": f"consensus-module-{place}",
            "error_handler": self.error_handler,
            "recording_signal_handler": on_signal,
            **self.archive,
        }
        for name, kind in (("control_channel", "req"), ("control_response_channel", "resp")):
            channel = ChannelUri.parse(str(client_options[name]))
            if "alias" not in channel:
                client_options[name] = str(
                    channel.with_params(alias=f"cm-archive-ctrl-{kind}-{place}")
                )
        return ArchiveClientContext.of(properties=self.properties, **client_options)

    def mark_file_content(self) -> MarkFileContent:
        """Return the mark file's content, which describes the user of the directory for tools."""
        options = self.options
        supplier = self.authenticator_supplier
        named: Any = supplier if hasattr(supplier, "__qualname__") else type(supplier)
        return MarkFileContent(
            component_type=ClusterComponentType.CONSENSUS_MODULE,
            cluster_id=options.cluster_id,
            member_id=options.member_id,
            archive_stream_id=self.archive_client_context().control_stream_id,
            service_stream_id=options.service_stream_id,
            consensus_module_stream_id=options.consensus_module_stream_id,
            ingress_stream_id=options.ingress_stream_id,
            aeron_directory=str(options.aeron_dir),
            control_channel=options.control_channel,
            ingress_channel=options.ingress_channel,
            authenticator=f"{supplier.__module__}.{named.__qualname__}",
            services_cluster_dir=str(Path(options.services_dir or options.cluster_dir).resolve()),
        )


def _listed(text: str | None) -> list[str]:
    return [each.strip() for each in (text or "").split(",") if each.strip()]


def _check_template(channel: ChannelUri) -> None:
    """Reject an invalid parameter now, rather than when the channel is first used.

    An endpoint may be missing: one is added to a template later.
    """
    if channel.is_udp and "endpoint" not in channel:
        channel = channel.with_params(endpoint="localhost:0")
    channel.validate()


def _authorisation(configuration: Configuration) -> AuthorisationService:
    name = configuration.authorisation_service_supplier
    if name in AUTHORISATION_SERVICES:
        return AUTHORISATION_SERVICES[name]
    return named_authorisation_service("aeron.cluster.authorisation.service.supplier", name)


def _extension_of(name: str) -> ConsensusModuleExtension:
    """Create an extension from the name of its class, as module:Class."""
    option = "aeron.cluster.consensus.module.extension"
    expected = "module:Class of a ConsensusModuleExtension, or the keyword extension"
    found = named_object(option, name, expected)
    if not isinstance(found, type) or not issubclass(found, ConsensusModuleExtension):
        raise ConfigurationError(option, expected, name, f"it is {found!r}")
    return found()
