"""Commands of clients, read from the ring one after another.

``io.aeron.driver.ClientCommandAdapter``. A command with names to look up waits for the resolver,
and only commands that refer to it wait as well. A name may come from an unknown party, such as the
response channel of a cluster's client, and its look-up may take arbitrarily long. A command whose
channel is being closed waits in the same way until the sender or the receiver has released it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.driver.clients import commands
from aeron_cluster.driver.clients.commands import ChannelClosingError, CommandError
from aeron_cluster.driver.clients.udp_channel import UdpChannel
from aeron_cluster.driver.control.name_resolution import (
    KnownAddresses,
    UnknownHostError,
    unresolved,
)
from aeron_cluster.errors import (
    AeronClusterError,
    AgentTerminationError,
    ConfigurationError,
    CorruptError,
    InsufficientSpaceError,
    StreamParameterError,
)
from aeron_cluster.events.captures import capture_command
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.memory.shared.counters_layout import SystemCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.control.deferred_commands import DeferredCommands
    from aeron_cluster.driver.control.error_recorder import ErrorRecorder
    from aeron_cluster.driver.control.name_resolution import Lookup, NameResolver
    from aeron_cluster.driver.streams.system_counters import SystemCounters
    from aeron_cluster.events.recorder import EventRecorder
    from aeron_cluster.memory.shared.ring_buffer import ManyToOneRingBuffer
    from aeron_cluster.memory.system.seams import Clock

__all__ = ["MAX_LOOKUPS", "ClientCommandAdapter"]

MAX_LOOKUPS: Final = 1024
"""The limit of commands that wait for names; at the limit, the ring is not read."""

_MAX_CLOSING_NS: Final = 1_000_000_000
"""A command is rejected if its channel is still being closed after this time."""

_LIMIT: Final = 8  # per duty cycle: a burst of commands must not delay the streams
_MAY_BE_UNRESOLVED: Final = (
    commands.AddDestination,
    commands.RemoveDestination,
    commands.RemoveReceiveDestination,
)


@dataclass(slots=True, eq=False)
class _Waiting:
    """A command that waits for its names, for a channel, or for commands before it.

    Parameters
    ----------
    resources : frozenset of str
        The ids that it adds or refers to: commands with a common id keep their order.
    """

    command: commands.ClientCommand
    lookup: Lookup | None
    resources: frozenset[str]
    start_ns: int
    is_closing: bool = False

    def is_ready(self) -> bool:
        return self.lookup is None or self.lookup.done()


class ClientCommandAdapter:
    """Reads commands, and executes or rejects them.

    Parameters
    ----------
    context : DriverContext
    ring : ManyToOneRingBuffer
        The command ring of clients.
    clients : ClientProxy
        Notified of each rejected command.
    system_counters : SystemCounters
    errors : ErrorRecorder
    resolver : NameResolver
    deferred : DeferredCommands
        The deferred commands of other agents; while there are any, no command is read.
    dispatch : Callable[[ClientCommand, Mapping[str, str], int], None]
        Executes a command, with the addresses of the names in it and the time, in ns.
    clock : Clock
        The clock for the durations of lookups.
    now_ns : int
    events : EventRecorder, optional
        The driver's event log.
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
        clock: Clock,
        now_ns: int,
        events: EventRecorder = NO_EVENTS,
    ) -> None:
        self._events = events
        self._clock = clock
        self._context = context
        self._ring = ring
        self._proxy = clients
        self._system_counters = system_counters
        self._errors = errors
        self._resolver = resolver
        self._deferred = deferred
        self._dispatch = dispatch
        self._waiting: list[_Waiting] = []
        self._last_position = 0
        self._last_progress_ns = now_ns

    @property
    def is_accepting(self) -> bool:
        """Whether the next command of the ring would be read."""
        return not self._deferred.waiting and len(self._waiting) < MAX_LOOKUPS

    @property
    def is_looking_up(self) -> bool:
        """Whether commands wait for the addresses of names."""
        return bool(self._waiting)

    def do_work(self, now_ns: int) -> int:
        """Read commands, up to a limit; return how many there were."""
        done = self._take_answers(now_ns) if self._waiting else 0
        while done < _LIMIT and self.is_accepting and self._read(now_ns):
            done += 1
        return done

    def _take_answers(self, now_ns: int) -> int:
        """Execute commands whose names have been looked up; return how many."""
        done = 0
        held: set[str] = set()
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            is_due = done < _LIMIT and not self._deferred.waiting
            if is_due and held.isdisjoint(each.resources) and each.is_ready():
                if each.lookup is not None and not each.is_closing:
                    self._on_lookup_time(now_ns - each.start_ns)
                if self._execute(each, now_ns):
                    done += 1
                else:
                    held |= each.resources
            else:
                held |= each.resources
                self._waiting.append(each)
        return done

    def _read(self, now_ns: int) -> bool:
        received: list[tuple[int, bytes]] = []
        try:
            self._ring.read(lambda type_id, data: received.append((type_id, bytes(data))), 1)
        except CorruptError as error:
            self._skip_corrupt(error)
            return True
        for type_id, data in received:
            capture_command(self._events, type_id, data)
            try:
                command = commands.decode(type_id, data)
            except CommandError as error:
                kind = f"malformed command of type {type_id}"
                self._reject(error.correlation_id, error, kind)
            else:
                self._begin(command, now_ns)
        return bool(received)

    def _begin(self, command: commands.ClientCommand, now_ns: int) -> None:
        """Execute `command`, or begin to look up its names."""
        channel = getattr(command, "channel", None)
        lookup, uri = None, None
        if channel is not None:
            try:
                uri = ChannelUri.parse(channel)
                if not uri.is_ipc:
                    self._resolver.record_names(UdpChannel.names(uri))
                    lookup = self._resolver.lookup(UdpChannel.hosts(uri))
            except ConfigurationError as error:
                self._reject(command.correlation_id, error)
                return
        is_ready = lookup is None or lookup.done()
        waiting = _Waiting(command, lookup, _resource_keys(command, uri), now_ns)
        if is_ready and not self._waiting:
            if not (lookup is None or isinstance(lookup, KnownAddresses)):
                self._on_lookup_time(self._clock.nano_time() - now_ns)
            self._execute(waiting, now_ns)
            return
        if isinstance(command, commands.ClientClose):
            # Their answers are no longer awaited, and they would re-create the client.
            self._waiting = [
                each for each in self._waiting if each.command.client_id != command.client_id
            ]
        if is_ready and all(waiting.resources.isdisjoint(each.resources) for each in self._waiting):
            self._execute(waiting, now_ns)
        else:
            self._waiting.append(waiting)

    def _on_lookup_time(self, elapsed_ns: int) -> None:
        self._system_counters.propose_max(SystemCounter.SYSTEM_NAME_RESOLVER_MAX_TIME, elapsed_ns)
        if elapsed_ns > self._context.name_resolver_threshold_ns:
            self._system_counters.add(SystemCounter.SYSTEM_NAME_RESOLVER_TIME_EXCEEDED)

    def _execute(self, each: _Waiting, now_ns: int) -> bool:
        """Execute or reject a command; return whether it need not wait any longer."""
        command, lookup = each.command, each.lookup
        try:
            self._dispatch(command, _addresses(command, lookup), now_ns)
        except AgentTerminationError:
            raise  # the driver cannot continue
        except UnknownHostError as error:
            # One record for all channels with the name.
            named = error.with_channel(getattr(command, "channel", ""))
            self._reject(command.correlation_id, named, str(error))
        except Exception as error:  # noqa: BLE001 - no client's command may stop the driver
            if isinstance(error, ChannelClosingError) and self._may_wait(each, now_ns):
                self._waiting.append(each)
                return False
            self._reject(command.correlation_id, error)
        return True

    @staticmethod
    def _may_wait(each: _Waiting, now_ns: int) -> bool:
        """Return whether a command may wait for the end of a channel, noting since when it does."""
        if not each.is_closing:
            each.is_closing, each.start_ns = True, now_ns
        return now_ns - each.start_ns < _MAX_CLOSING_NS

    def _reject(self, correlation_id: int, error: Exception, kind: str | None = None) -> None:
        match error:
            case CommandError():
                code = error.code
            case StreamParameterError():
                code = ErrorCode.ERROR_GENERIC
            case ConfigurationError() | UnknownHostError():
                code = ErrorCode.ERROR_INVALID_CHANNEL
            case InsufficientSpaceError():
                code = ErrorCode.ERROR_STORAGE_SPACE
            case _:
                code = ErrorCode.ERROR_GENERIC
        self._errors.record(error, kind)
        # Upstream's errors are sent unchanged, other ones with their type.
        match error:
            case CommandError():
                text = error.message
            case AeronClusterError():
                text = str(error)
            case _:
                text = f"{type(error).__name__}: {error}"
        self._proxy.on_error(correlation_id, code, text)

    # ---- the ring ----

    def on_idle(self, now_ns: int) -> None:
        """Record a time at which no command was waiting."""
        self._last_progress_ns = now_ns

    def on_timer(self, now_ns: int) -> None:
        """Unblock the ring after a client died between claim and commit."""
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
        """Drop the content of the ring: the end of a corrupt record is unknown."""
        self._errors.record(error, "corrupt record in the command ring")
        self._ring.skip_corrupt()


def _addresses(command: commands.ClientCommand, lookup: Lookup | None) -> Mapping[str, str]:
    """Return the addresses of the names in a command.

    A destination may be added before its name has an address, as upstream: it is resolved later.
    One may be removed after its name has lost its address.
    """
    if lookup is None:
        return {}
    try:
        return lookup.result()
    except UnknownHostError:
        if not isinstance(command, _MAY_BE_UNRESOLVED):
            raise
        return unresolved(UdpChannel.hosts(ChannelUri.parse(command.channel)))


def _resource_keys(command: commands.ClientCommand, uri: ChannelUri | None) -> frozenset[str]:
    """Return the ids of resources in a command: registrations, and tags of channels."""
    ids = (
        command.correlation_id,
        getattr(command, "registration_id", None),
        getattr(command, "destination_registration_id", None),
    )
    resources = {str(each) for each in ids if each is not None}
    if uri is not None:
        resources.update(f"tag:{each}" for each in (uri.get("tags") or "").split(",") if each)
        resources.update(
            each
            for each in (uri.get("response-correlation-id"), uri.get("session-id"))
            if each is not None
        )
    return frozenset(resources)
