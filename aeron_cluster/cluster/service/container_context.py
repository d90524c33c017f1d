"""The configuration of a service container: options, seams, the service.

``io.aeron.cluster.service.ClusteredServiceContainer.Context``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, Unpack

from aeron_cluster.archive.client.client_context import ArchiveClientContext
from aeron_cluster.archive.client.options import ArchiveClientOptions
from aeron_cluster.client.context import log_error
from aeron_cluster.cluster.context.archive_streams import stream_id_of_cluster
from aeron_cluster.cluster.service.clustered_service import (
    ClusteredService,
    misspelled_callbacks,
)
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.cluster.service.options import ServiceContainerOptions
from aeron_cluster.cluster.state.app_version import (
    SEMANTIC_VERSIONING_VALIDATOR,
    AppVersionValidator,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.config import (
    SERVICE_CONTAINER_OPTIONS,
    Configuration,
    WithOptions,
    check_keywords,
    named_object,
    resolve,
)
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.agents.report_limiter import ErrorLogger
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from aeron_cluster.client.aeron import Aeron

__all__ = ["ContainerContext"]

_LOGGER: Final = logging.getLogger("aeron_cluster.cluster")

_THREADING_MODES: Final = ("SHARED", "INVOKER")
_POLICIES: Final = ("continue", "terminate")
_CLASS_NAME: Final = "aeron.cluster.service.class.name"
_FIRST_RESPONSE_STREAM_ID: Final = 120


@dataclass(kw_only=True)
class ContainerContext(WithOptions):
    """The options of a service container, with Aeron's defaults.

    Parameters
    ----------
    options : Configuration
        The values of `aeron_cluster.config.SERVICE_CONTAINER_OPTIONS`.
    service : ClusteredService or NativeService
        The service.
    seams : Seams
        Time and files.
    threading_mode : str
        ``SHARED``: a separate thread; or ``INVOKER``: the user drives it.
    on_callback_error : str
        What to do if a callback raises, even by `sys.exit()`: ``continue`` with the next message,
        as Java does; or ``terminate`` the container. A `KeyboardInterrupt` propagates.
    check_determinism : bool
        For development: a nondeterministic call in a callback (clocks, randomness, threads, I/O)
        raises `NondeterminismError`. Only for services in Python.
    app_version : int
        The version of the service, as ``major << 16 | minor << 8 | patch``; a log or snapshot of
        an incompatible version is rejected.
    app_version_validator : AppVersionValidator
        Decides which versions are compatible: by default those of the same major number.
    aeron : Aeron, optional
        The transport client, in invoker mode and only for this container; by default one is
        created, and closed with the container.
    archive : Mapping, optional
        Options of the client of the local archive, for snapshots, that override the container's:
        keywords of `AeronArchive.connect`; the channels must be IPC.
    driver_invoker : Callable[[], object], optional
        Called to drive an embedded driver while the container is launched.
    error_handler : Callable[[Exception], object]
        Called with errors that no caller receives, after the container's error log.
    termination_hook : Callable[[], object], optional
        Called, on the container's thread, when it has ended without `close`.
    """

    options: Configuration
    service: ClusteredService | NativeService
    seams: Seams = field(default_factory=Seams)
    threading_mode: Literal["SHARED", "INVOKER"] = "SHARED"
    on_callback_error: Literal["continue", "terminate"] = "continue"
    check_determinism: bool = False
    app_version: int = 1
    app_version_validator: AppVersionValidator = SEMANTIC_VERSIONING_VALIDATOR
    aeron: Aeron | None = None
    archive: ArchiveClientOptions = field(default_factory=ArchiveClientOptions)
    driver_invoker: Callable[[], object] | None = None
    error_handler: Callable[[Exception], object] = log_error
    termination_hook: Callable[[], object] | None = None

    def __post_init__(self) -> None:
        """Limit what the default error handler logs."""
        if self.error_handler is log_error:
            self.error_handler = ErrorLogger(_LOGGER, self.seams.clock)

    @classmethod
    def of(
        cls,
        *,
        properties: Mapping[str, str] | None = None,
        **options: Unpack[ServiceContainerOptions],
    ) -> Self:
        """Create a context from keyword arguments, properties, the environment and defaults.

        Raises
        ------
        ConfigurationError
            If an option is unknown or invalid, alone or combined with others.
        """
        check_keywords(options, ServiceContainerOptions.__annotations__)
        own = set(cls.__dataclass_fields__) - {"options"}
        handed: dict[str, Any] = {name: value for name, value in options.items() if name in own}
        looked_up = {name: value for name, value in options.items() if name not in own}
        configuration = resolve(SERVICE_CONTAINER_OPTIONS, looked_up, properties)
        if handed.get("service") is None:
            handed["service"] = _service_of(configuration.service_class_name)
        handler = configuration.service_delegating_error_handler
        if handler is not None and "error_handler" not in handed:
            handed["error_handler"] = _error_handler_of(handler)
        context = cls(options=configuration, **handed)
        context.check()
        if isinstance(context.service, ClusteredService):
            # A class is always hashable; mypy does not accept that here.
            _warn_of_misspelled_callbacks(type(context.service))  # type: ignore[arg-type]
        if context.check_determinism and isinstance(context.service, ClusteredService):
            # Imported only if needed: it imports the traps and what they replace.
            from aeron_cluster.cluster.service.checked_service import checked  # noqa: PLC0415

            context.service = checked(context.service)
        return context

    def check(self) -> None:
        """Reject contradictory options.

        Raises
        ------
        ConfigurationError
            An option is invalid; it is named.
        """
        _check_choice("threading_mode", self.threading_mode, _THREADING_MODES)
        _check_choice("on_callback_error", self.on_callback_error, _POLICIES)
        if not isinstance(self.service, ClusteredService | NativeService):
            raise ConfigurationError(
                "service", "a ClusteredService or a NativeService", type(self.service).__name__
            )
        if self.check_determinism and isinstance(self.service, NativeService):
            raise ConfigurationError("check_determinism", "a service in Python", self.service.name)
        if not isinstance(self.app_version_validator, AppVersionValidator):
            raise ConfigurationError(
                "app_version_validator", "an AppVersionValidator", self.app_version_validator
            )
        for name in ("control_channel", "replay_channel", "snapshot_channel"):
            ChannelUri.parse(self.options[name]).validate()
        for name in ("control_channel", "control_response_channel"):
            channel = self.archive.get(name)
            if channel is not None and not ChannelUri.parse(str(channel)).is_ipc:
                raise ConfigurationError(f"archive {name}", "aeron:ipc", channel)

    def local_archive(
        self, aeron: Aeron, error_handler: Callable[[Exception], object]
    ) -> ArchiveClientContext:
        """Return the connection options of the archive that records the service's snapshots."""
        role = f"sc-{self.service_id}-archive-ctrl"
        place = f"cluster-{self.cluster_id}"
        options: dict[str, Any] = {
            "control_channel": f"aeron:ipc?alias={role}-req-{place}",
            "control_response_channel": f"aeron:ipc?alias={role}-resp-{place}",
            "control_response_stream_id": stream_id_of_cluster(
                self.cluster_id, _FIRST_RESPONSE_STREAM_ID + self.service_id + 1
            ),
            "client_name": self.service_name,
            "error_handler": error_handler,
            **self.archive,
            "aeron": aeron,
        }
        return ArchiveClientContext.of(**options)

    @property
    def cluster_id(self) -> int:
        """The id of the cluster among clusters of the same driver."""
        return int(self.options.cluster_id)

    @property
    def service_id(self) -> int:
        """The id of the service among those of the member."""
        return int(self.options.service_id)

    @property
    def service_name(self) -> str:
        """The service's name in labels, logs and thread names."""
        return self.options.service_name or f"clustered-service-{self.cluster_id}-{self.service_id}"

    @property
    def cluster_dir(self) -> str:
        """The directory of the member."""
        return str(Path(self.options.cluster_dir).resolve())

    @property
    def mark_file_dir(self) -> str:
        """The directory of the mark files."""
        return str(Path(self.options.mark_file_dir or self.options.cluster_dir).resolve())


@cache
def _warn_of_misspelled_callbacks(kind: type[ClusteredService]) -> None:
    """Log what a service's class seems to have misspelled, once for each class."""
    for name, near in misspelled_callbacks(kind).items():
        _LOGGER.warning(
            "%s.%s: %s is not a callback of a service; did you mean %s?",
            kind.__module__,
            kind.__qualname__,
            name,
            near,
        )


def _check_choice(name: str, found: str, expected: tuple[str, ...]) -> None:
    if found not in expected:
        raise ConfigurationError(name, " or ".join(expected), found)


def _error_handler_of(name: str) -> Callable[[Exception], object]:
    """Return a handler of errors by its name, as module:function."""
    option = "aeron.cluster.service.delegating.error.handler"
    expected = "module:function that takes an error, or the keyword error_handler"
    found = named_object(option, name, expected)
    if not callable(found):
        raise ConfigurationError(option, expected, name, f"it is {found!r}")
    return found  # type: ignore[no-any-return]


def _service_of(name: str | None) -> ClusteredService:
    """Create the service from its name, as module:Class."""
    expected = "module:Class of a ClusteredService, or the keyword service"
    found = named_object(_CLASS_NAME, name, expected)
    if not isinstance(found, type) or not issubclass(found, ClusteredService):
        raise ConfigurationError(_CLASS_NAME, expected, name, f"it is {found!r}")
    return found()
