"""Unblock a shared log after a publisher died between claim and commit.

Aeron's ``LogBufferUnblocker`` and ``TermUnblocker``.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.logbuffer.frames cimport (
    FLAG_UNFRAGMENTED,
    FRAME_ALIGNMENT,
    FRAME_PAD,
    data_header,
    index_of_term_count,
    tail_term_id,
    tail_term_offset,
)
from aeron_cluster.logbuffer.log_buffers cimport log_buffers, rotate_log
from aeron_cluster.memory.shared.atomic cimport (
    load_acquire_i32,
    load_acquire_i64,
    store_release_i32,
)


cdef void write_pad(
    log_buffers *log, uint8_t *term, int32_t term_id, int32_t term_offset, int32_t length
) noexcept nogil:
    cdef data_header *frame = <data_header *>(term + term_offset)
    frame.version = 0
    frame.flags = FLAG_UNFRAGMENTED
    frame.type = FRAME_PAD
    frame.term_offset = term_offset
    frame.session_id = log.session_id
    frame.stream_id = log.stream_id
    frame.term_id = term_id
    frame.reserved_value = 0
    # Pairs with the acquire of the frame length by readers, which may continue from here.
    store_release_i32(&frame.frame_length, length)


cdef inline bint is_zero_between(
    const uint8_t *term, int32_t begin, int32_t end
) noexcept nogil:
    cdef int32_t offset = end - FRAME_ALIGNMENT
    while offset >= begin:
        if load_acquire_i32(term + offset) != 0:
            return False
        offset -= FRAME_ALIGNMENT
    return True


cdef int unblock_term(
    log_buffers *log, int32_t index, int32_t term_id, int32_t blocked_offset, int32_t tail_offset
) noexcept nogil:
    cdef uint8_t *term = log.terms[index]
    cdef int32_t length = load_acquire_i32(term + blocked_offset)
    cdef int32_t offset
    if length < 0:
        # Claimed but never committed.
        write_pad(log, term, term_id, blocked_offset, -length)
        return UNBLOCKED
    if length > 0:
        return UNBLOCK_NO_ACTION
    # The tail was moved, but the header was not even begun.
    offset = blocked_offset + FRAME_ALIGNMENT
    while offset < tail_offset:
        if load_acquire_i32(term + offset) != 0:
            # A frame may have begun in the scanned part meanwhile: scan again, backwards.
            if not is_zero_between(term, blocked_offset, offset):
                return UNBLOCK_NO_ACTION
            write_pad(log, term, term_id, blocked_offset, offset - blocked_offset)
            return UNBLOCKED
        offset += FRAME_ALIGNMENT
    if offset == log.term_length and load_acquire_i32(term + blocked_offset) == 0:
        write_pad(log, term, term_id, blocked_offset, offset - blocked_offset)
        return UNBLOCKED_TO_END
    return UNBLOCK_NO_ACTION


cdef bint unblock_log(log_buffers *log, int64_t blocked_position) noexcept nogil:
    cdef int32_t blocked_count = <int32_t>(blocked_position >> log.position_bits_to_shift)
    cdef int32_t blocked_offset = <int32_t>(blocked_position & (log.term_length - 1))
    cdef int32_t active_count = load_acquire_i32(&log.metadata.active_term_count)
    cdef int32_t index, term_id
    cdef int64_t raw_tail
    cdef int status
    if blocked_position >= log.max_possible_position:
        return False  # the stream has ended: there is no next term
    if active_count == blocked_count - 1 and blocked_offset == 0:
        # The term is full, and the publisher that had to rotate the log died.
        raw_tail = load_acquire_i64(
            &log.metadata.tail_counters[index_of_term_count(active_count)]
        )
        rotate_log(log, active_count, tail_term_id(raw_tail))
        return True
    index = index_of_term_count(blocked_count)
    raw_tail = load_acquire_i64(&log.metadata.tail_counters[index])
    term_id = tail_term_id(raw_tail)
    status = unblock_term(
        log, index, term_id, blocked_offset, tail_term_offset(raw_tail, log.term_length)
    )
    if status == UNBLOCKED_TO_END:
        rotate_log(log, blocked_count, term_id)
    return status != UNBLOCK_NO_ACTION
