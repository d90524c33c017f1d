"""Insert the packets of a stream into the terms of an image."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from aeron_cluster.logbuffer.frames cimport DATA_HEADER_LENGTH, index_of_position
from aeron_cluster.logbuffer.gap_scanner cimport gap
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.memory.shared.atomic cimport store_release_i64


cdef enum:
    HEAD_LENGTH = 8  # of a header: length, version, flags, type


cdef enum insert_status:
    INSERT_INVALID = -1  # it overlaps other frames, or is too far ahead: nothing was written
    INSERT_DUPLICATE = 0
    INSERT_OK = 1


# The received parts of a stream in its log. Only for the receiver.
cdef struct term_rebuilder:
    log_buffers *log
    int64_t contiguous_position  # everything below was inserted, or is no longer expected
    int64_t high_water_position  # nothing at or after this was inserted
    # A cyclic bitmap of two terms, one bit per 32 bytes: the inserted bytes between these two
    # positions. A padding frame may extend that far beyond a receiver's window.
    uint64_t *received
    int64_t slot_mask


# Returns 0, or -1 if memory is exhausted.
cdef int term_rebuilder_init(
    term_rebuilder *rebuilder, log_buffers *log, int64_t position) noexcept nogil
cdef void term_rebuilder_free(term_rebuilder *rebuilder) noexcept nogil

# The length of a datagram in the log: 0 unless it consists of complete frames of one term that fit
# into it. A padding frame is only a header, and the last frame.
cdef int32_t packet_extent(
    const uint8_t *packet, int32_t length, int32_t term_length
) noexcept nogil

# insert_packet for a datagram that is not the next after the high-water position.
cdef int insert_out_of_order(
    term_rebuilder *rebuilder, int64_t position, const uint8_t *packet, int32_t length,
    int32_t extent
) noexcept nogil

# Fill a gap with padding; returns whether it was still empty.
cdef bint insert_padding(term_rebuilder *rebuilder, const gap *lost) noexcept nogil

# Stop expecting frames below a position: the subscribers are already past it.
cdef void skip_to(term_rebuilder *rebuilder, int64_t position) noexcept nogil


cdef inline uint8_t *place_of(const term_rebuilder *rebuilder, int64_t position) noexcept nogil:
    cdef log_buffers *log = rebuilder.log
    return (
        log.terms[index_of_position(position, log.position_bits_to_shift)]
        + (position & (log.term_length - 1))
    )


cdef inline void write_frames(
        uint8_t *target, const uint8_t *packet, int32_t length) noexcept nogil:
    cdef int64_t word = 0
    memcpy(
        target + DATA_HEADER_LENGTH, packet + DATA_HEADER_LENGTH, length - DATA_HEADER_LENGTH
    )
    memcpy(target + HEAD_LENGTH, packet + HEAD_LENGTH, DATA_HEADER_LENGTH - HEAD_LENGTH)
    memcpy(&word, packet, sizeof(word))
    # Pairs with the acquire of the frame length by pollers: all of the datagram is written.
    store_release_i64(target, word)


cdef inline int insert_packet(
    term_rebuilder *rebuilder, int64_t position, const uint8_t *packet, int32_t length,
    int32_t extent
) noexcept nogil:
    """Insert a data packet at `position`, that of its first header, of packet_extent's length."""
    if (position != rebuilder.contiguous_position
            or position != rebuilder.high_water_position):
        return insert_out_of_order(rebuilder, position, packet, length, extent)
    rebuilder.contiguous_position = rebuilder.high_water_position = position + extent
    write_frames(place_of(rebuilder, position), packet, length)
    return INSERT_OK
