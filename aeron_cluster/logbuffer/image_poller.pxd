"""Read committed frames of a log from a subscriber's position on."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    align_frame,
    compute_position,
    data_header,
)
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.memory.shared.atomic cimport load_acquire_i64


# What a handler learns about a fragment or an assembled message; valid during the callback.
cdef struct frame_view:
    const data_header *frame
    void *context  # the Image, or NULL
    void *owner  # what keeps the payload's memory, or NULL
    int32_t initial_term_id
    int32_t position_bits_to_shift
    int32_t fragmented_frame_length  # bytes of log an assembled message takes, or -1


# What a controlled handler answers.
cpdef enum Action:
    ABORT = 1  # give this fragment again, and stop
    BREAK = 2  # stop after this fragment
    COMMIT = 3  # store the position now, and continue
    CONTINUE = 4


# Called without the GIL. A handler of poll returns 0, one of controlled_poll an Action; -1 means
# that it raised. The position moves past a fragment whose handler raised.
ctypedef int (*fragment_handler)(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil

# A run of whole frames of one term; a padding frame comes alone.
ctypedef int (*block_handler)(
    void *context, const uint8_t *block, int32_t length, int32_t session_id, int32_t term_id
) except -1 nogil

# The same, with where the block begins in the log's file.
ctypedef int (*raw_block_handler)(
    void *context, int64_t file_offset, const uint8_t *block, int32_t length, int32_t session_id,
    int32_t term_id
) except -1 nogil


# Called at the first bad frame, with the poller's context: raises the error, and has the image
# rejected. `room` is how long a frame may be there.
ctypedef int (*give_up_function)(
    void *context, int64_t position, int32_t room, int32_t length
) except -1 nogil


# One thread owns it.
cdef struct image_poller:
    log_buffers *log
    int64_t *subscriber_position  # the counter sub-pos, with this single writer
    # Whose counter that is, beside its value: once it is another's, the driver timed this client
    # out and used the counter again. NULL: it stays the poller's.
    const int64_t *registration
    int64_t registration_id
    # Borrowed Python objects or NULL, passed on in frame_view: the Image, and whatever unmaps the
    # log only when it is deallocated (views of messages keep it alive).
    void *context
    void *owner
    give_up_function give_up  # NULL: a bad frame raises in each poll, and nothing is given up
    # A bad frame was met: from then on polls return 0. Released by the poller, for other threads.
    int32_t is_given_up
    # Set by the thread that closes the image, even within a handler: the counter may already be
    # reused, so no poll stores to it any more. Polls of a closed image return 0.
    int32_t is_closed  # released by the closing thread, acquired by every other


cdef inline bint has_position(const image_poller *poller) noexcept nogil:
    """Return whether the counter of the position still is the poller's."""
    return (
        poller.registration == NULL
        or load_acquire_i64(poller.registration) == poller.registration_id
    )


cdef void image_poller_init(
    image_poller *poller, log_buffers *log, int64_t *subscriber_position, void *context,
    void *owner
) noexcept nogil

# All return the fragments (or bytes) delivered and never cross the end of a term.
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
# Does not move the subscriber's position; returns where a next peek may begin. INVALID_POSITION
# where `initial_position` is none that the subscriber may take.
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

# Whether the subscriber may be put at a position: not before it, in this term, on a frame.
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


# Raise CorruptError for a frame that no appender and no receiver of ours lets into a term, and give
# its image up.
cdef int on_bad_frame(image_poller *poller, int64_t position, int32_t length) except -1 nogil
