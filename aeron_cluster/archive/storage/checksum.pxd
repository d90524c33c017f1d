"""Checksums of recorded frames, without the GIL."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t


cdef extern from "aeron_cluster/crc32c.h" nogil:
    bint has_crc32c "ac_has_crc32c"()
    uint32_t crc32c "ac_crc32c"(uint32_t value, const uint8_t *data, int64_t length)


# Eight tables of 256 entries, for eight bytes at a time.
cdef struct crc_tables:
    uint32_t tables[8][256]
    int32_t has_instruction  # whether the processor has an instruction for it


cdef uint32_t crc(const crc_tables *tables, const uint8_t *data, int64_t length) noexcept nogil


@cython.final
cdef class Checksum:
    cdef crc_tables c
    cdef readonly str name
    cdef readonly int32_t code
