"""Ports of commands that are looked for before anything is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.cluster.module.start_checks import is_port_in_use
from aeron_cluster.cluster.security.source_identity import host_of
from aeron_cluster.config import parse_digits
from aeron_cluster.errors import PortInUseError
from aeron_cluster.memory.system.seams import UdpNetwork

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Network

__all__ = ["check_endpoint"]


def check_endpoint(network: Network, endpoint: str, purpose: str, option: str) -> None:
    """Reject a UDP endpoint whose port is in use.

    Parameters
    ----------
    network : Network
    endpoint : str
        ``host:port``; one without a port of its own is not looked at.
    purpose : str
        What the command needs it for.
    option : str
        What names it.

    Raises
    ------
    PortInUseError
        The port is in use.
    """
    port = parse_digits(endpoint.rpartition(":")[2])
    if not isinstance(network, UdpNetwork) or not port:
        return
    if is_port_in_use(network, host_of(endpoint), port):
        raise PortInUseError(endpoint, purpose, remedy=f"choose another one ({option})")
