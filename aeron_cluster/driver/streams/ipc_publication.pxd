"""A stream between processes of one machine: limits, cleaning, unblocking.

``IpcPublication``.
"""
cimport cython
from libc.stdint cimport int64_t

from aeron_cluster.driver.streams.data_plane cimport ipc_publication
from aeron_cluster.driver.streams.raw_log cimport RawLog
from aeron_cluster.memory.counters cimport CountersManager


# The conductor's share of each pass: position, limit, cleaning. The count of limits moved.
cdef int update_ipc_limits(ipc_publication *publication) noexcept nogil
# What is to be done now and then while it is active and moves; whether that was all.
cdef bint tend_ipc_publication(ipc_publication *publication, int64_t now_ns) noexcept nogil


@cython.final
cdef class IpcPublication:
    cdef ipc_publication c
    cdef RawLog _log  # the struct points into it
    cdef CountersManager _counters  # the same
    cdef bint _is_closed

    cdef ipc_publication *_open(self) except NULL
