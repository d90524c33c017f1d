"""Unblock a shared log after a publisher died between claim and commit."""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.logbuffer.log_buffers cimport log_buffers


cdef enum unblock_status:
    UNBLOCK_NO_ACTION = 0
    UNBLOCKED = 1
    UNBLOCKED_TO_END = 2  # to the end of the term, which must be rotated


cdef int unblock_term(
    log_buffers *log, int32_t index, int32_t term_id, int32_t blocked_offset, int32_t tail_offset
) noexcept nogil

# Unblock at the consumer's position; returns whether anything was done.
cdef bint unblock_log(log_buffers *log, int64_t blocked_position) noexcept nogil

# Write a padding frame over abandoned bytes; its length is stored last.
cdef void write_pad(
    log_buffers *log, uint8_t *term, int32_t term_id, int32_t term_offset, int32_t length
) noexcept nogil
