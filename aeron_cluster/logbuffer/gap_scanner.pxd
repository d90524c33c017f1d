"""Find what is missing below the high-water mark of an image, and fill it where it may be lost."""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.logbuffer.log_buffers cimport log_buffers


cdef struct gap:
    int32_t term_id
    int32_t term_offset
    int32_t length  # 0: none


# Scan a term from `term_offset`; the offset up to which frames are contiguous, which a padding
# frame may carry beyond the limit. `found` is set, with length 0 where nothing is missing.
cdef int32_t scan_for_gap(
    const uint8_t *term, int32_t term_id, int32_t term_offset, int32_t limit_offset, gap *found
) noexcept nogil

# Scan the one term that holds `rebuild_position` up to `hwm_position` or its end; the new rebuild
# position.
cdef int64_t scan_loss(
    log_buffers *log, int64_t rebuild_position, int64_t hwm_position, gap *found
) noexcept nogil

# Put one padding frame over a gap in which still nothing has arrived; whether that was so.
cdef bint fill_gap(log_buffers *log, const gap *lost) noexcept nogil
