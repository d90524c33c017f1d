"""Insert the packets of a stream into the terms of an image."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from aeron_cluster.logbuffer.gap_scanner cimport gap
from aeron_cluster.logbuffer.log_buffers cimport log_buffers


cdef enum insert_status:
    INSERT_INVALID = -1  # it overlaps what is there, or lies too far ahead: nothing was written
    INSERT_DUPLICATE = 0
    INSERT_OK = 1


# What of a stream lies in its log. The receiver alone has it.
cdef struct term_rebuilder:
    log_buffers *log
    int64_t contiguous_position  # everything below was inserted, or is wanted no more
    int64_t high_water_position  # nothing was inserted from here on
    # A bit for each 32 bytes of two terms, round and round: which are taken between these two. A
    # padding frame may reach that far beyond what a receiver's window lets in.
    uint64_t *taken
    int64_t slot_mask


# 0, or -1 without memory.
cdef int term_rebuilder_init(
    term_rebuilder *rebuilder, log_buffers *log, int64_t position) noexcept nogil
cdef void term_rebuilder_free(term_rebuilder *rebuilder) noexcept nogil

# How many bytes of the log a datagram takes: 0 unless it is a run of whole frames of one term that
# fits into it. A padding frame is a header alone, and the last.
cdef int32_t packet_extent(
    const uint8_t *packet, int32_t length, int32_t term_length
) noexcept nogil

# Insert a data packet. `position` is what its first header says, `extent` what packet_extent
# answered, and not 0.
cdef int insert_packet(
    term_rebuilder *rebuilder, int64_t position, const uint8_t *packet, int32_t length,
    int32_t extent
) noexcept nogil

# Put padding over a gap; whether there was still nothing.
cdef bint insert_padding(term_rebuilder *rebuilder, const gap *lost) noexcept nogil

# Want nothing below a position any more: the subscribers went ahead of what came.
cdef void skip_to(term_rebuilder *rebuilder, int64_t position) noexcept nogil
