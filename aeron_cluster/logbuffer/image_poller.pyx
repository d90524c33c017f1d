"""Read committed frames of a log from a subscriber's position.

The loops of Aeron's ``Image``, without the life cycle of an image.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from aeron_cluster.errors import CorruptError

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FLAG_END,
    FRAME_ALIGNMENT,
    FRAME_PAD,
    align_frame,
    align_i64,
    data_header,
    index_of_position,
)
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.logbuffer.places cimport is_frame_position
from aeron_cluster.logbuffer.term_scanner cimport scan_block
from aeron_cluster.memory.shared.atomic cimport (
    load_acquire_i32,
    load_opaque_i64,
    store_release_i32,
    store_release_i64,
)
from aeron_cluster.memory.system.invariants cimport IS_DEBUG, PLACE, likely, raise_violation


# Handlers are called through these types, so that after an exception the state is stored here
# without the GIL before -1 is returned.
ctypedef int (*plain_fragment_handler)(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) noexcept nogil
ctypedef int (*plain_block_handler)(
    void *context, const uint8_t *block, int32_t length, int32_t session_id, int32_t term_id
) noexcept nogil
ctypedef int (*plain_raw_block_handler)(
    void *context, int64_t file_offset, const uint8_t *block, int32_t length, int32_t session_id,
    int32_t term_id
) noexcept nogil


cdef int raise_bad_frame(
    log_buffers *log, int32_t term_offset, int32_t length
) except -1 with gil:
    raise CorruptError(
        f"log of session {log.session_id} stream {log.stream_id}", term_offset, "frame length",
        f"{DATA_HEADER_LENGTH} to {log.term_length - term_offset}", length,
    )


cdef int on_bad_frame(image_poller *poller, int64_t position, int32_t length) except -1 nogil:
    cdef int32_t term_offset = <int32_t>(position & (poller.log.term_length - 1))
    if poller.give_up == NULL:
        return raise_bad_frame(poller.log, term_offset, length)
    store_release_i32(&poller.is_given_up, 1)
    return poller.give_up(poller.context, position, poller.log.term_length - term_offset, length)


# A separate function, so that the loops only contain a comparison. A reused counter has no valid
# position: nothing is polled until the client is notified of its timeout.
cdef int raise_misplaced(const image_poller *poller, int64_t position) except -1 nogil:
    if not has_position(poller):
        return 0
    return raise_violation(
        PLACE, "a subscriber is at the position of a frame", position, FRAME_ALIGNMENT)


cdef inline void begin_view(frame_view *view, image_poller *poller) noexcept nogil:
    view.context = poller.context
    view.owner = poller.owner
    view.initial_term_id = poller.log.initial_term_id
    view.position_bits_to_shift = poller.log.position_bits_to_shift
    view.fragmented_frame_length = -1


cdef inline const uint8_t *term_at(image_poller *poller, int64_t position) noexcept nogil:
    return poller.log.terms[index_of_position(position, poller.log.position_bits_to_shift)]


cdef inline void move_to(image_poller *poller, int64_t position) noexcept nogil:
    if not load_acquire_i32(&poller.is_closed):
        # Pairs with the acquire of the driver, after which the publisher may overwrite it.
        store_release_i64(poller.subscriber_position, position)


cdef inline int32_t limit_offset_of(
    log_buffers *log, int64_t position, int32_t offset, int64_t limit_position
) noexcept nogil:
    cdef int64_t limit = limit_position - position + offset
    return <int32_t>limit if limit < log.term_length else log.term_length


cdef void image_poller_init(
    image_poller *poller, log_buffers *log, int64_t *subscriber_position, void *context,
    void *owner
) noexcept nogil:
    poller.log = log
    poller.subscriber_position = subscriber_position
    poller.registration = NULL
    poller.registration_id = 0
    poller.context = context
    poller.owner = owner
    poller.give_up = NULL
    poller.is_given_up = 0
    poller.is_closed = 0


cdef inline int poll_until(
    image_poller *poller, plain_fragment_handler handler, void *context, int64_t position,
    int32_t offset, int32_t limit_offset, int fragment_limit
) except -1 nogil:
    cdef const uint8_t *begin = term_at(poller, position) + offset
    cdef const uint8_t *at = begin
    cdef const uint8_t *limit = begin + (limit_offset - offset)
    cdef const uint8_t *last_start = begin + (
        poller.log.term_length - offset - DATA_HEADER_LENGTH
    )
    cdef int64_t length
    cdef int remaining = fragment_limit
    cdef int result = 0
    cdef frame_view view
    begin_view(&view, poller)
    while remaining > 0 and at < limit and not load_acquire_i32(&poller.is_closed):
        length = load_acquire_i32(at)
        # One comparison for a missing frame (the usual end) and for an invalid one.
        if <uint64_t>(length - DATA_HEADER_LENGTH) > <uint64_t>(last_start - at):
            if length > 0 and at == begin:  # otherwise the frames before it are delivered first
                result = on_bad_frame(poller, position, <int32_t>length)
            break
        view.frame = <const data_header *>at
        at += align_i64(length, FRAME_ALIGNMENT)
        if view.frame.type != FRAME_PAD:
            remaining -= 1
            result = handler(
                context, <const uint8_t *>view.frame + DATA_HEADER_LENGTH,
                <int32_t>(length - DATA_HEADER_LENGTH), &view,
            )
            if result == -1:
                break
    if at > begin:
        move_to(poller, position + (at - begin))
    return -1 if result == -1 else fragment_limit - remaining


cdef int poll(
    image_poller *poller, fragment_handler handler, void *context, int fragment_limit
) except -1 nogil:
    cdef int64_t position
    if load_acquire_i32(&poller.is_closed) or poller.is_given_up:
        return 0
    position = load_opaque_i64(poller.subscriber_position)
    # Only in debug builds: for eight messages this takes more than 1 % of the instructions.
    if IS_DEBUG and not is_frame_position(position):
        return raise_misplaced(poller, position)
    return poll_until(
        poller, <plain_fragment_handler>handler, context, position,
        <int32_t>(position & (poller.log.term_length - 1)), poller.log.term_length, fragment_limit,
    )


cdef int bounded_poll(
    image_poller *poller, fragment_handler handler, void *context, int64_t limit_position,
    int fragment_limit
) except -1 nogil:
    cdef int64_t position
    cdef int32_t offset
    if load_acquire_i32(&poller.is_closed) or poller.is_given_up:
        return 0
    position = load_opaque_i64(poller.subscriber_position)
    if not likely(is_frame_position(position)):
        return raise_misplaced(poller, position)
    if position >= limit_position:
        return 0
    offset = <int32_t>(position & (poller.log.term_length - 1))
    return poll_until(
        poller, <plain_fragment_handler>handler, context, position, offset,
        limit_offset_of(poller.log, position, offset, limit_position), fragment_limit,
    )


cdef inline int controlled_poll_until(
    image_poller *poller, plain_fragment_handler handler, void *context, int64_t position,
    int32_t offset, int32_t limit_offset, int fragment_limit
) except -1 nogil:
    cdef const uint8_t *begin = term_at(poller, position) + offset
    cdef const uint8_t *at = begin
    cdef const uint8_t *stored = begin
    cdef const uint8_t *limit = begin + (limit_offset - offset)
    cdef const uint8_t *last_start = begin + (
        poller.log.term_length - offset - DATA_HEADER_LENGTH
    )
    cdef int64_t length
    cdef int remaining = fragment_limit
    cdef int action = CONTINUE
    cdef frame_view view
    begin_view(&view, poller)
    while remaining > 0 and at < limit and not load_acquire_i32(&poller.is_closed):
        length = load_acquire_i32(at)
        if <uint64_t>(length - DATA_HEADER_LENGTH) > <uint64_t>(last_start - at):
            if length > 0 and at == begin:
                action = on_bad_frame(poller, position, <int32_t>length)
            break
        view.frame = <const data_header *>at
        at += align_i64(length, FRAME_ALIGNMENT)
        if view.frame.type == FRAME_PAD:
            continue
        remaining -= 1
        action = handler(
            context, <const uint8_t *>view.frame + DATA_HEADER_LENGTH,
            <int32_t>(length - DATA_HEADER_LENGTH), &view,
        )
        if action == CONTINUE:
            continue
        if action == COMMIT:
            stored = at
            move_to(poller, position + (at - begin))
            continue
        if action == ABORT:
            at = <const uint8_t *>view.frame
            remaining += 1
            break
        if action == BREAK or action == -1:
            break
    if at > stored:
        move_to(poller, position + (at - begin))
    return -1 if action == -1 else fragment_limit - remaining


cdef int controlled_poll(
    image_poller *poller, fragment_handler handler, void *context, int fragment_limit
) except -1 nogil:
    cdef int64_t position
    if load_acquire_i32(&poller.is_closed) or poller.is_given_up:
        return 0
    position = load_opaque_i64(poller.subscriber_position)
    # Only in debug builds: for eight messages this takes more than 1 % of the instructions.
    if IS_DEBUG and not is_frame_position(position):
        return raise_misplaced(poller, position)
    return controlled_poll_until(
        poller, <plain_fragment_handler>handler, context, position,
        <int32_t>(position & (poller.log.term_length - 1)), poller.log.term_length, fragment_limit,
    )


cdef int bounded_controlled_poll(
    image_poller *poller, fragment_handler handler, void *context, int64_t limit_position,
    int fragment_limit
) except -1 nogil:
    cdef int64_t position
    cdef int32_t offset
    if load_acquire_i32(&poller.is_closed) or poller.is_given_up:
        return 0
    position = load_opaque_i64(poller.subscriber_position)
    if not likely(is_frame_position(position)):
        return raise_misplaced(poller, position)
    if position >= limit_position:
        return 0
    offset = <int32_t>(position & (poller.log.term_length - 1))
    return controlled_poll_until(
        poller, <plain_fragment_handler>handler, context, position, offset,
        limit_offset_of(poller.log, position, offset, limit_position), fragment_limit,
    )


cdef int64_t controlled_peek(
    image_poller *poller, int64_t initial_position, fragment_handler handler, void *context,
    int64_t limit_position
) except -1 nogil:
    cdef log_buffers *log = poller.log
    cdef plain_fragment_handler plain_handler = <plain_fragment_handler>handler
    cdef const uint8_t *term
    cdef int32_t offset, limit_offset, length
    cdef int64_t term_begin
    cdef int64_t resulting_position = initial_position
    cdef int action
    cdef frame_view view
    if load_acquire_i32(&poller.is_closed) or poller.is_given_up:
        return initial_position
    if not is_valid_position(poller, initial_position):
        return INVALID_POSITION
    if initial_position >= limit_position:
        return initial_position
    term = term_at(poller, initial_position)
    offset = <int32_t>(initial_position & (log.term_length - 1))
    limit_offset = limit_offset_of(log, initial_position, offset, limit_position)
    term_begin = initial_position - offset
    begin_view(&view, poller)
    while offset < limit_offset and not load_acquire_i32(&poller.is_closed):
        view.frame = <const data_header *>(term + offset)
        length = load_acquire_i32(view.frame)
        if length <= 0:
            break
        if is_bad_length(length, log.term_length - offset):
            return on_bad_frame(poller, term_begin + offset, length)
        offset += align_frame(length)
        if view.frame.type == FRAME_PAD:
            resulting_position = term_begin + offset
            continue
        action = plain_handler(
            context, <const uint8_t *>view.frame + DATA_HEADER_LENGTH, length - DATA_HEADER_LENGTH,
            &view,
        )
        if action == -1:
            return -1
        if action == ABORT:
            break
        if view.frame.flags & FLAG_END:
            # The next peek may only begin at the end of a message.
            resulting_position = term_begin + offset
        if action == BREAK:
            break
    return resulting_position


cdef struct found_block:
    const uint8_t *start
    int64_t position
    int64_t file_offset
    int32_t length


cdef int find_block(
    image_poller *poller, int32_t block_length_limit, found_block *block
) except -1 nogil:
    cdef log_buffers *log = poller.log
    cdef int64_t position = load_opaque_i64(poller.subscriber_position)
    cdef int32_t index = index_of_position(position, log.position_bits_to_shift)
    cdef int32_t offset = <int32_t>(position & (log.term_length - 1))
    cdef int32_t limit_offset = log.term_length
    cdef int32_t length
    block.length = 0
    if not likely(is_frame_position(position)):
        return raise_misplaced(poller, position)
    if block_length_limit < limit_offset - offset:
        limit_offset = offset + block_length_limit
    block.start = log.terms[index] + offset
    block.position = position
    block.file_offset = <int64_t>index * log.term_length + offset
    block.length = scan_block(log.terms[index], offset, limit_offset) - offset
    if block.length == 0:
        # A missing frame (the usual end), no space for a complete frame, or an invalid one.
        length = load_acquire_i32(block.start)
        if length > 0 and is_bad_length(length, log.term_length - offset):
            return on_bad_frame(poller, position, length)
    elif block.length > log.term_length - offset:
        return on_bad_frame(poller, position, block.length)
    return 0


cdef int32_t block_poll(
    image_poller *poller, block_handler handler, void *context, int32_t block_length_limit
) except -1 nogil:
    cdef found_block block
    cdef int result
    if load_acquire_i32(&poller.is_closed) or poller.is_given_up:
        return 0
    find_block(poller, block_length_limit, &block)
    if block.length <= 0:
        return 0
    result = (<plain_block_handler>handler)(
        context, block.start, block.length, poller.log.session_id,
        (<const data_header *>block.start).term_id,
    )
    move_to(poller, block.position + block.length)
    return -1 if result == -1 else block.length


cdef int32_t raw_poll(
    image_poller *poller, raw_block_handler handler, void *context, int32_t block_length_limit
) except -1 nogil:
    cdef found_block block
    cdef int result
    if load_acquire_i32(&poller.is_closed) or poller.is_given_up:
        return 0
    find_block(poller, block_length_limit, &block)
    if block.length <= 0:
        return 0
    result = (<plain_raw_block_handler>handler)(
        context, block.file_offset, block.start, block.length, poller.log.session_id,
        (<const data_header *>block.start).term_id,
    )
    move_to(poller, block.position + block.length)
    return -1 if result == -1 else block.length


cdef bint is_valid_position(image_poller *poller, int64_t new_position) noexcept nogil:
    cdef int64_t position = load_opaque_i64(poller.subscriber_position)
    cdef int64_t limit = position - (position & (poller.log.term_length - 1))
    limit += poller.log.term_length
    return position <= new_position <= limit and new_position % FRAME_ALIGNMENT == 0
