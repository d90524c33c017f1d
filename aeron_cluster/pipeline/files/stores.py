"""Remote file systems, through fsspec or `pyarrow.fs`: only the operations needed for reading.

No counterpart in Aeron.
"""

from __future__ import annotations

import ftplib
import importlib
from typing import TYPE_CHECKING, Any, Final, Protocol

from aeron_cluster.errors import ConfigurationError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Store", "find_store", "raise_real_cause"]

_MISSING: Final = (FileNotFoundError, IsADirectoryError, NotADirectoryError)
_STATUS_OF_MISSING: Final = (404, 410)
_FTP_MISSING: Final = "550"


def raise_real_cause(error: OSError) -> None:
    """Raise the real cause of an error that a library reports as a missing file.

    fsspec's file systems of HTTP and FTP servers report every failed request as a missing file,
    with the real error as its cause.
    """
    cause = error.__cause__
    if cause is not None and not _is_of_missing(cause):
        raise cause


def _is_of_missing(cause: BaseException) -> bool:
    """Return whether an error was caused by a missing file."""
    status = getattr(cause, "status", None)
    if isinstance(status, int):
        return status in _STATUS_OF_MISSING
    if isinstance(cause, OSError):
        return isinstance(cause, _MISSING)
    if isinstance(cause, ftplib.Error):
        return str(cause).startswith(_FTP_MISSING)
    # A closed connection is not an OSError there, and has no status.
    packages = {each.__module__.partition(".")[0] for each in type(cause).__mro__}
    return "aiohttp" not in packages


class Store(Protocol):
    """A directory in a file system; files are named by their paths in the file system."""

    directory: str

    def length(self, path: str) -> int:
        """Return the length of a file in bytes; raise `FileNotFoundError` if it is missing."""
        ...

    def read(self, path: str, begin: int, end: int) -> bytes:
        """Return the bytes of a file between two offsets that are both within it."""
        ...

    def is_file(self, path: str) -> bool:
        """Return whether a path is a file."""
        ...

    def is_directory(self, path: str) -> bool:
        """Return whether a path is a directory, or a prefix in a store without directories."""
        ...

    def names(self, path: str) -> list[str]:
        """Return the entries of a directory."""
        ...


def find_store(url: str) -> Store:
    """Return the file system of a directory: from fsspec if it supports the URL, else from pyarrow.

    Parameters
    ----------
    url : str

    Raises
    ------
    ConfigurationError
        Neither supports it.
    """
    rejected = []
    for make in (_Fsspec, _PyArrow):
        try:
            return make(url)
        except (ImportError, ValueError, NotImplementedError) as error:
            rejected.append(f"{make.package}: {' '.join(str(error).split())}")
    expected = "a URL of a file system that fsspec or pyarrow.fs reaches"
    raise ConfigurationError("path", expected, url, "; ".join(rejected))


class _Fsspec:
    """A file system of fsspec or of a package that extends it."""

    package = "fsspec"

    def __init__(self, url: str) -> None:
        self._fs, directory = importlib.import_module("fsspec.core").url_to_fs(url)
        self.directory: str = directory.rstrip("/")

    def length(self, path: str) -> int:
        self._forget(path)
        found = self._fs.info(path)
        if found["type"] == "directory":
            raise IsADirectoryError(path)
        return int(found["size"])

    def read(self, path: str, begin: int, end: int) -> bytes:
        found = bytes(self._fs.cat_file(path, start=begin, end=end))
        if len(found) > end - begin:
            # A server without range requests sends the whole file, which fsspec treats as the part.
            found = found[begin:end]
        return found

    def is_file(self, path: str) -> bool:
        return self._kind(path) == "file"

    def is_directory(self, path: str) -> bool:
        return self._kind(path) == "directory"

    def names(self, path: str) -> list[str]:
        self._forget(path)
        return [each.rstrip("/").rpartition("/")[2] for each in self._fs.ls(path, detail=False)]

    def _kind(self, path: str) -> str:
        """Return ``file``, ``directory`` or another type; empty if it does not exist.

        Not by `isfile` and the like, which treat any failure as a missing file.
        """
        self._forget(path)
        try:
            return str(self._fs.info(path)["type"])
        except (FileNotFoundError, NotADirectoryError) as error:
            raise_real_cause(error)
            return ""

    def _forget(self, path: str) -> None:
        """Discard cached listings, so that growing files are reread."""
        # Some file systems do not discard the listings of the parents.
        for each in (path, path.rpartition("/")[0]):
            self._fs.invalidate_cache(each)


class _PyArrow:
    """A file system of pyarrow."""

    package = "pyarrow.fs"

    def __init__(self, url: str) -> None:
        self._arrow_fs: ModuleType = importlib.import_module("pyarrow.fs")
        self._fs: Any
        self._fs, self.directory = self._arrow_fs.FileSystem.from_uri(url)

    def length(self, path: str) -> int:
        with self._fs.open_input_file(path) as file:
            return int(file.size())

    def read(self, path: str, begin: int, end: int) -> bytes:
        with self._fs.open_input_file(path) as file:
            return bytes(file.read_at(end - begin, begin))

    def is_file(self, path: str) -> bool:
        return bool(self._kind(path) == self._arrow_fs.FileType.File)

    def is_directory(self, path: str) -> bool:
        return bool(self._kind(path) == self._arrow_fs.FileType.Directory)

    def names(self, path: str) -> list[str]:
        found = self._fs.get_file_info(self._arrow_fs.FileSelector(path))
        return [each.base_name for each in found]

    def _kind(self, path: str) -> Any:
        found = self._fs.get_file_info(path).type
        if found == self._arrow_fs.FileType.Unknown:
            raise OSError(f"the file system does not report the kind of {path}")
        return found
