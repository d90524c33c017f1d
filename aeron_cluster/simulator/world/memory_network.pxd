"""Datagrams between sockets of one process."""
cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.memory.system.seams cimport Network


@cython.final
cdef class MemoryNetwork(Network):
    cdef dict _sockets  # by handle
    cdef object _intercept
    cdef int64_t _next_handle
    cdef int _next_port
