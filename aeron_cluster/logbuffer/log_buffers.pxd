"""A mapped log: three terms and their metadata, as plain pointers and lengths."""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.logbuffer.frames cimport log_metadata


# Filled once by log_buffers_init or log_buffers_create; its owner keeps the mapping alive.
cdef struct log_buffers:
    uint8_t *terms[3]
    log_metadata *metadata
    int64_t length  # of the complete file
    int64_t max_possible_position
    int32_t term_length
    int32_t mtu_length
    int32_t max_payload_length
    int32_t max_message_length
    int32_t initial_term_id
    int32_t position_bits_to_shift
    int32_t page_size
    int32_t session_id
    int32_t stream_id


cdef enum log_status:
    LOG_OK = 0
    LOG_TOO_SHORT = -1  # not even the metadata fits
    LOG_BAD_TERM_LENGTH = -2
    LOG_BAD_PAGE_SIZE = -3
    LOG_BAD_LENGTH = -4  # not the file length for this term length and page size
    LOG_BAD_MTU_LENGTH = -5
    LOG_BAD_HEADER_LENGTH = -6
    LOG_BAD_POSITION = -7  # log_buffers_create: the start is not a position of the log


# Check the metadata at the end of a mapped log, and fill the struct.
cdef int log_buffers_init(log_buffers *log, uint8_t *address, int64_t length) noexcept nogil

# Initialise a log in zeroed memory, as a driver does. `settings` has the caller's values, in the
# metadata's fields from correlation_id on (the default frame header is created here). The log
# starts at (term_id, term_offset); a new stream at (settings.initial_term_id, 0).
cdef int log_buffers_create(
    log_buffers *log, uint8_t *address, int64_t length, const log_metadata *settings,
    int32_t session_id, int32_t stream_id, int32_t term_id, int32_t term_offset
) noexcept nogil

# Raise CorruptError for any status except LOG_OK.
cdef int check_log(int status, uint8_t *address, int64_t length, object path) except -1

# Rotate a shared log from the term of `term_count`, unless another thread does it first.
cdef void rotate_log(log_buffers *log, int32_t term_count, int32_t term_id) noexcept nogil

# The position in the tails of a publication's log, clamped to the active term.
cdef int64_t producer_position(log_buffers *log) noexcept nogil

# Zero bytes from `position` to `limit`, at most to the end of one term; returns the new clean
# position.
cdef int64_t clean_log(log_buffers *log, int64_t position, int64_t limit) noexcept nogil
