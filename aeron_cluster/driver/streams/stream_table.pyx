"""A hash table over (stream id, session id)."""
from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from aeron_cluster.memory.system.invariants cimport PLACE, holds


cdef stream_slot *free_slot(
        stream_slot *slots, int32_t capacity, int32_t stream_id, int32_t session_id
) noexcept nogil:
    cdef uint32_t mask = <uint32_t>(capacity - 1)
    cdef uint32_t index = table_hash(stream_id, session_id) & mask
    while slots[index].state != 0:
        index = (index + 1) & mask
    return &slots[index]


cdef stream_slot *table_put(
        stream_table *table, int32_t stream_id, int32_t session_id, int32_t state) noexcept nogil:
    cdef stream_slot *slot = table_find(table, stream_id, session_id)
    cdef stream_slot *grown
    cdef int32_t capacity
    cdef int32_t index
    if slot != NULL:
        return slot
    if (table.count + 1) * 2 > table.capacity:
        capacity = 16 if table.capacity == 0 else table.capacity * 2
        grown = <stream_slot *>calloc(capacity, sizeof(stream_slot))
        if grown == NULL:
            return NULL
        for index in range(table.capacity):
            if table.slots[index].state != 0:
                slot = free_slot(
                    grown, capacity, table.slots[index].stream_id, table.slots[index].session_id)
                slot[0] = table.slots[index]
        free(table.slots)
        table.slots = grown
        table.capacity = capacity
    slot = free_slot(table.slots, table.capacity, stream_id, session_id)
    memset(slot, 0, sizeof(stream_slot))
    slot.stream_id = stream_id
    slot.session_id = session_id
    slot.state = state
    table.count += 1
    return slot


cdef void table_remove(stream_table *table, stream_slot *slot) noexcept nogil:
    # Close the hole: later entries that can be nearer to their home slot move up.
    cdef uint32_t mask = <uint32_t>(table.capacity - 1)
    cdef uint32_t hole = <uint32_t>(slot - table.slots)
    cdef uint32_t index = hole
    cdef uint32_t home
    cdef stream_slot *next_
    if not holds(
        hole < <uint32_t>table.capacity and slot.state != 0, PLACE,
        "a removed entry is in the table", hole, table.capacity,
    ) or not holds(
        0 < table.count <= table.capacity // 2, PLACE, "a table is at most half full",
        table.count, table.capacity // 2,
    ):
        return
    while True:
        index = (index + 1) & mask
        next_ = &table.slots[index]
        if next_.state == 0:
            break
        home = table_hash(next_.stream_id, next_.session_id) & mask
        if ((index - home) & mask) >= ((index - hole) & mask):
            table.slots[hole] = next_[0]
            hole = index
    memset(&table.slots[hole], 0, sizeof(stream_slot))
    table.count -= 1


cdef void table_free(stream_table *table) noexcept nogil:
    free(table.slots)
    memset(table, 0, sizeof(stream_table))
