from enum import IntEnum

class AppendStatus(IntEnum):
    NOT_CONNECTED = -1
    BACK_PRESSURED = -2
    ADMIN_ACTION = -3
    CLOSED = -4
    MAX_POSITION_EXCEEDED = -5
    INVALID_ARGUMENT = -6
