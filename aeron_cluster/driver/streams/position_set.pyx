"""Position counters of a stream's subscribers."""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from aeron_cluster.memory.shared.atomic cimport store_release_i32, store_release_i64
from aeron_cluster.memory.system.invariants cimport PLACE, holds


cdef int positions_add(position_set *positions, int64_t *position) noexcept nogil:
    cdef int64_t **grown
    cdef void **link
    cdef int32_t capacity
    if not holds(
        0 <= positions.count <= positions.capacity, PLACE, "each position has an entry",
        positions.count, positions.capacity,
    ):
        return -1
    if positions.count == positions.capacity:
        capacity = 8 if positions.capacity == 0 else positions.capacity * 2
        # The pointer before the array links outgrown ones, which a reader may still use.
        link = <void **>malloc((capacity + 1) * sizeof(void *))
        if link == NULL:
            return -1
        link[0] = positions.retired
        positions.retired = link
        grown = <int64_t **>(link + 1)
        if positions.count > 0:
            memcpy(grown, positions.positions, positions.count * sizeof(void *))
        # Pairs with the acquire of the count: a reader of the new count observes its array.
        store_release_i64(&positions.positions, <int64_t>grown)
        positions.capacity = capacity
    positions.positions[positions.count] = position
    store_release_i32(&positions.count, positions.count + 1)
    return 0


cdef bint positions_remove(position_set *positions, int64_t *position) noexcept nogil:
    cdef int32_t index
    for index in range(positions.count):
        if positions.positions[index] == position:
            store_release_i64(
                &positions.positions[index], <int64_t>positions.positions[positions.count - 1])
            store_release_i32(&positions.count, positions.count - 1)
            return True
    return False


cdef void positions_free(position_set *positions) noexcept nogil:
    cdef void **link = <void **>positions.retired
    cdef void **following
    while link != NULL:
        following = <void **>link[0]
        free(link)
        link = following
    memset(positions, 0, sizeof(position_set))
