"""Commands of clients, read from the ring one after another.

``io.aeron.driver.ClientCommandAdapter``. A command whose names are to be looked up waits for the
resolver, and the ring waits with it, so that the order stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.driver.clients import commands
from aeron_cluster.driver.clients.commands import CommandError
from aeron_cluster.driver.clients.udp_channel import UdpChannel
from aeron_cluster.driver.control.name_resolution import UnknownHostError
from aeron_cluster.errors import (
    AgentTerminationError,
    ConfigurationError,
    CorruptError,
    InsufficientSpaceError,
)
from aeron_cluster.memory.commands import ErrorCode
from aeron_cluster.memory.counters_layout import SystemCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.control.deferred_commands import DeferredCommands
    from aeron_cluster.driver.control.error_recorder import ErrorRecorder
    from aeron_cluster.driver.control.name_resolution import Lookup, NameResolver
    from aeron_cluster.driver.streams.system_counters import SystemCounters
    from aeron_cluster.memory.ring_buffer import ManyToOneRingBuffer

__all__ = ["ClientCommandAdapter"]

_LIMIT: Final = 8  # of one pass: a burst of commands must not hold up the streams


class ClientCommandAdapter:
    """Reads commands, and has them executed or rejected.

    Parameters
    ----------
    context : DriverContext
    ring : ManyToOneRingBuffer
        Where clients leave them.
    clients : ClientProxy
        Notified of each command that is rejected.
    system_counters : SystemCounters
    errors : ErrorRecorder
    resolver : NameResolver
    deferred : DeferredCommands
        While another agent does not keep up nothing is added to its load.
    dispatch : Callable[[ClientCommand, Mapping[str, str], int], None]
        Executes a command, with the addresses of the names in it and the time, in ns.
    now_ns : int

    Attributes
    ----------
    in_flight : tuple or None
        The command whose names are looked up, the lookup, and since when.
    """

    def __init__(
        self,
        context: DriverContext,
        ring: ManyToOneRingBuffer,
        clients: ClientProxy,
        system_counters: SystemCounters,
        errors: ErrorRecorder,
        resolver: NameResolver,
        deferred: DeferredCommands,
        dispatch: Callable[[commands.ClientCommand, Mapping[str, str], int], None],
        now_ns: int,
    ) -> None:
        self._context = context
        self._ring = ring
        self._proxy = clients
        self._system_counters = system_counters
        self._errors = errors
        self._resolver = resolver
        self._deferred = deferred
        self._dispatch = dispatch
        self.in_flight: tuple[commands.ClientCommand, Lookup, int] | None = None
        self._last_position = 0
        self._last_progress_ns = now_ns

    @property
    def is_accepting(self) -> bool:
        """Whether the next command of the ring would be taken."""
        return not self._deferred.waiting and self.in_flight is None

    def do_work(self, now_ns: int) -> int:
        """Take commands, so many at most; return how many there were."""
        for done in range(_LIMIT):
            if self.in_flight is not None:
                command, lookup, start_ns = self.in_flight
                if not lookup.done():
                    return done
                self.in_flight = None
                self._on_lookup_time(now_ns - start_ns)
                self._execute(command, lookup, now_ns)
                continue
            if self._deferred.waiting or not self._read(now_ns):
                return done
        return _LIMIT

    def _read(self, now_ns: int) -> bool:
        received: list[tuple[int, bytes]] = []
        try:
            self._ring.read(lambda type_id, data: received.append((type_id, bytes(data))), 1)
        except CorruptError as error:
            self._skip_corrupt(error)
            return True
        for type_id, data in received:
            try:
                command = commands.decode(type_id, data)
            except CommandError as error:
                kind = f"malformed command of type {type_id}"
                self._refuse(error.correlation_id, error, kind)
            else:
                self._begin(command, now_ns)
        return bool(received)

    def _begin(self, command: commands.ClientCommand, now_ns: int) -> None:
        """Carry `command` out, or begin to look up the names that it mentions."""
        channel = getattr(command, "channel", None)
        lookup = None
        if channel is not None:
            try:
                uri = ChannelUri.parse(channel)
                if not uri.is_ipc:
                    lookup = self._resolver.lookup(UdpChannel.hosts(uri))
            except ConfigurationError as error:
                self._refuse(command.correlation_id, error)
                return
        if lookup is None or lookup.done():
            self._execute(command, lookup, now_ns)
        else:
            self.in_flight = (command, lookup, now_ns)

    def _on_lookup_time(self, elapsed_ns: int) -> None:
        self._system_counters.propose_max(SystemCounter.SYSTEM_NAME_RESOLVER_MAX_TIME, elapsed_ns)
        if elapsed_ns > self._context.name_resolver_threshold_ns:
            self._system_counters.add(SystemCounter.SYSTEM_NAME_RESOLVER_TIME_EXCEEDED)

    def _execute(self, command: commands.ClientCommand, lookup: Lookup | None, now_ns: int) -> None:
        try:
            self._dispatch(command, {} if lookup is None else lookup.result(), now_ns)
        except AgentTerminationError:
            raise  # the driver cannot continue
        except Exception as error:  # noqa: BLE001 - no client's command may stop the driver
            self._refuse(command.correlation_id, error)

    def _refuse(self, correlation_id: int, error: Exception, kind: str | None = None) -> None:
        match error:
            case CommandError():
                code = error.code
            case ConfigurationError() | UnknownHostError():
                code = ErrorCode.ERROR_INVALID_CHANNEL
            case InsufficientSpaceError():
                code = ErrorCode.ERROR_STORAGE_SPACE
            case _:
                code = ErrorCode.ERROR_GENERIC
        self._errors.record(error, kind)
        self._proxy.on_error(correlation_id, code, f"{type(error).__name__}: {error}")

    # ---- the ring ----

    def on_idle(self, now_ns: int) -> None:
        """Note that no command was waiting at a time."""
        self._last_progress_ns = now_ns

    def on_timer(self, now_ns: int) -> None:
        """Free the ring where a client died between claim and commit."""
        position = self._ring.consumer_position
        if position != self._last_position or self._ring.producer_position == position:
            self._last_position = position
            self._last_progress_ns = now_ns
            return
        if now_ns - self._last_progress_ns <= self._context.client_liveness_timeout_ns:
            return
        try:
            is_freed = self._ring.unblock()
        except CorruptError as error:
            self._skip_corrupt(error)
            is_freed = True
        if is_freed:
            self._last_progress_ns = now_ns
            self._system_counters.add(SystemCounter.SYSTEM_UNBLOCKED_COMMANDS)

    def _skip_corrupt(self, error: CorruptError) -> None:
        """Drop the content of the ring: a corrupt record has no end to continue from."""
        self._errors.record(error, "corrupt record in the command ring")
        self._ring.skip_corrupt()
