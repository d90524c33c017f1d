"""The ports that the driver assigns to channels without a port.

``io.aeron.driver.media.WildcardPortManager``.
"""

from __future__ import annotations

import errno
import re
from collections import Counter

from aeron_cluster.errors import ConfigurationError, PlatformError
from aeron_cluster.memory.system.address import Address

__all__ = ["WildcardPorts"]

_RANGE = re.compile(r"\s*(\d{1,5}) +(\d{1,5})\s*")
_MAX_PORT = 2**16 - 1


class WildcardPorts:
    """Assigns ports of a range; without a range the system chooses.

    Parameters
    ----------
    name : str
        The option, for errors.
    text : str or None
        ``"LOW HIGH"``; None, or 0 twice, for the system's choice.

    Raises
    ------
    ConfigurationError
        The text is not a range of ports.
    """

    def __init__(self, name: str, text: str | None) -> None:
        low = high = 0
        if text:
            found = _RANGE.fullmatch(text)
            low, high = (int(found[1]), int(found[2])) if found else (1, 0)
            if not low <= high <= _MAX_PORT:
                raise ConfigurationError(
                    name,
                    f"two ports up to {_MAX_PORT}, the lower first, such as 20700 20799",
                    text,
                    upstream=f'port range "{text}" incorrect format',
                )
        self._low, self._high = low, high
        self._next = low
        # Channels at different addresses, or one that fails to open, may have the same port.
        self._used: Counter[int] = Counter()

    @property
    def is_system(self) -> bool:
        """Whether the system chooses."""
        return self._high == 0

    def assign(self, address: Address) -> Address:
        """Return the address to bind, with a port of the range if it has none.

        Raises
        ------
        PlatformError
            All ports of the range are in use.
        """
        if address.port:
            self._used[address.port] += 1
            return address
        if self.is_system:
            return address
        size = self._high - self._low + 1
        for step in range(size):
            port = self._low + (self._next - self._low + step) % size
            if not self._used[port]:
                self._next = self._low + (port - self._low + 1) % size
                self._used[port] = 1
                return Address(address.host, port)
        raise PlatformError(
            errno.EADDRNOTAVAIL, f"no available ports in range {self._low} {self._high}"
        )

    def release(self, port: int) -> None:
        """Release a port that was assigned, for other channels; others are ignored."""
        if self._used[port] > 1:
            self._used[port] -= 1
        else:
            del self._used[port]
