"""What an archive is told when it is launched: options, seams, security.

``io.aeron.archive.Archive.Context``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

from aeron_cluster.client.security import (
    Authenticator,
    AuthorisationService,
    DefaultAuthenticator,
    allow_all,
    deny_all,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.config import ARCHIVE_OPTIONS, Configuration, resolve
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.seams import Seams, SystemFiles

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron

__all__ = ["ArchiveContext"]

_LOGGER = logging.getLogger("aeron_cluster.archive")
_DEFAULT_AUTHENTICATOR: Final = "io.aeron.security.DefaultAuthenticatorSupplier"
_AUTHORISATION: Final[dict[str | None, AuthorisationService]] = {
    None: allow_all,
    "ALLOW_ALL": allow_all,
    "DENY_ALL": deny_all,
}


def log_error(error: Exception) -> None:
    """Log an error that no caller is there to get: the default error handler."""
    _LOGGER.error("%s", error, exc_info=error)


@dataclass(kw_only=True)
class ArchiveContext:
    """The options of an archive, with Aeron's defaults.

    Parameters
    ----------
    options : Configuration
        The values of `aeron_cluster.config.ARCHIVE_OPTIONS`.
    seams : Seams
        Time, randomness and files.
    aeron : Aeron, optional
        The client to work with, in invoker mode and for the archive alone; left out, one is made
        and closed with the archive.
    driver_invoker : Callable[[], object], optional
        Drives an embedded driver while the archive starts.
    authenticator_supplier : Callable[[], Authenticator]
        Makes what decides who may connect.
    authorisation_service : Callable[[int, int, object, bytes], bool]
        Decides who may ask for what.
    error_handler : Callable[[Exception], object]
        Gets errors that no client is there to get, after the archive's error log.

    Attributes
    ----------
    archive_id : int
        Known when the client is connected, where the options do not give it.
    """

    options: Configuration
    seams: Seams = field(default_factory=Seams)
    aeron: Aeron | None = None
    driver_invoker: Callable[[], object] | None = None
    authenticator_supplier: Callable[[], Authenticator] = DefaultAuthenticator
    authorisation_service: AuthorisationService = allow_all
    error_handler: Callable[[Exception], object] = log_error
    archive_id: int = -1

    @classmethod
    def of(cls, properties: Mapping[str, str] | None = None, **options: object) -> Self:
        """Make a context of keyword arguments, properties, the environment and defaults.

        Raises
        ------
        ConfigurationError
            If an option is unknown or makes no sense, alone or with the others.
        """
        own = set(cls.__dataclass_fields__) - {"options", "archive_id"}
        handed: dict[str, Any] = {name: value for name, value in options.items() if name in own}
        looked_up = {name: value for name, value in options.items() if name not in own}
        configuration = resolve(ARCHIVE_OPTIONS, looked_up, properties)
        if "authorisation_service" not in handed:
            handed["authorisation_service"] = _authorisation(configuration)
        if "authenticator_supplier" not in handed:
            supplier = configuration.authenticator_supplier
            if supplier != _DEFAULT_AUTHENTICATOR:
                raise ConfigurationError(
                    "aeron.archive.authenticator.supplier",
                    f"{_DEFAULT_AUTHENTICATOR}, or the keyword authenticator_supplier",
                    supplier,
                )
        context = cls(options=configuration, **handed)
        context.check()
        return context

    def check(self) -> None:
        """Refuse what makes no sense together.

        Raises
        ------
        ConfigurationError
            It names the property.
        """
        options = self.options
        if options.control_channel_enabled:
            _check_media("aeron.archive.control.channel", options.control_channel, "udp")
        _check_media("aeron.archive.local.control.channel", options.local_control_channel, "ipc")
        if options.recording_events_enabled and not options.recording_events_channel:
            raise ConfigurationError(
                "aeron.archive.recording.events.channel",
                "a channel, since recording events are enabled",
                options.recording_events_channel,
            )
        if options.catalog_file_sync_level < options.file_sync_level:
            raise ConfigurationError(
                "aeron.archive.catalog.file.sync.level",
                f"no less than the file sync level {options.file_sync_level}",
                options.catalog_file_sync_level,
            )
        if self.options.archive_id is not None:
            self.archive_id = self.options.archive_id

    def epoch_ms(self) -> int:
        """Return the wall clock's time, in ms since 1970."""
        return self.seams.clock.epoch_ms()

    @property
    def has_file_thread(self) -> bool:
        """Whether segment files are made on a thread: not where a test decides what comes when."""
        return isinstance(self.seams.files, SystemFiles)

    @property
    def archive_dir(self) -> str:
        """The directory of catalog and segments."""
        return str(self.options.archive_dir)

    @property
    def connect_timeout_ns(self) -> int:
        """How long a client, or a subscriber of a replay, may take to come."""
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
        """Whether the pages of a response publication come when they are needed."""
        return bool(self.options.control_term_buffer_sparse)

    @property
    def control_mtu_length(self) -> int:
        """The longest frame of a response."""
        return int(self.options.control_mtu_length)


def _authorisation(configuration: Configuration) -> AuthorisationService:
    name = configuration.authorisation_service_supplier
    if name not in _AUTHORISATION:
        raise ConfigurationError(
            "aeron.archive.authorisation.service.supplier",
            "ALLOW_ALL or DENY_ALL, or the keyword authorisation_service",
            name,
        )
    return _AUTHORISATION[name]


def _check_media(name: str, channel: str | None, media: str) -> None:
    if channel is None:
        raise ConfigurationError(name, f"a channel aeron:{media}", channel)
    if ChannelUri.parse(channel).validate().media != media:
        raise ConfigurationError(name, f"a channel aeron:{media}", channel)
