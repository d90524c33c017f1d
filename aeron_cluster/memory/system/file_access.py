"""Owners and modes of files, and checks of directories."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path
from typing import Final, NamedTuple, Protocol, Self

from aeron_cluster.errors import ForeignDirectoryError

__all__ = ["AccessReader", "FileAccess", "access_of", "allocated_space_of", "check_directory"]

_log = logging.getLogger(__name__)
_OTHERS: Final = 0o007
_ROOT: Final = 0
_BLOCK_LENGTH: Final = 512  # of st_blocks, whatever the file system's blocks are


class FileAccess(NamedTuple):
    """The owner and the mode of a file or directory.

    Parameters
    ----------
    owner, user : int
        The ids of its owner and of the caller.
    mode : int
        The permission bits.
    is_link : bool
        Whether it is a symbolic link.
    """

    owner: int
    user: int
    mode: int
    is_link: bool = False

    @classmethod
    def private(cls) -> Self:
        """Return the access of a file that is private to the caller."""
        return cls(_ROOT, _ROOT, 0o700)

    @property
    def is_trusted(self) -> bool:
        """Whether only the caller, or root, can have created it."""
        return self.owner in (self.user, _ROOT)

    @property
    def is_for_all(self) -> bool:
        """Whether everybody may create files in it."""
        return bool(self.mode & stat.S_IWOTH)


class AccessReader(Protocol):
    """The part of the file seam that checks directories."""

    def access(self, path: str, /) -> FileAccess | None:
        """Return the owner of a path; None if it does not exist."""


def access_of(path: str | os.PathLike[str]) -> FileAccess | None:
    """Return the owner of a local path; None if it does not exist."""
    try:
        found = Path(path).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    mode = found.st_mode
    return FileAccess(found.st_uid, os.geteuid(), stat.S_IMODE(mode), stat.S_ISLNK(mode))


def allocated_space_of(path: str | os.PathLike[str]) -> int:
    """Return the disk space of a local file, in bytes; 0 if it does not exist."""
    try:
        return Path(path).stat().st_blocks * _BLOCK_LENGTH
    except (FileNotFoundError, NotADirectoryError):
        return 0


def check_directory(files: AccessReader, path: str, what: str, *, is_warned: bool = True) -> None:
    """Reject a directory that another user has created at the path of ours.

    Parameters
    ----------
    files : AccessReader
        The file seam.
    path : str
        The directory; a missing one belongs to no user.
    what : str
        The purpose of the directory, for the message.
    is_warned : bool
        False: another user of it reports the problem.

    Raises
    ------
    ForeignDirectoryError
        It belongs to another user, in a place such as ``/dev/shm`` where everyone may create it.

    Notes
    -----
    A directory of another user in other places, or one that everyone may read, is only logged:
    volumes of containers and Java's directories, which follow the umask, are like that.
    """
    access = files.access(path)
    if access is None:
        return
    place = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120 - links stay
    if not access.is_trusted:
        above = files.access(place)
        if above is None or above.is_for_all:
            raise ForeignDirectoryError(path, what, access.user, access.owner)
        if is_warned:
            _log.warning(
                "%s %s belongs to user %d, this process to user %d",
                what,
                path,
                access.owner,
                access.user,
            )
    elif access.is_link:
        check_directory(files, os.path.realpath(path), what, is_warned=is_warned)
    elif is_warned and access.mode & _OTHERS and _is_reachable(files, place):
        _log.warning(
            "%s %s is open to other users of this machine (mode %04o): chmod o-rwx",
            what,
            path,
            access.mode,
        )


def _is_reachable(files: AccessReader, place: str) -> bool:
    """Return whether other users may reach a path through all of its parents."""
    access = files.access(place)
    if access is None or not access.mode & stat.S_IXOTH:
        return False
    above = os.path.dirname(place)  # noqa: PTH120
    return above == place or _is_reachable(files, above)
