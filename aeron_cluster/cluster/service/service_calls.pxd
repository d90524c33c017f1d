"""How the container calls a service, written in Python or as a table of C functions."""
from libc.stdint cimport int32_t, int64_t, uint8_t

from aeron_cluster.cluster.service.cluster cimport Cluster
from aeron_cluster.cluster.service.host cimport client_session
from aeron_cluster.logbuffer.fragment_assembler cimport fragment_assembler
from aeron_cluster.logbuffer.image_poller cimport frame_view
from aeron_cluster.logbuffer.message_view cimport Header, MessageView


cdef enum:
    COLLECTED_LIMIT = 4096  # messages that a service takes at once


# What the loop calls; time and position of the event stand in the host already, except for
# messages that are collected. -1 where something was raised that ends the container: a failure of
# the service has been reported by then.
cdef struct service_calls:
    void *service
    bint needs_gil  # the caller holds it
    # The session is NULL for what a service offered to the cluster; its id is as it was logged.
    int (*on_message)(
        void *service, client_session *session, int64_t cluster_session_id,
        const uint8_t *payload, int32_t length, const frame_view *header) except -1 nogil
    # In place of that for a service that takes several messages at once, or NULL. What was
    # collected is delivered before any other event and at the end of a poll.
    int (*collect)(
        void *service, int64_t position, int64_t timestamp, int64_t cluster_session_id,
        const uint8_t *payload, int32_t length, const frame_view *header) except -1 nogil
    int (*deliver)(void *service) except -1 nogil
    int (*on_timer)(void *service, int64_t correlation_id) except -1 nogil
    # NULL where the service has no such work.
    int (*do_background_work)(void *service, int64_t now_ns) except -1 nogil


# The rare callbacks are methods, for the Python half.
cdef class ServiceCalls:
    cdef service_calls c
    cdef Cluster cluster
    cdef object on_failure
    cdef fragment_assembler assembler  # of the log; what it assembles may outlive its callback

    cdef const char *forbid(self, const char *callback) noexcept


cdef class PythonCalls(ServiceCalls):
    cdef object service
    # Its bound methods.
    cdef object on_session_message
    cdef object on_timer_event
    cdef object background_work
    cdef int64_t time  # of the last message, and the same as an object: many have one time
    cdef object time_object
    cdef MessageView view
    cdef Header header


# The owner of the buffer that holds an assembled message, which is the assembler's no more.
cdef object take_assembled(PythonCalls calls, const uint8_t *payload)

cdef str name_of(object service)
