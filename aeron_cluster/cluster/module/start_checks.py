"""Checks before the start of a node: ports, and space for its log on disk and in memory.

No counterpart in Aeron. Without these checks the node would find out in its elections, of
which it tries several.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.security.source_identity import host_of
from aeron_cluster.errors import InsufficientSpaceError, PlatformError, PortInUseError
from aeron_cluster.memory.system.seams import UdpNetwork

if TYPE_CHECKING:
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.memory.system.seams import Files, Network

__all__ = ["check_log_buffer", "check_room", "find_port_in_use", "is_port_in_use"]

# Each is bound by every member; the two of a member with peers follow.
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
    """Return which port of a member is in use, and what the member needs it for.

    Notes
    -----
    Only of the machine's own network. A host that is none of this machine's may be one that
    forwards to it: nothing is known of that port.
    """
    if not isinstance(network, UdpNetwork):
        return None
    for name, purpose in (*_OWN, *(_WITH_PEERS if has_peers else ())):
        endpoint: str = getattr(member, name)
        port = endpoint.rpartition(":")[2]
        if port.isdecimal() and int(port) and is_port_in_use(network, host_of(endpoint), int(port)):
            return PortInUseError(endpoint, purpose)
    return None


def is_port_in_use(network: UdpNetwork, host: str, port: int) -> bool:
    """Return whether a UDP port of this machine is in use."""
    try:
        address = network.resolve(host)[0]
        network.open(bind=(address, port)).close()
    except PlatformError as error:
        return error.errno == errno.EADDRINUSE
    except OSError:  # the name does not resolve; the driver resolves it again
        return False
    return False


def check_room(files: Files, directory: str, threshold: int) -> None:
    """Raise where the archive would refuse to record, for want of room.

    Raises
    ------
    InsufficientSpaceError
        No more is free than the archive's low storage threshold.
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
    """Raise where the driver would refuse the buffer of the node's log, for want of memory.

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
        Less is free than that.
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
