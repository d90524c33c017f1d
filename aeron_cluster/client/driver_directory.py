"""Look at a driver from its directory, without a client.

``io.aeron.CommonContext``: isDriverActive, requestDriverTermination, saveErrorLog.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from aeron_cluster.client.driver_proxy import DriverProxy
from aeron_cluster.config import default_aeron_dir, duration_ns
from aeron_cluster.errors import MissingFileError
from aeron_cluster.memory.shared.cnc_file import CNC_FILE_NAME, CncFile
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    import os

    from aeron_cluster.config import Duration
    from aeron_cluster.memory.shared.error_text import ErrorLogEntry

__all__ = ["is_driver_active", "read_driver_errors", "request_driver_termination"]

_TIMEOUT_NS: Final = 10_000_000_000


def _open(aeron_dir: str | os.PathLike[str] | None, seams: Seams) -> CncFile | None:
    path = str(Path(default_aeron_dir() if aeron_dir is None else aeron_dir) / CNC_FILE_NAME)
    if not seams.files.is_file(path) or not CncFile.is_ready(seams.files, path):
        return None
    return CncFile.open(seams.files, path)


def is_driver_active(
    aeron_dir: str | os.PathLike[str] | None = None,
    driver_timeout_ns: Duration = _TIMEOUT_NS,
    *,
    seams: Seams | None = None,
) -> bool:
    """Return whether a driver runs in a directory: ours, Java's or C's.

    Parameters
    ----------
    aeron_dir : str or path, optional
        The directory; by default the user's.
    driver_timeout_ns : int, str or timedelta
        The age of a heartbeat from which a driver is considered dead.
    seams : Seams, optional
        Time and files.

    Raises
    ------
    CorruptError, VersionError
        The directory's CnC file is damaged, or of an unsupported version.
    """
    seams = seams or Seams()
    cnc = _open(aeron_dir, seams)
    if cnc is None:
        return False
    with cnc:
        timeout_ms = duration_ns("driver_timeout_ns", driver_timeout_ns) // 1_000_000
        return bool(cnc.is_driver_active(seams.clock.epoch_ms(), timeout_ms))


def request_driver_termination(
    aeron_dir: str | os.PathLike[str] | None = None,
    token: bytes = b"",
    *,
    seams: Seams | None = None,
) -> bool:
    """Request a driver to end; there is no reply.

    Parameters
    ----------
    aeron_dir : str or path, optional
        Its directory; by default the user's.
    token : bytes
        For its termination validator, which rejects all requests by default.
    seams : Seams, optional
        Files.

    Returns
    -------
    bool
        Whether the request was sent; False if the directory has no driver's file.

    Raises
    ------
    CorruptError, VersionError
        The directory's CnC file is damaged, or of an unsupported version.
    """
    cnc = _open(aeron_dir, seams or Seams())
    if cnc is None:
        return False
    with cnc:
        DriverProxy(cnc).terminate_driver(bytes(token))
    return True


def read_driver_errors(
    aeron_dir: str | os.PathLike[str] | None = None, *, seams: Seams | None = None
) -> list[ErrorLogEntry]:
    """Return the distinct errors of a driver, running or not.

    Parameters
    ----------
    aeron_dir : str or path, optional
        Its directory; by default the user's.
    seams : Seams, optional
        Files.

    Raises
    ------
    MissingFileError
        The directory has no driver's file.
    CorruptError, VersionError
        The file is damaged, or of an unsupported version.
    """
    cnc = _open(aeron_dir, seams or Seams())
    if cnc is None:
        raise MissingFileError(
            f"{aeron_dir or default_aeron_dir()}/{CNC_FILE_NAME}",
            "a driver's file",
            "name its directory",
        )
    with cnc:
        return list(cnc.error_log().entries())
