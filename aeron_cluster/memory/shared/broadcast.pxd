"""One transmitter, which never waits for its receivers: the driver's events.

Agrona's ``BroadcastTransmitter``, ``BroadcastReceiver`` and ``CopyBroadcastReceiver``. A receiver
that lags by more than the buffer loses messages: it is notified, and continues with the newest.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.memory.shared.commands cimport broadcast_trailer
from aeron_cluster.memory.shared.buffer_memory cimport BufferMemory


cpdef enum BroadcastStatus:
    BROADCAST_OK = 0
    BROADCAST_NOTHING = -1  # no new message
    BROADCAST_LAPPED = -2  # messages were lost; the next call continues with the newest
    BROADCAST_INVALID_TYPE = -3  # message types start at 1
    BROADCAST_MESSAGE_TOO_LONG = -4  # or of negative length
    BROADCAST_CORRUPT = -5  # the buffer's content was not written by a transmitter
    BROADCAST_INVALID_CAPACITY = -6  # not a power of two and a trailer, or not aligned to 8
    BROADCAST_SCRATCH_TOO_SMALL = -7  # the message can be received again; see required_length


cdef struct broadcast_transmitter:
    uint8_t *buffer
    broadcast_trailer *trailer
    int64_t capacity  # bytes, without the trailer
    int32_t max_message_length  # of the payload


cdef struct broadcast_receiver:
    const uint8_t *buffer
    const broadcast_trailer *trailer
    int64_t capacity
    int64_t next_position  # of the next record
    int64_t lapped_count  # the number of times that messages were lost
    int32_t required_length  # length of the message that did not fit the scratch buffer


# Each returns BROADCAST_OK or BROADCAST_INVALID_CAPACITY; length counts the trailer (128 bytes).
cdef int broadcast_transmitter_init(
    broadcast_transmitter *transmitter, void *memory, int64_t length) noexcept nogil
# The first receive returns the newest earlier message, if any.
cdef int broadcast_receiver_init(
    broadcast_receiver *receiver, const void *memory, int64_t length) noexcept nogil

# BROADCAST_OK, or the reason why nothing was sent. For one thread.
cdef int broadcast_transmit(
    broadcast_transmitter *transmitter, int32_t message_type, const void *data,
    int32_t length) noexcept nogil
# The length (0 or more) of the message copied to scratch, and its type, or a status. For one
# thread. The longest message is capacity / 8.
cdef int32_t broadcast_receive(
    broadcast_receiver *receiver, int32_t *message_type, uint8_t *scratch,
    int32_t scratch_capacity) noexcept nogil


@cython.final
cdef class BroadcastTransmitter(BufferMemory):
    cdef broadcast_transmitter transmitter


@cython.final
cdef class BroadcastReceiver(BufferMemory):
    cdef broadcast_receiver receiver
    cdef uint8_t *scratch
    cdef int32_t scratch_capacity
