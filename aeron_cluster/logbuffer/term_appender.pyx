"""Append to the log of a publication, with the store order that readers and the driver require.

Aeron's ``ConcurrentPublication``, ``ExclusivePublication`` and ``HeaderWriter``.

A frame is written as: its length negated (release), a fence, the rest of the header, the payload,
the reserved value, its length (release). A reader that acquires a positive length observes the
complete frame; from a negative one the driver knows the length claimed by a dead appender.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FLAG_BEGIN,
    FLAG_END,
    FLAG_UNFRAGMENTED,
    FRAME_ALIGNMENT,
    FRAME_DATA,
    FRAME_PAD,
    PARTITION_COUNT,
    align_frame,
    compute_position,
    compute_term_count,
    data_header,
    fragmented_length,
    index_of_term_count,
    pack_tail,
    tail_term_id,
    tail_term_offset,
)
from aeron_cluster.logbuffer.log_buffers cimport log_buffers, producer_position, rotate_log
from aeron_cluster.logbuffer.places cimport is_frame_offset
from aeron_cluster.memory.shared.atomic cimport (
    fence_release,
    get_and_add_i64,
    load_acquire_i32,
    load_acquire_i64,
    store_opaque_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.system.invariants cimport IS_DEBUG, PLACE, holds, likely


# The source of a message in several buffers.
cdef struct gather:
    const byte_vector *vectors
    size_t used  # bytes of the first buffer


cdef inline data_header *begin_frame(
    log_buffers *log, uint8_t *term, int32_t term_id, int32_t term_offset, int32_t frame_length,
    int32_t flags, int32_t frame_type
) noexcept nogil:
    cdef data_header *frame = <data_header *>(term + term_offset)
    cdef uint64_t first = (
        <uint64_t>frame_type << 48 | <uint64_t>flags << 40 | <uint32_t>-frame_length
    )
    # Pairs with the acquire of the unblocker, which may complete the claim from now on.
    store_release_i64(frame, <int64_t>first)
    fence_release()
    frame.term_offset = term_offset
    frame.session_id = log.session_id
    frame.stream_id = log.stream_id
    frame.term_id = term_id
    return frame


cdef inline void end_frame(
    data_header *frame, uint8_t *term, int32_t frame_length, reserved_value_supplier supplier,
    void *supplier_context
) noexcept nogil:
    # Without a supplier the reserved value stays 0 from cleaning.
    if supplier != NULL:
        frame.reserved_value = supplier(
            supplier_context, term, <int32_t>(<uint8_t *>frame - term), frame_length
        )
    # Pairs with the acquire of the frame length by pollers and by the sender.
    store_release_i32(&frame.frame_length, frame_length)


cdef void write_padding(
    log_buffers *log, uint8_t *term, int32_t term_id, int32_t term_offset, int32_t frame_length
) noexcept nogil:
    cdef data_header *frame
    if not holds(
        DATA_HEADER_LENGTH <= frame_length <= log.term_length - term_offset, PLACE,
        "padding ends within its term", frame_length, log.term_length - term_offset,
    ):
        return
    frame = begin_frame(
        log, term, term_id, term_offset, frame_length, FLAG_UNFRAGMENTED, FRAME_PAD
    )
    store_release_i32(&frame.frame_length, frame_length)


cdef void copy_gathered(uint8_t *target, gather *source, size_t length) noexcept nogil:
    cdef size_t taken
    while length > 0:
        taken = source.vectors.length - source.used
        if taken > length:
            taken = length
        memcpy(target, source.vectors.data + source.used, taken)
        target += taken
        length -= taken
        source.used += taken
        if source.used == source.vectors.length:
            source.vectors += 1
            source.used = 0


cdef void write_message(
    log_buffers *log, uint8_t *term, int32_t term_id, int32_t term_offset, gather *source,
    int32_t length, reserved_value_supplier supplier, void *supplier_context
) noexcept nogil:
    """Write a message of any length; each fragment is committed before the next begins."""
    cdef data_header *frame
    cdef int32_t max_payload_length = log.max_payload_length
    cdef int32_t remaining = length
    cdef int32_t payload_length
    cdef int32_t flags = FLAG_BEGIN
    while True:
        payload_length = max_payload_length
        if remaining <= max_payload_length:
            payload_length = remaining
            flags |= FLAG_END
        frame = begin_frame(
            log, term, term_id, term_offset, payload_length + DATA_HEADER_LENGTH, flags, FRAME_DATA
        )
        copy_gathered(<uint8_t *>frame + DATA_HEADER_LENGTH, source, payload_length)
        end_frame(
            frame, term, payload_length + DATA_HEADER_LENGTH, supplier, supplier_context
        )
        remaining -= payload_length
        if remaining <= 0:
            return
        flags = 0
        term_offset += payload_length + DATA_HEADER_LENGTH


cdef int64_t back_pressure_status(
    log_buffers *log, int64_t position, int32_t length
) noexcept nogil:
    if position + align_frame(length + DATA_HEADER_LENGTH) >= log.max_possible_position:
        return MAX_POSITION_EXCEEDED
    if load_acquire_i32(&log.metadata.is_connected) == 1:
        return BACK_PRESSURED
    return NOT_CONNECTED


cdef inline int64_t sum_of_lengths(const byte_vector *vectors, int32_t count) noexcept nogil:
    """Return the length of the message, or -1 if it exceeds the maximum of any message."""
    cdef int64_t sum = 0
    cdef int32_t i
    for i in range(count):
        if vectors[i].length > 0x7FFFFFFF:
            return -1
        sum += <int64_t>vectors[i].length
        if sum > 0x7FFFFFFF:
            return -1
    return sum


# ---- a log that many threads append to ----

cdef void concurrent_appender_init(
    concurrent_appender *appender, log_buffers *log, const int64_t *position_limit
) noexcept nogil:
    appender.log = log
    appender.position_limit = position_limit
    appender.supplier = NULL
    appender.supplier_context = NULL


# The range claimed on the shared tail.
cdef struct claimed_range:
    uint8_t *term
    int32_t term_id
    int32_t term_offset


cdef int64_t end_of_log(
    log_buffers *log, uint8_t *term, int32_t term_id, int32_t term_offset, int64_t position
) noexcept nogil:
    if not holds(
        is_frame_offset(term_offset, log.term_length), PLACE,
        "a tail is the offset of a frame in its term", term_offset, log.term_length,
    ):
        return CLOSED
    # Exactly one appender finds the tail below the end, and fills the rest of the term.
    if term_offset < log.term_length:
        write_padding(log, term, term_id, term_offset, log.term_length - term_offset)
    if position >= log.max_possible_position:
        return MAX_POSITION_EXCEEDED
    rotate_log(log, compute_term_count(term_id, log.initial_term_id), term_id)
    return ADMIN_ACTION


cdef inline int64_t claim_range(
    concurrent_appender *appender, int32_t length, int32_t aligned_length, claimed_range *claimed
) noexcept nogil:
    """Move the shared tail over a range; return the position after it, or a status."""
    cdef log_buffers *log = appender.log
    cdef int64_t limit = load_acquire_i64(appender.position_limit)
    cdef int32_t term_count = load_acquire_i32(&log.metadata.active_term_count)
    cdef int32_t index = index_of_term_count(term_count)
    cdef int64_t *tail = &log.metadata.tail_counters[index]
    cdef int64_t raw_tail = load_acquire_i64(tail)
    cdef int32_t bits = log.position_bits_to_shift
    cdef int64_t position
    cdef int32_t resulting_offset
    if term_count != compute_term_count(tail_term_id(raw_tail), log.initial_term_id):
        # The log was rotated between the two loads: the index may be that of another term.
        return ADMIN_ACTION
    # Not clamped: an appender after the end of the term exceeds the limit or trips.
    position = (<int64_t>term_count << bits) + <uint32_t>raw_tail
    if position >= limit:
        return back_pressure_status(log, position, length)
    raw_tail = get_and_add_i64(tail, aligned_length)
    claimed.term = log.terms[index]
    claimed.term_id = tail_term_id(raw_tail)
    claimed.term_offset = tail_term_offset(raw_tail, log.term_length)
    resulting_offset = claimed.term_offset + aligned_length
    # Only in debug builds: an offer takes 124 instructions, and this check three of them.
    if IS_DEBUG and not holds(
        is_frame_offset(claimed.term_offset, log.term_length), PLACE,
        "a tail is the offset of a frame in its term", claimed.term_offset, log.term_length,
    ):
        return CLOSED
    position = compute_position(claimed.term_id, 0, bits, log.initial_term_id) + resulting_offset
    if not likely(resulting_offset <= log.term_length):
        return end_of_log(log, claimed.term, claimed.term_id, claimed.term_offset, position)
    return position


cdef int64_t concurrent_offer(
    concurrent_appender *appender, const uint8_t *buffer, int32_t length
) noexcept nogil:
    cdef log_buffers *log = appender.log
    cdef claimed_range claimed
    cdef data_header *frame
    cdef byte_vector whole
    cdef int32_t frame_length = length + DATA_HEADER_LENGTH
    cdef int64_t position
    if <uint32_t>length > <uint32_t>log.max_payload_length:
        if length < 0:
            return INVALID_ARGUMENT
        whole.data = buffer
        whole.length = length
        return concurrent_offer_vectored(appender, &whole, 1)
    position = claim_range(appender, length, align_frame(frame_length), &claimed)
    if position > 0:
        frame = begin_frame(
            log, claimed.term, claimed.term_id, claimed.term_offset, frame_length,
            FLAG_UNFRAGMENTED, FRAME_DATA,
        )
        memcpy(<uint8_t *>frame + DATA_HEADER_LENGTH, buffer, length)
        end_frame(
            frame, claimed.term, frame_length, appender.supplier, appender.supplier_context
        )
    return position


cdef int64_t concurrent_offer_vectored(
    concurrent_appender *appender, const byte_vector *vectors, int32_t count
) noexcept nogil:
    cdef log_buffers *log = appender.log
    cdef int64_t length = sum_of_lengths(vectors, count)
    cdef claimed_range claimed
    cdef gather source
    cdef int64_t position
    if length < 0 or length > log.max_message_length:
        return INVALID_ARGUMENT
    position = claim_range(
        appender, <int32_t>length, aligned_length_of(log, <int32_t>length), &claimed
    )
    if position > 0:
        source.vectors = vectors
        source.used = 0
        write_message(
            log, claimed.term, claimed.term_id, claimed.term_offset, &source, <int32_t>length,
            appender.supplier, appender.supplier_context,
        )
    return position


cdef int64_t concurrent_try_claim(
    concurrent_appender *appender, int32_t length, buffer_claim *claim
) noexcept nogil:
    cdef log_buffers *log = appender.log
    cdef claimed_range claimed
    cdef int32_t frame_length = length + DATA_HEADER_LENGTH
    cdef int64_t position
    if <uint32_t>length > <uint32_t>log.max_payload_length:
        return INVALID_ARGUMENT
    position = claim_range(appender, length, align_frame(frame_length), &claimed)
    if position > 0:
        claim.frame = begin_frame(
            log, claimed.term, claimed.term_id, claimed.term_offset, frame_length,
            FLAG_UNFRAGMENTED, FRAME_DATA,
        )
        claim.length = length
    return position


cdef int64_t concurrent_position(concurrent_appender *appender) noexcept nogil:
    return producer_position(appender.log)


cdef inline int32_t aligned_length_of(const log_buffers *log, int32_t length) noexcept nogil:
    """Return the length of a message in the log."""
    if length <= log.max_payload_length:
        return align_frame(length + DATA_HEADER_LENGTH)
    return <int32_t>fragmented_length(length, log.max_payload_length)


# ---- a log that one thread appends to ----

cdef void exclusive_appender_init(
    exclusive_appender *appender, log_buffers *log, const int64_t *position_limit
) noexcept nogil:
    cdef int32_t term_count = load_acquire_i32(&log.metadata.active_term_count)
    cdef int32_t index = index_of_term_count(term_count)
    cdef int64_t raw_tail = load_acquire_i64(&log.metadata.tail_counters[index])
    appender.log = log
    appender.position_limit = position_limit
    appender.supplier = NULL
    appender.supplier_context = NULL
    appender.active_index = index
    appender.term = log.terms[index]
    appender.term_id = tail_term_id(raw_tail)
    appender.term_offset = <int32_t>raw_tail
    appender.term_begin_position = compute_position(
        appender.term_id, 0, log.position_bits_to_shift, log.initial_term_id
    )


cdef bint is_in_place(exclusive_appender *appender) noexcept nogil:
    """Check the place of an appender: for rare appends and the last one of a term.

    An offer takes 92 instructions and a claim 68, and these checks would add five to ten: they have
    them only in debug builds.
    """
    cdef log_buffers *log = appender.log
    return holds(
        is_frame_offset(appender.term_offset, log.term_length), PLACE,
        "an appender is at the offset of a frame", appender.term_offset, log.term_length,
    ) and holds(
        appender.term == log.terms[appender.active_index], PLACE,
        "an appender writes to its active term", appender.active_index,
        index_of_term_count(compute_term_count(appender.term_id, log.initial_term_id)),
    )


cdef int64_t rotate_exclusive(exclusive_appender *appender) noexcept nogil:
    cdef log_buffers *log = appender.log
    cdef int32_t term_id = appender.term_id + 1
    cdef int32_t term_count = compute_term_count(term_id, log.initial_term_id)
    cdef int32_t active_count = load_acquire_i32(&log.metadata.active_term_count)
    cdef int32_t left_term_id
    cdef int64_t begin = appender.term_begin_position + log.term_length
    if begin >= log.max_possible_position:
        return MAX_POSITION_EXCEEDED
    if not holds(
        active_count == term_count - 1, PLACE, "the term that is left is the active one",
        active_count, term_count - 1,
    ):
        return CLOSED
    left_term_id = tail_term_id(
        load_acquire_i64(&log.metadata.tail_counters[index_of_term_count(term_count)])
    )
    if not holds(
        left_term_id == term_id - PARTITION_COUNT, PLACE,
        "the next partition was left three terms before", left_term_id, term_id - PARTITION_COUNT,
    ):
        return CLOSED
    appender.active_index = (appender.active_index + 1) % PARTITION_COUNT
    appender.term = log.terms[appender.active_index]
    appender.term_id = term_id
    appender.term_offset = 0
    appender.term_begin_position = begin
    store_opaque_i64(&log.metadata.tail_counters[appender.active_index], pack_tail(term_id, 0))
    # Pairs with the acquire of the driver, which then reads the tail of the new term.
    store_release_i32(&log.metadata.active_term_count, term_count)
    return ADMIN_ACTION


cdef int64_t trip_exclusive(exclusive_appender *appender) noexcept nogil:
    """Fill the rest of the term, and rotate to the next."""
    cdef log_buffers *log = appender.log
    if not is_in_place(appender):
        return CLOSED
    if appender.term_offset < log.term_length:
        write_padding(
            log, appender.term, appender.term_id, appender.term_offset,
            log.term_length - appender.term_offset,
        )
        # At the end of the stream there is no next term: a shorter message must not overwrite the
        # padding (in Java it does).
        appender.term_offset = log.term_length
    return rotate_exclusive(appender)


cdef inline int32_t move_tail(exclusive_appender *appender, int32_t aligned_length) noexcept nogil:
    """Publish the tail after a range; return the offset after it.

    Done before the header is written, even if the tail is then beyond the term: the driver computes
    the producer position from it, and never finds frames beyond that.
    """
    cdef int32_t resulting_offset = appender.term_offset + aligned_length
    store_release_i64(
        &appender.log.metadata.tail_counters[appender.active_index],
        pack_tail(appender.term_id, resulting_offset),
    )
    return resulting_offset


cdef int64_t exclusive_offer(
    exclusive_appender *appender, const uint8_t *buffer, int32_t length
) noexcept nogil:
    cdef log_buffers *log = appender.log
    cdef data_header *frame
    cdef byte_vector whole
    cdef int64_t position
    cdef int32_t frame_length = length + DATA_HEADER_LENGTH
    cdef int32_t resulting_offset
    if not likely(<uint32_t>length <= <uint32_t>log.max_payload_length):
        if length < 0:
            return INVALID_ARGUMENT
        whole.data = buffer
        whole.length = length
        return exclusive_offer_vectored(appender, &whole, 1)
    if IS_DEBUG and not is_in_place(appender):
        return CLOSED
    position = exclusive_position(appender)
    if position >= load_acquire_i64(appender.position_limit):
        return back_pressure_status(log, position, length)
    resulting_offset = move_tail(appender, align_frame(frame_length))
    if not likely(resulting_offset <= log.term_length):
        return trip_exclusive(appender)
    frame = begin_frame(
        log, appender.term, appender.term_id, appender.term_offset, frame_length,
        FLAG_UNFRAGMENTED, FRAME_DATA,
    )
    memcpy(<uint8_t *>frame + DATA_HEADER_LENGTH, buffer, length)
    end_frame(frame, appender.term, frame_length, appender.supplier, appender.supplier_context)
    appender.term_offset = resulting_offset
    return exclusive_position(appender)


cdef int64_t exclusive_offer_vectored(
    exclusive_appender *appender, const byte_vector *vectors, int32_t count
) noexcept nogil:
    cdef log_buffers *log = appender.log
    cdef gather source
    cdef int64_t length = sum_of_lengths(vectors, count)
    cdef int64_t position
    cdef int32_t resulting_offset
    if length < 0 or length > log.max_message_length:
        return INVALID_ARGUMENT
    if IS_DEBUG and not is_in_place(appender):
        return CLOSED
    position = exclusive_position(appender)
    if position >= load_acquire_i64(appender.position_limit):
        return back_pressure_status(log, position, <int32_t>length)
    resulting_offset = move_tail(appender, aligned_length_of(log, <int32_t>length))
    if not likely(resulting_offset <= log.term_length):
        return trip_exclusive(appender)
    source.vectors = vectors
    source.used = 0
    write_message(
        log, appender.term, appender.term_id, appender.term_offset, &source, <int32_t>length,
        appender.supplier, appender.supplier_context,
    )
    appender.term_offset = resulting_offset
    return exclusive_position(appender)


cdef int64_t exclusive_try_claim(
    exclusive_appender *appender, int32_t length, buffer_claim *claim
) noexcept nogil:
    cdef log_buffers *log = appender.log
    cdef int64_t position
    cdef int32_t frame_length = length + DATA_HEADER_LENGTH
    cdef int32_t resulting_offset
    if <uint32_t>length > <uint32_t>log.max_payload_length:
        return INVALID_ARGUMENT
    if IS_DEBUG and not is_in_place(appender):
        return CLOSED
    position = exclusive_position(appender)
    if position >= load_acquire_i64(appender.position_limit):
        return back_pressure_status(log, position, length)
    resulting_offset = move_tail(appender, align_frame(frame_length))
    if not likely(resulting_offset <= log.term_length):
        return trip_exclusive(appender)
    claim.frame = begin_frame(
        log, appender.term, appender.term_id, appender.term_offset, frame_length,
        FLAG_UNFRAGMENTED, FRAME_DATA,
    )
    claim.length = length
    appender.term_offset = resulting_offset
    return exclusive_position(appender)


cdef int64_t exclusive_append_padding(
    exclusive_appender *appender, int32_t length
) noexcept nogil:
    cdef log_buffers *log = appender.log
    cdef int64_t position = exclusive_position(appender)
    cdef int32_t frame_length = length + DATA_HEADER_LENGTH
    cdef int32_t resulting_offset
    if not is_in_place(appender):
        return CLOSED
    # Java's limit is the framed length of the longest message, C's its length: follow Java.
    if length < 0 or length > fragmented_length(log.max_message_length, log.max_payload_length):
        return INVALID_ARGUMENT
    if position >= load_acquire_i64(appender.position_limit):
        return back_pressure_status(log, position, length)
    resulting_offset = move_tail(appender, align_frame(frame_length))
    if not likely(resulting_offset <= log.term_length):
        return trip_exclusive(appender)
    write_padding(log, appender.term, appender.term_id, appender.term_offset, frame_length)
    appender.term_offset = resulting_offset
    return exclusive_position(appender)


cdef int64_t exclusive_offer_block(
    exclusive_appender *appender, const uint8_t *block, int32_t length
) noexcept nogil:
    cdef log_buffers *log = appender.log
    cdef const data_header *first = <const data_header *>block
    cdef data_header *frame
    cdef int32_t resulting_offset
    cdef int64_t position, status
    if not is_in_place(appender):
        return CLOSED
    if appender.term_offset >= log.term_length:
        status = rotate_exclusive(appender)
        if status == MAX_POSITION_EXCEEDED:
            return status
    position = exclusive_position(appender)
    if position >= load_acquire_i64(appender.position_limit):
        return back_pressure_status(log, position, length)
    if (
        length < DATA_HEADER_LENGTH
        or length > log.term_length - appender.term_offset
        or length % FRAME_ALIGNMENT != 0
        or first.term_offset != appender.term_offset
        or first.session_id != log.session_id
        or first.stream_id != log.stream_id
        or first.term_id != appender.term_id
        or first.type != FRAME_DATA
    ):
        return INVALID_ARGUMENT
    resulting_offset = move_tail(appender, length)
    # The first frame is committed last: until then a reader observes nothing of the block.
    frame = <data_header *>(appender.term + appender.term_offset)
    memcpy(
        <uint8_t *>frame + DATA_HEADER_LENGTH, block + DATA_HEADER_LENGTH,
        length - DATA_HEADER_LENGTH,
    )
    frame.reserved_value = first.reserved_value
    (<int64_t *>frame)[2] = (<const int64_t *>first)[2]
    (<int64_t *>frame)[1] = (<const int64_t *>first)[1]
    store_release_i64(frame, (<const int64_t *>first)[0])
    appender.term_offset = resulting_offset
    return exclusive_position(appender)
