"""Special values of a replay's length.

Upstream: AeronArchive's constants.
"""

from __future__ import annotations

from typing import Final

__all__ = ["REPLAY_ALL_AND_FOLLOW", "REPLAY_ALL_AND_STOP"]

REPLAY_ALL_AND_FOLLOW: Final = -1
REPLAY_ALL_AND_STOP: Final = -2
