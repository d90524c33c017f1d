"""Queues, position sets and tables of the driver's data plane."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from aeron_cluster.logbuffer.frames cimport FRAME_HEADER_LENGTH, frame_header
from aeron_cluster.memory.atomic cimport (
    load_acquire_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.counters cimport CountersManager, counter_address
from aeron_cluster.memory.counters_layout cimport (
    SYSTEM_CONDUCTOR_PROXY_FAILS,
    SYSTEM_INVALID_PACKETS,
)
from aeron_cluster.memory.seams cimport address

from aeron_cluster.errors import ConfigurationError

cdef enum:
    MAX_FRAME_TYPE = 15  # what stands for all types beyond


cdef int queue_init(spsc_queue *queue, int32_t slot_length, int32_t capacity) except -1:
    memset(queue, 0, sizeof(spsc_queue))
    queue.slots = <uint8_t *>calloc(capacity, slot_length)
    if queue.slots == NULL:
        raise MemoryError
    queue.slot_length = slot_length
    queue.capacity = capacity
    return 0


cdef void queue_free(spsc_queue *queue) noexcept nogil:
    free(queue.slots)
    queue.slots = NULL


cdef void *queue_claim(spsc_queue *queue) noexcept nogil:
    if queue.tail - queue.head_seen >= queue.capacity:
        # Pairs with the release in queue_release: the reader is done with the slot.
        queue.head_seen = load_acquire_i64(&queue.head)
        if queue.tail - queue.head_seen >= queue.capacity:
            return NULL
    return queue.slots + (queue.tail & (queue.capacity - 1)) * queue.slot_length


cdef void queue_publish(spsc_queue *queue) noexcept nogil:
    # Pairs with the acquire in queue_peek: the slot is whole.
    store_release_i64(&queue.tail, queue.tail + 1)


cdef void *queue_peek(spsc_queue *queue) noexcept nogil:
    if queue.head >= queue.tail_seen:
        queue.tail_seen = load_acquire_i64(&queue.tail)
        if queue.head >= queue.tail_seen:
            return NULL
    return queue.slots + (queue.head & (queue.capacity - 1)) * queue.slot_length


cdef void queue_release(spsc_queue *queue) noexcept nogil:
    store_release_i64(&queue.head, queue.head + 1)


cdef int32_t queue_free_count(spsc_queue *queue) noexcept nogil:
    return queue.capacity - <int32_t>(
        load_acquire_i64(&queue.tail) - load_acquire_i64(&queue.head))


cdef event *claim_event(
        spsc_queue *queue, int32_t type, void *subject, uint8_t *system_counters) noexcept nogil:
    cdef event *slot = <event *>queue_claim(queue)
    if slot == NULL:
        count(system_counters, SYSTEM_CONDUCTOR_PROXY_FAILS, 1)
        return NULL
    # The text behind the head stays as it was: its length says what of it counts.
    memset(slot, 0, sizeof(event) - TEXT_CAPACITY)
    slot.type = type
    slot.subject = subject
    return slot


cdef void drop_packet(
        spsc_queue *events, uint8_t *system_counters, void *owner, int32_t why,
        const uint8_t *packet, int32_t length, const address *source) noexcept nogil:
    cdef int32_t type = MAX_FRAME_TYPE
    cdef int64_t kind
    cdef event *slot
    if why != FAULT_SESSION_LIMIT:
        count(system_counters, SYSTEM_INVALID_PACKETS, 1)
    if events == NULL:
        return
    if length >= FRAME_HEADER_LENGTH:
        type = min(<int32_t>(<const frame_header *>packet).type, <int32_t>MAX_FRAME_TYPE)
    kind = <int64_t>1 << (type * 4 + why)
    if events.reported & kind:
        return
    slot = claim_event(events, EVENT_PACKET_DROPPED, owner, system_counters)
    if slot == NULL:
        return
    events.reported |= kind
    slot.index = type
    slot.error_code = why
    slot.term_length = length
    slot.source = source[0]
    queue_publish(events)


cdef int positions_add(position_set *positions, int64_t *position) noexcept nogil:
    cdef int64_t **grown
    cdef void **link
    cdef int32_t capacity
    if positions.count == positions.capacity:
        capacity = 8 if positions.capacity == 0 else positions.capacity * 2
        # The word before the array links the outgrown ones, which a reader may still look at.
        link = <void **>malloc((capacity + 1) * sizeof(void *))
        if link == NULL:
            return -1
        link[0] = positions.retired
        positions.retired = link
        grown = <int64_t **>(link + 1)
        if positions.count > 0:
            memcpy(grown, positions.positions, positions.count * sizeof(void *))
        # Pairs with the acquire of the count: who sees the new count sees the array it counts.
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


cdef int pointers_add(pointer_array *pointers, void *item) noexcept nogil:
    cdef void **grown
    cdef int32_t capacity
    if pointers.count == pointers.capacity:
        capacity = 8 if pointers.capacity == 0 else pointers.capacity * 2
        grown = <void **>realloc(pointers.items, capacity * sizeof(void *))
        if grown == NULL:
            return -1
        pointers.items = grown
        pointers.capacity = capacity
    pointers.items[pointers.count] = item
    pointers.count += 1
    return 0


cdef bint pointers_remove(pointer_array *pointers, void *item) noexcept nogil:
    cdef int32_t index
    for index in range(pointers.count):
        if pointers.items[index] == item:
            pointers.count -= 1
            pointers.items[index] = pointers.items[pointers.count]
            return True
    return False


cdef void pointers_free(pointer_array *pointers) noexcept nogil:
    free(pointers.items)
    memset(pointers, 0, sizeof(pointer_array))


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
    # Close the hole: whatever follows and could stand nearer to its place moves up.
    cdef uint32_t mask = <uint32_t>(table.capacity - 1)
    cdef uint32_t hole = <uint32_t>(slot - table.slots)
    cdef uint32_t index = hole
    cdef uint32_t home
    cdef stream_slot *next_
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


cdef int64_t *value_address(CountersManager counters, int32_t counter_id) except? NULL:
    cdef int64_t *found
    if counter_id == -1:
        return NULL
    found = counter_address(&counters.reader, counter_id)
    if found == NULL:
        raise ConfigurationError(
            "counter id", f"-1 or below {counters.reader.count}", counter_id)
    return found
