"""Append to the log of a publication: shared by many threads, or owned by one."""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.logbuffer.frames cimport DATA_HEADER_LENGTH, FRAME_PAD, data_header
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.memory.shared.atomic cimport store_release_i32


# Results of an append other than a position.
cpdef enum AppendStatus:
    NOT_CONNECTED = -1  # the limit is reached, without a subscriber
    BACK_PRESSURED = -2  # the limit is reached
    ADMIN_ACTION = -3  # the term was rotated: retry immediately
    CLOSED = -4  # returned by the publication, never by an appender
    MAX_POSITION_EXCEEDED = -5  # the stream cannot grow further
    INVALID_ARGUMENT = -6  # a length out of range, or a block for another position


# The reserved value of a frame that is about to be published; called per fragment.
ctypedef int64_t (*reserved_value_supplier)(
    void *context, uint8_t *term, int32_t term_offset, int32_t frame_length
) noexcept nogil


# Laid out as the system's struct iovec.
cdef struct byte_vector:
    const uint8_t *data
    size_t length


# A claimed range of a term, until it is committed or aborted.
cdef struct buffer_claim:
    data_header *frame
    int32_t length  # of the payload


# Immutable; any thread may append with it.
cdef struct concurrent_appender:
    log_buffers *log
    const int64_t *position_limit  # the counter pub-lmt
    reserved_value_supplier supplier  # NULL: reserved values stay 0
    void *supplier_context


# One thread owns it.
cdef struct exclusive_appender:
    log_buffers *log
    const int64_t *position_limit
    reserved_value_supplier supplier
    void *supplier_context
    uint8_t *term
    int64_t term_begin_position
    int32_t term_id
    int32_t term_offset
    int32_t active_index


cdef void concurrent_appender_init(
    concurrent_appender *appender, log_buffers *log, const int64_t *position_limit
) noexcept nogil
cdef int64_t concurrent_offer(
    concurrent_appender *appender, const uint8_t *buffer, int32_t length
) noexcept nogil
cdef int64_t concurrent_offer_vectored(
    concurrent_appender *appender, const byte_vector *vectors, int32_t count
) noexcept nogil
cdef int64_t concurrent_try_claim(
    concurrent_appender *appender, int32_t length, buffer_claim *claim
) noexcept nogil
cdef int64_t concurrent_position(concurrent_appender *appender) noexcept nogil

# Start at the tails of the log.
cdef void exclusive_appender_init(
    exclusive_appender *appender, log_buffers *log, const int64_t *position_limit
) noexcept nogil
cdef int64_t exclusive_offer(
    exclusive_appender *appender, const uint8_t *buffer, int32_t length
) noexcept nogil
cdef int64_t exclusive_offer_vectored(
    exclusive_appender *appender, const byte_vector *vectors, int32_t count
) noexcept nogil
cdef int64_t exclusive_try_claim(
    exclusive_appender *appender, int32_t length, buffer_claim *claim
) noexcept nogil
cdef int64_t exclusive_append_padding(
    exclusive_appender *appender, int32_t length
) noexcept nogil
# Append complete frames that were built for exactly this position of this stream.
cdef int64_t exclusive_offer_block(
    exclusive_appender *appender, const uint8_t *block, int32_t length
) noexcept nogil


cdef inline int64_t exclusive_position(const exclusive_appender *appender) noexcept nogil:
    return appender.term_begin_position + appender.term_offset


cdef inline uint8_t *claim_payload(const buffer_claim *claim) noexcept nogil:
    return <uint8_t *>claim.frame + DATA_HEADER_LENGTH


cdef inline void claim_commit(buffer_claim *claim) noexcept nogil:
    # Pairs with the acquire of the frame length by readers.
    store_release_i32(&claim.frame.frame_length, claim.length + DATA_HEADER_LENGTH)


cdef inline void claim_abort(buffer_claim *claim) noexcept nogil:
    claim.frame.type = FRAME_PAD
    store_release_i32(&claim.frame.frame_length, claim.length + DATA_HEADER_LENGTH)
