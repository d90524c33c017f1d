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
    INSERT_INVALID = -1  # it overlaps what is there, or lies too far ahead: nothing was written
    INSERT_DUPLICATE = 0
    INSERT_OK = 1


# What of a stream lies in its log. The receiver alone has it.
cdef struct term_rebuilder:
    log_buffers *log
    int64_t contiguous_position  # everything below was inserted, or is wanted no more
    int64_t high_water_position  # nothing was inserted from here on
    # A bit for each 32 bytes of two terms, round and round: which are taken between these two. A
    # padding frame may reach that far beyond what a receiver's window accepts.
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

# insert_packet for one that is not the next after all that came.
cdef int insert_out_of_order(
    term_rebuilder *rebuilder, int64_t position, const uint8_t *packet, int32_t length,
    int32_t extent
) noexcept nogil

# Put padding over a gap; whether there was still nothing.
cdef bint insert_padding(term_rebuilder *rebuilder, const gap *lost) noexcept nogil

# Want nothing below a position any more: the subscribers went ahead of what came.
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
    # Pairs with the acquire of the frame length by pollers: all of the datagram is there.
    store_release_i64(target, word)


cdef inline int insert_packet(
    term_rebuilder *rebuilder, int64_t position, const uint8_t *packet, int32_t length,
    int32_t extent
) noexcept nogil:
    """Insert a data packet: at `position` by its first header, of what packet_extent answered."""
    if (position != rebuilder.contiguous_position
            or position != rebuilder.high_water_position):
        return insert_out_of_order(rebuilder, position, packet, length, extent)
    rebuilder.contiguous_position = rebuilder.high_water_position = position + extent
    write_frames(place_of(rebuilder, position), packet, length)
    return INSERT_OK
