"""Checksums of recorded frames: CRC-32 of zlib and CRC-32C of Castagnoli.

``io.aeron.archive.checksum.Checksums``.
"""
cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy

import difflib

from aeron_cluster.errors import ConfigurationError

# The polynomials, least significant bit first, by all of Aeron's names for them.
cdef dict POLYNOMIALS = {
    "CRC-32": 0xEDB88320,
    "io.aeron.archive.checksum.Crc32": 0xEDB88320,
    "org.agrona.checksum.Crc32": 0xEDB88320,
    "CRC-32C": 0x82F63B78,
    "io.aeron.archive.checksum.Crc32c": 0x82F63B78,
    "org.agrona.checksum.Crc32c": 0x82F63B78,
}


# The codes in the catalog.
cdef dict CODES = {0xEDB88320: 1, 0x82F63B78: 2}
cdef tuple NAMES = ("", "CRC-32", "CRC-32C")


cdef uint32_t crc(const crc_tables *tables, const uint8_t *data, int64_t length) noexcept nogil:
    cdef uint32_t value = 0xFFFFFFFF
    cdef uint64_t word
    cdef int64_t index = 0
    if tables.has_instruction:
        return crc32c(value, data, length) ^ <uint32_t>0xFFFFFFFF
    while index + 8 <= length:
        memcpy(&word, data + index, 8)
        word ^= value
        value = (
            tables.tables[7][word & 0xFF]
            ^ tables.tables[6][(word >> 8) & 0xFF]
            ^ tables.tables[5][(word >> 16) & 0xFF]
            ^ tables.tables[4][(word >> 24) & 0xFF]
            ^ tables.tables[3][(word >> 32) & 0xFF]
            ^ tables.tables[2][(word >> 40) & 0xFF]
            ^ tables.tables[1][(word >> 48) & 0xFF]
            ^ tables.tables[0][word >> 56]
        )
        index += 8
    while index < length:
        value = tables.tables[0][(value ^ data[index]) & 0xFF] ^ (value >> 8)
        index += 1
    return value ^ <uint32_t>0xFFFFFFFF


@cython.final
cdef class Checksum:
    """A checksum, by its name in the configuration.

    Parameters
    ----------
    name : str
        ``CRC-32``, ``CRC-32C``, or the Java class of either.

    Attributes
    ----------
    name : str
    code : int
        The code in the catalog: 1 for CRC-32, 2 for CRC-32C.

    Raises
    ------
    ConfigurationError
        If the name is unknown.
    """

    def __init__(self, str name not None):
        cdef uint32_t value, polynomial
        cdef int row, column, _bit
        if name not in POLYNOMIALS:
            near = difflib.get_close_matches(name, POLYNOMIALS, 1)
            raise ConfigurationError(
                "checksum", "CRC-32 or CRC-32C", name, f"did you mean {near[0]}?" if near else "")
        self.name = name
        polynomial = POLYNOMIALS[name]
        self.code = CODES[polynomial]
        self.c.has_instruction = self.code == 2 and has_crc32c()
        for column in range(256):
            value = column
            for _bit in range(8):
                value = (value >> 1) ^ polynomial if value & 1 else value >> 1
            self.c.tables[0][column] = value
        for row in range(1, 8):
            for column in range(256):
                value = self.c.tables[row - 1][column]
                self.c.tables[row][column] = self.c.tables[0][value & 0xFF] ^ (value >> 8)

    @staticmethod
    def of_code(int code):
        """Return the checksum for a code in a catalog; None if the code names none."""
        return Checksum(NAMES[code]) if 0 < code < len(NAMES) else None

    def __call__(self, data):
        """Return the checksum of bytes as a signed 32-bit number."""
        cdef Py_buffer buffer
        cdef uint32_t value
        PyObject_GetBuffer(data, &buffer, PyBUF_SIMPLE)
        value = crc(&self.c, <const uint8_t *>buffer.buf, buffer.len)
        PyBuffer_Release(&buffer)
        return <int32_t>value

    def __repr__(self):
        return f"Checksum({self.name!r})"
