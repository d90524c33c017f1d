"""The driver's directory: created, rejected if in use, taken over from a dead driver.

``io.aeron.driver.MediaDriver``'s ``ensureDirectoryIsRecreated``, ``CommonContext``.
"""

from __future__ import annotations

import logging
import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import CorruptError, DirectoryInUseError
from aeron_cluster.memory.agents.file_error_log import save_errors
from aeron_cluster.memory.shared.cnc_file import CNC_FILE_NAME, CncFile
from aeron_cluster.memory.system.file_access import check_directory
from aeron_cluster.memory.system.process import ProcessIdentity, SystemProcesses

if TYPE_CHECKING:
    from aeron_cluster.driver.context import DriverContext
    from aeron_cluster.memory.system.process import Processes
    from aeron_cluster.memory.system.seams import Clock, Files

__all__ = [
    "LOSS_REPORT_FILE",
    "OWNER_PREFIX",
    "STREAM_FOLDERS",
    "claim_directory",
    "owner_of",
]

_log = logging.getLogger(__name__)
LOSS_REPORT_FILE: Final = "loss-report.dat"
STREAM_FOLDERS: Final = ("publications", "images")
# The name of an empty file with the id of the process that created the directory.
OWNER_PREFIX: Final = "owner-"
_PID: Final = struct.Struct("<q")


def claim_directory(
    files: Files,
    context: DriverContext,
    directory: str,
    clock: Clock,
    processes: Processes | None = None,
) -> None:
    """Claim `directory` for this driver, and empty it.

    The directory of a killed process of ours is taken over immediately; for other drivers the
    heartbeat decides.

    Raises
    ------
    DirectoryInUseError
        An active driver uses it; the error names the process.
    CorruptError
        It does not belong to a driver, or its ``cnc.dat`` is damaged; nothing was changed.
    """
    processes = SystemProcesses() if processes is None else processes
    if files.exists(directory):
        check_directory(files, directory, "driver directory")
        if context.dir_warn_if_exists:
            _log.warning("%s: exists", directory)
        if not context.dir_delete_on_start:
            _check_free(files, directory, context.driver_timeout_ns, clock, processes)
        files.remove_tree(directory)
    files.make_directory(directory)
    own = processes.own_identity()
    record = (_PID.pack(own.pid) + own.pack()).hex()
    files.open(f"{directory}/{OWNER_PREFIX}{record}", create=True).close()
    for folder in STREAM_FOLDERS:
        files.make_directory(f"{directory}/{folder}")


def _check_free(
    files: Files, directory: str, timeout_ns: int, clock: Clock, processes: Processes
) -> None:
    """Reject a directory that is in use, or contains other files than a driver's."""
    path = f"{directory}/{CNC_FILE_NAME}"
    owner = owner_of(files, directory)
    is_gone = owner is not None and processes.is_alive(owner) is False
    if not files.exists(path) or not CncFile.is_ready(files, path):
        _check_unfinished(files, directory, owner, is_gone=is_gone)
        return
    cnc = CncFile.open(files, path)
    with cnc:
        now_ms = clock.epoch_ms()
        is_gone = is_gone and owner is not None and owner.pid == cnc.pid
        if cnc.is_driver_active(now_ms, timeout_ns // 1_000_000) and not is_gone:
            age_ms = max(0, now_ms - cnc.driver_heartbeat_ms)  # the heartbeat may advance meanwhile
            raise DirectoryInUseError(directory, cnc.pid, f"its heartbeat is {age_ms} ms old")
        _save_errors(files, directory, cnc, clock)
        if cnc.driver_heartbeat_ms >= 0:
            _log.warning("%s: taken over from process %d, which has ended", directory, cnc.pid)


def _check_unfinished(
    files: Files, directory: str, owner: ProcessIdentity | None, *, is_gone: bool
) -> None:
    """Check a directory in which no driver ever became ready."""
    if owner is not None:
        if not is_gone:
            raise DirectoryInUseError(directory, owner.pid, "its driver is about to start")
        _log.warning("%s: taken over from a driver that never became ready", directory)
    elif entries := sorted(files.list(directory)):
        raise CorruptError(
            f"{directory}/{entries[0]}",
            0,
            "directory",
            "a driver's, or an empty one",
            "of something else",
        )


def owner_of(files: Files, directory: str) -> ProcessIdentity | None:
    """Return the process of this project's driver that created the directory, or None."""
    try:
        (name,) = [each for each in files.list(directory) if each.startswith(OWNER_PREFIX)]
        record = bytes.fromhex(name.removeprefix(OWNER_PREFIX))
    except (OSError, ValueError):
        return None
    if len(record) != _PID.size + ProcessIdentity.LENGTH:
        return None
    [pid] = _PID.unpack_from(record)
    return ProcessIdentity.unpack(pid, record[_PID.size :])


def _save_errors(files: Files, directory: str, cnc: CncFile, clock: Clock) -> None:
    """Save the errors of the previous driver beside its directory, as Java's driver does."""
    save_errors(files, directory, cnc.error_log().entries(), clock.epoch_ms())
