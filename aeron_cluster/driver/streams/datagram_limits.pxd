"""The limit of datagrams received from one socket per duty cycle."""


cdef enum:
    MAX_RECEIVE_COUNT = 16  # datagrams
    RECEIVE_BUFFER_LENGTH = 65536
