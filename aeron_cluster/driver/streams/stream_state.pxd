"""The states of images and publications; the numbers are the driver's own."""


cpdef enum StreamState:
    STREAM_INIT = 0
    STREAM_ACTIVE = 1
    STREAM_DRAINING = 2
    STREAM_LINGER = 3
    STREAM_DONE = 4
