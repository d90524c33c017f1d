"""Local files by paths, and remote files by URLs.

No counterpart in Aeron. Remote files are read-only: only the read methods of the file seam are
supported.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from aeron_cluster.errors import AeronClusterError, UnreachableFileError
from aeron_cluster.memory.system.check import platform_error
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.pipeline.files.stores import Store, find_store, raise_real_cause
from aeron_cluster.pipeline.files.urls import above, is_url

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import File, Files

__all__ = ["AnyFiles", "StoredFile", "any_files"]

_Path: TypeAlias = str | os.PathLike[str]

_NUMBERS: Final[dict[type[OSError], int]] = {
    FileNotFoundError: errno.ENOENT,
    IsADirectoryError: errno.EISDIR,
    NotADirectoryError: errno.ENOTDIR,
}
_MIN_AHEAD: Final = 256 * 1024
_MAX_AHEAD: Final = 8 * 1024 * 1024


def any_files() -> Files:
    """Return the file seam of a reader, for local paths and URLs."""
    return AnyFiles()


class AnyFiles(SystemFiles):
    """Local files by paths, and remote files by URLs, read-only."""

    def __init__(self) -> None:
        self._stores: dict[str, Store] = {}

    def open(
        self,
        path: _Path,
        *,
        write: bool = False,
        create: bool = False,
        exclusive: bool = False,
        truncate: bool = False,
    ) -> File:
        """Open a file; URLs only for reading.

        Raises
        ------
        FileNotFoundError
        OSError
        ConfigurationError
            The URL is not supported.
        UnreachableFileError
            The remote file system does not answer. Other methods raise it too.
        """
        if not is_url(path):
            return super().open(
                path, write=write, create=create, exclusive=exclusive, truncate=truncate
            )
        if write or create or exclusive or truncate:
            raise PermissionError(f"{path}: files by URL are read only")
        with _reaching(path):
            return cast("File", StoredFile(*self._find(path), os.fspath(path)))

    def read(self, path: _Path) -> bytes:
        """Return a whole file."""
        with self.open(path) as file:
            return file.read_at(file.length, 0)

    def exists(self, path: _Path) -> bool:
        """Return whether the path exists."""
        if not is_url(path):
            return super().exists(path)
        return self.is_file(path) or self.is_directory(path)

    def is_file(self, path: _Path) -> bool:
        """Return whether a path is a file."""
        if not is_url(path):
            return super().is_file(path)
        with _reaching(path):
            store, inside = self._find(path)
            return store.is_file(inside)

    def is_directory(self, path: _Path) -> bool:
        """Return whether it is a directory."""
        if not is_url(path):
            return super().is_directory(path)
        with _reaching(path):
            store, inside = self._find(path)
            return store.is_directory(inside)

    def list(self, path: _Path) -> list[str]:
        """Return the names of the entries of a directory."""
        if not is_url(path):
            return super().list(path)
        with _reaching(path):
            store, inside = self._find(path)
            return store.names(inside)

    def _find(self, path: _Path) -> tuple[Store, str]:
        """Return the file system of a URL and the path in it."""
        url = os.fspath(path)
        directory = above(url)
        store = self._stores.get(directory)
        if store is None:
            store = self._stores[directory] = find_store(directory)
        return store, f"{store.directory}{url[len(directory) :]}"


@contextlib.contextmanager
def _reaching(url: _Path) -> Iterator[None]:
    """Convert errors: a missing file, or a failure of the file system or network."""
    try:
        try:
            yield
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
            raise_real_cause(error)
            # The same error as for local files, with the requested name.
            raise platform_error(error.errno or _NUMBERS[type(error)], os.fspath(url)) from None
    except AeronClusterError:
        raise
    except Exception as error:
        # Each library has its own errors; many are OSErrors, which otherwise mean damaged files.
        text = " ".join(str(error).split())
        found = f"{type(error).__name__}: {text}" if text else type(error).__name__
        raise UnreachableFileError(os.fspath(url), found) from error


class StoredFile(Closeable):
    """A remote file, with its length at the time of opening; sequential reads read ahead.

    Parameters
    ----------
    store : Store
    inside : str
        The path in the file system.
    path : str
        The URL.
    """

    def __init__(self, store: Store, inside: str, path: str) -> None:
        self._store = store
        self._inside = inside
        self.path = path
        self._block = b""
        self._begin = 0
        self._ahead = _MIN_AHEAD
        self.length = store.length(inside)

    def close(self) -> None:
        """Drop the read-ahead."""
        self._block = b""

    def read_at(self, length: int, offset: int) -> bytes:
        """Return some bytes; fewer only at the end of the file."""
        found = bytearray(length)
        return bytes(found[: self.read_into(found, offset)])

    def read_into(self, buffer: bytearray | memoryview, offset: int) -> int:
        """Fill a buffer from an offset, up to the end of the file; return the number of bytes."""
        with memoryview(buffer) as view:
            end = min(offset + len(view), self.length)
            place = offset
            while place < end:
                if not self._begin <= place < self._begin + len(self._block):
                    self._fetch(place, end)
                part = self._block[place - self._begin : end - self._begin]
                if not part:
                    break  # the file was truncated
                view[place - offset : place - offset + len(part)] = part
                place += len(part)
        return max(place - offset, 0)

    def _fetch(self, begin: int, end: int) -> None:
        """Read from an offset; for sequential reads twice as much as last time."""
        is_sequential = begin == self._begin + len(self._block)
        self._ahead = min(2 * self._ahead, _MAX_AHEAD) if is_sequential else _MIN_AHEAD
        until = min(max(end, begin + self._ahead), self.length)
        with _reaching(self.path):
            block = self._store.read(self._inside, begin, until)
        self._begin, self._block = begin, block
