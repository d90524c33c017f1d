"""Walks the frames of a recording and fills columns."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.archive.storage.checksum cimport Checksum, crc_tables
from aeron_cluster.logbuffer.frames cimport data_header
from aeron_cluster.pipeline.columns.column_buffers cimport ColumnBuffers
from aeron_cluster.pipeline.columns.rows cimport CHUNK_LENGTH, row


# The reasons for the end of a walk without the GIL.
cdef enum scan_status:
    SCAN_DONE
    SCAN_NEEDS_DATA  # the window does not hold the next frame
    SCAN_CHUNK_FULL
    SCAN_BATCH_FULL
    SCAN_BAD_FRAME
    SCAN_BAD_CHECKSUM
    SCAN_BAD_UNIT
    SCAN_NO_MEMORY


# The requested rows. Rows without a requested field are omitted.
cdef struct row_selection:
    bint has_terms
    int64_t from_term
    int64_t to_term
    bint has_times
    int64_t from_time
    int64_t to_time
    int64_t template_ids  # a bit for each; 0: all; bit 0: messages that are not log entries
    bint has_sessions
    int64_t *sessions  # ascending
    int32_t session_count


cdef struct frame_scan:
    # The position, and the end of the range: frames that begin before it are read, and then the
    # rest of a message that began before it, up to the end of the recording.
    int64_t position
    int64_t to_position
    int64_t end_position
    int32_t initial_term_id
    int32_t position_bits_to_shift
    int32_t term_length
    bint is_log
    bint is_assembled
    bint has_payload  # payloads are requested, and count towards the length of a batch
    int32_t time_unit
    bint has_checksums  # frames have a checksum in place of the session id
    int32_t session_id  # the session id in that case
    const crc_tables *checksum  # for checking frames, if requested
    row_selection selection
    # A window of the recording.
    const uint8_t *window
    int64_t window_position
    int64_t window_length
    # Messages assembled from fragments: complete ones of this chunk, then a partial one.
    uint8_t *assembled
    int64_t assembled_length
    int64_t assembled_capacity
    bint is_begun
    int64_t partial_offset  # in `assembled`
    data_header partial_header
    int64_t partial_position
    # The batch.
    int32_t batch_rows
    int64_t batch_length
    int32_t max_rows
    int64_t max_length
    int32_t row_count
    row rows[CHUNK_LENGTH]


@cython.final
cdef class FrameScanner:
    cdef frame_scan c
    cdef ColumnBuffers buffers
    cdef object source  # the reader of the recording
    cdef bytearray window
    cdef Checksum checksum  # the owner of the tables

    cdef int fail(self, int status) except -1
    cdef int refill(self) except -1
