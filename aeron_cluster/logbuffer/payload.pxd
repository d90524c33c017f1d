"""The bytes of any Python object with a buffer, exported while they are read without the GIL."""
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from libc.stdint cimport uint8_t

from aeron_cluster.logbuffer.message_view cimport MessageView


cdef struct payload:
    const uint8_t *data
    Py_ssize_t length
    bint is_exported
    PyObject *message  # a MessageView that counts this as an export; NULL: none
    Py_buffer buffer


# The caller keeps `source` alive, and calls release_payload on every path.
cdef inline int acquire_payload(payload *taken, object source) except -1:
    if PyBytes_CheckExact(source):
        # Bytes cannot move or change, so no export is needed, which takes half the time of a short
        # offer.
        taken.data = <const uint8_t *>PyBytes_AS_STRING(source)
        taken.length = PyBytes_GET_SIZE(source)
        taken.is_exported = False
        taken.message = NULL
        return 0
    # The most frequent case in services' replies. It counts as an export, without its calls.
    if type(source) is MessageView and (<MessageView>source).data != NULL:
        (<MessageView>source).exports += 1
        taken.data = (<MessageView>source).data
        taken.length = (<MessageView>source).length
        taken.is_exported = False
        taken.message = <PyObject *>source
        return 0
    PyObject_GetBuffer(source, &taken.buffer, PyBUF_SIMPLE)
    taken.data = <const uint8_t *>taken.buffer.buf
    taken.length = taken.buffer.len
    taken.is_exported = True
    taken.message = NULL
    return 0


cdef inline void release_payload(payload *taken) noexcept:
    if taken.message != NULL:
        (<MessageView><object>taken.message).exports -= 1
    elif taken.is_exported:
        PyBuffer_Release(&taken.buffer)
