"""The counters of a cluster backup, and its states.

Upstream: ClusterBackup.State and the counter types of ClusterBackup.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

__all__ = [
    "BACKUP_ERRORS_TYPE",
    "BACKUP_STATE_TYPE",
    "LIVE_LOG_POSITION_TYPE",
    "NEXT_QUERY_TYPE",
    "SNAPSHOTS_RETRIEVED_TYPE",
    "BackupState",
]

BACKUP_STATE_TYPE: Final = 208
LIVE_LOG_POSITION_TYPE: Final = 209
NEXT_QUERY_TYPE: Final = 210
"""ms since 1970; tools write it, too."""
BACKUP_ERRORS_TYPE: Final = 211
SNAPSHOTS_RETRIEVED_TYPE: Final = 240


class BackupState(IntEnum):
    """The state of a backup; the values are those of its counter."""

    BACKUP_QUERY = 0
    SNAPSHOT_RETRIEVE = 1
    LIVE_LOG_RECORD = 2
    LIVE_LOG_REPLAY = 3
    UPDATE_RECORDING_LOG = 4
    BACKING_UP = 5
    RESET_BACKUP = 6
    CLOSED = 7
