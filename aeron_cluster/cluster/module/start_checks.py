"""Checks before the start of a node: ports, and space for its log on disk and in memory.

No counterpart in Aeron. Without these checks a node would fail only in its elections, after several
attempts.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.security.source_identity import host_of
from aeron_cluster.config import parse_digits
from aeron_cluster.errors import InsufficientSpaceError, PlatformError, PortInUseError
from aeron_cluster.memory.system.seams import UdpNetwork

if TYPE_CHECKING:
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.memory.system.seams import Files, Network

__all__ = ["check_log_buffer", "check_room", "find_port_in_use", "is_port_in_use"]

# The endpoints that every member binds; the two below are only for members with peers.
_OWN: Final = (
    ("ingress_endpoint", "clients' ingress"),
    ("consensus_endpoint", "consensus between members"),
    ("archive_endpoint", "archive control"),
)
_WITH_PEERS: Final = (
    ("log_endpoint", "the leader's log"),
    ("catchup_endpoint", "catching up with the log"),
)


def find_port_in_use(network: Network, member: Member, *, has_peers: bool) -> PortInUseError | None:
    """Return a port of a member that is in use, and its purpose.

    Notes
    -----
    Only local addresses are checked. Another host may forward to this machine: its port cannot be
    checked.
    """
    if not isinstance(network, UdpNetwork):
        return None
    for name, purpose in (*_OWN, *(_WITH_PEERS if has_peers else ())):
        endpoint: str = getattr(member, name)
        port = parse_digits(endpoint.rpartition(":")[2])
        if port and is_port_in_use(network, host_of(endpoint), port):
            return PortInUseError(endpoint, purpose)
    return None


def is_port_in_use(network: UdpNetwork, host: str, port: int) -> bool:
    """Return whether a UDP port of this machine is in use."""
    try:
        address = network.resolve(host)[0]
        network.open(bind=(address, port)).close()
    except PlatformError as error:
        return error.errno == errno.EADDRINUSE
    except (OSError, UnicodeError):  # the name does not resolve; the driver resolves it again
        return False
    return False


def check_room(files: Files, directory: str, threshold: int) -> None:
    """Raise if the archive would reject a recording for lack of space.

    Raises
    ------
    InsufficientSpaceError
        The free space is not above the archive's low storage threshold.
    """
    usable = files.usable_space(directory)
    if usable <= threshold:
        raise InsufficientSpaceError(
            errno.ENOSPC,
            f"expected more than {threshold:,} bytes free for the log, found {usable:,}: make room,"
            " or lower aeron.archive.low.storage.space.threshold",
            directory,
        )


def check_log_buffer(files: Files, aeron_dir: str, length: int) -> None:
    """Raise if the driver would reject the buffer of the node's log for lack of memory.

    Parameters
    ----------
    files : Files
    aeron_dir : str
        The driver's directory.
    length : int
        The length of the buffer's file, in bytes.

    Raises
    ------
    InsufficientSpaceError
        There is less free memory.
    """
    usable = files.usable_space(aeron_dir)
    if usable < length:
        raise InsufficientSpaceError(
            errno.ENOSPC,
            f"expected {length:,} bytes free for the buffer of the log, found {usable:,}: make room"
            " (of a container: --shm-size), name another directory (--aeron-dir), or lower the"
            " term-length of aeron.cluster.log.channel",
            aeron_dir,
        )
