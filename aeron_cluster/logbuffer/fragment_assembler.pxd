"""Put the fragments of messages together again, by session."""
from libc.stdint cimport int32_t, uint8_t

from aeron_cluster.logbuffer.frames cimport data_header
from aeron_cluster.logbuffer.image_poller cimport fragment_handler, frame_view


# The message of one session that is being put together.
cdef struct partial_message:
    uint8_t *buffer
    data_header first  # the header of its first fragment
    int32_t session_id
    int32_t capacity
    int32_t length  # 0 with next_term_offset -1: nothing begun
    int32_t next_term_offset


# One thread owns it.
cdef struct fragment_assembler:
    fragment_handler handler
    void *context
    partial_message *messages
    int32_t count
    int32_t capacity
    int32_t last  # the index that was used last
    int32_t initial_length


cdef void assembler_init(
    fragment_assembler *assembler, fragment_handler handler, void *context,
    int32_t initial_length
) noexcept nogil
cdef void assembler_free(fragment_assembler *assembler) noexcept nogil
# Forget a session, as when its image went.
cdef void assembler_drop(fragment_assembler *assembler, int32_t session_id) noexcept nogil

# Both are fragment handlers whose context is the assembler.
cdef int assemble(
    void *assembler, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil
cdef int assemble_controlled(
    void *assembler, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil
