"""Memory of another object, used in place."""
from cpython.buffer cimport Py_buffer
from libc.stdint cimport int64_t


cdef class BufferMemory:
    cdef Py_buffer memory  # exported until this is destroyed
    cdef int64_t generation  # of the process, see fork.pxd
    cdef bint is_open  # set by a subclass once it is initialised

    cdef int hold(self, object buffer, int flags) except -1
    cdef int check_open(self) except -1
