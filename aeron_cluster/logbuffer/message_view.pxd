"""The arguments of a Python handler: a message's bytes in place, and its header."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from aeron_cluster.logbuffer.frames cimport data_header
from aeron_cluster.logbuffer.image_poller cimport fragment_handler, frame_view, image_poller


@cython.final
cdef class MessageView:
    cdef const uint8_t *data  # NULL once the callback returned
    cdef Py_ssize_t length
    cdef Py_ssize_t exports
    cdef object owner  # keeps the memory of data alive


@cython.final
cdef class Header:
    cdef data_header frame  # a copy, so it may be kept
    cdef int32_t initial_term_id
    cdef int32_t position_bits_to_shift
    cdef int32_t fragmented_frame_length
    cdef readonly object context


# Sets both to a message, for the time of a callback.
cdef inline void set_message(
    MessageView view, Header seen, const uint8_t *payload, int32_t length, const frame_view *header
) noexcept:
    view.data = payload
    view.length = length
    if <void *>view.owner != header.owner:
        view.owner = <object>header.owner if header.owner != NULL else None
    seen.frame = header.frame[0]
    seen.initial_term_id = header.initial_term_id
    seen.position_bits_to_shift = header.position_bits_to_shift
    seen.fragmented_frame_length = header.fragmented_frame_length
    if <void *>seen.context != header.context:
        seen.context = <object>header.context if header.context != NULL else None


# A Python object that represents a C handler: polls with it never take the GIL.
cdef class NativeHandler:
    cdef fragment_handler function
    cdef void *function_context


# Passes messages to one Python callable; its views are reused unless referenced elsewhere.
@cython.final
cdef class HandlerCall:
    cdef object handler
    cdef MessageView view
    cdef Header header
    cdef MessageView kept  # the view of the last callback, if it was still exported afterwards
    cdef uint32_t turns


cdef HandlerCall new_handler_call(object handler)

# A fragment_handler with a HandlerCall as context: it takes the GIL for one call of
# `handler(message, header)`, which returns an Action; None is CONTINUE.
cdef int call_handler(
    void *call, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 with gil

# The same for a caller that holds the GIL. The result of an uncontrolled handler is ignored, and
# counts as 0.
cdef int call_with_gil(
    HandlerCall call, const uint8_t *payload, int32_t length, const frame_view *header,
    bint is_controlled
) except -1

# Any of the four polls with a Python handler: it scans for a batch of fragments, then calls the
# handler for each, and releases the GIL if nothing was found, and from time to time otherwise
# (never acquired for a NativeHandler). An unbounded poll has a limit_position of INT64_MAX.
cdef int poll_python(
    image_poller *poller, HandlerCall call, int64_t limit_position, int fragment_limit,
    bint is_controlled
) except -1
