"""Write commands into the ring that the driver reads."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.memory.shared.cnc_file cimport CncFile
from aeron_cluster.memory.shared.ring_buffer cimport many_to_one_ring


@cython.final
cdef class DriverProxy:
    cdef many_to_one_ring ring
    cdef readonly int64_t client_id
    cdef CncFile cnc  # keeps the ring mapped

    cdef uint8_t *_claim(
        self, int32_t command, int64_t length, int64_t correlation_id, int64_t *offset
    ) except NULL
    cdef int64_t _add_publication(self, int32_t kind, str channel, int32_t stream_id) except -1
    cdef int64_t _remove(self, int32_t kind, int64_t registration_id) except -1
    cdef int64_t _destination(self, int32_t kind, int64_t registration_id, str channel) except -1
