"""Position counters of a stream's subscribers."""
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.memory.shared.atomic cimport load_acquire_i32, load_acquire_i64


# Position counters of subscribers or spies. The conductor writes, and the sender may read, so an
# outgrown array is retained until the end.
cdef struct position_set:
    int64_t **positions
    int32_t count
    int32_t capacity
    void *retired


# Only for control events, since it may allocate; returns -1 if memory is exhausted.
cdef int positions_add(position_set *positions, int64_t *position) noexcept nogil
cdef bint positions_remove(position_set *positions, int64_t *position) noexcept nogil
cdef void positions_free(position_set *positions) noexcept nogil


cdef inline int64_t positions_min(position_set *positions, int64_t otherwise) noexcept nogil:
    cdef int32_t index
    cdef int64_t value
    cdef int64_t result = otherwise
    for index in range(load_acquire_i32(&positions.count)):
        value = load_acquire_i64(positions.positions[index])
        if value < result:
            result = value
    return result


cdef inline int64_t positions_max(position_set *positions, int64_t otherwise) noexcept nogil:
    cdef int32_t index
    cdef int64_t value
    cdef int64_t result = otherwise
    for index in range(load_acquire_i32(&positions.count)):
        value = load_acquire_i64(positions.positions[index])
        if value > result:
            result = value
    return result
