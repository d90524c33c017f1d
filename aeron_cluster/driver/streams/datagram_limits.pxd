"""How much one socket gives in a pass of its agent."""


cdef enum:
    MAX_RECEIVE_COUNT = 16  # datagrams
    RECEIVE_BUFFER_LENGTH = 65536
