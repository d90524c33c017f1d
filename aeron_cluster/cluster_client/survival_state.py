"""The states of a surviving client."""

from enum import IntEnum

__all__ = ["SurvivalState"]


class SurvivalState(IntEnum):
    """The state of a surviving client."""

    CONNECTING = 0
    OPENING = 1
    CONNECTED = 2
    AWAIT_LEADER = 3
    FAILED = 4
    CLOSED = 5
