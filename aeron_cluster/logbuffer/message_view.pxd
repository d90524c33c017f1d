"""What a Python handler gets of a message: its bytes in place, and its header."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from aeron_cluster.logbuffer.frames cimport data_header
from aeron_cluster.logbuffer.image_poller cimport fragment_handler, frame_view, image_poller


@cython.final
cdef class MessageView:
    cdef const uint8_t *data  # NULL once the callback returned
    cdef Py_ssize_t length
    cdef Py_ssize_t exports
    cdef object owner  # keeps the memory behind data


@cython.final
cdef class Header:
    cdef data_header frame  # a copy: it stays true however long it is kept
    cdef int32_t initial_term_id
    cdef int32_t position_bits_to_shift
    cdef int32_t fragmented_frame_length
    cdef readonly object context


# A Python object that stands for a handler in C: polls given one never take the GIL for it.
cdef class NativeHandler:
    cdef fragment_handler function
    cdef void *function_context


# Gives messages to one Python callable; its views are reused while nothing else holds them.
@cython.final
cdef class HandlerCall:
    cdef object handler
    cdef MessageView view
    cdef Header header
    cdef MessageView kept  # of the last callback, if a buffer of it was still held after it
    cdef uint32_t turns


cdef HandlerCall new_handler_call(object handler)

# A fragment_handler whose context is a HandlerCall: it takes the GIL for one call of
# `handler(message, header)`, which answers an Action; None is CONTINUE.
cdef int call_handler(
    void *call, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 with gil

# The same for a caller that holds the GIL. What a handler that is not controlled answers is
# ignored, and counts as 0.
cdef int call_with_gil(
    HandlerCall call, const uint8_t *payload, int32_t length, const frame_view *header,
    bint is_controlled
) except -1

# Any of the four polls with a Python handler: it looks for a batch of fragments, then calls the
# handler for each, and lets the GIL go where nothing was found and now and then otherwise (a
# NativeHandler never has it). An unbounded poll has a limit_position of INT64_MAX.
cdef int poll_python(
    image_poller *poller, HandlerCall call, int64_t limit_position, int fragment_limit,
    bint is_controlled
) except -1
