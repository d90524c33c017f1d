"""The error codes of an archive and its clients.

``io.aeron.archive.client.ArchiveException``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from aeron_cluster.errors import ArchiveError, InsufficientSpaceError

__all__ = ["PROTOCOL_VERSION", "ArchiveErrorCode", "is_out_of_space"]

PROTOCOL_VERSION: Final = 1 << 16 | 12 << 8
"""1.12.0."""


class ArchiveErrorCode(IntEnum):
    """The relevant id of an error response."""

    GENERIC = 0
    ACTIVE_LISTING = 1
    ACTIVE_RECORDING = 2
    ACTIVE_SUBSCRIPTION = 3
    UNKNOWN_SUBSCRIPTION = 4
    UNKNOWN_RECORDING = 5
    UNKNOWN_REPLAY = 6
    MAX_REPLAYS = 7
    MAX_RECORDINGS = 8
    INVALID_EXTENSION = 9
    AUTHENTICATION_REJECTED = 10
    STORAGE_SPACE = 11
    UNKNOWN_REPLICATION = 12
    UNAUTHORISED_ACTION = 13
    REPLICATION_CONNECTION_FAILURE = 14
    EMPTY_RECORDING = 15
    INVALID_POSITION = 16


def is_out_of_space(error: Exception) -> bool:
    """Return whether the error is a full disk, of this machine or of the reporting archive."""
    return isinstance(error, InsufficientSpaceError) or (
        isinstance(error, ArchiveError) and error.code == ArchiveErrorCode.STORAGE_SPACE
    )
