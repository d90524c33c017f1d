"""The queue between the conductor and an agent, with one writer and one reader."""
from libc.stdint cimport int32_t, int64_t, uint8_t


cdef struct spsc_queue:
    uint8_t *slots
    int32_t slot_length
    int32_t capacity  # a power of two
    uint8_t padding_0[64]
    int64_t tail  # the writer's
    int64_t head_seen
    int64_t reported  # a bit for each reported kind of fault
    uint8_t padding_1[64]
    int64_t head  # the reader's
    int64_t tail_seen
    uint8_t padding_2[64]


cdef int queue_init(spsc_queue *queue, int32_t slot_length, int32_t capacity) except -1
cdef void queue_free(spsc_queue *queue) noexcept nogil
# Return the slot to write, or NULL if the queue is full; queue_publish passes it to the reader.
cdef void *queue_claim(spsc_queue *queue) noexcept nogil
cdef void queue_publish(spsc_queue *queue) noexcept nogil
# Return the slot to read, or NULL if the queue is empty; queue_release returns it to the writer.
cdef void *queue_peek(spsc_queue *queue) noexcept nogil
cdef void queue_release(spsc_queue *queue) noexcept nogil
cdef int32_t queue_free_count(spsc_queue *queue) noexcept nogil
