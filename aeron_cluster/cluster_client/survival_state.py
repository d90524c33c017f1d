"""The states of a surviving client."""

from enum import IntEnum

__all__ = ["SurvivalState"]


class SurvivalState(IntEnum):
    """Where a surviving client stands."""

    CONNECTING = 0
    OPENING = 1
    CONNECTED = 2
    AWAIT_LEADER = 3
    FAILED = 4
    CLOSED = 5
