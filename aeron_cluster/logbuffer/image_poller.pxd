"""Read committed frames of a log from a subscriber's position."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    align_frame,
    compute_position,
    data_header,
)
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.memory.shared.atomic cimport load_acquire_i64


# The description of a fragment or an assembled message for a handler; valid during the callback.
cdef struct frame_view:
    const data_header *frame
    void *context  # the Image, or NULL
    void *owner  # the owner of the payload's memory, or NULL
    int32_t initial_term_id
    int32_t position_bits_to_shift
    int32_t fragmented_frame_length  # length of an assembled message in the log, or -1


# The result of a controlled handler.
cpdef enum Action:
    ABORT = 1  # stop, and deliver this fragment again
    BREAK = 2  # stop after this fragment
    COMMIT = 3  # store the position now, and continue
    CONTINUE = 4


# Called without the GIL. A handler of poll returns 0, one of controlled_poll an Action; -1 means
# that it raised. The position advances past that fragment.
ctypedef int (*fragment_handler)(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil

# Consecutive complete frames of one term; a padding frame is always alone.
ctypedef int (*block_handler)(
    void *context, const uint8_t *block, int32_t length, int32_t session_id, int32_t term_id
) except -1 nogil

# The same, with the offset of the block in the log's file.
ctypedef int (*raw_block_handler)(
    void *context, int64_t file_offset, const uint8_t *block, int32_t length, int32_t session_id,
    int32_t term_id
) except -1 nogil


# Called at the first invalid frame, with the poller's context: rejects the image and raises the
# error. `room` is the maximum length of a frame there.
ctypedef int (*give_up_function)(
    void *context, int64_t position, int32_t room, int32_t length
) except -1 nogil


# One thread owns it.
cdef struct image_poller:
    log_buffers *log
    int64_t *subscriber_position  # the counter sub-pos, with this single writer
    # The registration id of the counter: if it changes, the driver timed this client out and reused
    # the counter. NULL: the counter always belongs to the poller.
    const int64_t *registration
    int64_t registration_id
    # Borrowed Python objects or NULL, passed to handlers in frame_view: the Image, and the owner of
    # the mapping, which unmaps it only when deallocated (message views keep it alive).
    void *context
    void *owner
    give_up_function give_up  # NULL: an invalid frame raises in every poll
    # An invalid frame was found, and polls return 0 from then on. Stored with release, for other
    # threads.
    int32_t is_given_up
    # Set by the thread that closes the image, even within a handler: the counter may already be
    # reused, so no poll stores to it any more. Polls of a closed image return 0.
    int32_t is_closed  # released by the closing thread, acquired by every other


cdef inline bint has_position(const image_poller *poller) noexcept nogil:
    """Return whether the position's counter still belongs to the poller."""
    return (
        poller.registration == NULL
        or load_acquire_i64(poller.registration) == poller.registration_id
    )


cdef void image_poller_init(
    image_poller *poller, log_buffers *log, int64_t *subscriber_position, void *context,
    void *owner
) noexcept nogil

# All return the number of delivered fragments (or bytes), and never cross the end of a term.
cdef int poll(
    image_poller *poller, fragment_handler handler, void *context, int fragment_limit
) except -1 nogil
cdef int bounded_poll(
    image_poller *poller, fragment_handler handler, void *context, int64_t limit_position,
    int fragment_limit
) except -1 nogil
cdef int controlled_poll(
    image_poller *poller, fragment_handler handler, void *context, int fragment_limit
) except -1 nogil
cdef int bounded_controlled_poll(
    image_poller *poller, fragment_handler handler, void *context, int64_t limit_position,
    int fragment_limit
) except -1 nogil
# Does not move the subscriber's position; returns the start of the next peek, or INVALID_POSITION
# if `initial_position` is not valid for the subscriber.
cdef int64_t controlled_peek(
    image_poller *poller, int64_t initial_position, fragment_handler handler, void *context,
    int64_t limit_position
) except -1 nogil
cdef int32_t block_poll(
    image_poller *poller, block_handler handler, void *context, int32_t block_length_limit
) except -1 nogil
cdef int32_t raw_poll(
    image_poller *poller, raw_block_handler handler, void *context, int32_t block_length_limit
) except -1 nogil

cdef enum:
    INVALID_POSITION = -2

# Whether a position is valid for the subscriber: not before its own, in this term, and at a frame.
cdef bint is_valid_position(image_poller *poller, int64_t new_position) noexcept nogil


cdef inline int64_t end_position(const frame_view *header) noexcept nogil:
    """Return the position after the message."""
    cdef const data_header *frame = header.frame
    cdef int32_t length = header.fragmented_frame_length
    if length == -1:
        length = frame.frame_length
    return compute_position(
        frame.term_id, align_frame(frame.term_offset + length), header.position_bits_to_shift,
        header.initial_term_id,
    )


cdef inline bint is_bad_length(int32_t length, int32_t room) noexcept nogil:
    """Return whether a frame is shorter than its header or longer than the rest of its term."""
    return <uint32_t>(length - DATA_HEADER_LENGTH) > <uint32_t>(room - DATA_HEADER_LENGTH)


# Give the image up, and raise CorruptError for a frame that no valid appender or receiver writes.
cdef int on_bad_frame(image_poller *poller, int64_t position, int32_t length) except -1 nogil
