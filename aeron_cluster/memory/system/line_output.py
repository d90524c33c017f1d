"""Lines of text for standard output or the end of a file."""

from __future__ import annotations

import os
import sys
from datetime import datetime

__all__ = ["LineOutput", "local_time"]


class LineOutput:
    """Appends text to a file, or writes it to standard output.

    Parameters
    ----------
    path : str or None
        The file, created for its owner only if it is missing; None for standard output.

    Raises
    ------
    OSError
        The file cannot be opened.

    Notes
    -----
    Each text is written at once, so that lines of several processes do not mix.
    """

    def __init__(self, path: str | None) -> None:
        self._descriptor: int | None = None
        if path is not None:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            self._descriptor = os.open(path, flags, 0o600)

    def write(self, text: str) -> None:
        """Write complete lines."""
        if self._descriptor is None:
            sys.stdout.write(text)
            sys.stdout.flush()
            return
        data = memoryview(text.encode("utf-8", "replace"))
        while data:
            data = data[os.write(self._descriptor, data) :]

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def local_time(epoch_ms: int) -> str:
    """Return a time (ms since 1970) as text in the time zone of the process, with its offset."""
    time = datetime.fromtimestamp(epoch_ms // 1000).astimezone()
    return f"{time:%Y-%m-%d %H:%M:%S}.{epoch_ms % 1000:03}{time:%z}"
