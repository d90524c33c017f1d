"""Which numbers are positions and places of frames: what checks of the own state ask."""
from libc.stdint cimport INT64_MIN, int32_t, int64_t

from aeron_cluster.logbuffer.frames cimport FRAME_ALIGNMENT


cdef inline bint is_frame_position(int64_t position) noexcept nogil:
    """Return whether a frame can be at a position of a stream."""
    return position & (INT64_MIN | (FRAME_ALIGNMENT - 1)) == 0


cdef inline bint is_frame_offset(int32_t offset, int32_t term_length) noexcept nogil:
    """Return whether a frame can be at an offset in a term, or end it."""
    return 0 <= offset <= term_length and offset & (FRAME_ALIGNMENT - 1) == 0
