"""Reserves the ports of a local cluster and announces it to clients."""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import json
import os
import stat
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, TextIO

from aeron_cluster.cluster.assembly import local_member
from aeron_cluster.cluster.module.start_checks import find_port_in_use
from aeron_cluster.errors import ConfigurationError, ForeignDirectoryError, PortInUseError
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.process import ProcessIdentity
from aeron_cluster.memory.system.seams import Seams

__all__ = ["Announcement", "PortClaim", "announced_clusters", "user_name"]

# Below the range of ephemeral ports: a client could be using a stopped member's port.
_BASES: Final = range(9000, 20000, 100)
_MAX_MEMBERS: Final = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """A running local cluster.

    Parameters
    ----------
    endpoints : str
        The members' ingress endpoints, ``host:port`` separated by commas.
    directory : str
        The directory of its data.
    pid : int
        The process id of the command.
    identity : str
        The start time of that process: a later process may have the same id.
    """

    endpoints: str
    directory: str
    pid: int
    identity: str


def user_name() -> str:
    """Return the name of this process's user, or its number if it has no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _claims_dir() -> Path:
    """Create the directory of this user's claims.

    Raises
    ------
    ForeignDirectoryError
        The directory belongs to another user.
    ConfigurationError
        The directory cannot be created.
    """
    directory_path = Path(tempfile.gettempdir()) / f"aeron-cluster-ports-{user_name()}"
    try:
        directory_path.mkdir(mode=0o700, exist_ok=True)
        found = directory_path.lstat()
    except OSError as error:
        raise ConfigurationError("TMPDIR", "a writable directory", str(error)) from None
    if not stat.S_ISDIR(found.st_mode):
        raise ConfigurationError(
            "TMPDIR", f"a directory {directory_path}", "a link or a file of that name"
        )
    if found.st_uid != os.getuid():
        raise ForeignDirectoryError(
            str(directory_path), "the directory of local clusters", os.getuid(), found.st_uid
        )
    return directory_path


class PortClaim(Closeable):
    """Reserves a block of ten ports for each member against other commands of this user.

    Parameters
    ----------
    member_count : int
    port_base : int, optional
        The first port of the first block; by default the first base with enough free ports.

    Attributes
    ----------
    port_base : int

    Raises
    ------
    PortInUseError
        One of the members' ports is in use.
    ConfigurationError
        There is no range with enough free ports.
    """

    def __init__(self, member_count: int, port_base: int | None = None) -> None:
        if not 0 < member_count <= _MAX_MEMBERS:
            raise ConfigurationError("members", f"from 1 to {_MAX_MEMBERS}", member_count)
        self._member_count = member_count
        directory_path = _claims_dir()
        for base in _BASES if port_base is None else (port_base,):
            file = _lock(directory_path / f"{base}.json")
            in_use = _port_in_use(member_count, base)
            if file is not None and in_use is None:
                self._file = file
                self.port_base = base
                return
            if file is not None:
                file.close()
            if port_base is not None:
                endpoint = local_member(0, base_port=base).ingress_endpoint
                raise in_use or PortInUseError(endpoint, "another local cluster")
        raise ConfigurationError(
            "ports", f"{10 * member_count} free ones from {_BASES.start} to {_BASES.stop}", "none"
        )

    @property
    def endpoints(self) -> str:
        """The members' ingress endpoints, separated by commas."""
        members = (local_member(each, base_port=self.port_base) for each in self._numbers)
        return ",".join(member.ingress_endpoint for member in members)

    @property
    def _numbers(self) -> range:
        return range(self._member_count)

    def announce(self, directory: str) -> None:
        """List the cluster in `announced_clusters` until this claim is closed."""
        own = Seams().processes.own_identity()
        announcement = Announcement(
            endpoints=self.endpoints,
            directory=directory,
            pid=own.pid,
            identity=own.pack().hex(),
        )
        self._file.write(json.dumps(asdict(announcement)))
        self._file.flush()

    def close(self) -> None:
        """Release the ports. The empty file remains: another command may be about to lock it."""
        if not self._file.closed:
            self._file.truncate(0)
            self._file.close()


def _lock(path: Path) -> TextIO | None:
    """Return an empty file that this process has locked; None if another process has it."""
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    file.truncate(0)  # it may be from a killed process
    return file


def _port_in_use(member_count: int, port_base: int) -> PortInUseError | None:
    network = Seams().network
    for each in range(member_count):
        member = local_member(each, base_port=port_base)
        if found := find_port_in_use(network, member, has_peers=member_count > 1):
            return found
    return None


def announced_clusters() -> list[Announcement]:
    """Return the running local clusters of this user."""
    return list(_announced())


def _announced() -> Iterator[Announcement]:
    processes = Seams().processes
    for path in sorted(_claims_dir().glob("*.json")):
        with contextlib.suppress(OSError, ValueError, TypeError, struct.error):  # partially written
            found = Announcement(**json.loads(path.read_text()))
            identity = ProcessIdentity.unpack(found.pid, bytes.fromhex(found.identity))
            if identity is not None and processes.is_alive(identity):
                yield found
