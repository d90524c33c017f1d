"""Find a running driver: wait for its CnC file and its heartbeat.

``io.aeron.Aeron.Context.connectToDriver``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import CorruptError, DriverTimeoutError, VersionError
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.shared.cnc_file import CNC_FILE_NAME, CncFile
from aeron_cluster.memory.system.process import ProcessIdentity

if TYPE_CHECKING:
    from aeron_cluster.client.context import ClientContext

__all__ = ["connect_to_driver"]

_POLL_INTERVAL_NS: Final = 1_000_000


def connect_to_driver(context: ClientContext) -> CncFile:
    """Return the CnC file of the driver that runs in the context's directory.

    Raises
    ------
    DriverTimeoutError
        If none is active within the driver timeout: the text describes what was found.
    VersionError
        If its version is not supported.
    CorruptError
        If the file is still incomplete after the timeout.
    """
    path = str(Path(context.aeron_dir) / CNC_FILE_NAME)
    deadline_ns = context.now_ns() + context.driver_timeout_ns
    idle_strategy = IdleStrategy("sleep-ns", sleep_period_ns=_POLL_INTERVAL_NS)
    while True:
        found = _try_open(context, path)
        if isinstance(found, CncFile):
            heartbeat_ms = found.driver_heartbeat_ms
            if found.is_driver_active(context.now_ms(), context.driver_timeout_ns // 1_000_000):
                return found
            found = _inactive_driver(context, found, heartbeat_ms)
        if context.now_ns() >= deadline_ns:
            raise found
        if context.driver_invoker is not None:
            context.driver_invoker()
        idle_strategy.idle(0)


def _try_open(context: ClientContext, path: str) -> CncFile | Exception:
    """Open the file, or return a problem that may be temporary."""
    files = context.seams.files
    timeout = f"{context.driver_timeout_ns / 1e9:g} s"
    try:
        if not files.is_file(path):
            return DriverTimeoutError(
                f"CnC file not created: {path}: expected a media driver to create it within"
                f" {timeout}, found"
                f" {'no such file' if files.is_directory(context.aeron_dir) else 'no directory'};"
                f" {_remedy(context)}"
            )
        if not CncFile.is_ready(files, path):
            return DriverTimeoutError(
                f"CnC file is created but not initialised: {path}: expected a media driver to"
                f" finish it within {timeout}"
            )
        return CncFile.open(files, path)
    except VersionError:
        raise
    except (CorruptError, OSError) as error:
        return error


def _inactive_driver(context: ClientContext, cnc: CncFile, heartbeat_ms: int) -> DriverTimeoutError:
    match heartbeat_ms:
        case 0:
            found = "none yet"
        case -1:
            found = "that it was shut down"
        case _:
            found = f"one {(context.now_ms() - heartbeat_ms) / 1e3:.1f} s old"
    own = context.processes.own_identity()
    driver = ProcessIdentity(cnc.pid, 0, own.namespace, own.boot)  # if it runs on this machine
    alive = context.processes.is_alive(driver)
    state = {True: "is alive", False: "has ended", None: "may have ended"}[alive]
    return DriverTimeoutError(
        f"{cnc.path}: expected a heartbeat of its driver at most"
        f" {context.driver_timeout_ns / 1e9:g} s old, found {found}; the driver was process"
        f" {cnc.pid}, which {state}" + ("" if alive else f"; {_remedy(context)}")
    )


def _remedy(context: ClientContext) -> str:
    return (
        f"start one (aeron-cluster driver --dir {context.aeron_dir}), name the directory of one"
        " that runs (aeron_dir, AERON_DIR), or launch one in this process (MediaDriver.launch)"
    )
