"""Resolve host names without blocking the agent that requests it.

``io.aeron.driver.NameResolver``, ``io.aeron.driver.AsyncNameResolver``.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import TYPE_CHECKING

from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.task_executor import Task, TaskExecutor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Lookup", "NameResolver", "UnknownHostError"]


class UnknownHostError(AeronClusterError, OSError):
    """A host name that has no address.

    Parameters
    ----------
    host : str
        The name.
    reason : str
        What the resolver reported.
    """

    def __init__(self, host: str, reason: str) -> None:
        self.host = host
        super().__init__(f"unknown host {host}: {reason}")


Lookup = Task[Mapping[str, str]]
"""Names on their way to becoming addresses; `result` raises `UnknownHostError`."""


class _Answer:
    """A lookup that was done at once."""

    def __init__(self, find: Callable[[], Mapping[str, str]]) -> None:
        self._found: Mapping[str, str] = {}
        self._failure: UnknownHostError | None = None
        try:
            self._found = find()
        except UnknownHostError as failure:
            self._failure = failure

    def done(self) -> bool:
        return True

    def result(self) -> Mapping[str, str]:
        if self._failure is not None:
            raise self._failure
        return self._found


class NameResolver:
    """Resolves names by the network, on a thread that starts with the first of them.

    Where a name has addresses of both families the one of version 4 is taken, as Java does.

    Parameters
    ----------
    resolve : Callable
        ``Network.resolve``; may block.
    is_threaded : bool
        False: resolve on the caller's thread, as a simulation must.
    """

    def __init__(
        self, resolve: Callable[[str], Iterable[str]], *, is_threaded: bool = True
    ) -> None:
        self._resolve = resolve
        self._is_threaded = is_threaded
        self._executor = TaskExecutor("aeron-executor")

    def lookup(self, hosts: Iterable[str]) -> Lookup:
        """Begin to find an address for each of `hosts`; literal addresses are their own."""
        names = list(hosts)
        if not self._is_threaded or all(map(_is_literal, names)):
            return _Answer(lambda: self._resolve_all(names))
        return self._executor.submit(self._resolve_all, names)

    def close(self) -> None:
        """Drop lookups that have not begun; one that has ends by itself."""
        self._executor.close()

    def _resolve_all(self, hosts: list[str]) -> dict[str, str]:
        return {host: host if _is_literal(host) else self._first(host) for host in hosts}

    def _first(self, host: str) -> str:
        try:
            found = sorted(self._resolve(host), key=lambda address: ":" in address)
        except (OSError, ValueError) as error:
            raise UnknownHostError(host, str(error)) from error
        if not found:
            raise UnknownHostError(host, "no address")
        return found[0].partition("%")[0]


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
