"""A hash table over (stream id, session id): open addressing, the capacity is a power of two."""
from libc.stdint cimport int32_t, uint32_t

from aeron_cluster.memory.system.invariants cimport PLACE, holds


cdef struct stream_slot:
    int32_t stream_id
    int32_t session_id
    int32_t state  # 0: the slot is empty
    int32_t count
    int32_t starting_count  # of a stream: sessions with images being created
    bint is_subscribed
    void *value


cdef struct stream_table:
    stream_slot *slots
    int32_t capacity
    int32_t count


# Return the slot of a new or known key, or NULL if memory is exhausted; only for control events.
cdef stream_slot *table_put(
    stream_table *table, int32_t stream_id, int32_t session_id, int32_t state) noexcept nogil
cdef void table_remove(stream_table *table, stream_slot *slot) noexcept nogil
cdef void table_free(stream_table *table) noexcept nogil


cdef inline uint32_t table_hash(int32_t stream_id, int32_t session_id) noexcept nogil:
    cdef uint32_t hash_ = <uint32_t>session_id * <uint32_t>0x9E3779B1
    hash_ ^= <uint32_t>stream_id * <uint32_t>0x85EBCA77
    return hash_ ^ (hash_ >> 15)


cdef inline stream_slot *table_find(
        stream_table *table, int32_t stream_id, int32_t session_id) noexcept nogil:
    """Return the slot of a key, or NULL; a table is at most half full, so the search ends."""
    cdef uint32_t mask
    cdef uint32_t index
    cdef stream_slot *slot
    if table.count == 0:
        return NULL
    if not holds(
        table.count <= table.capacity // 2, PLACE, "a table is at most half full", table.count,
        table.capacity // 2,
    ):
        return NULL
    mask = <uint32_t>(table.capacity - 1)
    index = table_hash(stream_id, session_id) & mask
    while True:
        slot = &table.slots[index]
        if slot.state == 0:
            return NULL
        if slot.session_id == session_id and slot.stream_id == stream_id:
            return slot
        index = (index + 1) & mask
