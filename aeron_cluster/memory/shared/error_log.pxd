"""The distinct error log of a CnC or mark file: each error once, with its count and times.

Agrona's ``DistinctErrorLog`` and ``ErrorLogReader``.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from aeron_cluster.memory.shared.buffer_memory cimport BufferMemory


cpdef enum ErrorLogStatus:
    ERROR_LOG_NEW = 1  # written as a separate record
    ERROR_LOG_OK = 0  # counted in an existing record
    ERROR_LOG_FULL = -1  # not recorded
    ERROR_LOG_INVALID_CAPACITY = -2  # shorter than a record, or not aligned to 8
    ERROR_LOG_NO_MEMORY = -3  # not recorded


cdef struct error_observation:
    uint64_t hash
    int64_t offset  # of the record
    int32_t length  # of the text


cdef struct error_log:
    uint8_t *buffer
    int64_t capacity
    int64_t next_offset
    error_observation *observations
    int32_t observation_count
    int32_t observation_capacity
    int32_t lock  # 1: a thread is recording


cdef struct error_record:
    const char *text  # not terminated
    int32_t length
    int32_t observation_count
    int64_t first_observation_ms
    int64_t last_observation_ms


ctypedef void (*error_handler)(const error_record *record, void *context) noexcept nogil

# ERROR_LOG_OK, or the reason why it cannot be used. Existing records are kept, and further
# observations counted in them.
cdef int error_log_init(error_log *log, void *memory, int64_t length) noexcept nogil
cdef void error_log_free(error_log *log) noexcept nogil
# For any thread. Equal texts are the same error; text is ASCII.
cdef int error_log_record(
    error_log *log, int64_t now_ms, const char *text, int32_t length) noexcept nogil
# Returns the number of handled records: those last observed at since_ms or later.
cdef int32_t error_log_read(
    const void *memory, int64_t length, error_handler handler, void *context,
    int64_t since_ms) noexcept nogil


@cython.final
cdef class DistinctErrorLog(BufferMemory):
    cdef error_log log
