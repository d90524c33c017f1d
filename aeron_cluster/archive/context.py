"""The configuration of an archive: options, seams, security.

``io.aeron.archive.Archive.Context``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Self, Unpack

from aeron_cluster.archive.client.client_context import ArchiveClientContext
from aeron_cluster.archive.client.options import ArchiveClientOptions
from aeron_cluster.archive.options import ArchiveOptions
from aeron_cluster.client.credentials import Credentials
from aeron_cluster.client.security import (
    Authenticator,
    AuthorisationService,
    DefaultAuthenticator,
    allow_all,
    deny_all,
    named_authenticator_supplier,
    named_authorisation_service,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.config import (
    ARCHIVE_CLIENT_OPTIONS,
    ARCHIVE_OPTIONS,
    DEFAULT_AUTHENTICATOR,
    Configuration,
    WithOptions,
    check_keywords,
    construct,
    own_environment,
    resolve,
)
from aeron_cluster.errors import AuthenticationError, ConfigurationError
from aeron_cluster.events.recorder import NO_EVENTS, EventRecorder
from aeron_cluster.memory.agents.idle_strategy import as_strategy
from aeron_cluster.memory.agents.report_limiter import ErrorLogger
from aeron_cluster.memory.system.seams import Seams, SystemFiles

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron

__all__ = [
    "CLUSTER_CHECKSUMS",
    "NO_CHECKSUM",
    "RECORDED_CHECKSUMS",
    "ArchiveContext",
    "cluster_checksums",
]

NO_CHECKSUM: Final = "none"
"""The value of both checksum options that disables them; the default outside of nodes."""
RECORDED_CHECKSUMS: Final = "recorded"
"""A value for replays: frames are verified with the checksum named in the catalog."""
CLUSTER_CHECKSUMS: Final[Mapping[str, str]] = {
    "record_checksum": "CRC-32C",
    "replay_checksum": RECORDED_CHECKSUMS,
}
"""The default of the archives of a node and of a backup."""

_LOGGER = logging.getLogger("aeron_cluster.archive")
_AUTHORISATION: Final[dict[str | None, AuthorisationService]] = {
    None: allow_all,
    "ALLOW_ALL": allow_all,
    "DENY_ALL": deny_all,
}


def cluster_checksums(properties: Mapping[str, str] | None) -> dict[str, Any]:
    """Return the default checksum options of a cluster's archive, unless configured otherwise.

    Parameters
    ----------
    properties : Mapping of str to str, optional
        The properties; the environment is read as well.
    """
    environment = own_environment()
    return {
        option.keyword: CLUSTER_CHECKSUMS[option.keyword]
        for option in ARCHIVE_OPTIONS
        if option.keyword in CLUSTER_CHECKSUMS
        and option.name not in (properties or {})
        and not environment.get(option.environment)
    }


class _ReplicationCredentials(Credentials):
    """The credentials in a replication request for the source archive, without challenges."""

    def __init__(self, encoded_credentials: bytes) -> None:
        self._encoded_credentials = encoded_credentials

    def encoded_credentials(self) -> bytes:
        return self._encoded_credentials

    def on_challenge(self, encoded_challenge: bytes) -> bytes:
        del encoded_challenge
        raise AuthenticationError(
            "Replication does not support challenge/response authentication: the source archive"
            " challenges, but a replication request has only credentials"
        )


def log_error(error: Exception) -> None:
    """Log an error that no caller receives: the default error handler."""
    _LOGGER.error("%s", error, exc_info=error)


@dataclass(kw_only=True)
class ArchiveContext(WithOptions):
    """The options of an archive, with Aeron's defaults.

    Parameters
    ----------
    options : Configuration
        The values of `aeron_cluster.config.ARCHIVE_OPTIONS`.
    seams : Seams
        Time, randomness and files.
    aeron : Aeron, optional
        The transport client, in invoker mode and only for this archive; by default one is created,
        and closed with the archive.
    driver_invoker : Callable[[], object], optional
        Called to drive an embedded driver while the archive starts.
    authenticator_supplier : Callable[[], Authenticator]
        Creates the authenticator of clients.
    authorisation_service : Callable[[int, int, object, bytes], bool]
        Authorises requests of clients.
    error_handler : Callable[[Exception], object]
        Called with errors that no client receives, after the archive's error log.
    archive_client : Mapping
        Options of the clients of other archives, for replication: keywords of
        `AeronArchive.connect`,
        ``control_response_channel`` (by default any port of the control channel's host),
        ``message_timeout_ns`` and so on.

    Attributes
    ----------
    archive_id : int
        The archive id; if the options do not set it, known once the client is connected.
    client_template : ArchiveClientContext
        The options common to the clients for replications.
    events : EventRecorder
        The archive's event log.
    """

    options: Configuration
    seams: Seams = field(default_factory=Seams)
    aeron: Aeron | None = None
    driver_invoker: Callable[[], object] | None = None
    authenticator_supplier: Callable[[], Authenticator] = DefaultAuthenticator
    authorisation_service: AuthorisationService = allow_all
    error_handler: Callable[[Exception], object] = log_error
    archive_client: ArchiveClientOptions = field(default_factory=ArchiveClientOptions)
    archive_id: int = -1
    client_template: ArchiveClientContext = field(init=False)
    events: EventRecorder = field(init=False, default=NO_EVENTS)

    def __post_init__(self) -> None:
        """Limit what the default error handler logs."""
        if self.error_handler is log_error:
            self.error_handler = ErrorLogger(_LOGGER, self.seams.clock)

    @classmethod
    def of(
        cls, *, properties: Mapping[str, str] | None = None, **options: Unpack[ArchiveOptions]
    ) -> Self:
        """Create a context from keyword arguments, properties, the environment and defaults.

        Raises
        ------
        ConfigurationError
            If an option is unknown or invalid, alone or combined with others.
        """
        check_keywords(options, ArchiveOptions.__annotations__)
        own = set(cls.__dataclass_fields__) - {"options", "archive_id", "client_template", "events"}
        own_options: dict[str, Any] = {
            name: value for name, value in options.items() if name in own
        }
        looked_up = {name: value for name, value in options.items() if name not in own}
        configuration = resolve(ARCHIVE_OPTIONS, looked_up, properties)
        if "authorisation_service" not in own_options:
            own_options["authorisation_service"] = _authorisation(configuration)
        if "authenticator_supplier" not in own_options:
            supplier = configuration.authenticator_supplier
            if supplier != DEFAULT_AUTHENTICATOR:
                own_options["authenticator_supplier"] = named_authenticator_supplier(
                    "aeron.archive.authenticator.supplier", supplier
                )
        context = cls(options=configuration, **own_options)
        context.client_template = construct(
            ArchiveClientContext, ARCHIVE_CLIENT_OPTIONS, context.archive_client, properties
        )
        context.check()
        if configuration.archive_id is not None:
            context.archive_id = configuration.archive_id
        return context

    def check(self) -> None:
        """Reject contradictory options.

        Raises
        ------
        ConfigurationError
            An option is invalid; it is named.
        """
        options = self.options
        if options.catalog_file_sync_level < options.file_sync_level:
            raise ConfigurationError(
                "aeron.archive.catalog.file.sync.level",
                f"no less than the file sync level {options.file_sync_level}",
                options.catalog_file_sync_level,
                upstream=f"catalogFileSyncLevel {options.catalog_file_sync_level} <"
                f" fileSyncLevel {options.file_sync_level}",
            )
        if options.control_channel_enabled:
            channel = options.control_channel
            _check_media(
                "aeron.archive.control.channel",
                channel,
                "udp",
                "Archive.Context.controlChannel must be "
                + ("set" if channel is None else f"UDP media: uri={channel}"),
            )
        _check_media(
            "aeron.archive.local.control.channel",
            options.local_control_channel,
            "ipc",
            f"local control channel must be IPC media: uri={options.local_control_channel}",
        )
        if not options.replication_channel:
            raise ConfigurationError(
                "aeron.archive.replication.channel",
                "the channel of replicated streams, as aeron:udp?endpoint=localhost:0",
                options.replication_channel,
                upstream="Archive.Context.replicationChannel must be set",
            )
        if options.recording_events_enabled and not options.recording_events_channel:
            raise ConfigurationError(
                "aeron.archive.recording.events.channel",
                "a channel, since recording events are enabled",
                options.recording_events_channel,
                upstream="Archive.Context.recordingEventsChannel must be set if"
                " Archive.Context.recordingEventsEnabled is true",
            )
        self._check_names()

    def _check_names(self) -> None:
        """Reject unknown names of idle strategies."""
        options = self.options
        for role in ("", "recorder_", "replayer_"):
            name = options[f"{role}idle_strategy"]
            if name is not None:
                as_strategy(name, f"aeron.archive.{role.replace('_', '.')}idle.strategy")

    def source_context(
        self,
        aeron: Aeron,
        *,
        control_channel: str,
        control_stream_id: int,
        response_channel: str,
        encoded_credentials: bytes,
        replication_id: int,
    ) -> ArchiveClientContext:
        """Return the options of a client of another archive, to replicate from it.

        Raises
        ------
        ConfigurationError
            The endpoint for that archive's responses is missing.
        """
        template = self.client_template
        channel = response_channel or template.control_response_channel or self._response_channel()
        name = template.client_name or f"archive archiveId={self.archive_id}"
        credentials = template.credentials
        if encoded_credentials:
            credentials = _ReplicationCredentials(encoded_credentials)
        context = replace(
            template,
            control_channel=control_channel,
            control_stream_id=control_stream_id,
            control_response_channel=channel,
            client_name=f"{name} replicationSessionId={replication_id}",
            credentials=credentials,
            aeron=aeron,
        )
        context.conclude()
        return context

    def _response_channel(self) -> str:
        if not self.options.control_channel_enabled:
            return ""
        endpoint = ChannelUri.parse(self.options.control_channel).get("endpoint", "")
        host, _, _ = str(endpoint).rpartition(":")
        return f"aeron:udp?endpoint={host}:0" if host else ""

    @property
    def verifies_recorded_checksums(self) -> bool:
        """Whether replays verify frames that were recorded with checksums."""
        return bool(self.options.replay_checksum == RECORDED_CHECKSUMS)

    def epoch_ms(self) -> int:
        """Return the wall clock's time, in ms since 1970."""
        return self.seams.clock.epoch_ms()

    @property
    def has_file_thread(self) -> bool:
        """Whether segment files are created on a thread: not in deterministic tests."""
        return isinstance(self.seams.files, SystemFiles)

    @property
    def archive_dir(self) -> str:
        """The directory of catalog and segments."""
        return str(self.options.archive_dir)

    @property
    def connect_timeout_ns(self) -> int:
        """How long a client, or a subscriber of a replay, may take to connect."""
        return int(self.options.connect_timeout_ns)

    @property
    def session_liveness_check_interval_ns(self) -> int:
        """How often a session's client is pinged."""
        return int(self.options.session_liveness_check_interval_ns)

    @property
    def control_term_buffer_length(self) -> int:
        """Bytes of each term of a response publication."""
        return int(self.options.control_term_buffer_length)

    @property
    def control_term_buffer_sparse(self) -> bool:
        """Whether the log of a response publication is sparse."""
        return bool(self.options.control_term_buffer_sparse)

    @property
    def control_mtu_length(self) -> int:
        """The longest frame of a response."""
        return int(self.options.control_mtu_length)


def _authorisation(configuration: Configuration) -> AuthorisationService:
    name = configuration.authorisation_service_supplier
    if name in _AUTHORISATION:
        return _AUTHORISATION[name]
    return named_authorisation_service("aeron.archive.authorisation.service.supplier", name)


def _check_media(name: str, channel: str | None, media: str, upstream: str) -> None:
    if channel is None or ChannelUri.parse(channel).validate().media != media:
        raise ConfigurationError(name, f"a channel aeron:{media}", channel, upstream=upstream)
