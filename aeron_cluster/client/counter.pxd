"""Counters that this client requested from the driver."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.memory.shared.counters cimport CountersReader


# A loop without the GIL stores to `address` with the accesses of
# `aeron_cluster.memory.shared.atomic`, and keeps the counter alive until it has stopped. If it may
# outlive the client, it checks `is_closed` first: the record may have been reused by then.
@cython.final
cdef class Counter:
    cdef int64_t *address
    cdef int32_t is_closed_  # set by any thread
    cdef CountersReader counters  # keeps the record mapped
    cdef object conductor
    cdef readonly int32_t counter_id
    cdef readonly int64_t registration_id
    cdef readonly bint is_static

    cdef int _check(self) except -1


# The address of the value of a Counter or an AtomicCounter; NULL for None.
cdef int64_t *counter_word(object counter) except? NULL
