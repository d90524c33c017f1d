"""A disk of a member that loses what was not synced when its machine loses power."""

import contextlib
import ctypes
import os
import subprocess
import sys

from tests.conftest import ROOT
from tests.soak.disks import FILLER, Disk, NoDisksError, remove_stale
from tests.waiting import await_true

_LIBC = ctypes.CDLL(None, use_errno=True)


class PowerDisk(Disk):
    """A disk of its own for one folder; the simulator's disk, mounted by a process of its own.

    Parameters
    ----------
    folder
        Where it is mounted; made if it does not exist.
    megabytes
        Its size.
    seed
        Decides what a loss of power leaves of unsynced data.
    whole_pages
        The endings of names of files whose pages are never torn.

    Raises
    ------
    NoDisksError
        The right to mount is missing, or the kernel has no FUSE.
    """

    def __init__(self, folder, megabytes, seed, whole_pages=()):
        self._folder = folder
        remove_stale()
        folder.mkdir(parents=True, exist_ok=True)
        arguments = [folder, *map(str, (megabytes, seed)), *whole_pages]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.soak.power", *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # an interrupted soak ends it by the end of its input
        )
        self._await_mount()
        self._is_mounted = True

    def _await_mount(self):
        if self._process.stdout.readline() != "mounted\n":
            _, errors = self._process.communicate()
            last = errors.strip().splitlines()[-1:] or [f"ended with {self._process.returncode}"]
            raise NoDisksError(f"{self._folder}: {last[0]}")

    def lose_power(self, *, is_written_back):
        """Lose what was not synced.

        Processes that use it have to be stopped, and killed afterwards: when one ends, the system
        writes its changes of mapped files.

        Parameters
        ----------
        is_written_back
            Whether the system writes its page cache to the disk shortly before. The disk may still
            lose that; changes of mapped files that the system has not written are lost.
        """
        if is_written_back:
            self._sync(_LIBC.syncfs)
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write("lose\n")
            self._process.stdin.flush()
        self._await_mount()

    def fill(self):
        """Leave no block free."""
        super().fill()
        self._sync(os.fsync)

    def free(self):
        """Undo `fill`, for good: a loss of power does not bring the file back."""
        if (self._folder / FILLER).exists():
            super().free()
            self._sync(os.fsync)
            # The system forgets a removed file a moment later.
            await_true(lambda: os.statvfs(self._folder).f_bavail, f"{self._folder} has space")

    def _sync(self, call):
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            call(descriptor)
        finally:
            os.close(descriptor)

    def _unmount(self):
        with contextlib.suppress(BrokenPipeError):
            self._process.communicate()
