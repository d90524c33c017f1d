"""The queue between the conductor and an agent."""
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from aeron_cluster.memory.shared.atomic cimport load_acquire_i64, store_release_i64
from aeron_cluster.memory.system.invariants cimport PLACE, holds


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
        # Pairs with the release in queue_release: the reader has finished with the slot.
        queue.head_seen = load_acquire_i64(&queue.head)
        if queue.tail - queue.head_seen >= queue.capacity:
            return NULL
    if not holds(
        queue.head_seen <= queue.tail, PLACE, "a queue is read up to its written end",
        queue.head_seen, queue.tail,
    ):
        return NULL
    return queue.slots + (queue.tail & (queue.capacity - 1)) * queue.slot_length


cdef void queue_publish(spsc_queue *queue) noexcept nogil:
    if not holds(
        queue.tail - queue.head_seen < queue.capacity, PLACE, "a published slot was claimed",
        queue.tail - queue.head_seen, queue.capacity,
    ):
        return
    # Pairs with the acquire in queue_peek: the slot is complete.
    store_release_i64(&queue.tail, queue.tail + 1)


cdef void *queue_peek(spsc_queue *queue) noexcept nogil:
    if queue.head >= queue.tail_seen:
        queue.tail_seen = load_acquire_i64(&queue.tail)
        if queue.head >= queue.tail_seen:
            return NULL
    if not holds(
        queue.tail_seen - queue.head <= queue.capacity, PLACE,
        "a queue holds no more than its capacity", queue.tail_seen - queue.head, queue.capacity,
    ):
        return NULL
    return queue.slots + (queue.head & (queue.capacity - 1)) * queue.slot_length


cdef void queue_release(spsc_queue *queue) noexcept nogil:
    if not holds(
        queue.head < queue.tail_seen, PLACE, "a released slot was read", queue.head,
        queue.tail_seen,
    ):
        return
    store_release_i64(&queue.head, queue.head + 1)


cdef int32_t queue_free_count(spsc_queue *queue) noexcept nogil:
    return queue.capacity - <int32_t>(
        load_acquire_i64(&queue.tail) - load_acquire_i64(&queue.head))
