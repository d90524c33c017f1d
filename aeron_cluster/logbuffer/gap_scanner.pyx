"""Find gaps below the high-water mark of an image, and fill those that may stay lost.

Aeron's ``TermGapScanner``, ``LossDetector``'s scan and ``TermGapFiller``.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FRAME_ALIGNMENT,
    TERM_MAX_LENGTH,
    align_frame,
    compute_term_count,
    data_header,
    index_of_position,
    index_of_term_count,
    term_id_of_position,
)
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.logbuffer.unblocker cimport write_pad
from aeron_cluster.memory.shared.atomic cimport load_acquire_i32


cdef int32_t scan_for_gap(
    const uint8_t *term, int32_t term_id, int32_t term_offset, int32_t limit_offset, gap *found
) noexcept nogil:
    cdef int32_t offset = term_offset
    cdef int32_t begin, length
    found.length = 0
    while offset < limit_offset:
        length = load_acquire_i32(term + offset)
        if length <= 0 or length > TERM_MAX_LENGTH:
            break
        offset += align_frame(length)
    begin = offset
    if begin < limit_offset:
        offset += FRAME_ALIGNMENT
        while offset < limit_offset and load_acquire_i32(term + offset) == 0:
            offset += FRAME_ALIGNMENT
        found.term_id = term_id
        found.term_offset = begin
        found.length = offset - begin
    return begin


cdef int64_t scan_loss(
    log_buffers *log, int64_t rebuild_position, int64_t hwm_position, gap *found
) noexcept nogil:
    cdef int32_t mask = log.term_length - 1
    cdef int32_t offset, limit_offset
    cdef int64_t term_begin
    found.length = 0
    if rebuild_position >= hwm_position:
        return rebuild_position
    offset = <int32_t>(rebuild_position & mask)
    term_begin = rebuild_position - offset
    limit_offset = log.term_length
    if hwm_position - term_begin < limit_offset:
        limit_offset = <int32_t>(hwm_position - term_begin)
    offset = scan_for_gap(
        log.terms[index_of_position(rebuild_position, log.position_bits_to_shift)],
        term_id_of_position(rebuild_position, log.position_bits_to_shift, log.initial_term_id),
        offset, limit_offset, found,
    )
    # A length beyond the term is never accepted, but must not lead out of the term either.
    return term_begin + (offset if offset < log.term_length else log.term_length)


cdef bint fill_gap(log_buffers *log, const gap *lost) noexcept nogil:
    cdef int32_t index = index_of_term_count(
        compute_term_count(lost.term_id, log.initial_term_id)
    )
    cdef uint8_t *term = log.terms[index]
    cdef int32_t offset
    if lost.length <= 0 or lost.length % DATA_HEADER_LENGTH != 0:
        return False
    offset = lost.term_offset + lost.length - FRAME_ALIGNMENT
    while offset >= lost.term_offset:
        if (<const data_header *>(term + offset)).frame_length != 0:
            return False
        offset -= FRAME_ALIGNMENT
    write_pad(log, term, lost.term_id, lost.term_offset, lost.length)
    return True
