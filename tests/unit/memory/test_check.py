"""The exception for each errno value."""

import errno
import pickle

import pytest

from aeron_cluster.errors import AeronClusterError, InsufficientSpaceError, PlatformError
from aeron_cluster.memory.system.check import platform_error


@pytest.mark.parametrize(
    ("code", "standard"),
    [
        (errno.ENOENT, FileNotFoundError),
        (errno.EEXIST, FileExistsError),
        (errno.EACCES, PermissionError),
        (errno.EPERM, PermissionError),
        (errno.EISDIR, IsADirectoryError),
        (errno.ENOTDIR, NotADirectoryError),
        (errno.ECONNREFUSED, ConnectionRefusedError),
        (errno.ETIMEDOUT, TimeoutError),
        (errno.EADDRINUSE, OSError),
    ],
)
def test_error_is_ours_and_pythons(code, standard):
    error = platform_error(code, "/some/where")
    assert isinstance(error, PlatformError)
    assert isinstance(error, AeronClusterError)
    assert isinstance(error, standard)
    assert error.errno == code
    assert error.filename == "/some/where"
    assert "/some/where" in str(error)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_no_room_is_a_separate_kind(code):
    assert isinstance(platform_error(code, "x"), InsufficientSpaceError)


@pytest.mark.parametrize("code", [errno.ENOENT, errno.EADDRINUSE, errno.ENOSPC])
def test_error_survives_pickling(code):
    before = platform_error(code, "x")
    after = pickle.loads(pickle.dumps(before))
    assert type(after) is type(before)
    assert (after.errno, after.strerror) == (before.errno, before.strerror)


def test_error_without_a_path_has_no_filename():
    assert platform_error(errno.EINVAL).filename is None
