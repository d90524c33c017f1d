from enum import IntEnum

class StreamState(IntEnum):
    STREAM_INIT = 0
    STREAM_ACTIVE = 1
    STREAM_DRAINING = 2
    STREAM_LINGER = 3
    STREAM_DONE = 4
