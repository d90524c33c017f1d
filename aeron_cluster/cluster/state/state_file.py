"""The common part of the files in which a member stores its state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from aeron_cluster.memory.system.closeable import Closeable

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import File, Files

__all__ = ["StateFile"]


class StateFile(ABC, Closeable):
    """A file of one member's state, open for reading, or for reading and writing.

    Parameters
    ----------
    files : Files
        The file seam.
    directory : str
        The cluster directory.
    sync_level : int
        0 leaves the file to the page cache, 1 syncs its data after each change, 2 also its
        metadata.
    writable : bool
        Create the file if it is missing, and allow changes.
    """

    NAME: ClassVar[str]
    """The file's name in the directory."""

    def __init__(
        self, files: Files, directory: str, *, sync_level: int = 0, writable: bool = True
    ) -> None:
        self._path = f"{directory}/{self.NAME}"
        self._sync_level = sync_level
        self._file: File = files.open(self._path, write=writable, create=writable)
        try:
            self._load(writable=writable)
        except BaseException:
            self._file.close()
            raise

    @abstractmethod
    def _load(self, *, writable: bool) -> None:
        """Read the file, or create its content if it is new."""

    def _sync(self) -> None:
        """Sync what was written, as configured."""
        if self._sync_level > 0:
            self._file.sync(self._sync_level)

    def close(self) -> None:
        """Close the file. Calling it again does nothing."""
        self._file.close()

    @property
    def path(self) -> str:
        """The file."""
        return self._path
