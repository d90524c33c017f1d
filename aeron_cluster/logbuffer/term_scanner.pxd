"""Find consecutive committed frames in a term."""
from libc.stdint cimport int32_t, uint8_t


# The end offset of a block of complete frames from `term_offset`, at most `limit_offset`. Padding
# ends it, or is the whole block, of any length: the caller checks that it is within the term.
cdef int32_t scan_block(
    const uint8_t *term, int32_t term_offset, int32_t limit_offset
) noexcept nogil

# The start of the message that contains an offset (the start of a frame or the end of the log); the
# offset itself if a message begins there. -1 if the frames before are missing.
cdef int32_t scan_message_begin(const uint8_t *term, int32_t term_offset) noexcept nogil

# The bytes that a sender may put into one datagram of at most `max_length`. The header of a padding
# frame, which ends the scan, counts as available and the rest as `padding`. If the first frame is
# longer than max_length, the negated aligned length of the frame.
cdef int32_t scan_for_availability(
    const uint8_t *term, int32_t term_offset, int32_t max_length, int32_t term_length,
    int32_t *padding
) noexcept nogil
