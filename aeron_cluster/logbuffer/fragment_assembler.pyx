"""Reassemble fragmented messages, per session.

Aeron's ``FragmentAssembler`` and ``ControlledFragmentAssembler``.
"""

cimport cython
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FLAG_BEGIN,
    FLAG_END,
    FLAG_UNFRAGMENTED,
    MAX_MESSAGE_LENGTH,
    align_frame,
    data_header,
)
from aeron_cluster.logbuffer.image_poller cimport ABORT, CONTINUE, fragment_handler, frame_view
from aeron_cluster.logbuffer.message_view cimport (
    Header,
    MessageView,
    call_with_gil,
    new_handler_call,
)
from aeron_cluster.logbuffer.payload cimport payload as acquired_payload
from aeron_cluster.logbuffer.payload cimport release_payload, acquire_payload
from aeron_cluster.memory.system.invariants cimport PLACE, require


cdef enum:
    INITIAL_LENGTH = 4096
    INITIAL_CAPACITY = 4
    # The limit of all spare buffers except the first one, in bytes.
    MAX_SPARE_LENGTH = 64 * 1024


ctypedef int (*plain_fragment_handler)(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) noexcept nogil


cdef int raise_out_of_memory() except -1 with gil:
    raise MemoryError("fragment assembler: expected room for a message")


cdef void assembler_init(
    fragment_assembler *assembler, fragment_handler handler, void *context, void *owner
) noexcept nogil:
    memset(assembler, 0, sizeof(fragment_assembler))
    assembler.handler = handler
    assembler.context = context
    assembler.owner = owner


cdef void assembler_free(fragment_assembler *assembler) noexcept nogil:
    cdef int32_t i
    for i in range(assembler.capacity):
        free(assembler.messages[i].buffer)
    free(assembler.messages)
    assembler.messages = NULL
    assembler.count = 0
    assembler.capacity = 0


cdef inline partial_message *message_of(
    fragment_assembler *assembler, int32_t session_id
) noexcept nogil:
    cdef int32_t i
    for i in range(assembler.count):
        if assembler.messages[i].first.session_id == session_id:
            return &assembler.messages[i]
    return NULL


cdef void assembler_drop(fragment_assembler *assembler, int32_t session_id) noexcept nogil:
    cdef partial_message *message = message_of(assembler, session_id)
    cdef partial_message *last
    cdef partial_message dropped
    if message != NULL:
        # Its buffer becomes the first spare one, for the next message.
        assembler.count -= 1
        last = &assembler.messages[assembler.count]
        dropped = message[0]
        message[0] = last[0]
        last[0] = dropped
        if assembler.count + 1 < assembler.capacity:
            limit_spares(last)


cdef void limit_spares(partial_message *spares) noexcept nogil:
    """Retain the longer of the first two spare buffers, and the other one only if it is short.

    Later spares are already short, so that the buffers of many ended sessions are not retained.
    """
    cdef partial_message longer
    if spares[1].capacity > spares[0].capacity:
        longer = spares[1]
        spares[1] = spares[0]
        spares[0] = longer
    if spares[1].capacity > MAX_SPARE_LENGTH:
        free(spares[1].buffer)
        spares[1].buffer = NULL
        spares[1].capacity = 0


cdef void assembler_move(
    fragment_assembler *assembler, int32_t session_id, int32_t new_session_id
) noexcept nogil:
    cdef partial_message *message = message_of(assembler, session_id)
    if message != NULL and session_id != new_session_id:
        assembler_drop(assembler, new_session_id)
        message = message_of(assembler, session_id)
        message.first.session_id = new_session_id


cdef int begin_message(fragment_assembler *assembler, const frame_view *header) except -1 nogil:
    cdef partial_message *message = message_of(assembler, header.frame.session_id)
    cdef partial_message *messages
    cdef int32_t capacity
    require(
        0 <= assembler.count <= assembler.capacity, PLACE, "each partial message has an entry",
        assembler.count, assembler.capacity)
    if message == NULL:
        if assembler.count == assembler.capacity:
            capacity = assembler.capacity * 2 if assembler.capacity > 0 else INITIAL_CAPACITY
            messages = <partial_message *>realloc(
                assembler.messages, capacity * sizeof(partial_message)
            )
            if messages == NULL:
                return raise_out_of_memory()
            memset(
                messages + assembler.capacity, 0,
                (capacity - assembler.capacity) * sizeof(partial_message),
            )
            assembler.messages = messages
            assembler.capacity = capacity
        message = &assembler.messages[assembler.count]
        assembler.count += 1
    message.first = header.frame[0]
    message.length = 0
    message.next_term_offset = align_frame(header.frame.term_offset + header.frame.frame_length)
    return 0


cdef int append_payload(
    partial_message *message, const uint8_t *payload, int32_t length
) except -1 nogil:
    cdef int64_t wanted = <int64_t>message.length + length
    cdef int64_t capacity = message.capacity
    cdef uint8_t *buffer
    require(
        0 <= message.length <= message.capacity, PLACE, "a partial message fits its buffer",
        message.length, message.capacity)
    if wanted > capacity:
        if capacity < INITIAL_LENGTH:
            capacity = INITIAL_LENGTH
        while capacity < wanted:
            capacity += capacity >> 1
        buffer = <uint8_t *>realloc(message.buffer, capacity)
        if buffer == NULL:
            return raise_out_of_memory()
        message.buffer = buffer
        message.capacity = <int32_t>capacity
    if length > 0:  # before the first byte there is no buffer
        memcpy(message.buffer + message.length, payload, length)
    message.length = <int32_t>wanted
    return 0


cdef inline bint is_complete(const frame_view *header) noexcept nogil:
    return header.frame.flags & FLAG_UNFRAGMENTED == FLAG_UNFRAGMENTED


cdef inline int forward_message(
    const fragment_assembler *assembler, const uint8_t *payload, int32_t length,
    const frame_view *header
) noexcept nogil:
    return (<plain_fragment_handler>assembler.handler)(assembler.context, payload, length, header)


cdef int assemble_fragment(
    fragment_assembler *assembler, const uint8_t *payload, int32_t length,
    const frame_view *header, bint is_controlled
) except -1 nogil:
    cdef const data_header *frame = header.frame
    cdef int32_t session_id = frame.session_id
    cdef int32_t before, expected_offset
    cdef const uint8_t *buffer
    cdef int continue_action = CONTINUE if is_controlled else 0
    cdef int result
    cdef partial_message *message
    cdef frame_view view
    cdef data_header whole
    if frame.flags & FLAG_BEGIN:
        begin_message(assembler, header)
        append_payload(message_of(assembler, session_id), payload, length)
        return continue_action
    message = message_of(assembler, session_id)
    if message == NULL:
        return continue_action
    if (
        frame.term_offset != message.next_term_offset
        or frame.term_id != message.first.term_id
        or length > MAX_MESSAGE_LENGTH - message.length
    ):
        # A fragment was lost, on an unreliable stream.
        assembler_drop(assembler, session_id)
        return continue_action
    before = message.length
    expected_offset = message.next_term_offset
    append_payload(message, payload, length)
    message.next_term_offset = align_frame(frame.term_offset + frame.frame_length)
    if not frame.flags & FLAG_END:
        return continue_action
    whole = message.first
    whole.frame_length = DATA_HEADER_LENGTH + message.length
    whole.flags = message.first.flags | frame.flags
    view = header[0]
    view.frame = &whole
    view.owner = assembler.owner
    # The fragments follow each other in one term. From the payload of the first one, as in Java, it
    # cannot be computed if a peer sends that one empty.
    view.fragmented_frame_length = message.next_term_offset - message.first.term_offset
    buffer = message.buffer
    result = (<plain_fragment_handler>assembler.handler)(
        assembler.context, buffer, message.length, &view
    )
    if is_controlled and result == ABORT:
        # The last fragment will be delivered again: restore the state before it. The handler may
        # have used the assembler, so the entry is looked up again, and may belong to another
        # message.
        message = message_of(assembler, session_id)
        if message != NULL and message.buffer == buffer:
            message.length = before
            message.next_term_offset = expected_offset
        return result
    assembler_drop(assembler, session_id)
    return result


cdef int assemble(
    void *assembler, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    if is_complete(header):
        return forward_message(<fragment_assembler *>assembler, payload, length, header)
    return assemble_fragment(<fragment_assembler *>assembler, payload, length, header, False)


cdef int assemble_controlled(
    void *assembler, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil:
    if is_complete(header):
        return forward_message(<fragment_assembler *>assembler, payload, length, header)
    return assemble_fragment(<fragment_assembler *>assembler, payload, length, header, True)


cdef void free_capsule(object capsule) noexcept:
    free(PyCapsule_GetPointer(capsule, NULL))


cdef object owner_of_buffer(uint8_t *buffer):
    return PyCapsule_New(buffer, NULL, free_capsule)


cdef int deliver_unfragmented(
    void *context, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 with gil:
    cdef FragmentAssembler owner = <FragmentAssembler>context
    cdef partial_message *message = message_of(&owner.assembler, header.frame.session_id)
    if message == NULL or message.buffer != payload:  # it is in the log
        return call_with_gil(owner.call, payload, length, header, owner.is_controlled)
    return deliver_buffer(owner, message, length, header)


cdef int deliver_buffer(
    FragmentAssembler owner, partial_message *message, int32_t length, const frame_view *header
) except -1:
    """Deliver a message from its buffer, which is not reused meanwhile.

    So the message is unchanged even if the handler uses the assembler.
    """
    cdef uint8_t *buffer = message.buffer
    cdef int32_t capacity = message.capacity
    message.buffer = NULL
    message.capacity = 0
    message.length = 0
    owner.call.kept = None
    try:
        return call_with_gil(owner.call, buffer, length, header, owner.is_controlled)
    finally:
        message = message_of(&owner.assembler, header.frame.session_id)
        if owner.call.kept is not None:
            # A view still exists: the buffer is freed with the last view.
            owner.call.kept.owner = owner_of_buffer(buffer)
            owner.call.kept = None
        elif message != NULL and message.buffer == NULL:
            message.buffer = buffer
            message.capacity = capacity
            message.length = length
        else:
            free(buffer)


cdef class FragmentAssembler(NativeHandler):
    """A handler that passes complete messages to another handler.

    Parameters
    ----------
    handler : callable
        ``handler(message, header)``, called for each complete message; its ``header`` has the
        length of the message and the position after its last fragment.

    Notes
    -----
    It serves any number of sessions and belongs to the thread that polls with it. An unfragmented
    message is passed on in place; others are copied, and a message with a missing fragment is
    dropped. Fragments are assembled without the GIL.
    """

    def __cinit__(self, handler):
        self.call = new_handler_call(handler)
        assembler_init(&self.assembler, deliver_unfragmented, <void *>self, <void *>self)
        self.function = assemble
        self.function_context = &self.assembler

    def __init__(self, handler):
        if not callable(handler):
            raise TypeError(f"handler: expected a callable, found {handler!r}")

    def __dealloc__(self):
        assembler_free(&self.assembler)

    def __call__(self, MessageView message not None, Header header not None):
        """Handle one fragment, passed on by another handler."""
        cdef frame_view view
        cdef acquired_payload taken
        view.frame = &header.frame
        view.context = <void *>header.context if header.context is not None else NULL
        view.owner = <void *>message.owner if message.owner is not None else NULL
        view.initial_term_id = header.initial_term_id
        view.position_bits_to_shift = header.position_bits_to_shift
        view.fragmented_frame_length = header.fragmented_frame_length
        acquire_payload(&taken, message)
        self.call.kept = None
        try:
            result = self.function(
                self.function_context, taken.data, <int32_t>taken.length, &view)
        finally:
            if self.call.kept is not None:
                # A view of the same memory: this message must stay valid as long.
                self.call.kept.owner = message
                self.call.kept = None
            else:
                release_payload(&taken)
        return result if result != 0 else None

    def drop(self, int32_t session_id):
        """Drop a session's partly received message, as when its image closed."""
        assembler_drop(&self.assembler, session_id)

    @property
    def session_count(self):
        """The sessions with an incomplete message."""
        return self.assembler.count

    @property
    def retained_length(self):
        """The bytes of all its buffers: of incomplete messages, and spare ones."""
        cdef int64_t length = 0
        cdef int32_t i
        for i in range(self.assembler.capacity):
            length += self.assembler.messages[i].capacity
        return length


@cython.final
cdef class ControlledFragmentAssembler(FragmentAssembler):
    """A :class:`FragmentAssembler` for controlled polls: its handler returns an ``Action``.

    Parameters
    ----------
    handler : callable
        ``handler(message, header)``, which returns an ``Action``. After ``ABORT`` the last fragment
        of the message is delivered again.
    """

    def __cinit__(self, handler):
        self.function = assemble_controlled
        self.is_controlled = True


@cython.final
cdef class StreamAssembler(FragmentAssembler):
    """A :class:`FragmentAssembler` of one stream that arrives in one session after another.

    Parameters
    ----------
    handler : callable
        As for a :class:`FragmentAssembler`, until `set_handler`.

    Notes
    -----
    A message may begin in one session and end in the next one, if that continues at the next frame.
    """

    def set_handler(self, handler, bint is_controlled=False):
        """Pass messages to another handler; ``is_controlled``: to one of controlled polls.

        Returns
        -------
        StreamAssembler
            This one.
        """
        if self.call.handler is not handler:
            self.call = new_handler_call(handler)
        self.is_controlled = is_controlled
        self.function = assemble_controlled if is_controlled else assemble
        return self

    def continue_in(self, int32_t session_id):
        """Expect the rest of an incomplete message in another session."""
        if self.assembler.count > 0:
            assembler_move(
                &self.assembler, self.assembler.messages[0].first.session_id, session_id)
