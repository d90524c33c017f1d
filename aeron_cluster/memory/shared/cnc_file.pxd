"""The CnC file: the sections of ``<aeron.dir>/cnc.dat``.

``CncFileDescriptor`` in Aeron.
"""

cimport cython
from cpython.buffer cimport Py_buffer
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.memory.shared.commands cimport cnc_header
from aeron_cluster.memory.shared.mapped_file cimport MappedFile


cdef struct cnc_sections:
    cnc_header *header
    uint8_t *to_driver  # a many-to-one ring with its trailer
    uint8_t *to_clients  # a broadcast buffer with its trailer
    uint8_t *counters_metadata
    uint8_t *counters_values
    uint8_t *error_log
    int32_t to_driver_length
    int32_t to_clients_length
    int32_t counters_metadata_length
    int32_t counters_values_length
    int32_t error_log_length


# Locate the sections of a file by the lengths in its header. Returns 0, the offset of the header's
# first invalid length, or 128 if the sections need more than length bytes.
cdef int cnc_sections_init(cnc_sections *sections, void *memory, int64_t length) noexcept nogil


@cython.final
cdef class CncFile:
    cdef cnc_sections sections  # valid while this object exists, even when closed
    cdef Py_buffer memory  # exported until this is destroyed
    cdef readonly str path
    cdef MappedFile file
    cdef int64_t generation  # of the process, see fork.pxd
    cdef bint is_open

    cdef int place(self, MappedFile file) except -1
    cdef int check_open(self) except -1
    cdef object section(self, const uint8_t *address, int32_t length)
