"""The embedded media driver of a cluster client for which no driver is named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from aeron_cluster import driver as driver_room  # loads the driver when one is launched
from aeron_cluster.config import CLUSTER_CLIENT_OPTIONS, resolve
from aeron_cluster.driver.directory import owner_of
from aeron_cluster.errors import CorruptError, DriverTimeoutError
from aeron_cluster.memory.shared.cnc_file import CNC_FILE_NAME, CncFile
from aeron_cluster.memory.system.process import ProcessIdentity
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.cluster_client.context import ClusterClientContext

__all__ = ["EmbeddedDriver", "check_driver", "embed_driver"]

# A running driver stores its heartbeat once a second; the rest is for pauses of a busy machine.
_RECENT_MS: Final = 5_000
_TIMEOUT_MS: Final = 10_000
_AERON_DIR = next(each for each in CLUSTER_CLIENT_OPTIONS if each.keyword == "aeron_dir")


class EmbeddedDriver(Protocol):
    """What a client does with the driver that it launched."""

    def close(self) -> None:
        """Stop the driver."""


def embed_driver(
    context: ClusterClientContext, properties: Mapping[str, str] | None, aeron_dir: object
) -> EmbeddedDriver | None:
    """Launch a driver for a client that has none, on a separate thread.

    Parameters
    ----------
    context : ClusterClientContext
        The directory of the launched driver is added to them.
    properties : Mapping of str to str, optional
        The properties, which may name a driver.
    aeron_dir : object
        The keyword, if it was given.

    Returns
    -------
    EmbeddedDriver or None
        To be closed after the client; None if a client, a driver's invoker, or the keyword, a
        property or the environment names a driver.

    Raises
    ------
    ConfigurationError
        An invalid property of the driver.
    """
    if context.aeron is not None or context.agent_invoker is not None:
        return None
    if resolve((_AERON_DIR,), {"aeron_dir": aeron_dir}, properties).is_given("aeron_dir"):
        return None
    driver = driver_room.MediaDriver.launch(properties=properties, threading_mode="SHARED")
    context.aeron_dir = driver.aeron_dir
    return driver


def check_driver(context: ClusterClientContext) -> None:
    """Raise an error immediately if no driver runs in the named directory.

    A driver that is starting passes: `Aeron.connect` waits for it. So does one whose process may
    exist elsewhere, as in another container: ours until its heartbeat is older than the driver
    timeout, Java's and C's, which do not store their container, until it is 5 s old.

    Raises
    ------
    DriverTimeoutError
        It names the remedy.
    VersionError
        The driver's file has an unsupported version.
    """
    if context.aeron is not None or context.agent_invoker is not None:
        return
    directory = context.aeron_dir
    found = _missing_driver(Seams(), directory)
    if found is not None:
        raise DriverTimeoutError(
            f"no media driver in {directory}{found}: start one (aeron-cluster driver --dir"
            f" {directory}), or leave aeron_dir and AERON_DIR unset: the client then launches an"
            " embedded driver"
        )


def _missing_driver(seams: Seams, directory: str) -> str | None:
    """Return the reason why no driver runs there, which may be empty; None if one may run."""
    files, processes = seams.files, seams.processes
    path = str(Path(directory) / CNC_FILE_NAME)
    if not files.is_file(path):
        return ""
    try:
        if not CncFile.is_ready(files, path):
            return None
        cnc = CncFile.open(files, path)
    except (CorruptError, OSError):
        return None  # unfinished: the client repeats it
    with cnc:
        pid, heartbeat_ms = cnc.pid, cnc.driver_heartbeat_ms
        age_ms = seams.clock.epoch_ms() - heartbeat_ms
    if heartbeat_ms == 0:
        return None
    if heartbeat_ms < 0:
        return f" (that of process {pid} was closed)"
    owner = owner_of(files, directory)
    if owner is None or owner.pid != pid:  # Java's or C's; probably of this container
        own = processes.own_identity()
        owner = ProcessIdentity(pid, 0, own.namespace, own.boot) if age_ms > _RECENT_MS else None
    if owner is not None and processes.is_alive(owner) is False:
        return f" (that of process {pid} has ended)"
    if age_ms > _TIMEOUT_MS:
        return f" (that of process {pid} has been silent for {age_ms / 1000:.1f} s)"
    return None
