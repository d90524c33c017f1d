"""The only place where errno values are converted to exceptions."""

import errno
import os

from aeron_cluster.errors import InsufficientSpaceError, PlatformError

# Python's exception classes for errno values, combined with PlatformError: `except
# FileNotFoundError` and `except PlatformError` both match.
_NO_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_CLASSES = {
    kind: type(kind.__name__, (PlatformError, kind), {
        "__module__": "aeron_cluster.errors",
        "__doc__": kind.__doc__,
        "__reduce__": lambda self: (platform_error, (self.errno, self.filename)),
    })
    for kind in (
        BlockingIOError,
        BrokenPipeError,
        ConnectionRefusedError,
        ConnectionResetError,
        FileExistsError,
        FileNotFoundError,
        InterruptedError,
        IsADirectoryError,
        NotADirectoryError,
        PermissionError,
        TimeoutError,
    )
}


def platform_error(errno_: int, what: object = None) -> PlatformError:
    """Return the exception for an errno value.

    Parameters
    ----------
    errno_ : int
        The positive errno value.
    what : object
        The path or address of the call; None without one.

    Returns
    -------
    PlatformError
        An `InsufficientSpaceError` if there is no space, otherwise an error that is also the
        subclass of `OSError` that Python itself would have raised.
    """
    filename = None if what is None else str(what)
    if errno_ in _NO_ROOM:
        return InsufficientSpaceError(errno_, os.strerror(errno_), filename)
    kind = _CLASSES.get(type(OSError(errno_, "")), PlatformError)
    return kind(errno_, os.strerror(errno_), filename)


cdef int64_t check(int64_t result, object what) except -1:
    if result < 0:
        raise platform_error(-result, what)
    return result


cdef int raise_errno(int errno_, const char *what) except -1 with gil:
    raise platform_error(errno_, None if what is NULL else what.decode("utf-8", "surrogateescape"))
