"""Insert the packets of a stream into the terms of an image.

Aeron's ``TermRebuilder``.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FRAME_ALIGNMENT,
    FRAME_DATA,
    FRAME_PAD,
    align_frame,
    compute_term_count,
    data_header,
    index_of_term_count,
)
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.memory.atomic cimport store_release_i64


cdef bint is_valid_packet(
    const uint8_t *packet, int32_t length, int32_t term_length
) noexcept nogil:
    cdef const data_header *first = <const data_header *>packet
    cdef const data_header *frame
    cdef int32_t offset = 0
    cdef int32_t term_offset, frame_length
    if length < DATA_HEADER_LENGTH:
        return False
    term_offset = first.term_offset
    if term_offset < 0 or term_offset % FRAME_ALIGNMENT != 0 or term_offset > term_length - length:
        return False
    while offset < length:
        if length - offset < DATA_HEADER_LENGTH:
            return False
        frame = <const data_header *>(packet + offset)
        frame_length = frame.frame_length
        if (
            frame_length < DATA_HEADER_LENGTH
            or frame_length > term_length - term_offset - offset
            or frame.term_offset != term_offset + offset
            or frame.term_id != first.term_id
            or frame.session_id != first.session_id
            or frame.stream_id != first.stream_id
        ):
            return False
        if frame.type == FRAME_PAD:
            # Only its header travels; it ends a datagram.
            return offset + DATA_HEADER_LENGTH == length
        if frame.type != FRAME_DATA or frame_length > length - offset:
            return False
        offset += align_frame(frame_length)
    return True


cdef int insert_packet(
    log_buffers *log, const uint8_t *packet, int32_t length
) noexcept nogil:
    cdef const data_header *first = <const data_header *>packet
    cdef int32_t term_count, term_offset
    cdef uint8_t *target
    cdef int64_t word = 0
    if length < DATA_HEADER_LENGTH:
        return INSERT_INVALID
    term_count = compute_term_count(first.term_id, log.initial_term_id)
    term_offset = first.term_offset
    if (
        term_count < 0
        or term_offset < 0
        or term_offset % FRAME_ALIGNMENT != 0
        or term_offset > log.term_length - length
    ):
        return INSERT_INVALID
    target = log.terms[index_of_term_count(term_count)] + term_offset
    # Only the receiver writes here: what is there was put by it, and need not be acquired.
    if (<const data_header *>target).frame_length != 0:
        return INSERT_DUPLICATE
    memcpy(
        target + DATA_HEADER_LENGTH, packet + DATA_HEADER_LENGTH, length - DATA_HEADER_LENGTH
    )
    memcpy(target + 8, packet + 8, 24)
    memcpy(&word, packet, sizeof(word))
    # Pairs with the acquire of the frame length by pollers: all of the datagram is there.
    store_release_i64(target, word)
    return INSERT_OK
