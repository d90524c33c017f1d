"""Drivers that exchange their names: each announces its own, and passes on those of others.

``io.aeron.driver.DriverNameResolver``, ``aeron_driver_name_resolver.c``. A driver sends its own
name to its bootstrap neighbours and to all others that it has learned of, and to those that
announced themselves also every name that it knows. A received name becomes an address of channels,
and its driver a neighbour.
"""

from __future__ import annotations

import errno
import ipaddress
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.codecs.channel_uri import parse_socket_address
from aeron_cluster.codecs.resolution_frames import (
    ResolutionEntry,
    decode_frame,
    encode_frames,
    is_valid_name,
)
from aeron_cluster.driver.control.announced_names import MAX_NAMES
from aeron_cluster.driver.media.logged_network import LoggedNetwork
from aeron_cluster.driver.media.resolution_socket import ResolutionSocket
from aeron_cluster.driver.streams.driver_counters import (
    BOOTSTRAP_NEIGHBOR_TYPE,
    RESOLVER_NAMES_TYPE,
    RESOLVER_NEIGHBORS_TYPE,
)
from aeron_cluster.errors import ConfigurationError, MessageError, PlatformError
from aeron_cluster.events.codes import DriverEvent
from aeron_cluster.events.event_log import EventSource
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.memory.agents.waiting import NEVER
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.system.address import Address

if TYPE_CHECKING:
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.driver.control.announced_names import AnnouncedNames
    from aeron_cluster.driver.control.error_recorder import ErrorRecorder
    from aeron_cluster.driver.control.name_resolution import Lookup, NameResolver
    from aeron_cluster.driver.media.wildcard_ports import WildcardPorts
    from aeron_cluster.driver.streams.driver_counters import DriverCounters
    from aeron_cluster.driver.streams.system_counters import SystemCounters
    from aeron_cluster.events.recorder import EventRecorder
    from aeron_cluster.memory.system.seams import Network, Seams

__all__ = ["MAX_BOOTSTRAP_NEIGHBORS", "MAX_NEIGHBORS", "DriverNameResolver"]

MAX_BOOTSTRAP_NEIGHBORS: Final = 20
MAX_NEIGHBORS: Final = 256
"""The limit of drivers to send to: any host can name them."""

_INTERFACE: Final = "aeron.driver.resolver.interface"
_BOOTSTRAP: Final = "aeron.driver.resolver.bootstrap.neighbor"
_MS: Final = 1_000_000
_WORK_INTERVAL_NS: Final = 10 * _MS
# Per interval: neither a burst of names nor a long list of neighbours may delay the streams.
_ENTRY_BUDGET: Final = 256
_SEND_BUDGET: Final = 64
_MAX_AGE_MS: Final = 2**31 - 1
_INDEX_LENGTH: Final = 4


@dataclass(slots=True)
class _Neighbor:
    """Another driver; only one that announced itself is sent the names of others."""

    active_ns: int
    has_announced: bool


@dataclass(slots=True)
class _Bootstrap:
    """A neighbour of the configuration."""

    text: str
    counter_id: int
    host: str | None = None
    port: int = 0
    lookup: Lookup | None = None
    address: Address | None = None


class DriverNameResolver:
    """Announces the driver's name, and learns the names of other drivers.

    Parameters
    ----------
    context : DriverContext
    seams : Seams
    names : AnnouncedNames
        The names that were learned; the own one is stored here.
    resolver : NameResolver
        Resolves the host names of bootstrap neighbours.
    ports : WildcardPorts
        The ports to use if the interface has port 0.
    counters : DriverCounters
    system_counters : SystemCounters
    errors : ErrorRecorder
    events : EventRecorder, optional
        The driver's event log.

    Attributes
    ----------
    socket : ResolutionSocket
        Polled by the conductor's agent.

    Raises
    ------
    ConfigurationError
        The interface is no address, or there are too many bootstrap neighbours.
    PlatformError
        The interface is in use, or not of this machine.
    """

    def __init__(
        self,
        context: DriverContext,
        seams: Seams,
        names: AnnouncedNames,
        resolver: NameResolver,
        ports: WildcardPorts,
        counters: DriverCounters,
        system_counters: SystemCounters,
        errors: ErrorRecorder,
        events: EventRecorder = NO_EVENTS,
    ) -> None:
        self._names = names
        self._resolver = resolver
        self._counters = counters
        self._system_counters = system_counters
        self._errors = errors
        self._events = events
        self._mtu_length: int = context.mtu_length
        self._timeout_ns: int = context.driver_resolver_neighbor_timeout_ns
        self._own_interval_ns: int = context.driver_resolver_self_resolution_interval_ns
        self._names_interval_ns: int = context.driver_resolver_neighbor_resolution_interval_ns
        self._bootstrap_interval_ns: int = (
            context.driver_resolver_bootstrap_neighbor_resolution_interval_ns
        )
        texts = _bootstrap_texts(context.driver_resolver_bootstrap_neighbor)
        self.socket = _open(context, seams.network, ports, events)
        local = self.socket.local_address
        self._name: str = context.driver_resolver_name
        self._port = local.port
        names.own = (self._name, local.host)
        packed = ipaddress.ip_address(local.host).packed
        own = ResolutionEntry(self._name, packed, local.port, is_self=True)
        self._own_frames = list(encode_frames([own], self._mtu_length))
        self._neighbors: dict[Address, _Neighbor] = {}
        self._expiry_ns = NEVER  # of the first neighbour
        self._unsent: deque[tuple[bytes, Address]] = deque()
        self._neighbors_counter = counters.allocate(
            RESOLVER_NEIGHBORS_TYPE,
            b"",
            f"Resolver neighbors: bound {local}",
            registration_id=0,
        )
        self._names_counter = counters.allocate(
            RESOLVER_NAMES_TYPE,
            b"",
            f"Resolver cache entries: name={self._name}",
            registration_id=0,
        )
        self._bootstraps = [
            _Bootstrap(
                text,
                counters.allocate(
                    BOOTSTRAP_NEIGHBOR_TYPE,
                    index.to_bytes(_INDEX_LENGTH, "little"),
                    f"Bootstrap neighbor: name={text} resolved=",
                    registration_id=0,
                ),
            )
            for index, text in enumerate(texts)
        ]
        now_ns = seams.clock.nano_time()
        self._send_deadline_ns = now_ns
        self._own_deadline_ns = now_ns
        self._names_deadline_ns = now_ns + self._names_interval_ns
        self._bootstrap_deadline_ns = now_ns if texts else NEVER

    @property
    def deadline_ns(self) -> int:
        """The time at which `do_work` is due without a received datagram."""
        deadline_ns: int = min(
            self._send_deadline_ns if self._unsent else NEVER,
            self._own_deadline_ns,
            self._names_deadline_ns,
            self._bootstrap_deadline_ns,
            self._names.deadline_ns,
            self._expiry_ns,
        )
        return deadline_ns

    @property
    def is_looking_up(self) -> bool:
        """Whether the address of a bootstrap neighbour is being looked up."""
        return any(each.lookup is not None for each in self._bootstraps)

    def do_work(self, now_ns: int) -> int:
        """Handle received names, and send those that are due; return the work count."""
        work = self._receive(now_ns)
        if now_ns >= self._bootstrap_deadline_ns:
            self._bootstrap_deadline_ns = now_ns + self._bootstrap_interval_ns
            for bootstrap in self._bootstraps:
                self._resolve(bootstrap)
        for bootstrap in self._bootstraps:
            if bootstrap.lookup is not None and bootstrap.lookup.done():
                self._on_resolved(bootstrap, bootstrap.lookup, now_ns)
                work += 1
        if self._names.expire(now_ns):
            self._counters.set_value(self._names_counter, len(self._names))
            work += 1
        work += self._expire_neighbors(now_ns)
        if now_ns >= self._names_deadline_ns:
            self._names_deadline_ns = now_ns + self._names_interval_ns
            self._pass_on(now_ns)
        if now_ns >= self._own_deadline_ns:
            self._own_deadline_ns = now_ns + self._own_interval_ns
            self._announce()
        return work + self._send_queued(now_ns)

    # ---- received names ----

    def _receive(self, now_ns: int) -> int:
        count = 0
        try:
            while count < _ENTRY_BUDGET and (received := self.socket.take()) is not None:
                count += 1 + self._on_datagram(*received, now_ns)
        except OSError as error:
            self._errors.record(error, "names of other drivers could not be received")
        return count

    def _on_datagram(self, data: bytes, source: Address, now_ns: int) -> int:
        """Handle a datagram; return how many names it has."""
        try:
            entries = decode_frame(data, MAX_NAMES)
        except MessageError as error:
            self._reject(error, source)
            return 0
        for entry in entries:
            self._on_entry(entry, source, now_ns)
        return len(entries)

    def _reject(self, error: MessageError, source: Address) -> None:
        self._system_counters.add(SystemCounter.SYSTEM_INVALID_PACKETS)
        found = MessageError(f"{error.message} from {source}", error.expected, error.found)
        self._errors.record(found, error.message)

    def _on_entry(self, entry: ResolutionEntry, source: Address, now_ns: int) -> None:
        if entry.port == self._port and entry.name == self._name:
            return  # the own name, as another driver knows it
        host = ipaddress.ip_address(entry.host)
        scope_id = 0
        if entry.is_self and host.is_unspecified:
            host, scope_id = ipaddress.ip_address(source.host), source.scope_id
        if fault := _fault(entry, host):
            self._reject(fault, source)
            return
        active_ns = now_ns - entry.age_ms * _MS
        if active_ns + self._timeout_ns <= now_ns:
            return
        if not self._names.update(entry.name, host.packed, entry.port, active_ns):
            self._report_full("names", MAX_NAMES)
            return
        self._counters.set_value(self._names_counter, len(self._names))
        address = Address(str(host), entry.port, scope_id)
        known = self._neighbors.get(address)
        if known is None:
            self._add_neighbor(address, active_ns, has_announced=entry.is_self)
        elif entry.is_self:
            known.active_ns, known.has_announced = max(known.active_ns, active_ns), True

    def _report_full(self, what: str, limit: int) -> None:
        error = MessageError("RES frame", f"at most {limit} {what} of other drivers", "more")
        self._errors.record(error, f"too many {what} of other drivers")

    # ---- neighbours ----

    def _add_neighbor(self, address: Address, active_ns: int, *, has_announced: bool) -> None:
        if len(self._neighbors) >= MAX_NEIGHBORS:
            self._report_full("addresses", MAX_NEIGHBORS)
            return
        self._neighbors[address] = _Neighbor(active_ns, has_announced)
        self._expiry_ns = min(self._expiry_ns, active_ns + self._timeout_ns)
        self._counters.set_value(self._neighbors_counter, len(self._neighbors))
        self._events.record(DriverEvent.NAME_RESOLUTION_NEIGHBOR_ADDED, address=address)

    def _expire_neighbors(self, now_ns: int) -> int:
        if now_ns < self._expiry_ns:
            return 0
        silent = [
            address
            for address, each in self._neighbors.items()
            if each.active_ns + self._timeout_ns <= now_ns
        ]
        for address in silent:
            del self._neighbors[address]
            self._events.record(DriverEvent.NAME_RESOLUTION_NEIGHBOR_REMOVED, address=address)
        self._expiry_ns = min(
            (each.active_ns + self._timeout_ns for each in self._neighbors.values()), default=NEVER
        )
        self._counters.set_value(self._neighbors_counter, len(self._neighbors))
        return len(silent)

    # ---- bootstrap neighbours ----

    def _resolve(self, bootstrap: _Bootstrap) -> None:
        """Begin to look up a bootstrap neighbour's address, unless it is a neighbour."""
        if bootstrap.lookup is not None or bootstrap.address in self._neighbors:
            return
        try:
            bootstrap.host, bootstrap.port = parse_socket_address(_BOOTSTRAP, bootstrap.text)
        except ConfigurationError as error:
            self._errors.record(
                ConfigurationError(
                    _BOOTSTRAP,
                    error.expected,
                    bootstrap.text,
                    upstream="invalid format: Invalid argument",
                )
            )
            return
        bootstrap.lookup = self._resolver.lookup([bootstrap.host], is_announced=False)

    def _on_resolved(self, bootstrap: _Bootstrap, lookup: Lookup, now_ns: int) -> None:
        bootstrap.lookup = None
        known, bootstrap.address = bootstrap.address, None
        try:
            [host] = lookup.result().values()
        except OSError as error:
            self._errors.record(error)
        else:
            bootstrap.address = Address(host, bootstrap.port)
        if bootstrap.address == known:
            return
        self._counters.manager.set_label(
            bootstrap.counter_id,
            f"Bootstrap neighbor: name={bootstrap.text} resolved={bootstrap.address or ''}",
        )
        if bootstrap.address is not None and now_ns < self._own_deadline_ns:
            self._unsent.extend((frame, bootstrap.address) for frame in self._own_frames)

    # ---- sent names ----

    def _announce(self) -> None:
        """Send the own name to bootstrap neighbours and to all others."""
        bootstraps = [each.address for each in self._bootstraps if each.address is not None]
        targets = dict.fromkeys([*bootstraps, *self._neighbors])
        # Before names of others, which may take longer than the interval.
        self._unsent.extendleft((frame, to) for frame in self._own_frames for to in targets)
        for each in self._bootstraps:
            self._counters.set_value(each.counter_id, int(each.address in self._neighbors))

    def _pass_on(self, now_ns: int) -> None:
        """Send all names to the neighbours that announced themselves."""
        if self._unsent:
            return  # those of the last interval are still being sent
        entries = (
            ResolutionEntry(name, host, port, min((now_ns - active_ns) // _MS, _MAX_AGE_MS))
            for name, host, port, active_ns in self._names.entries()
        )
        targets = [address for address, each in self._neighbors.items() if each.has_announced]
        for frame in encode_frames(entries, self._mtu_length):
            self._unsent.extend((frame, target) for target in targets)

    def _send_queued(self, now_ns: int) -> int:
        if not self._unsent or now_ns < self._send_deadline_ns:
            return 0
        self._send_deadline_ns = now_ns + _WORK_INTERVAL_NS
        count = min(len(self._unsent), _SEND_BUDGET)
        for _ in range(count):
            frame, target = self._unsent.popleft()
            try:
                if not self.socket.send(frame, target):
                    self._system_counters.add(SystemCounter.SYSTEM_SHORT_SENDS)
            except OSError as error:
                self._errors.record(
                    PlatformError(
                        error.errno or errno.EIO,
                        f"Failed to send resolution frames to neighbor: {target}: {error.strerror}",
                    ),
                    "Failed to send resolution frames",
                )
        return count

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()


def _bootstrap_texts(text: str | None) -> list[str]:
    texts = [each.strip() for each in (text or "").split(",") if each.strip()]
    if len(texts) > MAX_BOOTSTRAP_NEIGHBORS:
        raise ConfigurationError(
            _BOOTSTRAP,
            f"at most {MAX_BOOTSTRAP_NEIGHBORS}",
            len(texts),
            upstream="Resolver Bootstrap Neighbor list too large.  Can have a maximum of "
            f"{MAX_BOOTSTRAP_NEIGHBORS}.",
        )
    return texts


def _open(
    context: DriverContext, network: Network, ports: WildcardPorts, events: EventRecorder
) -> ResolutionSocket:
    text: str = context.driver_resolver_interface
    host, port = parse_socket_address(_INTERFACE, text)
    try:
        found = sorted(network.resolve(host), key=lambda address: ":" in address)
    except (OSError, ValueError) as error:
        raise ConfigurationError(_INTERFACE, "an address of this machine", text) from error
    if any(map(events.is_enabled, (DriverEvent.FRAME_IN, DriverEvent.FRAME_OUT))):
        network = LoggedNetwork(network, EventSource(events.log, f"aeron:udp?endpoint={text}"))
    address = ports.assign(Address(found[0], port))
    try:
        return ResolutionSocket(
            network,
            address,
            poll_interval_ns=_WORK_INTERVAL_NS,
            send_buffer_length=context.socket_so_sndbuf,
            receive_buffer_length=context.socket_so_rcvbuf,
        )
    except OSError as error:
        raise PlatformError(
            error.errno or errno.EIO, f"{error.strerror}: {_INTERFACE} {address}"
        ) from error


def _fault(
    entry: ResolutionEntry, host: ipaddress.IPv4Address | ipaddress.IPv6Address
) -> MessageError | None:
    """Return why a name must not be used, if so."""
    if not is_valid_name(entry.name):
        return MessageError("RES entry: name", "printable ASCII", entry.name[:100])
    if entry.port == 0:
        return MessageError("RES entry: port", "1 to 65535", 0)
    if entry.age_ms < 0:
        return MessageError("RES entry: age", "at least 0 ms", entry.age_ms)
    if host.is_unspecified or host.is_multicast or host.packed == b"\xff\xff\xff\xff":
        return MessageError("RES entry: address", "that of one host", str(host))
    return None
