"""Insert the packets of a stream into the terms of an image.

Aeron's ``TermRebuilder``. Upstream writes at any offset in a datagram; here each datagram is
compared with earlier frames. If its frames overlap others without being duplicates, the complete
datagram is rejected, so that a poller only reads frames as they were sent.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FRAME_ALIGNMENT,
    FRAME_DATA,
    FRAME_PAD,
    align_frame,
    align_i64,
    compute_position,
    data_header,
)
from aeron_cluster.logbuffer.gap_scanner cimport fill_gap, gap
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.logbuffer.places cimport is_frame_position
from aeron_cluster.memory.system.invariants cimport PLACE, holds


cdef extern from *:
    int count_trailing_zeros "__builtin_ctzll"(uint64_t word) noexcept nogil


cdef enum:
    SLOT_SHIFT = 5  # from a position to its slot of 32 bytes
    WORD_SHIFT = 6
    WORD_MASK = 63


cdef int term_rebuilder_init(
        term_rebuilder *rebuilder, log_buffers *log, int64_t position) noexcept nogil:
    cdef int64_t slot_count = (2 * <int64_t>log.term_length) >> SLOT_SHIFT
    rebuilder.log = log
    rebuilder.contiguous_position = position
    rebuilder.high_water_position = position
    rebuilder.slot_mask = slot_count - 1
    rebuilder.received = <uint64_t *>calloc(slot_count >> WORD_SHIFT, sizeof(uint64_t))
    return -1 if rebuilder.received == NULL else 0


cdef void term_rebuilder_free(term_rebuilder *rebuilder) noexcept nogil:
    free(rebuilder.received)
    rebuilder.received = NULL


cdef int32_t packet_extent(
    const uint8_t *packet, int32_t length, int32_t term_length
) noexcept nogil:
    cdef const data_header *first = <const data_header *>packet
    cdef const data_header *frame
    cdef int32_t offset = 0
    cdef int32_t term_offset, frame_length
    if length < DATA_HEADER_LENGTH:
        return 0
    term_offset = first.term_offset
    if term_offset < 0 or term_offset % FRAME_ALIGNMENT != 0 or term_offset > term_length - length:
        return 0
    while offset < length:
        if length - offset < DATA_HEADER_LENGTH:
            return 0
        frame = <const data_header *>(packet + offset)
        frame_length = frame.frame_length
        if (
            frame_length < DATA_HEADER_LENGTH
            or frame_length > term_length - term_offset - offset
            or frame.term_offset != term_offset + offset
            or frame.term_id != first.term_id
            or frame.session_id != first.session_id
            or frame.stream_id != first.stream_id
        ):
            return 0
        if frame.type == FRAME_PAD:
            # Only its header is sent, at the end of a datagram.
            if offset + DATA_HEADER_LENGTH != length:
                return 0
            return offset + align_frame(frame_length)
        if frame.type != FRAME_DATA or frame_length > length - offset:
            return 0
        offset += align_frame(frame_length)
    return offset


# The first position from `begin` and before `limit` with a used slot (or, with `flip` all ones, a
# free one); else the limit.
cdef int64_t find_slot(
        const term_rebuilder *rebuilder, int64_t begin, int64_t limit, uint64_t flip
) noexcept nogil:
    cdef int64_t at = begin
    cdef int64_t slot
    cdef uint64_t word
    while at < limit:
        slot = (at >> SLOT_SHIFT) & rebuilder.slot_mask
        word = (rebuilder.received[slot >> WORD_SHIFT] ^ flip) >> (slot & WORD_MASK)
        if word != 0:
            at += <int64_t>count_trailing_zeros(word) << SLOT_SHIFT
            return at if at < limit else limit
        at += (WORD_MASK + 1 - (slot & WORD_MASK)) << SLOT_SHIFT
    return limit


cdef inline bint is_received(const term_rebuilder *rebuilder, int64_t position) noexcept nogil:
    cdef int64_t slot = (position >> SLOT_SHIFT) & rebuilder.slot_mask
    return (rebuilder.received[slot >> WORD_SHIFT] >> (slot & WORD_MASK)) & 1


# Whether a slot would represent two positions.
cdef inline bint is_too_far(const term_rebuilder *rebuilder, int64_t end) noexcept nogil:
    return end - rebuilder.contiguous_position > (rebuilder.slot_mask + 1) << SLOT_SHIFT


# Mark the slots from `begin` to `end` as used or free; returns False if nothing was done.
cdef bint flip_slots(term_rebuilder *rebuilder, int64_t begin, int64_t end) noexcept nogil:
    cdef int64_t at = begin
    cdef int64_t slot, count
    cdef uint64_t bits
    if not holds(
        is_frame_position(begin | end), PLACE, "frames begin and end at positions of frames",
        begin, end,
    ) or not holds(
        begin <= end <= rebuilder.contiguous_position + ((rebuilder.slot_mask + 1) << SLOT_SHIFT),
        PLACE, "no slot represents two positions", end, rebuilder.contiguous_position,
    ):
        return False
    while at < end:
        slot = (at >> SLOT_SHIFT) & rebuilder.slot_mask
        count = WORD_MASK + 1 - (slot & WORD_MASK)
        bits = <uint64_t>-1
        if end - at < count << SLOT_SHIFT:
            count = (end - at) >> SLOT_SHIFT
            bits = (<uint64_t>1 << count) - 1
        rebuilder.received[slot >> WORD_SHIFT] ^= bits << (slot & WORD_MASK)
        at += count << SLOT_SHIFT
    return True


# Frames beyond the contiguous position may now be contiguous.
cdef void advance(term_rebuilder *rebuilder) noexcept nogil:
    cdef int64_t begin = rebuilder.contiguous_position
    cdef int64_t end = find_slot(
        rebuilder, begin, rebuilder.high_water_position, <uint64_t>-1)
    if not holds(
        end <= rebuilder.high_water_position, PLACE,
        "contiguous frames end before the high-water mark", end, rebuilder.high_water_position,
    ):
        return
    if flip_slots(rebuilder, begin, end):
        rebuilder.contiguous_position = end


cdef void skip_to(term_rebuilder *rebuilder, int64_t position) noexcept nogil:
    cdef int64_t at = rebuilder.contiguous_position
    cdef int64_t limit, end
    if position <= at:
        return
    position = align_i64(position, FRAME_ALIGNMENT)
    limit = min(position, rebuilder.high_water_position)
    while at < limit:
        at = find_slot(rebuilder, at, limit, 0)
        end = find_slot(rebuilder, at, limit, <uint64_t>-1)
        if not flip_slots(rebuilder, at, end):
            return
        at = end
    rebuilder.contiguous_position = position
    if position >= rebuilder.high_water_position:
        rebuilder.high_water_position = position
    else:
        advance(rebuilder)


cdef int insert_out_of_order(
    term_rebuilder *rebuilder, int64_t position, const uint8_t *packet, int32_t length,
    int32_t extent
) noexcept nogil:
    cdef int64_t end = position + extent
    if not holds(
        rebuilder.contiguous_position <= rebuilder.high_water_position, PLACE,
        "contiguous frames end before the high-water mark", rebuilder.contiguous_position,
        rebuilder.high_water_position,
    ):
        return INSERT_INVALID
    if position < rebuilder.high_water_position:
        return insert_between(rebuilder, position, packet, length)
    # Beyond all received frames: it cannot overlap.
    if is_too_far(rebuilder, end):
        return INSERT_INVALID
    if not flip_slots(rebuilder, position, end):
        return INSERT_INVALID
    rebuilder.high_water_position = end
    write_frames(place_of(rebuilder, position), packet, length)
    return INSERT_OK


# The decision about one frame, independent of its datagram.
cdef int classify_frame(
        const term_rebuilder *rebuilder, int64_t position, const data_header *frame
) noexcept nogil:
    cdef int64_t end = position + align_frame(frame.frame_length)
    cdef int64_t high_water_position = rebuilder.high_water_position
    if end <= rebuilder.contiguous_position:
        return INSERT_DUPLICATE
    if position < rebuilder.contiguous_position or is_too_far(rebuilder, end):
        return INSERT_INVALID
    if position >= high_water_position:
        return INSERT_OK
    if is_received(rebuilder, position):
        # Only the receiver writes here, so no acquire is needed.
        if (<const int64_t *>place_of(rebuilder, position))[0] == (<const int64_t *>frame)[0]:
            return INSERT_DUPLICATE
        return INSERT_INVALID
    if find_slot(rebuilder, position, min(end, high_water_position), 0) < min(
            end, high_water_position):
        return INSERT_INVALID
    return INSERT_OK


# A datagram that begins before the high-water mark: a retransmission, or one out of order. A sender
# may split a retransmission differently, so that one contains new frames and duplicates.
cdef int insert_between(
        term_rebuilder *rebuilder, int64_t position, const uint8_t *packet, int32_t length
) noexcept nogil:
    cdef const data_header *frame
    cdef int32_t offset = 0
    cdef int32_t frame_length
    cdef int verdict
    cdef int result = INSERT_DUPLICATE
    while offset < length:
        frame = <const data_header *>(packet + offset)
        verdict = classify_frame(rebuilder, position + offset, frame)
        if verdict == INSERT_INVALID:
            return INSERT_INVALID
        result |= verdict
        offset += align_frame(frame.frame_length)
    if result == INSERT_DUPLICATE:
        return INSERT_DUPLICATE
    offset = 0
    while offset < length:
        frame = <const data_header *>(packet + offset)
        frame_length = align_frame(frame.frame_length)
        if classify_frame(rebuilder, position + offset, frame) == INSERT_OK:
            if not flip_slots(
                    rebuilder, position + offset, position + offset + frame_length):
                return INSERT_INVALID
            rebuilder.high_water_position = max(
                rebuilder.high_water_position, position + offset + frame_length)
            # A padding frame is only a header, and the last frame may lack its alignment.
            write_frames(
                place_of(rebuilder, position + offset), packet + offset,
                min(frame_length, length - offset))
        offset += frame_length
    advance(rebuilder)
    return INSERT_OK


cdef bint insert_padding(term_rebuilder *rebuilder, const gap *lost) noexcept nogil:
    cdef log_buffers *log = rebuilder.log
    cdef int64_t begin = compute_position(
        lost.term_id, lost.term_offset, log.position_bits_to_shift, log.initial_term_id)
    cdef int64_t end = begin + lost.length
    cdef int64_t limit = min(end, rebuilder.high_water_position)
    if (
        begin < rebuilder.contiguous_position
        or not is_frame_position(begin)  # positions of other processes' subscribers affect the scan
        or is_too_far(rebuilder, end)
        or begin < limit and find_slot(rebuilder, begin, limit, 0) < limit
        or not fill_gap(log, lost)
    ):
        return False
    if not flip_slots(rebuilder, begin, end):
        return False
    rebuilder.high_water_position = max(rebuilder.high_water_position, end)
    advance(rebuilder)
    return True
