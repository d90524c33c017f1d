"""Insert the packets of a stream into the terms of an image."""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.logbuffer.log_buffers cimport log_buffers


cdef enum insert_status:
    INSERT_INVALID = -1  # it does not fit where it says it belongs: nothing was written
    INSERT_DUPLICATE = 0
    INSERT_OK = 1


# Whether a datagram is a run of whole frames of one term that fits into it. A padding frame is a
# header alone, and the last.
cdef bint is_valid_packet(
    const uint8_t *packet, int32_t length, int32_t term_length
) noexcept nogil

# Insert a data packet where its first header says. The caller has checked the position against
# the window, so that the partition is the right term's; offset and length are checked here.
cdef int insert_packet(
    log_buffers *log, const uint8_t *packet, int32_t length
) noexcept nogil
