"""A log that the driver created and mapped.

``RawLog``.
"""
cimport cython
from cpython.buffer cimport Py_buffer
from libc.stdint cimport uint8_t

from aeron_cluster.driver.streams.log_pages cimport PageAllocator, log_pages
from aeron_cluster.logbuffer.log_buffers cimport log_buffers


@cython.final
cdef class RawLog:
    cdef log_buffers c
    cdef log_pages pages
    cdef Py_buffer _buffer  # exported until close
    cdef bint _is_open
    cdef PageAllocator _allocator  # the pages point into it and the next field; or None
    cdef bytes _encoded_path
    cdef readonly str path
    cdef readonly object settings

    cdef log_buffers *pointer(self) except NULL
    cdef int _begin_pages(self, PageAllocator allocator) except -1
