"""Calls of a service, written in Python or as a table of C functions."""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.cluster.service.cluster cimport Cluster
from aeron_cluster.cluster.service.host cimport client_session
from aeron_cluster.logbuffer.fragment_assembler cimport fragment_assembler
from aeron_cluster.logbuffer.image_poller cimport frame_view
from aeron_cluster.logbuffer.message_view cimport Header, MessageView


cdef enum:
    COLLECTED_LIMIT = 4096  # the most messages in a batch


# The functions called by the loop, after time and position of the event were set in the host
# (except for collected messages). They return -1 after an exception that ends the container;
# failures of the service are already reported.
cdef struct service_calls:
    void *service
    bint needs_gil  # the caller must hold it
    # The session is NULL for a message of a service; the id is as logged.
    int (*on_message)(
        void *service, client_session *session, int64_t cluster_session_id,
        const uint8_t *payload, int32_t length, const frame_view *header) except -1 nogil
    # Called instead of on_message for a service that takes several messages at once, or NULL.
    # Collected messages are delivered before any other event and at the end of a poll.
    int (*collect)(
        void *service, int64_t position, int64_t timestamp, int64_t cluster_session_id,
        const uint8_t *payload, int32_t length, const frame_view *header) except -1 nogil
    int (*deliver)(void *service) except -1 nogil
    int (*on_timer)(void *service, int64_t correlation_id) except -1 nogil
    # NULL if the service has no background work.
    int (*do_background_work)(void *service, int64_t now_ns) except -1 nogil


# The rare callbacks are methods, for the Python half.
cdef class ServiceCalls:
    cdef service_calls c
    cdef Cluster cluster
    cdef object on_failure
    cdef fragment_assembler assembler  # of the log; an assembled message may outlive its callback

    cdef const char *forbid(self, const char *callback) noexcept


cdef class PythonCalls(ServiceCalls):
    cdef object service
    # Its bound methods.
    cdef object on_session_message
    cdef object on_timer_event
    cdef object background_work
    cdef int64_t time  # of the last message; cached, since many have the same
    cdef object time_object
    cdef MessageView view
    cdef Header header


# The owner of the buffer that holds an assembled message, which is the assembler's no more.
cdef object detach_assembled(PythonCalls calls, const uint8_t *payload)

cdef str name_of(object service)
