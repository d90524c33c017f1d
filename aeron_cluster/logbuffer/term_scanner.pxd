"""Find runs of committed frames in a term."""
from libc.stdint cimport int32_t, uint8_t


# The offset at which a block of whole frames from `term_offset` ends: not beyond `limit_offset`.
# Padding ends it, or is all of it, however long: the caller looks that it stays in the term.
cdef int32_t scan_block(
    const uint8_t *term, int32_t term_offset, int32_t limit_offset
) noexcept nogil

# The offset where the message begins that an offset, at which a frame begins or the log ends, is
# inside; that offset where a message begins there itself. -1 where what is before is missing.
cdef int32_t scan_message_begin(const uint8_t *term, int32_t term_offset) noexcept nogil

# The bytes that a sender may put into one datagram of at most `max_length`. Of a padding frame,
# which ends the scan, the header counts as available and the rest as `padding`. Negative where the
# first frame is longer than max_length: the frame's aligned length, negated.
cdef int32_t scan_for_availability(
    const uint8_t *term, int32_t term_offset, int32_t max_length, int32_t term_length,
    int32_t *padding
) noexcept nogil
