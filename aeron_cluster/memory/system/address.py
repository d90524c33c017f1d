"""Literal network addresses, and the interfaces that have them."""

from typing import NamedTuple

__all__ = ["Address", "Interface"]


class Address(NamedTuple):
    """The address of a datagram's source or destination.

    Parameters
    ----------
    host : str
        A literal IPv4 or IPv6 address.
    port : int
        The UDP port; 0 leaves the choice to the system.
    scope_id : int
        The interface index of a link-local IPv6 address, otherwise 0.
    """

    host: str
    port: int
    scope_id: int = 0

    def __str__(self) -> str:
        if ":" in self.host:
            scope = f"%{self.scope_id}" if self.scope_id else ""
            return f"[{self.host}{scope}]:{self.port}"
        return f"{self.host}:{self.port}"


class Interface(NamedTuple):
    """One address of a network interface that is up."""

    name: str
    address: Address
    prefix_length: int
    is_loopback: bool
    is_multicast: bool
