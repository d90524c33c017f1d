"""The source identity of an image: the address from which its publication sends.

Upstream: ``sourceIdentity`` of Image.
"""

from __future__ import annotations

import ipaddress
from typing import Final

__all__ = ["IPC", "LOOPBACK", "canonical_host", "host_of", "is_literal", "source_group"]

IPC: Final = "aeron:ipc"
"""The source identity of every publication of the same driver."""

LOOPBACK: Final = "127.0.0.1"
"""The result of `canonical_host` for every loopback address."""

_GROUPS: Final = 8
# The prefix length of an IPv6 network of a single customer, in bits.
_GROUP_LENGTH: Final = 64


def host_of(endpoint: str) -> str:
    """Return the host of ``host:port``, ``[address]:port``, or either without a port.

    Notes
    -----
    Java's driver writes all eight groups of an address, and no brackets.
    """
    if endpoint.startswith("["):
        return endpoint[1:].partition("]")[0]
    host, colon, port = endpoint.rpartition(":")
    groups = host.split(":")
    is_host = len(groups) == 1 or (len(groups) == _GROUPS and all(groups))
    return host if colon and port.isdecimal() and is_host else endpoint


def is_literal(host: str) -> bool:
    """Return whether a host is an address, rather than a name."""
    return _address(host) is not None


def canonical_host(host: str) -> str:
    """Return the canonical spelling of an address.

    Notes
    -----
    A machine has many loopback addresses, and the system chooses the one that a datagram is sent
    from; none of them comes from outside. They count as one, `LOOPBACK`. A name is returned
    unchanged.
    """
    address = _address(host)
    if address is None:
        return host
    if address.is_loopback or address.is_unspecified:
        return LOOPBACK
    return str(address)


def source_group(source_identity: str) -> str:
    """Return the owner of a source address: its host, or its IPv6 network."""
    host = host_of(source_identity)
    address = _address(host)
    if isinstance(address, ipaddress.IPv6Address) and not address.is_loopback:
        return str(ipaddress.ip_network((address, _GROUP_LENGTH), strict=False))
    return canonical_host(host)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        # The zone of a link-local address is only meaningful on this machine.
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
