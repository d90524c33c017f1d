"""Disks of members, of tmpfs, that can be filled and freed."""

import contextlib
import os
import shutil
import subprocess
from pathlib import Path

_PREFIXES = ("acsoak-disk", "acsoak-power")
FILLER = "filler"
_ATTEMPTS = 100


class NoDisksError(Exception):
    """Disks cannot be mounted here, and why."""


def _run(*command):
    try:
        done = subprocess.run(
            [*map(str, command)], check=False, capture_output=True, text=True, timeout=120
        )
    except FileNotFoundError:
        raise NoDisksError(f"no {command[0]} on the path") from None
    if done.returncode != 0:
        raise NoDisksError(done.stderr.strip())


def remove_stale():
    """Unmount the disks of soaks that were killed."""
    for line in Path("/proc/mounts").read_text().splitlines():
        source, path = line.split()[:2]
        prefix, _, process = source.rpartition("-")
        if prefix in _PREFIXES and not Path(f"/proc/{process}").exists():
            with contextlib.suppress(NoDisksError):
                _run("umount", "--lazy", path)


class Disk:
    """A disk of its own for one folder.

    Parameters
    ----------
    folder
        Where it is mounted; made if it does not exist.
    megabytes
        Its size.

    Raises
    ------
    NoDisksError
        The right to mount is missing.
    """

    def __init__(self, folder, megabytes):
        self._folder = folder
        remove_stale()
        folder.mkdir(parents=True, exist_ok=True)
        source = f"{_PREFIXES[0]}-{os.getpid()}"
        _run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", source, folder)
        self._is_mounted = True

    def fill(self):
        """Leave no block free."""
        with (self._folder / FILLER).open("ab") as file:
            for _ in range(_ATTEMPTS):
                found = os.statvfs(self._folder)
                free = found.f_bavail * found.f_frsize
                if not free:
                    return
                # Without an effect if another process has written meanwhile.
                with contextlib.suppress(OSError):
                    os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), free)

    def free(self):
        """Undo `fill`."""
        (self._folder / FILLER).unlink(missing_ok=True)

    def close(self):
        """Unmount it and put a copy of its content into the folder; idempotent."""
        if not self._is_mounted:
            return
        self._is_mounted = False
        copy = self._folder.with_name(f"{self._folder.name}-copy")
        try:
            self.free()
            shutil.copytree(self._folder, copy, symlinks=True)
        finally:
            self._unmount()
        self._folder.rmdir()
        copy.rename(self._folder)

    def _unmount(self):
        _run("umount", self._folder)
