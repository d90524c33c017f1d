"""How much is received from one socket in a pass of its agent."""


cdef enum:
    MAX_RECEIVE_COUNT = 16  # datagrams
    RECEIVE_BUFFER_LENGTH = 65536
