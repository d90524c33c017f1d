"""What a Python handler gets of a message: its bytes in place, and its header."""
cimport cython
from libc.stdint cimport int32_t, uint8_t

from aeron_cluster.logbuffer.frames cimport data_header
from aeron_cluster.logbuffer.image_poller cimport frame_view, image_poller


@cython.final
cdef class MessageView:
    cdef const uint8_t *data  # NULL once the callback returned
    cdef Py_ssize_t length
    cdef Py_ssize_t exports
    cdef object owner  # keeps the memory behind data mapped


@cython.final
cdef class Header:
    cdef data_header frame  # a copy: it stays true however long it is kept
    cdef int32_t initial_term_id
    cdef int32_t position_bits_to_shift
    cdef int32_t fragmented_frame_length
    cdef readonly object context


# Gives messages to one Python callable; its views are reused while nobody else holds them.
@cython.final
cdef class HandlerCall:
    cdef object handler
    cdef object owner
    cdef object context
    cdef MessageView view
    cdef Header header


# A call of `handler(message, header)`. `owner` keeps the memory of its messages mapped; `context`
# (the Image) is what Header.context says.
cdef HandlerCall new_handler_call(object handler, object owner, object context)

# A fragment_handler whose context is a HandlerCall: it takes the GIL for one call. An answer of
# None is 0; a controlled handler answers an Action.
cdef int call_handler(
    void *call, const uint8_t *payload, int32_t length, const frame_view *header
) except -1 nogil

# The same for a caller that holds the GIL.
cdef int call_with_gil(
    HandlerCall call, const uint8_t *payload, int32_t length, const frame_view *header
) except -1

# poll with a Python handler: scans without the GIL, takes it once for all that was found.
cdef int poll_python(image_poller *poller, HandlerCall call, int fragment_limit) except -1
