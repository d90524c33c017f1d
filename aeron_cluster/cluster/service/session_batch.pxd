"""Batches of consecutive session messages of the log, for a service that takes batches."""
cimport cython
from libc.stdint cimport int32_t, int64_t

from aeron_cluster.cluster.service.host cimport cluster_host
from aeron_cluster.logbuffer.message_batch cimport Batch


# A message of a batch, as NumPy reads it (SESSION_BATCH_FIELDS).
cdef struct session_row:
    int64_t position  # after the message
    int64_t timestamp
    int64_t cluster_session_id
    int32_t offset  # of the payload in the batch's data
    int32_t length  # of the payload


@cython.final
cdef class SessionMessageBatch(Batch):
    cdef cluster_host *host
    cdef const session_row *collected
    cdef object collector  # keeps both alive
    cdef int32_t count
    cdef int32_t current  # the cluster's current message; -1 before the first one

    cdef int move(self, int32_t index) except -1
    cdef object session_at(self, int32_t index)


# A batch of collected messages; the caller sets their memory. The collector keeps `collected` alive
# while the batch is used.
cdef SessionMessageBatch new_session_batch(
    cluster_host *host, const session_row *collected, int32_t count, object collector)
