"""Resolve host names without blocking the agent that requests it.

``io.aeron.driver.NameResolver``, ``io.aeron.driver.AsyncNameResolver``. Upstream looks up one name
at a time. Here the look-up of a new name, which may come from an unknown party and take arbitrarily
long, delays neither names that had an address before nor, up to a limit, other new ones.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import AeronClusterError
from aeron_cluster.events.codes import DriverEvent
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.memory.system.task_executor import Task, TaskExecutor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aeron_cluster.events.recorder import EventRecorder
    from aeron_cluster.memory.system.seams import Clock

__all__ = [
    "MAX_NEW",
    "UNRESOLVED",
    "KnownAddresses",
    "Lookup",
    "NameResolver",
    "UnknownHostError",
    "unresolved",
]

UNRESOLVED: Final = "0.0.0.0"  # noqa: S104 - no address to bind
"""Stands for the address of a name that has none yet."""

MAX_NEW: Final = 512
"""The limit of concurrent lookups of names that never had an address."""

_THREAD_COUNT: Final = 4
_THREAD_COUNT_OF_NEW: Final = 16
_MAX_KNOWN: Final = 4096


class UnknownHostError(AeronClusterError, OSError):
    """A host name that has no address.

    Parameters
    ----------
    host : str
        The name.
    reason : str
        The error that the resolver reported.
    """

    def __init__(self, host: str, reason: str) -> None:
        self.host = host
        self.reason = reason
        super().__init__(f"unknown host {host}: {reason}")

    def with_channel(self, channel: str) -> UnknownHostError:
        """Return the error with the URI in which the name is, as in upstream's text."""
        return UnknownHostError(self.host, f"{self.reason}: {channel}")


Lookup = Task[Mapping[str, str]]
"""A pending lookup of names; `result` raises `UnknownHostError`."""


class KnownAddresses:
    """The result for names that need no lookup, as a completed lookup."""

    def __init__(self, find: Callable[[], Mapping[str, str]]) -> None:
        self._found: Mapping[str, str] = {}
        self._failure: UnknownHostError | None = None
        try:
            self._found = find()
        except UnknownHostError as failure:
            self._failure = failure

    def done(self) -> bool:
        """Return True."""
        return True

    def result(self) -> Mapping[str, str]:
        """Return the addresses by name, or raise `UnknownHostError`."""
        if self._failure is not None:
            raise self._failure
        return self._found


class NameResolver:
    """Resolves names by the network, on a thread that starts with the first look-up.

    If a name has addresses of both families, the IPv4 address is used, as in Java.

    Parameters
    ----------
    resolve : Callable
        ``Network.resolve``; may block.
    is_threaded : bool
        False: resolve on the caller's thread, as required in a simulation.
    events : EventRecorder, optional
        The driver's event log.
    clock : Clock, optional
        The clock for the durations in it.
    name : str
        The name of the resolver in it.
    find : Callable, optional
        Returns the literal address of a name that is known without a look-up, or None.
    """

    def __init__(
        self,
        resolve: Callable[[str], Iterable[str]],
        *,
        is_threaded: bool = True,
        events: EventRecorder = NO_EVENTS,
        clock: Clock | None = None,
        name: str = "default",
        find: Callable[[str], str | None] | None = None,
    ) -> None:
        self._events = events
        self._clock = clock
        self._name = name
        self._find = find
        self._resolve = resolve
        self._is_threaded = is_threaded
        self._executor = TaskExecutor("aeron-executor", _THREAD_COUNT)
        self._executor_of_new = TaskExecutor("aeron-executor-new", _THREAD_COUNT_OF_NEW)
        self._new: list[Lookup] = []
        # Names that had an address before; an unknown party's name must have been resolved once.
        self._known: set[str] = set()

    def lookup(
        self, hosts: Iterable[str], *, is_again: bool = False, is_announced: bool = True
    ) -> Lookup:
        """Begin to find an address for each of `hosts`; literal ones are returned unchanged.

        Parameters
        ----------
        hosts : iterable of str
        is_again : bool
            Whether the addresses of open channels are checked.
        is_announced : bool
            Whether the hosts may be names that other drivers announced.
        """
        found = {
            host: host
            if _is_literal(host)
            else (self._find_known(host, is_again) if is_announced else None)
            for host in hosts
        }
        names = [host for host, address in found.items() if address is None]
        if not self._is_threaded or not names:
            return KnownAddresses(lambda: self._resolve_all(found, is_again))
        if self._known.issuperset(names):
            return self._executor.submit(self._resolve_all, found, is_again)
        self._new = [each for each in self._new if not each.done()]
        if len(self._new) >= MAX_NEW:
            return KnownAddresses(lambda: _reject(names[0]))
        self._new.append(self._executor_of_new.submit(self._resolve_all, found, is_again))
        return self._new[-1]

    def record_names(self, names: Iterable[str], *, is_again: bool = False) -> None:
        """Record that names of endpoints, ``host:port``, stand for themselves.

        Upstream's resolvers may return another endpoint; none of the release does.
        """
        for name in names:
            self._events.record(
                DriverEvent.NAME_RESOLUTION_LOOKUP,
                is_re_lookup=is_again,
                duration_ns=0,
                resolver=self._name,
                name=name,
                resolved_name=name,
            )

    def close(self) -> None:
        """Drop lookups that have not begun; others end by themselves."""
        self._executor.close()
        self._executor_of_new.close()

    def _resolve_all(self, found: Mapping[str, str | None], is_again: bool) -> dict[str, str]:
        return {
            host: self._timed(host, is_again) if address is None else address
            for host, address in found.items()
        }

    def _find_known(self, host: str, is_again: bool) -> str | None:
        """Return the address of a name that is known without a look-up."""
        address = None if self._find is None else self._find(host)
        if address is not None:
            self._record(host, address, 0, is_again)
        return address

    def _timed(self, host: str, is_again: bool) -> str:
        if self._clock is None or not self._events.is_enabled(DriverEvent.NAME_RESOLUTION_RESOLVE):
            return self._first(host)
        begin_ns = self._clock.nano_time()
        address = None
        try:
            address = self._first(host)
        finally:
            self._record(host, address, self._clock.nano_time() - begin_ns, is_again)
        return address

    def _record(self, host: str, address: str | None, duration_ns: int, is_again: bool) -> None:
        self._events.record(
            DriverEvent.NAME_RESOLUTION_RESOLVE,
            is_re_resolution=is_again,
            duration_ns=duration_ns,
            resolver=self._name,
            name=host,
            address=address,
        )

    def _first(self, host: str) -> str:
        try:
            found = sorted(self._resolve(host), key=lambda address: ":" in address)
        except (OSError, ValueError) as error:
            text = str(error)
            if not text.startswith("Unable to resolve host"):
                text = f"Unable to resolve host=({host}): {text}"
            raise UnknownHostError(host, text) from error
        if not found:
            raise UnknownHostError(host, "no address")
        if len(self._known) < _MAX_KNOWN:
            self._known.add(host)
        return found[0].partition("%")[0]


def unresolved(hosts: Iterable[str]) -> dict[str, str]:
    """Return literal addresses unchanged, and `UNRESOLVED` for each name."""
    return {host: host if _is_literal(host) else UNRESOLVED for host in hosts}


def _reject(host: str) -> Mapping[str, str]:
    raise UnknownHostError(host, f"{MAX_NEW} other names are being looked up")


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
