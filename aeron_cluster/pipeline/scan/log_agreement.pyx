"""Finds the first difference between two recordings of a log.

No counterpart in Aeron. Frames are compared byte for byte, except for the session and stream ids:
replicated terms are recorded with the ids of the replication, and archives with checksums store
them in place of the session id. Padding is compared only up to the end of its header, as the rest
is not written.
"""
from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcmp

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FRAME_PAD,
    MAX_UDP_PAYLOAD_LENGTH,
    align_i64,
    data_header,
)


cdef enum:
    WINDOW_LENGTH = 262144


cdef inline bint is_same_header(const data_header *a, const data_header *b) noexcept nogil:
    return (
        a.frame_length == b.frame_length
        and a.version == b.version
        and a.flags == b.flags
        and a.type == b.type
        and a.term_offset == b.term_offset
        and a.term_id == b.term_id
        and a.reserved_value == b.reserved_value
    )


cdef int64_t compare(
        const uint8_t *a, const uint8_t *b, int64_t length, bint *differs) noexcept nogil:
    """Return the length of equal complete frames; the next frame may differ or need more data."""
    cdef int64_t offset = 0
    cdef const data_header *first
    cdef int64_t frame_length
    while offset + DATA_HEADER_LENGTH <= length:
        first = <const data_header *>(a + offset)
        frame_length = first.frame_length
        if frame_length < DATA_HEADER_LENGTH or not is_same_header(
                first, <const data_header *>(b + offset)):
            differs[0] = True
            break
        if first.type != FRAME_PAD:
            if frame_length > MAX_UDP_PAYLOAD_LENGTH:
                differs[0] = True
                break
            if offset + frame_length > length:
                break
            if memcmp(
                    a + offset + DATA_HEADER_LENGTH, b + offset + DATA_HEADER_LENGTH,
                    frame_length - DATA_HEADER_LENGTH) != 0:
                differs[0] = True
                break
        offset += align_i64(frame_length, DATA_HEADER_LENGTH)
    return offset


def find_difference(first not None, second not None, int64_t position, int64_t end_position):
    """Return the position at which two recordings of a log begin to differ.

    Parameters
    ----------
    first, second : SegmentReader
        ``read_into(buffer, position)`` reads up to the end of a segment.
    position : int
        The start of a frame in both, in bytes of the log.
    end_position : int
        The end of the shorter one.

    Returns
    -------
    int
        The start of the first frame that differs or is unreadable in one of them; else
        `end_position`, or the end of a frame that crosses it.

    Raises
    ------
    SegmentError
        A segment is missing.
    """
    cdef bytearray a = bytearray(WINDOW_LENGTH)
    cdef bytearray b = bytearray(WINDOW_LENGTH)
    cdef const uint8_t *a_data = <const uint8_t *>PyByteArray_AS_STRING(a)
    cdef const uint8_t *b_data = <const uint8_t *>PyByteArray_AS_STRING(b)
    cdef int64_t length, same
    cdef bint differs = False
    while position < end_position:
        length = min(first.read_into(a, position), second.read_into(b, position))
        with nogil:
            same = compare(a_data, b_data, length, &differs)
        position += same
        if differs or same == 0:
            return position
    return position
