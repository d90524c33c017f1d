"""A stream between processes of one machine: limits, cleaning, unblocking.

``IpcPublication``.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.driver.streams.log_pages cimport log_pages
from aeron_cluster.driver.streams.position_set cimport position_set
from aeron_cluster.driver.streams.published_log cimport PublishedLog, publisher_progress
from aeron_cluster.logbuffer.log_buffers cimport log_buffers


cdef struct ipc_publication:
    log_buffers *log
    log_pages *pages  # the conductor's
    int32_t window_length
    int32_t state
    int64_t *publisher_position
    int64_t *publisher_limit
    position_set subscribers
    int64_t limit  # the value of publisher_limit
    int64_t trip_limit
    int64_t clean_position
    int64_t consumer_position
    publisher_progress progress


# The conductor's work in each duty cycle: position, limit, cleaning; returns the number of changed
# limits.
cdef int update_ipc_limits(ipc_publication *publication) noexcept nogil
# On the conductor's timer: note how far a concurrent publication is consumed; return whether
# it is active and makes progress, so that the conductor has nothing to do for it.
cdef bint check_ipc_publication(ipc_publication *publication, int64_t now_ns) noexcept nogil


@cython.final
cdef class IpcPublication(PublishedLog):
    cdef ipc_publication c

    cdef ipc_publication *_open(self) except NULL
