"""Put the fragments of messages together again, by session."""
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


# One thread owns it. A session has an entry only while a message of its is incomplete.
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
# Forget a session, as when its image went.
cdef void assembler_drop(fragment_assembler *assembler, int32_t session_id) noexcept nogil
# Treat the begin from one session as the begin of what another one continues: the same stream of
# bytes, read from another image where a first one ended inside a message.
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


# What keeps a buffer that is no assembler's any more; freed with it.
cdef object owner_of_buffer(uint8_t *buffer)


cdef class FragmentAssembler(NativeHandler):
    cdef fragment_assembler assembler
    cdef HandlerCall call
    cdef bint is_controlled


@cython.final
cdef class ControlledFragmentAssembler(FragmentAssembler):
    pass
