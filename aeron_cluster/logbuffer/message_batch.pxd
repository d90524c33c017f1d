"""A batch of messages of a log: their headers as columns, their payloads in place."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.logbuffer.image_poller cimport image_poller


# A message of a batch, in the layout for NumPy (BATCH_FIELDS).
cdef struct batch_row:
    int64_t position  # after the message
    int64_t reserved_value
    int32_t session_id
    int32_t stream_id
    int32_t term_id
    int32_t term_offset
    int32_t offset  # offset of the payload in the batch's data
    int32_t length  # of the payload
    uint8_t flags
    uint8_t unused[7]


cdef class Batch:
    cdef object owner  # keeps the log mapped
    cdef const uint8_t *data
    cdef Py_ssize_t length
    cdef Py_ssize_t exports
    cdef int64_t end_position
    cdef object rows  # with at least the columns `offset` and `length`
    cdef bint is_over

    cdef int check(self) except -1
    cdef int end(self) except -1
    cdef object payload(self, Py_ssize_t index)
    cdef Py_ssize_t index_of(self, Py_ssize_t index) except -1


@cython.final
cdef class MessageBatch(Batch):
    cdef image_poller *poller  # NULL once the batch was released
    cdef object image  # keeps the poller alive


# The messages from the poller's position, at most to the end of the term, or None.
cdef MessageBatch new_batch(image_poller *poller, object image, int message_limit)
