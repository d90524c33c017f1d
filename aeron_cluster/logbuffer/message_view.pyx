"""The arguments of a Python handler: a message's bytes in place, and its header.

Upstream: ``Header``, and a ``DirectBuffer`` with offset and length.
"""

from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t

from aeron_cluster.errors import BufferUsageError

from aeron_cluster.logbuffer.frames cimport (
    DATA_HEADER_LENGTH,
    FRAME_ALIGNMENT,
    FRAME_PAD,
    align_frame,
    compute_position,
    data_header,
    index_of_position,
)
from aeron_cluster.logbuffer.gil_yield cimport maybe_yield_gil
from aeron_cluster.logbuffer.image_poller cimport (
    ABORT,
    BREAK,
    CONTINUE,
    bounded_controlled_poll,
    bounded_poll,
    controlled_poll,
    frame_view,
    has_position,
    image_poller,
    is_bad_length,
    on_bad_frame,
    poll,
)
from aeron_cluster.logbuffer.places cimport is_frame_position
from aeron_cluster.memory.shared.atomic cimport load_acquire_i32, load_opaque_i64, store_release_i64
from aeron_cluster.memory.system.invariants cimport PLACE, raise_violation


cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject *o)


cdef class MessageView:
    """The payload of a message in place: an object with a read-only buffer.

    The argument of a handler. ``bytes(message)`` copies; ``memoryview``, ``struct`` and numpy read
    it in place.

    Raises
    ------
    BufferUsageError
        It is used after its callback returned. The poll itself also raises it, naming the handler,
        if a ``memoryview`` or array over it still exists then. The memory stays mapped while that
        exists, so reading it never crashes, but may return other data.

    Notes
    -----
    It is only valid in its callback: the same object may be reused for the next message.
    """

    def __init__(self):
        raise TypeError("a MessageView is only created by a poll")

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        if self.data == NULL:
            raise_expired()
        if flags & PyBUF_WRITABLE == PyBUF_WRITABLE:
            raise BufferUsageError("message: expected a read-only use, found a writable one")
        PyBuffer_FillInfo(buffer, self, <void *>self.data, self.length, 1, flags)
        self.exports += 1

    def __releasebuffer__(self, Py_buffer *buffer):
        self.exports -= 1

    def __len__(self):
        if self.data == NULL:
            raise_expired()
        return self.length

    def __bytes__(self):
        if self.data == NULL:
            raise_expired()
        return PyBytes_FromStringAndSize(<const char *>self.data, self.length)

    def __getitem__(self, index):
        cdef Py_ssize_t at, stop, step
        if self.data == NULL:
            raise_expired()
        if isinstance(index, slice):
            at, stop, step = index.indices(self.length)
            if step != 1:
                return bytes(self)[index]
            return PyBytes_FromStringAndSize(<const char *>self.data + at, max(stop - at, 0))
        at = index
        if at < 0:
            at += self.length
        if not 0 <= at < self.length:
            raise IndexError(f"message index: expected below {self.length}, found {index}")
        return self.data[at]

    def __repr__(self):
        if self.data == NULL:
            return "<MessageView expired>"
        return f"<MessageView of {self.length} bytes>"


cdef int raise_expired() except -1:
    raise BufferUsageError("message: expected use within its callback, found it after")


cdef class Header:
    """The header of a fragment, or of a message assembled from several.

    Notes
    -----
    A handler that keeps it keeps these values; the next message then gets another object.
    """

    def __init__(self):
        raise TypeError("a Header is only created by a poll")

    @property
    def position(self):
        """The position of the stream after the message."""
        cdef int32_t length = self.fragmented_frame_length
        if length == -1:
            length = self.frame.frame_length
        return compute_position(
            self.frame.term_id, align_frame(self.frame.term_offset + length),
            self.position_bits_to_shift, self.initial_term_id,
        )

    @property
    def initial_term_id(self):
        """The id of the stream's first term."""
        return self.initial_term_id

    @property
    def position_bits_to_shift(self):
        """The binary logarithm of the term length."""
        return self.position_bits_to_shift

    @property
    def frame_length(self):
        """The length of header and payload, in bytes, not aligned."""
        return self.frame.frame_length

    @property
    def flags(self):
        """0x80 the first fragment of its message, 0x40 the last, 0xC0 both."""
        return self.frame.flags

    @property
    def type(self):
        """The type of the frame: 1, data."""
        return self.frame.type

    @property
    def term_offset(self):
        """The offset of the (first) frame in its term, in bytes."""
        return self.frame.term_offset

    @property
    def next_term_offset(self):
        """The offset of the next frame in the term, in bytes."""
        cdef int32_t length = self.fragmented_frame_length
        if length == -1:
            length = self.frame.frame_length
        return align_frame(self.frame.term_offset + length)

    @property
    def session_id(self):
        """The session of the publisher."""
        return self.frame.session_id

    @property
    def stream_id(self):
        """The stream."""
        return self.frame.stream_id

    @property
    def term_id(self):
        """The term of the (first) frame."""
        return self.frame.term_id

    @property
    def reserved_value(self):
        """The value of the publisher's reserved value supplier; 0 without one."""
        return self.frame.reserved_value

    def __repr__(self):
        return (
            f"<Header session {self.frame.session_id} stream {self.frame.stream_id} "
            f"position {self.position} flags {self.frame.flags:#x}>"
        )


cdef class NativeHandler:
    """The base of handlers that are C functions; there is nothing to call from Python."""

    def __init__(self):
        raise TypeError("a NativeHandler is only created by its subclasses")


cdef HandlerCall new_handler_call(object handler):
    cdef HandlerCall call = HandlerCall.__new__(HandlerCall)
    call.handler = handler
    call.view = MessageView.__new__(MessageView)
    call.header = Header.__new__(Header)
    return call


cdef int call_with_gil(
    HandlerCall call, const uint8_t *payload, int32_t length, const frame_view *header,
    bint is_controlled
) except -1:
    # Held here, an object without other owners counts two references: HandlerCall's and this one.
    cdef MessageView view = call.view
    cdef Header seen = call.header
    cdef bint is_kept = False
    if Py_REFCNT(<PyObject *>seen) > 2:
        seen = call.header = Header.__new__(Header)
    if view is None or view.exports != 0 or view.data != NULL:
        # The callback polls recursively: its own message must stay unchanged.
        view = call.view = MessageView.__new__(MessageView)
    set_message(view, seen, payload, length, header)
    try:
        result = call.handler(view, seen)
    finally:
        view.data = NULL
        if view.exports != 0 or Py_REFCNT(<PyObject *>view) > 2:
            call.view = MessageView.__new__(MessageView)
            is_kept = view.exports != 0
            call.kept = view if is_kept else None
            if not is_kept:
                view.owner = None
        elif call.kept is not None:
            call.kept = None
    if is_kept:
        raise BufferUsageError(
            f"{name_of(call.handler)}: expected no view of the message after the callback, found "
            f"{view.exports} still held at position {seen.position}"
        )
    if result is None or not is_controlled:
        return CONTINUE if is_controlled else 0
    return checked_action(call.handler, result)


cdef int checked_action(object handler, object result) except -1:
    cdef int action
    if not isinstance(result, int) or not ABORT <= result <= CONTINUE:
        raise TypeError(
            f"{name_of(handler)}: expected None or an Action, found {result!r}"
        )
    action = result
    return action


cdef str name_of(object handler):
    module = getattr(handler, "__module__", None)
    name = getattr(handler, "__qualname__", None)
    return f"{module}.{name}" if module and name else repr(handler)


cdef int call_handler(
    void *call, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 with gil:
    return call_with_gil(<HandlerCall>call, payload, length, header, True)


cdef enum:
    BATCH_LENGTH = 64


# Consecutive committed frames from a position.
cdef struct found_frames:
    const uint8_t *term
    int64_t term_begin
    int32_t count
    int32_t end_offset  # after the last frame and padding after it
    int32_t offsets[BATCH_LENGTH]


cdef int find_frames(
    image_poller *poller, int64_t limit_position, int fragment_limit, found_frames *found
) except -1 nogil:
    """Scan at most a batch of frames, without delivering them; return their number."""
    cdef int64_t position = load_opaque_i64(poller.subscriber_position)
    cdef int32_t term_length = poller.log.term_length
    cdef int32_t offset = <int32_t>(position & (term_length - 1))
    cdef int32_t limit_offset = term_length
    cdef int32_t length
    found.count = 0
    found.end_offset = offset
    found.term_begin = position - offset
    if not is_frame_position(position):
        if has_position(poller):
            return raise_violation(
                PLACE, "a subscriber is at the position of a frame", position, FRAME_ALIGNMENT)
        return 0  # as in raise_misplaced: the client was timed out
    found.term = poller.log.terms[index_of_position(position, poller.log.position_bits_to_shift)]
    if limit_position - found.term_begin < limit_offset:
        limit_offset = <int32_t>(limit_position - found.term_begin)
    if fragment_limit > BATCH_LENGTH:
        fragment_limit = BATCH_LENGTH
    while found.count < fragment_limit and offset < limit_offset:
        length = load_acquire_i32(found.term + offset)
        if length <= 0:
            break
        if is_bad_length(length, term_length - offset):
            if found.count > 0:
                break  # the frames before it are delivered first
            return on_bad_frame(poller, found.term_begin + offset, length)
        if (<const data_header *>(found.term + offset)).type != FRAME_PAD:
            found.offsets[found.count] = offset
            found.count += 1
        offset += align_frame(length)
    found.end_offset = offset
    return found.count


cdef inline void store_offset(
    image_poller *poller, const found_frames *found, int32_t offset
) noexcept nogil:
    if not poller.is_closed:
        store_release_i64(poller.subscriber_position, found.term_begin + offset)


cdef int deliver(
    image_poller *poller, HandlerCall call, const found_frames *found, bint is_controlled,
    bint *stopped
) except -1:
    """Call the handler for each; return the number of consumed ones."""
    cdef frame_view view
    cdef int32_t consumed = 0
    cdef int32_t after = found.end_offset
    cdef int action
    view.context = poller.context
    view.owner = poller.owner
    view.initial_term_id = poller.log.initial_term_id
    view.position_bits_to_shift = poller.log.position_bits_to_shift
    view.fragmented_frame_length = -1
    try:
        while consumed < found.count and not stopped[0]:
            view.frame = <const data_header *>(found.term + found.offsets[consumed])
            after = found.offsets[consumed] + align_frame(view.frame.frame_length)
            action = call_with_gil(
                call, <const uint8_t *>view.frame + DATA_HEADER_LENGTH,
                view.frame.frame_length - DATA_HEADER_LENGTH, &view, is_controlled,
            )
            consumed += 1
            if is_controlled and action != CONTINUE:
                if action == ABORT:
                    consumed -= 1
                    after = found.offsets[consumed]
                stopped[0] = action == ABORT or action == BREAK
                store_offset(poller, found, after)
            if poller.is_closed:
                stopped[0] = True
        if not stopped[0]:
            after = found.end_offset
    finally:
        # A message is consumed even if its handler raised, as in Java.
        store_offset(poller, found, after)
    return consumed


cdef int poll_native(
    image_poller *poller, NativeHandler handler, int64_t limit_position, int fragment_limit,
    bint is_controlled
) except -1:
    cdef fragment_handler function = handler.function
    cdef void *context = handler.function_context
    with nogil:
        if is_controlled:
            if limit_position == INT64_MAX:
                return controlled_poll(poller, function, context, fragment_limit)
            return bounded_controlled_poll(
                poller, function, context, limit_position, fragment_limit
            )
        if limit_position == INT64_MAX:
            return poll(poller, function, context, fragment_limit)
        return bounded_poll(poller, function, context, limit_position, fragment_limit)


cdef int poll_python(
    image_poller *poller, HandlerCall call, int64_t limit_position, int fragment_limit,
    bint is_controlled
) except -1:
    cdef found_frames found
    cdef int count = 0
    cdef int32_t begin_offset
    cdef bint stopped = False
    if isinstance(call.handler, NativeHandler):
        return poll_native(
            poller, <NativeHandler>call.handler, limit_position, fragment_limit, is_controlled
        )
    if poller.is_given_up:
        return 0
    while count < fragment_limit and not poller.is_closed:
        find_frames(poller, limit_position, fragment_limit - count, &found)
        if found.count == 0:
            begin_offset = <int32_t>(
                load_opaque_i64(poller.subscriber_position) - found.term_begin
            )
            if found.end_offset > begin_offset:
                store_offset(poller, &found, found.end_offset)
            break
        count += deliver(poller, call, &found, is_controlled, &stopped)
        if stopped or found.count < BATCH_LENGTH:
            break
    maybe_yield_gil(&call.turns, count == 0)
    return count
