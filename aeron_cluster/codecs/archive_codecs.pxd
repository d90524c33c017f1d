# Generated from archive.xml and c_codecs.toml by tools/generate_codecs.py. Edit them, run it.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from aeron_cluster.codecs.sbe cimport sbe_reader, sbe_writer


cdef extern from "aeron_cluster/codecs/archive.h" nogil:
    enum:
        SCHEMA_ID "AC_ARCHIVE_SCHEMA_ID"
        SCHEMA_VERSION "AC_ARCHIVE_SCHEMA_VERSION"

    enum:
        PING_TEMPLATE_ID "AC_ARCHIVE_PING_TEMPLATE_ID"
        PING_BLOCK_LENGTH "AC_ARCHIVE_PING_BLOCK_LENGTH"
