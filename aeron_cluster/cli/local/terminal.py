"""Read single keys from a terminal, and restore its mode afterwards."""

from __future__ import annotations

import contextlib
import os
import re
import termios
import tty
from typing import IO, Any, Final

from aeron_cluster.memory.system.closeable import Closeable

__all__ = ["KeyReader"]

_READ_LENGTH: Final = 256
_ESCAPE: Final = "\x1b"
# Cursor and function keys: what a terminal sends for them begins with an escape.
_SEQUENCE: Final = re.compile(r"\x1b(?:[\[O][0-9;?]*[ -/]*[@-~]|\x1b)")
_CONTROL_CHARACTERS: Final = 6


class KeyReader(Closeable):
    """A terminal that delivers each key immediately, without an echo, until this is closed.

    Parameters
    ----------
    file : file
        The terminal.

    Attributes
    ----------
    is_lost : bool
        Whether the terminal was closed.

    Notes
    -----
    Ctrl-C still sends SIGINT. Ctrl-Z is disabled: a suspended supervisor would leave its members
    unsupervised.
    """

    def __init__(self, file: IO[str]) -> None:
        self.is_lost = False
        self._fd = file.fileno()
        self._before: list[Any] | None = termios.tcgetattr(self._fd)
        tty.setcbreak(self._fd, termios.TCSANOW)
        mode = termios.tcgetattr(self._fd)
        mode[_CONTROL_CHARACTERS][termios.VSUSP] = b"\0"
        termios.tcsetattr(self._fd, termios.TCSANOW, mode)

    def fileno(self) -> int:
        """Return the terminal's descriptor."""
        return self._fd

    def read(self) -> list[str]:
        """Return the pressed keys; wait for the first one.

        Keys that are not characters (such as cursor keys) are dropped; Esc alone is the escape
        character.
        """
        try:
            data = os.read(self._fd, _READ_LENGTH)
        except OSError:  # EIO: the other end is closed
            data = b""
        if not data:
            self.is_lost = True
        text = _SEQUENCE.sub("", data.decode(errors="replace"))
        return [each for each in text if each.isprintable() or each == _ESCAPE]

    def close(self) -> None:
        """Restore the terminal's mode."""
        if self._before is not None:
            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(self._fd, termios.TCSANOW, self._before)
            self._before = None
