"""Files with permissions: read again when they change.

No counterpart upstream.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from aeron_cluster.errors import AccessFileError, UnreadableFileError

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files

__all__ = ["AccessFile", "entries", "read"]

_T = TypeVar("_T")

MAX_LENGTH: Final = 16 << 20
"""In bytes: a longer file is invalid, and not read into memory."""

_CHECK_INTERVAL_MS: Final = 1_000


def read(files: Files, path: str) -> bytes:
    """Return the content of a file.

    Raises
    ------
    UnreadableFileError
        It is missing or unreadable.
    AccessFileError
        Others may write it, or it is too long.
    """
    access = files.access(path)
    if access is not None and access.is_for_all and not access.is_link:
        raise AccessFileError(
            path,
            0,
            "a file that its owner alone may write",
            f"mode {stat.S_IMODE(access.mode):04o}",
        )
    try:
        with files.open(path) as file:
            if file.length > MAX_LENGTH:
                raise AccessFileError(path, 0, f"at most {MAX_LENGTH} bytes", f"{file.length}")
            return file.read_at(file.length, 0)
    except OSError as error:
        raise UnreadableFileError(
            path, 0, "a file that can be read", error.strerror or "none"
        ) from None


def entries(path: str, data: bytes) -> Iterator[tuple[int, str]]:
    """Return number and text of each line that is neither empty nor a comment.

    Raises
    ------
    AccessFileError
        The file is not text.
    """
    # Split only at line feeds: other line ends could hide in a name that looks like another one.
    for number, raw in enumerate(data.split(b"\n"), 1):
        try:
            line = raw.decode("utf-8").strip()
        except UnicodeDecodeError:
            raise AccessFileError(path, number, "text in UTF-8", "other bytes") from None
        if line and not line.startswith("#"):
            yield number, line


class AccessFile(Generic[_T]):
    """The content of such a file, at most a second old.

    Parameters
    ----------
    files : Files
    path : str
    parse : Callable
        Parses path and content, or raises an `AccessFileError`.
    report : Callable[[Exception], object]
        Called with an error when the file has become invalid or unsafe; its earlier content applies
        until it is fixed.
    now_ms : int
        The current time in ms.

    Raises
    ------
    AccessFileError
        The file is invalid or unsafe at the start.
    """

    def __init__(
        self,
        files: Files,
        path: str,
        parse: Callable[[str, bytes], _T],
        report: Callable[[Exception], object],
        now_ms: int,
    ) -> None:
        self.path = path
        self._files = files
        self._parse = parse
        self._report = report
        self._data: bytes | None = read(files, path)
        self._value = parse(path, self._data)
        self._next_check_ms = now_ms + _CHECK_INTERVAL_MS
        self._failure = ""

    def value(self, now_ms: int) -> _T:
        """Return its content; the file is checked once a second."""
        # Also true after the clock was set back.
        if not self._next_check_ms - _CHECK_INTERVAL_MS <= now_ms < self._next_check_ms:
            self._next_check_ms = now_ms + _CHECK_INTERVAL_MS
            self._reload()
        return self._value

    def _reload(self) -> None:
        try:
            data = read(self._files, self.path)
            if data != self._data:
                # An invalid content is reported once, and not parsed again.
                self._data = data
                self._value = self._parse(self.path, data)
            self._failure = ""
        except AccessFileError as error:
            if str(error) != self._failure:
                self._failure = str(error)
                self._report(error)
