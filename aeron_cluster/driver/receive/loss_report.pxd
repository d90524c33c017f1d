"""The loss report: an entry for each image with losses, for tools.

``LossReport``.
"""
cimport cython
from cpython.buffer cimport Py_buffer
from libc.stdint cimport int32_t, int64_t, uint8_t


cdef struct loss_report:
    uint8_t *data
    int64_t capacity
    int64_t next_offset


# Create an entry, or return NULL if the report is full. `text` is the channel, then the source.
cdef uint8_t *create_loss_entry(
    loss_report *report, int64_t bytes_lost, int64_t now_ms, int32_t session_id,
    int32_t stream_id, const uint8_t *text, int32_t channel_length, int32_t source_length
) noexcept nogil
cdef void record_loss(uint8_t *entry, int64_t bytes_lost, int64_t now_ms) noexcept nogil


@cython.final
cdef class LossReport:
    cdef loss_report c
    cdef Py_buffer _buffer  # exported until this is destroyed
    cdef bint _is_open
