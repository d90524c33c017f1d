cimport cython
from libc.stdint cimport int64_t, uint8_t

from aeron_cluster.memory.system.seams cimport DatagramSocket, Network, datagram, network


cdef enum:
    RESOLUTION_BATCH_COUNT = 8  # datagrams


cdef struct resolution_socket:
    network network
    int64_t handle
    int64_t poll_interval_ns
    int64_t poll_deadline_ns
    datagram batch[RESOLUTION_BATCH_COUNT]
    int received_count
    int taken_count
    int error_number  # of the last poll, 0: none


# Receive datagrams, if it is time to. Return whether Python has to handle datagrams or an error.
cdef bint poll_resolutions(resolution_socket *c, int64_t now_ns) noexcept nogil


@cython.final
cdef class ResolutionSocket:
    cdef resolution_socket c
    cdef uint8_t *_buffers
    cdef Network _network  # owns the table
    cdef DatagramSocket _socket
