"""The log of a stream that a client has mapped: what images and publications have in common."""
from aeron_cluster.logbuffer.log_buffers cimport log_buffers
from aeron_cluster.memory.shared.mapped_file cimport MappedFile


cdef class MappedLog:
    cdef log_buffers log
    cdef MappedFile mapping  # None once the log was released; a running call holds it too

    cdef int _map(self, MappedFile mapping) except -1
