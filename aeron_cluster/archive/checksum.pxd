"""Checksums of recorded frames, without the GIL."""
cimport cython
from libc.stdint cimport int64_t, uint8_t, uint32_t


# Eight tables of 256: eight bytes at a time.
cdef struct crc_tables:
    uint32_t tables[8][256]


cdef uint32_t crc(const crc_tables *tables, const uint8_t *data, int64_t length) noexcept nogil


@cython.final
cdef class Checksum:
    cdef crc_tables c
    cdef readonly str name
