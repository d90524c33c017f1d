"""The configuration of a client: options, seams, handlers.

``io.aeron.Aeron.Context``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self, Unpack

from aeron_cluster.client.options import ClientOptions
from aeron_cluster.config import CLIENT_OPTIONS, check_keywords, construct
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy, as_strategy
from aeron_cluster.memory.agents.report_limiter import ErrorLogger
from aeron_cluster.memory.system.process import Processes, SystemProcesses
from aeron_cluster.memory.system.seams import Clock, Seams

if TYPE_CHECKING:
    from aeron_cluster.client.handlers import (
        CounterHandler,
        ImageHandler,
        PublicationErrorHandler,
    )

__all__ = ["MAX_CLIENT_NAME_LENGTH", "ClientContext", "limited_handler", "log_error"]

_LOGGER = logging.getLogger("aeron_cluster.client")

MAX_CLIENT_NAME_LENGTH: Final = 100
_KEEPALIVE_INTERVAL_NS: Final = 500_000_000


def log_error(error: Exception) -> None:
    """Log an error that no caller receives: the default error handler."""
    _LOGGER.error("%s", error, exc_info=error)


def limited_handler(
    handler: Callable[[Exception], object], clock: Clock
) -> Callable[[Exception], object]:
    """Return the handler; instead of the default one, one that limits what is logged."""
    return ErrorLogger(_LOGGER, clock) if handler is log_error else handler


@dataclass(kw_only=True)
class ClientContext:
    """The options of a client, with Aeron's defaults.

    Parameters
    ----------
    aeron_dir : str
        The driver's directory.
    driver_timeout_ns : int
        The driver timeout, on connecting and later, in ns.
    pre_touch_mapped_memory : bool
        Whether the pages of a log are touched when it is mapped.
    client_name : str
        A name for the label of its heartbeat counter, at most 100 characters.
    client_idle_sleep_duration_ns : int
        The sleep of the conductor's thread after a duty cycle without work, in ns.
    client_resource_linger_duration_ns : int
        The time for which a closed publication or image stays mapped, in ns.
    client_close_linger_duration_ns : int
        Accepted for compatibility with Java's configurations: each user of a mapping keeps it
        alive, so that `Aeron.close` need not wait.
    keepalive_interval_ns : int
        The interval of keep-alives and checks of the driver's heartbeat, in ns.
    seams : Seams
        Time, randomness and files.
    processes : Processes
        Checks whether the process of a silent driver has ended.
    use_conductor_invoker : bool
        Whether the user drives it (`Aeron.conductor_agent_invoker`) instead of a thread.
    driver_invoker : Callable[[], object], optional
        Called to drive an embedded driver while a blocking call waits for it.
    idle_strategy : IdleStrategy or str, optional
        The idle strategy of the conductor thread, or its name, instead of the sleep.
    available_image_handler, unavailable_image_handler : ImageHandler, optional
        The default handlers of subscriptions.
    available_counter_handler, unavailable_counter_handler : CounterHandler, optional
        Called with the reader, the registration id and the counter id.
    publication_error_handler : PublicationErrorHandler, optional
        Called when a receiver rejects a publication.
    error_handler : Callable[[Exception], object]
        Called with errors that no caller receives, on the thread that detects them.
    close_handler : Callable[[], object], optional
        Called when the client is closed, for any reason.

    Notes
    -----
    Handlers run on the conductor's thread, or on that of a blocking call. They may only call the
    ``async_`` variants.
    """

    aeron_dir: str
    driver_timeout_ns: int
    pre_touch_mapped_memory: bool
    client_name: str
    client_idle_sleep_duration_ns: int
    client_resource_linger_duration_ns: int
    client_close_linger_duration_ns: int
    keepalive_interval_ns: int = _KEEPALIVE_INTERVAL_NS
    seams: Seams = field(default_factory=Seams)
    processes: Processes = field(default_factory=SystemProcesses)
    use_conductor_invoker: bool = False
    driver_invoker: Callable[[], object] | None = None
    idle_strategy: IdleStrategy | None = None
    available_image_handler: ImageHandler | None = None
    unavailable_image_handler: ImageHandler | None = None
    available_counter_handler: CounterHandler | None = None
    unavailable_counter_handler: CounterHandler | None = None
    publication_error_handler: PublicationErrorHandler | None = None
    error_handler: Callable[[Exception], object] = log_error
    close_handler: Callable[[], object] | None = None

    def __post_init__(self) -> None:
        """Limit what the default error handler logs; look up a named idle strategy."""
        if len(self.client_name) > MAX_CLIENT_NAME_LENGTH:
            raise ConfigurationError(
                "client_name",
                f"at most {MAX_CLIENT_NAME_LENGTH} characters",
                self.client_name,
                upstream=f"clientName length must <= {MAX_CLIENT_NAME_LENGTH}",
            )
        if self.idle_strategy is not None:
            self.idle_strategy = as_strategy(self.idle_strategy)
        self.error_handler = limited_handler(self.error_handler, self.seams.clock)

    @classmethod
    def of(
        cls, *, properties: Mapping[str, str] | None = None, **options: Unpack[ClientOptions]
    ) -> Self:
        """Create a context from keyword arguments, properties, the environment and defaults.

        Raises
        ------
        ConfigurationError
            If an option is unknown or invalid.
        """
        check_keywords(options, ClientOptions.__annotations__)
        return construct(cls, CLIENT_OPTIONS, options, properties)

    def now_ns(self) -> int:
        """Return the client's monotonic time, in ns."""
        return self.seams.clock.nano_time()

    def now_ms(self) -> int:
        """Return the wall clock's time, in ms since 1970."""
        return self.seams.clock.epoch_ms()
