"""The embedded media driver of a cluster client for which no driver is named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aeron_cluster import driver as driver_room  # loads the driver when one is launched
from aeron_cluster.config import CLUSTER_CLIENT_OPTIONS, resolve
from aeron_cluster.errors import DriverTimeoutError
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aeron_cluster.cluster_client.context import ClusterClientContext
    from aeron_cluster.driver.media_driver import MediaDriver

__all__ = ["check_driver", "embed_driver"]

_AERON_DIR = next(each for each in CLUSTER_CLIENT_OPTIONS if each.keyword == "aeron_dir")


def embed_driver(
    context: ClusterClientContext, properties: Mapping[str, str] | None, aeron_dir: object
) -> MediaDriver | None:
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
    MediaDriver or None
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
    """Raise an error immediately if no driver has ever used the named directory.

    Raises
    ------
    DriverTimeoutError
        It names the remedy.
    """
    if context.aeron is not None or context.agent_invoker is not None:
        return
    directory = context.aeron_dir
    if not Seams().files.is_file(str(Path(directory) / "cnc.dat")):
        raise DriverTimeoutError(
            f"no media driver in {directory}: start one (aeron-cluster driver --dir {directory}),"
            " or leave aeron_dir and AERON_DIR unset: the client then launches an embedded driver"
        )
