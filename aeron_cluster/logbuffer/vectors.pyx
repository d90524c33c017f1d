"""The buffers of a vectored offer."""
cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, uint8_t

from aeron_cluster.logbuffer.term_appender cimport byte_vector


@cython.final
cdef class Vectors:
    """The buffers of a vectored offer, acquired while it runs.

    Parameters
    ----------
    parts : iterable of buffers
        The parts of the message, in order.
    reserved : int
        How many vectors to leave in front of them, for headers.
    """

    def __cinit__(self, parts, int32_t reserved=0):
        cdef int32_t index
        cdef byte_vector *vector
        parts = tuple(parts)
        self.reserved = reserved
        self.count = reserved + <int32_t>len(parts)
        self.vectors = <byte_vector *>PyMem_Malloc(max(1, self.count) * sizeof(byte_vector))
        self.buffers = <Py_buffer *>PyMem_Malloc(max(1, self.count) * sizeof(Py_buffer))
        if self.vectors == NULL or self.buffers == NULL:
            raise MemoryError
        for index in range(reserved):
            self.vectors[index].data = NULL
            self.vectors[index].length = 0
        for part in parts:
            PyObject_GetBuffer(part, &self.buffers[self.acquired], PyBUF_SIMPLE)
            vector = &self.vectors[reserved + self.acquired]
            vector.data = <const uint8_t *>self.buffers[self.acquired].buf
            vector.length = <size_t>self.buffers[self.acquired].len
            self.length += self.buffers[self.acquired].len
            self.acquired += 1

    def __dealloc__(self):
        cdef int32_t index
        for index in range(self.acquired):
            PyBuffer_Release(&self.buffers[index])
        PyMem_Free(self.vectors)
        PyMem_Free(self.buffers)
