"""Columns of a batch in Arrow's layout, filled from rows without a Python object per message."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.pipeline.columns.column_memory cimport Buffer, SpareBlocks
from aeron_cluster.pipeline.columns.rows cimport row


# Each column has a fixed width, a variable length, or is the validity of a struct, followed by the
# struct's fields. Python code uses the same ids.
cpdef enum ColumnId:
    RECORDING_ID
    MEMBER
    POSITION
    END_POSITION
    TERM_ID
    TERM_OFFSET
    SESSION_ID
    STREAM_ID
    FLAGS
    RESERVED_VALUE
    FRAME_LENGTH
    PAYLOAD
    LOG_PAYLOAD
    TEMPLATE_ID
    MESSAGE_TYPE
    LEADERSHIP_TERM_ID
    CLUSTER_SESSION_ID
    TIMESTAMP
    TIMESTAMP_RAW
    TIMESTAMP_UNIT
    CORRELATION_ID
    COMMITTED
    SESSION_OPEN
    SESSION_OPEN_CORRELATION_ID
    SESSION_OPEN_RESPONSE_STREAM_ID
    SESSION_OPEN_RESPONSE_CHANNEL
    SESSION_OPEN_ENCODED_PRINCIPAL
    SESSION_CLOSE
    SESSION_CLOSE_REASON
    TIMER
    TIMER_CORRELATION_ID
    CLUSTER_ACTION
    CLUSTER_ACTION_LOG_POSITION
    CLUSTER_ACTION_ACTION
    CLUSTER_ACTION_FLAGS
    NEW_LEADERSHIP_TERM
    NEW_LEADERSHIP_TERM_LOG_POSITION
    NEW_LEADERSHIP_TERM_TERM_BASE_LOG_POSITION
    NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID
    NEW_LEADERSHIP_TERM_LOG_SESSION_ID
    NEW_LEADERSHIP_TERM_TIME_UNIT
    NEW_LEADERSHIP_TERM_APP_VERSION


cdef struct column:
    int32_t id
    int32_t width  # bytes per value; 0 for bits and for columns with offsets
    bint has_offsets
    uint8_t *values
    int64_t length  # length of the variable data, in bytes
    int64_t last_length  # length of the previous batch's variable data, in bytes
    int64_t capacity
    int32_t *offsets
    int64_t offsets_capacity  # in bytes, like the other capacities
    uint8_t *validity  # NULL if the column is not nullable
    int64_t validity_capacity
    int32_t null_count
    int32_t null_run  # leading missing values that are not written yet; -1: all are


# Values that are the same in all rows of a recording.
cdef struct row_constants:
    int64_t recording_id
    int32_t member
    int32_t time_unit  # -1: unknown
    int64_t committed_position
    int32_t rest_committed  # value of `committed` for rows after that position: 0 false, -1 unknown


@cython.final
cdef class ColumnBuffers:
    cdef column *columns
    cdef int32_t column_count
    cdef int32_t row_capacity
    cdef int32_t row_count
    cdef bint has_entries  # whether there is a column that only a cluster's log has
    cdef row_constants constants
    cdef SpareBlocks spares
    cdef Buffer zeros  # shared by all columns without values
    cdef Buffer recording_ids  # shared by all batches, like `members`; None until first used
    cdef Buffer members

    cdef int reserve(self) except -1
    cdef void release(self) noexcept
    cdef tuple empty_column(self, column *c)
    cdef Buffer repeated(self, int32_t id)


# Add rows to every column. Returns 0, or -1 if memory is exhausted.
cdef int fill_columns(ColumnBuffers buffers, const row *rows, int32_t count) noexcept nogil
