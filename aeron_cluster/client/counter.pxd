"""Counters that this client asked the driver for."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.memory.shared.counters cimport CountersReader


# A loop without the GIL stores to `address` with the accesses of
# `aeron_cluster.memory.shared.atomic`, and keeps the counter alive until it has stopped. It checks
# `is_closed` first where it may outlive the client: the record may have been given away by then.
@cython.final
cdef class Counter:
    cdef int64_t *address
    cdef int32_t is_closed_  # by any thread
    cdef CountersReader counters  # keeps the record mapped
    cdef object conductor
    cdef readonly int32_t counter_id
    cdef readonly int64_t registration_id
    cdef readonly bint is_static

    cdef int _check(self) except -1


# The word of a counter of either kind, Counter or AtomicCounter, or NULL of None.
cdef int64_t *counter_word(object counter) except? NULL
