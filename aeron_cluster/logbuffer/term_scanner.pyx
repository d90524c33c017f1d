"""Find consecutive committed frames in a term.

Aeron's ``TermBlockScanner`` and ``TermScanner``.
"""

from libc.stdint cimport int32_t, uint8_t

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FLAG_BEGIN,
    FLAG_END,
    FRAME_DATA,
    FRAME_PAD,
    TERM_MAX_LENGTH,
    align_frame,
    data_header,
)
from aeron_cluster.memory.shared.atomic cimport load_acquire_i32


cdef extern from *:
    void prefetch "__builtin_prefetch"(const void *address) noexcept nogil


cdef enum:
    PREFETCH_OFFSET = 4096
    PREFETCH_DISTANCE = 8  # frames


cdef int32_t scan_block(
    const uint8_t *term, int32_t term_offset, int32_t limit_offset
) noexcept nogil:
    cdef int32_t offset = term_offset
    cdef int32_t length, after
    while offset < limit_offset:
        length = load_acquire_i32(term + offset)
        if length < DATA_HEADER_LENGTH or length > TERM_MAX_LENGTH:
            break
        after = offset + align_frame(length)
        if (<const data_header *>(term + offset)).type == FRAME_PAD:
            # Its bytes are undefined, so it never shares a block with other frames. It is never
            # read, so it may be longer than the limit.
            if offset == term_offset:
                offset = after
            break
        if after > limit_offset:
            break
        # Each header is in a cache line written by another core, and determines the place of the
        # next one. Frames often have equal lengths, so a later one is predictable. Not from the
        # start: a reader close to the publisher would take cache lines from it.
        if after - term_offset > PREFETCH_OFFSET:
            prefetch(term + after + PREFETCH_DISTANCE * (after - offset))
        offset = after
    return offset


cdef int32_t scan_message_begin(const uint8_t *term, int32_t term_offset) noexcept nogil:
    cdef int32_t offset = 0
    cdef int32_t begin = 0
    cdef int32_t length
    cdef const data_header *frame
    while offset < term_offset:
        frame = <const data_header *>(term + offset)
        length = load_acquire_i32(frame)
        if length < DATA_HEADER_LENGTH or length > TERM_MAX_LENGTH:
            return -1
        if frame.type == FRAME_DATA and frame.flags & FLAG_BEGIN:
            begin = offset
        offset += align_frame(length)
        if frame.type != FRAME_DATA or frame.flags & FLAG_END:
            begin = offset
    return begin if offset == term_offset else -1


cdef int32_t scan_for_availability(
    const uint8_t *term, int32_t term_offset, int32_t max_length, int32_t term_length,
    int32_t *padding
) noexcept nogil:
    cdef int32_t limit = term_length - term_offset
    cdef int32_t available = 0
    cdef int32_t length, aligned_length
    padding[0] = 0
    if max_length < limit:
        limit = max_length
    while available < limit:
        length = load_acquire_i32(term + term_offset + available)
        if length < DATA_HEADER_LENGTH or length > term_length - term_offset - available:
            break
        aligned_length = align_frame(length)
        if (<const data_header *>(term + term_offset + available)).type == FRAME_PAD:
            if DATA_HEADER_LENGTH > limit - available:
                return available if available > 0 else -DATA_HEADER_LENGTH
            padding[0] = aligned_length - DATA_HEADER_LENGTH
            return available + DATA_HEADER_LENGTH
        if aligned_length > limit - available:
            return available if available > 0 else -aligned_length
        available += aligned_length
    return available
