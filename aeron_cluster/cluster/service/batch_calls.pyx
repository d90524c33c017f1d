"""The callbacks of a service that takes several messages of the log at once."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc

from aeron_cluster.cluster.service.cluster cimport Cluster
from aeron_cluster.cluster.service.service_calls cimport (
    COLLECTED_LIMIT,
    PythonCalls,
    name_of,
    detach_assembled,
)
from aeron_cluster.cluster.service.session_batch cimport (
    SessionMessageBatch,
    new_session_batch,
    session_row,
)
from aeron_cluster.logbuffer.image_poller cimport frame_view

from aeron_cluster.cluster.service.clustered_service import handles_batches
from aeron_cluster.errors import AgentTerminationError, BufferUsageError


# The pointers are declared `nogil`, but the loop holds the GIL for a whole batch.
ctypedef int (*collect_call)(
    void *service, int64_t position, int64_t timestamp, int64_t cluster_session_id,
    const uint8_t *payload, int32_t length, const frame_view *header) except -1 nogil
ctypedef int (*deliver_call)(void *service) except -1 nogil


cdef int collect(
        void *service, int64_t position, int64_t timestamp, int64_t cluster_session_id,
        const uint8_t *payload, int32_t length, const frame_view *header) except -1:
    cdef BatchCalls calls = <BatchCalls>service
    cdef session_row *row
    # An assembled message is not in the log, but in a buffer that the next one overwrites.
    cdef bint is_assembled = header.fragmented_frame_length != -1
    if is_assembled or calls.count == COLLECTED_LIMIT:
        deliver(service)
    if calls.is_failed:
        return 0
    if calls.count == 0:
        calls.begin = payload
        calls.log = <object>header.owner if header.owner != NULL else None
        calls.is_assembled = is_assembled
    row = &calls.collected[calls.count]
    calls.count += 1
    row.position = position
    row.timestamp = timestamp
    row.cluster_session_id = cluster_session_id
    row.offset = <int32_t>(payload - calls.begin)
    row.length = length
    return deliver(service) if is_assembled else 0


cdef int deliver(void *service) except -1:
    cdef BatchCalls calls = <BatchCalls>service
    if calls.count == 0 or calls.is_failed:
        return 0
    cdef SessionMessageBatch batch = new_session_batch(
        &calls.cluster.c, calls.collected, calls.count, calls)
    batch.data = calls.begin
    batch.owner = calls.log
    calls.count = 0
    calls.log = None
    calls.forbid(b"on_session_messages before a message of the batch")
    try:
        try:
            calls.on_session_messages(batch)
        finally:
            calls.cluster.c.callback = NULL
        batch.move(batch.count - 1)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        fail(calls, batch, error)
    finally:
        if batch.exports != 0 and calls.is_assembled:
            batch.owner = detach_assembled(calls, calls.begin)
    if batch.is_over:
        return 0
    try:
        batch.end()
    except BufferUsageError as error:
        calls.on_failure(
            BufferUsageError(f"{name_of(calls.service)}.on_session_messages: {error}"),
            "on_session_messages", None)
    return 0


cdef int fail(BatchCalls calls, SessionMessageBatch batch, object error) except -1:
    """Report a failure, and end the container.

    Members have different batches, so they would skip different messages after the failure: if the
    container continued, they would diverge.
    """
    batch.is_over = True  # a traceback may still refer to views of it
    calls.is_failed = True
    session_id = None
    if batch.current >= 0:
        session_id = calls.collected[batch.current].cluster_session_id
    calls.on_failure(error, "on_session_messages", session_id)
    if not isinstance(error, AgentTerminationError):
        calls.on_failure(
            AgentTerminationError(
                f"{name_of(calls.service)}.on_session_messages raised {type(error).__name__}:"
                " the skipped rest of the batch differs between members"),
            "on_session_messages", None)
    return 0


@cython.final
cdef class BatchCalls(PythonCalls):
    """The callbacks of a `ClusteredService` with `on_session_messages`.

    Parameters
    ----------
    cluster, on_failure, service
        As for `PythonCalls`.
    """

    def __cinit__(self, Cluster cluster not None, on_failure, *_):
        self.collected = <session_row *>malloc(COLLECTED_LIMIT * sizeof(session_row))
        if self.collected == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.collected)

    def __init__(self, Cluster cluster not None, on_failure, service not None):
        PythonCalls.__init__(self, cluster, on_failure, service)
        self.on_session_messages = service.on_session_messages
        self.c.collect = <collect_call><void *>collect
        self.c.deliver = <deliver_call><void *>deliver


def calls_of(Cluster cluster not None, on_failure, service not None):
    """Return the `PythonCalls` of a service; `BatchCalls` if it takes batches."""
    kind = BatchCalls if handles_batches(service) else PythonCalls
    return kind(cluster, on_failure, service)
