"""The buffers of a vectored offer."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.logbuffer.term_appender cimport byte_vector


@cython.final
cdef class Vectors:
    cdef byte_vector *vectors
    cdef Py_buffer *buffers
    cdef int32_t count  # of vectors, the reserved ones included
    cdef int32_t reserved
    cdef int32_t acquired
    cdef int64_t length  # of all parts, in bytes
