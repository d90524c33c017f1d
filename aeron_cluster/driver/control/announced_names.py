"""The names that drivers have announced, with their addresses.

``io.aeron.driver.DriverNameResolverCache``.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.agents.waiting import NEVER

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MAX_NAMES", "AnnouncedNames"]

MAX_NAMES: Final = 1024
"""The limit of names of other drivers: any host can send them."""

_ADDRESS_LENGTHS: Final = (4, 16)  # in the order of preference


@dataclass(slots=True)
class _Announced:
    host: bytes
    port: int
    active_ns: int


class AnnouncedNames:
    """Names of drivers, which expire when nothing renews them.

    Parameters
    ----------
    timeout_ns : int
        The time without activity after which a name expires.

    Attributes
    ----------
    own : tuple of (str, str) or None
        The own name, with its address.
    """

    def __init__(self, timeout_ns: int) -> None:
        self._timeout_ns = timeout_ns
        # A name may have an address of each family.
        self._names: dict[tuple[str, int], _Announced] = {}
        self._deadline_ns = NEVER
        self.own: tuple[str, str] | None = None

    def __len__(self) -> int:
        return len(self._names)

    @property
    def deadline_ns(self) -> int:
        """The earliest time at which a name may expire."""
        return self._deadline_ns

    def find(self, name: str) -> str | None:
        """Return the literal address of a name, IPv4 if it has both; None if it is unknown."""
        if self.own is not None and name == self.own[0]:
            return self.own[1]
        for length in _ADDRESS_LENGTHS:
            found = self._names.get((name, length))
            if found is not None:
                return str(ipaddress.ip_address(found.host))
        return None

    def update(self, name: str, host: bytes, port: int, active_ns: int) -> bool:
        """Store a name, unless a later activity of it is known.

        Parameters
        ----------
        name : str
        host : bytes
            The 4 or 16 bytes of its address.
        port : int
        active_ns : int
            The time of its activity.

        Returns
        -------
        bool
            False if there is no space for another name.
        """
        key = (name, len(host))
        known = self._names.get(key)
        if known is None:
            if len(self._names) >= MAX_NAMES:
                return False
            self._names[key] = _Announced(host, port, active_ns)
            self._deadline_ns = min(self._deadline_ns, active_ns + self._timeout_ns)
        elif active_ns >= known.active_ns:
            known.host, known.port, known.active_ns = host, port, active_ns
        return True

    def expire(self, now_ns: int) -> int:
        """Remove the names without activity for the timeout; return how many."""
        if now_ns < self._deadline_ns:
            return 0
        before = len(self._names)
        self._names = {
            key: each
            for key, each in self._names.items()
            if now_ns < each.active_ns + self._timeout_ns
        }
        self._deadline_ns = min(
            (each.active_ns + self._timeout_ns for each in self._names.values()), default=NEVER
        )
        return before - len(self._names)

    def entries(self) -> Iterator[tuple[str, bytes, int, int]]:
        """Yield each name with its host, its port and the time of its activity."""
        for (name, _), each in self._names.items():
            yield name, each.host, each.port, each.active_ns
