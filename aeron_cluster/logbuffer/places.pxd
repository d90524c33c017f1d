"""Validity of frame positions and offsets, for invariant checks."""
from libc.stdint cimport INT64_MIN, int32_t, int64_t

from aeron_cluster.logbuffer.frames cimport FRAME_ALIGNMENT


cdef inline bint is_frame_position(int64_t position) noexcept nogil:
    """Return whether a position can be that of a frame."""
    return position & (INT64_MIN | (FRAME_ALIGNMENT - 1)) == 0


cdef inline bint is_frame_offset(int32_t offset, int32_t term_length) noexcept nogil:
    """Return whether an offset can be that of a frame in a term, or the term's end."""
    return 0 <= offset <= term_length and offset & (FRAME_ALIGNMENT - 1) == 0
