"""Find gaps below the high-water mark of an image, and fill those that may stay lost."""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.logbuffer.log_buffers cimport log_buffers


cdef struct gap:
    int32_t term_id
    int32_t term_offset
    int32_t length  # 0: none


# Scan a term from `term_offset`; returns the offset up to which frames are contiguous, which may
# exceed the limit after a padding frame. Sets `found`, with length 0 if there is no gap.
cdef int32_t scan_for_gap(
    const uint8_t *term, int32_t term_id, int32_t term_offset, int32_t limit_offset, gap *found
) noexcept nogil

# Scan the term of `rebuild_position` up to `hwm_position` or its end; returns the new rebuild
# position.
cdef int64_t scan_loss(
    log_buffers *log, int64_t rebuild_position, int64_t hwm_position, gap *found
) noexcept nogil

# Fill a gap with one padding frame if it is still empty; returns whether it was.
cdef bint fill_gap(log_buffers *log, const gap *lost) noexcept nogil
