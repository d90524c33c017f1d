cimport cython
from libc.stdint cimport int64_t, uint8_t

from aeron_cluster.memory.system.seams cimport Files


@cython.final
@cython.no_gc
cdef class MappedFile:
    cdef uint8_t *address  # NULL once closed
    cdef readonly int64_t length
    cdef readonly bint writable
    cdef readonly int exports  # exported buffers
    cdef uint8_t *_mapping  # NULL once unmapped
    cdef Files _files  # its table unmaps
    cdef readonly str path

    cdef int _unmap(self) except -1
