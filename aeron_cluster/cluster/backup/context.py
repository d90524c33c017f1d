"""The configuration of a backup: options, seams, credentials.

``io.aeron.cluster.ClusterBackup.Context``.
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
from aeron_cluster.cluster.backup.events import BackupEventsListener
from aeron_cluster.cluster.backup.options import BackupOptions
from aeron_cluster.cluster.context.module_context import log_error
from aeron_cluster.cluster.members.members import (
    any_port,
    check_endpoints,
    find_member,
    parse_members,
)
from aeron_cluster.cluster.security.source_identity import LOOPBACK, canonical_host, host_of
from aeron_cluster.cluster.state.mark_file import MarkFileContent
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.config import BACKUP_OPTIONS, Configuration, WithOptions, check_keywords, resolve
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.events.recorder import NO_EVENTS, EventRecorder
from aeron_cluster.memory.agents.report_limiter import ErrorLogger
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.codecs.archive import RecordingSignalEvent

__all__ = ["BackupContext"]

_LOGGER: Final = logging.getLogger("aeron_cluster.cluster")

_ANY_LOCAL: Final = "localhost:0"


@dataclass(kw_only=True)
class BackupContext(WithOptions):
    """The options of a backup, with Aeron's defaults.

    Parameters
    ----------
    options : Configuration
        The values of `aeron_cluster.config.BACKUP_OPTIONS`.
    seams : Seams
        Time, randomness and files.
    aeron : Aeron, optional
        The client, in invoker mode and only for this backup, which closes it; by default one is
        created.
    driver_invoker : Callable[[], object], optional
        Called to drive an embedded driver while the backup starts.
    archive, cluster_archive : Mapping
        Options of the clients of the local archive and of the members' archives: keywords of
        `AeronArchive.connect`.
    properties : Mapping of str to str, optional
        Properties by Aeron's names, also for the archives' clients.
    threading_mode : str
        ``"SHARED"`` (a thread of its own), or ``"INVOKER"`` (its user drives its agents).
    delete_dir_on_start : bool
        Begin with an empty cluster directory: remove what is in it, unless an active process uses
        it. The archive is not affected.
    credentials : Credentials
        The credentials of this backup for the members.
    error_handler : Callable[[Exception], object]
        Called with errors, after the backup's error log.
    events_listener : BackupEventsListener, optional
        Called with the progress of the backup.
    termination_hook : Callable[[], object], optional
        Called when the backup ends unexpectedly: it cannot start, its archive or driver ended, or
        the disk is full.

    Attributes
    ----------
    events : EventRecorder
        The event log of the backup.
    """

    options: Configuration
    seams: Seams = field(default_factory=Seams)
    aeron: Aeron | None = None
    driver_invoker: Callable[[], object] | None = None
    archive: ArchiveClientOptions = field(default_factory=ArchiveClientOptions)
    cluster_archive: ArchiveClientOptions = field(default_factory=ArchiveClientOptions)
    properties: Mapping[str, str] = field(default_factory=dict)
    threading_mode: Literal["SHARED", "INVOKER"] = "SHARED"
    delete_dir_on_start: bool = False
    credentials: Credentials = field(default_factory=Credentials)
    error_handler: Callable[[Exception], object] = log_error
    events_listener: BackupEventsListener | None = None
    termination_hook: Callable[[], object] | None = None
    events: EventRecorder = field(default=NO_EVENTS, init=False)

    def __post_init__(self) -> None:
        """Limit what the default error handler logs."""
        if self.error_handler is log_error:
            self.error_handler = ErrorLogger(_LOGGER, self.seams.clock)

    @classmethod
    def of(
        cls, *, properties: Mapping[str, str] | None = None, **options: Unpack[BackupOptions]
    ) -> Self:
        """Create a context from keyword arguments, properties, the environment and defaults.

        Raises
        ------
        ConfigurationError
            If an option is unknown or invalid, alone or combined with others.
        """
        check_keywords(options, BackupOptions.__annotations__)
        own = {name for name, each in cls.__dataclass_fields__.items() if each.init}
        own -= {"options", "properties"}
        handed: dict[str, Any] = {name: value for name, value in options.items() if name in own}
        looked_up = {name: value for name, value in options.items() if name not in own}
        configuration = resolve(BACKUP_OPTIONS, looked_up, properties)
        context = cls(options=configuration, properties=properties or {}, **handed)
        context.check()
        return context

    def check(self) -> None:
        """Reject contradictory options.

        Raises
        ------
        ConfigurationError
            An option is invalid; the error names its property.
        """
        options = self.options
        if not self.consensus_endpoints:
            raise ConfigurationError(
                "aeron.cluster.consensus.endpoints",
                "host:port of the members' consensus endpoints, separated by commas",
                options.consensus_endpoints,
            )
        check_endpoints("aeron.cluster.consensus.endpoints", self.consensus_endpoints)
        if self.aeron is not None and not self.aeron.context.use_conductor_invoker:
            raise ConfigurationError(
                "aeron", "a client of the backup alone, with use_conductor_invoker", self.aeron
            )
        is_local = all(map(_is_local, self.consensus_endpoints))
        if "endpoint" not in ChannelUri.parse(options.consensus_channel) and not is_local:
            raise ConfigurationError(
                "aeron.cluster.consensus.channel",
                "an endpoint of this backup, for answers of members on other machines",
                options.consensus_channel,
            )

    @property
    def consensus_endpoints(self) -> list[str]:
        """The members to query."""
        given = self.options.consensus_endpoints or ""
        return [each.strip() for each in given.split(",") if each.strip()]

    @property
    def consensus_endpoint(self) -> str:
        """The channel on which members answer; by default any port of this machine."""
        return ChannelUri.parse(self.options.consensus_channel).get("endpoint") or _ANY_LOCAL

    @property
    def catchup_endpoint(self) -> str:
        """The channel that receives the log and the snapshots.

        If unset, the catch-up endpoint of the own id in the members' list, or else any port of the
        host of the consensus endpoint.
        """
        options = self.options
        if options.backup_catchup_endpoint:
            return str(options.backup_catchup_endpoint)
        if options.cluster_members:
            members = parse_members(options.cluster_members)
            return find_member(members, options.member_id).catchup_endpoint
        return self._any_port

    @property
    def catchup_channel(self) -> ChannelUri:
        """The channel of the catch-up endpoint."""
        template = ChannelUri.parse(self.options.backup_catchup_channel)
        return template.with_params(endpoint=self.catchup_endpoint)

    @property
    def _any_port(self) -> str:
        return any_port(self.consensus_endpoint)

    def epoch_ms(self) -> int:
        """Return the wall clock's time, in ms since 1970."""
        return self.seams.clock.epoch_ms()

    def archive_context(
        self, on_signal: Callable[[RecordingSignalEvent], object]
    ) -> ArchiveClientContext:
        """Create the options of the client of the local archive."""
        options = self.options
        return ArchiveClientContext.of(
            properties=self.properties,
            **{
                "control_channel": "aeron:ipc",
                "control_response_channel": "aeron:ipc",
                **self.archive,
                "aeron_dir": options.aeron_dir,
                "recording_signal_handler": on_signal,
                "error_handler": self.error_handler,
            },
        )

    def cluster_archive_context(
        self, endpoint: str, on_error: Callable[[Exception], object], response_endpoint: str = ""
    ) -> ArchiveClientContext:
        """Create the options of a client of a member's archive.

        Parameters
        ----------
        endpoint : str
            The endpoint of that archive's control channel.
        on_error : callable
        response_endpoint : str
            The response endpoint to request if the archive replies to the source of requests, since
            it may not reach this machine otherwise.
        """
        given = {
            "control_channel": "aeron:udp",
            "control_response_channel": f"aeron:udp?endpoint={self._any_port}",
            **self.cluster_archive,
        }
        if response_endpoint:
            response_channel = ChannelUri.parse(given["control_response_channel"]).with_params(
                {"endpoint": None, "control": response_endpoint, "control-mode": "response"}
            )
            given["control_response_channel"] = str(response_channel)
        channel = ChannelUri.parse(given["control_channel"]).with_params(endpoint=endpoint)
        return ArchiveClientContext.of(
            properties=self.properties,
            **{
                **given,
                "control_channel": str(channel),
                "aeron_dir": self.options.aeron_dir,
                "error_handler": on_error,
            },
        )

    # ---- places ----

    @property
    def cluster_dir(self) -> str:
        """The directory of the backup's files."""
        return str(Path(self.options.cluster_dir).resolve())

    @property
    def mark_file_dir(self) -> str:
        """The directory of the mark file."""
        return str(Path(self.options.mark_file_dir or self.options.cluster_dir).resolve())

    def mark_file_content(self) -> MarkFileContent:
        """Return this backup's mark file."""
        return MarkFileContent(
            component_type=ClusterComponentType.BACKUP,
            cluster_id=self.options.cluster_id,
            aeron_directory=self.options.aeron_dir,
        )


def _is_local(endpoint: str) -> bool:
    return canonical_host(host_of(endpoint)) in (LOOPBACK, "localhost")
