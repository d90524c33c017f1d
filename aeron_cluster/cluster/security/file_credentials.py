"""Credentials from a file, so that no password is on a command line.

No counterpart upstream.
"""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Final

from aeron_cluster.client.credentials import Credentials
from aeron_cluster.cluster.security.access_file import read
from aeron_cluster.errors import AccessFileError

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Files

__all__ = ["FileCredentials"]

_OTHERS: Final = stat.S_IROTH | stat.S_IWOTH


class FileCredentials(Credentials):
    """Reads credentials from the first line of a file, such as ``name:password``.

    Parameters
    ----------
    files : Files
    path : str
        Read again each time: a password may change while a process runs.

    Raises
    ------
    AccessFileError
        Its first line is empty, or others may read it, or it is unreadable.
    """

    def __init__(self, files: Files, path: str) -> None:
        self._files = files
        self._path = path
        self.encoded_credentials()

    def encoded_credentials(self) -> bytes:
        """Return the current content of the file."""
        access = self._files.access(self._path)
        if access is not None and access.mode & _OTHERS and not access.is_link:
            mode = f"mode {stat.S_IMODE(access.mode):04o}"
            raise AccessFileError(self._path, 0, "a file that others cannot read", mode)
        line = read(self._files, self._path).partition(b"\n")[0].rstrip(b"\r")
        if not line:
            raise AccessFileError(self._path, 1, "name:password", "nothing")
        return line
