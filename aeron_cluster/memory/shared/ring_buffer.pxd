"""Ring buffers in shared memory: many-to-one (the command ring of a CnC file) and one-to-one.

Agrona's ``ManyToOneRingBuffer`` and ``OneToOneRingBuffer``. The functions implement the buffer; the
classes are their Python interface. A ring is a small struct over memory that the caller keeps
alive. Threads may share one or initialise their own, since all state is in the buffer. Invalid
values in the buffer never lead to accesses outside of it.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.memory.shared.commands cimport ring_trailer
from aeron_cluster.memory.shared.buffer_memory cimport BufferMemory


cpdef enum RingStatus:
    RING_OK = 0
    RING_INSUFFICIENT_CAPACITY = -2  # the consumer must catch up first
    RING_INVALID_TYPE = -3  # message types start at 1
    RING_MESSAGE_TOO_LONG = -4  # or of negative length
    RING_CORRUPT = -5  # the buffer's content was not written by a ring buffer
    RING_INVALID_CAPACITY = -6  # not a power of two >= 64 plus a trailer, or not aligned to 8
    RING_NOT_CLAIMED = -7  # commit or abort without an open claim


cpdef enum ControlledReadAction:
    READ_ABORT = 1  # stop, and deliver this message again
    READ_BREAK = 2  # stop after this message
    READ_COMMIT = 3  # free what was read so far, and continue
    READ_CONTINUE = 4


cdef struct ring_buffer:
    uint8_t *buffer
    ring_trailer *trailer
    int64_t capacity  # bytes, without the trailer
    int32_t max_message_length  # of the payload

ctypedef ring_buffer many_to_one_ring
ctypedef ring_buffer one_to_one_ring

# A payload is shared memory that its writer may change, so read each field only once.
ctypedef void (*message_handler)(
    int32_t message_type, const uint8_t *data, int32_t length, void *context) noexcept nogil
ctypedef ControlledReadAction (*controlled_message_handler)(
    int32_t message_type, const uint8_t *data, int32_t length, void *context) noexcept nogil

# RING_OK or RING_INVALID_CAPACITY; length counts the trailer (768 bytes).
cdef int ring_init(ring_buffer *ring, void *memory, int64_t length) noexcept nogil

# RING_OK, or the reason why nothing was written.
cdef int ring_write(
    many_to_one_ring *ring, int32_t message_type, const void *data, int32_t length) noexcept nogil
# The offset of the payload in the buffer, or a status. Every claim is committed or aborted.
cdef int64_t ring_try_claim(
    many_to_one_ring *ring, int32_t message_type, int32_t length) noexcept nogil
# The number of handled messages, or RING_CORRUPT if the first record is invalid.
cdef int ring_read(
    many_to_one_ring *ring, message_handler handler, void *context, int limit) noexcept nogil
cdef int ring_controlled_read(
    many_to_one_ring *ring, controlled_message_handler handler, void *context,
    int limit) noexcept nogil
# Returns 1 if an unfinished record of its producer was turned into padding, 0 if there was nothing
# to do, RING_CORRUPT if there is no unfinished record. An idle ring that is not empty should be
# checked with this from time to time.
cdef int ring_unblock(many_to_one_ring *ring) noexcept nogil

cdef int one_to_one_write(
    one_to_one_ring *ring, int32_t message_type, const void *data, int32_t length) noexcept nogil
cdef int64_t one_to_one_try_claim(
    one_to_one_ring *ring, int32_t message_type, int32_t length) noexcept nogil
cdef int one_to_one_read(
    one_to_one_ring *ring, message_handler handler, void *context, int limit) noexcept nogil
cdef int one_to_one_controlled_read(
    one_to_one_ring *ring, controlled_message_handler handler, void *context,
    int limit) noexcept nogil

# The same for both kinds. offset is the result of a claim.
cdef int ring_commit(ring_buffer *ring, int64_t offset) noexcept nogil
cdef int ring_abort(ring_buffer *ring, int64_t offset) noexcept nogil
# After RING_CORRUPT: the consumer drops everything up to the tail; returns the number of dropped
# bytes.
cdef int64_t ring_skip_corrupt(ring_buffer *ring) noexcept nogil
cdef int64_t ring_next_correlation_id(ring_buffer *ring) noexcept nogil
cdef int64_t ring_consumer_heartbeat_ms(const ring_buffer *ring) noexcept nogil
cdef void ring_set_consumer_heartbeat_ms(ring_buffer *ring, int64_t now_ms) noexcept nogil
cdef int64_t ring_producer_position(const ring_buffer *ring) noexcept nogil
cdef int64_t ring_consumer_position(const ring_buffer *ring) noexcept nogil
# Bytes that are claimed or written and not yet read.
cdef int64_t ring_size(const ring_buffer *ring) noexcept nogil


cdef class RingBuffer(BufferMemory):
    cdef ring_buffer ring

    cdef int check_status(self, int status, int32_t message_type, int32_t length) except -1
    cdef int check_claim(self, int status, int64_t offset) except -1
    cdef object corrupt_tail(self, int64_t tail)
    cdef object corrupt_head(self, int64_t head)
    cdef int read_with(self, object function, int limit, bint controlled) except -1


@cython.final
cdef class ManyToOneRingBuffer(RingBuffer):
    pass


@cython.final
cdef class OneToOneRingBuffer(RingBuffer):
    pass
