"""Reassemble fragmented messages, per session."""
cimport cython
from libc.stdint cimport int32_t, uint8_t

from aeron_cluster.logbuffer.frames cimport data_header
from aeron_cluster.logbuffer.image_poller cimport fragment_handler, frame_view
from aeron_cluster.logbuffer.message_view cimport HandlerCall, NativeHandler


# A message that is being assembled, or, beyond `count`, a buffer for the next one.
cdef struct partial_message:
    uint8_t *buffer
    data_header first  # the header of its first fragment
    int32_t capacity
    int32_t length
    int32_t next_term_offset


# Owned by one thread. A session has an entry only while it has an incomplete message.
cdef struct fragment_assembler:
    fragment_handler handler
    void *context
    void *owner  # of the buffers, as in frame_view
    partial_message *messages
    int32_t count
    int32_t capacity


cdef void assembler_init(
    fragment_assembler *assembler, fragment_handler handler, void *context, void *owner
) noexcept nogil
cdef void assembler_free(fragment_assembler *assembler) noexcept nogil
# Drop the partial message of a session, as when its image is closed.
cdef void assembler_drop(fragment_assembler *assembler, int32_t session_id) noexcept nogil
# Move the partial message of one session to another, which continues it: the same stream, read from
# a second image after the first one ended within a message.
cdef void assembler_move(
    fragment_assembler *assembler, int32_t session_id, int32_t new_session_id
) noexcept nogil

# Both are fragment handlers whose context is the assembler: one for poll, one for controlled_poll.
cdef int assemble(
    void *assembler, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil
cdef int assemble_controlled(
    void *assembler, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil


# Return an object that owns a buffer released by the assembler, and frees it.
cdef object owner_of_buffer(uint8_t *buffer)


cdef class FragmentAssembler(NativeHandler):
    cdef fragment_assembler assembler
    cdef HandlerCall call
    cdef bint is_controlled


@cython.final
cdef class ControlledFragmentAssembler(FragmentAssembler):
    pass
