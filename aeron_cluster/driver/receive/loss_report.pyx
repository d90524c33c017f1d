"""The loss report: an entry for each image with losses, for tools.

``LossReport``. An entry is aligned to 64 bytes::

    0  observation count i64 (written last)    32  session id i32, stream id i32
    8  total bytes lost i64                    40  channel length i32, ASCII, padded to 4
    16 first, then last observation, epoch ms      source length i32, ASCII
"""
cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from aeron_cluster.logbuffer.frames cimport align, align_i64
from aeron_cluster.memory.shared.atomic cimport add_release_i64, store_release_i64

cdef enum:
    ENTRY_ALIGNMENT = 64
    TEXT_OFFSET = 40


cdef uint8_t *create_loss_entry(
        loss_report *report, int64_t bytes_lost, int64_t now_ms, int32_t session_id,
        int32_t stream_id, const uint8_t *text, int32_t channel_length, int32_t source_length
) noexcept nogil:
    cdef int64_t source_offset = TEXT_OFFSET + 4 + align(channel_length, 4)
    cdef int64_t length = align_i64(source_offset + 4 + source_length, ENTRY_ALIGNMENT)
    cdef uint8_t *entry
    if report.next_offset + length > report.capacity:
        return NULL
    entry = report.data + report.next_offset
    report.next_offset += length
    (<int64_t *>(entry + 8))[0] = bytes_lost
    (<int64_t *>(entry + 16))[0] = now_ms
    (<int64_t *>(entry + 24))[0] = now_ms
    (<int32_t *>(entry + 32))[0] = session_id
    (<int32_t *>(entry + 36))[0] = stream_id
    (<int32_t *>(entry + TEXT_OFFSET))[0] = channel_length
    memcpy(entry + TEXT_OFFSET + 4, text, channel_length)
    (<int32_t *>(entry + source_offset))[0] = source_length
    memcpy(entry + source_offset + 4, text + channel_length, source_length)
    # Pairs with a reader's acquire of the count; a count of 0 ends its scan.
    store_release_i64(entry, 1)
    return entry


cdef void record_loss(uint8_t *entry, int64_t bytes_lost, int64_t now_ms) noexcept nogil:
    add_release_i64(entry + 8, bytes_lost)
    store_release_i64(entry + 24, now_ms)
    add_release_i64(entry, 1)


@cython.final
@cython.no_gc_clear  # a collection would drop the buffer without releasing it
cdef class LossReport:
    """The driver's `loss-report.dat`, written by stream tracking.

    Parameters
    ----------
    memory
        The mapped file (or any writable, zeroed buffer).
    """

    def __cinit__(self, memory not None):
        PyObject_GetBuffer(memory, &self._buffer, PyBUF_SIMPLE | PyBUF_WRITABLE)
        self._is_open = True
        self.c.data = <uint8_t *>self._buffer.buf
        self.c.capacity = self._buffer.len

    def __dealloc__(self):
        self.close()

    def close(self):
        """Release the memory; only once no image reports to it."""
        self.c.capacity = 0
        if self._is_open:
            self._is_open = False
            PyBuffer_Release(&self._buffer)
