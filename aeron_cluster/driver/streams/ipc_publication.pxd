"""A stream between processes of one machine: limits, cleaning, unblocking.

``IpcPublication``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.streams.log_pages cimport log_pages
from aeron_cluster.driver.streams.position_set cimport position_set
from aeron_cluster.driver.streams.raw_log cimport RawLog
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.memory.shared.counters cimport CountersManager


cdef struct ipc_publication:
    log_buffers *log
    log_pages *pages  # the conductor's
    int64_t registration_id
    int32_t session_id
    int32_t stream_id
    int32_t window_length
    int32_t state
    bint is_exclusive
    int64_t unblock_timeout_ns
    uint8_t *system_counters
    int64_t *publisher_position
    int64_t *publisher_limit
    position_set subscribers
    int64_t limit  # the value of publisher_limit
    int64_t trip_limit
    int64_t clean_position
    int64_t consumer_position
    int64_t last_consumer_position  # at the last check for a blocked publisher
    int64_t last_progress_ns


# The conductor's share of each pass: position, limit, cleaning. The count of limits moved.
cdef int update_ipc_limits(ipc_publication *publication) noexcept nogil
# What is to be done now and then while it is active and moves; whether that was all.
cdef bint check_ipc_publication(ipc_publication *publication, int64_t now_ns) noexcept nogil


@cython.final
cdef class IpcPublication:
    cdef ipc_publication c
    cdef RawLog _log  # the struct points into it
    cdef CountersManager _counters  # the same
    cdef bint _is_closed

    cdef ipc_publication *_open(self) except NULL
