"""Directories of embedded drivers: each has a new name, and is removed once unused.

No counterpart upstream, where every driver without ``aeron.dir`` takes the user's one directory.
A driver removes its directory when it closes; that of a killed process is removed when the user
starts the next driver, since nothing else would find it.
"""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aeron_cluster.config import default_aeron_dir
from aeron_cluster.driver.directory import (
    LOSS_REPORT_FILE,
    OWNER_PREFIX,
    STREAM_FOLDERS,
    owner_of,
)
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.shared.cnc_file import CNC_FILE_NAME, CncFile

if TYPE_CHECKING:
    from aeron_cluster.memory.system.process import Processes
    from aeron_cluster.memory.system.seams import Files, Random

__all__ = ["private_directory", "remove_abandoned"]

_log = logging.getLogger(__name__)
_NAME: Final = re.compile(r"aeron-(\d+)-[0-9a-f]{16}", re.ASCII)
_LOG_SUFFIX: Final = ".logbuffer"


def private_directory(random: Random) -> str:
    """Return a new name for the directory of an embedded driver."""
    return f"{_parent()}/aeron-{os.getpid()}-{random.next():016x}"


def remove_abandoned(files: Files, processes: Processes) -> None:
    """Remove directories of embedded drivers of this user whose processes have ended.

    A directory with other content, or a file that no driver creates, stays unchanged.
    """
    parent = _parent()
    if not files.is_directory(parent):
        return
    for name in files.list(parent):
        named = _NAME.fullmatch(name)
        directory = f"{parent}/{name}"
        try:
            if named is None or not _is_abandoned(files, directory, int(named[1]), processes):
                continue
            files.remove_tree(directory)
        except (AeronClusterError, OSError) as error:  # damaged, or another driver is removing it
            _log.debug("%s: left unchanged: %s", directory, error)
        else:
            _log.warning("%s: removed, its process %s has ended", directory, named[1])


def _parent() -> str:
    return str(Path(default_aeron_dir()).parent)


def _is_abandoned(files: Files, directory: str, pid: int, processes: Processes) -> bool:
    access = files.access(directory)
    if access is None or access.is_link or access.owner != access.user:
        return False
    owner = owner_of(files, directory)
    if owner is None or owner.pid != pid or processes.is_alive(owner) is not False:
        return False
    path = f"{directory}/{CNC_FILE_NAME}"
    return _is_of(files, path, pid) and _holds_driver_files(files, directory)


def _is_of(files: Files, path: str, pid: int) -> bool:
    """Return whether a CnC file belongs to this process, or is incomplete."""
    if not files.exists(path) or not CncFile.is_ready(files, path):
        return True
    with CncFile.open(files, path) as cnc:
        return cnc.pid == pid


def _holds_driver_files(files: Files, directory: str) -> bool:
    names = set(files.list(directory)) - {CNC_FILE_NAME, LOSS_REPORT_FILE, *STREAM_FOLDERS}
    logs = (
        name
        for folder in STREAM_FOLDERS
        if files.is_directory(f"{directory}/{folder}")
        for name in files.list(f"{directory}/{folder}")
    )
    return all(name.startswith(OWNER_PREFIX) for name in names) and all(
        name.endswith(_LOG_SUFFIX) for name in logs
    )
