"""The CnC file: where the sections of ``<aeron.dir>/cnc.dat`` are.

``CncFileDescriptor`` in Aeron.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.memory.commands cimport cnc_header


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


# Place the sections of a file whose header says how long they are; -1 where they do not fit length.
cdef int cnc_sections_init(cnc_sections *sections, void *memory, int64_t length) noexcept nogil
